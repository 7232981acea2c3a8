"""One browser and one server for all tests of pages in a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.web.browser import CHROMIUM, chromium
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")  # not longer: while it is open nobody else can run an event loop in this thread
def open_browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: run tools/web/install")
    with chromium() as found:
        yield found


@pytest.fixture
def browser(open_browser: Browser) -> Iterator[Browser]:
    """A browser whose pages end with the test: they would draw and ask on beside all that follow."""
    yield open_browser
    for context in open_browser.contexts:
        context.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with WebServer(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[WebServer]:
    """A server at which nobody has played yet, whatever ran before."""
    with WebServer(tmp_path) as found:
        yield found
