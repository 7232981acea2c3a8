"""A match in the browser for one person: a server on this machine only, its page opened, the record kept meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from parlour.agents import is_agent
from parlour.cli.display.notes import notes_of
from parlour.cli.matches.hosting import how_to_resume, spare
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.player import Player
from parlour.core.viewers import MODERATOR
from parlour.errors import RecordError
from parlour.matches.spec import HUMAN, MatchSpec, encoded
from parlour.referee.match import opening
from parlour.referee.record import RecordReader, RecordWriter

if TYPE_CHECKING:
    from parlour.agents.house_specs import HouseSpec, ReadSpec
    from parlour.net.hall import Hall
    from parlour.net.setup import MatchSetup
    from parlour.store import Store, Write
    from parlour.web.site import Site

FOREVER = 1e9
"""Seconds until an idle match sleeps: longer than the program runs."""


def browse(
    spec: MatchSpec, record: Path, *, title: str = "", open_page: bool = True, past: Sequence[Event] = ()
) -> None:
    """Play or watch a match in the browser until the user stops the server; every event is in the record at once.

    Besides people and house agents, a class of your own (path.py:Class) or a command may have a seat. With its past,
    an interrupted match resumes, and its new events are added to the record.
    """
    if not past:
        spare(record)
    elif not any(isinstance(event, ev.Started) for event in past):
        raise RecordError("the match had not begun: play it again", number=len(past))
    spec = msgspec.structs.replace(spec, browser=True)
    with tempfile.TemporaryDirectory() as folder, RecordWriter(record, spec=encoded(spec)) as writer:
        asyncio.run(_serve(spec, title, writer, Path(folder), open_page, past))
    over = any(isinstance(event, ev.Ended) for event in RecordReader(record))
    click.echo(f"recorded in {record}{'' if over else how_to_resume(spec, record)}")


def _setup_of(spec: MatchSpec, title: str) -> MatchSetup:
    from parlour.net.setup import MatchSetup

    return MatchSetup(
        game=spec.game,
        config=dict(spec.config),
        terms=spec.terms,
        seed=spec.seed,
        title=title,
        # With wait flags up, the clock sets the pace, not the speed of the agents.
        paced=spec.terms.wait_flags_up,
        stand_in="" if spec.stand_in is None else spec.stand_in.agent,
        agents={seat: player.agent for seat, player in spec.players.items() if player.agent != HUMAN},
    )


async def _serve(
    spec: MatchSpec, title: str, writer: RecordWriter, folder: Path, open_page: bool, past: Sequence[Event]
) -> None:
    from parlour.net.framing.listener import listen
    from parlour.net.hall import Hall
    from parlour.net.setup import HallLimits
    from parlour.store import open_store
    from parlour.web.site import Site
    from parlour.web.visitors import OnePerson

    own, setup, places = _OwnPlayers(spec), _setup_of(spec, title), len(spec.players)
    # The user's own players live in this program only: the match never sleeps, and each of them may think at any time.
    limits = HallLimits(idle=FOREVER, thinking=places, thinking_of_one=places)
    with contextlib.closing(own), open_store(str(folder / "match.db")) as store:
        if past:
            _store_past(store, spec, setup, past, own.read)
        hall, keeper = Hall(store, limits=limits, read_spec=own.read), OnePerson()
        await hall.start()
        site = Site(hall, keeper, guests=False)
        match = opening(past).match if past else await _opened(hall, spec, setup)
        await hall.watch(match, MODERATOR, lambda told: writer.write([told.event]), since=len(past))
        (listening,) = await listen("127.0.0.1", 0)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/enter?key={keeper.key}&match={match}"
        click.echo(f"open {address}\nstop with Ctrl-C")
        if open_page:
            webbrowser.open(address)
        try:
            await _until_stopped(site, listening)
        finally:
            site.close()
            await hall.close()


class _OwnPlayers:
    """The players of the user that are no house agents, for a hall that seats them like house agents."""

    def __init__(self, spec: MatchSpec) -> None:
        self._players: dict[str, list[Player]] = {}
        """The players by their text, in the order of their seats; made at once, so that a fault is told at once."""
        for player in spec.players.values():
            if player.agent != HUMAN and not is_agent(spec.game, player.agent):
                made = player.make(spec.game, notes_of(player.shown))
                self._players.setdefault(player.agent, []).append(made)
        self._unseated = {text: [*players] for text, players in self._players.items()}

    def read(self, game: str, text: str) -> HouseSpec:
        """Return the player of that text, or the house agent."""
        from parlour.agents.house_specs import HouseSpec, local_spec
        from parlour.referee.driver import player_type

        if text not in self._players:
            return local_spec(game, text)
        found = HouseSpec(game, text, lambda seed: self._unseated[text].pop(0))
        found.player_type = player_type(self._players[text][0])
        return found

    def close(self) -> None:
        """End the programs among the players."""
        for player in (player for players in self._players.values() for player in players):
            getattr(player, "close", lambda: None)()


async def _opened(hall: Hall, spec: MatchSpec, setup: MatchSetup) -> str:
    """Open the match, take the seats of the person who plays here, and return its name."""
    from parlour.net.accounts.credential import Credential
    from parlour.net.accounts.principals import of_account
    from parlour.net.sessions import Session
    from parlour.web.visitors import YOU

    you = Session(hall, Credential(of_account(YOU), YOU))
    match = await you.open(setup)
    for seat in spec.people:
        await you.join(match, seat)
    return match


def _store_past(store: Store, spec: MatchSpec, setup: MatchSetup, past: Sequence[Event], read: ReadSpec) -> None:
    """Store an interrupted match as a hall that stopped after its last event has left it."""
    from parlour.net.accounts.principals import of_account
    from parlour.net.heartbeat import ALIVE
    from parlour.net.match_roles import MatchRole
    from parlour.net.opening import new_match
    from parlour.referee.match import Match
    from parlour.referee.record import encode
    from parlour.store import Entries, Permission, Setting
    from parlour.store.entries import Seating
    from parlour.web.visitors import YOU

    you, name, state = of_account(YOU), opening(past).match, Match.resume(past).state
    head = new_match(msgspec.structs.replace(setup, match=name), you, past[0].at, read).stored.head
    writes: list[Write] = [
        msgspec.structs.replace(head, status=state.status.value, turn=state.turn, updated=state.now),
        Entries(name, 0, tuple(encode(event) for event in past)),
        Setting(ALIVE, repr(state.now).encode()),  # deadlines move by the time since then
    ]
    if spec.people:
        writes.append(Permission(name, you.key, MatchRole.PLAYS))
    for seat, place in state.places.items():
        if place.present and not place.removed:
            account = you.key if seat in spec.people else ""
            writes.append(Seating(name, seat, place.name or "", account, setup.agents.get(seat, "")))
    store.write(*writes)


async def _until_stopped(site: Site, listening: socket.socket) -> None:
    """Serve the pages until Ctrl-C, which ends only the server: the record is written afterwards."""
    import uvicorn

    from parlour.net.framing.websocket import TextSocket

    quiet = uvicorn.Config(site.app(), ws=TextSocket, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(quiet)
    server.capture_signals = contextlib.nullcontext  # type: ignore[assignment, method-assign]
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop, server)
    await server.serve([listening])


def _stop(server: Any) -> None:
    server.should_exit = True
