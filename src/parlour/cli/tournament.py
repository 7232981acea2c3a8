"""parlour tournament: runs a tournament of agents in this program."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from parlour.store import Store
    from parlour.tournament.audience import Spectator
    from parlour.tournament.course import Course
    from parlour.tournament.events import Announced, Entrant

MAX_AGENTS = 1000


@click.command()
@click.argument("game", type=click.Choice(["fish"]))
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--format", "form", type=click.Choice(["knock-out", "round-robin"]), default="knock-out",
              show_default=True)  # fmt: skip
@click.option("--conduct", type=click.Choice(["strict", "lenient"]), default="strict", show_default=True)
@click.option("--rows", type=int, default=5, show_default=True)
@click.option("--cols", type=int, default=5, show_default=True)
@click.option("--fish", type=int, help="The same number of fish on every tile; otherwise by chance.")
@click.option("--seed", type=click.IntRange(0, 2**62), default=0, show_default=True)
@click.option("--time-per-turn", type=click.FloatRange(min=0.001, max=86_400), help="Seconds; otherwise no limit.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Matches at once; otherwise one per processor.")
@click.option("--store", type=click.Path(dir_okay=False, path_type=Path), help="Keep records and the result there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    game: str,
    agents: tuple[str, ...],
    form: str,
    conduct: str,
    rows: int,
    cols: int,
    fish: int | None,
    seed: int,
    time_per_turn: float | None,
    jobs: int | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Let agents play a tournament here and now; the same seed gives the same result.

    AGENT is the name of an agent that ships (random, greedy, lookahead2, strong). Name one several times to have
    several of it. The first is the youngest.
    """
    from parlour.cli.results import as_plain, progress_bars, show_result
    from parlour.core.terms import Clock, Terms
    from parlour.referee.conduct import preset
    from parlour.store import SQLiteStore
    from parlour.tournament.events import Announced

    announced = Announced(
        at=time.time(),
        tournament=f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(3).hex()}",
        game=game,
        config={"rows": rows, "cols": cols} | ({} if fish is None else {"fish": fish}),
        terms=Terms(preset(conduct), Clock(per_turn=time_per_turn)),
        format=form,
        seed=seed,
        entrants=_entrants(agents),
    )
    with contextlib.ExitStack() as stack:
        kept = None if store is None else stack.enter_context(SQLiteStore(store))
        spectators = stack.enter_context(progress_bars())
        course = asyncio.run(_run(announced, kept, spectators, jobs or os.cpu_count() or 1))
    assert course.closed is not None
    if as_json:
        click.echo(msgspec.json.encode(as_plain(course.closed) | {"tables": _tables(course)}))
    else:
        show_result(course.closed)


def _entrants(agents: Sequence[str]) -> tuple[Entrant, ...]:
    """Each agent under a name of its own."""
    from parlour.agents import make_agent
    from parlour.errors import ConfigError
    from parlour.tournament.events import Entrant

    if len(agents) > MAX_AGENTS:
        raise ConfigError(f"agents: expected at most {MAX_AGENTS}", field="agents")
    seen: dict[str, int] = {}
    entrants = []
    for agent in agents:
        if agent not in seen:
            make_agent("fish", agent, 0)  # a name that does not exist is told before anything is played
        seen[agent] = seen.get(agent, 0) + 1
        entrants.append(Entrant(agent if seen[agent] == 1 else f"{agent}-{seen[agent]}", agent))
    return tuple(entrants)


async def _run(announced: Announced, store: Store | None, spectators: Sequence[Spectator], jobs: int) -> Course:
    from parlour.agents import make_agent
    from parlour.games.fish import GAME
    from parlour.tournament.audience import Audience
    from parlour.tournament.course import Course
    from parlour.tournament.runner import Runner, open_journal
    from parlour.tournament.tables import LocalTables

    # A bad board fails here, before anyone is called together.
    seats = GAME.seats(announced.config)[: max(2, len(announced.entrants))]
    GAME.start(announced.config, seats, announced.seed)
    agents = {entrant.name: entrant.agent for entrant in announced.entrants}
    audience = Audience(spectators)
    tables = LocalTables(
        GAME, announced, lambda name, seed: make_agent("fish", agents[name], seed), store=store, audience=audience
    )
    course = Course(announced)
    journal = None if store is None else open_journal(store, announced)
    await Runner(course, {}, tables.play, journal=journal, audience=audience, at_once=jobs).run()
    return course


def _tables(course: Course) -> list[dict[str, object]]:
    return [
        {
            "round": number,
            "players": table.players,
            "places": table.result.places if table.result else (),
            "scores": table.result.scores if table.result else {},
        }
        for number, played in enumerate(course.rounds, 1)
        for table in played.tables
    ]
