"""SQL over records: what is read, what is believed of an index, and that nothing is left behind."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

import pytest

from parlour.core.terms import Terms
from parlour.errors import ConfigError, MissingExtra
from parlour.games.fish import GAME
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter
from parlour.testing import RandomPlayer
from parlour.tournament.storage.query import Records

SMALL = {"rows": 3, "cols": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "it's here"
    home.mkdir()
    match = Match(GAME, SMALL, Terms(preset("strict")), 7, "one")
    play(match, {seat: RandomPlayer(number) for number, seat in enumerate(GAME.seats(SMALL))})
    with RecordWriter(home / "one.jsonl") as writer:
        writer.write(match.record)
    return home


def count(place: Path, what: str = "matches") -> int:
    records = Records(str(place))
    try:
        return int(records.run(f"SELECT count(*) FROM {what}")[1][0][0])
    finally:
        records.close()


def test_without_the_library_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count(folder) == 1
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"\[query\]"):
        Records(str(folder))


def test_an_index_is_believed_until_a_record_is_newer_than_it(folder: Path) -> None:
    records = Records(str(folder))
    for _ in range(2):  # an index that is there is written anew
        assert records.write_index(folder) == 1
    records.close()
    made = min(part.stat().st_mtime_ns for part in (folder / "index").glob("*.parquet"))
    (folder / "two.jsonl").write_bytes((folder / "one.jsonl").read_bytes())
    for name in ("one.jsonl", "two.jsonl"):
        os.utime(folder / name, ns=(made, made))
    assert count(folder) == 1, "written in the same moment"
    assert count(folder, "pacts") == 0
    os.utime(folder / "two.jsonl", ns=(made + 10**9, made + 10**9))
    assert count(folder) == 2
    assert count(folder / "two.jsonl") == 1, "a file has no index of its own"


def test_an_index_that_was_cut_off_before_its_last_table_is_not_believed(folder: Path) -> None:
    (folder / "index").mkdir()
    (folder / "index" / "matches.parquet").write_bytes(b"")
    assert count(folder) == 1


def test_pacts_are_asked_for_again_and_in_capitals(folder: Path) -> None:
    records = Records(str(folder))
    for _ in range(2):
        columns, rows = records.run("SELECT pact, broken_by FROM PACTS")
        assert (columns, rows) == (["pact", "broken_by"], [])
    records.close()


def test_a_query_that_cannot_be_answered_is_told_in_its_first_line(folder: Path) -> None:
    records = Records(str(folder))
    with pytest.raises(ConfigError) as refused:
        records.run("SELECT nothing FROM matches")
    records.close()
    assert str(refused.value).startswith("query: Binder Error")
    assert str(refused.value).endswith('"nothing" not found in FROM clause!'), "where it is comes in the lines below"


def test_nothing_stays_behind(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())
    records = Records(str(folder))
    assert len(set(tmp_path.iterdir()) - before) == 1
    records.close()
    assert set(tmp_path.iterdir()) == before
    with pytest.raises(ConfigError, match="closed"):
        records.run("SELECT 1")
    with pytest.raises(ConfigError):
        Records(str(tmp_path / "nowhere"))
    assert set(tmp_path.iterdir()) == before
