"""Reliability: turns missed, seats left and promises, by whoever sat there."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core.game import Outcome, Seat
from parlour.core.intents import PlayerType
from parlour.net.reliability import Reliability, counts_of

ONE, TWO = Seat("ONE"), Seat("TWO")


def joined(seat: Seat, name: str) -> ev.Event:
    return ev.Joined(0.0, seat, name, PlayerType.HUMAN)


def turn(number: int, *missing: Seat) -> list[ev.Event]:
    ended = ev.TurnEnded(0.0, number, {}, {}, defaulted=missing)
    return [ev.TurnBegan(0.0, number, "orders", (ONE, TWO)), ended]


def test_each_player_is_counted_for_their_own_turns_and_promises() -> None:
    events = [
        *(joined(ONE, "ann"), joined(TWO, "ben"), ev.Started(0.0, (ONE, TWO), None)),
        *(*turn(1, TWO), ev.Left(0.0, TWO), *turn(2, TWO), joined(TWO, "cat"), *turn(3)),
        ev.Ended(0.0, Outcome({}, (), "over")),
    ]
    rows = [{"player": "ann", "power": "ONE", "status": status} for status in ("kept", "broken", "void")]
    found = counts_of(events, rows)
    assert found["ann"] == Reliability(matches=1, turns=3, kept=1, broken=1)
    assert found["ben"] == Reliability(matches=1, turns=1, missed=1, left=1)
    assert found["cat"] == Reliability(matches=1, turns=1)


def test_players_who_are_not_named_are_counted_by_who_held_the_seat() -> None:
    events = [joined(ONE, "anonymous"), ev.Started(0.0, (ONE,), None), *turn(1)]
    assert set(counts_of(events, (), {"ONE": "ann"})) == {"ann"}


def test_shares_are_of_what_was_due() -> None:
    assert Reliability().present is None
    assert Reliability().faithful is None
    assert Reliability(turns=4, missed=1, kept=1, broken=3).present == 0.75
    assert Reliability(kept=1, broken=3).faithful == 0.25
    assert Reliability(turns=1).plus(Reliability(turns=2, left=1)) == Reliability(turns=3, left=1)
