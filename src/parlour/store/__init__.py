"""Keeps records and results on disk: what was acknowledged survives the death of the program."""

from parlour.store.journal import Journal, read_events
from parlour.store.sqlite import SQLiteStore
from parlour.store.values import Entries, Finished, RecordHead, RecordKind, SignUp, Store, Write

__all__ = [
    "Entries",
    "Finished",
    "Journal",
    "RecordHead",
    "RecordKind",
    "SQLiteStore",
    "SignUp",
    "Store",
    "Write",
    "read_events",
]
