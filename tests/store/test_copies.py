"""Copies of stores: everything comes back, in a store of any kind, and a bad copy is named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from parlour.errors import RecordError, StoreError
from parlour.store import (
    Account,
    Entries,
    Filter,
    Finished,
    Permission,
    RecordHead,
    RecordKind,
    Seating,
    Setting,
    SignUp,
    SQLiteStore,
    Store,
    Token,
    Write,
    copies,
)
from parlour.store.copies import AT_ONCE, LAST, copy_lines, restore


def fill(store: Store) -> None:
    store.write(
        Account("zoe", "$argon2id$", "admin", 1.5),
        Token(b"\0\xff", "zoe", "sign in", 1.0, 2.0),
        Token(b"everybody's", "", "invitation", 1.0, 2.0),
        Setting("alive", b"\0"),
        Setting("writer/1", b"7"),
        RecordHead("t1", RecordKind.TOURNAMENT, "fish", opened=2.5),
        SignUp("t1", "adam", 1, b"d", 7),
        RecordHead(
            "m1", RecordKind.MATCH, "fish", "t1", owner="zoe", password="$argon2id$", about=b"{}", status="running"
        ),
        Seating("m1", "red", "adam", "adam@"),
        Seating("m1", "white", "house", agent="greedy"),
        Permission("m1", "zoe", "moderator"),
        Entries("m1", 0, tuple(b"%d" % number for number in range(2 * AT_ONCE + 1))),
        RecordHead("m2", RecordKind.MATCH, "fish", "t1"),
        Entries("m2", 0, tuple(b"%d" % number for number in range(AT_ONCE))),
        Finished("m2", b'{"winners":[]}'),
    )


def everything(store: Store) -> list[object]:
    heads = list(store.heads())
    return [
        heads,
        *(list(store.entries(head.id)) for head in heads),
        *([*store.seating(head.id), *store.permissions(head.id), *store.sign_ups(head.id)] for head in heads),
        [list(store.accounts()), store.tokens("zoe"), store.tokens("")],
        [setting for setting in store.settings() if not setting.key.startswith("writer/")],
    ]


def test_everything_comes_back_in_a_store_of_any_kind(store: Store, tmp_path: Path) -> None:
    fill(store)
    with SQLiteStore(tmp_path / "copy.db") as other:
        assert restore(other, copy_lines(store)) == 3
        assert everything(other) == everything(store)
        assert other.setting("writer/1") is None
    with SQLiteStore(tmp_path / "copy.db", read_only=True) as other, SQLiteStore(tmp_path / "third.db") as third:
        assert list(copy_lines(other)) == list(copy_lines(store))
        assert restore(third, copy_lines(other)) == 3


def test_a_long_copy_is_kept_in_parts(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    lines = list(copy_lines(store))
    monkeypatch.setattr(copies, "AT_ONCE", 3)
    with SQLiteStore(tmp_path / "copy.db") as other:
        sizes: list[int] = []
        write = other.write

        def noting(*writes: Write) -> None:
            sizes.append(len(writes))
            write(*writes)

        monkeypatch.setattr(other, "write", noting)
        restore(other, lines)
        assert sum(sizes) == len(lines) - 1, "all but the header"
        assert set(sizes[:-1]) == {3}
        assert everything(other) == everything(store)


def test_a_token_that_never_ends_comes_back_too(store: Store, tmp_path: Path) -> None:
    """Such as that of a one-time password, which every server makes when it starts for the first time."""
    store.write(Account("admin", "once:"), Token(b"guard", "admin", "once", 1.0, math.inf))
    with SQLiteStore(tmp_path / "copy.db") as other:
        restore(other, copy_lines(store))
        (token,) = other.tokens("admin")
        assert token.expires == LAST


def test_a_copy_goes_into_any_kind_of_store(store: Store, tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "first.db") as first:
        fill(first)
        restore(store, copy_lines(first))
        assert everything(store) == everything(first)


def test_without_accounts_no_secret_is_in_the_copy(store: Store, tmp_path: Path) -> None:
    fill(store)
    lines = list(copy_lines(store, accounts=False))
    assert b"argon2" not in b"".join(lines)
    with SQLiteStore(tmp_path / "copy.db") as other:
        restore(other, lines)
        assert [*other.accounts(), *other.tokens("zoe"), *other.tokens(""), *other.settings()] == []
        assert other.permissions("m1") == []
        assert other.count(Filter(owner="zoe")) == 1
        assert other.seating("m1") == store.seating("m1")


HEADER = b'{"format":"parlour store","version":2}'


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "not a copy of a store"),
        ([b"{}"], "not a copy of a store"),
        ([b"\xff"], "not a copy of a store"),
        ([b'{"format":"parlour record","version":1}'], "'parlour record' version 1, expected 'parlour store'"),
        ([b'{"format":"parlour store","version":3}'], "version 3, expected 'parlour store' up to 2"),
        ([HEADER, b'{"write":"nonsense"}'], "line 2: not a write: Invalid value 'nonsense'"),
        ([HEADER, b'{"write":"setting","key":"a","value":"AA=='], "line 2: not a write"),
        ([HEADER, b"\xff"], "line 2: not a write"),
    ],
)
def test_a_bad_copy_is_refused(store: Store, lines: Sequence[bytes], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        restore(store, lines)


def test_lines_that_contradict_one_another_are_named(store: Store) -> None:
    head = b'{"write":"record head","id":"m","kind":"match","game":"fish"}'
    with pytest.raises(StoreError, match=r"^lines 2 to 3: "):
        restore(store, [HEADER, head, head])


@pytest.mark.parametrize("write", [RecordHead("m1", RecordKind.MATCH, "fish"), Account("zoe", "")])
def test_a_copy_is_only_put_into_an_empty_store(store: Store, write: RecordHead | Account) -> None:
    store.write(write)
    with pytest.raises(StoreError, match="expected an empty store"):
        restore(store, [HEADER])
