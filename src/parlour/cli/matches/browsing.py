"""A match in the browser for one person: a server on this machine only, its page opened, the record kept at the end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parlour.agents import is_agent
from parlour.cli.matches.hosting import notes_of, spare
from parlour.core.game import Seat
from parlour.core.player import Player
from parlour.errors import ConfigError
from parlour.matches.spec import HUMAN, MatchSpec, encoded

if TYPE_CHECKING:
    from parlour.net.hall import Hall
    from parlour.net.setup import MatchSetup
    from parlour.web.site import Site

FOREVER = 1e9
"""Seconds until an idle match sleeps: longer than the program runs."""


def browse(spec: MatchSpec, record: Path, *, title: str = "", open_page: bool = True) -> None:
    """Play or watch a match in the browser until the user stops the server; then write the record.

    Besides people and house agents, a class of your own (path.py:Class) or a command may have a seat.
    """
    spare(record)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_serve(spec, title, record, Path(folder), open_page))
    click.echo(f"recorded in {record}")


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
        agents={seat: player.agent for seat, player in spec.players.items() if is_agent(spec.game, player.agent)},
    )


async def _serve(spec: MatchSpec, title: str, record: Path, folder: Path, open_page: bool) -> None:
    from parlour.agents.house_specs import local_spec
    from parlour.net.framing.listener import listen
    from parlour.net.hall import Hall
    from parlour.net.setup import HallLimits
    from parlour.referee.record import RecordWriter
    from parlour.store import open_store
    from parlour.web.site import Site
    from parlour.web.visitors import OnePerson

    with open_store(str(folder / "match.db")) as store:
        # The user's own player lives in this program only: its match never sleeps.
        hall, keeper = Hall(store, limits=HallLimits(idle=FOREVER), read_spec=local_spec), OnePerson()
        await hall.start()
        site = Site(hall, keeper, guests=False)
        match, own = await _seated(hall, spec, _setup_of(spec, title))
        (listening,) = await listen("127.0.0.1", 0)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/enter?key={keeper.key}&match={match}"
        click.echo(f"open {address}\nstop with Ctrl-C")
        if open_page:
            webbrowser.open(address)
        try:
            await _until_stopped(site, listening)
        finally:
            site.close()
            events = await hall.record(match)
            await hall.close()
            for player in own:
                getattr(player, "close", lambda: None)()
            with RecordWriter(record, spec=encoded(spec)) as writer:
                writer.write(events)


async def _seated(hall: Hall, spec: MatchSpec, setup: MatchSetup) -> tuple[str, list[Player]]:
    """Return the match, with all players seated, and the players that are not house agents."""
    from parlour.net.accounts.credential import Credential
    from parlour.net.accounts.principals import of_account
    from parlour.net.sessions import Session
    from parlour.web.visitors import YOU

    you = Session(hall, Credential(of_account(YOU), YOU))
    match = await you.open(setup)
    own: list[Player] = []
    for seat, player in spec.players.items():
        if player.agent == HUMAN:
            await you.join(match, seat)
        elif seat not in setup.agents:
            own.append(player.make(spec.game, notes_of(player.shown)))
            await _seat(hall, match, seat, player.shown, own[-1])
    return match, own


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


async def _seat(hall: Hall, match: str, seat: Seat, name: str, player: Player) -> None:
    """Seat the user's own player as house agents are seated."""
    from parlour.core.intents import Join
    from parlour.net.house_agents import HouseAgent
    from parlour.net.thought_lane import ThoughtLane
    from parlour.referee.driver import player_type

    hosted = await hall.wake(match)
    agent = HouseAgent(player, ThoughtLane())
    hosted.remember(await hall.record(match))
    hosted.agents.seat(seat, agent)
    (answer,) = await hall.submit(match, Join(name, seat, player_type(player)))
    if answer.refusal is not None:
        raise ConfigError(f"agent: {name!r:.60} cannot sit on {seat}: {answer.refusal.reason}", field="agent")


def _stop(server: Any) -> None:
    server.should_exit = True
