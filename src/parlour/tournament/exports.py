"""Records as training data: saved games of the `diplomacy` package, published trajectories, record files."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.referee.record import RecordWriter, read_record


def export(place: str, form: str, folder: Path) -> tuple[int, int]:
    """Write all matches of a store, folder or file to a folder; how many were, and how many could not be."""
    from parlour.tournament.records import files_of

    written = skipped = 0
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parlour-export")))
        for path in files_of(place, scratch):
            events = read_record(path)
            if _fits(events, form):
                _write(events, form, folder, path.stem)
                written += 1
            else:
                skipped += 1
    if not written:
        raise ConfigError(f"records: no match in {place[:80]!r} can be written as {form}", field="format")
    return written, skipped


def _fits(events: list[Event], form: str) -> bool:
    """Whether a match has begun and, where only Diplomacy can be written, is one of it."""
    started = any(isinstance(event, ev.Started) for event in events)
    return started and (form == "jsonl" or getattr(events[0], "game", "") == "diplomacy")


def _write(events: list[Event], form: str, folder: Path, name: str) -> None:
    if form == "jsonl":
        target = folder / f"{name}.jsonl"
        target.unlink(missing_ok=True)
        with RecordWriter(target) as writer:
            writer.write(events)
        return
    from parlour.deepmind.conversions import saved_of_trajectory, trajectory_of_record
    from parlour.deepmind.trajectory import save_trajectory

    trajectory = trajectory_of_record(load_game("diplomacy"), events)
    if form == "trajectory":
        (folder / name).mkdir(exist_ok=True)
        save_trajectory(trajectory, folder / name)
    else:
        (folder / f"{name}.json").write_bytes(saved_of_trajectory(trajectory, id=name).encode())
