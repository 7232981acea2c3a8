"""Ends the processes that receive fuzzed inputs together with the module that feeds them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.fuzz.doors import stop_servers


@pytest.fixture(autouse=True, scope="module")
def _stopped() -> Iterator[None]:
    yield
    stop_servers()
