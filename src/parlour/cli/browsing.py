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
from typing import Any

import click

from parlour.agents import is_agent
from parlour.cli.hosting import spare
from parlour.core.game import Plain, Seat
from parlour.core.terms import Terms
from parlour.errors import ConfigError

HUMAN = "human"


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
    """Play or watch a match in the browser until the user stops the server; the record is then in its file."""
    strangers = sorted({agent for agent in agents.values() if agent != HUMAN and not is_agent(game, agent)})
    if strangers:
        raise ConfigError(
            f"browser: {strangers[0]!r:.60} is no agent of the house; with --browser only those and human play",
            field="browser",
        )
    spare(record)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_serve(game, config, terms, agents, record, seed, title, Path(folder), open_page))
    click.echo(f"recorded in {record}")


async def _serve(
    game: str,
    config: Mapping[str, Plain],
    terms: Terms,
    agents: Mapping[Seat, str],
    record: Path,
    seed: int,
    title: str,
    folder: Path,
    open_page: bool,
) -> None:
    import uvicorn

    from parlour.net.hall import Hall
    from parlour.net.sessions import Session
    from parlour.net.setup import HallLimits, MatchSetup
    from parlour.referee.record import RecordWriter
    from parlour.store import open_store
    from parlour.web.app import web_app
    from parlour.web.site import Site
    from parlour.web.visitors import YOU, OnePerson

    with open_store(str(folder / "match.db")) as store:
        hall, keeper = Hall(store, limits=HallLimits(models=True)), OnePerson()
        await hall.start()
        site = Site(hall, keeper, guests=False)
        you = Session(hall, YOU)
        house = {seat: agent for seat, agent in agents.items() if agent != HUMAN}
        setup = MatchSetup(game=game, config=dict(config), terms=terms, seed=seed, title=title, agents=house)
        match = await you.open(setup)
        for seat, agent in agents.items():
            if agent == HUMAN:
                await you.join(match, seat)
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/enter?key={keeper.key}&match={match}"
        click.echo(f"open {address}\nstop with Ctrl-C")
        if open_page:
            webbrowser.open(address)
        quiet = uvicorn.Config(web_app(site), ws="websockets-sansio", log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(quiet)
        # Ctrl-C ends the server and not us: the record is still to be written.
        server.capture_signals = contextlib.nullcontext  # type: ignore[assignment, method-assign]
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, _stop, server)
        try:
            await server.serve([listening])
        finally:
            site.close()
            events = await hall.record(match)
            await hall.close()
            with RecordWriter(record) as writer:
                writer.write(events)


def _stop(server: Any) -> None:
    server.should_exit = True
