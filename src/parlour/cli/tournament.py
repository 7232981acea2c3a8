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
    from parlour.core.player import Player
    from parlour.store import Journal, Store
    from parlour.tournament.audience import Spectator
    from parlour.tournament.course import Course
    from parlour.tournament.events import Announced, Entrant, TournamentEvent

MAX_AGENTS = 1000


@click.command()
@click.argument("game", type=click.Choice(["fish"]))
@click.argument("agents", nargs=-1, metavar="AGENT...")
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
@click.option("--resume", is_flag=True, help="Go on with the oldest tournament in the store that was cut short.")
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
    resume: bool,
    as_json: bool,
) -> None:
    """Let agents play a tournament here and now; the same seed gives the same result.

    AGENT is random, greedy, lookaheadN or strong; path.py:Class, a class of your own; or a command in quotes that
    speaks JSON lines. Name one several times to have several of it. The first is the youngest,
    but agents that say their age are put in that order.
    """
    from parlour.cli.results import as_plain, first_error, progress_bars, show_result
    from parlour.cli.stopping import stoppable
    from parlour.core.terms import Clock, Terms
    from parlour.referee.conduct import preset
    from parlour.store import open_store
    from parlour.tournament.events import Announced

    if resume and (store is None or agents):
        raise click.UsageError("--resume needs --store, and no AGENT")
    if not resume and not agents:
        raise click.UsageError("Missing argument 'AGENT...'.")
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
        kept = None if store is None else stack.enter_context(open_store(store))
        if kept is not None:
            kept.claim()
        spectators = stack.enter_context(progress_bars())
        stack.enter_context(first_error())
        stack.enter_context(stoppable())
        course, journal = _resume(kept) if resume else _begin(announced, kept)
        asyncio.run(_run(course, journal, kept, spectators, jobs or os.cpu_count() or 1))
    assert course.closed is not None
    if as_json:
        click.echo(msgspec.json.encode(as_plain(course.closed) | {"tables": _tables(course)}))
    else:
        show_result(course.closed)


def _begin(announced: Announced, store: Store | None) -> tuple[Course, Journal[TournamentEvent] | None]:
    """A new tournament."""
    from parlour.games.fish import GAME
    from parlour.tournament.course import Course
    from parlour.tournament.formats import check_tables
    from parlour.tournament.runner import open_journal

    # A bad board fails here, before anyone is called together.
    course = Course(announced)
    check_tables(GAME, announced.config, min(len(announced.entrants), course.format.largest))
    return course, None if store is None else open_journal(store, announced)


def _resume(store: Store | None) -> tuple[Course, Journal[TournamentEvent] | None]:
    """The oldest tournament that was cut short."""
    from parlour.errors import ConfigError
    from parlour.tournament.runner import resume, unfinished

    assert store is not None
    for tournament in unfinished(store, "fish"):
        course, journal = resume(store, tournament)
        if not course.announced.protocol:  # the others belong to servers
            return course, journal
    raise ConfigError("store: no tournament in it was cut short", field="store")


def _entrants(agents: Sequence[str]) -> tuple[Entrant, ...]:
    """Each agent under a name of its own; those who say how old they are with the younger first."""
    from parlour.agents.fish.ages import by_age
    from parlour.cli.results import agent_age
    from parlour.core.text import printable
    from parlour.errors import ConfigError
    from parlour.tournament.events import Entrant

    if len(agents) > MAX_AGENTS:
        raise ConfigError(f"agents: expected at most {MAX_AGENTS}", field="agents")
    seen: dict[str, int] = {}
    ages: dict[str, int | None] = {}
    entrants = []
    for agent in agents:
        if agent not in seen:
            if agent == "human":
                raise ConfigError("agent: a person plays with parlour play or parlour join", field="agents")
            ages[agent] = agent_age("fish", agent)
        seen[agent] = seen.get(agent, 0) + 1
        name = printable(agent, 50)
        entrants.append(Entrant(name if seen[agent] == 1 else f"{name}-{seen[agent]}", agent))
    return tuple(entrants[index] for index in by_age([ages[agent] for agent in agents]))


async def _run(
    course: Course,
    journal: Journal[TournamentEvent] | None,
    store: Store | None,
    spectators: Sequence[Spectator],
    jobs: int,
) -> None:
    from parlour.agents.loading import make_player
    from parlour.games.fish import GAME
    from parlour.tournament.audience import Audience
    from parlour.tournament.runner import Runner
    from parlour.tournament.tables import LocalTables

    agents = {entrant.name: entrant.agent for entrant in course.announced.entrants}
    audience = Audience(spectators)

    def make(name: str, seed: int) -> Player:
        return make_player("fish", agents[name], seed)

    tables = LocalTables(GAME, course.announced, make, store=store, audience=audience)
    await Runner(course, {}, tables.play, journal=journal, audience=audience, at_once=jobs).run()


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
