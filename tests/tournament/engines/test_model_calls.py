"""Language models in tournaments: legality apart from strength, what it cost, and matches that are void."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import parlour
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Consultation
from parlour.referee.record import read_record
from parlour.tournament.engines.model_calls import calls_of, unreachable
from parlour.tournament.results import Calls
from support.llm.matches import CASSETTES
from support.llm.models import FakeEndpoint, plain_angler

RED, WHITE = Seat("red"), Seat("white")


def called(verdict: str, *, turn: int = 1, seat: Seat = RED, attempt: int = 1, purpose: str = "move") -> ev.Consulted:
    call = Consultation(purpose, "m", "p", "a", attempt, verdict=verdict, tokens_in=10, usd=0.5, fault="HTTP 500")
    return ev.Consulted(0.0, seat, turn, call)


def test_what_models_did_is_read_out_of_the_record() -> None:
    record = [called("illegal"), called("repaired", attempt=2), called("transport", turn=2), called("exact", turn=2)]
    assert calls_of(record) == {RED: Calls(answered=3, usable=2, decisions=2, tokens=40, usd=2.0, unpriced=0)}
    shipped = calls_of(read_record(CASSETTES / "fish.record.jsonl"))
    assert set(shipped) == {RED, WHITE}
    assert shipped[RED].usable == shipped[RED].answered > 0
    assert shipped[RED].unpriced == shipped[RED].answered
    assert calls_of([]) == {}


def test_a_model_that_could_not_be_reached_voids_the_match() -> None:
    assert not unreachable([called("transport"), called("exact")])  # tried again, and then it answered
    assert not unreachable([called("illegal"), called("illegal", attempt=2)])
    lost = [called("exact"), called("transport", turn=2), called("exact", turn=3), called("exact", turn=2, seat=WHITE)]
    assert unreachable(lost) == "the model of red could not be reached in turn 2: HTTP 500"


@pytest.mark.parametrize("fault", ["", "500"])
def test_the_table_shows_legality_tokens_and_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.toml").write_text('["m"]\nin = 1\nout = 2\n')
    monkeypatch.setenv("PARLOUR_PRICES", str(tmp_path / "prices.toml"))
    with FakeEndpoint(plain_angler, fault) as fake:
        words = ["--blocks", "1", "--rows", "3", "--cols", "4", "--jobs", "1", "--store", "t.db"]
        agent = f"llm:m@{fake.url}?retries=0"
        done = CliRunner().invoke(parlour, ["tournament", "fish", "greedy", agent, *words])
    assert done.exit_code == 0, done.output
    if fault:
        assert "USD/match" not in done.output
        assert "could not be reached" in done.output or "void" in done.output
    else:
        assert "usable" in done.output
        assert "100%" in done.output
        assert "USD/match" in done.output
