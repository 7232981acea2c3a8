"""The SQL of each write, for both back ends, with ? for values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from parlour.store.entries import (
    Account,
    AccountChange,
    AllRevoked,
    Entries,
    Finished,
    Permission,
    Progress,
    RecordHead,
    Revoked,
    Seating,
    Setting,
    SignUp,
    Snapshot,
    Token,
    Write,
)

_ENTRY = "INSERT INTO entry (record, number, body) VALUES (?, ?, ?)"

_HEAD = (
    "INSERT INTO record (id, kind, game, parent, opened, owner, title, password, about,"
    " status, turn, phase, due, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
PROGRESS = "UPDATE record SET status = ?, turn = ?, phase = ?, due = ?, updated = ? WHERE id = ?"
_FINISHED = "UPDATE record SET result = ?, status = 'over', due = NULL WHERE id = ? AND result IS NULL"
_SNAPSHOT = (
    "INSERT INTO snapshot VALUES (?, ?, ?) ON CONFLICT (record) DO UPDATE"
    " SET length = excluded.length, body = excluded.body WHERE excluded.length >= snapshot.length"
)
_SEATING = (
    "INSERT INTO seat VALUES (?, ?, ?, ?, ?) ON CONFLICT (record, seat) DO UPDATE"
    " SET player = excluded.player, account = excluded.account, agent = excluded.agent"
)
_ACCOUNT_CHANGE = (
    "UPDATE account SET password = COALESCE(?, password), role = COALESCE(?, role), locked = COALESCE(?, locked)"
    " WHERE name = ?"
)
_PERMISSION = "INSERT INTO permission VALUES (?, ?, ?) ON CONFLICT (record, account) DO UPDATE SET role = excluded.role"
_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class Statement(NamedTuple):
    """SQL with its values, and the error for touching no row; empty if that is allowed."""

    sql: str
    values: tuple[object, ...]
    otherwise: str = ""


def statements(write: Write) -> Iterator[Statement]:
    """Yield the statements that store a write."""
    match write:
        case Entries(record, first, bodies):
            for number, body in enumerate(bodies, first):
                yield Statement(_ENTRY, (record, number, body))
        case Progress(record):
            yield Statement(PROGRESS, progress_values(write), f"record {record} is not known")
        case RecordHead() as head:
            opened = (head.id, head.kind.value, head.game, head.parent, head.opened)
            told = (head.owner, head.title, head.password, head.about)
            progress = (head.status, head.turn, head.phase, head.due, head.updated)
            yield Statement(_HEAD, opened + told + progress)
            for seat, player in head.players.items():
                yield Statement(_SEATING, (head.id, seat, player, "", ""))
        case Finished(record, result):
            yield Statement(_FINISHED, (result, record), f"record {record} is not open")
        case Snapshot(record, length, body):
            yield Statement(_SNAPSHOT, (record, length, body))
        case Seating(record, seat, player, account, agent):
            yield Statement(_SEATING, (record, seat, player, account, agent))
        case SignUp(tournament, name, arrival, digest, age):
            yield Statement("INSERT INTO sign_up VALUES (?, ?, ?, ?, ?)", (tournament, name, arrival, digest, age))
        case Permission(record, account, role) if role:
            yield Statement(_PERMISSION, (record, account, role))
        case Permission(record, account, _):
            yield Statement("DELETE FROM permission WHERE record = ? AND account = ?", (record, account))
        case Setting(key, value):
            yield Statement(_SETTING, (key, value))
        case _:
            yield _of_account(write)


def progress_values(write: Progress) -> tuple[object, ...]:
    """Return the values for the statement PROGRESS."""
    return write.status, write.turn, write.phase, write.due, write.updated, write.record


def _of_account(write: Account | AccountChange | Token | Revoked | AllRevoked) -> Statement:
    match write:
        case Account(name, password, role, created, locked):
            values = (name, password, role, created, int(locked))
            return Statement("INSERT INTO account VALUES (?, ?, ?, ?, ?)", values)
        case AccountChange(name, password, role, locked):
            changed = (password, role, None if locked is None else int(locked), name)
            return Statement(_ACCOUNT_CHANGE, changed, f"account {name} is not known")
        case Token(digest, account, purpose, created, expires):
            return Statement("INSERT INTO token VALUES (?, ?, ?, ?, ?)", (digest, account, purpose, created, expires))
        case Revoked(digest):
            return Statement("DELETE FROM token WHERE digest = ?", (digest,), "the token is not valid")
        case AllRevoked(account, by) if account:
            return Statement("DELETE FROM token WHERE account = ? AND expires <= ?", (account, by))
        case AllRevoked(_, by):
            return Statement("DELETE FROM token WHERE expires <= ?", (by,))
