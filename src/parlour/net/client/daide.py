"""Seats a local agent at any DAIDE server: signs up, follows the game, sends its orders and its press."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Plain, Seat, View
from parlour.core.intents import Ballot, CommStatus, Intent, PlayerType, Refusal, RefusalCode
from parlour.core.player import Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import PressError, RemoteWireError
from parlour.games.diplomacy.maps.map import SHIPPED, named, operators_maps, standard
from parlour.games.diplomacy.position import Position
from parlour.net.client.daide_board import (
    Nested,
    centres_in,
    flat,
    in_brackets,
    nested,
    one_word,
    order_in,
    position_in,
)
from parlour.net.client.lane import AgentLane
from parlour.net.client.link import MAX_CONNECT
from parlour.net.daide.adjustments import WAIVE, for_the_match, without_room
from parlour.net.daide.frames import DIPLOMACY, ERROR, FINAL, GREETING, REPRESENTATION, Fault, check_served, framed
from parlour.net.daide.server_messages import group, words
from parlour.net.daide.tokens import Codec, Token, codec, letters, represented, written
from parlour.net.framing.connection import notice_silence
from parlour.net.framing.frames import HEADER, FrameReader
from parlour.press.language.reader import read as read_press
from parlour.press.language.tokens import Lexicon
from parlour.press.language.writer import write_order
from parlour.press.orders import from_text
from parlour.press.press_position import board_of
from parlour.referee import conduct

CONNECT_TIME = 30.0
"""Seconds for a server to answer the greeting."""
LAST_EVENTS = 1.0
"""Seconds for the agent to process its last events after the game."""
RETURN_PAUSE = 1.0
"""Seconds between two attempts to reconnect."""


class DaideReport(msgspec.Struct):
    """The result of a game."""

    power: str = ""
    phase: str = ""
    centres: int = 0
    ending: str = ""
    """SLO, DRW, SMR or OFF, as the server sent it; empty if the connection was lost before."""


class DaideClient:
    """Plays an agent in a game. After a lost connection it tries for some seconds to return with its passcode."""

    def __init__(
        self,
        name: str,
        agent: Player,
        *,
        version: str = "parlour",
        talk: float = 2.0,
        returns: float = 0.0,
        check_map: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Make a client that is not connected; check_map raises an error for a map that is not to be played."""
        self._name, self._version, self._agent, self._talk = name, version, agent, talk
        self._returns, self._check_map = returns, check_map
        self._learn(codec(standard()))
        self._writer: asyncio.StreamWriter | None = None
        self._lane: AgentLane | None = None
        self._seat = Seat("")
        self._level = self._turn = self._passcode = 0
        self._centres: dict[Seat, list[str]] = {}
        self._position: Position | None = None
        self._given: dict[str, list[str]] = {}
        """The orders of the last turn by seat, as the server reported them."""
        self._orders: list[str] | None = None
        """The agent's orders of this turn; None before it has given any."""
        self._submitted = False
        """True once the agent's orders were sent, so that a change is sent at once."""
        self._ready = asyncio.Event()
        """Set when the agent is ready to talk in this turn."""
        self._acting: asyncio.Task[None] | None = None
        self._serving: asyncio.Task[None] | None = None
        self.report = DaideReport()

    def _learn(self, words: Codec) -> None:
        """Store the server's board and its numbers of words."""
        self._codec, self._board, self._lexicon = words, words.board, Lexicon.of(words.board)

    async def run(self, host: str, port: int) -> DaideReport:
        """Play until the server ends; RemoteWireError if it uses another protocol."""
        async with asyncio.TaskGroup() as tasks:
            cut_off = await self._visit(host, port, tasks)
            while cut_off and self._passcode:
                cut_off = await self._come_back(host, port, tasks)
            if self._acting is not None:
                self._acting.cancel()
            if self._lane is not None and self._serving is not None:
                with suppress(TimeoutError):  # the agent may still think, but its answer is no longer wanted
                    await asyncio.wait_for(self._lane.call("", None), LAST_EVENTS)
                self._serving.cancel()
        return self.report

    async def _come_back(self, host: str, port: int, tasks: asyncio.TaskGroup) -> bool:
        """Reconnect and continue, if the server can be reached in time. Return True after another cut."""
        last = time.monotonic() + self._returns
        while time.monotonic() < last:
            with suppress(OSError):
                return await self._visit(host, port, tasks)
            await asyncio.sleep(RETURN_PAUSE)
        return False

    async def _visit(self, host: str, port: int, tasks: asyncio.TaskGroup) -> bool:
        """Serve a connection from its greeting to its end. Return True if it was cut off."""
        try:
            async with asyncio.timeout(MAX_CONNECT):
                reader, self._writer = await asyncio.open_connection(host, port)
        except TimeoutError:
            raise TimeoutError(f"no answer within {MAX_CONNECT:g} seconds") from None
        notice_silence(self._writer.get_extra_info("socket"))
        self._writer.write(GREETING)
        try:
            return await self._listen(reader, FrameReader(max_body=1 << 16), tasks)
        finally:
            self._writer.close()

    async def _listen(self, reader: asyncio.StreamReader, frames: FrameReader, tasks: asyncio.TaskGroup) -> bool:
        """Process the server's messages. Return True if the connection was cut before the end."""
        greeted = False
        while chunk := await _read(reader, None if greeted else CONNECT_TIME):
            for frame in frames.feed(chunk):
                kind, body = frame[0], frame[HEADER:]
                self._check(kind, body, first=not greeted)
                if kind == REPRESENTATION:
                    greeted = True
                    self._introduce(body)
                elif kind == DIPLOMACY:
                    if await self._hear(self._codec.decode(body), tasks):
                        return False
                elif kind == ERROR:
                    raise RemoteWireError(f"the server answered with error {body.hex()}")
                elif kind == FINAL:
                    return False
        return not self.report.ending

    def _introduce(self, representation: bytes) -> None:
        """Send the name in the words of the board, or the passcode after a lost connection."""
        if (found := represented(representation, map(named, (*SHIPPED, *operators_maps())))) is None:
            raise RemoteWireError("the server plays on a map that is not known here")
        if representation:
            self._check_map(found.board.name)
        self._learn(found)
        if self._passcode:
            self._given = {}  # messages sent meanwhile were missed
            self._say("IAM", *group(self._lexicon.seats[self._seat]), *group(self._passcode))
        else:
            self._say("NME", *group(letters(self._name)), *group(letters(self._version)))

    def _check(self, kind: int, body: bytes, *, first: bool) -> None:
        """Send a server that breaks the protocol the error code, and raise the error."""
        try:
            check_served(kind, body, first=first)
        except Fault as fault:
            assert self._writer is not None
            self._writer.write(framed(ERROR, fault.code.to_bytes(2, "big")))
            raise RemoteWireError(f"the server {fault}") from None

    def _say(self, *tokens: Token) -> None:
        assert self._writer is not None
        if not self._writer.is_closing():  # otherwise the connection is lost, and the message is dropped
            self._writer.write(framed(DIPLOMACY, self._codec.encode(tokens)))

    # Messages of the server

    async def _hear(self, tokens: list[Token], tasks: asyncio.TaskGroup) -> bool:
        """Process a message. Return True if the game is over."""
        try:
            return await self._take(tokens, nested(tokens[1:]), tasks)
        except (IndexError, KeyError, ValueError) as error:  # a part is missing or wrong
            raise RemoteWireError(f"the server said what makes no sense: {written(tokens):.120}") from error

    async def _take(self, tokens: list[Token], parts: Nested, tasks: asyncio.TaskGroup) -> bool:
        match tokens[0]:
            case "MAP":
                self._learn(self._codec.on("".join(str(token) for token in tokens[2:-1])))
                self._check_map(self._board.name)
                self._say("YES", *group(tokens))
            case "REJ" if tokens[1:3] in (["(", "NME"], ["(", "IAM"]):
                raise RemoteWireError("the server does not let us play")
            case "YES" if tokens[1:3] == ["(", "IAM"]:
                self._say("SCO")
                self._say("NOW")
            case "HLO":
                self._hello(parts)
            case "SCO":
                self._supply(parts)
            case "ORD":
                self._ordered(parts)
            case "NOW":
                await self._now(parts, tasks)
            case "FRM":
                self._heard(tokens, parts)
            case "THX" if parts[-1] != ["MBV"] and self._lane is not None:
                await self._lane.call("on_refused", Refusal(RefusalCode.ILLEGAL, written(tokens)))
            case "SLO" | "DRW":
                self.report.ending = written(tokens)
            case "SMR" | "OFF" as end:  # many servers send OFF only when they stop, days later
                self.report.ending = self.report.ending or end
                return True
        return False

    def _hello(self, parts: Nested) -> None:
        power, options = str(in_brackets(parts[0])[0]), in_brackets(parts[2])
        self._seat, self._passcode = self._lexicon.seat_of[power], int(one_word(in_brackets(parts[1])[0]))
        self.report.power = self._seat
        level = [in_brackets(option)[1] for option in options if in_brackets(option)[0] == "LVL"]
        self._level = level[0] if level and isinstance(level[0], int) else 0

    def _supply(self, parts: Nested) -> None:
        self._centres = centres_in(parts, self._board)
        self.report.centres = len(self._centres.get(self._seat, []))

    def _ordered(self, parts: Nested) -> None:
        """Store an order in Parlour's notation."""
        if self._position is not None and (found := order_in(parts, self._position)) is not None:
            seat, text = found
            self._given.setdefault(seat, []).append(text)

    async def _now(self, parts: Nested, tasks: asyncio.TaskGroup) -> None:
        if not self._seat:
            raise RemoteWireError("the server told of a position before it said who we are")
        position = position_in(parts, self._board, self._centres)
        before, self._position = self._position, position
        self.report.phase = position.phase
        if self._acting is not None:
            self._acting.cancel()
        if before is None:
            lane = self._lane = AgentLane(self._agent, self._seat, self._want)
            self._serving = tasks.create_task(lane.run())
            self._begin(lane, position)
        elif before.phase != position.phase:
            self._end_turn(before)
        if self.report.ending:  # the final board: no further orders
            return
        if before is None or before.phase != position.phase:  # otherwise it is sent again after a reconnection
            self._given = {}
            self._begin_turn(position)
        self._acting = tasks.create_task(self._act(position))

    def _heard(self, tokens: list[Token], parts: Nested) -> None:
        if self._lane is None:
            return
        sender, to = str(in_brackets(parts[0])[0]), [str(power) for power in in_brackets(parts[1])]
        text = " ".join(str(token) for token in flat(in_brackets(parts[2])))
        seats = tuple(self._lexicon.seat_of[power] for power in to)
        self._lane.tell(ev.Said(time.time(), self._lexicon.seat_of[sender], seats, text, self._turn))

    # The agent

    def _begin(self, lane: AgentLane, position: Position) -> None:
        now = time.time()
        mode = PressMode.WINDOW if self._level else PressMode.NONE
        terms = Terms(conduct.DIPLOMACY, press=PressTerms(mode, level=self._level or 10, window=max(self._talk, 0.001)))
        seats = tuple(self._lexicon.seats)
        lane.tell(ev.Opened(now, "diplomacy", {"map": self._board.name}, terms, 0))
        for seat in seats:
            lane.tell(ev.Joined(now, seat, str(seat), PlayerType.PRESS_BOT if self._level else PlayerType.NO_PRESS_BOT))
        lane.tell(ev.Started(now, seats, position.encode()))
        lane.give("on_seated", lane.handle)
        lane.give("on_start", View(self._seat, position, 1))

    def _begin_turn(self, position: Position) -> None:
        """Start the turn before the next message is read, because press of others may directly follow the position."""
        assert self._lane is not None
        self._turn += 1
        self._lane.tell(ev.TurnBegan(time.time(), self._turn, position.stage, position.to_act()))

    def _end_turn(self, before: Position) -> None:
        assert self._lane is not None
        given = self._given
        actions: dict[str, Plain] = {
            str(seat): for_the_match(given.get(seat, []), without_room(before, seat)) for seat in before.to_act()
        }
        _, happened = before.apply({Seat(seat): own for seat, own in actions.items()})
        self._lane.tell(ev.TurnEnded(time.time(), self._turn, actions, happened))

    async def _act(self, position: Position) -> None:
        """Play a turn: the agent thinks, talks if it may, and its orders are sent."""
        lane = self._lane
        assert lane is not None
        self._orders, self._submitted = None, False
        self._ready.clear()
        if self._seat not in position.to_act():
            self._submit(position, [])
            return
        answer = lane.ask(View(self._seat, position, self._turn))
        try:
            if self._level and position.stage == "orders" and getattr(self._agent, "player_type", "") == "press_bot":
                await self._negotiate(lane, answer)
            await answer
            await lane.settle()
        finally:
            answer.cancel()
        self._submitted = True
        if self._orders is not None:  # otherwise the agent orders through its seat handle
            self._submit(position, self._orders)

    async def _negotiate(self, lane: AgentLane, answer: asyncio.Future[Any]) -> None:
        """Hold the press window of a turn, once the agent has answered or announced that it is ready to talk."""
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait((answer, ready), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        now = time.time()
        lane.tell(ev.PressOpened(now, self._turn, now + self._talk))
        await asyncio.sleep(self._talk)
        lane.tell(ev.PressClosed(time.time(), self._turn))

    def _submit(self, position: Position, orders: Sequence[str]) -> None:
        """Send all orders of a turn and, in winter, a waive for each impossible build: servers wait for those, too."""
        board = board_of(position)
        power = self._lexicon.seats[self._seat]
        complete = list(position.repair(self._seat, list(orders)) or []) if self._seat in position.to_act() else []
        complete = [*complete, *[WAIVE] * without_room(position, self._seat)]
        read = [from_text(text, board, power) for text in complete]
        spoken = [group(words(write_order(order))) for order in read if order is not None]
        if spoken:
            self._say("SUB", *(token for order in spoken for token in order))

    async def _want(self, intent: Intent) -> Refusal | None:
        match intent:
            case it.Say(text=text, to=to):
                return self._speak(text, to)
            case it.Act(action=action, turn=turn):
                return self._order([str(order) for order in action], turn)
            case it.SetCommStatus(status=CommStatus.READY):
                self._ready.set()
            case it.Vote(ballot=ballot):
                self._say("DRW") if ballot is Ballot.YES else self._say("NOT", *group("DRW"))
        return None

    def _order(self, orders: list[str], turn: int | None) -> Refusal | None:
        """Replace the agent's orders; orders that were already sent are replaced at the server."""
        if turn not in (None, self._turn) or self._position is None:
            return Refusal(RefusalCode.TOO_LATE, f"that answers turn {turn}, which is over")
        self._orders = orders
        if self._submitted:
            self._say("NOT", *group("SUB"))
            self._submit(self._position, orders)
        return None

    def _speak(self, text: str, to: Sequence[Seat]) -> Refusal | None:
        receivers = to or [seat for seat in self._lexicon.seats if seat != self._seat]
        try:
            read_press(text, self._level, self._lexicon)
        except PressError as error:
            return Refusal(
                RefusalCode.PRESS_LEVEL, f"a DAIDE server of level {self._level} does not take this: {error}"
            )
        powers, spoken = [self._lexicon.seats[seat] for seat in receivers], words(text)
        if not self._codec.can_say(spoken):  # HUH quotes messages of others, which may contain anything
            return Refusal(RefusalCode.PRESS_LEVEL, "there are words in this for which DAIDE has no tokens")
        self._say("SND", *group(powers), *group(spoken))
        assert self._lane is not None
        self._lane.tell(ev.Said(time.time(), self._seat, tuple(to), text, self._turn))
        return None


async def _read(reader: asyncio.StreamReader, seconds: float | None) -> bytes:
    """Return the bytes that arrived; empty at the end of the connection, for any reason."""
    try:
        return await asyncio.wait_for(reader.read(1 << 14), seconds)
    except ConnectionError:
        return b""
    except TimeoutError:
        if seconds is None:  # a timeout of the operating system, not of this program
            return b""
        raise RemoteWireError(f"the server did not answer the greeting within {seconds:g} seconds") from None
