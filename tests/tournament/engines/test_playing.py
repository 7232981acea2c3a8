"""One match of a tournament: places, points, fouls, remarks, what models cost, and matches that are void."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from parlour.agents.watched import Crash, Mishap, Undelivered
from parlour.cli import parlour
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Consultation
from parlour.referee.record import read_record
from parlour.tournament.engines import playing
from parlour.tournament.engines.playing import MatchLog, calls_of, match_id, play_sitting, spec_of, unreachable
from parlour.tournament.plan import Plan
from parlour.tournament.results import (
    MAX_REASON,
    Calls,
    Cost,
    Delivery,
    Kept,
    MatchPlayed,
    SeatResult,
    void,
    winners_of,
)
from parlour.tournament.results_state import ResultsState
from support.llm.matches import CASSETTES
from support.llm.models import FakeEndpoint, plain_angler
from support.tournament.plans import plan_of

BOTS = """
class Cheat:
    def act(self, view):
        print("I am about to cheat")
        return "nonsense"


class Absent:
    def identify(self):
        raise ValueError("not today")

    def act(self, view):
        return None


class Patient:
    async def act(self, view):
        return view.position.legal(view.seat)[0]
"""


@pytest.fixture
def bots(tmp_path: Path, as_before: None) -> Path:
    path = tmp_path / "bots.py"
    path.write_text(BOTS, encoding="utf-8")
    return path


def played(plan: Plan, number: int = 0) -> Delivery:
    return play_sitting(plan, list(ResultsState(plan).wanted())[number])


def test_who_cheats_has_the_last_place_and_is_told_so(bots: Path) -> None:
    plan = plan_of(["random", f"{bots}:Cheat"])
    sitting = next(iter(ResultsState(plan).wanted()))
    delivery = play_sitting(plan, sitting)
    by_name = {seat.player: seat for seat in delivery.played.seats}
    honest, cheat = (by_name[name] for name in plan.names)
    assert tuple(seat.player for seat in delivery.played.seats) == sitting.players
    assert (honest.place, honest.lost_by, honest.fouls) == (0, "", 0)
    assert (cheat.place, cheat.fouls, cheat.decisions) == (1, 1, 1)
    assert cheat.lost_by.startswith("garbled")
    assert honest.scores["win share"] == 1.0
    assert cheat.scores["win share"] == 0.0
    assert {remark.player for remark in delivery.remarks} == {cheat.player}
    texts = [remark.text for remark in delivery.remarks]
    assert all(text.startswith("match 0, ") for text in texts)
    assert any("prints: I am about to cheat" in text for text in texts)
    assert any(" in turn " in text and text.endswith("; remove") for text in texts)


def test_who_is_left_when_nobody_else_can_begin_has_won(bots: Path) -> None:
    plan = plan_of(["random", f"{bots}:Absent"])
    seats = {seat.player: seat for seat in played(plan).played.seats}
    honest, absent = (seats[name] for name in plan.names)
    assert (honest.place, honest.lost_by, honest.scores["win share"], honest.decisions) == (0, "", 1.0, 0)
    assert (absent.place, absent.scores["win share"]) == (1, 0.0)
    assert absent.lost_by.startswith("crashed")
    nobody = played(plan_of([f"{bots}:Absent", f"{bots}:Absent"])).played
    assert [(seat.place, seat.scores["win share"]) for seat in nobody.seats] == [(0, 0.0), (0, 0.0)]


def test_a_match_follows_from_its_plan_and_its_sitting(bots: Path) -> None:
    plan = plan_of(["random", f"{bots}:Patient"])
    began = time.perf_counter()
    first, again = played(plan, 3), played(plan, 3)
    passed = time.perf_counter() - began
    assert first.played.timeless() == again.played.timeless()
    assert first.record == again.record != played(plan, 2).record
    assert all(seat.decisions > 0 for seat in first.played.seats)
    assert len(first.played.seconds) == 2
    assert sum(first.played.seconds) <= first.played.took <= passed
    assert not first.remarks
    assert played(msgspec.structs.replace(plan, records=False)).record == ()


def test_a_match_is_kept_under_its_number() -> None:
    plan = plan_of(["random", "greedy"])
    assert match_id(plan, 2) == "t.2"
    third, fourth = list(ResultsState(plan).wanted())[2:4]
    assert spec_of(plan, third).config != spec_of(plan, fourth).config, "a deal and its mirror"


def test_only_so_many_remarks_are_kept(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MAX_NOTES", 1)
    assert len(played(plan_of(["random", f"{bots}:Cheat"])).remarks) == 1


def test_a_crash_that_repeats_is_remarked_once() -> None:
    log = MatchLog({Seat("red"): "bot"})
    note = log.noting("bot")
    crashes = [Crash(Seat("red"), "act", reason, "bot.py:1") for reason in ("first", "second", "first", "second")]
    mishaps: list[Mishap] = [*crashes, Undelivered(Seat("red"), (), "hello", "late"), crashes[0]]
    for mishap in mishaps:
        note(mishap)
    assert [remark.text.rpartition(": ")[2] for remark in log.remarks] == ["first", "second", "late"]


def test_a_match_that_could_not_be_played_says_why() -> None:
    sitting = next(iter(ResultsState(plan_of(["random", "greedy"])).wanted()))
    assert void(sitting, "").void == "unknown"
    assert len(void(sitting, "x" * (MAX_REASON + 1)).void) == MAX_REASON
    assert void(sitting, "died").seats == ()


@pytest.mark.parametrize(
    ("result", "winners"),
    [
        (None, []),
        (b"{}", []),
        (b'{"winners": ["ann"]}', ["ann"]),
        (b'{"places": [["red", "white"], ["brown"]]}', ["ann", "white"]),
        (b'{"places": []}', []),
        (b'{"seats": [{"player": "a", "place": 0}, {"player": "b", "place": 1}]}', ["a"]),
        (b'{"seats": [{"player": "a", "place": 0, "lost_by": "late"}, {"player": "b"}]}', []),
    ],
)
def test_who_won_is_read_from_any_result(result: bytes | None, winners: list[str]) -> None:
    assert winners_of(result, {"red": "ann"}) == winners


def test_what_a_result_leaves_out_is_nothing() -> None:
    left_out = MatchPlayed(number=1, block=2, table=3, seed=4)
    assert not any((left_out.seats, left_out.reason, left_out.turns, left_out.void, left_out.seconds, left_out.took))
    for kind in (Kept, Calls, Cost, SeatResult):
        fields = [field for field in msgspec.structs.fields(kind) if not field.required]
        assert fields
        assert not any(field.default for field in fields)


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
