"""Models on the command line: from a cassette, with banks, and shown again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.cli.options.models import check_prices, consulted, on_cassette, summary
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Consultation
from parlour.errors import ConfigError
from parlour.referee.record import read_record
from support.llm.matches import CASSETTES
from support.llm.models import FakeEndpoint, plain_angler


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
    code, _ = run(
        "play", "fish", "greedy", "llm:m@host/v1", *words, "--cassette-mode", "replay", "--record", "two.jsonl"
    )
    assert code == 0
    first, second = read_record("one.jsonl"), read_record("two.jsonl")
    acted = [event for event in first if isinstance(event, ev.Acted)]
    assert acted == [event for event in second if isinstance(event, ev.Acted)]


def test_a_miss_ends_with_the_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tape = ["--cassette", str(CASSETTES / "fish.jsonl"), "--cassette-mode", "replay", "--quiet"]
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
    code, text = run("replay", record, "--model-calls")
    assert code == 0
    assert text.count("You play FRANCE in a game of Diplomacy") == 1
    assert "turn 1, FRANCE, talk (exact): envoy at example.com" in text
    assert "tokens per decision" in text
    code, text = run("replay", record, "--model-calls", "--json")
    assert code == 0
    assert all('"event":"consulted"' in line for line in text.splitlines())


def test_a_fault_is_shown_instead_of_an_answer() -> None:
    call = Consultation("move", "m", "p", "", host="h", verdict="transport", fault="HTTP 500", priced=True, usd=0.5)
    events = [ev.Consulted(0.0, Seat("red"), 3, call)]
    assert "    HTTP 500" in list(consulted(events))
    assert summary(events) == ["red: 1 call (1 transport), none answered, 0 tokens per decision, 0 in all, 0.5000 USD"]


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


@pytest.mark.parametrize("verb", ["play", "tournament"])
def test_a_limit_in_dollars_needs_a_price(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARLOUR_PRICES", raising=False)
    model = "llm:m@http://127.0.0.1:9/v1"
    with pytest.raises(ConfigError, match=r"usd: --usd 1 needs a price of m: set PARLOUR_PRICES"):
        parlour.main([verb, "fish", model, "greedy", "--usd", "1"], standalone_mode=False)
    (tmp_path / "prices.toml").write_text('["m"]\nin = 1.0\nout = 2.0\n')
    check_prices([f"{model}?prices=prices.toml", "greedy"], 1.0)
    monkeypatch.setenv("PARLOUR_PRICES", "prices.toml")
    check_prices([model], 1.0)


def test_models_of_a_tournament_have_banks_and_a_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with FakeEndpoint(plain_angler) as fake:
        model = f"llm:m@{fake.url}"
        how = ["--rows", "3", "--cols", "3", "--blocks", "1", "--jobs", "1", "--tokens", "1", "--quiet"]
        code, _ = run("tournament", "fish", model, "greedy", *how, "--cassette", "calls.tape")
    assert code == 0
    assert fake.bodies == [], "nothing may be spent"
    with pytest.raises(ConfigError, match="cassette: expected --jobs 1"):
        parlour.main(["tournament", "fish", model, "greedy", "--cassette", "x.tape"], standalone_mode=False)


def test_a_tournament_ends_at_its_cap_and_goes_on_with_a_higher_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with FakeEndpoint(plain_angler) as fake:
        model = f"llm:m@{fake.url}"
        how = ["--rows", "3", "--cols", "3", "--blocks", "2", "--jobs", "1", "--quiet"]
        taped = ["--cassette", "calls.tape"]
        code, told = run("tournament", "fish", model, "greedy", *how, "--total-tokens", "1", *taped)
        assert code == 0
        assert Path("calls.tape").stat().st_size > 0
        assert "0 of 2 blocks" in told, "the first match shows what one costs, and a second does not fit"
        assert re.search(r"the cap ended it: 0\.0000 USD, [\d,]+ tokens; a higher one continues it", told)
        asked = len(fake.bodies)
        again = told.rpartition("continue with:")[2].split()[1:]
        code, out = run(*again, "--total-tokens", "100000000", "--quiet", "--jobs", "1")
        assert (code, "2 of 2 blocks" in out) == (0, True)
        assert len(fake.bodies) > asked > 0
    with pytest.raises(ConfigError, match=r"total-usd: --total-usd 1 needs a price of m: .* or limit --total-tokens"):
        parlour.main(["tournament", "fish", model, "greedy", "--total-usd", "1"], standalone_mode=False)
