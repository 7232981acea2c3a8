"""Runs a tournament between agents for a verb: its matches, the cap on their cost, and what is shown meanwhile."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from parlour.cli.display.standings import LineDisplayOfBlocks, LiveStandings
from parlour.store import Store
from parlour.tournament.director import Director, Onlooker
from parlour.tournament.engines.base import Engine
from parlour.tournament.engines.spending import BudgetSpent, CappedEngine, SpendingCap
from parlour.tournament.plan import Plan
from parlour.tournament.results_state import ResultsState
from parlour.tournament.storage.tournament_store import TournamentStore


def begin(store: Store, plan: Plan) -> tuple[ResultsState, TournamentStore]:
    """Store a new tournament, and return it."""
    store.claim(plan.tournament)
    results_store = TournamentStore(store, plan)
    results_store.open()
    return ResultsState(plan), results_store


def play(
    series: ResultsState,
    results_store: TournamentStore,
    engine: Callable[[], AbstractContextManager[Engine]],
    cap: SpendingCap,
    onlookers: Sequence[AbstractContextManager[Onlooker]] = (),
    *,
    quiet: bool,
) -> bool:
    """Play until the series is over, and return True; or return False if the cap on the cost ended it before."""
    for played in series.played():
        cap.add(played, [seat.player for seat in played.seats])
    if series.over:
        return True
    shown: list[Any] = [] if quiet else [LiveStandings() if sys.stderr.isatty() else LineDisplayOfBlocks()]
    with contextlib.ExitStack() as stack:
        playing = stack.enter_context(engine())
        if cap.limits:
            playing = CappedEngine(playing, cap)
        watching = [stack.enter_context(onlooker) for onlooker in (*onlookers, *shown)]
        try:
            Director(series, playing, results_store=results_store, onlookers=watching).run()
        except BudgetSpent:
            return False
    return True
