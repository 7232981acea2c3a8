"""Migrations: a store that an older version wrote becomes one of today and loses nothing."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from parlour.errors import StoreError
from parlour.referee.match import Match
from parlour.store import Entries, Filter, RecordHead, RecordKind, SignUp, SQLiteStore, read_events
from parlour.store.schema import VERSION
from parlour.tournament.knock_out.tournament import read_result, resume, unfinished_heads

FIXTURES = Path(__file__).parent / "fixtures"
"""A finished tournament of five players and one that was cut short, kept by the code of each version."""


@pytest.fixture(params=range(1, VERSION))
def version(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture
def old(version: int, tmp_path: Path) -> Path:
    return Path(shutil.copy(FIXTURES / f"version-{version}.db", tmp_path / "old.db"))


def rows(path: Path, sql: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def tables(path: Path) -> set[Any]:
    found = rows(path, "SELECT type, name, replace(sql, '\"', '') FROM sqlite_master WHERE sql IS NOT NULL")
    return {(kind, name, " ".join(sql.split())) for kind, name, sql in found}


def test_an_old_store_loses_nothing(old: Path) -> None:
    before = rows(old, "SELECT id, kind, game, parent, opened, result FROM record ORDER BY rowid")
    entries = rows(old, "SELECT * FROM entry ORDER BY record, number")
    with SQLiteStore(old) as store:
        heads = list(store.heads())
        assert [(h.id, h.kind, h.game, h.parent, h.opened, h.result) for h in heads] == before
        assert {head.status for head in heads if head.result is not None} == {"over"}
        assert {head.status for head in heads if head.result is None} == {""}
        assert store.sign_ups("fish-cut-short") == [
            SignUp("fish-cut-short", "adam", 1),
            SignUp("fish-cut-short", "zoe", 2, b"d" * 32, age=7),
        ]
        store.write(RecordHead("new", RecordKind.MATCH, "fish"), Entries("new", 0, (b"x",)))
        assert list(store.heads())[-1].id == "new"
    kept = rows(old, "SELECT record, number, count, body FROM entry WHERE record <> 'new' ORDER BY record, number")
    assert kept == [(record, number, 1, body) for record, number, body in entries]
    assert rows(old, "PRAGMA user_version") == [(VERSION,)]
    assert rows(old, "PRAGMA integrity_check") == [("ok",)]


def test_old_records_replay_and_go_on(old: Path) -> None:
    with SQLiteStore(old) as store:
        finished = next(store.heads(Filter(kind=RecordKind.TOURNAMENT)))
        assert len(read_result(store, finished.id).winners) == 5
        for head in store.heads(Filter(parent=finished.id)):
            assert Match.resume(read_events(store, head.id)).over
        assert not Match.resume(read_events(store, "m-cut")).over
        assert [head.id for head in unfinished_heads(store, "fish")] == ["fish-cut-short"]
        assert resume(store, "fish-cut-short")[1].length == 2


def test_a_migrated_store_has_the_tables_of_a_new_one(old: Path, tmp_path: Path) -> None:
    SQLiteStore(old).close()
    SQLiteStore(tmp_path / "new.db").close()
    assert tables(old) == tables(tmp_path / "new.db")


def test_an_old_store_is_read_without_changing_it(old: Path) -> None:
    before = old.read_bytes()
    with SQLiteStore(old, read_only=True) as store:
        assert store.count() == len(list(store.heads())) == 7
        assert len(read_events(store, "m-cut")) == 6
        with pytest.raises(StoreError, match="readonly"):
            store.write(Entries("m-cut", 6, (b"x",)))
    assert old.read_bytes() == before
    assert [file.name for file in old.parent.iterdir()] == ["old.db"]


def test_a_store_that_a_server_uses_is_not_migrated_under_it(old: Path, version: int) -> None:
    fcntl = pytest.importorskip("fcntl")
    with old.open("rb") as claimed:
        fcntl.flock(claimed, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="in use by another server"):
            SQLiteStore(old)
    assert rows(old, "PRAGMA user_version") == [(version,)]


def test_a_migration_that_fails_leaves_the_old_store(old: Path, version: int) -> None:
    in_the_way = {1: "permission", 2: "entry_2"}[version]
    with contextlib.closing(sqlite3.connect(old)) as connection:
        connection.execute(f"CREATE TABLE {in_the_way} (in_the_way)")
    with pytest.raises(StoreError, match=in_the_way):
        SQLiteStore(old)
    assert rows(old, "PRAGMA user_version") == [(version,)]
    assert len(rows(old, "SELECT id, opened FROM record")) == 7
    assert len(rows(old, "SELECT body FROM entry")) > 100
