"""parlour query, records index and records export: SQL over records, and records as training data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.cli import main
from parlour.games.diplomacy import read_saved
from support.command_line import run

VIEWS = ("matches", "seats", "turns", "orders", "said", "seals", "pacts", "promises", "fouls")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a match of Fish with a foul, and one of Diplomacy with press."""
    folder = tmp_path_factory.mktemp("records")
    (folder / "bot.py").write_text("class Bot:\n    def act(self, view):\n        return 'nonsense'\n")
    for arguments in (
        ["fish", "greedy", f"{folder / 'bot.py'}:Bot", "--record", str(folder / "one.jsonl")],
        ["diplomacy", "--press", "peace", "stabber", "--last-year", "1902", "--record", str(folder / "two.jsonl")],
    ):
        with pytest.raises(SystemExit):
            main(["play", *arguments, "--quiet"])
    return folder


def rows(sql: str, place: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    code, out, err = run(["query", sql, str(place), "--json"], capsys)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def answers(place: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[dict[str, Any]]]:
    return {view: rows(f"SELECT * FROM {view} ORDER BY ALL", place, capsys) for view in VIEWS}


def test_what_the_views_say(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matches = {row["record"]: row for row in rows("SELECT * FROM matches", records, capsys)}
    assert matches["one"]["game"] == "fish"
    assert matches["one"]["winners"] == ["red"]
    assert matches["two"]["players"] == 7
    (foul,) = rows("SELECT * FROM fouls", records, capsys)
    assert (foul["record"], foul["seat"], foul["consequence"]) == ("one", "white", "remove")
    (removed,) = rows("SELECT seat, player FROM seats WHERE removed_for IS NOT NULL", records, capsys)
    assert removed["seat"] == "white"
    results = {
        row["result"] for row in rows("SELECT DISTINCT result FROM orders WHERE record = 'two'", records, capsys)
    }
    assert {"succeeded", "bounced"} <= results
    assert rows("SELECT phase FROM turns WHERE record = 'two' AND turn = 1", records, capsys) == [{"phase": "S1901M"}]
    assert rows("SELECT count(*) AS n FROM said WHERE len(addressees) > 0", records, capsys)[0]["n"] > 0
    pacts = rows("SELECT * FROM pacts", records, capsys)
    assert pacts
    assert all(pact["kept"] + pact["broken"] + pact["void"] >= 0 and pact["english"] for pact in pacts)


def test_an_index_says_the_same_until_a_record_is_newer(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    assert run(["records", "export", str(records), "--format", "jsonl", "-o", str(folder)], capsys)[0] == 0
    before = answers(folder, capsys)
    code, out, _ = run(["records", "index", str(folder)], capsys)
    assert (code, out) == (0, f"2 records in {folder / 'index'}\n")
    assert {path.stem for path in (folder / "index").iterdir()} == set(VIEWS)
    assert answers(folder, capsys) == before
    text = (folder / "one.jsonl").read_bytes()
    (folder / "three.jsonl").write_bytes(text[: len(text) - 40])
    assert len(rows("SELECT * FROM matches", folder, capsys)) == 3


def test_a_line_that_was_cut_off_and_a_header_alone_hurt_nobody(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (records / "one.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(text[: len(text) * 2 // 3])
    (tmp_path / "header.jsonl").write_bytes(text.splitlines(keepends=True)[0])
    (tmp_path / "other.jsonl").write_text('{"something": "else"}\n')
    (found,) = rows("SELECT record, ended FROM matches", tmp_path, capsys)
    assert found == {"record": "cut", "ended": None}


def test_tables_and_csv(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT record, winners FROM matches WHERE record = 'one'"
    assert run(["query", sql, str(records / "one.jsonl")], capsys)[1] == "record  winners\none     red\n"
    assert run(["query", sql, str(records), "--csv"], capsys)[1] == "record,winners\none,['red']\n"


@pytest.mark.parametrize(
    ("sql", "place", "message"),
    [
        ("SELECT nothing FROM seats", ".", "query: Binder Error"),
        ("no query", ".", "query: Parser Error"),
        ("SELECT 1", "nowhere", "there is no folder, record or store 'nowhere'"),
        ("SELECT 1", "empty", "has no record file"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(
    sql: str,
    place: str,
    message: str,
    records: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(records)
    (records / "empty").mkdir(exist_ok=True)
    code, out, err = run(["query", sql, place], capsys)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_matches_as_training_data(records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["records", "export", str(records), "--format", "diplomacy", "-o", str(tmp_path)], capsys)
    assert (code, out) == (0, f"1 match in {tmp_path}; 1 of other games, or without a start, left out\n")
    (game,) = read_saved((tmp_path / "two.json").read_bytes())
    assert game.phases[0].name == "S1901M"
    code, _, _ = run(["records", "export", str(records), "--format", "trajectory", "-o", str(tmp_path)], capsys)
    assert code == 0
    files = [f"--{name}" for name in ("observations", "legal-actions", "actions")]
    paths = [str(tmp_path / "two" / f"{name}.npz") for name in ("observations", "legal_actions", "actions_outputs")]
    pairs = [word for pair in zip(files, paths, strict=True) for word in pair]
    assert run(["check", "trajectory", *pairs], capsys)[0] == 0
    one = str(records / "one.jsonl")
    code, _, err = run(["records", "export", one, "--format", "diplomacy", "-o", str(tmp_path)], capsys)
    assert code == 2
    assert "can be written as diplomacy" in err
