"""Progress bars: a terminal gets a reason to wait, a program gets nothing that it did not ask for."""

from __future__ import annotations

import sys

import pytest

from parlour.cli import main
from parlour.cli.display.bars import waiting


def test_only_a_terminal_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting("the match begins when all seats are taken")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    waiting("the match begins when all seats are taken")
    assert capsys.readouterr().err == "the match begins when all seats are taken (Ctrl-C: leave)\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["127.0.0.1:1", "--game", "fish"], "signing up at 127.0.0.1:1 as greedy; the tournament begins when enough"),
        (["127.0.0.1:1", "--game", "fish", "--count", "3"], "signing up at 127.0.0.1:1 as greedy1 to greedy3; "),
        (["daide://127.0.0.1:1"], "greedy asks for a place at 127.0.0.1:1; the match begins when all are taken"),
    ],
)
def test_who_joins_is_told_that_it_waits(
    arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(SystemExit) as stop:
        main(["join", *arguments, "--tries", "1"])
    assert stop.value.code == 1
    assert capsys.readouterr().err.startswith(told)
