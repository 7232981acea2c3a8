"""Records as files: from a folder, a single file, or a store, whose matches are written out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from parlour.errors import ConfigError
from parlour.referee.record import RecordWriter, is_record
from parlour.store import Filter, RecordKind, Store, open_store


def files_of(place: str, folder: Path) -> list[Path]:
    """Return the record files of a place; matches of a store are written to the folder. Raise ConfigError for none."""
    path = Path(place)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.jsonl") if is_record(file))
        if not files:
            raise ConfigError(f"records: {place!r:.80} has no record file (*.jsonl)", field="records")
        return files
    if not is_store(place):
        return [path]
    if not path.exists() and "://" not in place:
        raise ConfigError(f"records: there is no folder, record or store {place!r:.80}", field="records")
    with open_store(place, read_only=True) as store:
        files = list(_written(store, folder))
    if not files:
        raise ConfigError(f"records: {place!r:.80} keeps no match", field="records")
    return files


def is_store(place: str) -> bool:
    """Return True if a place of records is neither a folder nor a record file."""
    path = Path(place)
    return not path.is_dir() and not (path.is_file() and is_record(path))


def _written(store: Store, folder: Path) -> Iterator[Path]:
    for head in store.heads(Filter(kind=RecordKind.MATCH)):
        path = folder / f"{head.id.replace('/', '_')}.jsonl"
        RecordWriter(path).close()  # writes only the header
        with path.open("ab") as file:
            file.writelines(body + b"\n" for body in store.entries(head.id))
        yield path
