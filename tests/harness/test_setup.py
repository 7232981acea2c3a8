"""The setup of an episode says what is wrong with it in one line, and a record gives it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.errors import ConfigError, RecordError
from parlour.harness import Episode, EpisodeSetup, policy
from support.harness.episodes import diplomacy_setup, played


def test_a_policy_is_written_with_its_options() -> None:
    assert policy() == "llm:policy@harness"
    assert policy("red", rounds=2, legal=False, temperature=0.5) == "llm:red@harness?rounds=2&legal=off&temperature=0.5"


def test_a_bad_option_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"llm:rounds: expected a whole number from 0 to 10"):
        policy(rounds=11)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"players": {"PARIS": "greedy"}}, "players: there is no seat 'PARIS', expected AUSTRIA"),
        ({"players": {"ITALY": "llm:x"}}, "agent: llm needs a model and its address"),
        ({"players": {"ITALY": "g" * 101}}, "players: ITALY: expected at most 100 characters, got 101"),
        ({"config": {"map": "moon"}}, "map"),
    ],
)
def test_a_bad_setup_is_one_line(wrong: dict[str, dict[str, str]], line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        EpisodeSetup.of("diplomacy", **wrong)  # type: ignore[arg-type]
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_without_a_language_has_no_press() -> None:
    with pytest.raises(ConfigError, match="press: expected no press in fish"):
        EpisodeSetup.of("fish", press=True)


def test_a_record_gives_its_setup_back() -> None:
    setup = diplomacy_setup()
    assert EpisodeSetup.from_record(played(setup).record) == setup
    with pytest.raises(RecordError):
        EpisodeSetup.from_record([])


def test_a_prompt_of_the_users_own_comes_before_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cautious.txt").write_text("Be cautious.\n", encoding="utf-8")
    setup = EpisodeSetup.of("fish", config={"players": 2}, others=policy(prompt="cautious.txt"))
    with Episode(setup) as episode:
        prompt = episode.ask()
        assert prompt is not None
        assert prompt.messages[0][1].startswith("Be cautious.\n\nYou play red in a game of Fish.")


@pytest.mark.parametrize(
    ("content", "line"), [(b"", "expected 1 to"), (b"\xff", "cannot be read"), (None, "cannot be read")]
)
def test_a_prompt_that_cannot_be_read_is_one_line(
    content: bytes | None, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("words").write_bytes(content)
    with pytest.raises(ConfigError, match=line):
        Episode(EpisodeSetup.of("fish", config={"players": 2}, others=policy(prompt="words")))
