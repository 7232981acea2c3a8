"""Records as training data: in the forms that their games declare, or as record files."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from parlour.core import events as ev
from parlour.core.declaration import fetch
from parlour.core.events import Event
from parlour.errors import ConfigError
from parlour.games import declared, games
from parlour.referee.record import RecordWriter, read_record

if TYPE_CHECKING:
    from parlour.store import Store

RECORDS = "jsonl"


def export(place: str, form: str, folder: Path) -> tuple[int, int]:
    """Write all matches of a store, folder or file to a folder; return the numbers of written and skipped ones."""
    from parlour.store import open_store
    from parlour.tournament.storage.records import files_of, is_store

    written = skipped = 0
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parlour-export")))
        files = files_of(place, scratch)
        store = stack.enter_context(open_store(place, read_only=True)) if is_store(place) else None
        for path in files:
            events = read_record(path)
            if _fits(events, form):
                _write(events, form, folder, path.stem, store)
                written += 1
            else:
                skipped += 1
    if not written:
        raise ConfigError(f"records: no match in {place[:80]!r} can be written as {form}", field="format")
    return written, skipped


def forms() -> list[str]:
    """Return the formats that records can be written in: record files, and those that games declare."""
    return [*dict.fromkeys(form for name in games() for form in declared(name).exports), RECORDS]


def _fits(events: list[Event], form: str) -> bool:
    """Return True if a match has begun and can be written in this format."""
    started = any(isinstance(event, ev.Started) for event in events)
    return started and (form == RECORDS or form in _exports(events))


def _exports(events: list[Event]) -> Mapping[str, str]:
    """Return the formats in which a match can be written, as its game declares them."""
    opened = events[0]
    return declared(opened.game).exports if isinstance(opened, ev.Opened) and opened.game in games() else {}


def _write(events: list[Event], form: str, folder: Path, name: str, store: Store | None) -> None:
    if form != RECORDS:
        fetch(_exports(events)[form])(events, folder, name, store)
        return
    target = folder / f"{name}.jsonl"
    target.unlink(missing_ok=True)
    with RecordWriter(target) as writer:
        writer.write(events)
