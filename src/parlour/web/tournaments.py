"""Tournaments as stored now: read again while they run, once for all pages that show them.

A tournament may be played by another program: `parlour tournament --store FILE` beside `parlour serve`.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from functools import partial
from typing import NamedTuple

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.core.decoding import UNREADABLE
from parlour.core.markup import Html
from parlour.errors import Denied, StoreError
from parlour.net.fair_pool import HOUSE, FairPool, Requester
from parlour.net.framing.connection import LineRate
from parlour.store import RecordKind, Store
from parlour.tournament.knock_out.tournament import resume
from parlour.tournament.storage.tournament_store import has_plan, read
from parlour.web.page_socket import GARBLED, TRY_AGAIN, UNKNOWN, Asked, Hello, until_one_ends
from parlour.web.standings import course_content, series_content
from parlour.web.visitors import asker_of

EVERY = 1.0
"""Seconds between two reads of a running tournament."""
SHARE = 20
"""Maximum share of the time that is spent on recomputing a table."""
KEPT = 64
"""Number of tournaments that are kept in memory for the next page."""


class TournamentSheet(NamedTuple):
    """A tournament as a page shows it."""

    number: int
    """Number of the record's entries in this sheet."""
    title: str
    content: Html
    over: bool


class _Look:
    """The last read of a tournament."""

    def __init__(self) -> None:
        self.sheet: TournamentSheet | None = None
        self.again = 0.0
        """Time of the next look at the store."""
        self.looking = asyncio.Lock()


class Tournaments:
    """All tournaments of a store."""

    def __init__(self, store: Store, pool: FairPool | None = None) -> None:
        """Make the sheets of a store; the pool computes them, in turn among those who ask."""
        self._store, self._pool = store, FairPool() if pool is None else pool
        self._looks: OrderedDict[str, _Look] = OrderedDict()
        self.computed = 0
        """Number of sheets computed so far."""

    async def sheet(self, name: str, asker: Requester = HOUSE) -> TournamentSheet | None:
        """Return the present sheet of a tournament; None if there is none."""
        look = self._looks.setdefault(name, _Look())
        self._looks.move_to_end(name)
        async with look.looking:
            if time.monotonic() >= look.again and not (look.sheet and look.sheet.over):
                begun = time.monotonic()
                look.sheet = await self._pool.run(asker, partial(self._read, name, look.sheet))
                look.again = time.monotonic() + max(EVERY, SHARE * (time.monotonic() - begun))
        if look.sheet is None:
            self._looks.pop(name, None)
        elif len(kept := [each for each, known in self._looks.items() if known.sheet is not None]) > KEPT:
            del self._looks[kept[0]]  # names of no tournament displace nothing
        return look.sheet

    async def after(self, name: str, number: int, asker: Requester = HOUSE) -> TournamentSheet | None:
        """Wait for a sheet with another number and return it; None if the tournament is gone."""
        while True:
            sheet = await self.sheet(name, asker)
            if sheet is None or sheet.number != number:
                return sheet
            await asyncio.sleep(EVERY)

    def _read(self, name: str, known: TournamentSheet | None) -> TournamentSheet | None:
        """Return the present sheet, or the known one if nothing has changed. Blocks: call it off the loop."""
        head = self._store.head(name)
        if head is None or head.kind is not RecordKind.TOURNAMENT:
            return None
        # The end counts as one more entry, so that pages notice it although the record has not grown.
        over = head.result is not None
        number = self._store.length(name) + over
        if known is not None and known.number == number:
            return known
        self.computed += 1
        if has_plan(head):
            series, _ = read(self._store, name)
            return TournamentSheet(number, *series_content(series, over=over), over)
        course, _ = resume(self._store, name)
        return TournamentSheet(number, *course_content(course, over=over), over)


class TournamentLine:
    """A page of a tournament on its socket: it receives the number of each new sheet, and fetches the sheet itself."""

    def __init__(self, socket: WebSocket, tournaments: Tournaments, name: str) -> None:
        self._socket, self._tournaments, self._name = socket, tournaments, name

    async def run(self) -> None:
        """Serve the page until it leaves, or the tournament is over."""
        await self._socket.accept()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page has left; the message is dropped
            try:
                hello = msgspec.json.decode(await self._socket.receive_text(), type=Hello)
            except (*UNREADABLE, KeyError):  # a message of bytes has no text
                await self._socket.close(GARBLED, "expected {} or {since}")
                return
            try:
                await until_one_ends(self._tell(hello.since or 0), self._left())
            except (Denied, StoreError) as error:
                await self._socket.close(TRY_AGAIN, str(error)[:100])

    async def _tell(self, since: int) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page left between two reads
            await self._send({"welcome": since})
            while True:
                sheet = await self._tournaments.after(self._name, since - 1, asker_of(self._socket))
                if sheet is None:
                    await self._socket.close(UNKNOWN, "there is no such tournament")
                    return
                await self._send({"k": sheet.number, "e": {"event": "over" if sheet.over else "standings"}})
                if sheet.over:
                    return
                since = sheet.number + 1

    async def _left(self) -> None:
        """Wait until the page leaves; its messages only ask whether the server is there."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            rate = LineRate(1.0, 20.0)
            while True:
                await asyncio.sleep(rate.line())
                try:
                    asked = msgspec.json.decode(await self._socket.receive_text(), type=Asked)
                except (*UNREADABLE, KeyError):  # a message of bytes has no text
                    await self._socket.close(GARBLED, "expected a JSON object with an id")
                    return
                await self._send({"ok": asked.id})

    async def _send(self, value: dict[str, object]) -> None:
        await self._socket.send_text(msgspec.json.encode(value).decode())
