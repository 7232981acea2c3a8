"""Where records are: in a folder, in one file, or in a store, whose matches are written out."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core.events import Left
from parlour.core.game import Seat
from parlour.errors import ConfigError
from parlour.referee.record import RecordWriter, encode, read_record
from parlour.store import Entries, RecordHead, RecordKind, open_store
from parlour.tournament.storage.records import files_of

EVENTS = [Left(float(number), Seat("red")) for number in range(3)]


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with RecordWriter(path) as writer:
        writer.write(EVENTS)
    return path


def test_a_folder_is_searched_to_its_depth_and_only_for_records(tmp_path: Path) -> None:
    wanted = [written(tmp_path / "a.jsonl"), written(tmp_path / "deep" / "down" / "b.jsonl")]
    (tmp_path / "c.jsonl").write_text('{"something": "else"}\n')
    written(tmp_path / "d.txt")
    assert files_of(str(tmp_path), tmp_path / "out") == wanted


def test_one_record_is_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "whatever.it.is.called")
    assert files_of(str(path), tmp_path / "out") == [path]


def test_matches_of_a_store_are_written_out_whole(tmp_path: Path) -> None:
    with open_store(tmp_path / "kept.db") as store:
        for name, kind in (("t", RecordKind.TOURNAMENT), ("t/1", RecordKind.MATCH), ("m", RecordKind.MATCH)):
            store.write(RecordHead(name, kind, "fish"), Entries(name, 0, tuple(encode(event) for event in EVENTS)))
    files = files_of(str(tmp_path / "kept.db"), tmp_path)
    assert [file.name for file in files] == ["t_1.jsonl", "m.jsonl"]
    assert all(read_record(file) == EVENTS for file in files)


def test_where_there_is_none_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # paths that are long are cut in messages
    (tmp_path / "empty").mkdir()
    open_store(tmp_path / "empty.db").close()
    for place, said in (
        ("empty", r"empty' has no record file \(\*\.jsonl\)"),
        ("empty.db", "empty.db' keeps no match"),
        ("nowhere", "there is no folder, record or store "),
    ):
        with pytest.raises(ConfigError, match=f"^records: .*{said}") as raised:
            files_of(place, tmp_path)
        assert raised.value.field == "records"
