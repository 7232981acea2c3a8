"""A server of pages for tests: in a thread of its own, on a store that outlives it, as often stopped and started."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import urlencode

import uvicorn

from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.limits import AccountLimits, RequestLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.framing.websocket import TextSocket
from parlour.net.hall import Hall
from parlour.net.notices.notifier import Notifier
from parlour.store import open_store
from parlour.web.site import Site
from support.hall.quick_passwords import QUICK
from support.processes.ports import free_port
from support.waiting import PATIENCE

T = TypeVar("T")
MANY = RequestLimits(1e6, 1e6)
"""More requests than any test sends."""


class Reply(NamedTuple):
    """The answer of a server."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


class WebServer:
    """Serves a hall on a free port; whatever is asked of the hall runs on its loop."""

    def __init__(self, folder: Path, limits: RequestLimits = MANY) -> None:
        self._folder = folder
        self._limits = limits
        self._known: set[str] = set()
        """Accounts that tests have signed in to."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Open the store, and serve."""
        ready: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        ready.result(20)

    def stop(self) -> None:
        """Stop serving, and close the store."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    async def _serve(self, ready: Future[None]) -> None:
        self.loop = asyncio.get_running_loop()
        with open_store(str(self._folder / "parlour.db")) as store:
            self.hall = Hall(store)
            many = AccountLimits(sign_ins_per_minute=1000.0, registrations_per_hour=1000.0)
            self.accounts = Accounts(store, limits=many, passwords=Passwords(QUICK))
            await self.hall.start()
            self.notifier = Notifier(self.hall, grace=3600.0)
            await self.notifier.start()
            self.site = Site(self.hall, self.accounts, limits=self._limits, notifier=self.notifier)
            config = uvicorn.Config(self.site.app(), ws=TextSocket, log_level="error", timeout_graceful_shutdown=1)
            self._server = uvicorn.Server(config)
            # Whoever comes before it is served waits in the queue of the socket.
            listening = socket.create_server(("127.0.0.1", self.port), backlog=200)
            ready.set_result(None)
            await self._server.serve([listening])
            self.site.close()
            await self.hall.close()
            self.accounts.close()

    def sign_in(self, name: str) -> str:
        """Return a token of an account. Tests that share a server may share the account, in whatever order they run."""

        async def entered() -> str:
            if name not in self._known:
                await self.accounts.register(name, "a good password")
                self._known.add(name)
            return await self.accounts.sign_in(name, "a good password")

        return self.run(entered())

    def request(
        self, method: str, path: str, *, form: dict[str, str] | None = None, token: str = "", **headers: str
    ) -> Reply:
        """Return one request; headers such as sec_fetch_site."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["cookie"] = f"parlour={token}"
        body = urlencode(form) if form is not None else None
        if form is not None:
            sent["content-type"] = "application/x-www-form-urlencoded"
        return self.send(method, path, body, sent)

    def send(self, method: str, path: str, body: str | bytes | None, headers: dict[str, str]) -> Reply:
        """Return one request with any body."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
