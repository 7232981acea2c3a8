"""Simulated wires between clients and an application that speaks ASGI: slow, cut, half-open, all from a seed.

A request arrives whole, in part, or not at all, and its sender may not learn which, as on a real network.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any

import msgspec

Application = Callable[[Any, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


class Lost(Exception):
    """Raised if no answer came; the request may or may not have taken effect."""


class Fate(StrEnum):
    """The fate of one connection."""

    FINE = "fine"
    NEVER_ARRIVED = "never arrived"
    """The request is lost, and the sender gets no error."""
    CUT = "cut"
    """The server has the whole request, and is notified that the client has gone."""
    HALF_OPEN = "half-open"
    """The client has gone in the middle of its request, and the server is not notified."""
    UNHEARD = "unheard"
    """The server answers after the client has gone."""


FAULTS = (Fate.NEVER_ARRIVED, Fate.CUT, Fate.HALF_OPEN, Fate.UNHEARD)


class SimulatedWires:
    """Wires that carry requests to an application, and answers back. To double a request, call `ask` twice at once."""

    def __init__(
        self,
        app: Application,
        chance: random.Random,
        *,
        slow: float = 0.02,
        failing: float = 0.0,
        patience: float = 3.0,
    ) -> None:
        self._app = app
        self._chance = chance
        self._slow = slow
        self._failing = failing
        self._patience = patience
        self._serving: set[asyncio.Task[None]] = set()

    async def ask(self, method: str, path: str, body: Any = None, *, token: str = "") -> tuple[int, Any]:
        """Return the status and the value of the answer; raise Lost if none comes."""
        fate = self._chance.choice(FAULTS) if self._chance.random() < self._failing else Fate.FINE
        exchange = _Exchange(fate, msgspec.json.encode(body))
        await self._travel()
        if fate is not Fate.NEVER_ARRIVED:
            place, _, query = path.partition("?")
            headers = [(b"host", b"simulated"), (b"authorization", f"Bearer {token}".encode())][: 2 if token else 1]
            scope = {
                "type": "http",
                "asgi": {"version": "3.0"},
                "http_version": "1.1",
                "method": method,
                "scheme": "http",
                "path": place,
                "query_string": query.encode(),
                "headers": headers,
                "client": ("192.0.2.1", 1),
            }
            task = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        if fate is Fate.CUT:
            await self._travel()
            raise Lost(fate)
        try:
            async with asyncio.timeout(self._patience):
                await exchange.answered.wait()
        except TimeoutError:
            raise Lost(fate) from None
        await self._travel()
        return exchange.status, msgspec.json.decode(exchange.answer or b"null")

    async def _travel(self) -> None:
        await asyncio.sleep(self._chance.expovariate(1 / self._slow))


class _Exchange:
    """A request, as the application receives and answers it."""

    def __init__(self, fate: Fate, body: bytes) -> None:
        self.status = 0
        self.answer = b""
        self.answered = asyncio.Event()
        self._fate = fate
        self._body = body
        self._sent = False

    async def receive(self) -> dict[str, Any]:
        """Return the next message that arrives at the server."""
        if self._sent:
            if self._fate is not Fate.CUT:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}
        self._sent = True
        whole = self._fate is not Fate.HALF_OPEN
        return {"type": "http.request", "body": self._body if whole else self._body[:-1], "more_body": not whole}

    async def send(self, message: Any) -> None:
        """Receive a part of the server's answer; the answer reaches the client only if the connection is fine."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.answer += message.get("body", b"")
            if self._fate is Fate.FINE and not message.get("more_body"):
                self.answered.set()
