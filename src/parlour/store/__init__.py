"""Stores records, results and accounts: acknowledged writes survive a crash of the program."""

from parlour.store.address import open_store
from parlour.store.contract import Store
from parlour.store.entries import (
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
    Token,
    Write,
)
from parlour.store.journal import Journal, read_events
from parlour.store.sqlite import SQLiteStore

__all__ = [
    "Account",
    "AccountChange",
    "AllRevoked",
    "Entries",
    "Filter",
    "Finished",
    "Journal",
    "Page",
    "Permission",
    "Progress",
    "RecordHead",
    "RecordKind",
    "Revoked",
    "SQLiteStore",
    "Seating",
    "Setting",
    "SignUp",
    "Snapshot",
    "Store",
    "Token",
    "Write",
    "open_store",
    "read_events",
]
