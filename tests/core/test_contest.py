"""Tournaments of a game that declares no contest."""

from __future__ import annotations

import pytest

from parlour.core import contest
from parlour.core.contest import PlainContest, win_share
from parlour.core.game import Seat, ranked
from parlour.errors import ConfigError
from parlour.testing.toys import NimGame


def test_as_few_and_as_many_sit_down_as_the_game_takes() -> None:
    assert PlainContest(NimGame(), "seats").sizes({}) == (2, 4)
    assert PlainContest(NimGame(), "seats").sizes({"seats": 3}) == (2, 4), "what a table asks for is put aside"


def test_a_game_is_asked_up_to_the_most_seats_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "MOST_SEATS", 3)
    assert PlainContest(NimGame(), "seats").sizes({}) == (2, 3)


def test_a_game_of_fixed_seats_is_contested_with_these() -> None:
    assert PlainContest(NimGame()).sizes({"seats": 3}) == (3, 3)
    assert PlainContest(NimGame(), "colours").sizes({}) == (2, 2), "a field that counts nothing"


def test_what_the_game_takes_with_no_number_of_seats_is_refused_in_its_words() -> None:
    with pytest.raises(ConfigError, match="stones is 0"):
        PlainContest(NimGame(), "seats").sizes({"stones": 0})


def test_one_deal_is_one_match_with_as_many_seats_as_are_wanted() -> None:
    assert PlainContest(NimGame(), "seats").deals({"stones": 5}, 3, 1) == ({"stones": 5, "seats": 3},)
    assert PlainContest(NimGame()).deals({"stones": 5}, 2, 1) == ({"stones": 5},)


def test_everybody_moves_on_by_one_seat() -> None:
    assert PlainContest(NimGame()).orders(3) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def test_the_win_is_shared_by_those_who_did_not_lose_it_by_a_foul() -> None:
    scores = {Seat("a"): 1.0, Seat("b"): 1.0, Seat("c"): 0.0}
    outcome = ranked(scores, scores, "drawn")
    assert win_share(outcome, ()) == {"a": 0.5, "b": 0.5, "c": 0.0}
    assert win_share(outcome, [Seat("a")]) == {"a": 0.0, "b": 1.0, "c": 0.0}
    assert win_share(outcome, [Seat("a"), Seat("b")]) == {"a": 0.0, "b": 0.0, "c": 0.0}
    position = NimGame().start({}, NimGame().seats({}), 1)
    assert PlainContest(NimGame()).points(position, outcome, ()) == {"win share": win_share(outcome, ())}
