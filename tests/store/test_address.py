"""Addresses of stores: which back end opens, and what is said of those that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.errors import ConfigError, StoreError
from parlour.store import Setting, SQLiteStore, open_store


def test_a_path_is_a_file_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    urls: list[str | Path] = ["kept.db", tmp_path / "kept.db", "sqlite:///kept.db", f"sqlite:///{tmp_path}/kept.db"]
    for number, url in enumerate(urls):
        with open_store(url) as store:
            assert isinstance(store, SQLiteStore)
            assert store.setting("count") == (str(number).encode() if number else None)
            store.write(Setting("count", str(number + 1).encode()))
    assert [file.name for file in tmp_path.iterdir()] == ["kept.db"]


def test_the_address_tells_where_it_is(tmp_path: Path) -> None:
    with open_store(tmp_path / "kept.db") as store:
        assert store.url == str(tmp_path / "kept.db")
    with (
        open_store(f"sqlite:///{tmp_path}/kept.db", read_only=True) as store,
        pytest.raises(StoreError, match="readonly"),
    ):
        store.write(Setting("a", b""))


def test_a_store_rests_if_it_is_asked_to(tmp_path: Path) -> None:
    for url in (tmp_path / "kept.db", f"sqlite:///{tmp_path}/kept.db"):
        for rest in (0.0, 0.5):
            with open_store(url, rest=rest) as store:
                assert isinstance(store, SQLiteStore)
                assert store._writer._rest_for == rest


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://host/base", "expected a path, sqlite or postgresql, got 'mysql'"),
        ("sqlite://kept.db", "expected sqlite:///path, got"),
        ("sqlite:///", "expected sqlite:///path"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(url: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        open_store(url)


def test_a_folder_that_does_not_exist_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open database file"):
        open_store(tmp_path / "nowhere" / "kept.db")
