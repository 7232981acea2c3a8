"""The press of a program, between the lines that it reads and writes and its seat handle."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.intents import CommStatus, PlayerType, Refusal, RefusalCode
from parlour.core.player import SeatHandle
from parlour.core.table_view import TableView
from parlour.core.terms import PressMode, PressTerms

READY_TIME = 5.0
"""Seconds of a turn (at most a quarter of it) after which a silent program counts as ready to talk."""
MAX_QUOTED = 100
MAX_PAST = 500
"""Maximum number of past messages that a program is sent."""
_OF_ACTIONS = (RefusalCode.TOO_LATE, RefusalCode.OUT_OF_TURN, RefusalCode.ILLEGAL)

Line: TypeAlias = tuple[str, Plain]
"""The key and the value of a line."""


class Talk:
    """The press of one program in one match."""

    def __init__(self) -> None:
        self.handle: SeatHandle | None = None
        self._past: deque[Plain] = deque(maxlen=MAX_PAST)
        self.on = False
        """True if the program negotiates in this match."""
        self.saying: str | None = None
        """Beginning of the message that the table has not answered yet."""
        self._terms = PressTerms(PressMode.NONE)
        self._types: dict[Seat, PlayerType] = {}
        self._ready = False
        self._unready: asyncio.TimerHandle | None = None

    @property
    def possible(self) -> bool:
        """True if the match has press."""
        return self._terms.mode is not PressMode.NONE

    def begin(self) -> Plain:
        """Begin to take part. Return the message about press for the program."""
        self.on = True
        press = {**msgspec.to_builtins(self._terms), "players": self._types}
        return {**press, "past": list(self._past)} if self._past else press

    def stop(self) -> None:
        """Stop taking part, and announce readiness so that nobody waits."""
        if self._unready is not None:
            self._unready.cancel()
        self.get_ready()

    def note(self, event: ev.Event) -> None:
        """Learn the terms, and the players by seat."""
        match event:
            case ev.Opened(terms=terms):
                self._terms = terms.press
            case ev.Joined(seat=seat, player_type=player_type):
                self._types[seat] = player_type

    def recall(self, event: ev.Event) -> None:
        """Store press from before the program was started; only the last messages are kept."""
        if isinstance(event, ev.Said) and (line := self.hear(event)) is not None:
            self._past.append(dict([line]))

    def hear(self, event: ev.Event) -> Line | None:
        """Return the line to send to the program about an event, or None."""
        match event:
            case ev.TurnEnded():
                self._ready = False
            case ev.PressOpened(at=at, turn=turn, until=until):
                return "opened", {"turn": turn, "seconds": until - at}
            case ev.PressClosed(turn=turn):
                return "closed", {"turn": turn}
            case ev.Said(seat=seat, to=to, text=text, turn=turn):
                if self.handle is not None and seat == self.handle.seat:
                    self.saying = None
                    return "said", {"to": to, "text": text, "turn": turn}
                return "heard", {"from": seat, "to": to, "text": text, "turn": turn}
        return None

    def refuse(self, reason: Refusal) -> Line | None:
        """Return the line to send to the program about a refusal, or None."""
        if self.on and reason.code is RefusalCode.NO_CHANGE:
            return None  # refusal of a comm status that Parlour may have set for the program
        if self.saying is None or reason.code in _OF_ACTIONS:
            return "refused", {"reason": reason.reason}
        text, self.saying = self.saying, None
        return "refused", {"reason": reason.reason, "text": text}

    def say(self, text: str, to: Sequence[str]) -> Line | None:
        """Hand a message to the table; return the refusal for the program if it cannot be sent."""
        if self.on and self.handle is not None:
            self.saying = text[:MAX_QUOTED]
            self.handle.say(text, [Seat(seat) for seat in dict.fromkeys(to)])
            return None
        reason = "press was asked for too late" if self.possible else "this match is played without press"
        return "refused", {"reason": reason, "text": text[:MAX_QUOTED]}

    def expect_ready(self, view: TableView, now: float, *, gone: bool) -> None:
        """Give the program a limited time to be ready for a window: others want to talk."""
        if self._unready is not None:
            self._unready.cancel()
        if view.window_due:
            ends = min((row.deadline for row in view.seats if row.deadline is not None), default=None)
            time = READY_TIME if ends is None else min(READY_TIME, (ends - now) / 4)
            self._unready = asyncio.get_running_loop().call_later(0.0 if gone else time, self.get_ready)

    def get_ready(self) -> None:
        """Announce that the program is ready to talk, unless that is known."""
        if self.on and not self._ready and self.handle is not None:
            self._ready = True
            self.handle.set_comm_status(CommStatus.READY)
