"""The plan of a tournament between agents, from the options of the command line."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from parlour import __version__
from parlour.agents.process_supervisor import Limits
from parlour.agents.unseeded import unseeded_draw
from parlour.cli.options import models
from parlour.cli.options.confining import files_of_store, tell_of_programs
from parlour.cli.options.playing import PlayingOptions
from parlour.core.game import Plain
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import ConfigError
from parlour.games import load_contest
from parlour.referee.conduct import preset
from parlour.tournament.engines.base import EngineName
from parlour.tournament.plan import MAX_AGENTS, Contender, Plan, named, seats_of
from parlour.tournament.statistics.stopping import read_rule
from parlour.tournament.storage.fingerprints import check_agent, fingerprint


@dataclass(frozen=True, kw_only=True)
class TournamentOptions(PlayingOptions):
    """The options of the verb; those of the game are read separately."""

    agents: Sequence[str]
    form: str
    seats: int | None = None
    blocks: int
    stop: str | None
    score: str | None
    anchor: str | None
    challengers: int
    cpu: int | None
    memory: int | None
    total_tokens: int | None
    total_usd: float | None
    engine: EngineName
    address: str | None
    jobs: int | None
    oversubscribe: bool
    store: str
    resume: str | None
    trusts_record: bool
    no_records: bool
    as_csv: bool
    html: Path | None
    logs: Path | None

    @property
    def limits(self) -> Limits:
        """The limits of programs, from which the files of the tournament are hidden."""
        own = [path for path in (self.html, self.logs) if path is not None]
        return self.program_limits([*files_of_store(self.store), *own], cpu=self.cpu, memory=self.memory)

    @property
    def terms(self) -> Terms:
        """The terms of each match."""
        talk = PressTerms(PressMode.WINDOW if self.talks else PressMode.NONE)
        return Terms(preset(self.conduct), self.clock, talk, seals=self.sealed)


def plan_of(game: str, config: dict[str, Plain], options: TournamentOptions) -> Plan:
    """Return the plan that the options describe; raise ConfigError for a fault before anything is played."""
    agents, limits = options.agents, options.limits
    if len(agents) > MAX_AGENTS:
        raise ConfigError(f"agents: expected at most {MAX_AGENTS:,}, got {len(agents):,}", field="agents")
    for agent in dict.fromkeys(agents):
        check_agent(game, agent, config)
    prints = {agent: fingerprint(game, agent) for agent in dict.fromkeys(agents)}
    models.check_prices(agents, options.usd)
    contenders = tuple(Contender(name, options.agent(agent), prints[agent]) for name, agent in named(agents))
    names = [contender.name for contender in contenders]
    plan = Plan(
        tournament=f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(3).hex()}",
        game=game,
        config=config,
        terms=options.terms,
        format=options.form,
        seats=seats_of(game, config, options.form, options.seats),
        contenders=contenders,
        blocks=options.blocks,
        seed=options.seed,
        score=options.score or load_contest(game).scores[0],
        anchor=options.anchor or names[-1],
        stop=None if options.stop is None else read_rule(options.stop, names),
        challengers=options.challengers,
        limits=limits,
        records=not options.no_records,
        version=__version__,
    )
    plan.check()
    tell_of_programs(game, agents, limits)
    for agent in dict.fromkeys(agents):
        if draw := unseeded_draw(agent):
            better = "take seed in __init__ and draw from random.Random(seed)"
            click.echo(f"note: {agent} draws by {draw}, so the same --seed may give another table: {better}", err=True)
    return plan
