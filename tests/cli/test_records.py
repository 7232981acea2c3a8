"""`parlour records` and `parlour watch`: what was kept, and what is being played."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from parlour.store import Filter, RecordKind, SQLiteStore
from support.command_line import run

PARLOUR = [sys.executable, "-c", "from parlour.cli import main; main()"]


@pytest.fixture
def kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a store with one finished tournament."""
    path = tmp_path / "kept.db"
    how = ["--rows", "3", "--cols", "3", "--blocks", "1", "--jobs", "1"]
    run(["tournament", "fish", "greedy", "random", *how, "--store", str(path)], capsys)
    return path


def test_tournaments_are_listed_with_their_matches(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(["records", str(kept)], capsys)
    tournament, *matches = out.splitlines()
    assert re.fullmatch(
        r"fish-\S+  20\d\d-\d\d-\d\d \d\d:\d\d  fish tournament  greedy, random  won by greedy", tournament
    )
    assert len(matches) >= 3
    told = re.compile(r"  fish-\S+  20\S+ \S+  fish match  (greedy, random|random, greedy)  \d+ turns  won by (\w+)")
    assert all(told.fullmatch(line) for line in matches)
    assert {told.fullmatch(line)[2] for line in matches} <= {"greedy", "random"}  # type: ignore[index]
    _, out, _ = run(["records", str(kept), "--json"], capsys)
    assert [json.loads(line)["kind"] for line in out.splitlines()] == ["tournament", *["match"] * len(matches)]


def test_a_match_is_taken_out_and_replays(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SQLiteStore(kept) as store:
        match = next(store.heads(Filter(kind=RecordKind.MATCH))).id
    file = tmp_path / "match.jsonl"
    assert run(["records", str(kept), match, "--out", str(file)], capsys)[0] == 0
    code, out, _ = run(["replay", str(file)], capsys)
    assert code == 0
    assert "place  seat" in out
    _, out, _ = run(["records", str(kept), match], capsys)
    assert json.loads(out.splitlines()[-1])["event"] == "ended"
    code, _, err = run(["records", str(kept), match, "--out", "/nowhere/at/all.jsonl"], capsys)
    assert code == 1
    assert err == "parlour: /nowhere/at/all.jsonl: No such file or directory\n"


@pytest.mark.parametrize("record", [(), ("fish",)])
def test_only_a_match_is_written_to_a_file(
    record: tuple[str, ...], kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SQLiteStore(kept) as store:
        named = [next(store.heads(Filter(kind=RecordKind.TOURNAMENT))).id for _ in record]
    file = tmp_path / "match.jsonl"
    code, _, err = run(["records", str(kept), *named, "--out", str(file)], capsys)
    assert (code, err) == (2, "parlour: --out writes one match: name it after the store\n")
    assert not file.exists()


def test_the_result_of_a_tournament(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SQLiteStore(kept) as store:
        tournament = next(store.heads(Filter(kind=RecordKind.TOURNAMENT))).id
    _, out, _ = run(["records", str(kept), tournament, "--json"], capsys)
    result = json.loads(out)
    assert {line["name"] for line in result["lines"]} == {"greedy", "random"}
    _, out, _ = run(["records", str(kept), tournament], capsys)
    assert out.splitlines()[1].split()[1] == result["winners"][0]


def test_what_is_not_there(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(["records", str(kept), "nothing"], capsys)
    assert (code, err) == (2, "parlour: record: 'nothing' is not in kept.db\n")
    code, _, err = run(["records", str(kept.parent)], capsys)
    assert (code, err) == (2, f"parlour: store: '{kept.parent}' is a folder; `parlour query` asks those\n")
    code, _, err = run(["records", "missing.db"], capsys)
    assert (code, err) == (2, "parlour: missing.db: there is no such store\n")
    code, _, err = run(["records", "postgresql://me@127.0.0.1:1/none"], capsys)
    assert code == 1, "an address is one, and nobody is there"


def test_a_match_that_nobody_won_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "kept.db"
    how = ["--last-year", "1901", "--blocks", "1", "--jobs", "1", "--format", "1v6", "--store", str(store)]
    run(["tournament", "diplomacy", "hold", "greedy", *how], capsys)
    _, out, _ = run(["records", str(store)], capsys)
    _, *matches = out.splitlines()
    assert matches
    assert all("  drawn, first: " in line and "won by" not in line for line in matches)
