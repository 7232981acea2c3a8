"""The standing of a match is read from its record alone."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.errors import ConfigError
from parlour.harness import REWARDS, standing
from support.harness.episodes import by_rule, diplomacy_setup, fish_setup, played


def test_scores_are_shares_and_wins_are_shared() -> None:
    for setup in (diplomacy_setup(), fish_setup()):
        found = played(setup, by_rule).standing()
        assert sum(row.score for row in found.seats.values()) == pytest.approx(1.0)
        assert sum(row.win for row in found.seats.values()) == pytest.approx(1.0)
        assert all(0 <= found.reward(seat, name) <= 1 for seat in found.seats for name in REWARDS)
        assert all(row.is_model and row.legality == 1.0 for row in found.seats.values())


def test_points_are_what_the_game_counts() -> None:
    episode = played(fish_setup(), by_rule)
    ended = next(event for event in episode.record if isinstance(event, ev.Ended))
    assert {seat: row.points for seat, row in episode.standing().seats.items()} == ended.outcome.scores


def test_promises_and_tokens_are_counted() -> None:
    found = played(diplomacy_setup(), by_rule).standing()
    assert sum(row.kept for row in found.seats.values()) > 0
    assert all(row.tokens > 1000 and row.answers > 2 for row in found.seats.values())
    assert "AUSTRIA" in found.table()
    assert found.seats["AUSTRIA"].row()["tokens"] == found.seats["AUSTRIA"].tokens


def test_an_unfinished_match_has_no_scores() -> None:
    episode = played(fish_setup(), by_rule)
    found = standing(episode.record[:-5])
    assert not found.finished
    assert {row.score for row in found.seats.values()} == {0.0}


def test_a_removed_seat_has_no_score() -> None:
    found = played(fish_setup(), lambda prompt: "no" if prompt.seat == "red" else by_rule(prompt)).standing()
    assert found.seats["red"].removed
    assert found.seats["red"].score == found.seats["red"].win == 0.0


def test_bad_input_is_one_line() -> None:
    with pytest.raises(ConfigError, match="record: expected events"):
        standing([])
    with pytest.raises(ConfigError, match="reward: expected score, win, legality, kept, got 'luck'"):
        played(fish_setup(), by_rule).standing().reward("red", "luck")
