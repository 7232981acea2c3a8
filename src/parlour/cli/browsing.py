"""A match in the browser for one person: a server on this machine only, its page opened, the record kept at the end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from parlour.agents import is_agent
from parlour.agents.loading import make_player
from parlour.cli.hosting import notes_of, spare
from parlour.core.game import Plain, Seat
from parlour.core.player import Player
from parlour.core.terms import Terms
from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.net.hall import Hall
    from parlour.net.setup import MatchSetup
    from parlour.web.site import Site

HUMAN = "human"
FOREVER = 1e9
"""Seconds."""


def browse(
    game: str,
    config: Mapping[str, Plain],
    terms: Terms,
    agents: Mapping[Seat, str],
    record: Path,
    *,
    seed: int = 0,
    title: str = "",
    open_page: bool = True,
) -> None:
    """Play or watch a match in the browser until the user stops the server; the record is then in its file.

    Besides people and agents of the house, a class of one's own (path.py:Class) or a command may have a seat.
    """
    from parlour.net.setup import MatchSetup

    spare(record)
    with tempfile.TemporaryDirectory() as folder:
        # Flags are up where nobody has to be waited for: then the clock sets the pace, not how soon agents are done.
        setup = MatchSetup(
            game=game, config=dict(config), terms=terms, seed=seed, title=title, paced=terms.wait_flags_up
        )
        asyncio.run(_serve(setup, agents, record, Path(folder), open_page))
    click.echo(f"recorded in {record}")


async def _serve(setup: MatchSetup, agents: Mapping[Seat, str], record: Path, folder: Path, open_page: bool) -> None:
    from parlour.net.hall import Hall
    from parlour.net.setup import HallLimits
    from parlour.referee.record import RecordWriter
    from parlour.store import open_store
    from parlour.web.site import Site
    from parlour.web.visitors import OnePerson

    with open_store(str(folder / "match.db")) as store:
        # A player of one's own is in this program only: its match never sleeps.
        hall, keeper = Hall(store, limits=HallLimits(idle=FOREVER, models=True)), OnePerson()
        await hall.start()
        site = Site(hall, keeper, guests=False)
        match, own = await _seated(hall, setup, agents)
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
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
            with RecordWriter(record) as writer:
                writer.write(events)


async def _seated(hall: Hall, setup: MatchSetup, agents: Mapping[Seat, str]) -> tuple[str, list[Player]]:
    """The match, once everybody sits there, and those who do that are not of the house."""
    from parlour.net.sessions import Session
    from parlour.web.visitors import YOU

    you = Session(hall, YOU)
    house = {seat: agent for seat, agent in agents.items() if agent != HUMAN and is_agent(setup.game, agent)}
    match = await you.open(msgspec.structs.replace(setup, agents=house))
    own: list[Player] = []
    assert setup.seed is not None
    for number, (seat, agent) in enumerate(agents.items()):
        if agent == HUMAN:
            await you.join(match, seat)
        elif seat not in house:
            own.append(make_player(setup.game, agent, setup.seed * 1000 + number, notes_of(agent)))
            await _seat(hall, match, seat, agent, own[-1])
    return match, own


async def _until_stopped(site: Site, listening: socket.socket) -> None:
    """Serve the pages until Ctrl-C, which ends the server and not us: the record is still to be written."""
    import uvicorn

    from parlour.net.framing.websocket import TextSocket
    from parlour.web.app import web_app

    quiet = uvicorn.Config(web_app(site), ws=TextSocket, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(quiet)
    server.capture_signals = contextlib.nullcontext  # type: ignore[assignment, method-assign]
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop, server)
    await server.serve([listening])


async def _seat(hall: Hall, match: str, seat: Seat, name: str, player: Player) -> None:
    """Let a player of one's own sit down like an agent of the house."""
    from parlour.core.intents import Join
    from parlour.net.house import HouseAgent, type_of

    hosted = await hall.wake(match)
    agent = HouseAgent(player, asyncio.Semaphore())
    hosted.remember(await hall.record(match))
    hosted.staff.seat(seat, agent)
    answer = await hall.handle(match, Join(name, seat, type_of(agent)))
    if answer.refusal is not None:
        raise ConfigError(f"agent: {name!r:.60} cannot sit on {seat}: {answer.refusal.reason}", field="agent")


def _stop(server: Any) -> None:
    server.should_exit = True
