"""Matches with seals as a user meets them: `play --seals`, `press ledger --classes`, `press table`, and SQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.core.terms import SealMode, SealOpening
from parlour.referee.record import read_record

AGENTS = ("honest", "liar", "turncoat", "bungler", "penitent", "gamer", "honest")


def parlour(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sealed") / "match.jsonl"
    how = ("--seals", "required", "--last-year", "1901", "--quiet", "--record", str(path))
    assert parlour("play", "diplomacy", *AGENTS, *how) == 0
    return path


def test_classes_in_a_table_a_page_and_as_json(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = read_record(record)[0]
    assert opened.terms.sealing.mode is SealMode.REQUIRED  # type: ignore[union-attr]
    page = tmp_path / "page.html"
    assert parlour("press", "ledger", str(record), "--classes", "--html", str(page)) == 0
    table = capsys.readouterr().out.partition("What kinds of promises\n")[2]
    assert [line.split()[1] for line in table.splitlines()[1:8]] == list(AGENTS)
    assert "premeditated" in page.read_text(encoding="utf-8")
    assert parlour("press", "ledger", str(record), "--classes", "--values", "--samples", "8", "--json") == 0
    told = json.loads(capsys.readouterr().out)["deception"]
    assert {row["class"] for row in told["promises"] if row["power"] == "ENG"} == {"premeditated"}
    assert told["values"]["promises"]
    assert told["powers"]["ENG"]["reliable"] is True


def test_many_records_give_a_row_for_each_player(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parlour("press", "table", str(record.parent), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["matches"] == 1
    assert set(told["players"]) == set(AGENTS)
    assert told["players"]["turncoat"]["classes"].keys() == {"opportunistic"}
    assert parlour("press", "table", str(record)) == 0
    assert "turncoat" in capsys.readouterr().out


def test_promises_valued_by_several_processes_are_worth_the_same(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_bytes(record.read_bytes())
    told = []
    for workers in ("1", "2"):
        how = ("--values", "--samples", "8", "--json", "--workers", workers)
        assert parlour("press", "table", str(tmp_path), *how) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    assert told[0]["matches"] == 2
    assert any(count["opportunities"] for count in told[0]["players"].values())


def test_records_of_other_games_are_left_out_of_the_table(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fish = tmp_path / "fish.jsonl"
    assert (
        parlour("play", "fish", "greedy", "greedy", "--rows", "3", "--cols", "3", "--quiet", "--record", str(fish)) == 0
    )
    capsys.readouterr()
    assert parlour("press", "table", str(tmp_path)) == 2
    assert "no match of diplomacy" in capsys.readouterr().err
    (tmp_path / "match.jsonl").write_bytes(record.read_bytes())
    assert parlour("press", "table", str(tmp_path), "--values", "--samples", "8") == 0
    told = capsys.readouterr()
    assert told.out.startswith("1 match\n")
    assert "1 left out: not of diplomacy, or never begun" in told.err


def test_sql_knows_seals_and_classes(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    wanted = "SELECT DISTINCT player, class FROM promises WHERE class LIKE 'mistaken%' ORDER BY player"
    assert parlour("query", wanted, str(record), "--json") == 0
    told = capsys.readouterr().out
    assert [word in told for word in ("bungler", "gamer", "liar")] == [True, True, False]
    assert parlour("query", "SELECT count(*) AS n, any_value(opens) AS opens FROM seals", str(record)) == 0
    assert SealOpening.MATCH in capsys.readouterr().out


@pytest.mark.parametrize("seals", ["perhaps", "required:0.5", "drawn:2", "drawn:x"])
def test_seals_that_cannot_be_are_refused(seals: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert parlour("play", "diplomacy", "hold", "--seals", seals, "--last-year", "1901", "--quiet") == 2
    assert "seals: expected none, invited, required, drawn, or drawn:CHANCE" in capsys.readouterr().err


def test_values_want_classes(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parlour("press", "ledger", str(record), "--values") == 2
    assert "--classes" in capsys.readouterr().err
