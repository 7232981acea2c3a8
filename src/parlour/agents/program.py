"""A player in another program, in any language: JSON lines on its standard input and output.

Each line we write is an object with one key:

    {"start": {"game": ..., "seat": ..., "position": ...}}
    {"ask": {"seat": ..., "turn": ..., "stage": ..., "position": ..., "legal": [...], "remaining": seconds or null}}
    {"refused": {"reason": ...}}        the last action was refused; an ask follows if the program may try again
    {"end": {"scores": {...}, "places": [[...], ...], "reason": ...}}

position is Position.encode() of the game. legal lists the choices: whole actions in Fish, single orders in
Diplomacy. An action in Diplomacy is a list of orders: one for each unit, in adjustments at most as many as are due.
docs/reference/agents.md has an example of each line. The program answers an ask by one line:

    {"turn": the turn of the ask, "action": ...}

A line for an earlier turn is dropped, so a late answer is never taken for the next one. Standard error of the program
is not redirected. The program has to end when its input ends; otherwise it is killed.

Press. A program that negotiates announces this in the first line that it writes, without being asked:

    {"press": true}                     a match with press waits HELLO seconds for this line; false ends the wait

If the match has press, the program's start then has "press": the terms (mode, level, window, stages, max_length,
max_per_turn) and players, the type of each seat. From then on the program also receives

    {"opened": {"turn": ..., "seconds": ...}}                       the press window is open for these seconds
    {"closed": {"turn": ...}}
    {"heard": {"from": ..., "to": [...], "text": ..., "turn": ...}} a message to the program, or to all (to is empty)
    {"said": {"to": [...], "text": ..., "turn": ...}}               the program's message was delivered
    {"refused": {"reason": ..., "text": ...}}                       its message was refused; text is the beginning of it

If the program is started in a running match, the "press" of its start also has "past": the earlier messages to and from
its seat, as heard and said lines. The program may at any time write

    {"ready": true}                     ready to talk in this turn; the window opens when all press bots are ready
    {"say": {"to": [...], "text": ...}} a message; to all if to is empty or missing

    {"vote": "yes"}                     a vote on a draw of all players in the game, or "no"; also without press

Each say is answered by said or refused before the next line is read. The action comes last in a turn: the window and
the turn do not wait for a program that has acted. A program that does not write it counts as ready after READY_TIME
seconds (a quarter of the turn, if that is less), or with its action. A program that does not negotiate, or
plays without press, receives none of this.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from parlour.agents.lines import Lines
from parlour.agents.process_supervisor import GRACE, UNLIMITED, Limits
from parlour.agents.program_press import Line, Talk
from parlour.core import events as ev
from parlour.core.decoding import UNREADABLE
from parlour.core.game import Action, Outcome, Plain, Seat, View, Violation
from parlour.core.intents import Ballot, PlayerType, Refusal
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.text import printable
from parlour.errors import ConfigError, RemoteWireError

PATIENCE = 60.0  # seconds for an answer in a match without clocks; the press window does not count
HELLO = 5.0  # seconds after its start in which a program may say that it negotiates
MAX_TURN = 1_000_000_000  # the highest number of a turn that a line may name
MAX_QUICK = 1000  # number of lines per turn that are read without a pause
MAX_QUOTED = 80  # characters of a line that is quoted
PAUSE = 0.01  # seconds to wait before each line after the first MAX_QUICK of a turn
_EXPECTED = 'the program wrote a line that is not {"turn": ..., "action": ...}'


@dataclass(slots=True)
class _Question:
    turn: int
    answer: asyncio.Future[Action]
    limit: asyncio.Timeout | None = None
    """The time limit for an answer in a match without a clock."""


class Program:
    """A player that lives in a process of its own; started at once, ended with the match."""

    def __init__(
        self,
        command: str | Sequence[str],
        game: str = "",
        *,
        patience: float = PATIENCE,
        hello: float = HELLO,
        limits: Limits = UNLIMITED,
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not words:
            raise ConfigError("agent: expected a command", field="agent")
        try:
            self._lines = Lines(words, limits)
        except OSError as error:
            raise ConfigError(f"agent: {words[0]!r} does not start: {error.strerror}", field="agent") from None
        self._hello_until = time.monotonic() + hello
        self._game, self._patience = game, patience
        self._seat: Seat | None = None
        self._negotiates: bool | None = None
        """True if the program says that it negotiates; None before it is asked."""
        self._talk = Talk()
        self._question: _Question | None = None
        self._early: tuple[int, Action] | None = None
        """The turn and action of an answer that arrived before its question."""
        self._taken, self._pausing = 0, False
        """Number of lines of this turn, and True while the next one has to wait."""
        self._fault: Exception | None = None
        """Error of the program between calls; the next call raises it."""

    @property
    def player_type(self) -> PlayerType:
        """Press bot if the program said so in time, else a bot without press."""
        return PlayerType.PRESS_BOT if self._negotiates else PlayerType.NO_PRESS_BOT

    @property
    def real_time(self) -> bool:
        """True if the program negotiates, and so may speak unasked. Reading it may wait: only matches with press do."""
        return self._greet()

    # Called by the driver

    async def on_introduced(self, seats: Sequence[Seat]) -> None:
        """Wait until the program has announced whether it negotiates; this comes before anybody is seated."""
        if self._talk.possible and self._negotiates is None:
            await asyncio.to_thread(self._greet)

    async def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle."""
        self._talk.handle = handle

    async def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Learn the terms and the press of a match that has begun already."""
        for observed in past:
            self._talk.note(observed.event)
            self._talk.recall(observed.event)

    async def on_start(self, view: View) -> None:
        """Send the program its seat and the position."""
        self._seat = view.seat
        if self._lines.held and self._talk.handle is not None:
            self._talk.handle.note(f"the program is held to {', '.join(self._lines.held)}")
        start = {"game": self._game, "seat": view.seat, "position": view.position.encode()}
        if self._talk.possible and self._greet():
            start["press"] = self._talk.begin()
        self._must_write("start", start)
        self._listen()

    async def act(self, view: View) -> Action:
        """Ask the program and wait for its answer, no longer than the view allows."""
        self._raise_fault()
        position = view.position
        ask = {
            "seat": view.seat,
            "turn": view.turn,
            "stage": position.stage,
            "position": position.encode(),
            "legal": list(position.legal(view.seat)),
            "remaining": view.remaining,
        }
        self._must_write("ask", ask)
        self._fail_question(TimeoutError("another turn has begun"))
        question = self._question = _Question(view.turn, asyncio.get_running_loop().create_future())
        try:
            async with asyncio.timeout(self._patience if view.remaining is None else view.remaining) as limit:
                question.limit = limit if view.remaining is None else None
                self._answer()
                self._listen()
                return await question.answer
        except TimeoutError as error:
            self._talk.get_ready()
            raise TimeoutError(str(error) or "the program did not answer in time") from None
        finally:
            if self._question is question:
                self._question = None
                self._listen()

    async def on_refused(self, reason: Violation | Refusal) -> None:
        """Send the program the reason of a refusal."""
        if isinstance(reason, Violation):
            self._write("refused", {"reason": reason.message})
        else:
            self._pass_on(self._talk.refuse(reason))

    async def on_event(self, observed: ObservedEvent) -> None:
        """Pass press on; end the program when its seat is removed."""
        event = observed.event
        self._talk.note(event)
        if isinstance(event, ev.Removed) and event.seat == self._seat:
            self.close()
        elif self._talk.on:
            if isinstance(event, ev.TurnBegan):
                self._taken = 0
                self._talk.expect_ready(observed.view, event.at, gone=self._lines.gone is not None)
            elif isinstance(event, ev.PressOpened):
                self._be_patient(event.until - event.at)
            elif isinstance(event, ev.PressClosed):
                self._be_patient(0.0)
            self._pass_on(self._talk.hear(event))
            self._raise_fault()

    async def on_end(self, outcome: Outcome) -> None:
        """Send the program the outcome, and end it."""
        self._write("end", msgspec.to_builtins(outcome))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self._lines.sent()
        self.close()

    def close(self) -> None:
        """End the program, by force if it does not end on its own."""
        self._lines.close()
        self._talk.stop()

    # Written by the program

    def _greet(self) -> bool:
        """Return True if the program announces in its first line that it negotiates.

        Waits for it if it can still do so in time.
        """
        if self._negotiates is None:
            line = self._lines.first(self._hello_until)
            with contextlib.suppress(RemoteWireError):
                self._negotiates = line is not None and _read(line).get("press") is True
        return bool(self._negotiates)

    def _listen(self) -> None:
        """Read further lines while an answer or press is expected, and the last message is settled."""
        self._lines.attach(self._took, self._lost)
        asked = self._question is not None and not self._question.answer.done()
        self._lines.want((self._talk.on or asked) and self._talk.saying is None and not self._pausing)

    def _took(self, line: bytes) -> None:
        """Process a line of the program."""
        self._taken += 1
        if self._talk.on and self._taken > MAX_QUICK:
            self._pausing = True
            asyncio.get_running_loop().call_later(PAUSE, self._go_on)
        try:
            self._obey(_read(line))
        except RemoteWireError as error:
            self._garbled(f"{error}: {printable(line.decode(errors='replace'), MAX_QUOTED)}")
        self._listen()

    def _garbled(self, reason: str) -> None:
        """Fail the open question, or else the next one, and send the program the error."""
        error = RemoteWireError(reason)
        if not self._fail_question(error):
            self._fault = error
        self._write("refused", {"reason": reason})

    def _go_on(self) -> None:
        self._pausing = False
        self._listen()

    def _obey(self, line: dict[str, Plain]) -> None:
        match line:
            case {"turn": turn, "action": action} if type(turn) is int and abs(turn) <= MAX_TURN:
                self._early = turn, action
                self._answer()
            case {"press": bool(press)}:
                self._negotiates = press
            case {"vote": "yes" | "no" as word}:
                if self._talk.handle is not None:
                    self._talk.handle.vote(Ballot(word))
            case {"vote": _}:
                raise RemoteWireError('the program wrote a "vote" that is neither yes nor no')
            case {"ready": _} | {"say": _} if not self._negotiates:
                raise RemoteWireError('the program wrote press, but not {"press": true} as its first line')
            case {"ready": True}:
                self._talk.get_ready()
            case {"ready": _}:
                raise RemoteWireError('the program wrote a "ready" that is not true')
            case {"say": {"text": str(text), **rest}}:
                to = rest.get("to", [])
                if not isinstance(to, list) or not all(isinstance(seat, str) for seat in to):
                    raise RemoteWireError('the program wrote a say whose "to" is not a list of seats')
                self._pass_on(self._talk.say(text, to))
            case {"say": _}:
                raise RemoteWireError('the program wrote a say whose "text" is not a string')
            case _:
                raise RemoteWireError(_EXPECTED)

    def _answer(self) -> None:
        """Answer the question with the program's action, if it is for this turn."""
        if self._question is not None and not self._question.answer.done() and self._early is not None:
            turn, action = self._early
            self._early = None
            if turn > self._question.turn:
                self._garbled(f"the program answered turn {turn}, asked was turn {self._question.turn}")
            elif turn == self._question.turn:
                self._talk.get_ready()
                self._question.answer.set_result(action)

    def _lost(self, reason: Exception) -> None:
        """Fail all open questions: the program is gone."""
        self._fail_question(reason)
        self._talk.get_ready()

    def _fail_question(self, error: Exception) -> bool:
        if self._question is None or self._question.answer.done():
            return False
        self._question.answer.set_exception(error)
        return True

    def _raise_fault(self) -> None:
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _be_patient(self, seconds: float) -> None:
        """Exclude the time of the press window from the thinking time."""
        if self._question is not None and self._question.limit is not None and not self._question.answer.done():
            now = asyncio.get_running_loop().time()
            with contextlib.suppress(RuntimeError):  # the time limit has just passed
                self._question.limit.reschedule(now + seconds + self._patience)

    # Read by the program

    def _pass_on(self, line: Line | None) -> None:
        if line is not None:
            self._write(*line)
        self._listen()

    def _write(self, key: str, value: Plain, *, must: bool = False) -> bool:
        self._lines.attach(self._took, self._lost)
        return self._lines.send(msgspec.json.encode({key: value}) + b"\n", must=must)

    def _must_write(self, key: str, value: Plain) -> None:
        if not self._write(key, value, must=True):
            if self._lines.gone is not None:
                raise ConnectionError(str(self._lines.gone))
            raise TimeoutError("the program does not read")


def _read(line: bytes) -> dict[str, Plain]:
    try:
        found = msgspec.json.decode(line)
    except UNREADABLE:
        raise RemoteWireError("the program wrote a line that is not JSON") from None
    if not isinstance(found, dict):
        raise RemoteWireError(_EXPECTED)
    return found
