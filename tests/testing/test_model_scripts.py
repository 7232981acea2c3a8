"""The scripts behind the fake endpoint read positions out of prompts exactly, and give legal answers."""

from __future__ import annotations

import pytest

from parlour.core.game import Position, View
from parlour.errors import ConfigError
from parlour.harness import Episode, EpisodeSetup, policy
from parlour.testing import by_agent, by_rule
from parlour.testing.model_scripts import ModelScript, from_list
from support.harness.episodes import diplomacy_setup, fish_setup


@pytest.mark.parametrize(
    ("setup", "script"),
    [
        (fish_setup(), by_rule),
        (fish_setup(seed=3), by_agent("greedy")),
        (diplomacy_setup(1902), by_rule),
        (diplomacy_setup(1902, rounds=0), by_agent("dumbbot")),
    ],
    ids=["fish by rule", "fish by agent", "diplomacy by rule", "diplomacy by agent"],
)
def test_every_answer_is_legal(setup: EpisodeSetup, script: ModelScript) -> None:
    with Episode(setup) as episode:
        prompt = episode.ask()
        while prompt is not None:
            prompt = episode.answer(script(prompt.messages))
        standing = episode.standing()
    assert standing.finished
    assert {row.legality for row in standing.seats.values()} == {1.0}
    assert not any(row.fouls for row in standing.seats.values())


@pytest.mark.parametrize("setup", [fish_setup(), diplomacy_setup(1902, rounds=0)], ids=lambda one: one.game)
def test_an_agent_is_shown_the_position_of_the_match(setup: EpisodeSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Position] = []

    class Looking:
        def act(self, view: View) -> object:
            shown.append(view.position)
            return view.position.legal(view.seat)[0] if setup.game == "fish" else []

    monkeypatch.setattr("parlour.testing.model_scripts.make_agent", lambda game, name, seed: Looking())
    script = by_agent("greedy")
    with Episode(setup) as episode:
        prompt = episode.ask()
        for _ in range(20):
            if prompt is None:
                break
            if not prompt.repair and prompt.purpose != "retreats":
                count = len(shown)
                script(prompt.messages)
                seen = shown[count]
                there = episode._line.match.position
                seat = there.to_act()[0] if setup.game == "fish" else prompt.seat
                assert sorted(map(str, seen.legal(seat))) == sorted(map(str, there.legal(seat)))  # type: ignore[arg-type]
            prompt = episode.answer(by_rule(prompt.messages))
    assert len(shown) > 10


def test_a_prompt_with_other_names_is_answered_by_rule() -> None:
    setup = EpisodeSetup.of("diplomacy", config={"last_year": 1901}, others=policy(names=False))
    script = by_agent("greedy")
    with Episode(setup) as episode:
        prompt = episode.ask()
        while prompt is not None:
            prompt = episode.answer(script(prompt.messages))
        assert all(row.legality == 1.0 for row in episode.standing().seats.values())


def test_a_list_begins_again_after_its_last_answer() -> None:
    script = from_list(["a", "b"])
    assert [script([]) for _ in range(5)] == ["a", "b", "a", "b", "a"]
    with pytest.raises(ConfigError, match="answers: expected at least one"):
        from_list([])


def test_an_agent_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="has no 'napoleon'"):
        by_agent("napoleon")
