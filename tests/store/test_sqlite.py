"""The SQLite store: what was acknowledged is there, also after the writer was killed."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from parlour.errors import StoreError
from parlour.store import Entries, RecordHead, RecordKind, SQLiteStore

HEAD = RecordHead("m1", RecordKind.MATCH, "fish", parent="t1", opened=12.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parlour.db"


def test_a_file_of_another_schema_is_refused(path: Path) -> None:
    SQLiteStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="written by a newer version of Parlour: schema 99, expected 3"):
        SQLiteStore(path)


def test_a_new_store_is_readable_by_its_owner_only_and_one_that_is_there_stays_as_it_is(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD)
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}, "its log, too"
    path.chmod(0o640)
    SQLiteStore(path).close()
    assert path.stat().st_mode & 0o777 == 0o640


def test_several_may_open_a_new_file_at_the_same_time(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for store in pool.map(SQLiteStore, [path] * 16):
            store.close()
    with SQLiteStore(path) as store:
        store.write(HEAD)
        assert store.head("m1") == HEAD


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"this is not a database, but it is long enough to look at" * 20)
    with pytest.raises(StoreError, match="not a database"):
        SQLiteStore(path)


def test_the_file_is_durable_at_every_commit(path: Path) -> None:
    with SQLiteStore(path) as store:
        connection = store._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_database_of_another_program_is_left_as_it_is(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE cookies (jar)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        SQLiteStore(path)
    assert path.read_bytes() == before


_WRITER = """
import asyncio, sys
from parlour.store import Entries, SQLiteStore

async def one(store, match):
    number = 0
    while True:
        await store.keep(Entries(match, number, (b"x" * 200,)))
        sys.stdout.write(f"{match} {number}\\n")
        sys.stdout.flush()
        number += 1

async def main():
    store = SQLiteStore(sys.argv[1])
    async with asyncio.TaskGroup() as group:
        for seat in range(20):
            group.create_task(one(store, f"m{seat}"))

asyncio.run(main())
"""


@pytest.mark.parametrize("after", [1, 200, 1000])
def test_every_acknowledged_event_survives_the_death_of_the_writer(path: Path, after: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as writer:
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline() for _ in range(after)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += writer.stdout.readlines()
    with SQLiteStore(path) as store:
        lengths = {f"m{seat}": len(list(store.entries(f"m{seat}"))) for seat in range(20)}
    # The last line may have been cut by the kill.
    told = [line.decode().split() for line in acknowledged if line.endswith(b"\n")]
    assert len(told) >= after
    assert [(match, number) for match, number in told if int(number) >= lengths[match]] == []


def test_reading_only_changes_nothing(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with SQLiteStore(path, read_only=True) as store:
        assert store.head("m1") == HEAD
        with pytest.raises(StoreError, match="readonly"):
            store.write(Entries("m2", 0, (b"x",)))
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_a_store_that_is_being_written_can_be_read(path: Path) -> None:
    with SQLiteStore(path) as store, SQLiteStore(path, read_only=True) as reader:
        store.write(HEAD)
        assert reader.head("m1") == HEAD


def test_an_empty_file_is_no_store_to_read(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="empty, not a store"):
        SQLiteStore(path, read_only=True)
    assert path.stat().st_size == 0


@pytest.mark.parametrize("record", ["", "t1"])
def test_a_claim_that_was_refused_is_not_held(path: Path, record: str) -> None:
    with SQLiteStore(path) as first, SQLiteStore(path) as second:
        first.claim(record)
        for _ in range(2):
            with pytest.raises(StoreError, match="another"):
                second.claim(record)
        first.close()
        second.claim(record)
        with SQLiteStore(path) as third, pytest.raises(StoreError, match="another"):
            third.claim(record)
