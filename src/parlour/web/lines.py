"""The line of a page: a WebSocket over which it is told what its view sees, and hands in what its person wants.

page   {} | {"since": 57}                       what it knows already
server {"head": …, "next": 58} | {"welcome": 57, "next": 58}, then {"k": 57, "e": event, "x": …} for each event
page   {"id": 9, "intent": "act", …} | {"id": 9, "ask": "turns", …}
server {"ok": 9, "k": 59, …} | {"refused": 9, "k": 59, "code": …, "reason": …}

An answer names the first event that had not happened when it was given: events are drawn before they are told, so those
that an intent led to may come after its answer. What is long comes as bytes: the same JSON, packed by gzip.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent
from parlour.core.text import printable, too_large
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer
from parlour.errors import Denied, StoreError
from parlour.net.denials import NOT_KEPT, DenialCode
from parlour.net.framing.websocket import EXTENSION
from parlour.net.sessions import Session
from parlour.web.packets import Packet, packet
from parlour.web.stands import PageQueue, Stand
from parlour.web.views import Views

logger = logging.getLogger(__name__)

LARGEST = 64 * 1024
"""Bytes of a message from a page."""

UNKNOWN, FORBIDDEN, TOO_LARGE, GARBLED = 4404, 4403, 1009, 4400
"""With which a line is closed; pages do not come back after the first two."""

WANTED = {"moderator": MODERATOR, "omniscient": OMNISCIENT, "spectator": SPECTATOR}
"""As whom a page may ask to look."""

_INTENTS: msgspec.json.Decoder[Intent] = msgspec.json.Decoder(Intent)


class Hello(msgspec.Struct, frozen=True):
    """The first message of a page."""

    since: int | None = None


class Asked(msgspec.Struct, frozen=True):
    """A message that is answered: an intent, or a question."""

    id: int
    ask: str = ""
    intent: str = ""


class PageLine:
    """One page on its socket."""

    def __init__(self, socket: WebSocket, views: Views, session: Session, match: str) -> None:
        self._socket, self._views, self._session, self._match = socket, views, session, match

    async def run(self) -> None:
        """Serve the page until it leaves."""
        await self._socket.accept()
        try:
            stand, viewer = await self._stand()
        except Denied as denied:
            unknown = denied.code == DenialCode.UNKNOWN_MATCH
            await self._socket.close(UNKNOWN if unknown else FORBIDDEN, denied.reason[:100])
            return
        page = stand.join()
        if (whole := self._socket.scope.get("extensions", {}).get(EXTENSION)) is not None:
            page.send_now = whole.send_frame
        try:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                hello = await self._hello()
                if hello is not None:
                    await self._welcome(stand, viewer, page, hello.since)
                    await self._both(stand, viewer, page)
        finally:
            stand.leave(page)
            self._views.rest(self._match, stand)

    async def _stand(self) -> tuple[Stand, Viewer]:
        wanted = WANTED.get(self._socket.query_params.get("as", ""))
        viewer = await self._views.viewer(self._session, self._match, wanted)
        return await self._views.stand(self._match, viewer), viewer

    async def _both(self, stand: Stand, viewer: Viewer, page: PageQueue) -> None:
        """Tell and listen at once, until either side ends."""
        tasks = [
            asyncio.ensure_future(self._tell(stand, viewer, page)),
            asyncio.ensure_future(self._listen(stand)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hello(self) -> Hello | None:
        try:
            return msgspec.json.decode(await self._receive(), type=Hello)
        except (msgspec.DecodeError, UnicodeDecodeError):
            await self._socket.close(GARBLED, "expected {} or {since}")
            return None

    async def _welcome(self, stand: Stand, viewer: Viewer, page: PageQueue, since: int | None) -> None:
        missed = None if since is None else stand.since(since)
        page.freshen()
        if missed is None:
            await self._snapshot(stand, viewer)
            return
        await self._send({"welcome": since, "next": stand.next})
        for line in missed:
            await self._send(line)

    async def _snapshot(self, stand: Stand, viewer: Viewer) -> None:
        past, number = stand.past(), stand.next
        head = await self._views.head(self._session, self._match, viewer, stand)
        await self._send({"head": {**head, "past": past}, "next": number})

    async def _tell(self, stand: Stand, viewer: Viewer, page: PageQueue) -> None:
        while True:
            message = await page.get()
            if message is None:
                page.freshen()
                await self._snapshot(stand, viewer)
                continue
            await self._send_packet(message)

    async def _listen(self, stand: Stand) -> None:
        while True:
            message = await self._receive()
            try:
                asked = msgspec.json.decode(message, type=Asked)
            except (msgspec.DecodeError, UnicodeDecodeError):
                await self._socket.close(GARBLED, "expected a JSON object with an id")
                return
            try:
                answer = await self._answer(asked, message, stand)
            except Denied as denied:
                answer = {"refused": asked.id, "code": denied.code, "reason": denied.reason}
            except StoreError as error:
                logger.warning("match %s: %s", self._match, error)
                answer = {"refused": asked.id, "code": "store", "reason": NOT_KEPT}
            await self._send({**answer, "k": stand.heard})

    async def _answer(self, asked: Asked, message: bytes, stand: Stand) -> Mapping[str, Plain]:
        if asked.intent:
            try:
                intent = _INTENTS.decode(message)
            except msgspec.ValidationError as error:
                return {"refused": asked.id, "code": "bad value", "reason": printable(error)}
            answer = await self._session.handle(self._match, intent)
            if answer.refusal is not None:
                return {"refused": asked.id, "code": answer.refusal.code.value, "reason": answer.refusal.reason}
            return {"ok": asked.id, "notes": list(answer.notes)} if answer.notes else {"ok": asked.id}
        told = await self._views.asked(self._session, self._match, stand, msgspec.json.decode(message))
        return {"ok": asked.id, **told} if "refused" not in told else {**told, "refused": asked.id}

    async def _receive(self) -> bytes:
        message: Any = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        found: bytes = text.encode() if text is not None else message.get("bytes", b"")
        if len(found) > LARGEST:
            await self._socket.close(TOO_LARGE, too_large("message", LARGEST))
            raise WebSocketDisconnect(TOO_LARGE)
        return found

    async def _send(self, value: Plain) -> None:
        await self._send_packet(packet(value))

    async def _send_packet(self, message: Packet) -> None:
        # A whole message in one go: nothing can come between its parts.
        await self._socket.send(message)


def seat_of(value: Plain) -> Seat:
    """The seat that a question names."""
    return Seat(value) if isinstance(value, str) else Seat("")
