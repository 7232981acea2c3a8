"""Minimal clients of a server: HTTP requests, and websockets of the `diplomacy` package's protocol."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from typing import Any, NamedTuple

import websockets
from websockets.asyncio.client import ClientConnection

HOST = "127.0.0.1"
TOO_MANY = 429
_numbers = itertools.count()


class TooManyError(PermissionError):
    """A request is refused because its address, or its account, has sent too many."""


class Reply(NamedTuple):
    """The answer to a request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body or b"null")


async def ask(
    port: int,
    method: str,
    path: str,
    body: Any = None,
    *,
    token: str = "",
    headers: dict[str, str] | None = None,
    source: str = "",
    most: int = 1 << 24,
) -> Reply:
    """Send a request on a new connection, from another loopback address if one is given, and return the reply."""
    local = (source, 0) if source else None
    reader, writer = await asyncio.open_connection(HOST, port, local_addr=local)
    try:
        payload = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"Host": f"{HOST}:{port}", "Content-Length": str(len(payload)), "Connection": "close"}
        sent |= {"Content-Type": "application/json"} if body is not None else {}
        sent |= {"Authorization": f"Bearer {token}"} if token else {}
        sent |= headers or {}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        writer.write(head.encode() + b"\r\n" + payload)
        await writer.drain()
        status = int((await reader.readline()).split()[1])
        found = {}
        while line := (await reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            found[name.lower()] = value.strip()
        answer = b""
        while len(answer) < most and (chunk := await reader.read(1 << 16)):
            answer += chunk
        return Reply(status, found, answer)
    finally:
        writer.close()


class Account(NamedTuple):
    """An account with a token."""

    name: str
    token: str


async def new_account(
    port: int, name: str = "", password: str = "a good password", *, source: str = "", patience: float = 15.0
) -> Account:
    """Register an account, and return it signed in; wait that long at most if others of its address ask for much."""
    name = name or f"somebody {next(_numbers)}-{id(_numbers) % 9999}"
    until = time.monotonic() + patience
    while True:
        body = {"name": name, "password": password}
        reply = await ask(port, "POST", "/api/v1/accounts", body, source=source)
        if reply.status != TOO_MANY:
            with contextlib.suppress(TooManyError):
                return await signed_in(port, name, password, source=source)
        if time.monotonic() > until:
            raise TooManyError(f"{reply.status}: {reply.body[:200]!r}")
        await asyncio.sleep(0.5)


async def signed_in(port: int, name: str, password: str, *, source: str = "") -> Account:
    """Sign in, and return the account; raise PermissionError if that is refused."""
    reply = await ask(port, "POST", "/api/v1/tokens", {"name": name, "password": password}, source=source)
    if reply.status == TOO_MANY:
        raise TooManyError(f"{reply.status}: {reply.body[:200]!r}")
    if reply.status >= 300:
        raise PermissionError(f"{reply.status}: {reply.body[:200]!r}")
    return Account(name, reply.json["token"])


class Client:
    """A minimal client of the `diplomacy` package's protocol."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line
        self.token = ""
        self.heard: list[bytes] = []
        """All messages that were not answers."""

    @classmethod
    async def connect(cls, port: int) -> Client:
        """Return a client with an open websocket."""
        return cls(await websockets.connect(f"ws://{HOST}:{port}/", max_size=None, ping_interval=None))

    async def sign_in(self, name: str, password: str = "a good password") -> None:
        """Sign in; an unknown account is created."""
        self.token = (await self.ask("sign_in", username=name, password=password))["data"]

    async def send(self, name: str, **fields: Any) -> str:
        """Send a request, and return its id."""
        number = f"r{next(_numbers)}"
        token = {"token": self.token} if self.token else {}
        await self.line.send(json.dumps({"request_id": number, "name": name, "re_sent": False, **token, **fields}))
        return number

    async def ask(self, name: str, **fields: Any) -> Any:
        """Send a request, and return its answer."""
        number = await self.send(name, **fields)
        while True:
            text = await self.line.recv()
            found = json.loads(text)
            if found.get("request_id") == number:
                return found
            self.heard.append(text.encode() if isinstance(text, str) else text)

    async def close(self) -> None:
        """Close the connection."""
        await self.line.close()
