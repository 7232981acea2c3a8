"""Matches in one line: who may play, how seats go round, what comes back, and what is refused before a move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour.core.game import Action, View
from parlour.errors import ConfigError
from parlour.referee.match import replay
from parlour.running import MAX_GAMES


class First:
    """Does the first thing that is allowed."""

    def act(self, view: View) -> Action:
        return view.position.legal(view.seat)[0]


def test_defaults_are_enough() -> None:
    runs = parlour.run("fish")
    assert len(runs) == 1
    assert sorted(runs[0].names.values()) == ["greedy", "random"]
    assert runs.outcome.reason == "nobody can move"
    assert replay(runs.record).outcome == runs.outcome


def test_players_are_names_objects_and_classes_and_go_round_the_seats() -> None:
    runs = parlour.run("fish", ["greedy", First(), First], games=3, rows=4, cols=4)
    seats = [match.names for match in runs]
    assert [names["red"] for names in seats] == ["greedy", "First 1", "First 2"]
    assert [names["white"] for names in seats] == ["First 1", "First 2", "greedy"]
    assert sum(runs.wins.values()) == pytest.approx(3)
    assert str(runs).startswith("3 matches")


def test_seats_without_a_player_of_their_own_repeat_those_given() -> None:
    played = parlour.run("diplomacy", ["random", "greedy"], last_year=1901)[0]
    assert list(played.names.values()) == ["random", "greedy"] * 3 + ["random"]
    assert "1901" in str(played)


def test_the_same_seed_gives_the_same_record_and_another_another() -> None:
    one, two, three = (parlour.run("fish", ["random", "random"], seed=seed).record for seed in (5, 5, 6))
    assert one == two
    assert one != three


def test_what_was_played_draws_and_saves_itself(tmp_path: Path) -> None:
    runs = parlour.run("fish", ["greedy", First], games=2)
    assert runs._repr_html_().count("<svg") == 1
    assert "2 matches" in runs._repr_html_()
    assert "&lt;" not in runs[0]._repr_html_()
    path = runs.save(str(tmp_path / "match.jsonl"))
    runs.save(path)
    assert tuple(parlour.read_record(path)) == runs.record


@pytest.mark.parametrize(
    ("game", "players", "more", "message"),
    [
        ("chess", (), {}, "game 'chess' does not exist"),
        ("fish", "greedy", {}, "expected a list of players"),
        ("fish", ["greedy"] * 5, {}, "5 given, expected at most 4"),
        ("fish", ["nobody", "greedy"], {}, "fish has no 'nobody'"),
        ("fish", [3, "greedy"], {}, "int has no method act"),
        ("fish", (), {"games": 0}, f"games: expected 1 to {MAX_GAMES:,}, got 0"),
        ("fish", (), {"games": True}, "games: expected 1 to"),
        ("fish", (), {"rows": -1}, "rows"),
        ("diplomacy", (), {"rows": 3}, "rows: unknown"),
        ("fish", (), {"conduct": "kind"}, "kind"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_played(game: str, players: Any, more: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parlour.run(game, players, **more)
