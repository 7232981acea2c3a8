"""Copies a whole store to lines of JSON and back: to move it to another back end, to inspect it, to back it up.

The first line is a header. Every other line is a write; done in order, the writes make the same store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.errors import RecordError, StoreError
from parlour.store.contract import Store
from parlour.store.entries import Entries, Finished, RecordHead, RecordKind, Setting, Token, Write

FORMAT = "parlour store"
VERSION = 2
"""Version of the writes in a copy; the tables beneath may be newer."""
MAX_LINE = 64 << 20
LAST = 253_402_300_800.0
"""The end of the year 9999, in Unix seconds."""
AT_ONCE = 200
"""Maximum entries per line, and maximum lines per write."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Write] = msgspec.json.Decoder(Write)


class StoreHeader(msgspec.Struct, frozen=True):
    """The first line of a copy."""

    format: str
    version: int


def copy_lines(store: Store, *, accounts: bool = True) -> Iterator[bytes]:
    """Yield the lines of a copy; without `accounts` it has no passwords, tokens, settings or accounts' permissions."""
    yield _encoder.encode(StoreHeader(FORMAT, VERSION))
    if accounts:
        for account in store.accounts():
            yield _encoder.encode(account)
            yield from (_encoder.encode(_finite(token)) for token in store.tokens(account.name))
        yield from (_encoder.encode(_finite(token)) for token in store.tokens(""))
        yield from (_encoder.encode(setting) for setting in store.settings() if not _is_receipt(setting))
    for head in store.heads():
        yield from map(_encoder.encode, _record(store, head, accounts))


def _record(store: Store, head: RecordHead, accounts: bool) -> Iterator[Write]:
    opened = msgspec.structs.replace(head, result=None, players={})
    yield opened if accounts else msgspec.structs.replace(opened, password="")
    first = 0
    bodies: list[bytes] = []
    for body in store.entries(head.id):
        bodies.append(body)
        if len(bodies) == AT_ONCE:
            yield Entries(head.id, first, tuple(bodies))
            first += len(bodies)
            bodies = []
    if bodies:
        yield Entries(head.id, first, tuple(bodies))
    yield from store.seating(head.id)
    # A role without an account is a property of the match itself.
    yield from (one for one in store.permissions(head.id) if accounts or not one.account)
    if head.kind is RecordKind.TOURNAMENT:
        yield from store.sign_ups(head.id)
    if head.result is not None:
        yield Finished(head.id, head.result)


def _finite(token: Token) -> Token:
    """Return the token with a finite expiry: JSON cannot express infinity."""
    return msgspec.structs.replace(token, expires=min(token.expires, LAST))


def _is_receipt(setting: Setting) -> bool:
    return setting.key.startswith("writer/")


def restore(store: Store, lines: Iterable[bytes]) -> int:
    """Restore the lines of a copy into an empty store; return the number of records. Errors name the line."""
    if store.count() or next(store.accounts(), None) is not None:
        raise StoreError(f"{store.url}: expected an empty store for the copy")
    numbered = enumerate(lines, 1)
    _refuse_foreign(next(numbered, (1, b""))[1])
    records = 0
    waiting: list[Write] = []
    for number, line in numbered:
        try:
            write = _decoder.decode(line)
        except UNREADABLE as error:
            raise RecordError(f"line {number}: not a write: {error}") from None
        records += isinstance(write, RecordHead)
        waiting.append(write)
        if len(waiting) == AT_ONCE:
            _keep(store, waiting, number)
            waiting = []
    if waiting:
        _keep(store, waiting, number)
    return records


def _keep(store: Store, writes: Sequence[Write], number: int) -> None:
    try:
        store.write(*writes)
    except StoreError as error:
        raise StoreError(f"lines {number - len(writes) + 1} to {number}: {error}") from error


def _refuse_foreign(line: bytes) -> None:
    try:
        header = msgspec.json.decode(line, type=StoreHeader)
    except UNREADABLE:
        raise RecordError("not a copy of a store: its first line is not a header") from None
    if header.format != FORMAT or header.version > VERSION:
        raise RecordError(f"a copy of {header.format!r} version {header.version}, expected {FORMAT!r} up to {VERSION}")
