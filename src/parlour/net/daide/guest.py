"""One DAIDE client: its messages become intents at its match, and events there become messages to it.

Requests are answered in order. Events that happen during an answer are sent after it, as clients expect: THX comes
before the ORD of the turn that the order completed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import IntEnum
from functools import partial

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot, PlayerType, RefusalCode
from parlour.core.player import ObservedEvent
from parlour.core.text import printable
from parlour.errors import Denied, StoreError
from parlour.games.diplomacy.position import Position
from parlour.net.accounts.limits import network_of
from parlour.net.daide import client_messages as cm
from parlour.net.daide import mail
from parlour.net.daide import match_messages as mm
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.hearing import Gibberish, Hearing, Tokens
from parlour.net.daide.places import Gate, Placement, waits_for_players
from parlour.net.daide.reception import Reception
from parlour.net.daide.server_messages import ServerMessage, confirmed, group, rejected
from parlour.net.fair_pool import Requester
from parlour.referee.spectators import QuietWatcher

WRONG_CODE_DELAY = 0.5
"""Seconds until a wrong passcode is answered: there are only 8,191 passcodes."""
MOST_MATCHES = 8
"""Maximum number of matches that are tried to find a client a seat."""
OFF_TIME = 2.0
"""Seconds between OFF and the end of the connection."""

_log = logging.getLogger(__name__)


async def _always_there() -> bool:
    return True


class Presence(IntEnum):
    """Rank of a client when all places are taken: the lowest is disconnected first."""

    STRANGER = 0  # a client that follows no match, or whose match is over
    OBSERVER = 1
    PLAYER = 2


class DaideGuest:
    """The conversation with one client, from its name to OFF."""

    def __init__(
        self,
        reception: Reception,
        gate: Gate,
        send: Callable[[bytes], None],
        hang_up: Callable[[], None],
        address: Callable[[], str] = str,
        probe: Callable[[], Awaitable[bool]] = _always_there,
    ) -> None:
        self._address, self._probe = address, probe
        """The client's address, and a function that checks its connection."""
        self._left = asyncio.Event()
        self._reception, self._gate = reception, gate
        self._hearing = Hearing(gate.codec)
        self._send, self._hang_up = send, hang_up
        self._name = self._version = ""
        self._observes = False
        self._news: mm.MatchNews | None = None
        """The client's place in a match, and all that is said about the match; None before it is offered one."""
        self._unwatch: Callable[[], None] | None = None
        self._answering = False
        self._later: list[bytes] = []
        self._window = asyncio.Event()
        """Set by any event that may have opened a press window."""
        self._closing: asyncio.TimerHandle | None = None
        self._gone = False
        self.failed = False
        """True if an order could not be stored: then no waiting answer may be sent."""

    @property
    def _at(self) -> Attendance | None:
        return None if self._news is None else self._news.at

    @property
    def presence(self) -> Presence:
        """Rank of the client among all that are connected."""
        at = self._at
        if self._unwatch is None or (at is not None and at.talk.over):
            return Presence.STRANGER
        return Presence.OBSERVER if at is None or at.seat is None else Presence.PLAYER

    # Messages of the client

    def take_orders(self, body: bytes) -> bool:
        """Answer SUB without waiting.

        Return False if that is not possible: then the caller queues it like any other message.
        """
        if self._answering or self._news is None:
            return False
        message, tokens = self._hearing.understood(body, self._at)
        if not isinstance(message, cm.Submitting):
            return False
        try:
            answers = self._news.orders.submit(message, tokens)
        except Denied:
            answers = [rejected(tokens)]
        except StoreError as error:
            self._fail(error)
            answers = []
        if answers:
            self._send(b"".join([sm.frame_of(answer, self._hearing.words) for answer in answers]))
        return answers is not None

    async def hear(self, body: bytes) -> None:
        """Process a message and answer it."""
        self._answering = True
        try:
            await self.settled()
            await self._answer(*self._hearing.understood(body, self._at))
        finally:
            self._answering = False
            later, self._later = self._later, []
            for frames in later:
                self._send(frames)

    def storing(self) -> asyncio.Future[None] | None:
        """Return a future that is done when submitted orders are stored; None if no answer waits for that."""
        return None if self._news is None else self._news.orders.storing()

    async def settled(self) -> None:
        """Wait until all submitted orders are stored."""
        if self._news is not None:
            await self._news.orders.settled()

    async def _answer(self, message: cm.ClientMessage | Gibberish, tokens: Tokens) -> None:
        try:
            for answer in await self._answers(message, tokens):
                self._say(answer)
        except Denied:
            self._say(rejected(tokens))

    async def _answers(self, message: cm.ClientMessage | Gibberish, tokens: Tokens) -> list[ServerMessage]:
        """Return the answers to a message; without a place in a match, most messages are rejected."""
        match message:
            case cm.Naming():
                return await self._naming(message, tokens)
            case cm.Observing():
                return await self._observing(tokens)
            case cm.Returning():
                return await self._returning(message, tokens)
            case cm.Confirming():
                return await self._confirming(message, tokens)
            case cm.Asking():
                return await self._asking(message) or [rejected(tokens)]
            case Gibberish():
                self._send(self._hearing.complaint(message))
                return []
            case cm.Complaining():
                return []  # complaints are never answered
        if (news := self._news) is None:
            return [rejected(tokens)]
        match message:
            case cm.Submitting():
                return await news.orders.submitted(message, tokens)
            case cm.Withdrawing():
                return await news.orders.withdraw(message, tokens)
            case cm.Going():
                return await news.orders.go(message, tokens)
            case cm.Drawing():
                return [await self._drawing(news.at, message, tokens)]
            case cm.Reminding():
                return [news.remind(message, tokens)]
            case cm.Sending():
                return [await self._sending(news.at, message, tokens)]
            case cm.Announcing():
                return [] if await news.announce(message) else [rejected(tokens)]

    def displaced(self) -> None:
        """Close the connection: its seat belongs to another client."""
        if self._news is not None:
            self._news.at.seat = None
        self._hang_up()

    async def is_reachable(self) -> bool:
        """Probe the client's connection; return False if it is dead, after its seat has been left."""
        if await self._probe():
            return True
        await self._left.wait()
        return False

    def hang_up(self) -> None:
        """Note that the client is gone, and wake waiting work."""
        self._gone = True
        self._window.set()

    async def leave(self) -> None:
        """Leave the seat after the connection was lost; it stays vacant until the client returns."""
        at = self._at
        self.hang_up()
        if self._news is not None:
            self._news.reminders.stop()
        if self._closing is not None:
            self._closing.cancel()
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        try:
            if at is not None and at.seat is not None:
                await self._leave_seat(at, at.seat)
        finally:
            self._left.set()

    async def _leave_seat(self, at: Attendance, seat: Seat) -> None:
        await self.settled()
        awaited = at.talk.name(seat) if at.position is not None else ""
        self._reception.unseated(at.match, seat, self, over=at.talk.over, awaited=awaited)
        if not at.talk.over:
            with suppress(Denied):  # the seat was given to somebody else
                await at.session.submit(at.match, it.Leave(seat))

    def _fail(self, error: Exception) -> None:
        """Close the connection after an answered order could not be stored."""
        _log.warning("orders of a DAIDE client could not be stored: %s", error)
        self.failed = True
        self._hang_up()

    def _say(self, message: ServerMessage) -> None:
        self._send(sm.frame_of(message, self._hearing.words))

    # Joining and leaving

    async def _naming(self, message: cm.Naming, tokens: Tokens) -> list[ServerMessage]:
        if self._news is not None or self._observes:
            return [rejected(tokens)]
        self._name, self._version = message.name, message.version
        return self._offer(await self._reception.place(message.name, self._gate, self._address()), tokens)

    async def _observing(self, tokens: Tokens) -> list[ServerMessage]:
        """Offer a match that can be watched; if there is none, the next that starts."""
        if self._news is not None or self._observes:
            return [rejected(tokens)]
        placement = await self._reception.observers.place(self._gate)
        if placement is None and self._gate.match:
            return [rejected(tokens)]
        self._observes = True
        if placement is None:
            return [confirmed(tokens), mm.map_name(self._gate.board)]
        return self._offer(placement, tokens)

    def _offer(self, placement: Placement | None, tokens: Tokens) -> list[ServerMessage]:
        if placement is None:
            return [rejected(tokens)]
        return [confirmed(tokens), mm.map_name(self._attend(placement).board)]

    def _attend(self, placement: Placement) -> Attendance:
        asker = Requester(network_of(self._address()), placement.match)
        at = Attendance(self._reception, self._gate, placement, asker)
        self._news = mm.MatchNews(at, self._push, self._fail)
        return at

    async def _confirming(self, message: cm.Confirming, tokens: Tokens) -> list[ServerMessage]:
        at = self._at
        if (at is None and not self._observes) or self._unwatch is not None or message.what != "MAP":
            return []
        if not message.accepted:
            return self._send_off()
        if message.name.casefold() != self._gate.board.name[: cm.MAX_NAME].casefold():
            return [rejected(tokens)]
        if at is None:
            self._unwatch = self._reception.observers.wait(self._gate, self._observe)
            return []
        if self._observes:
            self._unwatch = await self._follow(at)
            return []
        here = await self._find_seat(at)
        if here is None:
            return self._send_off()
        self._unwatch = await here.placement.session.watch(here.match, QuietWatcher(self._watch), since=0)
        return []

    def _send_off(self) -> list[ServerMessage]:
        self._say(["OFF"])
        self._hang_up()
        return []

    async def _observe(self, placement: Placement) -> None:
        """Watch the match that the client has waited for."""
        unwatch = await self._follow(self._attend(placement))
        if self._gone:
            unwatch()
        else:
            self._unwatch = unwatch

    async def _follow(self, at: Attendance) -> Callable[[], None]:
        """Watch a match from where it stands: earlier turns are in HST."""
        assert self._news is not None
        for told in await at.placement.session.events(at.match):
            at.talk.take(told)
        for message in self._news.so_far():
            self._push(message)
        return await at.placement.session.watch(at.match, QuietWatcher(self._watch), since=at.talk.k)

    async def _find_seat(self, at: Attendance) -> Attendance | None:
        """Take a seat in the match, or in another that waits for players if it has filled; None if there is none."""
        for _ in range(MOST_MATCHES):
            if await self._sit_down(at):
                return at
            placement = await self._reception.place(self._name, self._gate, self._address())
            if placement is None:
                break
            at = self._attend(placement)
        return None

    async def _sit_down(self, at: Attendance) -> bool:
        """Take a seat; return False if the match is full or has begun."""
        place, name = at.placement, printable(self._name, cm.MAX_NAME) or "?"
        if not waits_for_players(await self._reception.hall.wake(at.match)):
            return False
        try:
            kind = self._player_type(at)
            answer = await place.session.join(at.match, place.seat, name=name, player_type=kind, renamed=True)
        except Denied:  # the match is full, or needs a password, which clients cannot send
            return False
        joined = next((event for event in answer.events if isinstance(event, ev.Joined)), None)
        if joined is None:
            return False
        at.sit(joined.seat)
        self._reception.seated(at.match, joined.seat, self, self._version, partial(mail.unheard, at))
        return True

    def _player_type(self, at: Attendance) -> PlayerType:
        return PlayerType.PRESS_BOT if at.options.level else PlayerType.NO_PRESS_BOT

    async def _returning(self, message: cm.Returning, tokens: Tokens) -> list[ServerMessage]:
        placement = None
        if self._news is None and not self._observes:
            place_again = self._reception.place_again
            placement = await place_again(message.power, message.passcode, self._gate, self._name, self._address())
        if placement is None or placement.seat is None:
            await asyncio.sleep(WRONG_CODE_DELAY)
            return [rejected(tokens)]
        seat = placement.seat
        if (before := self._reception.occupant(placement.match, seat)) is not None:
            if await before.is_reachable():
                return [rejected(tokens)]
            placement = self._reception.placed(await self._reception.hall.wake(placement.match), seat)
        at = self._attend(placement)
        if not placement.taken and not await self._take_again(at, message.power):
            self._news = None
            return [rejected(tokens)]
        at.sit(seat)
        self._reception.seated(at.match, seat, self, self._version, partial(mail.unheard, at))
        past = await placement.session.events(at.match)
        for told in past:
            at.talk.take(told)
        assert self._news is not None
        self._news.greeted = True  # the client knows its passcode, so it received HLO before the cut
        self._news.orders.take_up(_orders_given(past, seat))
        self._unwatch = await placement.session.watch(at.match, QuietWatcher(self._watch), since=at.talk.k)
        return [confirmed(tokens)]

    async def _take_again(self, at: Attendance, power: str) -> bool:
        """Take a seat again that was left; return False if it is refused."""
        place, kind = at.placement, self._player_type(at)
        name = place.name or printable(self._name, cm.MAX_NAME) or power
        answer = await place.session.join(
            place.match, place.seat, name=name, player_type=kind, patient=False, renamed=True
        )
        return answer.refusal is None

    # Questions, draws, press

    async def _asking(self, message: cm.Asking) -> list[ServerMessage]:
        if self._news is not None:
            return await self._news.answers(message)
        # C++ and Java clients ask before they have a seat.
        position = await self._reception.observers.position(self._gate, self._name)
        return mm.about_board(message.what, self._gate.board, position)

    async def _drawing(self, at: Attendance, message: cm.Drawing, tokens: Tokens) -> ServerMessage:
        if message.powers and not (at.options.level or at.options.pda):  # no form of the language at that level
            place = 1 if message.on else 3
            return ["HUH", *group([*tokens[:place], "ERR", *tokens[place:]])]
        if not at.playing or at.seat is None or (message.powers and not at.options.pda):
            return rejected(tokens)
        among = tuple(at.lexicon.seat_of[power] for power in message.powers)
        vote = it.Vote(at.seat, Ballot.YES if message.on else Ballot.NEUTRAL, among)
        (answer,) = await at.session.submit(at.match, vote)
        done = answer.refusal is None or answer.refusal.code is RefusalCode.NO_CHANGE
        return confirmed(tokens) if done or not message.on else rejected(tokens)

    async def _sending(self, at: Attendance, message: cm.Sending, tokens: Tokens) -> ServerMessage:
        """Send press; it waits until a press window that is due has opened, since DAIDE has no windows."""
        while at.talk.view.window_due and not self._gone:
            self._window.clear()
            await self._window.wait()
        return await mail.send(at, message, tokens)

    # Messages to the client

    def _watch(self, told: ObservedEvent) -> None:
        """Process an event of the match, and send its messages."""
        news, event = self._news, told.event
        if news is None:
            return
        at = news.at
        begun, doomed = at.position is not None, at.talk.doomed
        known = not isinstance(event, ev.Joined) or at.talk.is_away(event.seat)
        at.talk.take(told)
        self._window.set()
        if isinstance(event, ev.TurnEnded) and isinstance(after := told.view.position, Position) and after.turn:
            free = at.free_orders(after.turn.before.phase)
            self._push_frames(sm.turn_over_frames(after.turn, self._hearing.words, doomed, free))
            return
        for message in news.about(event, begun) if known else ():
            self._push(message)
        if isinstance(event, ev.Ended):  # C++ bots wait until the server closes
            self._closing = asyncio.get_running_loop().call_later(OFF_TIME, self._hang_up)

    def _push(self, message: ServerMessage) -> None:
        self._push_frames(sm.frame_of(message, self._hearing.words))

    def _push_frames(self, frames: bytes) -> None:
        if self._answering:
            self._later.append(frames)
        else:
            self._send(frames)


def _orders_given(past: Sequence[ObservedEvent], seat: Seat) -> list[str]:
    """Return the orders that a seat has given in the running turn."""
    for event in (told.event for told in reversed(past)):
        match event:
            case ev.Acted(action=list(action)) if event.seat == seat:
                return [str(order) for order in action]
            case ev.Acted() | ev.Retracted() if event.seat == seat:
                break  # taken back, or replaced by another holder of the seat
            case ev.TurnBegan():
                break
    return []
