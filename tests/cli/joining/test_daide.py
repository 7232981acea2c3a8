"""Output of `parlour join daide://…` on a game, and on one that never began."""

from __future__ import annotations

import pytest

from parlour.cli import main
from parlour.cli.joining import daide as join_daide
from parlour.net.client.daide import DaideReport


@pytest.mark.parametrize(
    ("report", "told", "code"),
    [
        (DaideReport("ENGLAND", "F1901M", 3, "DRW"), "ENGLAND until F1901M: 3 centres, DRW", 0),
        (DaideReport("ENGLAND", "F1901M", 3), "ENGLAND until F1901M: 3 centres, cut off", 1),
        (DaideReport("ENGLAND", "F1901M", 1, "DRW"), "ENGLAND until F1901M: 1 centre, DRW", 0),
        (DaideReport(ending="OFF"), "no game began, OFF", 1),
        (DaideReport(), "no game began, cut off", 1),
    ],
)
def test_a_game_that_came_to_no_end_or_never_began_has_failed(
    report: DaideReport, told: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def played(*_: object) -> DaideReport:
        return report

    monkeypatch.setattr(join_daide, "_play", played)
    with pytest.raises(SystemExit) as ended:
        main(["join", "daide://127.0.0.1", "--agent", "hold"])
    assert (capsys.readouterr().out, ended.value.code) == (f"{told}\n", code)
