"""Promises of every store, tested with each back end."""

from __future__ import annotations

import asyncio
import math
import threading

import msgspec
import pytest

from parlour.errors import ConflictError, RecordError, StoreError
from parlour.store import (
    Account,
    AccountChange,
    AllRevoked,
    Entries,
    Filter,
    Finished,
    Page,
    Permission,
    Progress,
    RecordHead,
    RecordKind,
    Revoked,
    Seating,
    Setting,
    SignUp,
    Snapshot,
    Store,
    Token,
    Write,
    open_store,
)
from parlour.store.sql import SQLStore
from support.waiting import PATIENCE

from .conftest import OpenStore

HEAD = RecordHead("m1", RecordKind.MATCH, "fish", parent="t1", opened=12.5)
TOKEN = Token(b"\0\xffdigest", "zoe", "sign in", 10.0, 20.0)


def match(id: str, **fields: object) -> RecordHead:
    return msgspec.structs.replace(RecordHead(id, RecordKind.MATCH, "fish"), **fields)


def ids(store: Store, **wanted: object) -> list[str]:
    found = [head.id for head in store.heads(msgspec.convert(wanted, Filter))]
    assert store.count(msgspec.convert(wanted, Filter)) == len(found)
    return found


# Records


def test_a_record_is_read_back_as_it_was_written(store: Store, reopen: OpenStore) -> None:
    store.write(HEAD, Entries("m1", 0, (b"a\0", b"\xff")))
    store.write(Entries("m1", 2, (b"c",)))
    store.close()
    with reopen() as again:
        assert again.head("m1") == HEAD
        assert list(again.entries("m1")) == [b"a\0", b"\xff", b"c"]
        assert list(again.entries("m1", 2)) == [b"c"]
        assert again.length("m1") == 3


def test_all_that_a_head_tells_is_read_back(store: Store) -> None:
    head = RecordHead(
        "m1",
        RecordKind.MATCH,
        "diplomacy",
        "t",
        1.5,
        "zoë",
        "A long evening",
        "$argon2id$",
        b'{"map":"standard"}',
        {"FRANCE": "adam", "GERMANY": "eve"},
        "running",
        7,
        "F1901M",
        99.25,
        3.5,
    )
    store.write(head)
    assert store.head("m1") == head
    assert store.page().heads == (head,)


def test_a_long_record_is_read_page_by_page(store: Store) -> None:
    bodies = tuple(str(number).encode() for number in range(1201))
    store.write(HEAD, Entries("m1", 0, bodies))
    assert tuple(store.entries("m1")) == bodies
    assert tuple(store.entries("m1", 700)) == bodies[700:]


@pytest.mark.parametrize("missing", [0, 1, 500])
def test_a_record_with_a_gap_is_not_read_past_it(store: Store, missing: int) -> None:
    bodies = tuple(b"x" for _ in range(missing))
    store.write(HEAD, Entries("m1", 0, bodies), Entries("m1", missing + 1, (b"x", b"x")))
    read = store.entries("m1")
    assert [next(read) for _ in range(missing)] == list(bodies)
    with pytest.raises(RecordError, match=f"event {missing}: record m1: missing"):
        next(read)
    assert list(store.entries("m1", missing + 1)) == [b"x", b"x"]


def test_entries_that_contradict_what_is_kept_are_refused_without_blaming_another_record(store: Store) -> None:
    store.write(HEAD, match("m2"), Entries("m1", 0, (b"x",)))
    with pytest.raises(ConflictError) as told:
        store.write(Entries("m2", 0, (b"x",)), Entries("m1", 0, (b"y",)))
    assert "m2" not in str(told.value)
    assert (list(store.entries("m1")), list(store.entries("m2"))) == ([b"x"], [])


def test_unknown_things_are_absent_not_an_error(store: Store) -> None:
    assert store.head("none") is None
    assert store.result("none") is None
    assert store.snapshot("none") is None
    assert store.account("none") is None
    assert store.token(b"none") is None
    assert store.setting("none") is None
    assert store.length("none") == 0
    assert [*store.entries("none"), *store.sign_ups("none"), *store.seating("none")] == []
    assert [*store.permissions("none"), *store.tokens("none"), *store.accounts(), *store.heads()] == []
    assert store.page() == Page((), None)
    assert store.dues(10) == []


def test_progress_is_seen_in_the_head(store: Store) -> None:
    store.write(HEAD, match("m2"))
    store.write(Progress("m1", "running", 3, "S1902M", 60.0, 50.0))
    changed = msgspec.structs.replace(HEAD, status="running", turn=3, phase="S1902M", due=60.0, updated=50.0)
    assert store.head("m1") == changed
    assert store.head("m2") == match("m2")
    with pytest.raises(ConflictError, match="record m3 is not known"):
        store.write(Progress("m3", "running"))


def test_progress_and_the_end_of_a_record_are_kept_in_their_order(store: Store) -> None:
    store.write(HEAD, match("m2"))
    store.write(Progress("m1", "running", 3, due=60.0), Finished("m1", b"{}"))
    store.write(Progress("m2", "running", 4, due=60.0), Finished("m2", b"{}"), Progress("m2", "shown", 5))
    first, second = store.heads()
    assert (first.status, first.turn, first.due) == ("over", 3, None)
    assert (second.status, second.turn, second.due) == ("shown", 5, None)


def test_progress_of_a_record_that_comes_only_later_is_a_conflict(store: Store) -> None:
    with pytest.raises(ConflictError, match="record m1 is not known"):
        store.write(Progress("m1", "running"), HEAD)
    assert store.head("m1") is None
    store.write(HEAD, Progress("m1", "running"))
    with pytest.raises(ConflictError, match="is not known") as told:
        store.write(Progress("m1", "over"), Progress("m3", "over"))
    assert "m1" not in str(told.value)
    found = store.head("m1")
    assert found is not None
    assert found.status == "running"


def test_a_record_is_finished_once_and_then_nothing_in_it_is_due(store: Store) -> None:
    store.write(msgspec.structs.replace(HEAD, due=9.0), match("m2", due=8.0))
    store.write(Finished("m1", b"1"))
    with pytest.raises(ConflictError, match="record m1 is not open"):
        store.write(Finished("m1", b"2"))
    with pytest.raises(ConflictError, match="record m3 is not open"):
        store.write(Finished("m3", b"2"))
    assert store.result("m1") == b"1"
    assert store.head("m1") == msgspec.structs.replace(HEAD, status="over", result=b"1")
    assert store.result("m2") is None
    assert store.dues(10) == [(8.0, "m2")]


def test_the_longest_snapshot_is_kept(store: Store) -> None:
    store.write(Snapshot("m1", 10, b"ten"), Snapshot("m2", 1, b"other"))
    store.write(Snapshot("m1", 5, b"five"))
    assert store.snapshot("m1") == Snapshot("m1", 10, b"ten")
    store.write(Snapshot("m1", 10, b"again"))
    assert store.snapshot("m1") == Snapshot("m1", 10, b"again")
    store.write(Snapshot("m1", 11, b"eleven"))
    assert store.snapshot("m1") == Snapshot("m1", 11, b"eleven")
    assert store.snapshot("m2") == Snapshot("m2", 1, b"other")


def test_who_sits_where_comes_back(store: Store) -> None:
    store.write(match("m1", players={"red": "zoe"}), match("m2"))
    store.write(
        Seating("m1", "white", "adam", account="adam@"), Seating("m1", "brown", "house", agent="search:budget=9")
    )
    assert store.seating("m1") == [
        Seating("m1", "brown", "house", agent="search:budget=9"),
        Seating("m1", "red", "zoe"),
        Seating("m1", "white", "adam", account="adam@"),
    ]
    store.write(Seating("m1", "red"))
    head = store.head("m1")
    assert head is not None
    assert head.players == {"brown": "house", "white": "adam"}
    assert [head.players for head in store.heads(Filter(player="adam"))] == [{"brown": "house", "white": "adam"}]
    assert store.seating("m1")[1] == Seating("m1", "red")
    assert store.seating("m2") == []


def test_sign_ups_come_back_by_arrival(store: Store) -> None:
    late, early = SignUp("t1", "zoe", 2, b"d" * 32, age=7), SignUp("t1", "adam", 1)
    store.write(late, SignUp("t2", "zoe", 1))
    store.write(early)
    assert store.sign_ups("t1") == [early, late]
    with pytest.raises(ConflictError):
        store.write(early)


# Lists


def test_heads_are_filtered(store: Store) -> None:
    store.write(
        RecordHead("t1", RecordKind.TOURNAMENT, "fish", owner="zoe"),
        match("m1", parent="t1", players={"red": "adam"}, status="open", due=5.0),
        match("m2", game="diplomacy", owner="zoe", status="running", due=7.0),
        match("m3", owner="adam", status="paused"),
        Seating("m3", "red", "eve", account="eve@"),
    )
    store.write(Finished("m3", b"{}"))
    assert ids(store) == ["t1", "m1", "m2", "m3"]
    assert ids(store, kind="match") == ["m1", "m2", "m3"]
    assert ids(store, kind="tournament") == ["t1"]
    assert ids(store, game="fish") == ["t1", "m1", "m3"]
    assert ids(store, parent="t1") == ["m1"]
    assert ids(store, kind="match", parent="") == ["m2", "m3"]
    assert ids(store, owner="zoe") == ["t1", "m2"]
    assert ids(store, player="adam") == ["m1"]
    assert ids(store, player="eve@") == []
    assert ids(store, account="eve@") == ["m3"]
    assert ids(store, account="adam") == []
    assert ids(store, status=["open", "running"]) == ["m1", "m2"]
    assert ids(store, status=["over"]) == ["m3"]
    assert ids(store, due_by=5.0) == ["m1"]
    assert ids(store, due_by=7.5) == ["m1", "m2"]
    assert ids(store, unfinished=True) == ["t1", "m1", "m2"]
    assert ids(store, unfinished=True, kind="match", owner="zoe", game="diplomacy", status=["running"]) == ["m2"]
    assert [head.id for head in store.heads(newest_first=True)] == ["m3", "m2", "m1", "t1"]


def test_no_list_is_cut_short(store: Store) -> None:
    names = [f"m{number}" for number in range(2500)]
    store.write(*(match(name) for name in names))
    wanted = Filter(kind=RecordKind.MATCH, unfinished=True)
    assert [head.id for head in store.heads(wanted)] == names
    assert [head.id for head in store.heads(wanted, newest_first=True)] == names[::-1]


@pytest.mark.parametrize("newest_first", [True, False])
def test_pages_follow_on_one_another(store: Store, newest_first: bool) -> None:
    names = [f"m{number}" for number in range(10)]
    store.write(*(match(name) for name in names))
    expected = names[::-1] if newest_first else names
    first = store.page(limit=4, newest_first=newest_first)
    second = store.page(limit=4, after=first.more, newest_first=newest_first)
    store.write(match("new"))
    third = store.page(limit=2, after=second.more, newest_first=newest_first)
    assert [[head.id for head in page.heads] for page in (first, second, third)] == [
        expected[:4],
        expected[4:8],
        expected[8:],
    ]
    assert (third.more is None) == newest_first
    assert store.page(limit=11).more is None
    assert [head.id for head in store.page(limit=2).heads] == ["new", "m9"], "who does not say sees the newest first"


def test_what_is_due_first_comes_first(store: Store) -> None:
    store.write(match("m1", due=7.0), match("m2"), match("m3", due=5.0), match("m4", due=7.0), match("m5", due=9.0))
    assert store.dues(3) == [(5.0, "m3"), (7.0, "m1"), (7.0, "m4")]
    assert store.dues(10, 7.0) == [(5.0, "m3")]
    store.write(Progress("m3", "paused"))
    assert store.dues(1) == [(7.0, "m1")]


# Accounts, tokens, permissions, settings


def test_accounts_are_new_and_then_changed(store: Store) -> None:
    zoe = Account("zoe", "$argon2id$1", "admin", 5.0)
    store.write(zoe, Account("Adam", "$argon2id$2", locked=True))
    with pytest.raises(ConflictError):
        store.write(Account("zoe", "$argon2id$3"))
    assert store.account("zoe") == zoe
    assert store.account("Zoe") is None
    assert [account.name for account in store.accounts()] == ["Adam", "zoe"]
    store.write(AccountChange("zoe", locked=True))
    assert store.account("zoe") == msgspec.structs.replace(zoe, locked=True)
    store.write(AccountChange("zoe", password="$argon2id$4", role=""))
    assert store.account("zoe") == Account("zoe", "$argon2id$4", "", 5.0, locked=True)
    store.write(AccountChange("zoe", locked=False))
    assert store.account("zoe") == Account("zoe", "$argon2id$4", "", 5.0)
    assert store.account("Adam") == Account("Adam", "$argon2id$2", locked=True)
    with pytest.raises(ConflictError, match="account eve is not known"):
        store.write(AccountChange("eve", role="admin"))


def test_every_account_is_listed(store: Store) -> None:
    names = sorted(f"player {number}" for number in range(1100))
    store.write(*(Account(name, "") for name in names))
    assert [account.name for account in store.accounts()] == names


def test_tokens_are_issued_and_spent_once(store: Store) -> None:
    other = Token(b"other", "zoe", "sign in", 5.0, 30.0)
    store.write(TOKEN, other, Token(b"adams", "adam", "sign in", 1.0, 20.0))
    assert store.token(TOKEN.digest) == TOKEN
    assert store.tokens("zoe") == [other, TOKEN]
    store.write(Revoked(TOKEN.digest), Account("guest", ""))
    assert store.token(TOKEN.digest) is None
    with pytest.raises(ConflictError, match="the token is not valid"):
        store.write(Revoked(TOKEN.digest), Account("second guest", ""))
    assert store.account("second guest") is None
    assert store.tokens("zoe") == [other]


def test_tokens_are_revoked_together(store: Store) -> None:
    late = Token(b"late", "zoe", "sign in", 10.0, 21.0)
    adams = Token(b"adams", "adam", "sign in", 1.0, 20.0)
    store.write(TOKEN, late, adams)
    store.write(AllRevoked("zoe", by=20.0))
    assert store.tokens("zoe") == [late]
    store.write(AllRevoked("zoe"))
    assert (store.tokens("zoe"), store.tokens("adam")) == ([], [adams])
    store.write(AllRevoked(by=19.9))
    assert store.tokens("adam") == [adams]
    store.write(AllRevoked(by=20.0))
    assert store.tokens("adam") == []


def test_permissions_are_given_changed_and_taken(store: Store) -> None:
    store.write(
        Permission("m1", "zoe", "moderator"), Permission("m1", "adam", "observer"), Permission("m2", "zoe", "x")
    )
    store.write(Permission("m1", "adam", "omniscient"))
    assert store.permissions("m1") == [Permission("m1", "adam", "omniscient"), Permission("m1", "zoe", "moderator")]
    store.write(Permission("m1", "zoe", ""))
    assert store.permissions("m1") == [Permission("m1", "adam", "omniscient")]
    assert store.permissions("m2") == [Permission("m2", "zoe", "x")]


def test_settings_are_replaced(store: Store) -> None:
    store.write(Setting("alive", b"1"), Setting("secret", b"\0"))
    store.write(Setting("alive", b"2"))
    assert store.setting("alive") == b"2"
    assert store.setting("secret") == b"\0"


# Together or not at all


def test_writes_of_one_call_are_kept_together_or_not_at_all(store: Store) -> None:
    store.write(HEAD)
    with pytest.raises(ConflictError):
        store.write(Entries("m1", 0, (b"a",)), Setting("s", b"1"), HEAD)
    assert list(store.entries("m1")) == []
    assert store.setting("s") is None
    store.write(Entries("m1", 0, (b"again",)))
    assert list(store.entries("m1")) == [b"again"]


def test_a_number_is_never_written_twice(store: Store) -> None:
    store.write(Entries("m1", 0, (b"a",)))
    with pytest.raises(ConflictError):
        store.write(Entries("m1", 0, (b"b",)))
    with pytest.raises(ConflictError):
        store.write(Entries("m2", 0, (b"b",)), Entries("m2", 0, (b"b",)))
    assert list(store.entries("m1")) == [b"a"]
    assert list(store.entries("m2")) == []


@pytest.mark.parametrize(("first", "count"), [(1, 1), (2, 5), (3, 1), (3, 2), (4, 1), (4, 3), (0, 9), (6, 1), (7, 3)])
def test_entries_that_share_a_number_with_others_are_refused(store: Store, first: int, count: int) -> None:
    """However the others were kept: several by one call, or one by one."""
    store.write(Entries("m1", 1, (b"a", b"b")), Entries("m1", 3, (b"c",)), Entries("m2", 0, (b"x",) * 12))
    store.write(Entries("m1", 4, (b"d",)), Entries("m1", 6, (b"e", b"f")))
    with pytest.raises(ConflictError, match=r"m1|duplicate"):
        store.write(Entries("m1", first, (b"z",) * count))
    store.write(Entries("m1", 0, (b"0",)), Entries("m1", 5, (b"5",)), Entries("m1", 8, (b"8",)))
    assert b"".join(store.entries("m1")) == b"0abcd5ef8"
    assert store.length("m1") == 9


def test_a_record_is_read_from_any_number_on(store: Store) -> None:
    bodies = tuple(bytes([number]) * number * 40 for number in range(60))
    for first, last in ((0, 1), (1, 30), (30, 32), (32, 60)):
        store.write(Entries("m1", first, bodies[first:last]))
    for start in range(62):
        assert tuple(store.entries("m1", start)) == bodies[start:]


def test_in_a_group_only_the_calls_fail_that_contradict_what_is_kept(store: Store) -> None:
    store.write(HEAD, Entries("m1", 0, (b"first",)), Account("zoe", ""))
    bad: dict[int, tuple[Write, ...]] = {
        40: (Entries("n40", 0, (b"x",)), HEAD),
        80: (Entries("n80", 0, (b"x",)), Entries("m1", 0, (b"second",))),
        90: (Entries("n90", 0, (b"x",)), Progress("unknown", "running")),
        120: (Entries("n120", 0, (b"x",)), Account("zoe", "")),
        160: (Entries("n160", 0, (b"x",)), Revoked(b"unknown")),
    }

    async def scenario() -> list[object]:
        calls = [
            store.keep(*bad.get(number, (match(f"n{number}"), Entries(f"n{number}", 0, (b"x",)))))
            for number in range(201)
        ]
        return list(await asyncio.gather(*calls, return_exceptions=True))

    answers = asyncio.run(scenario())
    assert {number for number, answer in enumerate(answers) if answer is not None} == set(bad)
    assert {type(answer) for answer in answers if answer is not None} == {ConflictError}
    for number in range(201):
        kept = [] if number in bad else [b"x"]
        assert list(store.entries(f"n{number}")) == kept, number
    assert list(store.entries("m1")) == [b"first"]


async def test_within_a_group_writes_count_in_the_order_in_which_they_came(store: Store) -> None:
    await asyncio.gather(
        store.keep(HEAD, Progress("m1", "open", 1)),
        store.keep(Progress("m1", "running", 2, due=3.0), Setting("s", b"1")),
        store.keep(Entries("m1", 0, (b"a",)), Progress("m1", "running", 3, due=4.0)),
        store.keep(Finished("m1", b"{}"), Setting("s", b"2")),
        store.keep(Entries("m1", 1, (b"b",)), Progress("m1", "over", 4)),
    )
    head = store.head("m1")
    assert head is not None
    assert (head.status, head.turn, head.due, head.result) == ("over", 4, None, b"{}")
    assert list(store.entries("m1")) == [b"a", b"b"]
    assert store.setting("s") == b"2"


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (Entries("m1", 0, (b"x" * ((1 << 20) + 1),)), "an entry is larger than 1,048,576 bytes"),
        (Entries("m1", -1, (b"x",)), "entries are numbered from 0, not from -1"),
        (Entries("m\0", 0, (b"x",)), "cannot be kept"),
        (Setting("s", b"x" * ((16 << 20) + 1)), "too large to keep: at most 16,777,216"),
        (Setting("s" * ((1 << 16) + 1), b""), "too long to keep: at most 65,536"),
        (Setting("nul\0", b""), "cannot be kept"),
        (Setting("\ud800", b""), "cannot be kept"),
        (match("m1", players={"red": "\ud800"}), "cannot be kept"),
        (match("m1", players={"red\0": ""}), "cannot be kept"),
        (match("m1", turn=1 << 63), "more than 64 bits"),
        (match("m1", turn=-(1 << 63) - 1), "more than 64 bits"),
        (match("m1", due=math.nan), "expected a number, got nan"),
        (match("m1", result=b"{}"), "result: expected None in a head"),
    ],
)
def test_what_some_store_could_not_keep_none_takes(store: Store, write: Write, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        store.write(write)
    store.write(Setting("alive", b"still"))
    assert store.setting("alive") == b"still"


@pytest.mark.parametrize("text", ["m\0", "\0", "\ud800"])
def test_what_no_store_keeps_is_not_there(store: Store, text: str) -> None:
    store.write(match("m"), Entries("m", 0, (b"a",)))
    found = (store.head(text), store.result(text), store.snapshot(text), store.account(text), store.setting(text))
    assert found == (None,) * 5
    assert (list(store.entries(text)), store.length(text)) == ([], 0)
    assert not any((store.seating(text), store.permissions(text), store.tokens(text), store.sign_ups(text)))
    for field in ("game", "owner", "player", "account"):
        assert ids(store, **{field: text}) == []
    assert ids(store, status=(text,)) == []


def test_the_largest_that_can_be_kept_is_kept(store: Store) -> None:
    store.write(
        Entries("m1", 0, (b"x" * (1 << 20), b"")),
        Setting("é" * (1 << 16), b"y" * (16 << 20)),
        match("m", turn=(1 << 63) - 1, due=math.inf, opened=-math.inf),
    )
    assert [len(body) for body in store.entries("m1")] == [1 << 20, 0]
    assert len(store.setting("é" * (1 << 16)) or b"") == 16 << 20
    head = store.head("m")
    assert head is not None
    assert (head.turn, head.due, head.opened) == ((1 << 63) - 1, math.inf, -math.inf)


# Reading beside writing


async def test_a_read_does_not_block_the_loop(store: Store) -> None:
    gate = threading.Event()

    def slow() -> str:
        assert gate.wait(PATIENCE)
        return threading.current_thread().name

    store.write(HEAD)
    waiting = asyncio.ensure_future(store.fetch(slow))
    assert await store.fetch(store.head, "m1") == HEAD
    assert [head.id for head in await store.fetch(list, store.heads())] == ["m1"]
    gate.set()
    assert (await waiting).startswith("store reader")


async def test_many_read_at_once_while_others_write(store: Store) -> None:
    store.write(HEAD)
    writes = [store.keep(Entries("m1", number, (b"x",))) for number in range(50)]
    reads = [store.fetch(store.head, "m1") for _ in range(50)]
    await asyncio.gather(*writes)
    assert {read == HEAD for read in await asyncio.gather(*reads)} == {True}
    assert store.length("m1") == 50


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.write(HEAD)
    with pytest.raises(StoreError, match="the store is closed"):
        store.head("m1")
    with pytest.raises(StoreError, match="the store is closed"):
        asyncio.run(store.fetch(store.head, "m1"))


def test_only_one_may_claim_a_store_and_others_may_still_read_it(store: Store, reopen: OpenStore) -> None:
    store.claim()
    store.claim()
    store.write(HEAD)
    with reopen() as other:
        assert other.head("m1") == HEAD
        with pytest.raises(StoreError, match="in use by another server"):
            other.claim()
    store.close()
    with reopen() as store:
        store.claim()


def test_a_record_is_claimed_beside_the_store_and_beside_other_records(store: Store, reopen: OpenStore) -> None:
    store.claim()
    with reopen() as other, reopen() as third:
        other.claim("t1")
        other.claim("t1")
        other.write(HEAD)
        store.write(msgspec.structs.replace(HEAD, id="m2"))
        third.claim("t2")
        with pytest.raises(StoreError, match="another program continues t1"):
            third.claim("t1")
    with reopen() as other:
        other.claim("t1")


@pytest.mark.parametrize("rest", [0.0, 0.5])
def test_its_writer_rests_if_it_is_asked_to(address: str, rest: float) -> None:
    with open_store(address, rest=rest) as store:
        assert isinstance(store, SQLStore)
        assert store._writer._rest_for == rest


def test_who_looks_finds_what_is_listed_and_what_concerns_them(store: Store) -> None:
    unlisted = b'{"delay":1.0,"listed":false}'
    store.write(match("open"), match("told", about=b'{"title":"\\"listed\\":false"}'))
    store.write(*(match(name, about=unlisted) for name in ("hidden", "seated", "judged", "was seated", "was judged")))
    store.write(match("own", about=unlisted, owner="zoe"))
    store.write(Seating("seated", "red", "shown", "zoe"), Permission("judged", "zoe", "moderator"))
    store.write(Seating("was seated", "red", "shown", "zoe"), Permission("was judged", "zoe", "omniscient"))
    store.write(Seating("was seated", "red"), Permission("was judged", "zoe", ""))
    assert sorted(ids(store, visible_to="")) == ["open", "told"]
    assert sorted(ids(store, visible_to="shown")) == ["open", "told"]
    assert sorted(ids(store, visible_to="zoe")) == ["judged", "open", "own", "seated", "told"]
    assert ids(store, visible_to="zoe", owner="zoe") == ["own"]
    assert ids(store, visible_to="", owner="zoe") == []
    assert len(ids(store)) == 8


def test_veiled_records_count_as_running_but_for_those_whom_they_concern(store: Store) -> None:
    masked = b'{"admission":{"anonymous":true}}'
    about = {"open": b"", "ended": b"", "veiled": b"", "masked": masked, "over and masked": masked}
    store.write(*(match(name, about=about[name], status="running") for name in about))
    store.write(*(Finished(name, b"{}") for name in ("ended", "veiled", "over and masked")))
    store.write(Seating("veiled", "red", "shown", "zoe"))
    veiled = ("veiled", "over and masked", "m' OR 1 --")
    everybody, others = ["open", "veiled", "masked", "over and masked"], ["open", "masked", "over and masked"]
    assert ids(store, veiled=veiled, status=("running",)) == everybody
    assert ids(store, veiled=veiled, unfinished=True) == everybody
    assert ids(store, veiled=veiled, unfinished=True, visible_to="zoe") == others
    assert ids(store, veiled=veiled, status=("over",), visible_to="adam") == ["ended"]
    assert ids(store, veiled=veiled, status=("over",), visible_to="zoe") == ["ended", "veiled"]
    assert ids(store, veiled=veiled, named=True) == ["open", "ended", "veiled"]
    assert ids(store, named=True) == ["open", "ended", "veiled", "over and masked"]
    store.write(Progress("open", "running", 1, "", None, 7.0))
    assert ids(store, changed_after=6.0) == ["open"]
    assert ids(store, changed_after=7.0) == []
