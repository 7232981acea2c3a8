"""The PostgreSQL store: what it refuses to work with, and what it does when its server goes away."""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading

import psycopg
import pytest

from parlour.errors import ConfigError, ConflictError, MissingExtra, StoreError
from parlour.store import Entries, Progress, RecordHead, RecordKind, Setting, open_store
from parlour.store.postgres import PostgresStore, _is_away
from parlour.store.postgres_group import COPY_FROM
from parlour.store.schema import VERSION
from support.store.postgres import PostgresServer

from .cutting_proxy import CuttingProxy

HEAD = RecordHead("m1", RecordKind.MATCH, "fish")
CUT_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type LIKE 'cl%'"
)


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    return postgres.new_schema()


def schema_of(address: str) -> str:
    return address.rpartition("%3D")[2]


# What it refuses


def test_the_address_is_shown_without_its_password(postgres: PostgresServer) -> None:
    schema = schema_of(postgres.new_schema())
    secret = f"postgresql://parlour:hunter2@127.0.0.1:{postgres.port}/postgres?options=-csearch_path%3D{schema}"
    with open_store(secret) as store:
        assert store.url == f"postgresql://parlour@127.0.0.1:{postgres.port}/postgres"
    with pytest.raises(StoreError) as told:
        open_store(secret.replace("/postgres?", "/nowhere?"))
    assert "hunter2" not in str(told.value)
    assert "\n" not in str(told.value)
    assert 'database "nowhere" does not exist' in str(told.value)


def test_a_schema_that_is_not_there_is_named_with_what_makes_it(address: str) -> None:
    missing = address.replace(schema_of(address), "none_such")
    with pytest.raises(StoreError, match=r"there is no schema none_such: CREATE SCHEMA makes it"):
        open_store(missing)


def test_a_server_that_is_not_there_is_said_in_one_line() -> None:
    with pytest.raises(StoreError, match=r"^postgresql://127.0.0.1:1/: .*refused$"):
        open_store("postgresql://127.0.0.1:1")


def test_an_address_with_unknown_words_is_refused() -> None:
    with pytest.raises(ConfigError, match=r'expected an address of PostgreSQL: .*"colour"'):
        open_store("postgresql://host/base?colour=red")


def test_a_store_of_a_newer_version_is_refused(postgres: PostgresServer, address: str) -> None:
    open_store(address).close()
    postgres.execute(f"UPDATE {schema_of(address)}.parlour_version SET version = 99")
    with pytest.raises(StoreError, match="written by a newer version of Parlour: schema 99, expected 3"):
        open_store(address)


def test_a_store_of_version_2_is_read_as_it_is_and_becomes_one_of_today(postgres: PostgresServer, address: str) -> None:
    with open_store(address) as store:
        store.write(HEAD, Entries("m1", 0, (b"a", b"b")))
    postgres.execute(f"UPDATE {schema_of(address)}.parlour_version SET version = 2")
    for read_only, found in ((True, 2), (True, 2), (False, 2), (True, VERSION)):
        with open_store(address, read_only=read_only) as store:
            assert store.found_version == found
            assert list(store.entries("m1")) == [b"a", b"b"]


def test_a_database_of_another_program_is_left_as_it_is(postgres: PostgresServer, address: str) -> None:
    postgres.execute(f"CREATE TABLE {schema_of(address)}.cookies (jar text)")
    with pytest.raises(StoreError, match="a database of another program"):
        open_store(address)
    postgres.execute(f"DROP TABLE {schema_of(address)}.cookies", f"DROP SCHEMA {schema_of(address)}")


def test_a_server_that_does_not_write_to_disk_is_refused(postgres: PostgresServer, address: str) -> None:
    postgres.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)")
    try:
        with pytest.raises(StoreError, match="fsync is off"):
            open_store(address)
    finally:
        postgres.execute("ALTER SYSTEM RESET fsync", "SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)")


def test_reading_only_changes_nothing(address: str) -> None:
    with pytest.raises(StoreError, match="empty, not a store"):
        open_store(address, read_only=True)
    with open_store(address) as store:
        store.write(HEAD)
    with open_store(address, read_only=True) as store:
        assert store.head("m1") == HEAD
        with pytest.raises(StoreError, match="read-only"):
            store.write(Setting("a", b""))


def test_commits_are_durable_whatever_the_server_prefers(postgres: PostgresServer, address: str) -> None:
    postgres.execute("ALTER ROLE parlour SET synchronous_commit = off")
    try:
        with PostgresStore(address) as store:
            assert store._connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    finally:
        postgres.execute("ALTER ROLE parlour RESET synchronous_commit")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "parlour.store.postgres")
    with pytest.raises(MissingExtra, match="postgres"):
        importlib.import_module("parlour.store.postgres")


# How groups are written


@pytest.mark.parametrize("count", [1, COPY_FROM - 1, COPY_FROM, 700])
def test_groups_of_any_size_are_kept(address: str, count: int) -> None:
    async def scenario(store: PostgresStore) -> None:
        store.write(HEAD)
        await asyncio.gather(
            *(store.keep(Entries("m1", n, (b"%d" % n,)), Progress("m1", "x", n)) for n in range(count))
        )

    with PostgresStore(address) as store:
        asyncio.run(scenario(store))
        assert list(store.entries("m1")) == [b"%d" % number for number in range(count)]


@pytest.mark.parametrize("count", [1, COPY_FROM, COPY_FROM + 1])
def test_all_that_is_written_with_many_entries_is_kept_with_them(address: str, count: int) -> None:
    with open_store(address) as store:
        store.write(HEAD, Setting("s", b"1"), Entries("m1", 0, (b"x",) * count), Progress("m1", "running", 3))
        head = store.head("m1")
        assert head is not None
        assert (head.status, head.turn, store.length("m1"), store.setting("s")) == ("running", 3, count, b"1")


def test_a_large_call_with_a_contradiction_leaves_nothing(address: str) -> None:
    bodies = tuple(b"x" for _ in range(COPY_FROM + 1))
    with open_store(address) as store:
        store.write(HEAD, Entries("m1", 0, (b"first",)))
        with pytest.raises(ConflictError, match="duplicate key"):
            store.write(Setting("s", b"1"), Entries("m2", 0, bodies), Entries("m1", 0, (b"again",)))
        assert (store.length("m2"), store.setting("s")) == (0, None)
        assert list(store.entries("m1")) == [b"first"]


def test_receipts_do_not_pile_up(address: str) -> None:
    count = "SELECT count(*) FROM setting WHERE key LIKE 'writer/%%'"
    for _ in range(2):
        with open_store(address) as store:
            store.write(Setting("a", b""))
    with PostgresStore(address) as mine:
        mine.write(Setting("writer/of one that was killed", b"7"))
        assert mine._rows(count, ()) == [(2,)]
        mine.claim()
        assert mine._rows(count, ()) == [(1,)]


# When the server goes away


def test_reading_and_writing_go_on_when_connections_break(postgres: PostgresServer, address: str) -> None:
    with open_store(address) as store:
        store.write(HEAD)
        assert store.head("m1") == HEAD
        postgres.execute(CUT_ALL)
        assert store.head("m1") == HEAD
        store.write(Entries("m1", 0, (b"x",)))
        assert store.length("m1") == 1


@pytest.mark.parametrize("bad", [False, True], ids=["all fit", "one contradicts"])
@pytest.mark.parametrize("heard", [False, True])
def test_a_commit_that_was_cut_is_kept_exactly_once(
    postgres: PostgresServer, address: str, heard: bool, bad: bool
) -> None:
    with CuttingProxy(postgres.port, b"COMMIT") as proxy:
        through = address.replace(f":{postgres.port}/", f":{proxy.port}/")
        with open_store(through) as store:
            store.write(HEAD, Entries("m1", 0, (b"first",)))
            proxy.cut_after, proxy.cut_before = heard, not heard

            async def scenario() -> list[object]:
                wrong = Entries("m1", 0, (b"again",)) if bad else Setting("s", b"")
                calls = [store.keep(Setting("group", b"")), store.keep(Entries("m2", 0, (b"x",)), wrong)]
                calls += [store.keep(Entries("m1", 1, (b"second",)))]
                return await asyncio.gather(*calls, return_exceptions=True)

            answers = asyncio.run(scenario())
            assert proxy.cuts == 1
            assert [type(answer) for answer in answers] == [
                type(None),
                ConflictError if bad else type(None),
                type(None),
            ]
            assert list(store.entries("m1")) == [b"first", b"second"]
            assert list(store.entries("m2")) == ([] if bad else [b"x"])


def test_whoever_lost_the_claim_writes_no_more(postgres: PostgresServer, address: str) -> None:
    with PostgresStore(address, patience=0.5) as first, open_store(address) as second:
        first.claim()
        first.write(HEAD)
        postgres.execute(CUT_ALL)
        second.claim()
        with pytest.raises(StoreError, match="in use by another server"):
            first.write(Entries("m1", 0, (b"x",)))
        second.write(Entries("m1", 0, (b"y",)))
        assert list(first.entries("m1")) == [b"y"]


def test_a_claim_comes_back_with_the_connection(postgres: PostgresServer, address: str) -> None:
    with open_store(address) as first, PostgresStore(address, patience=0.5) as second:
        first.claim()
        postgres.execute(CUT_ALL)
        first.write(HEAD)
        with pytest.raises(StoreError, match="in use by another server"):
            second.claim()


def test_a_claim_waits_for_one_that_is_about_to_end(address: str) -> None:
    with open_store(address) as first, open_store(address) as second:
        first.claim()
        threading.Timer(0.3, first.close).start()
        second.claim()
        second.write(HEAD)


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (psycopg.InterfaceError("the connection is closed"), True),
        (psycopg.OperationalError("nobody answered"), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.SerializationFailure(), True),
        (psycopg.errors.DiskFull(), False),
        (psycopg.errors.UniqueViolation(), False),
        (ValueError(), False),
        (None, False),
    ],
    ids=lambda given: type(given).__name__ if isinstance(given, Exception) else str(given),
)
def test_only_what_may_pass_by_itself_is_tried_again(error: Exception | None, away: bool) -> None:
    assert _is_away(error) is away


def test_patience_ends(postgres: PostgresServer, address: str) -> None:
    with PostgresStore(address, patience=0.1) as store:
        store.write(HEAD)
        postgres.kill()
        try:
            with pytest.raises(StoreError, match=r"refused$|closed the connection"):
                store.write(Setting("a", b""))
            with pytest.raises(StoreError, match=r"refused$|closed the connection"):
                store.head("m1")
        finally:
            assert postgres.restart()
        store.write(Setting("a", b"1"))
        assert store.setting("a") == b"1"


def test_a_commit_of_which_nothing_was_heard_is_said_to_be_unknown(postgres: PostgresServer, address: str) -> None:
    with CuttingProxy(postgres.port, b"COMMIT") as proxy:
        store = PostgresStore(address.replace(f":{postgres.port}/", f":{proxy.port}/"), patience=0.1)
        proxy.cut_after = True
        proxy.stop_listening()
        with pytest.raises(StoreError, match="it may have been stored"):
            store.write(HEAD)
        with pytest.raises(StoreError, match=r"refused$"):
            store.write(HEAD)
        store.close()
    with open_store(address) as again:
        assert again.head("m1") == HEAD
