"""Stores of every kind, empty, for the tests that all of them must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from parlour.store import Store, open_store
from support.store.postgres import PostgresServer

OpenStore: TypeAlias = Callable[[], Store]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty store, of each kind in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "parlour.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_schema()


@pytest.fixture
def reopen(address: str) -> OpenStore:
    """Opens the same store again."""
    return lambda: open_store(address)


@pytest.fixture
def store(reopen: OpenStore) -> Iterator[Store]:
    with reopen() as store:
        yield store
