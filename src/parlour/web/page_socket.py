"""The socket of a page: it receives the events of its view, and sends the intents of its visitor.

page   {} | {"since": 57}                       what it knows already
server {"head": …, "next": 58} | {"welcome": 57, "next": 58}, then {"k": 57, "e": event, "x": …, "t": …} for each event
page   {"id": 9, "intent": "act", …} | {"id": 9, "ask": "turns", …}
server {"ok": 9, "k": 59, …} | {"refused": 9, "k": 59, "code": …, "reason": …}
page   {"id": 9, "key": …, "intent": …}         sent again with another id until it is answered, and taken once
page   {"id": 10, "ask": "alive"}, when nothing has come for a while: it cannot see whether the line is cut
page   {"id": 11, "ask": "anew"}, when its visitor may see something else now: another head follows

An answer names the first event that had not happened when it was given. Events are drawn before they are sent, so the
events of an intent may come after its answer. Long messages are sent as bytes: the same JSON, packed by gzip.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent
from parlour.core.text import printable, too_large
from parlour.core.viewers import Viewer
from parlour.errors import Denied, StoreError
from parlour.net.fair_pool import HOUSE, Requester
from parlour.net.framing.connection import LineRate
from parlour.net.framing.json_stream import encoded_in_parts
from parlour.net.framing.websocket import EXTENSION
from parlour.net.http.matches import GAZES
from parlour.net.permission_errors import NOT_KEPT, DenialCode
from parlour.net.sessions import Session
from parlour.web.event_stream import Telling
from parlour.web.packets import Packet, packet
from parlour.web.view_streams import PageQueue, ViewStream
from parlour.web.views import Views

logger = logging.getLogger(__name__)

LARGEST = 64 * 1024
"""Maximum bytes of a message from a page."""

UNKNOWN, FORBIDDEN, TOO_LARGE, GARBLED, TRY_AGAIN = 4404, 4403, 1009, 4400, 1013
"""Codes for closing a socket; after the first two, pages do not reconnect."""

LINES_PER_SECOND, LINES_AT_ONCE = 50.0, 200.0
"""Maximum rate and burst of a page's messages; each stands for an action of a person."""

_CODES: dict[str, int] = {
    DenialCode.UNKNOWN_MATCH: UNKNOWN,
    DenialCode.BUSY: TRY_AGAIN,
    DenialCode.TOO_OFTEN: TRY_AGAIN,
}

LONG = frozenset({"orders", "turns"})
"""Kinds of messages that are long enough to be encoded and compressed off the loop."""

_INTENTS: msgspec.json.Decoder[Intent] = msgspec.json.Decoder(Intent)


class Hello(msgspec.Struct, frozen=True):
    """The first message of a page."""

    since: int | None = None


class Asked(msgspec.Struct, frozen=True):
    """A message that needs an answer: an intent or a question."""

    id: int
    ask: str = ""
    intent: str = ""
    key: str = ""
    """The same key as before if the message is sent again because its answer did not come."""


class Lookout(NamedTuple):
    """The view that a page follows, together with other pages that see the same."""

    stand: ViewStream
    viewer: Viewer
    page: PageQueue
    unheed: Callable[[], None]
    left: asyncio.Event
    """Set when the page follows another view."""


class PageSocket:
    """The connection of one page, on its socket."""

    def __init__(
        self,
        socket: WebSocket,
        views: Views,
        session: Session,
        match: str,
        *,
        asker: Requester = HOUSE,
        rate: LineRate | None = None,
    ) -> None:
        self._socket, self._views, self._session, self._match = socket, views, session, match
        self._asker = asker
        self._rate = rate or LineRate(LINES_PER_SECOND, LINES_AT_ONCE)
        self._wanted = GAZES.get(socket.query_params.get("as", ""))
        """The view that the page asked for; None for the one that its rights give."""
        self._place: Lookout | None = None

    async def run(self) -> None:
        """Serve the page until it leaves."""
        await self._socket.accept()
        try:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page has left; the message is dropped
                await self._serve()
        finally:
            self._give_up_place()

    async def _serve(self) -> None:
        try:
            await self._find_place(self._wanted)
            hello = await self._hello()
            if hello is not None:
                await self._welcome(hello.since)
                await until_one_ends(self._tell(), self._listen())
        except Denied as denied:
            await self._socket.close(_CODES.get(denied.code, FORBIDDEN), denied.reason[:100])

    async def _find_place(self, wanted: Viewer | None = None) -> None:
        """Find the view that the page wants, or one that it may see; Denied if there is none."""
        viewer = await self._views.viewer(self._session, self._match, wanted)
        hosted = await self._views.hall.wake(self._match)
        stand = await self._views.stand(self._match, viewer, self._asker)
        self._give_up_place()
        page = stand.join()
        if (whole := self._socket.scope.get("extensions", {}).get(EXTENSION)) is not None:
            page.send_now = whole.send_frame

        def heed() -> None:
            """Send the page nothing more of this view if its visitor may no longer see it."""
            if self._session.still(hosted, viewer) != viewer:
                page.expel()

        self._place = Lookout(stand, viewer, page, hosted.heed_rights(heed, self._session.credential), asyncio.Event())
        heed()  # rights may have changed while the stream was made

    def _give_up_place(self) -> None:
        if self._place is not None:
            self._place.unheed()
            self._place.left.set()
            self._place.stand.leave(self._place.page)
            self._views.rest(self._match, self._place.stand)
            self._place = None

    @property
    def _here(self) -> Lookout:
        assert self._place is not None
        return self._place

    async def _permitted(self) -> Lookout:
        """Return the page's view after moving it to one that it may see."""
        while self._here.page.expelled:
            try:
                await self._find_place(self._wanted)
            except Denied:
                self._wanted = None
                await self._find_place()
        return self._here

    async def _hello(self) -> Hello | None:
        try:
            return msgspec.json.decode(await self._receive(), type=Hello)
        except UNREADABLE:
            await self._socket.close(GARBLED, "expected {} or {since}")
            return None

    async def _welcome(self, since: int | None) -> None:
        began, place = self._here, await self._permitted()
        since = since if place is began else None
        missed = None if since is None else place.stand.since(since)
        place.page.freshen()
        if missed is None:
            await self._snapshot(place)
            return
        await self._send({"welcome": since, "next": place.stand.next})
        for line in missed:
            await self._send(line)

    async def _snapshot(self, place: Lookout) -> None:
        past, table, number = place.stand.past(), place.stand.table(), place.stand.next
        head = await self._views.head(self._session, self._match, place.viewer, place.stand)
        work = partial(snapshot, {**head, "table": table}, past, number)
        message = await self._views.hall.pool.run(self._asker, work)
        if not place.page.expelled:
            await self._send_packet(message)

    async def _tell(self) -> None:
        while True:
            message = await self._here.page.get()
            if message is not None:
                await self._send_packet(message)
                continue
            place = await self._permitted()
            place.page.freshen()
            await self._snapshot(place)

    async def _listen(self) -> None:
        while True:
            message = await self._receive()
            # A page that sends much waits, and always lets others have their turn.
            await asyncio.sleep(self._rate.line(len(message)))
            try:
                asked = msgspec.json.decode(message, type=Asked)
                question = {} if asked.intent else msgspec.json.decode(message)
            except UNREADABLE:
                await self._socket.close(GARBLED, "expected a JSON object with an id")
                return
            try:
                answer = await (self._play(asked, message) if asked.intent else self._answer(asked, question))
            except Denied as denied:
                answer = self._numbered({"refused": asked.id, "code": denied.code, "reason": denied.reason})
            except StoreError as error:
                logger.warning("match %s: %s", self._match, error)
                answer = self._numbered({"refused": asked.id, "code": "store", "reason": NOT_KEPT})
            await self._send_packet(answer)

    def _numbered(self, answer: Mapping[str, Plain]) -> Packet:
        return packet(self._with_number(answer))

    def _with_number(self, answer: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return an answer with the number of the next event."""
        # Numbers of a view that the page is about to leave mean nothing in the other.
        return {**answer, "k": 0 if self._here.page.expelled else self._here.stand.heard}

    async def _play(self, asked: Asked, message: bytes) -> Packet:
        take = partial(self._taken, asked, message)
        answer = await self._views.deliveries.once(self._session.who.key, self._match, asked.key, take)
        return self._numbered({**answer, "ok" if "ok" in answer else "refused": asked.id})

    async def _taken(self, asked: Asked, message: bytes) -> Mapping[str, Plain]:
        try:
            intent = _INTENTS.decode(message)
        except UNREADABLE as error:
            return {"refused": asked.id, "code": "bad value", "reason": printable(error)}
        (answer,) = await self._session.submit(self._match, intent)
        if answer.refusal is not None:
            return {"refused": asked.id, "code": answer.refusal.code.value, "reason": answer.refusal.reason}
        return {"ok": asked.id, "notes": list(answer.notes)} if answer.notes else {"ok": asked.id}

    async def _answer(self, asked: Asked, question: Mapping[str, Any]) -> Packet:
        if asked.ask == "anew":
            self._here.page.expel()
            return self._numbered({"ok": asked.id})
        while True:
            place = self._here
            told = await self._views.asked(self._session, self._match, place.stand, question, self._asker)
            if not told or "refused" in told:
                return self._numbered({**told, "refused" if told else "ok": asked.id})
            answer = await self._packed({"ok": asked.id, **told})
            if not place.page.expelled:
                return answer
            await place.left.wait()  # rights were lost meanwhile, so the page gets the answer of its next view

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

    async def _packed(self, answer: dict[str, Plain]) -> Packet:
        """Return an answer that may be long, compressed off the loop in this page's turn."""
        if answer.keys() & LONG:
            return await self._views.hall.pool.run(self._asker, partial(packet, self._with_number(answer)))
        return self._numbered(answer)

    async def _send(self, value: Plain) -> None:
        await self._send_packet(packet(value))

    async def _send_packet(self, message: Packet) -> None:
        self._rate.sent(len(message["frame"]))
        # A whole message in one go: nothing can come between its parts.
        await self._socket.send(message)


async def until_one_ends(*work: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines at once until one of them ends or fails."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def snapshot(head: dict[str, Plain], past: Sequence[Telling], number: int) -> Packet:
    """Return the message that gives a page the whole match, up to number."""
    lines = encoded_in_parts([Telling(one.k, one.e, one.x) for one in past])
    return packet({"head": {**head, "past": msgspec.Raw(lines)}, "next": number})


def seat_of(value: Plain) -> Seat:
    """Return the seat that a question names; an empty one if it names none."""
    return Seat(value) if isinstance(value, str) else Seat("")
