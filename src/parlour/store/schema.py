"""The tables, and how those of an older version become those of today: numbered steps, each one transaction.

Version 1 was SQLite's alone. PostgreSQL starts with version 2; from there on a step means the same for both. What
version 3 gains PostgreSQL has had from the start, so there it is but a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

VERSION = 3
"""Of the tables today. A store of a newer version is refused, one of an older version becomes one of today."""

TABLES = ("record", "entry", "snapshot", "seat", "sign_up", "account", "token", "permission", "setting")

_VERSION_1 = """
CREATE TABLE record (
    id     TEXT PRIMARY KEY,
    kind   TEXT NOT NULL,
    game   TEXT NOT NULL,
    parent TEXT NOT NULL,
    opened REAL NOT NULL,
    result BLOB
);
CREATE INDEX record_by_parent ON record (parent) WHERE parent <> '';
CREATE INDEX record_unfinished ON record (kind) WHERE result IS NULL;
CREATE TABLE entry (
    record TEXT NOT NULL,
    number INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (record, number)
) WITHOUT ROWID;
CREATE TABLE sign_up (
    tournament TEXT NOT NULL,
    name       TEXT NOT NULL,
    arrival    INTEGER NOT NULL,
    digest     BLOB NOT NULL,
    age        INTEGER,
    PRIMARY KEY (tournament, name)
) WITHOUT ROWID
"""

# Entries and sign-ups stay as they are: a large store becomes one of version 2 without copying its entries.
_ASIDE_2 = """
ALTER TABLE record RENAME TO record_1;
DROP INDEX record_by_parent;
DROP INDEX record_unfinished
"""

_KEPT_2 = """
CREATE TABLE entry (
    record {text} NOT NULL,
    number {integer} NOT NULL,
    body   {bytes} NOT NULL,
    PRIMARY KEY (record, number)
);
CREATE TABLE sign_up (
    tournament {text} NOT NULL,
    name       {text} NOT NULL,
    arrival    {integer} NOT NULL,
    digest     {bytes} NOT NULL,
    age        {integer},
    PRIMARY KEY (tournament, name)
)
"""

_NEW_2 = """
CREATE TABLE record (
    number   {counter} PRIMARY KEY,
    id       {text} NOT NULL UNIQUE,
    kind     {text} NOT NULL,
    game     {text} NOT NULL,
    parent   {text} NOT NULL,
    opened   {real} NOT NULL,
    owner    {text} NOT NULL DEFAULT '',
    title    {text} NOT NULL DEFAULT '',
    password {text} NOT NULL DEFAULT '',
    about    {bytes} NOT NULL DEFAULT {nothing},
    status   {text} NOT NULL DEFAULT '',
    turn     {integer} NOT NULL DEFAULT 0,
    phase    {text} NOT NULL DEFAULT '',
    due      {real},
    updated  {real} NOT NULL DEFAULT 0,
    result   {bytes}
);
CREATE INDEX record_by_parent ON record (parent, number);
CREATE INDEX record_by_owner ON record (owner) WHERE owner <> '';
CREATE INDEX record_by_due ON record (due, number) WHERE due IS NOT NULL;
CREATE INDEX record_unfinished ON record (kind, number) WHERE result IS NULL;
CREATE TABLE snapshot (
    record {text} PRIMARY KEY,
    length {integer} NOT NULL,
    body   {bytes} NOT NULL
){by_key};
CREATE TABLE seat (
    record  {text} NOT NULL,
    seat    {text} NOT NULL,
    player  {text} NOT NULL,
    account {text} NOT NULL,
    agent   {text} NOT NULL,
    PRIMARY KEY (record, seat)
){by_key};
CREATE INDEX seat_by_player ON seat (player) WHERE player <> '';
CREATE INDEX seat_by_account ON seat (account) WHERE account <> '';
CREATE TABLE account (
    name     {text} PRIMARY KEY,
    password {text} NOT NULL,
    role     {text} NOT NULL,
    created  {real} NOT NULL,
    locked   {integer} NOT NULL
){by_key};
CREATE TABLE token (
    digest  {bytes} PRIMARY KEY,
    account {text} NOT NULL,
    purpose {text} NOT NULL,
    created {real} NOT NULL,
    expires {real} NOT NULL
){by_key};
CREATE INDEX token_by_account ON token (account, created);
CREATE INDEX token_by_end ON token (expires);
CREATE TABLE permission (
    record  {text} NOT NULL,
    account {text} NOT NULL,
    role    {text} NOT NULL,
    PRIMARY KEY (record, account)
){by_key};
CREATE TABLE setting (
    key   {text} PRIMARY KEY,
    value {bytes} NOT NULL
){by_key}
"""

_MOVED_2 = """
INSERT INTO record (number, id, kind, game, parent, opened, updated, result, status)
    SELECT rowid, id, kind, game, parent, opened, opened, result, CASE WHEN result IS NULL THEN '' ELSE 'over' END
    FROM record_1 ORDER BY rowid;
DROP TABLE record_1
"""

# In the order in which entries arrive: those of many matches that are kept together then lie on few pages, not on one
# or two for each match. Whoever reads a match finds its rows by the index of the key.
_ENTRIES_3 = """
ALTER TABLE entry RENAME TO entry_2;
CREATE TABLE entry (
    record {text} NOT NULL,
    number {integer} NOT NULL,
    count  {integer} NOT NULL,
    body   {bytes} NOT NULL,
    PRIMARY KEY (record, number)
);
INSERT INTO entry SELECT record, number, 1, body FROM entry_2 ORDER BY record, number;
DROP TABLE entry_2
"""


class Words(NamedTuple):
    """How one back end calls the types."""

    text: str
    integer: str
    real: str
    bytes: str
    counter: str
    nothing: str
    by_key: str
    """What makes a table lie in the order of its key."""


SQLITE = Words("TEXT", "INTEGER", "REAL", "BLOB", "INTEGER", "X''", " WITHOUT ROWID")
# Texts are compared by their bytes, as SQLite does, whatever the language of the server.
POSTGRES = Words(
    'TEXT COLLATE "C"', "BIGINT", "DOUBLE PRECISION", "BYTEA", "BIGINT GENERATED BY DEFAULT AS IDENTITY", "''", ""
)

_STEPS: Mapping[Words, Mapping[int, tuple[str, ...]]] = {
    SQLITE: {1: (_VERSION_1,), 2: (_ASIDE_2, _NEW_2, _MOVED_2), 3: (_ENTRIES_3,)},
    POSTGRES: {2: (_KEPT_2, _NEW_2), 3: ()},
}


def steps(words: Words, version: int) -> dict[int, list[str]]:
    """The statements that lead from a version (0: nothing is there yet) to each version after it."""
    return {
        number: [statement.strip().format(**words._asdict()) for script in scripts for statement in script.split(";")]
        for number, scripts in sorted(_STEPS[words].items())
        if number > version
    }
