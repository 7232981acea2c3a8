"""The DAIDE door: one port for all matches; each connection greets, is read in turn, and is shown out if it errs."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec

from parlour.core import intents as it
from parlour.core.game import Plain, Seat
from parlour.errors import Denied, ParlourError, RemoteWireError
from parlour.games.diplomacy.map import standard
from parlour.net.daide.guest import DaideGuest, Placement
from parlour.net.daide.options import DaideOptions, options_of
from parlour.net.daide.tokens import MOST, Codec, Numbering, Token, codec
from parlour.net.framing.connection import Wire
from parlour.net.framing.frames import HEADER, FrameReader
from parlour.net.framing.listener import Listener
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import MATCH_ID, About, MatchSetup
from parlour.press.tokens import Lexicon
from parlour.store import Filter, RecordHead, RecordKind, Setting

INITIAL, REPRESENTATION, DIPLOMACY, FINAL, ERROR = range(5)
VERSION, MAGIC, SWAPPED = 1, 0xDA10, 0x10DA
GREETING_TIME = 30.0
"""Seconds that a connection has for its initial message."""
REPRESENTATION_DELAY = 0.03
"""Seconds before RM is sent: Java clients lose one that comes at once on a busy machine."""
MAX_WAITING = 64
"""Messages of one client that may wait to be answered; while more would, it is not read."""
RETURN_TIME = 60.0
"""Seconds that clients have to come back after the server was down, before their seats count as left."""
SECRET = "daide secret"
ACCOUNT = "daide "
"""How the accounts of clients begin: they are nobody's, and known by their passcodes alone."""

_log = logging.getLogger(__name__)


class Fault(RemoteWireError):
    """A frame that the protocol answers with an error message, after which the connection is closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class DaideDoor:
    """Listens, and shows clients to their matches."""

    def __init__(
        self,
        hall: Hall,
        options: DaideOptions | None = None,
        *,
        config: dict[str, Plain] | None = None,
        opens: bool = True,
        numbering: Numbering = Numbering.CLIENTS,
        most: int = 1024,
    ) -> None:
        self.options = options or DaideOptions()
        self.options.check()
        self.codec = codec(standard(), numbering)
        self.lexicon = Lexicon.of(standard())
        self._hall = hall
        self._config = config or {}
        """How matches are set up that are opened for clients."""
        self._opens = opens
        """Whether clients may open matches."""
        self._secret = b""
        self._closing = False
        self._callers: set[_Caller] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener = Listener(self._accept, most=most)
        self._seating = asyncio.Lock()
        self._sitting: dict[tuple[str, Seat], DaideGuest] = {}
        """Who is connected, by match and seat."""
        self._return_timer: asyncio.TimerHandle | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._listener.port

    async def open(self, host: str, port: int) -> None:
        """Listen there; passcodes are those of the store, so that clients can come back after a restart."""
        store = self._hall.store
        found = await store.fetch(store.setting, SECRET)
        if found is None:
            found = secrets.token_bytes(32)
            await store.keep(Setting(SECRET, found))
        self._secret = found
        await self._listener.open(host, port)
        self._return_timer = asyncio.get_running_loop().call_later(RETURN_TIME, self._spawn_roll_call)

    async def close(self) -> None:
        """Send everyone home; their seats stay theirs until the server is back."""
        self._closing = True
        self._listener.close()
        if self._return_timer is not None:
            self._return_timer.cancel()
        for caller in tuple(self._callers):
            caller.say(["OFF"])
            caller.finish()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._listener.emptied()

    def _accept(self) -> Wire:
        caller = _Caller(self)
        self._callers.add(caller)
        return caller.connection

    def forget(self, caller: _Caller) -> None:
        """A connection is gone."""
        self._callers.discard(caller)
        for place in [place for place, guest in self._sitting.items() if guest is caller.guest]:
            del self._sitting[place]

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin something that ends by itself."""
        if self._closing:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("something went wrong at the DAIDE door: %r", error)

    # The reception

    def now(self) -> float:
        """The time by which deadlines are kept."""
        return self._hall.now()

    def passcode(self, match: str, seat: Seat) -> int:
        """What one must know to take that seat again: the same after every restart, and nobody else's to guess."""
        digest = hmac.digest(self._secret, f"{match}\n{seat}".encode(), hashlib.sha256)
        return int.from_bytes(digest[:4], "big") % MOST + 1

    async def place(self, name: str) -> Placement | None:
        """A seat for somebody of that name: at the match after @, of the power before a colon, where it says so."""
        title, _, wanted = name.rpartition("@") if "@" in name else (name, "", "")
        prefix, colon, _ = title.partition(":")
        seat = self.lexicon.seat_of.get(prefix.upper()) if colon else None
        if colon and len(prefix) == 3 and seat is None:
            return None
        async with self._seating:
            head = await self._head_named(wanted.strip()) if wanted else await self._head_waiting()
        if head is None or (seat is not None and seat in head.players):
            return None
        return await self._place(head, seat, secrets.token_hex(8))

    async def place_again(self, power: str, passcode: int) -> Placement | None:
        """The place of that power at the match for which the passcode is right."""
        seat, after = self.lexicon.seat_of[power], None
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=("running", "paused"))
        while True:
            page = await self._hall.page(wanted, after=after)
            for head in page.heads:
                if self.passcode(head.id, seat) == passcode:
                    return await self._place(head, seat, "")
            if page.more is None:
                return None
            after = page.more

    async def gallery(self) -> Placement | None:
        """The newest match that waits or runs."""
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        page = await self._hall.page(wanted, limit=1)
        return await self._place(page.heads[0], None, "") if page.heads else None

    async def _place(self, head: RecordHead, seat: Seat | None, token: str) -> Placement:
        """A place at a match, for whoever has the seat already, or for an account of its own."""
        hosted = await self._hall.wake(head.id)
        sitting = hosted.seating.get(seat) if seat is not None else None
        taken = sitting is not None and sitting.account.startswith(ACCOUNT)
        account = sitting.account if sitting is not None and taken else f"{ACCOUNT}{head.id} {seat or ''}{token}"
        about = msgspec.json.decode(hosted.head.about or b"{}", type=About)
        options = options_of(hosted.match.terms, about.extras.get("daide"))
        return Placement(head.id, seat, Session(self._hall, account), options, taken)

    def seated(self, match: str, seat: Seat, guest: DaideGuest) -> None:
        """A guest sits there now."""
        before = self._sitting.get((match, seat))
        self._sitting[match, seat] = guest
        if before is not None and before is not guest:
            before.displaced()

    def _spawn_roll_call(self) -> None:
        self.run(self._roll_call())

    async def _roll_call(self) -> None:
        """Who was here before the server stopped and has not come back has left."""
        after = None
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        while True:
            page = await self._hall.page(wanted, after=after)
            for head in page.heads:
                for sitting in await self._hall.store.fetch(self._hall.store.seating, head.id):
                    seat = Seat(sitting.seat)
                    if sitting.account.startswith(ACCOUNT) and (head.id, seat) not in self._sitting:
                        await self._hall.handle(head.id, it.Leave(seat))
            if page.more is None:
                return
            after = page.more

    async def _head_named(self, match: str) -> RecordHead | None:
        if not MATCH_ID.fullmatch(match):
            return None
        try:
            head = await self._hall.head(match)
        except Denied:
            return await self._opened(match) if self._opens else None
        return head if head.game == "diplomacy" and head.status == "forming" else None

    async def _head_waiting(self) -> RecordHead | None:
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=("forming",))
        page = await self._hall.page(wanted, newest_first=False)
        for head in page.heads:
            if not head.password and len(head.players) < len(self.lexicon.seats):
                return head
        return await self._opened("") if self._opens else None

    async def _opened(self, match: str) -> RecordHead | None:
        extras = {"daide": msgspec.to_builtins(self.options)}
        setup = MatchSetup(
            game="diplomacy", terms=self.options.terms(), config=self._config, match=match, extras=extras
        )
        try:
            return await self._hall.head(await self._hall.open(setup))
        except Denied as denied:
            _log.info("no match is opened for a DAIDE client: %s", denied)
            return None


class _Caller:
    """One connection: its greeting, its frames, and the guest whom they become."""

    def __init__(self, door: DaideDoor) -> None:
        self.connection = Wire(self, FrameReader())
        self._door = door
        self._codec: Codec = door.codec
        self.guest = DaideGuest(door, door.lexicon, self.say, self.finish)
        self._greeted = self._represented = False
        self._unsaid: list[bytes] = []
        self._heard: deque[list[Token]] = deque()
        self._answering = self._lost = False
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(GREETING_TIME, self._fail, Fault(1, "sent no initial message in time"))

    # What arrives

    def received(self, value: bytes) -> None:
        """A whole frame."""
        try:
            self._take(value[0], value[HEADER:])
        except Fault as fault:
            self._fail(fault)

    def _take(self, kind: int, body: bytes) -> None:
        if not self._greeted:
            self._greet(kind, body)
        elif kind == INITIAL:
            raise Fault(6, "sent a second initial message")
        elif kind == REPRESENTATION:
            raise Fault(0x0D, "sent a representation message")
        elif kind == DIPLOMACY:
            if len(body) < 2:
                raise Fault(9, "sent a message without a token")
            try:
                self._heard.append(self._codec.decode(body))
            except RemoteWireError as error:
                raise Fault(9, str(error)) from None
            if len(self._heard) >= MAX_WAITING:
                self.connection.pause()
            self._go_on()
        elif kind in (FINAL, ERROR):
            self.connection.end(ConnectionResetError("the client closed"))
        else:
            raise Fault(8, f"sent a message of type {kind}")

    def _greet(self, kind: int, body: bytes) -> None:
        if kind != INITIAL:
            raise Fault(
                0x0A if kind == DIPLOMACY else 8 if kind > ERROR else 2, "did not begin with an initial message"
            )
        if len(body) < 4:
            raise Fault(9, "sent an initial message that is too short")
        magic = int.from_bytes(body[2:4], "big")
        if magic == SWAPPED:
            raise Fault(3, "sent its bytes in the wrong order")
        if magic != MAGIC:
            raise Fault(4, "is no DAIDE client")
        if int.from_bytes(body[:2], "big") != VERSION:
            raise Fault(5, "speaks another version")
        self._greeted = True
        self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(REPRESENTATION_DELAY, self._represent)

    def _represent(self) -> None:
        self._represented = True
        self.connection.send(_frame(REPRESENTATION, self._codec.representation()))
        for saying in self._unsaid:
            self.connection.send(saying)
        self._unsaid.clear()

    def _go_on(self) -> None:
        if not self._answering and not self._lost:
            self._answering = True
            self._door.run(self.answer())

    async def answer(self) -> None:
        """Answer what was heard, one after the other."""
        try:
            while self._heard and not self._lost:
                tokens = self._heard.popleft()
                if len(self._heard) == MAX_WAITING // 2:
                    self.connection.resume()
                await self.guest.hear(tokens)
        except ParlourError as error:
            _log.warning("a DAIDE client could not be answered: %s", error)
            self.connection.end(ConnectionResetError("could not be answered"))
        finally:
            self._answering = False
        if self._lost:
            await self.guest.leave()

    # What goes out

    def say(self, tokens: Sequence[Token]) -> None:
        """Send a message, after RM has been sent."""
        frame = _frame(DIPLOMACY, self._codec.encode(tokens))
        if self._represented:
            self.connection.send(frame)
        else:
            self._unsaid.append(frame)

    def finish(self) -> None:
        """Say goodbye and close."""
        self.connection.send(_frame(FINAL, b""))
        self.connection.close()
        self._over()

    def _fail(self, fault: Fault) -> None:
        self.connection.send(_frame(ERROR, fault.code.to_bytes(2, "big")))
        self.connection.close()
        self._over()

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        """The connection is gone."""
        self._over()

    def _over(self) -> None:
        if self._lost:
            return
        self._lost = True
        self._timer.cancel()
        self._heard.clear()
        self._door.forget(self)
        if not self._answering:
            self._answering = True
            self._door.run(self.answer())


def _frame(kind: int, body: bytes) -> bytes:
    return bytes((kind, 0)) + len(body).to_bytes(2, "big") + body
