"""One DAIDE client: what it says becomes intents at its match, and what happens there becomes what it hears.

Everything it asks for is answered in order. What happens while it is being answered is told after the answer, as
clients expect: THX comes before the ORD of the turn that the order completed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from enum import IntEnum
from functools import partial
from typing import Any

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.intents import Ballot, CommStatus, PlayerType, RefusalCode
from parlour.core.player import Told
from parlour.core.text import printable
from parlour.errors import Denied, ParlourError, StoreError
from parlour.games.diplomacy.position import Position
from parlour.net.daide import mail, news, queries, sayings
from parlour.net.daide import phrases as ph
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.frames import DIPLOMACY, framed
from parlour.net.daide.hearing import Gibberish, Hearing, Tokens
from parlour.net.daide.ordering import OrderBook
from parlour.net.daide.reception import Gate, Placement, Reception, waits_for_players
from parlour.net.daide.reminders import Reminders
from parlour.net.daide.sayings import Saying, confirmed, group, rejected
from parlour.referee.gallery import Incurious

WRONG_CODE_DELAY = 0.5
"""Seconds that a wrong passcode costs: there are only 8,191 of them."""
MOST_MATCHES = 8
"""Matches at which a client is tried to be seated that does not care at which."""
MAX_ADMIN = 20
"""Admin messages of one client that are passed on in a turn."""

_log = logging.getLogger(__name__)


class Presence(IntEnum):
    """Who must go first when all places are taken, and others wait."""

    STRANGER = 0  # has sat down nowhere, or its match is over
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
    ) -> None:
        self._address = address
        """From where the client is connected."""
        self._reception, self._gate = reception, gate
        self._hearing = Hearing(gate.codec)
        self._send, self._hang_up = send, hang_up
        self._name = self._version = ""
        self._observes = False
        self._at: Attendance | None = None
        self._orders: OrderBook | None = None
        self._reminders: Reminders | None = None
        self._unwatch: Callable[[], None] | None = None
        self._answering = self._greeted = False
        self._later: list[bytes] = []
        self._announced = 0
        self._window = asyncio.Event()
        """Set when something happened that may have opened a press window."""
        self._errands: set[asyncio.Task[None]] = set()
        self._gone = False
        self.failed = False
        """Whether something that it ordered could not be stored: then no answer that waits may go out."""

    @property
    def presence(self) -> Presence:
        """What it does here."""
        if self._at is None or self._unwatch is None or self._at.talk.over:
            return Presence.STRANGER
        return Presence.OBSERVER if self._at.seat is None else Presence.PLAYER

    # What the client says

    def take_orders(self, body: bytes) -> bool:
        """Answer SUB at this moment; whether that could be done. Else it is to be heard as any other message."""
        if self._answering or self._orders is None:
            return False
        phrase, tokens = self._hearing.understood(body, self._at)
        if not isinstance(phrase, ph.Submitting):
            return False
        try:
            answers = self._orders.submit(phrase, tokens)
        except Denied:
            answers = [rejected(tokens)]
        except StoreError as error:
            self._fail(error)
            answers = []
        if answers:
            self._send(b"".join([sayings.frame_of(saying, self._hearing.words) for saying in answers]))
        return answers is not None

    async def hear(self, body: bytes) -> None:
        """Take in a message and answer it."""
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
        """What is done when more of what was ordered is stored; None if nothing waits for that, or it failed."""
        return None if self._orders is None else self._orders.storing()

    async def settled(self) -> None:
        """Wait until all that was ordered is stored."""
        if self._orders is not None:
            await self._orders.settled()

    async def _answer(self, phrase: ph.Phrase | Gibberish, tokens: Tokens) -> None:
        try:
            for saying in await _ANSWERS[type(phrase)](self, phrase, tokens):
                self._say(saying)
        except Denied:
            self._say(rejected(tokens))

    def displaced(self) -> None:
        """Somebody with the passcode sits here now: the seat is no longer this connection's."""
        if self._at is not None:
            self._at.seat = None
        self._hang_up()

    def hang_up(self) -> None:
        """Nobody listens any more: what waits for something waits no longer."""
        self._gone = True
        self._window.set()

    async def leave(self) -> None:
        """The connection is gone: the seat is vacant until somebody comes back to it."""
        at = self._at
        self.hang_up()
        if self._reminders is not None:
            self._reminders.stop()
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if at is None or at.seat is None:
            return
        await self.settled()
        awaited = at.talk.names.get(at.seat, "") if at.position is not None else ""
        self._reception.unseated(at.match, at.seat, self, over=at.talk.over, awaited=awaited)
        if not at.talk.over:
            with suppress(Denied):  # the seat was given to somebody else
                await at.want(it.Leave(at.seat))

    def _fail(self, error: Exception) -> None:
        """What was answered could not be stored: the client must not go on as if it had been."""
        _log.warning("orders of a DAIDE client could not be stored: %s", error)
        self.failed = True
        self._hang_up()

    def _say(self, saying: Saying) -> None:
        self._send(sayings.frame_of(saying, self._hearing.words))

    # Coming and going

    async def _naming(self, phrase: ph.Naming, tokens: Tokens) -> list[Saying]:
        if self._at is not None:
            return [rejected(tokens)]
        self._name, self._version, self._observes = phrase.name, phrase.version, False
        return self._offer(await self._reception.place(phrase.name, self._gate), tokens)

    async def _observing(self, phrase: ph.Observing, tokens: Tokens) -> list[Saying]:
        if self._at is not None:
            return [rejected(tokens)]
        self._observes = True
        return self._offer(await self._reception.gallery(self._gate), tokens)

    def _offer(self, placement: Placement | None, tokens: Tokens) -> list[Saying]:
        if placement is None:
            return [rejected(tokens)]
        return [confirmed(tokens), queries.map_name(self._attend(placement))]

    def _attend(self, placement: Placement) -> Attendance:
        at = self._at = Attendance(self._reception, self._gate, placement)
        self._orders, self._reminders = OrderBook(at, self._push, self._fail), Reminders(at, self._push)
        return at

    async def _confirming(self, phrase: ph.Confirming, tokens: Tokens) -> list[Saying]:
        at = self._at
        if at is None or self._unwatch is not None:
            return []
        here = at if self._observes or not phrase.accepted else await self._find_seat(at)
        if here is None or not phrase.accepted:
            self._say(["OFF"])
            self._hang_up()
            return []
        self._unwatch = await here.placement.session.watch(here.match, Incurious(self._watch), since=0)
        return []

    async def _find_seat(self, at: Attendance) -> Attendance | None:
        """Sit down; if the match has filled meanwhile, at the next one that waits, unless one was asked for by name."""
        for _ in range(MOST_MATCHES):
            if await self._sit_down(at):
                return at
            placement = await self._reception.place(self._name, self._gate)
            if placement is None:
                break
            at = self._attend(placement)
        return None

    async def _sit_down(self, at: Attendance) -> bool:
        """Take the seat; nobody new sits down once a match has begun."""
        place, name = at.placement, printable(self._name, ph.MAX_NAME) or "?"
        if not waits_for_players(await self._reception.hall.wake(at.match)):
            return False
        try:
            answer = await place.session.join(at.match, place.seat, name=name, player_type=self._player_type(at))
        except Denied:  # it wants a password, which no client could say, or is full
            return False
        joined = next((event for event in answer.events if isinstance(event, ev.Joined)), None)
        if joined is None:
            return False
        at.sit(joined.seat)
        self._reception.seated(at.match, joined.seat, self, self._version, partial(mail.unheard, at))
        return True

    def _player_type(self, at: Attendance) -> PlayerType:
        return PlayerType.PRESS_BOT if at.options.level else PlayerType.NO_PRESS_BOT

    async def _returning(self, phrase: ph.Returning, tokens: Tokens) -> list[Saying]:
        placement = None
        if self._at is None:
            place_again = self._reception.place_again
            placement = await place_again(phrase.power, phrase.passcode, self._gate, self._name, self._address())
        if placement is None or placement.seat is None:
            await asyncio.sleep(WRONG_CODE_DELAY)
            return [rejected(tokens)]
        at = self._attend(placement)
        if not placement.taken:
            join = placement.session.join
            name, kind = placement.name or printable(self._name, ph.MAX_NAME) or phrase.power, self._player_type(at)
            answer = await join(placement.match, placement.seat, name=name, player_type=kind, patient=False)
            if answer.refusal is not None:
                self._at = self._orders = self._reminders = None
                return [rejected(tokens)]
        at.sit(placement.seat)
        self._reception.seated(at.match, placement.seat, self, self._version, partial(mail.unheard, at))
        for told in await placement.session.events(at.match):
            at.talk.take(told)
        assert self._orders is not None
        self._greeted = True  # before it was cut off, or it would not know its passcode
        self._orders.take_up([str(order) for order in at.talk.own] if isinstance(at.talk.own, list) else [])
        self._unwatch = await placement.session.watch(at.match, Incurious(self._watch), since=at.talk.k)
        return [confirmed(tokens)]

    # Questions and orders

    async def _asking(self, phrase: ph.Asking, tokens: Tokens) -> list[Saying]:
        if self._at is None or self._orders is None:
            return [rejected(tokens)]
        return await queries.answers(self._at, self._orders, phrase) or [rejected(tokens)]

    async def _submitting(self, phrase: ph.Submitting, tokens: Tokens) -> list[Saying]:
        at, orders = self._at, self._orders
        if at is None or orders is None:
            return [rejected(tokens)]
        while (answers := orders.submit(phrase, tokens)) is None:
            await at.at_hand()
        return answers

    async def _withdrawing(self, phrase: ph.Withdrawing, tokens: Tokens) -> list[Saying]:
        return [rejected(tokens)] if self._orders is None else await self._orders.withdraw(phrase, tokens)

    async def _going(self, phrase: ph.Going, tokens: Tokens) -> list[Saying]:
        return [rejected(tokens)] if self._orders is None else await self._orders.go(phrase, tokens)

    # Draws, times, press

    async def _drawing(self, phrase: ph.Drawing, tokens: Tokens) -> list[Saying]:
        at = self._at
        if at is None or not at.playing or at.seat is None or (phrase.powers and not at.options.pda):
            return [rejected(tokens)]
        among = tuple(at.lexicon.seat_of[power] for power in phrase.powers)
        answer = await at.want(it.Vote(at.seat, Ballot.YES if phrase.on else Ballot.NEUTRAL, among))
        done = answer.refusal is None or answer.refusal.code is RefusalCode.NO_CHANGE
        return [confirmed(tokens) if done or not phrase.on else rejected(tokens)]

    async def _reminding(self, phrase: ph.Reminding, tokens: Tokens) -> list[Saying]:
        if self._at is None or self._reminders is None or self._at.position is None or self._at.talk.over:
            return [rejected(tokens)]
        return [self._reminders.answer(phrase, tokens)]

    async def _sending(self, phrase: ph.Sending, tokens: Tokens) -> list[Saying]:
        if self._at is None:
            return [rejected(tokens)]
        while self._at.talk.window and not self._gone:  # nobody in DAIDE knows of windows: press waits for it to open
            self._window.clear()
            await self._window.wait()
        return [await mail.send(self._at, phrase, tokens)]

    async def _announcing(self, phrase: ph.Announcing, tokens: Tokens) -> list[Saying]:
        """Pass an admin message on, if the match lets clients do that; everybody hears it, and that is the answer."""
        at, text = self._at, printable(phrase.text, ph.MAX_TEXT)
        if at is None or not at.options.adm or not text or self._announced >= MAX_ADMIN:
            return [rejected(tokens)]
        self._announced += 1
        by = f"{at.power or 'UNO'}:{printable(phrase.name, ph.MAX_NAME)}"
        return [] if await self._reception.announce(at.match, by, text) else [rejected(tokens)]

    async def _misread(self, wrong: Gibberish, tokens: Tokens) -> list[Saying]:
        """Say what is wrong with it in its own bytes: whoever floods us with thousands of tokens costs us little."""
        body, at, codes = wrong.body, 2 * wrong.error.index, self._hearing.words.codes
        prn = wrong.error.kind == "PRN"
        said = body if prn else body[:at] + codes["ERR"] + body[at:]
        self._send(framed(DIPLOMACY, codes["PRN" if prn else "HUH"] + codes["("] + said + codes[")"]))
        return []

    async def _complaining(self, phrase: ph.Complaining, tokens: Tokens) -> list[Saying]:
        return []  # never answered

    # What the client hears

    def _watch(self, told: Told) -> None:
        """Something happened at the match."""
        at, event = self._at, told.event
        if at is None:
            return
        begun, doomed = at.position is not None, at.talk.doomed
        known = not isinstance(event, ev.Joined) or event.seat in at.talk.away
        at.talk.take(told)
        self._window.set()
        if isinstance(event, ev.TurnEnded) and isinstance(told.position, Position) and told.position.turn is not None:
            self._push_frames(sayings.turn_over_frames(told.position.turn, self._hearing.words, doomed))
            return
        for saying in self._news(at, event, begun) if known else ():
            self._push(saying)

    def _push(self, saying: Saying) -> None:
        self._push_frames(sayings.frame_of(saying, self._hearing.words))

    def _push_frames(self, frames: bytes) -> None:
        if self._answering:
            self._later.append(frames)
        else:
            self._send(frames)

    def _news(self, at: Attendance, event: ev.Event, begun: bool) -> list[Saying]:
        match event:
            case ev.TurnBegan(turn=1) if at.talk.waits_at_first:
                began = self._turn_began(at)
                return [] if at.talk.lacks_players else [*self._greet(at), *began]
            case ev.Resumed() if at.talk.waits_at_first and not self._greeted:
                return [*self._greet(at), *self._time_changed(at, event)]
            case ev.TurnBegan():
                return self._turn_began(at)
            case ev.Paused() | ev.Resumed() | ev.Extended() | ev.Stalled():
                return self._time_changed(at, event)
        return news.told(at, event, begun)

    def _greet(self, at: Attendance) -> list[Saying]:
        assert at.position is not None
        self._greeted = True
        return news.greeting(at, at.position)

    def _turn_began(self, at: Attendance) -> list[Saying]:
        assert self._orders is not None
        assert self._reminders is not None
        self._orders.begin_turn()
        self._reminders.wind()
        self._announced = 0
        # Others wait for talkers to be ready: for a window to open, or, where players are waited for, to begin to talk.
        talks = at.talk.window or (at.talk.waits_at_first and at.position is not None and at.position.stage == "orders")
        if talks and at.acts and at.seat is not None and at.options.level:
            self._errand(at, it.SetCommStatus(at.seat, CommStatus.READY))
        left = at.seconds_left()
        return [] if left is None else [["TME", *group(left)]]

    def _errand(self, at: Attendance, intent: it.Intent) -> None:
        """Do something for the client that its protocol has no word for."""

        async def done() -> None:
            with suppress(ParlourError):
                await at.want(intent)

        task = asyncio.get_running_loop().create_task(done())
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _time_changed(self, at: Attendance, event: ev.Event) -> list[Saying]:
        """The clocks stand still, which is said with the time that is left, or run again, or are moved."""
        assert self._reminders is not None
        self._reminders.wind()
        left = at.seconds_left()
        early = at.talk.waits_at_first and not self._greeted  # who has not heard HLO takes nothing else for news
        if left is None or early or isinstance(event, ev.Stalled):
            return []
        tokens: Saying = ["TME", *group(left)]
        return [["NOT", *group(tokens)] if isinstance(event, ev.Paused) else tokens]


_ANSWERS: Mapping[type, Callable[[DaideGuest, Any, Tokens], Coroutine[Any, Any, list[Saying]]]] = {
    ph.Naming: DaideGuest._naming,
    ph.Observing: DaideGuest._observing,
    ph.Returning: DaideGuest._returning,
    ph.Asking: DaideGuest._asking,
    ph.Confirming: DaideGuest._confirming,
    ph.Submitting: DaideGuest._submitting,
    ph.Withdrawing: DaideGuest._withdrawing,
    ph.Going: DaideGuest._going,
    ph.Drawing: DaideGuest._drawing,
    ph.Reminding: DaideGuest._reminding,
    ph.Sending: DaideGuest._sending,
    ph.Announcing: DaideGuest._announcing,
    ph.Complaining: DaideGuest._complaining,
    Gibberish: DaideGuest._misread,
}
