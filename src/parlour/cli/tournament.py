"""parlour tournament: lets agents meet in many matches, and reports their strength with intervals."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec import UNSET, UnsetType

from parlour.cli.options import models
from parlour.cli.options.by_game import ByGame, game_options, given_config
from parlour.cli.options.confining import files_of_store, limits_of, program_options, tell_of_programs
from parlour.cli.options.kinds import FC, FILE, FOLDER, flag, option, real, whole, with_options
from parlour.cli.options.sealing import seal_options, seal_terms
from parlour.cli.terminal.calling import program
from parlour.cli.terminal.stopping import stoppable
from parlour.core.terms import SealOpening
from parlour.errors import ConfigError
from parlour.referee.conduct import PRESETS

if TYPE_CHECKING:
    from parlour.core.declaration import GameDeclaration
    from parlour.core.game import Plain
    from parlour.core.terms import PressTerms, SealTerms
    from parlour.store import Store
    from parlour.tournament.engines.base import Engine
    from parlour.tournament.engines.spending import SpendingCap
    from parlour.tournament.plan import Plan
    from parlour.tournament.results_state import ResultsState
    from parlour.tournament.storage.tournament_store import TournamentStore

STORE = "tournaments.db"
FEWEST = "the fewest; in a knock-out the most"
NEWEST = "newest"
NOT_PLANNED = {
    *("agents", "resume", "store", "engine", "address", "jobs", "oversubscribe", "total_tokens", "total_usd"),
    *("as_json", "as_csv", "html", "logs", "quiet"),
}
"""Parameters that are not part of the plan of a tournament, so that they may differ when it is resumed."""


@click.group("tournament", cls=ByGame, make=lambda declaration: _command(declaration))
def command() -> None:
    """Let agents meet in many matches: scores and ratings with honest intervals, whatever interrupts it.

    \b
    parlour tournament fish strong greedy lookahead2 --blocks 20 --stop "strong > greedy by 0.1"
    parlour tournament diplomacy greedy random --format 1v6 --blocks 5 --html table.html
    parlour tournament diplomacy peace stabber --press --blocks 3
    parlour tournament fish mine.py:Bot "python3 other.py" --time-per-turn 1
    parlour tournament fish --resume

    A block is the smallest set of matches in which every agent has every seat equally often. Ctrl-C at any time: no
    result is lost, and the printed command resumes.
    """


def shared_options(conduct: str) -> Callable[[FC], FC]:
    """Return the options that every game has."""
    return with_options(
        click.argument("agents", nargs=-1, metavar="AGENT..."),
        option(
            "--format form",
            "Schedule: round-robin, population, gauntlet, 1vN or Nv1 (such as 1v6), swiss, knock-out, ladder.",
            default="round-robin",
        ),
        option("--blocks", "Maximum number of blocks.", whole(1, 1_000_000), 10),
        option("--stop", 'Stop as soon as this is known: "search > dumbbot by 0.05".', metavar="RULE"),
        option("--score", "Score that counts; see the help of each game."),
        option("--anchor", "Agent with 0 rating points.  [default: the last]", metavar="AGENT"),
        option("--challengers", "In a gauntlet: number of first agents that meet all others.", whole(1, 1000), 1),
        option("--seed", "Seed of all random numbers; the same seed gives the same table.", whole(0, 2**62), 0),
        option("--conduct", "Conduct table: the cost of each foul.", sorted(PRESETS), conduct),
        option(
            "--time-per-turn",
            "Seconds per turn; without it there is no limit and results are reproducible.",
            real(0.001, 86_400),
        ),
        option("--cpu", "Processor seconds per command and match.", whole(1, 86_400)),
        program_options,
        models.model_options,
        option("--total-tokens", "Maximum number of models' tokens in the whole tournament.", whole(0)),
        option("--total-usd", "Maximum cost of models in the whole tournament, in US dollars.", real(0)),
        option("--memory", "Maximum memory per command, in megabytes.", whole(16, 1 << 20)),
        option("--engine", "Place of play: local processes, or a Ray cluster.", ["local", "ray"], "local"),
        option("--address", "Address of the Ray cluster, host:port; without it one is started here."),
        option("--jobs", "Number of matches played at once.  [default: one per processor]", whole(1, 1024)),
        flag("--oversubscribe", "Allow more jobs than processors though time is limited."),
        option("--store", "Store for results and records.", default=STORE),
        option(
            "--resume",
            "Continue a tournament of the store: this one, or the newest interrupted one.",
            is_flag=False,
            flag_value=NEWEST,
            metavar="[ID]",
        ),
        flag("--no-records", "Keep results only, and not the record of each match."),
        flag("--json as_json", "Print one JSON object."),
        flag("--csv as_csv", "Print CSV, one row per agent."),
        option("--html", "Write a page with plots; some replays are written to a folder beside it.", FILE),
        option("--logs", "Folder for a log per agent: fouls, crashes, printed lines.", FOLDER),
        flag("--quiet", "Show only the final result."),
    )


def _command(declaration: GameDeclaration) -> click.Command:
    """Return the command of one game."""
    more = []
    if declaration.counted:
        more.append(option("--seats", f"Players at a table.  [default: {FEWEST}]", int))
    if declaration.talks:
        words = "Let agents negotiate; the table then has the share of kept promises."
        more.append(flag("--press", words))
        more.append(seal_options(SealOpening.TOURNAMENT))

    @click.command(declaration.name, help=declaration.help.get("tournament", f"{declaration.title}."))
    @game_options(declaration)
    @with_options(*more)
    @shared_options(declaration.conduct)
    def contest(press: bool = False, seals: str | None = None, seals_open: str = "match", **how: Any) -> None:
        from parlour.core.terms import PressMode, PressTerms
        from parlour.games import filled

        if how["resume"] is not None:
            _refuse_other_plans(click.get_current_context())
        how["sealed"] = seal_terms(seals, seals_open)
        config = filled(declaration, given_config(declaration, how))
        talk = PressTerms(PressMode.WINDOW if press or how["sealed"] else PressMode.NONE)
        _tournament(declaration.name, config, talk, **how)

    return contest


def _refuse_other_plans(context: click.Context) -> None:
    """Raise UsageError for a given option that has no effect, since the stored plan sets it."""
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name is not None
        and option.name not in NOT_PLANNED
        and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"--resume continues by the plan that is kept: leave out {', '.join(given)}")


def _tournament(
    game: str,
    config: dict[str, Plain],
    press: PressTerms | None = None,
    *,
    agents: Sequence[str],
    resume: str | None,
    store: str,
    engine: str,
    address: str | None,
    jobs: int | None,
    oversubscribe: bool,
    total_tokens: int | None,
    total_usd: float | None,
    as_json: bool,
    as_csv: bool,
    html: Path | None,
    logs: Path | None,
    quiet: bool,
    **wanted: Any,
) -> None:
    from parlour.cli.display.standings import seconds_of, show
    from parlour.store import open_store
    from parlour.tournament.engines.spending import BudgetSpent, SpendingCap, dearest_calls
    from parlour.tournament.reports.sheets import as_csv as csv_of
    from parlour.tournament.reports.sheets import as_json as json_of
    from parlour.tournament.reports.standings import standings

    if resume is not None and agents:
        raise click.UsageError("--resume goes on with the agents that it has: name none")
    if resume is None and not agents:
        raise click.UsageError("Missing argument 'AGENT...'.")
    if as_json and as_csv:
        raise click.UsageError("--json and --csv both print the table: give one of them")
    hidden = [*files_of_store(store), *(path for path in (html, logs) if path is not None)]
    if wanted["cassette"] is not None and wanted["tape"] != "replay" and jobs != 1:
        raise ConfigError(
            "cassette: expected --jobs 1, so that one process writes it, or --cassette-mode replay", field="jobs"
        )
    models.check_prices(agents, total_usd, "total-usd")
    plan = None if resume is not None else _plan(game, config, press, agents, hidden=hidden, **wanted)
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(open_store(store))
        series, results_store = _begun(kept, game, resume, plan)
        cap, capped = SpendingCap(total_usd, total_tokens, dearest_calls(series.plan)), False
        try:
            with stoppable():
                _run(
                    series,
                    results_store,
                    engine,
                    address,
                    jobs,
                    cap,
                    oversubscribe=oversubscribe,
                    quiet=quiet,
                    logs=logs,
                )
        except BudgetSpent:
            capped = True
        except KeyboardInterrupt:
            _say_how_to_go_on(series, store, html=html, logs=logs, engine=engine, address=address)
            sys.exit(1)
        table = standings(series)
        if not capped:
            results_store.close(json_of(table))
        if as_json:
            click.echo(json_of(table))
        elif as_csv:
            click.echo(csv_of(table), nl=False)
        else:
            show(table, seconds_of(series))
            if sys.stderr.isatty():  # a person may not know where the results are
                again = f"{program()} records {kept.url} {series.plan.tournament}"
                click.echo(f"kept in {kept.url}; look at it again with: {again}", err=True)
        if html is not None:
            from parlour.cli.display.page import write_page

            write_page(html, series, table, kept)
        if capped:
            spent = f"{cap.spent_usd:.4f} USD, {cap.spent_tokens:,} tokens"
            click.echo(f"the cap ended it: {spent}; with a higher one it goes on", err=True)
            _say_how_to_go_on(series, store, html=html, logs=logs, engine=engine, address=address)


def _plan(
    game: str,
    config: dict[str, Plain],
    press: PressTerms | None,
    agents: Sequence[str],
    *,
    form: str,
    seats: int | None = None,
    score: str | None,
    anchor: str | None,
    stop: str | None,
    conduct: str,
    time_per_turn: float | None,
    cpu: int | None,
    memory: int | None,
    confined: bool,
    trusted: bool,
    passed: Sequence[str],
    hidden: Sequence[Path],
    cassette: Path | None,
    tape: str,
    tokens: int | None,
    usd: float | None,
    no_records: bool,
    sealed: SealTerms | UnsetType = UNSET,
    **rest: Any,
) -> Plan:
    """Return the plan that the options describe; raise ConfigError for a fault before anything is played."""
    from parlour import __version__
    from parlour.core.terms import Clock, PressMode, PressTerms, Terms
    from parlour.games import load_contest
    from parlour.referee.conduct import preset
    from parlour.tournament.plan import MAX_AGENTS, Contender, Plan, named, seats_of
    from parlour.tournament.statistics.stopping import read_rule
    from parlour.tournament.storage.fingerprints import check_agent, fingerprint

    if len(agents) > MAX_AGENTS:
        raise ConfigError(f"agents: expected at most {MAX_AGENTS:,}, got {len(agents):,}", field="agents")
    limits = limits_of(confined=confined, trusted=trusted, passed=passed, hidden=hidden, cpu=cpu, memory=memory)
    for agent in dict.fromkeys(agents):
        check_agent(game, agent, config)
    prints = {agent: fingerprint(game, agent) for agent in dict.fromkeys(agents)}
    models.check_prices(agents, usd)
    contenders = tuple(
        Contender(name, models.on_cassette(agent, cassette, tape), prints[agent]) for name, agent in named(agents)
    )
    names = [contender.name for contender in contenders]
    clock = models.with_banks(Clock(per_turn=time_per_turn), tokens, usd)
    plan = Plan(
        tournament=f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(3).hex()}",
        game=game,
        config=config,
        terms=Terms(preset(conduct), clock, press or PressTerms(PressMode.NONE), seals=sealed),
        format=form,
        seats=seats_of(game, config, form, seats),
        contenders=contenders,
        score=score or load_contest(game).scores[0],
        anchor=anchor or names[-1],
        stop=None if stop is None else read_rule(stop, names),
        limits=limits,
        records=not no_records,
        version=__version__,
        **rest,
    )
    plan.check()
    tell_of_programs(game, agents, limits)
    _tell_of_draws(agents)
    return plan


def _tell_of_draws(agents: Sequence[str]) -> None:
    """Print a note for each class that draws random numbers which the seed does not set."""
    from parlour.agents.unseeded import unseeded_draw

    for agent in dict.fromkeys(agents):
        if draw := unseeded_draw(agent):
            better = "take seed in __init__ and draw from random.Random(seed)"
            click.echo(f"note: {agent} draws by {draw}, so the same --seed may give another table: {better}", err=True)


def _begun(store: Store, game: str, resume: str | None, plan: Plan | None) -> tuple[ResultsState, TournamentStore]:
    """Return a new tournament, now in the store, or an old one with its results so far."""
    from parlour.tournament.results_state import ResultsState
    from parlour.tournament.storage.fingerprints import check_agent
    from parlour.tournament.storage.tournament_store import TournamentStore, check_unchanged, read, unfinished

    if plan is not None:
        store.claim(plan.tournament)
        results_store = TournamentStore(store, plan)
        results_store.open()
        return ResultsState(plan), results_store
    assert resume is not None
    wanted = unfinished(store, game, "" if resume == NEWEST else resume)
    store.claim(wanted)
    series, results_store = read(store, wanted)
    for contender in series.plan.contenders:
        check_agent(game, contender.agent, series.plan.config)
    check_unchanged(series.plan)
    return series, results_store


def _run(
    series: ResultsState,
    results_store: TournamentStore,
    engine: str,
    address: str | None,
    jobs: int | None,
    cap: SpendingCap,
    *,
    oversubscribe: bool,
    quiet: bool,
    logs: Path | None,
) -> None:
    """Play until the series is over; raise BudgetSpent if the cap ends it before."""
    from parlour.cli.display.logs import AgentLogs
    from parlour.cli.display.standings import LineDisplayOfBlocks, LiveStandings
    from parlour.tournament.director import Director
    from parlour.tournament.engines.spending import CappedEngine

    if series.over:
        return
    for played in series.played():
        cap.add(played, [seat.player for seat in played.seats])
    with contextlib.ExitStack() as stack:
        playing = stack.enter_context(_engine(series.plan, engine, address, jobs, oversubscribe))
        if cap.limits:
            playing = CappedEngine(playing, cap)
        onlookers: list[Any] = [stack.enter_context(AgentLogs(logs, series.plan))]
        if not quiet:
            onlookers.append(stack.enter_context(LiveStandings() if sys.stderr.isatty() else LineDisplayOfBlocks()))
        Director(series, playing, results_store=results_store, onlookers=onlookers).run()


@contextlib.contextmanager
def _engine(plan: Plan, engine: str, address: str | None, jobs: int | None, oversubscribe: bool) -> Iterator[Engine]:
    from parlour.tournament.engines.places import places_for

    if engine == "local" and address is not None:
        raise ConfigError("address: is for --engine ray", field="address")
    places = places_for(plan, jobs, oversubscribe=oversubscribe)
    found: Engine
    if engine == "ray":
        from parlour.tournament.engines.cluster import RayEngine

        found = RayEngine(plan, places, address=address)
    else:
        from parlour.tournament.engines.local import LocalEngine

        found = LocalEngine(plan, places)
    try:
        yield found
    finally:
        found.close()


def _say_how_to_go_on(series: ResultsState, store: str, *, engine: str, **given: Any) -> None:
    words = [program(), "tournament", series.plan.game, "--resume", series.plan.tournament]
    words += ["--store", store] if store != STORE else []
    words += ["--engine", engine] if engine != "local" else []
    words += [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    click.echo(f"stopped after {series.finished} matches; go on with:\n  {shlex.join(words)}", err=True)
