"""Hypothesis profiles, and what every test session needs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from postgres_server import NoPostgres, PostgresServer

# Derandomized: what CI tests must not depend on the day. `long` searches for new counterexamples.
settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "long", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile(os.environ.get("PARLOUR_HYPOTHESIS", "default"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for this session; whoever kills it starts it again."""
    try:
        with PostgresServer() as server:
            yield server
    except NoPostgres as reason:
        pytest.skip(str(reason))
