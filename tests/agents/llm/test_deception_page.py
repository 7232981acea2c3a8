"""The how-to that measures deception of models runs offline, from the cassette that ships."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.press.ledger import ledger_of
from parlour.referee.record import read_record
from support import TESTS
from support.llm.deception import CASSETTE, PROMISE

PAGE = TESTS.parent / "docs" / "how-to" / "measure-deception.md"


def test_the_commands_of_the_page_find_the_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = PAGE.read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0].replace("\\\n", " ")
    for line in shown.splitlines():
        words = [str(CASSETTE) if word.endswith("deception.jsonl") else word for word in shlex.split(line)]
        with pytest.raises(SystemExit) as ended:
            main([*words[1:], *(["--samples", "8"] if "--values" in words else [])])
        assert not ended.value.code
    assert "  premed  " in capsys.readouterr().out
    assert "premeditated" in (tmp_path / "promises.html").read_text(encoding="utf-8")
    ledger = ledger_of(read_record(tmp_path / "match.jsonl"))
    assert [str(kind) for verdict, kind in ledger.classes() if verdict.performer == "FRA"] == ["premeditated"]
    assert [lie.power for lie in ledger.seals.lies] == ["FRA"]
    assert PROMISE in CASSETTE.read_text(encoding="utf-8")
