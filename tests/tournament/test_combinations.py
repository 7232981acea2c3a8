"""Any schedule, on any place of play, kept in any store and watched in the pages, comes to the same table."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import pytest

from parlour.errors import ParlourError
from parlour.store import SQLiteStore
from parlour.tournament.director import Director
from parlour.tournament.engines.base import Happening
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Plan
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import Delivery
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.schedules.formats import FORMATS
from parlour.tournament.storage.tournament_store import TournamentStore, read
from parlour.tournament.strangers import LoopEngine
from parlour.web.tournaments import Tournaments
from support.tournament.plans import plan_of

AGENTS = ["greedy", "random", "lookahead1", "greedy"]


class PlaceDiedError(ParlourError):
    """The place of play is gone, as after a kill."""


class Place:
    """Plays so many matches, on this thread or on the event loop, and is then gone."""

    places, depth, task_time = 2, 2, 0.0

    def __init__(self, plan: Plan, matches: int = 1000) -> None:
        self._plan, self._left = plan, matches
        self._tasks = deque[Sequence[Sitting]]()

    def submit(self, sittings: Sequence[Sitting]) -> None:
        self._tasks.append(sittings)

    def wait(self, seconds: float) -> Happening:
        return Happening(tuple(map(self.play, self._tasks.popleft())), idle=1)

    def play(self, sitting: Sitting) -> Delivery:
        self._left -= 1
        if self._left < 0:
            raise PlaceDiedError
        return play_sitting(self._plan, sitting)

    async def play_on_loop(self, sitting: Sitting) -> Delivery:
        await asyncio.sleep(0)
        return self.play(sitting)


def played(series: ResultsState, results_store: TournamentStore | None, place: Place, where: str) -> None:
    """Play until the series is over, or the place is gone."""
    if where == "here":
        return Director(series, place, results_store=results_store).run()

    async def on_loop() -> None:
        engine = LoopEngine(place.play_on_loop, 2)
        try:
            await Director(series, engine, results_store=results_store).run_on_loop()
        finally:
            await engine.close()

    return asyncio.run(on_loop())


@pytest.mark.parametrize("form", [*FORMATS, "1v1"])
def test_every_schedule_comes_to_one_table_in_any_place_and_store_though_it_is_cut_short(
    form: str, tmp_path: Path
) -> None:
    plan = plan_of(AGENTS, form, blocks=2, seats=2)
    alone = ResultsState(plan)
    played(alone, None, Place(plan), "here")
    expected = as_json(standings(alone))
    for where, other in (("here", "loop"), ("loop", "here")):
        with SQLiteStore(tmp_path / f"{where}.db") as store:
            results_store = TournamentStore(store, plan)
            results_store.open()
            with pytest.raises(PlaceDiedError):
                played(ResultsState(plan), results_store, Place(plan, 3), where)
            (sheet, half) = asyncio.run(Tournaments(store).sheet("t")), read(store, "t")
            assert sheet is not None
            assert not sheet.over
            assert half[0].finished >= 2
            played(*half, Place(plan), other)
            half[1].close(as_json(standings(half[0])))
            sheet, whole = asyncio.run(Tournaments(store).sheet("t")), read(store, "t")[0]
            assert sheet is not None
            assert sheet.over
            assert all(f"Match {number}" in sheet.content for number in range(whole.finished))
            assert as_json(standings(whole)) == as_json(standings(half[0])) == expected
