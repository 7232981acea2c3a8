"""Models on the command line: from a cassette, with banks, and shown again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from llm_matches import CASSETTES
from llm_models import FakeEndpoint, plain_angler
from parlour.cli import main, parlour
from parlour.cli.models import consulted, on_cassette, summary
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Consultation
from parlour.referee.record import read_record


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(parlour, list(words))
    return result.exit_code, result.output


def test_a_match_is_recorded_and_played_again_without_the_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--rows", "4", "--cols", "4", "--cassette", "match tape.jsonl", "--quiet"]
    with FakeEndpoint(plain_angler) as fake:
        code, text = run("play", "fish", "greedy", f"llm:m@{fake.url}", *words, "--record", "one.jsonl")
    assert code == 0
    assert "white: " in text
    assert "100 % usable" in text
    assert "price unknown" in text
    code, _ = run("play", "fish", "greedy", "llm:m@host/v1", *words, "--tape", "replay", "--record", "two.jsonl")
    assert code == 0
    first, second = read_record("one.jsonl"), read_record("two.jsonl")
    acted = [event for event in first if isinstance(event, ev.Acted)]
    assert acted == [event for event in second if isinstance(event, ev.Acted)]


def test_a_miss_ends_with_the_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tape = ["--cassette", str(CASSETTES / "fish.jsonl"), "--tape", "replay", "--quiet"]
    with pytest.raises(SystemExit) as stop:
        main(["play", "fish", "greedy", "llm:fish-model@host/v1", *tape, "--rows", "5", "--cols", "4"])
    assert stop.value.code == 1
    assert "the nearest question differs: -" in capsys.readouterr().err
    played = read_record("fish.jsonl")
    turns = [event for event in played if isinstance(event, ev.TurnEnded)]
    assert len(turns) <= 2, "it ends there, and not when the others have played to the end"
    assert not [event for event in played if isinstance(event, ev.Consulted | ev.Ended)]


def test_banks_are_part_of_the_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("play", "fish", "greedy", "random", "--tokens", "5000", "--usd", "1.5", "--quiet")
    opened = read_record("fish.jsonl")[0]
    assert isinstance(opened, ev.Opened)
    assert (opened.terms.clock.tokens, opened.terms.clock.usd) == (5000, 1.5)


def test_consultations_are_shown_from_a_record() -> None:
    record = str(CASSETTES / "diplomacy.record.jsonl")
    code, text = run("replay", record, "--consulted")
    assert code == 0
    assert text.count("You play FRANCE in a game of Diplomacy") == 1
    assert "turn 1, FRANCE, talk (exact): envoy at example.com" in text
    assert "tokens a decision" in text
    code, text = run("replay", record, "--consulted", "--json")
    assert code == 0
    assert all('"event":"consulted"' in line for line in text.splitlines())


def test_a_fault_is_shown_instead_of_an_answer() -> None:
    call = Consultation("move", "m", "p", "", host="h", verdict="transport", fault="HTTP 500", priced=True, usd=0.5)
    events = [ev.Consulted(0.0, Seat("red"), 3, call)]
    assert "    HTTP 500" in list(consulted(events))
    assert summary(events) == ["red: 1 calls (1 transport), none answered, 0 tokens a decision, 0 in all, 0.5000 USD"]


def test_only_models_play_from_the_cassette() -> None:
    path = Path("a b.tape")
    assert on_cassette("greedy", path, "both") == "greedy"
    assert on_cassette("llm:m@h", path, "both") == "llm:m@h?cassette=a%20b.tape&tape=both"
    assert on_cassette("llm:m@h?rounds=1", path, "replay") == "llm:m@h?rounds=1&cassette=a%20b.tape&tape=replay"
    assert on_cassette("llm:m@h", None, "both") == "llm:m@h"


def test_a_stand_in_is_made_before_anything_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _ = run("play", "fish", "greedy", "greedy", "--stand-in", "clever", "--quiet")
    assert code != 0
    assert not Path("fish.jsonl").exists()
    code, _ = run("play", "fish", "greedy", "greedy", "--stand-in", "random", "--quiet")
    assert code == 0
    opened = read_record("fish.jsonl")[0]
    assert isinstance(opened, ev.Opened)
    assert opened.terms.conduct.name == "strict with stand-ins"
