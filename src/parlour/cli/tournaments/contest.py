"""Holds a tournament between agents: begins or resumes it, plays it, and prints and writes its table."""

from __future__ import annotations

import shlex
import sys
from functools import partial

import click

from parlour.cli.display.logs import AgentLogs
from parlour.cli.display.page import write_page
from parlour.cli.display.standings import seconds_of, show
from parlour.cli.options import models
from parlour.cli.options.confining import check_passed, tell_of_programs
from parlour.cli.options.trusting import TRUST, check_trusted
from parlour.cli.terminal.calling import program
from parlour.cli.terminal.stopping import stoppable
from parlour.cli.tournament import NEWEST, STORE
from parlour.cli.tournaments.planning import TournamentOptions, plan_of
from parlour.cli.tournaments.running import begin, play
from parlour.core.game import Plain
from parlour.errors import ConfigError
from parlour.matches.spec import untrusted_agents
from parlour.store import Store, open_store
from parlour.tournament.engines.base import open_engine
from parlour.tournament.engines.spending import SpendingCap, dearest_calls
from parlour.tournament.plan import Plan
from parlour.tournament.reports.sheets import as_csv, as_json
from parlour.tournament.reports.standings import Standings, standings
from parlour.tournament.results_state import ResultsState
from parlour.tournament.storage.fingerprints import check_agent
from parlour.tournament.storage.tournament_store import TournamentStore, check_unchanged, read, unfinished


def hold(game: str, config: dict[str, Plain], options: TournamentOptions) -> None:
    """Hold a tournament of a game as the options describe it."""
    _check(options)
    plan = None if options.resume is not None else plan_of(game, config, options)
    with open_store(options.store) as store:
        series, results_store = begin(store, plan) if plan is not None else _resume(store, game, options)
        cap = SpendingCap(options.total_usd, options.total_tokens, dearest_calls(series.plan))
        try:
            with stoppable():
                whole = _play(series, results_store, cap, options)
        except KeyboardInterrupt:
            _say_how_to_go_on(series.plan, series.finished, options)
            sys.exit(1)
        table = standings(series)
        if whole:
            results_store.close(as_json(table))
        _report(series, table, store, options)
        if not whole:
            spent = f"{cap.spent_usd:.4f} USD, {cap.spent_tokens:,} tokens"
            click.echo(f"the cap ended it: {spent}; a higher one continues it", err=True)
            _say_how_to_go_on(series.plan, series.finished, options)


def _check(options: TournamentOptions) -> None:
    """Raise UsageError or ConfigError for options that do not go together."""
    if options.resume is not None and options.agents:
        raise click.UsageError("--resume continues with the agents of the tournament: name none")
    if options.resume is None and not options.agents:
        raise click.UsageError("Missing argument 'AGENT...'.")
    if options.trusts_record and options.resume is None:
        raise click.UsageError(f"{TRUST} is for --resume")
    if options.as_json and options.as_csv:
        raise click.UsageError("--json and --csv both print the table: give one of them")
    if options.cassette is not None and options.tape != "replay" and options.jobs != 1:
        raise ConfigError(
            "cassette: expected --jobs 1, so that one process writes it, or --cassette-mode replay", field="jobs"
        )
    models.check_prices(options.agents, options.total_usd, "total-usd")


def _resume(store: Store, game: str, options: TournamentOptions) -> tuple[ResultsState, TournamentStore]:
    """Return a tournament of the store with its results so far; nothing that it names starts before it is trusted."""
    name = unfinished(store, game, "" if options.resume == NEWEST else options.resume or "")
    store.claim(name)
    series, results_store = read(store, name)
    check_trusted(_untrusted(series.plan), trusts_record=options.trusts_record)
    check_passed(series.plan.limits.passed)
    tell_of_programs(game, series.plan.agents.values(), series.plan.limits)
    for contender in series.plan.contenders:
        check_agent(game, contender.agent, series.plan.config)
    check_unchanged(series.plan)
    return series, results_store


def _untrusted(plan: Plan) -> list[str]:
    """Return the agents of a plan that start only if its author is trusted."""
    return untrusted_agents(plan.game, plan.agents.values())


def _play(series: ResultsState, results_store: TournamentStore, cap: SpendingCap, options: TournamentOptions) -> bool:
    """Play until the series is over; return False if the cap on the cost ended it before."""
    plan = series.plan
    engine = partial(
        open_engine, plan, options.engine, options.jobs, address=options.address, oversubscribe=options.oversubscribe
    )
    return play(series, results_store, engine, cap, [AgentLogs(options.logs, plan)], quiet=options.quiet)


def _report(series: ResultsState, table: Standings, store: Store, options: TournamentOptions) -> None:
    """Print the table, and write its page if that is wanted."""
    if options.as_json:
        click.echo(as_json(table))
    elif options.as_csv:
        click.echo(as_csv(table), nl=False)
    else:
        show(table, seconds_of(series))
        if sys.stderr.isatty():  # a person may not know where the results are
            again = f"{program()} records {store.url} {series.plan.tournament}"
            click.echo(f"kept in {store.url}; look at it again with: {again}", err=True)
    if options.html is not None:
        write_page(options.html, series, table, store)


def _say_how_to_go_on(plan: Plan, finished: int, options: TournamentOptions) -> None:
    words = [program(), "tournament", plan.game, "--resume", plan.tournament]
    words += [TRUST] if _untrusted(plan) else []
    words += ["--store", options.store] if options.store != STORE else []
    words += ["--engine", options.engine] if options.engine != "local" else []
    more = {"--html": options.html, "--logs": options.logs, "--address": options.address}
    words += [word for name, value in more.items() if value is not None for word in (name, str(value))]
    click.echo(f"stopped after {finished} matches; continue with:\n  {shlex.join(words)}", err=True)
