"""Record files: reading back, cut-off lines, foreign and damaged files."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from parlour.core.events import Event
from parlour.errors import RecordError
from parlour.referee import record as records
from parlour.referee.match import Match, replay
from parlour.referee.record import (
    RecordReader,
    RecordWriter,
    encode,
    is_record,
    read_record,
    record_lines,
)
from parlour.testing import NIM
from support.matches.tables import NORTH, begun, it


@pytest.fixture
def record() -> list[Event]:
    match = begun()
    match.handle(it.Act(NORTH, 2), 1.5)
    return match.record


@pytest.fixture
def file(tmp_path: Path, record: list[Event]) -> Path:
    path = tmp_path / "match.jsonl"
    with RecordWriter(path, durable=True) as writer:
        writer.write(record[:2])
        writer.write(record[2:])
    return path


def test_what_was_written_is_read_back(file: Path, record: list[Event]) -> None:
    assert read_record(file) == record


def test_events_are_read_one_by_one_as_they_are_wanted(file: Path, record: list[Event]) -> None:
    assert next(iter(RecordReader(file))) == record[0]


def test_a_line_may_be_so_long_and_no_longer(file: Path, record: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    longest = max(map(len, file.read_bytes().splitlines(keepends=True)))
    monkeypatch.setattr(records, "MAX_LINE", longest)
    assert read_record(file) == record
    monkeypatch.setattr(records, "MAX_LINE", longest - 1)
    with pytest.raises(RecordError, match=f"longer than {longest - 1:,} bytes"):
        read_record(file)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_cut_off_last_line_is_reported_and_dropped(file: Path, record: list[Event], cut: int) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:-cut])
    reader = RecordReader(file)
    assert list(reader) == record[:-1]
    assert reader.dropped


def test_a_file_cut_off_in_its_header_is_an_empty_record(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:10])
    reader = RecordReader(file)
    assert list(reader) == []
    assert reader.dropped


def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[3] = b'{"event": "nonsense"}\n'
    file.write_bytes(b"".join(lines))
    with pytest.raises(RecordError, match=r"^event 2: not an event"):
        read_record(file)


@pytest.mark.parametrize(
    "content", [b"hello\n", b'{"format": "pgn", "version": 1}\n', b"[" * 10_000 + b"\n", b"\xff\xfe\n"]
)
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"other\.jsonl"):
        read_record(path)


def test_a_record_of_a_later_version_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"
    path.write_bytes(b'{"format":"parlour record","version":99}\n')
    with pytest.raises(RecordError, match="version 99, expected 'parlour record' version 1 to 2"):
        read_record(path)


def test_replay_gives_the_position_after_any_event(record: list[Event]) -> None:
    assert replay(record, NIM, at=4).position.encode()["heap"] == 12  # type: ignore[union-attr]
    assert replay(record, NIM).position.encode()["heap"] == 10  # type: ignore[union-attr]
    with pytest.raises(IndexError, match=rf"events 0 to {len(record) - 1}, so there is no event 99"):
        replay(record, NIM, at=99)


def swapped(record: list[Event], number: int, **fields: object) -> list[Event]:
    changed = list(record)
    changed[number] = msgspec.structs.replace(record[number], **fields)
    return changed


def test_a_result_that_the_rules_do_not_give_is_an_error_that_names_the_event(record: list[Event]) -> None:
    number = next(i for i, event in enumerate(record) if b"turn ended" in encode(event))
    with pytest.raises(RecordError, match=f"^event {number}: 'turn ended': the rules give another happened"):
        replay(swapped(record, number, happened={"seat": "north", "taken": 3}), NIM)


def test_an_action_that_was_not_submitted_is_an_error(record: list[Event]) -> None:
    acted = next(i for i, event in enumerate(record) if b'"acted"' in encode(event))
    with pytest.raises(RecordError, match=f"^event {acted + 1}: 'turn ended': the rules give another actions"):
        replay(swapped(record, acted, action=1), NIM)


def test_a_turn_of_the_wrong_seat_is_an_error(record: list[Event]) -> None:
    number = next(i for i, event in enumerate(record) if b"turn began" in encode(event))
    with pytest.raises(RecordError, match=f"^event {number}: 'turn began': the rules give another to_act"):
        replay(swapped(record, number, to_act=("east",)), NIM)


@pytest.mark.parametrize("missing", [0, 3])
def test_a_record_with_a_missing_event_does_not_replay(record: list[Event], missing: int) -> None:
    with pytest.raises(RecordError):
        replay([event for number, event in enumerate(record) if number != missing], NIM)


def test_an_empty_record_cannot_be_resumed() -> None:
    with pytest.raises(RecordError, match="nothing has happened"):
        Match.resume([], NIM)


def test_a_path_may_be_text(record: list[Event], tmp_path: Path) -> None:
    path = str(tmp_path / "match.jsonl")
    with RecordWriter(path) as writer:
        writer.write(record[:3])
    assert is_record(path)
    with RecordWriter(path) as writer:
        writer.write(record[3:])
    assert read_record(path) == record


def test_a_new_file_says_the_newest_version_as_its_lines_do(record: list[Event], tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"
    with RecordWriter(path) as writer:
        writer.write(record)
    assert path.read_bytes() == b"".join(record_lines(record))
    first, second = (line for line in path.read_bytes().splitlines()[:2])
    assert b'"version":2' in first
    assert b'"event":"opened"' in second
