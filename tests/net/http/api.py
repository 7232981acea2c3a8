"""A server's application without a socket, and somebody who asks it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]

from parlour.net.accounts.accounts import Accounts, Registration
from parlour.net.accounts.limits import AccountLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.hall import Hall
from parlour.net.http.app import OPERATIONS, PREFIX, Service, make_app
from parlour.net.http.openapi import document
from parlour.net.settings import ServerSettings
from parlour.store import open_store
from parlour.testing import FakeClock
from support.hall.quick_passwords import QUICK

SECRET = "correct horse"
GENEROUS = AccountLimits(sign_ins_per_minute=1000, registrations_per_hour=1000)

DOCUMENT = document(OPERATIONS, PREFIX)

Scenario = Callable[["Api"], Awaitable[None]]


def _described(method: str, path: str) -> Iterator[dict[str, Any]]:
    """Yield the answers that the document of the API describes, if it has such an operation."""
    for template, operations in DOCUMENT["paths"].items():
        if method.lower() in operations and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), PREFIX + path):
            yield operations[method.lower()]["responses"]
            return


def _check(response: httpx.Response, content: dict[str, Any]) -> None:
    """An answer is of a kind and a form that the document describes for its status."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    kinds = {media.partition(";")[0]: form["schema"] for media, form in content.items()}
    assert kind in kinds if kinds else not response.content, f"{kind!r} is not described: {sorted(kinds)}"
    if kind in ("application/json", "application/problem+json"):
        jsonschema.validate(response.json(), {**kinds[kind], "components": DOCUMENT["components"]})


class Api:
    """The application, and a client of it."""

    def __init__(self, service: Service, client: httpx.AsyncClient, clock: FakeClock) -> None:
        self.service = service
        self.client = client
        self.clock = clock

    async def ask(self, method: str, path: str, body: Any = None, *, token: str = "", **more: Any) -> httpx.Response:
        """Send a request under the prefix."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= more.pop("headers", {})
        response = await self.client.request(method, PREFIX + path, json=body, headers=headers, **more)
        for described in _described(method, path):
            assert str(response.status_code) in described, f"{method} {path}: {response.status_code} is not described"
            _check(response, described[str(response.status_code)].get("content", {}))
        return response

    async def get(self, path: str, token: str = "", **query: Any) -> Any:
        """Return the value of a GET, which must succeed."""
        response = await self.ask("GET", path, token=token, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    async def account(self, name: str) -> str:
        """Return the token of a new account."""
        response = await self.ask("POST", "/accounts", {"name": name, "password": SECRET})
        assert response.status_code == 201, response.text
        return str(response.json()["token"])

    async def admin(self) -> str:
        """Return the token of the administrator."""
        await self.service.accounts.ensure_admin(SECRET)
        return await self.service.accounts.sign_in("admin", SECRET)

    async def match(self, token: str, **more: Any) -> str:
        """Return a new match."""
        response = await self.ask("POST", "/matches", {"game": "diplomacy", **more}, token=token)
        assert response.status_code == 201, response.text
        return str(response.json()["match"])

    async def intend(self, match: str, token: str, intent: str, **more: Any) -> httpx.Response:
        """Send an intent."""
        return await self.ask("POST", f"/matches/{match}/intents", {"intent": intent, **more}, token=token)


@asynccontextmanager
async def serving(
    path: Path, settings: ServerSettings | None = None, registration: Registration = Registration.OPEN
) -> AsyncIterator[Api]:
    """Yield an application on a store of its own."""
    clock = FakeClock(1_000_000.0)
    with open_store(path) as store:
        hall = Hall(store)
        passwords = Passwords(QUICK)
        accounts = Accounts(store, limits=GENEROUS, passwords=passwords, clock=clock.now, registration=registration)
        service = Service(hall, accounts, settings or ServerSettings(), clock=clock.now)
        await hall.start()
        try:
            transport = httpx.ASGITransport(app=make_app(service), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://parlour.test") as client:
                yield Api(service, client, clock)
        finally:
            await hall.close()
            accounts.close()


def run(path: Path, scenario: Scenario, registration: Registration = Registration.OPEN) -> None:
    """Let a scenario ask an application with a store of its own."""

    async def whole() -> None:
        async with serving(path / "kept.db", registration=registration) as api:
            await scenario(api)

    asyncio.run(whole())
