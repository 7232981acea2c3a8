"""Hypothesis profiles, and what every test session needs."""

from __future__ import annotations

import gc
import inspect
import os
import random
import signal
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from support.store.postgres import NoPostgres, PostgresServer
from support.waiting import run
from support.web.browser import CHROMIUM, OpenBrowser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Derandomized: what CI tests must not depend on the day. `long` searches for new counterexamples.
settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "long", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile(os.environ.get("PARLOUR_HYPOTHESIS", "default"))

# JAX compiles far more in tests than it runs, so it is not to spend time on making it quick. Tests run side by side.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_multi_thread_eigen=false")

# httpx tries to import sniffio for every request; where it is not installed, that looks into every folder each time.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

# A shell starts what is to run in the background deaf to Ctrl-C; programs that tests stop would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with hanging up, which this session goes on to outlive: what is heard and passed over is not inherited.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let tests be run in another order."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="modules, and tests in them, in an order by chance")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put tests in the order that was asked for; those of a module stay together, as what they share is made once."""
    seed = config.getoption("--shuffle")
    if seed is None:
        return
    rng = random.Random(seed)
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    order = list(modules)
    rng.shuffle(order)
    for module in order:
        rng.shuffle(modules[module])
    items[:] = [item for module in order for item in modules[module]]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test in a loop of its own."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    run(partial(test, **{name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}))
    return True


def pytest_collection_finish() -> None:
    """Leave the half million objects of modules and tests to the end: the collector passes over them from here on."""
    gc.collect()
    gc.freeze()


class Durations:
    """Keeps in pytest's cache how long each module takes, from which `make quick` knows what fits."""

    def __init__(self, cache: pytest.Cache) -> None:
        self._cache = cache
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test, its set-up or its tear-down took."""
        module = report.nodeid.partition("::")[0]
        self._seconds[module] = self._seconds.get(module, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Keep what is known now beside what was known of others."""
        known = {module: round(seconds, 2) for module, seconds in self._seconds.items()}
        self._cache.set("parlour/durations", {**self._cache.get("parlour/durations", {}), **known})


def pytest_configure(config: pytest.Config) -> None:
    """Measure in the process that hears of all tests."""
    if not hasattr(config, "workerinput") and (cache := getattr(config, "cache", None)) is not None:
        config.pluginmanager.register(Durations(cache))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Yield a PostgreSQL server for this session; whoever kills it starts it again."""
    try:
        with PostgresServer() as server:
            yield server
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def open_browser() -> Iterator[OpenBrowser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: run tools/web/install")
    with OpenBrowser() as found:
        yield found


@pytest.fixture
def browser(open_browser: OpenBrowser) -> Iterator[Browser]:
    """Yield a browser whose pages end with the test: they would draw and ask on beside all that follow."""
    with open_browser.in_use() as found:
        yield found
        for context in found.contexts:
            context.close()
