"""Display of tournaments: the bar, the table, and errors of many tasks as one."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from parlour.cli.display.results import ProgressBar, as_plain, first_error, progress_bars, show_result
from parlour.core.fouls import Standing
from parlour.errors import ParlourError, StoreError
from parlour.tournament.knock_out.events import (
    Decided,
    Departure,
    RoundDrawn,
    TableEnded,
    TableResult,
    TournamentResult,
)

RESULT = TournamentResult(
    winners=("ann",),
    losers=("bob",),
    cheaters=(Departure("cy", Standing.CHEATER, "illegal: no such tile"),),
    failures=(Departure("di", Standing.FAILURE, "late: no answer in time"),),
    rounds=1,
    reason="final played",
)


def test_everyone_is_shown_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(RESULT)
    assert capsys.readouterr().out.splitlines() == [
        "ann  won",
        "bob  lost",
        "cy  cheater  illegal: no such tile",
        "di  failure  late: no answer in time",
        "1 round, final played",
    ]


def test_names_and_reasons_are_no_markup_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    failed = Departure("[red]di", Standing.FAILURE, "garbled: [/b]")
    show_result(TournamentResult(winners=("[/x]",), losers=(), failures=(failed,), rounds=1, reason="final played"))
    out = capsys.readouterr().out
    for text in ("[/x]", "[red]di", "[/b]"):
        assert text in out


def test_the_plain_form_has_everything() -> None:
    assert as_plain(RESULT) == {
        "winners": ["ann"],
        "losers": ["bob"],
        "cheaters": [{"name": "cy", "reason": "illegal: no such tile"}],
        "failures": [{"name": "di", "reason": "late: no answer in time"}],
        "rounds": 1,
        "reason": "final played",
    }


def test_the_bar_moves_with_the_tables() -> None:
    progress = Progress(console=Console(file=io.StringIO(), force_terminal=True))
    bar = ProgressBar(progress)
    bar.told(RoundDrawn(0.0, 1, (("a", "b"), ("c", "d"))))
    bar.told(TableEnded(1.0, 1, 0, "t.1.1", TableResult((("a",), ("b",)))))
    (task,) = progress.tasks
    assert (task.description, task.completed, task.total) == ("round 1: 2 tables", 1, 2)
    bar.told(RoundDrawn(2.0, 2, (("a", "c"),)))
    assert (progress.tasks[0].description, progress.tasks[0].completed) == ("round 2: 1 table", 0)
    bar.told(Decided(3.0, RESULT))
    assert progress.tasks[0].description == "decided"


def test_there_is_no_bar_where_there_is_no_terminal() -> None:
    with progress_bars() as (bars, _):
        assert list(bars) == []


def test_of_many_errors_the_first_that_a_user_can_act_on_is_told() -> None:
    nested = ExceptionGroup("tasks", [ExceptionGroup("table", [ValueError("bug"), StoreError("disk full")])])
    with pytest.raises(ParlourError, match="disk full"), first_error():
        raise nested


def test_bugs_stay_bugs() -> None:
    with pytest.raises(ExceptionGroup), first_error():
        raise ExceptionGroup("tasks", [ValueError("bug")])
