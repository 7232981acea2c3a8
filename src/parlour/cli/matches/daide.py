"""Hosts one match for DAIDE bots that connect, with house agents on the other seats."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import click

from parlour.agents import is_agent
from parlour.agents.house_specs import local_spec
from parlour.cli.display.show import Display
from parlour.cli.matches.hosting import spare
from parlour.cli.terminal.stopping import stoppable
from parlour.core import events as ev
from parlour.core.player import ObservedEvent
from parlour.core.viewers import MODERATOR
from parlour.errors import ConfigError
from parlour.games.diplomacy.maps.map import named
from parlour.matches.spec import MatchSpec, encoded
from parlour.net.daide.door import DaideDoor
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.record import RecordWriter
from parlour.store import open_store

DAIDE = "daide"
"""Name under which seats are reserved for DAIDE bots."""
HOST = "127.0.0.1"
MATCH = "match"


def host_bots(spec: MatchSpec, record: Path, display: Display, *, port: int) -> None:
    """Play the match to its end; each event is in the record before it is shown."""
    agents = {seat: player.agent for seat, player in spec.players.items()}
    strangers = sorted({agent for agent in agents.values() if agent != DAIDE and not is_agent("diplomacy", agent)})
    if strangers:
        raise ConfigError(
            f"{strangers[0]!r:.60} is not a house agent, and only those play beside DAIDE bots", field="agent"
        )
    house = {seat: agent for seat, agent in agents.items() if agent != DAIDE}
    setup = MatchSetup(
        game=spec.game, config=dict(spec.config), terms=spec.terms, seed=spec.seed, match=MATCH, agents=house
    )
    spare(record)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            RecordWriter(record, spec=encoded(spec)) as writer,
            display,
            stoppable(),
        ):
            awaited = [str(seat) for seat, agent in agents.items() if agent == DAIDE]
            asyncio.run(_host(setup, Path(folder), writer, display, awaited, port))
    except KeyboardInterrupt:
        click.echo(f"stopped; what was played is in {record}", err=True)
        raise


async def _host(
    setup: MatchSetup, folder: Path, writer: RecordWriter, display: Display, awaited: list[str], port: int
) -> None:
    over = asyncio.Event()

    def told(each: ObservedEvent) -> None:
        writer.write([each.event])
        display.on_event(each)
        if isinstance(each.event, ev.Ended):
            over.set()

    with open_store(str(folder / "match.db")) as store:
        hall = Hall(store, read_spec=local_spec)
        await hall.start()
        board = named(str(setup.config.get("map", "standard")))
        door = DaideDoor(hall, host=HOST, port=port, board=board, match=MATCH, opens=False)
        try:
            await hall.open(setup)
            await hall.watch(MATCH, MODERATOR, told, since=0)
            await door.open()
            click.echo(f"waiting on {HOST}:{door.port} for DAIDE bots to play {', '.join(awaited)}", err=True)
            await over.wait()
        finally:
            await door.close()
            await hall.close()
