"""Shared parts of tests of tournaments with bots from files."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def as_before() -> Iterator[None]:
    """Leave no module of a bot behind, nor its folder on the path."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
