"""Records as training data: in the forms that games and doors declare, or as record files."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from parlour.core import events as ev
from parlour.core.declaration import fetch
from parlour.core.events import Event
from parlour.errors import ConfigError
from parlour.games import declared, games
from parlour.referee.record import RecordWriter, read_record

RECORDS = "jsonl"
FormsByGame: TypeAlias = Mapping[str, Mapping[str, str]]
"""By game, formats besides those that it declares, each with its function as in GameDeclaration.exports."""
NO_MORE: FormsByGame = {}


def export(place: str, form: str, folder: Path, more: FormsByGame = NO_MORE) -> tuple[int, int]:
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
            begun = any(isinstance(event, ev.Started) for event in events)
            known = _exports(events, more)
            if begun and form in known:
                fetch(known[form])(events, folder, path.stem, store)
                written += 1
            elif begun and form == RECORDS:
                _write(events, folder / f"{path.stem}.jsonl")
                written += 1
            else:
                skipped += 1
    if not written:
        raise ConfigError(f"records: no match in {place[:80]!r} can be written as {form}", field="format")
    return written, skipped


def forms(more: FormsByGame = NO_MORE) -> list[str]:
    """Return the formats that records can be written in: those that games declare, further ones, and record files."""
    return [*dict.fromkeys(form for name in games() for form in _exports_of(name, more)), RECORDS]


def _exports(events: list[Event], more: FormsByGame) -> Mapping[str, str]:
    """Return the formats of a match's game, each with its function."""
    opened = events[0]
    return _exports_of(opened.game, more) if isinstance(opened, ev.Opened) and opened.game in games() else {}


def _exports_of(game: str, more: FormsByGame) -> Mapping[str, str]:
    return {**more.get(game, {}), **declared(game).exports}


def _write(events: list[Event], target: Path) -> None:
    target.unlink(missing_ok=True)
    with RecordWriter(target) as writer:
        writer.write(events)
