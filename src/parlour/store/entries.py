"""The values of a store: heads of records, entries, seats, permissions and settings.

Each struct here is a write; most are also the result of a read. All writes of one call are stored, or none.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TypeAlias

import msgspec

from parlour.errors import StoreError

MAX_BODY = 1 << 20
"""Maximum size of an entry in bytes; far above any event, so that a bug cannot fill the disk at once."""

MAX_SNAPSHOT = 16 << 20
"""Maximum size of a snapshot, a result or another value in bytes."""

MAX_TEXT = 1 << 16
"""Maximum length of a text in characters: a name, an address, a digest."""


class RecordKind(StrEnum):
    """The subject of a record."""

    MATCH = "match"
    TOURNAMENT = "tournament"


class _Write(msgspec.Struct, frozen=True, tag_field="write"):
    """Base of all writes. Their tags distinguish them in a copy of a store."""


class RecordHead(_Write, frozen=True, tag="record head"):
    """A write: a new record. Heads that are read also have the progress and the result of the record."""

    id: str
    kind: RecordKind
    game: str
    parent: str = ""
    """The tournament a match belongs to."""
    opened: float = 0.0
    owner: str = ""
    """The account that opened the record."""
    title: str = ""
    password: str = ""
    """The digest of the password that is needed to take part; empty if none is needed."""
    about: bytes = b""
    """JSON for lists of records, chosen by the program that opened the record."""
    players: dict[str, str] = {}
    """Players' names by seat. Seating changes them."""
    status: str = ""
    turn: int = 0
    phase: str = ""
    due: float | None = None
    """Time of the next automatic step."""
    updated: float = 0.0
    result: bytes | None = None
    """JSON, once the record is complete. Finished writes it, never the head."""


class Progress(_Write, frozen=True, tag="progress"):
    """A write: the progress of a record, for its head."""

    record: str
    status: str
    turn: int = 0
    phase: str = ""
    due: float | None = None
    updated: float = 0.0


class Entries(_Write, frozen=True, tag="entries"):
    """A write: entries of a record, the first of them with the given number."""

    record: str
    first: int
    bodies: tuple[bytes, ...]


class Finished(_Write, frozen=True, tag="finished"):
    """A write: the record is complete, with its result as JSON. From then on nothing in it is due."""

    record: str
    result: bytes


class Snapshot(_Write, frozen=True, tag="snapshot"):
    """A write: the state of a record after its first `length` entries. Only the longest one is stored."""

    record: str
    length: int
    body: bytes


class Seating(_Write, frozen=True, tag="seating"):
    """A write: the present player of a seat, which a restarted server seats again. All empty: nobody."""

    record: str
    seat: str
    player: str = ""
    """The player's name for display."""
    account: str = ""
    """The seat's account: of its player, or of a player who left and is replaced by an agent."""
    agent: str = ""
    """The house agent that plays: its name and options."""


class SignUp(_Write, frozen=True, tag="sign up"):
    """A write: a player signed up; `digest` is that of the token with which the player can take the seat again."""

    tournament: str
    name: str
    arrival: int
    digest: bytes = b""
    age: int | None = None


class Account(_Write, frozen=True, tag="account"):
    """A write: a new account; its name must be unused."""

    name: str
    password: str
    """The digest of the password."""
    role: str = ""
    created: float = 0.0
    locked: bool = False
    """True if the account may not sign in."""


class AccountChange(_Write, frozen=True, tag="account change"):
    """A write: a new password, role or lock of an account; None leaves a field unchanged."""

    name: str
    password: str | None = None
    role: str | None = None
    locked: bool | None = None


class Token(_Write, frozen=True, tag="token"):
    """A write: the holder of the token with this digest acts for the account until it expires."""

    digest: bytes
    account: str
    purpose: str
    created: float
    expires: float


class Revoked(_Write, frozen=True, tag="revoked"):
    """A write: a token is no longer valid. A token that is not valid is a conflict, so it can be spent only once."""

    digest: bytes


class AllRevoked(_Write, frozen=True, tag="all revoked"):
    """A write: tokens are no longer valid: all of an account or, without one, of everybody, that expire by a time."""

    account: str = ""
    by: float = math.inf


class Permission(_Write, frozen=True, tag="permission"):
    """A write: the role of an account in a record besides playing; an empty role removes it."""

    record: str
    account: str
    role: str


class Setting(_Write, frozen=True, tag="setting"):
    """A write: a value that outlives the server, such as the time of its last heartbeat."""

    key: str
    value: bytes


Write: TypeAlias = (
    RecordHead
    | Progress
    | Entries
    | Finished
    | Snapshot
    | Seating
    | SignUp
    | Account
    | AccountChange
    | Token
    | Revoked
    | AllRevoked
    | Permission
    | Setting
)


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter for heads of records; fields that are None or empty filter nothing, except `parent`."""

    kind: RecordKind | None = None
    game: str = ""
    parent: str | None = None
    """The tournament of the record; an empty text means records without a tournament."""
    status: tuple[str, ...] = ()
    owner: str = ""
    player: str = ""
    """The name of a player of the record."""
    account: str = ""
    """The account of a player of the record."""
    due_by: float | None = None
    unfinished: bool = False
    visible_to: str | None = None
    """Excludes unlisted records, except those that this account opened, plays in or has a role in."""
    veiled: tuple[str, ...] = ()
    """Records that count as running and unfinished, except for `visible_to` where they concern it."""
    changed_after: float | None = None
    named: bool = False
    """Excludes anonymous matches that are not over."""


class Page(msgspec.Struct, frozen=True):
    """A page of heads, and the place `more` where the list continues; None at its end."""

    heads: tuple[RecordHead, ...]
    more: int | None = None


def checked(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    """Return the writes if every back end can store them; raise StoreError otherwise, before they are queued."""
    for write in writes:
        if type(write) is Entries:
            if write.first < 0:
                raise StoreError(f"record {write.record[:80]}: entries are numbered from 0, not from {write.first}")
            if max(map(len, write.bodies), default=0) > MAX_BODY:
                raise StoreError(f"record {write.record[:80]}: an entry is larger than {MAX_BODY:,} bytes")
            _check_text(write.record)
        else:
            if type(write) is RecordHead and write.result is not None:
                raise StoreError(f"record {write.id[:80]}: result: expected None in a head; Finished writes it")
            for value in msgspec.structs.astuple(write):
                if type(value) is str:  # tested first, because most values are texts
                    _check_text(value)
                elif value is not None:
                    _check(value)
    return writes


def askable(values: tuple[object, ...]) -> tuple[object, ...]:
    """Return the values for a query; a text that no store can hold becomes NULL, which equals nothing."""
    return tuple([None if type(value) is str and not _can_be_kept(value) else value for value in values])


def _check(value: object) -> None:
    match value:
        case str():
            _check_text(value)
        case bytes() if len(value) > MAX_SNAPSHOT:
            raise StoreError(f"a value of {len(value):,} bytes is too large to keep: at most {MAX_SNAPSHOT:,}")
        case int() if not -(1 << 63) <= value < 1 << 63:
            raise StoreError("a number is too large to keep: it has more than 64 bits")
        case float() if math.isnan(value):
            raise StoreError("a time: expected a number, got nan")
        case dict():
            for pair in value.items():
                _check_text(pair[0])
                _check_text(pair[1])
        case _:
            pass


def _check_text(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise StoreError(f"a text of {len(text):,} characters is too long to keep: at most {MAX_TEXT:,}")
    if not _can_be_kept(text):
        raise StoreError(f"a text with a character that cannot be kept: {text[:40]!r}")


def _can_be_kept(text: str) -> bool:
    return "\0" not in text and (text.isascii() or _is_unicode(text))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True
