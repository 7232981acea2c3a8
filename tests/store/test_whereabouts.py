"""A store whose file is moved, replaced or deleted while it is open keeps nothing, and says so."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.errors import StoreError
from parlour.store import RecordHead, RecordKind, Setting, SQLiteStore
from parlour.store.whereabouts import ROOM, Whereabouts

HEADS = [RecordHead(f"m{number}", RecordKind.MATCH, "fish") for number in range(3)]


def test_what_is_written_while_the_file_is_away_is_not_kept_and_after_it_is_back_all_goes_on(tmp_path: Path) -> None:
    path, away = tmp_path / "parlour.db", tmp_path / "away.db"
    with SQLiteStore(path) as store:
        store.write(HEADS[0])
        store.probe()
        path.rename(away)
        with pytest.raises(StoreError, match=r"parlour\.db: moved, replaced or deleted while it was open"):
            store.write(HEADS[1])
        with pytest.raises(StoreError, match="moved, replaced or deleted"):
            store.probe()
        assert not path.exists(), "nor is there a new, empty one"
        away.rename(path)
        store.probe()
        store.write(HEADS[2])
        assert [head.id for head in store.heads()] == ["m0", "m2"]
    with SQLiteStore(path) as store:
        assert [head.id for head in store.heads()] == ["m0", "m2"]


def test_another_store_that_is_put_there_is_neither_written_nor_read(tmp_path: Path) -> None:
    path, other = tmp_path / "parlour.db", tmp_path / "other.db"
    with SQLiteStore(other) as store:
        store.write(HEADS[1])
    with SQLiteStore(path) as store:
        store.write(HEADS[0])
        other.replace(path)
        with pytest.raises(StoreError, match="moved, replaced or deleted"):
            store.write(HEADS[2])
        with pytest.raises(StoreError, match="moved, replaced or deleted"):  # for which a connection is yet to be made
            store.head("m1")


def test_a_log_of_changes_that_was_deleted_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    with SQLiteStore(path) as store:
        store.write(HEADS[0])
        (tmp_path / "parlour.db-wal").unlink()
        with pytest.raises(StoreError, match=r"parlour\.db-wal: moved, replaced or deleted"):
            store.write(HEADS[1])


def test_a_log_that_was_written_back_to_the_file_is_still_the_same_log(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "parlour.db") as store:
        for _ in range(3):
            store.write(Setting("much", bytes(8 << 20)))  # more than a log holds before it is written back
            store.probe()


def test_a_disk_that_is_nearly_full_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whereabouts = Whereabouts(str(tmp_path / "parlour.db"))
    for free, full in ((ROOM, False), (ROOM - 1, True), (0, True)):
        found = SimpleNamespace(f_bavail=free, f_frsize=1)
        monkeypatch.setattr(os, "statvfs", lambda _, found=found: found)
        if full:
            with pytest.raises(StoreError, match="its disk is full"):
                whereabouts.require_room()
        else:
            whereabouts.require_room()


def test_a_folder_in_which_nothing_changes_is_asked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, asked = tmp_path / "parlour.db", list[str]()
    stat = os.stat
    with SQLiteStore(path) as store:
        store.write(HEADS[0])
        os.utime(tmp_path, (0, 0))  # it has not changed for long
        store.probe()

        def counted(path: str, **how: Any) -> os.stat_result:
            asked.append(str(path))
            return stat(path, **how)

        monkeypatch.setattr(os, "stat", counted)
        store.write(HEADS[1])
        assert asked == [str(tmp_path)]
        path.rename(tmp_path / "away.db")
        with pytest.raises(StoreError, match="moved, replaced or deleted"):
            store.write(HEADS[2])
        (tmp_path / "away.db").rename(path)
        store.write(HEADS[2])
