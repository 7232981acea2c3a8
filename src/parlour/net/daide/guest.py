"""One DAIDE client: what it says becomes intents at its match, and what happens there becomes what it hears.

Everything it asks for is answered in order. What happens while it is being answered is told after the answer, as
clients expect: THX comes before the ORD of the turn that the order completed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot, Intent, PlayerType, Refusal, RefusalCode
from parlour.core.player import Told
from parlour.errors import Denied, PressError
from parlour.games.diplomacy.position import Position
from parlour.net.daide import phrases as ph
from parlour.net.daide import sayings
from parlour.net.daide.notes import VALID, note_on
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.sayings import group
from parlour.net.daide.talk import TableTalk
from parlour.net.daide.tokens import Token, letters
from parlour.net.sessions import Session
from parlour.press.orders import to_text
from parlour.press.reader import read as read_press
from parlour.press.tokens import HIGHER_LEVELS, LEVELS, Lexicon
from parlour.referee.table import Answer

Send = Callable[[Sequence[Token]], None]


@dataclass(frozen=True, slots=True)
class Placement:
    """A place at a match that was found for somebody."""

    match: str
    seat: Seat | None
    """The one that was asked for, or (None) any."""
    session: Session
    options: DaideOptions
    taken: bool = False
    """Whether the seat is this session's already, as after a restart of the server."""


class Reception(Protocol):
    """Where guests come from and are shown to their matches."""

    async def place(self, name: str) -> Placement | None:
        """A place for somebody of that name; None if there is none."""
        ...

    async def place_again(self, power: str, passcode: int) -> Placement | None:
        """The place that somebody had who knows its passcode."""
        ...

    async def gallery(self) -> Placement | None:
        """A match to look at."""
        ...

    def passcode(self, match: str, seat: Seat) -> int:
        """What one must know to take that seat again."""
        ...

    def seated(self, match: str, seat: Seat, guest: DaideGuest) -> None:
        """A guest sits there now; whoever was connected there before is not any more."""
        ...

    def now(self) -> float:
        """The time by which deadlines are kept."""
        ...


class DaideGuest:
    """The conversation with one client, from its name to OFF."""

    def __init__(self, reception: Reception, lexicon: Lexicon, send: Send, hang_up: Callable[[], None]) -> None:
        self._reception = reception
        self._lexicon = lexicon
        self._send = send
        self._hang_up = hang_up
        self._name = self._version = ""
        self._placement: Placement | None = None
        self._seat: Seat | None = None
        self._told: TableTalk | None = None
        self._unwatch: Callable[[], None] | None = None
        self._answering = False
        self._later: list[Sequence[Token]] = []
        self._orders: list[str] = []
        self._goes_on = True
        self._reminders: dict[int, asyncio.TimerHandle | None] = {}

    # What the client says

    async def hear(self, tokens: Sequence[Token]) -> None:
        """Take in one message and answer it."""
        try:
            phrase = ph.read(tokens, self._lexicon)
        except PressError as error:
            self._say(*_complaint(tokens, error))
            return
        self._answering = True
        try:
            await _ANSWERS[type(phrase)](self, phrase, tokens)
        except Denied:
            self._reject(tokens)
        finally:
            self._answering = False
            later, self._later = self._later, []
            for saying in later:
                self._send(saying)

    def displaced(self) -> None:
        """Somebody with the passcode sits here now: the seat is no longer this connection's."""
        self._seat = None
        self._hang_up()

    async def leave(self) -> None:
        """The connection is gone: the seat is vacant until somebody comes back to it."""
        for timer in self._reminders.values():
            if timer is not None:
                timer.cancel()
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self._seat is not None and self._told is not None and not self._told.over:
            await self._want(it.Leave(self._seat))

    def _say(self, *tokens: Token) -> None:
        self._send(tokens)

    def _confirm(self, tokens: Sequence[Token]) -> None:
        self._send(["YES", *group(tokens)])

    def _reject(self, tokens: Sequence[Token]) -> None:
        self._send(["REJ", *group(tokens)])

    async def _want(self, intent: Intent) -> Answer:
        assert self._placement is not None
        return await self._placement.session.handle(self._placement.match, intent)

    # Coming and going

    async def _naming(self, phrase: ph.Naming, tokens: Sequence[Token]) -> None:
        placement = None if self._placement is not None else await self._reception.place(phrase.name)
        if placement is None:
            self._reject(tokens)
            return
        self._name, self._version = phrase.name, phrase.version
        await self._offer(placement, tokens)

    async def _observing(self, phrase: ph.Observing, tokens: Sequence[Token]) -> None:
        placement = None if self._placement is not None else await self._reception.gallery()
        if placement is None:
            self._reject(tokens)
            return
        await self._offer(placement, tokens)

    async def _offer(self, placement: Placement, tokens: Sequence[Token]) -> None:
        self._placement = placement
        self._told = TableTalk(self._seat)
        self._confirm(tokens)
        self._say("MAP", *group(letters(self._map_name())))

    def _map_name(self) -> str:
        return "standard"

    async def _confirming(self, phrase: ph.Confirming, tokens: Sequence[Token]) -> None:
        placement = self._placement
        if placement is None or self._unwatch is not None:
            return
        if not phrase.accepted:
            self._hang_up()
            return
        if self._name:
            answer = await placement.session.join(
                placement.match, placement.seat, name=_printable(self._name), player_type=self._player_type()
            )
            joined = next((event for event in answer.events if isinstance(event, ev.Joined)), None)
            if joined is None:
                self._say("OFF")
                self._hang_up()
                return
            self._seat = joined.seat
            self._reception.seated(placement.match, joined.seat, self)
        self._told = TableTalk(self._seat)
        self._unwatch = await placement.session.watch(placement.match, self._watch, since=0)

    def _player_type(self) -> PlayerType:
        assert self._placement is not None
        return PlayerType.PRESS_BOT if self._placement.options.level else PlayerType.NO_PRESS_BOT

    async def _returning(self, phrase: ph.Returning, tokens: Sequence[Token]) -> None:
        placement = None
        if self._placement is None:
            placement = await self._reception.place_again(phrase.power, phrase.passcode)
        if placement is None or placement.seat is None:
            self._reject(tokens)
            return
        self._placement, self._seat = placement, placement.seat
        if not placement.taken:
            answer = await placement.session.join(
                placement.match, placement.seat, name=phrase.power, player_type=self._player_type()
            )
            if answer.refusal is not None:
                self._placement = self._seat = None
                self._reject(tokens)
                return
        self._reception.seated(placement.match, placement.seat, self)
        chronicle = self._told = TableTalk(self._seat)
        for told in await placement.session.events(placement.match):
            chronicle.take(told)
        self._confirm(tokens)
        self._unwatch = await placement.session.watch(placement.match, self._watch, since=chronicle.k)

    # Questions

    async def _asking(self, phrase: ph.Asking, tokens: Sequence[Token]) -> None:
        if self._placement is None or self._told is None:
            self._reject(tokens)
            return
        for saying in await self._answers(phrase) or [["REJ", *group(tokens)]]:
            self._send(saying)

    async def _answers(self, phrase: ph.Asking) -> list[Sequence[Token]]:
        """What was asked for, as messages; none if it is not to be had."""
        told, placement = self._told, self._placement
        assert told is not None
        assert placement is not None
        position = told.position
        match phrase.what:
            case "MAP":
                return [["MAP", *group(letters(self._map_name()))]]
            case "MDF":
                board = (await placement.session.view(placement.match)).position
                return [sayings.map_definition(self._board(board))]
            case _ if position is None:
                return []
            case "HLO":
                return [self._hello()]
            case "SCO":
                return [sayings.supply(position)]
            case "NOW":
                return [sayings.now(position)]
            case "ORD":
                return [*told.last_orders]
            case "MIS" if self._seat is not None and self._acts():
                return [sayings.missing(position, self._seat, self._orders)]
            case "TME" if told.deadline is not None:
                return [self._time_left(told.deadline)]
            case "HST":
                return await self._history(sayings.phase_of_turn(*phrase.turn))
        return []

    def _board(self, position: object) -> Any:
        from parlour.games.diplomacy.map import standard

        return position.board if isinstance(position, Position) else standard()

    async def _history(self, phase: str) -> list[Sequence[Token]]:
        """The orders of a turn, then who owned and what stood where."""
        assert self._placement is not None
        for told in await self._placement.session.events(self._placement.match):
            position = told.position
            if isinstance(told.event, ev.TurnEnded) and isinstance(position, Position) and position.turn is not None:
                if position.turn.before.phase == phase:
                    before = position.turn.before
                    return [*sayings.reports(position.turn), sayings.supply(before), sayings.now(before)]
        return []

    def _hello(self) -> list[Token]:
        assert self._placement is not None
        options = self._placement.options.tokens()
        if self._seat is None:
            return ["HLO", *group("UNO"), *group(0), *options]
        code = self._reception.passcode(self._placement.match, self._seat)
        return ["HLO", *group(self._lexicon.seats[self._seat]), *group(code), *options]

    def _time_left(self, deadline: float) -> list[Token]:
        return ["TME", *group(max(0, min(8191, round(deadline - self._reception.now()))))]

    # Orders

    def _acts(self) -> bool:
        """Whether this seat is to act in the turn that runs."""
        return self._told is not None and self._seat in self._told.to_act

    async def _submitting(self, phrase: ph.Submitting, tokens: Sequence[Token]) -> None:
        told = self._told
        if (
            told is None
            or self._seat is None
            or told.position is None
            or not self._acts()
            or not self._is_now(phrase.turn)
        ):
            self._reject(tokens)
            return
        assert self._placement is not None
        position, orders = told.position, list(self._orders)
        board = sayings.board_at(position)
        notes: list[str] = []
        for _, order in phrase.orders:
            kept = [text for text in orders if order is None or not _same_unit(text, to_text(order, board))]
            note = "NSP" if order is None else note_on(order, board, self._seat, kept)
            if order is not None and (note == VALID or self._placement.options.aoa):
                note, orders = VALID, [*kept, to_text(order, board)]
            notes.append(note)
        if orders != self._orders and not await self._act(orders):
            self._reject(tokens)
            return
        for (said, _), note in zip(phrase.orders, notes, strict=True):
            self._say("THX", *group(said), *group(note))
        if len(lacking := sayings.missing(position, self._seat, orders)) > 1:
            self._send(lacking)

    def _is_now(self, turn: Sequence[Token]) -> bool:
        assert self._told is not None
        assert self._told.position is not None
        return not turn or sayings.phase_of_turn(*turn) == self._told.position.phase

    async def _act(self, orders: list[str]) -> bool:
        """Hand in all orders so far; while some are missing, or the client wants time, the wait flag is up."""
        assert self._seat is not None
        assert self._told is not None
        assert self._told.position is not None
        complete = len(sayings.missing(self._told.position, self._seat, orders)) == 1
        waits, turn = not (complete and self._goes_on), self._told.turn
        if waits and not self._told.wait:
            await self._want(it.SetWait(self._seat, True))
        answer = await self._want(it.Act(self._seat, orders))
        if answer.refusal is not None:
            return False
        if self._told.turn == turn:  # it may have been the last that the turn waited for
            self._orders = orders
            if not waits and self._told.wait:
                await self._want(it.SetWait(self._seat, False))
        return True

    async def _withdrawing(self, phrase: ph.Withdrawing, tokens: Sequence[Token]) -> None:
        told = self._told
        if told is None or told.position is None or self._seat is None or not self._acts():
            self._reject(tokens)
            return
        if phrase.order is None:
            if self._orders:
                await self._want(it.Retract(self._seat))
            self._orders = []
            self._confirm(tokens)
            return
        text = to_text(phrase.order, sayings.board_at(told.position))
        if text not in self._orders or not await self._act([other for other in self._orders if other != text]):
            self._reject(tokens)
        else:
            self._confirm(tokens)

    async def _going(self, phrase: ph.Going, tokens: Sequence[Token]) -> None:
        told = self._told
        if told is None or told.position is None or self._seat is None or told.over:
            self._reject(tokens)
            return
        self._goes_on = phrase.on
        lacking = sayings.missing(told.position, self._seat, self._orders) if self._acts() else ["MIS"]
        if self._acts() and self._orders and told.wait is (phrase.on and len(lacking) == 1):
            await self._want(it.SetWait(self._seat, not phrase.on))
        self._confirm(tokens)
        if phrase.on and len(lacking) > 1:
            self._send(lacking)

    # Draws, times, press

    async def _drawing(self, phrase: ph.Drawing, tokens: Sequence[Token]) -> None:
        if self._seat is None or self._told is None or self._told.position is None or self._told.over or phrase.powers:
            self._reject(tokens)
            return
        answer = await self._want(it.Vote(self._seat, Ballot.YES if phrase.on else Ballot.NEUTRAL))
        refusal = answer.refusal
        if refusal is None or refusal.code is RefusalCode.NO_CHANGE or not phrase.on:
            self._confirm(tokens)
        else:
            self._reject(tokens)

    async def _reminding(self, phrase: ph.Reminding, tokens: Sequence[Token]) -> None:
        told = self._told
        if told is None or told.deadline is None or told.over or (phrase.seconds or 0) < 0:
            self._reject(tokens)
            return
        if not phrase.on:
            for seconds in [*self._reminders] if phrase.seconds is None else [phrase.seconds]:
                timer = self._reminders.pop(seconds, None)
                if timer is not None:
                    timer.cancel()
        elif phrase.seconds is not None and len(self._reminders) < 16:
            self._reminders[phrase.seconds] = self._ring(phrase.seconds)
        self._confirm(tokens)

    def _ring(self, seconds: int) -> asyncio.TimerHandle | None:
        """The timer that reminds of this turn's deadline, if that is further away."""
        assert self._told is not None
        if self._told.deadline is None:
            return None
        wait = self._told.deadline - self._reception.now() - seconds
        if wait <= 0:
            return None
        return asyncio.get_running_loop().call_later(wait, self._push, ["TME", *group(seconds)])

    async def _sending(self, phrase: ph.Sending, tokens: Sequence[Token]) -> None:
        told, placement = self._told, self._placement
        own = self._lexicon.seats.get(self._seat) if self._seat is not None else None
        if told is None or placement is None or own is None or told.position is None or told.over or own in phrase.to:
            self._reject(tokens)
            return
        if not self._is_now(phrase.turn) or self._press_is_over():
            self._reject(tokens)
            return
        words = [str(token) for token in phrase.press]
        try:
            read_press(" ".join(words), placement.options.level, self._lexicon)
        except PressError as error:
            self._say(*_complaint(tokens, error, offset=phrase.start))
            return
        text = " ".join(_within_level(words, placement.options.level))
        to = tuple(self._lexicon.seat_of[power] for power in phrase.to)
        assert self._seat is not None
        answer = await self._want(it.Say(self._seat, text, to))
        self._report(answer.refusal, phrase, tokens)

    def _press_is_over(self) -> bool:
        """Whether it is too near to the deadline, or a phase without press."""
        assert self._placement is not None
        assert self._told is not None
        assert self._told.position is not None
        options, stage = self._placement.options, self._told.position.stage
        if (options.npr and stage == "retreats") or (options.npb and stage == "adjustments"):
            return True
        deadline = self._told.deadline
        return bool(options.ptl and deadline is not None and deadline - self._reception.now() < options.ptl)

    def _report(self, refusal: Refusal | None, phrase: ph.Sending, tokens: Sequence[Token]) -> None:
        """Say what became of press: delivered, or whom it did not reach, so that it reached nobody."""
        assert self._told is not None
        if refusal is None:
            self._confirm(tokens)
            return
        for power in phrase.to:
            seat = self._lexicon.seat_of[power]
            if refusal.code is RefusalCode.OUT_OF_GAME and self._told.is_out(seat):
                self._say("OUT", *group(power))
                return
            if refusal.code is RefusalCode.NOT_SEATED and seat in self._told.away:
                self._say("CCD", *group(power))
                return
        self._reject(tokens)

    async def _announcing(self, phrase: ph.Announcing, tokens: Sequence[Token]) -> None:
        self._reject(tokens)  # words to everybody are a moderator's, through another door

    async def _complaining(self, phrase: ph.Complaining, tokens: Sequence[Token]) -> None:
        """Never answered."""

    # What the client hears

    def _watch(self, told: Told) -> None:
        """Something happened at the match."""
        chronicle = self._told
        if chronicle is None or self._placement is None:
            return
        before = chronicle.position
        chronicle.take(told)
        for saying in self._news(told.event, before):
            self._push(saying)

    def _push(self, saying: Sequence[Token]) -> None:
        (self._later.append if self._answering else self._send)(saying)

    def _news(self, event: ev.Event, before: Position | None) -> list[Sequence[Token]]:
        told = self._told
        assert told is not None
        position = told.position
        match event:
            case ev.Started() if position is not None:
                return [self._hello(), sayings.supply(position), sayings.now(position)]
            case ev.TurnBegan():
                return self._turn_began(told)
            case ev.TurnEnded() if position is not None:
                return told.ended_turn(position)
            case ev.Said() if event.seat != self._seat:
                return self._heard(event.seat, event.to, event.text)
            case ev.Left() if before is not None:
                return [["CCD", *group(self._lexicon.seats[event.seat])]]
            case ev.Joined() if before is not None and event.seat != self._seat:
                return [["NOT", *group("CCD", group(self._lexicon.seats[event.seat]))]]
            case ev.Ended() if position is not None:
                return [*told.ending(position, self._lexicon), ["OFF"]]
        return []

    def _turn_began(self, told: TableTalk) -> list[Sequence[Token]]:
        self._orders, self._goes_on = [], True
        for seconds, timer in [*self._reminders.items()]:
            if timer is not None:
                timer.cancel()
            self._reminders[seconds] = self._ring(seconds)
        return [] if told.deadline is None else [self._time_left(told.deadline)]

    def _heard(self, seat: Seat, to: Sequence[Seat], text: str) -> list[Sequence[Token]]:
        """Press of others; free text does not reach a client that could not read it."""
        assert self._placement is not None
        if self._seat is None:
            return []
        try:
            read_press(text, self._placement.options.level, self._lexicon)
        except PressError:
            return []
        receivers = to or [other for other in self._lexicon.seats if other != seat]
        powers = [self._lexicon.seats[other] for other in receivers]
        return [["FRM", *group(self._lexicon.seats[seat]), *group(powers), *group(sayings.words(text))]]


def _same_unit(one: str, other: str) -> bool:
    """Whether two orders are for one unit; waived builds are all for different ones."""
    return one != "WAIVE" and other != "WAIVE" and one.split()[1][:3] == other.split()[1][:3]


def _within_level(words: list[str], level: int) -> list[str]:
    """TRY without the words that are above the level of the table."""
    if words[:1] != ["TRY"]:
        return words
    return [word for word in words if (LEVELS.get(word) or HIGHER_LEVELS.get(word) or 0) <= level]


def _complaint(tokens: Sequence[Token], error: PressError, offset: int = 0) -> list[Token]:
    if error.kind == "PRN" and not offset:
        return ["PRN", *group(tokens)]
    at = error.index + offset
    return ["HUH", *group([*tokens[:at], "ERR", *tokens[at:]])]


def _printable(name: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in name)[:60] or "?"


_ANSWERS: Mapping[type, Callable[[DaideGuest, Any, Sequence[Token]], Coroutine[Any, Any, None]]] = {
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
}
