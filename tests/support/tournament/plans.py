"""Plans of tournaments, results of matches, and tournaments that were played out."""

from __future__ import annotations

import random

from parlour.core.terms import Terms
from parlour.games import load_contest
from parlour.referee.conduct import preset
from parlour.tournament.plan import Contender, Plan, named, seats_of
from parlour.tournament.results import MatchPlayed, SeatResult
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.statistics.stopping import read_rule


def plan_of(agents: list[str], form: str = "round-robin", *, game: str = "fish", stop: str = "", **how: object) -> Plan:
    config = {"last_year": 1901} if game == "diplomacy" else {"rows": 3, "cols": 3}
    contenders = tuple(Contender(name, agent) for name, agent in named(agents))
    names = [contender.name for contender in contenders]
    plan = Plan(
        tournament="t",
        game=game,
        config=config,
        terms=Terms(preset("strict")),
        format=form,
        seats=int(str(how.get("seats") or seats_of(game, dict(config), form, None))),
        contenders=contenders,
        blocks=int(str(how.get("blocks", 5))),
        seed=1,
        score=load_contest(game).scores[0],
        anchor=names[-1],
        stop=read_rule(stop, names) if stop else None,
    )
    plan.check()
    return plan


def result_of(sitting: Sitting, strength: dict[str, float] | None = None, seed: int = 0) -> MatchPlayed:
    """Return a made-up result that depends on the sitting alone."""
    rng = random.Random(f"{sitting.number}/{seed}")
    worth = {player: (strength or {}).get(player, 0.0) for player in sitting.players}
    points = [worth[player] + rng.random() for player in sitting.players]
    best = max(points)
    return MatchPlayed(
        number=sitting.number,
        block=sitting.block,
        table=sitting.table,
        seed=sitting.seed,
        seats=tuple(
            SeatResult(
                player, sorted(points, reverse=True).index(own), {"win share": float(own == best), "margin": own}
            )
            for player, own in zip(sitting.players, points, strict=True)
        ),
    )


def played_out(series: ResultsState, strength: dict[str, float] | None = None) -> ResultsState:
    while not series.over:
        for sitting in list(series.wanted()):
            series.add(result_of(sitting, strength))
    return series
