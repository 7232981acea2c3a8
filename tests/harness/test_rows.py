"""The matches of an evaluation: seeds in order, the learner's seat rotated, rewards with weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parlour.errors import ConfigError
from parlour.harness import play_again
from parlour.harness.rows import check_remote, keep_record, read_rewards, setups, weighted
from parlour.referee.record import read_record
from support.harness.episodes import by_rule, fish_setup, played


def test_seeds_follow_one_another_and_the_learner_moves_on() -> None:
    found = list(setups("diplomacy", seed=7, matches=8, learners="rotate", opponents="greedy"))
    assert [setup.seed for setup in found] == list(range(7, 15))
    seats = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY", "AUSTRIA"]
    assert [setup.asked() for setup in found] == [(seat,) for seat in seats]
    assert found[0].players["ITALY"] == "greedy"


def test_a_match_that_is_set_up_alone_has_the_learner_that_it_has_in_a_row() -> None:
    row = list(setups("fish", seed=3, matches=6, learners="rotate"))
    alone = [next(setups("fish", seed=3 + number, learners="rotate")) for number in range(6)]
    assert alone == row
    assert len({setup.asked() for setup in alone}) > 1


def test_opponents_are_the_games_rivals_unless_named() -> None:
    (silent,), (talking,) = (setups("diplomacy", learners="ITALY", press=press) for press in (False, True))
    assert (silent.players["FRANCE"], talking.players["FRANCE"]) == ("dumbbot", "peace")


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"matches": 0}, "matches: expected 1 to 1,000,000, got 0"),
        ({"learners": "nobody"}, "learners: expected all, rotate, red"),
        ({"options": {"rounds": 99}}, "llm:rounds: expected"),
    ],
)
def test_a_bad_setting_is_one_line(wrong: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError, match=line):
        list(setups("fish", **wrong))


@pytest.mark.parametrize(
    ("config", "opponents", "line"),
    [
        ({}, "touch owned; x", "agent: fish has no"),
        ({}, "bot.py:Bot", "agent: fish has no"),
        ({}, "llm:x@127.0.0.1:1/v1", "no language models"),
        ({}, 3, "opponents: expected a text, got int"),
        ({"rows": 10**9}, "", "config: rows: expected 1 to 25"),
        ({"rows": True}, "", "config: rows: expected 1 to 25"),
        ({"board": [[1]]}, "", "config: expected players, rows"),
        (7, "", "config: expected an object, got int"),
    ],
)
def test_a_stranger_is_offered_a_closed_list(config: Any, opponents: Any, line: str) -> None:
    with pytest.raises(ConfigError, match=line):
        check_remote("fish", config, opponents)


def test_a_stranger_may_choose_what_is_offered() -> None:
    check_remote("fish", {"players": 3, "rows": 4}, "greedy")
    check_remote("diplomacy", {"last_year": 1905, "scoring": "solo"}, "")


def test_rewards_have_weights() -> None:
    assert read_rewards("score") == {"score": 1.0}
    assert read_rewards("win=2, legality=0.5") == {"win": 2.0, "legality": 0.5}
    standing = played(fish_setup(), by_rule).standing()
    row = standing.seats["red"]
    assert weighted(standing, "red", {"score": 2.0, "legality": 0.5}) == pytest.approx(2 * row.score + 0.5)


@pytest.mark.parametrize("text", ["", "gold", "score=much"])
def test_a_bad_reward_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="reward: "):
        read_rewards(text)


def test_a_record_is_kept_under_its_digest(tmp_path: Path) -> None:
    episode = played(fish_setup(), by_rule)
    digest, path = keep_record(episode, tmp_path / "records")
    assert digest == episode.digest()
    assert Path(path).name == f"fish-0-{digest[:12]}.jsonl"
    assert play_again(read_record(path)).same
    assert keep_record(episode, "") == (digest, "")
