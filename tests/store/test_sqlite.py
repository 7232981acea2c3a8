"""The SQLite store: what was acknowledged is there, also after the writer was killed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from parlour.core.events import Removed
from parlour.core.game import Seat
from parlour.errors import RecordError, StoreError
from parlour.store import Entries, Finished, Journal, RecordHead, RecordKind, SignUp, SQLiteStore, read_events

HEAD = RecordHead("m1", RecordKind.MATCH, "fish", parent="t1", opened=12.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parlour.db"


def test_a_record_is_read_back_as_it_was_written(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD, Entries("m1", 0, (b"a", b"b")))
        store.write(Entries("m1", 2, (b"c",)))
    with SQLiteStore(path) as store:
        assert store.head("m1") == HEAD
        assert list(store.entries("m1")) == [b"a", b"b", b"c"]
        assert list(store.entries("m1", 2)) == [b"c"]


def test_a_long_record_is_read_page_by_page(path: Path) -> None:
    bodies = tuple(str(number).encode() for number in range(1201))
    with SQLiteStore(path) as store:
        store.write(HEAD, Entries("m1", 0, bodies))
        assert tuple(store.entries("m1")) == bodies


def test_unknown_records_are_empty_not_an_error(path: Path) -> None:
    with SQLiteStore(path) as store:
        assert store.head("none") is None
        assert store.result("none") is None
        assert list(store.entries("none")) == []
        assert store.sign_ups("none") == []


def test_unfinished_records_and_those_of_a_tournament_are_found(path: Path) -> None:
    tournament = RecordHead("t1", RecordKind.TOURNAMENT, "fish")
    second = RecordHead("m2", RecordKind.MATCH, "fish", parent="t1")
    with SQLiteStore(path) as store:
        store.write(tournament, HEAD, second)
        store.write(Finished("m1", b'{"winners":["a"]}'))
        assert store.heads(RecordKind.MATCH) == [HEAD, second]
        assert store.heads(RecordKind.MATCH, limit=1) == [second]
        assert store.heads(RecordKind.MATCH, unfinished=True) == [second]
        assert store.heads(RecordKind.TOURNAMENT, unfinished=True) == [tournament]
        assert store.children("t1") == [HEAD, second]
        assert store.result("m1") == b'{"winners":["a"]}'
        assert store.result("m2") is None


def test_sign_ups_come_back_by_arrival(path: Path) -> None:
    late, early = SignUp("t1", "zoe", 2, b"d" * 32, age=7), SignUp("t1", "adam", 1)
    with SQLiteStore(path) as store:
        store.write(late)
        store.write(early)
        assert store.sign_ups("t1") == [early, late]


def test_writes_of_one_call_are_kept_together_or_not_at_all(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD)
        with pytest.raises(StoreError, match="UNIQUE"):
            store.write(Entries("m1", 0, (b"a",)), HEAD)
        assert list(store.entries("m1")) == []
        store.write(Entries("m1", 0, (b"again",)))
        assert list(store.entries("m1")) == [b"again"]


def test_a_number_is_never_written_twice(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a",)))
        with pytest.raises(StoreError, match="UNIQUE"):
            store.write(Entries("m1", 0, (b"b",)))
        assert list(store.entries("m1")) == [b"a"]


def test_a_record_is_finished_once(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD, Finished("m1", b"1"))
        with pytest.raises(StoreError, match="not open"):
            store.write(Finished("m1", b"2"))
        assert store.result("m1") == b"1"


def test_an_oversized_entry_is_refused(path: Path) -> None:
    with SQLiteStore(path) as store, pytest.raises(StoreError, match="larger than 1,048,576 bytes"):
        store.write(Entries("m1", 0, (b"x" * ((1 << 20) + 1),)))


def test_a_file_of_another_schema_is_refused(path: Path) -> None:
    SQLiteStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="schema 99, expected 1"):
        SQLiteStore(path)


def test_several_may_open_a_new_file_at_the_same_time(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for store in pool.map(SQLiteStore, [path] * 16):
            store.close()
    with SQLiteStore(path) as store:
        store.write(HEAD)
        assert store.head("m1") == HEAD


def test_only_one_may_claim_a_file_and_others_may_still_read_it(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.claim()
        store.write(HEAD)
        with SQLiteStore(path) as other:
            assert other.head("m1") == HEAD
            with pytest.raises(StoreError, match="in use by another server"):
                other.claim()
    with SQLiteStore(path) as store:
        store.claim()


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"this is not a database, but it is long enough to look at" * 20)
    with pytest.raises(StoreError, match="not a database"):
        SQLiteStore(path)


def test_the_file_is_durable_at_every_commit(path: Path) -> None:
    with SQLiteStore(path) as store:
        connection = store._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_journal_numbers_events_and_opens_its_record(path: Path) -> None:
    events = [Removed(at=float(at), seat=Seat("red"), reason="late") for at in range(5)]
    with SQLiteStore(path) as store:
        journal: Journal[Removed] = Journal(store, HEAD)
        journal.write([])
        assert store.head("m1") is None
        journal.write(events[:2])
        asyncio.run(journal.keep(events[2:4]))
        Journal[Removed](store, HEAD, length=journal.length).write(events[4:])
        assert read_events(store, "m1") == events


def test_an_event_that_cannot_be_read_is_named(path: Path) -> None:
    with SQLiteStore(path) as store:
        store.write(HEAD, Entries("m1", 0, (b'{"event":"removed","at":1,"seat":"red","reason":""}', b'{"event":"?"}')))
        with pytest.raises(RecordError, match=r"event 1: record m1"):
            read_events(store, "m1")


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
        assert store.heads(RecordKind.MATCH) == [HEAD]
        with pytest.raises(StoreError, match="readonly"):
            store.write(Entries("m2", 0, (b"x",)))
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_a_store_that_is_being_written_can_be_read(path: Path) -> None:
    with SQLiteStore(path) as store, SQLiteStore(path, read_only=True) as reader:
        store.write(HEAD)
        assert reader.heads(RecordKind.MATCH) == [HEAD]


def test_an_empty_file_is_no_store_to_read(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="empty, not a store"):
        SQLiteStore(path, read_only=True)
    assert path.stat().st_size == 0
