"""One server for all tests of pages in a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.web.server import WebServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with WebServer(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[WebServer]:
    """Yield a server at which nobody has played yet, whatever ran before."""
    with WebServer(tmp_path) as found:
        yield found
