"""The values of a store: heads of records, entries, seats, permissions and settings.

Each struct here is a write; most are also the result of a read. Writes of one call are kept together or not at all.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TypeAlias

import msgspec

from parlour.errors import StoreError

MAX_BODY = 1 << 20
"""The largest entry in bytes; far above any event, so that a bug cannot fill the disk in one go."""

MAX_SNAPSHOT = 16 << 20
"""The largest snapshot or result in bytes."""

MAX_TEXT = 1 << 16
"""The longest text in characters: a name, an address, a digest."""


class RecordKind(StrEnum):
    """The subject of a record."""

    MATCH = "match"
    TOURNAMENT = "tournament"


class _Write(msgspec.Struct, frozen=True, tag_field="write"):
    """Base of all writes. Their tags distinguish them in a copy of a store."""


class RecordHead(_Write, frozen=True, tag="record head"):
    """A write: there is a record. The result of a read also has the progress of the record."""

    id: str
    kind: RecordKind
    game: str
    parent: str = ""
    """The tournament a match belongs to."""
    opened: float = 0.0
    owner: str = ""
    """The account that opened it."""
    title: str = ""
    password: str = ""
    """The digest of the password that is needed to take part; empty if none is needed."""
    about: bytes = b""
    """JSON for lists of records, chosen by the program that opened the record."""
    players: dict[str, str] = {}
    """Players' names by seat. Seating changes it."""
    status: str = ""
    turn: int = 0
    phase: str = ""
    due: float | None = None
    """Time of the next automatic step."""
    updated: float = 0.0
    result: bytes | None = None
    """JSON, once the record is complete. Finished writes it, never the head."""


class Progress(_Write, frozen=True, tag="progress"):
    """A write: how far a record has come, for its head."""

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
    """A write: where a record stood after its first length entries. The longest one is kept."""

    record: str
    length: int
    body: bytes


class Seating(_Write, frozen=True, tag="seating"):
    """A write: who sits on a seat now, so that a server that starts again seats them again. All empty: nobody."""

    record: str
    seat: str
    player: str = ""
    """The name that is shown."""
    account: str = ""
    """The seat's account: of its player, or of a player who left and is replaced by an agent."""
    agent: str = ""
    """The house agent that plays: its name and options."""


class SignUp(_Write, frozen=True, tag="sign up"):
    """A write: somebody signed up; digest is of the token with which the seat can be taken again."""

    tournament: str
    name: str
    arrival: int
    digest: bytes = b""
    age: int | None = None


class Account(_Write, frozen=True, tag="account"):
    """A write: there is an account; its name must be new."""

    name: str
    password: str
    """The digest."""
    role: str = ""
    created: float = 0.0
    locked: bool = False
    """True if the account may not sign in."""


class AccountChange(_Write, frozen=True, tag="account change"):
    """A write: an account has another password or role, or is locked or not; None leaves as it was."""

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
    """A write: a token counts no longer. It must have counted: so it can be spent only once."""

    digest: bytes


class AllRevoked(_Write, frozen=True, tag="all revoked"):
    """A write: tokens count no longer: those of an account, or (no account) all that expire by a time."""

    account: str = ""
    by: float = math.inf


class Permission(_Write, frozen=True, tag="permission"):
    """A write: what an account may do with a record besides sitting there; an empty role takes it away."""

    record: str
    account: str
    role: str


class Setting(_Write, frozen=True, tag="setting"):
    """A write: a value that outlives the server, like the time of its last heartbeat."""

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
    """A filter for heads of records; fields that are None or empty do not matter."""

    kind: RecordKind | None = None
    game: str = ""
    parent: str | None = None
    """The tournament it belongs to; an empty text asks for those that belong to none."""
    status: tuple[str, ...] = ()
    owner: str = ""
    player: str = ""
    """The name of somebody who sits there."""
    account: str = ""
    """The account of somebody who sits there."""
    due_by: float | None = None
    unfinished: bool = False
    visible_to: str | None = None
    """Leaves out what is not listed, but for what that account opened, sits at, or is appointed to; None: nothing."""


class Page(msgspec.Struct, frozen=True):
    """Heads of a list, and the place where the list continues; None at its end."""

    heads: tuple[RecordHead, ...]
    more: int | None = None


def checked(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    """Return the writes if every back end can keep them; raise StoreError otherwise, before anything waits."""
    for write in writes:
        if type(write) is Entries:
            if write.first < 0:
                raise StoreError(f"record {write.record[:80]}: entries are numbered from 0, not from {write.first}")
            if max(map(len, write.bodies), default=0) > MAX_BODY:
                raise StoreError(f"record {write.record[:80]}: an entry is larger than {MAX_BODY:,} bytes")
            _check_text(write.record)
        else:
            if type(write) is RecordHead and write.result is not None:
                raise StoreError(f"record {write.id[:80]}: a head does not bring its result, Finished does")
            for value in msgspec.structs.astuple(write):
                if type(value) is str:  # as most are
                    _check_text(value)
                elif value is not None:
                    _check(value)
    return writes


def askable(values: tuple[object, ...]) -> tuple[object, ...]:
    """Return the values to look for; a text that no store can hold becomes NULL, which equals nothing."""
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
            raise StoreError("not a number cannot be kept as a time")
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
