"""Reliability: turns missed, seats left and promises, by whoever sat there."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TypeVar, cast

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Outcome, Seat
from parlour.core.intents import PlayerType
from parlour.net.fair_pool import Requester
from parlour.net.hall import Hall
from parlour.net.reliability import Reliability, ReliabilityBook, counts_of
from parlour.store import Account, Store
from support.hall.halls import diplomacy, seven
from support.simulation.world import SimulatedDisk, SimulatedStore
from support.waiting import inside, run_simulated

T = TypeVar("T")
ONE, TWO = Seat("ONE"), Seat("TWO")


def joined(seat: Seat, name: str, at: float = 0.0) -> ev.Event:
    return ev.Joined(at, seat, name, PlayerType.HUMAN)


def turn(number: int, *missing: Seat) -> list[ev.Event]:
    ended = ev.TurnEnded(0.0, number, {}, {}, defaulted=missing)
    return [ev.TurnBegan(0.0, number, "orders", (ONE, TWO)), ended]


async def at_once(asker: Requester, work: Callable[[], T]) -> T:
    return work()


def test_each_player_is_counted_for_their_own_turns_and_promises() -> None:
    events = [
        *(joined(ONE, "ann"), joined(TWO, "ben"), ev.Started(0.0, (ONE, TWO), None)),
        *(*turn(1, TWO), ev.Left(0.0, TWO), *turn(2, TWO), joined(TWO, "cat", at=5.0), *turn(3)),
        ev.Ended(0.0, Outcome({}, (), "over")),
    ]
    rows = [{"player": "ann", "power": "ONE", "status": status} for status in ("kept", "broken", "void")]
    found = counts_of(events, rows, {ONE: [(0.0, "ann")], TWO: [(0.0, "ben"), (4.0, "cat")]})
    assert found["ann"] == Reliability(matches=1, turns=3, kept=1, broken=1)
    assert found["ben"] == Reliability(matches=1, turns=1, missed=1, left=1)
    assert found["cat"] == Reliability(matches=1, turns=1)


def test_nobody_is_counted_for_what_was_done_under_their_name() -> None:
    events = [joined(ONE, "ann"), joined(TWO, "ben"), ev.Started(0.0, (ONE, TWO), None), *turn(1, ONE, TWO)]
    rows = [{"player": "ann", "power": "ONE", "status": "broken"}]
    found = counts_of(events, rows, {ONE: [(0.0, "eve")], TWO: [(0.0, "")]})
    assert found == {"eve": Reliability(matches=1, turns=1, missed=1, broken=1)}


def test_a_promise_under_a_name_that_two_have_shown_counts_for_neither() -> None:
    events = [joined(ONE, "x"), joined(TWO, "x"), ev.Started(0.0, (ONE, TWO), None)]
    rows = [{"player": "x", "power": "ONE", "status": "broken"}]
    found = counts_of(events, rows, {ONE: [(0.0, "ann")], TWO: [(0.0, "ben")]})
    assert found == {"ann": Reliability(matches=1), "ben": Reliability(matches=1)}


@pytest.mark.parametrize(("listed", "delay"), [(True, 0.0), (False, 0.0), (True, 0.9)])
@inside(run_simulated)
async def test_the_sums_tell_of_no_match_that_others_do_not_know_of_yet(*, listed: bool, delay: float) -> None:
    store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
    hall = Hall(cast(Store, store), clock=lambda: 1e6 + asyncio.get_running_loop().time())
    await hall.start()
    hall.pool.run = at_once  # type: ignore[method-assign]  # a thread knows nothing of simulated time
    book = ReliabilityBook(hall)
    match = await hall.open(diplomacy(listed=listed, delay=delay))
    await seven(hall, match)
    await hall.store.keep(Account("france", ""))
    await hall.submit(match, it.Cancel("owner"))
    for later, known in ((0.5, listed and not delay), (1.0, listed)):
        await asyncio.sleep(later)
        assert (await book.of("france")).matches == known
    book.close()
    await hall.close()


def test_shares_are_of_what_was_due() -> None:
    assert Reliability().present is None
    assert Reliability().faithful is None
    assert Reliability(turns=4, missed=1, kept=1, broken=3).present == 0.75
    assert Reliability(kept=1, broken=3).faithful == 0.25
    assert Reliability(turns=1).plus(Reliability(turns=2, left=1)) == Reliability(turns=3, left=1)
