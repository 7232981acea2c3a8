"""Stores of every kind, empty, for the tests that all of them must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from parlour.store import Store, open_store

OpenStore: TypeAlias = Callable[[], Store]


@pytest.fixture(params=["sqlite"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens the same store again."""
    return lambda: open_store(tmp_path / "parlour.db")


@pytest.fixture
def store(reopen: OpenStore) -> Iterator[Store]:
    with reopen() as store:
        yield store
