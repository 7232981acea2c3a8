"""Snapshots: a match that is taken up from one goes on exactly as if it had never been put down."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile
from parlour.core import intents as it
from parlour.core.game import Game, Seat
from parlour.core.terms import Clock, Terms
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.match import Match
from parlour.referee.snapshots import VERSION, freeze, thaw
from parlour.testing.toys import TOYS


def handled(match: Match, step: hostile.Timed, now: float) -> object:
    return match.tick(now) if step[1] is None else match.handle(step[1], now)


@given(st.sampled_from(sorted(TOYS)), hostile.configs, hostile.terms, hostile.steps, st.integers(0, 60), st.booleans())
def test_a_match_taken_up_from_a_snapshot_goes_on_as_if_nothing_had_been(
    name: str, config: dict[str, int], terms: Terms, steps: list[hostile.Timed], cut: int, dated: bool
) -> None:
    match = Match(TOYS[name], config, terms, 7, dated=dated)
    now = 100.0
    match.start(now)
    other: Match | None = None
    for number, step in enumerate(steps):
        if number == cut:
            other = Match.from_state(thaw(freeze(match.state), match.game))
            assert other.state.places == match.state.places
            assert other.due() == match.due()
        now += step[0]
        reaction = handled(match, step, now)
        if other is not None:
            assert handled(other, step, now) == reaction
    if other is not None:
        assert freeze(other.state) == freeze(match.state)


@pytest.mark.parametrize("game", ["diplomacy", "fish"])
def test_both_games_come_back_whole(game: str) -> None:
    rules: Game = load_game(game)
    terms = Terms(DIPLOMACY if game == "diplomacy" else STRICT, Clock(per_turn=60))
    match = Match(rules, {}, terms, 7, dated=True)
    match.start(1000.0)
    seats = rules.seats({})
    for seat in seats:
        match.handle(it.Join(seat.lower(), seat), 1001.0)
    for turn in range(6):
        for seat in match.position.to_act():
            match.handle(it.Act(seat, match.position.default(seat) or match.position.legal(seat)[0]), 1002.0 + turn)
    other = Match.from_state(thaw(freeze(match.state), rules))
    assert other.state.position == match.state.position
    assert other.turn == match.turn > 3
    assert other.tick(5000.0).events == match.tick(5000.0).events != ()


def test_events_after_the_snapshot_are_folded_and_the_record_holds_only_what_comes_then() -> None:
    rules = load_game("fish")
    match = Match(rules, {}, Terms(STRICT), 7)
    match.start(0.0)
    frozen = freeze(match.state)
    match.handle(it.Join("ann", Seat("red")), 1.0)
    other = Match.from_state(thaw(frozen, rules), match.record[1:])
    assert freeze(other.state) == freeze(match.state)
    assert other.record == []
    assert other.handle(it.Join("bob"), 2.0) == match.handle(it.Join("bob"), 2.0)
    assert other.record == match.record[2:]


def test_what_is_no_snapshot_of_this_version_and_game_is_refused() -> None:
    match = Match(load_game("fish"), {}, Terms(STRICT), 7)
    match.start(0.0)
    body = freeze(match.state)
    for wrong in (b"", b"\x00", body[:-1], msgspec.msgpack.encode([VERSION + 1, *msgspec.msgpack.decode(body)[1:]])):
        with pytest.raises(RecordError):
            thaw(wrong, load_game("fish"))
    with pytest.raises(RecordError, match="of 'fish'"):
        thaw(body, load_game("diplomacy"))
