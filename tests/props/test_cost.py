"""The law of cost: what a request can cause grows no faster than its size, for every request of every door.

Counted, not timed: calls of functions on all threads, and the memory that is held at most.
"""

from __future__ import annotations

import asyncio
import cProfile
import threading
import tracemalloc
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from starlette.routing import Route, WebSocketRoute

from parlour.errors import Denied
from support.cost.counting import NOISE, STEP, Cost, excess_growth, is_noise, least
from support.cost.requests import Request, all_requests
from support.fuzz.doors import OfflineServer

pytest.importorskip("mcp")

SIZES = [50 * STEP**power for power in range(3)]
TRIES = 4
MOST = 30
"""Requests after which the server is a new one, so that none costs more for the long record that others left."""


class Meter:
    """Counts calls on this thread and on all that begin after it, while it is told to."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self._calls += 1

    def measure(self, server: OfflineServer, request: Request, size: int) -> Cost:
        """Return what it costs to send a request in that size."""
        tracemalloc.start()
        try:
            return Cost(self.calls(server, request, size), tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    def calls(self, server: OfflineServer, request: Request, size: int) -> int:
        """Return the calls that it takes to send a request in that size."""
        self._calls = 0
        here = cProfile.Profile()  # many times as quick as a function that is called for each call
        here.enable()
        try:
            server.run(request.send(server, size))
        finally:
            here.disable()
        return self._calls + sum(entry.callcount for entry in here.getstats())


class Servers:
    """Servers whose threads are counted, one after the other."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._server: OfflineServer | None = None
        self._used = 0

    def usable(self) -> OfflineServer:
        """Return a server on which the owner is signed in and the match goes on."""
        if self._server is not None and (self._used >= MOST or not self._is_whole(self._server)):
            self.close()
        if self._server is None:
            self._server, self._used = OfflineServer(self._loop), 0
        self._used += 1
        return self._server

    def _is_whole(self, server: OfflineServer) -> bool:
        async def look() -> bool:
            try:
                await server.accounts.identify(server.token)
                return (await server.hall.head("diplomacy")).status == "running"
            except Denied:
                return False

        return self._loop.run_until_complete(look())

    def close(self) -> None:
        """Stop the last one."""
        if self._server is not None:
            self._server.close()
            self._server = None


@pytest.fixture(scope="module")
def meter() -> Iterator[Meter]:
    found = Meter()
    threading.setprofile(found)
    yield found
    threading.setprofile(None)


@pytest.fixture(scope="module")
def houses(meter: Meter) -> Iterator[Servers]:
    found = Servers()
    yield found
    found.close()
    found._loop.close()


def _excess(meter: Meter, houses: Servers, request: Request) -> str:
    """Return what grew too fast, also when it is measured again on a new server.

    A server does something for itself now and then, and a turn that ends changes what a request leads to.
    Most requests cost next to nothing: then their memory is measured once, for the largest.
    """
    found = ""
    for tried in range(TRIES):
        if tried:
            houses.close()
        server = houses.usable()
        server.run(request.send(server, SIZES[0]))  # what is made once for all is made now
        if not tried and meter.calls(server, request, SIZES[1]) <= NOISE.calls:
            if is_noise(meter.measure(server, request, SIZES[2])):
                return ""
        measured = []
        for _ in range(1 + bool(tried)):
            larger = [meter.measure(server, request, size) for size in SIZES[1:]]
            if all(map(is_noise, larger)):
                return ""
            measured.append([meter.measure(server, request, SIZES[0]), *larger])
        if not (found := excess_growth([least(costs) for costs in zip(*measured, strict=True)])):
            break
    return found


DOORS = ("http", "page", "line", "mila", "daide", "fish", "mcp")


@pytest.mark.parametrize("door", DOORS)
def test_a_request_costs_no_more_than_its_size(door: str, meter: Meter, houses: Servers) -> None:
    houses.close()
    requests = [one for one in all_requests(houses.usable()) if one.door == door]
    assert requests
    found = [f"{request}: {excess}" for request in requests if (excess := _excess(meter, houses, request))]
    assert not found, "\n".join(found)


def test_every_door_and_every_route_is_asked(houses: Servers) -> None:
    requests = all_requests(houses.usable())
    assert {one.door for one in requests} == set(DOORS)
    asked = {one.name for one in requests if one.door in ("http", "page", "line")}
    for route in houses.usable().app.routes:
        assert isinstance(route, Route | WebSocketRoute)
        for method in getattr(route, "methods", None) or ():
            assert method == "HEAD" or f"{method} {route.path}" in asked
        assert isinstance(route, Route) or route.path in asked


def test_what_grows_faster_than_its_size_is_noticed(meter: Meter, houses: Servers) -> None:
    async def quadratic(server: OfflineServer, size: int) -> None:
        for _ in range(size):
            list(map(len, [""] * (size // 10)))
            for _ in range(size // 50):
                len("")

    async def hungry(server: OfflineServer, size: int) -> None:
        bytearray(10 * size * size)

    for send in (quadratic, hungry):
        request = Request("none", "none", "none", send)
        assert excess_growth([meter.measure(houses.usable(), request, size) for size in SIZES])
