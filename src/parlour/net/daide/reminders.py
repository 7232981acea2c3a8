"""TME ( n ): reminds a DAIDE client n seconds before each deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from parlour.net.daide import client_messages as cm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.server_messages import ServerMessage, confirmed, group, rejected
from parlour.net.daide.tokens import Token

MOST_REMINDERS = 16


class Reminders:
    """The reminders of one client, set again whenever the deadline changes."""

    def __init__(self, at: Attendance, push: Callable[[ServerMessage], None]) -> None:
        self._at, self._push = at, push
        self._timers: dict[int, asyncio.TimerHandle | None] = {}

    def answer(self, message: cm.Reminding, tokens: Sequence[Token]) -> ServerMessage:
        """Set a reminder, or cancel one or all; return the answer."""
        if not message.on and message.seconds is None:
            self.stop()
            self._timers.clear()
            return confirmed(tokens)
        assert message.seconds is not None
        if not message.on:
            if message.seconds not in self._timers:
                return rejected(tokens)
            self._cancel(message.seconds)
            del self._timers[message.seconds]
            return confirmed(tokens)
        if not 0 <= message.seconds <= self._at.options.longest or len(self._timers) >= MOST_REMINDERS:
            return rejected(tokens)
        self._cancel(message.seconds)
        self._timers[message.seconds] = self._ring(message.seconds)
        return confirmed(tokens)

    def wind(self) -> None:
        """Set all timers again, because the deadline may have changed."""
        for seconds in self._timers:
            self._cancel(seconds)
            self._timers[seconds] = self._ring(seconds)

    def stop(self) -> None:
        """Cancel all reminders."""
        for seconds in self._timers:
            self._cancel(seconds)

    def _cancel(self, seconds: int) -> None:
        timer = self._timers.get(seconds)
        if timer is not None:
            timer.cancel()

    def _ring(self, seconds: int) -> asyncio.TimerHandle | None:
        """Return the timer for this turn's deadline; None if there is none, or it is too near."""
        talk = self._at.talk
        left = talk.time_left(self._at.now()) if talk.view.paused_at is None else None
        if left is None or left <= seconds:
            return None
        return asyncio.get_running_loop().call_later(left - seconds, self._push, ["TME", *group(seconds)])
