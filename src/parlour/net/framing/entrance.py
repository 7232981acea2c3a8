"""Where connections come in: each says within a time what it wants, or is shown out. Nobody waits for another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parlour.errors import RemoteWireError
from parlour.net.framing.connection import Framing, Wire

_log = logging.getLogger(__name__)


class _Stranger:
    """A connection that has not yet said what it wants."""

    def __init__(self, door: Entrance, framing: Framing, patience: float) -> None:
        self.connection = Wire(self, framing)
        self.connection.opened, self.connection.offended = self._opened, self._offended
        self._door = door
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None

    def received(self, value: bytes) -> None:
        self._stop_timer()
        self.connection.offended = None  # from now on it is for whoever takes over to say something
        self._door.greeted(self, value)

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        self._stop_timer()
        self._door.forget(self, str(error))

    def _offended(self, error: RemoteWireError) -> None:
        self.lost(error)
        self._door.refuse(self.connection, str(error))

    def show_out(self, reason: str) -> None:
        self.connection.end(RemoteWireError(reason))

    def _opened(self) -> None:
        """Only from now on there is a connection that could be closed, so only now it takes one of the places."""
        self._timer = asyncio.get_running_loop().call_later(self._patience, self._time_up, False)
        self._door.entered(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _time_up(self, again: bool) -> None:
        """Whoever has begun in time may take as long again to finish."""
        if self.connection.has_begun and not again:
            self._timer = asyncio.get_running_loop().call_later(self._patience, self._time_up, True)
        else:
            self.show_out("said nothing in time")


class Entrance:
    """Lets connections in and hands each on with its first value; holds a bounded number of those that are silent."""

    def __init__(
        self,
        greeted: Callable[[Wire, bytes], None],
        refuse: Callable[[Wire, str], None],
        framing: Callable[[], Framing],
        *,
        patience: float,
        most: int,
    ) -> None:
        self._greeted = greeted
        self.refuse = refuse
        """Tells whoever cannot be understood why, and hangs up."""
        self._framing = framing
        self._patience = patience
        self._most = most
        self._strangers: dict[_Stranger, None] = {}

    def __len__(self) -> int:
        """How many have not said what they want."""
        return len(self._strangers)

    def accept(self) -> Wire:
        """A connection for whoever comes next."""
        return _Stranger(self, self._framing(), self._patience).connection

    def entered(self, stranger: _Stranger) -> None:
        """A stranger is in. If too many are silent already, the one that has been for longest must go."""
        if len(self._strangers) >= self._most:
            self.make_room()
        self._strangers[stranger] = None

    def make_room(self) -> None:
        """Show out whoever has been silent for longest."""
        if self._strangers:
            next(iter(self._strangers)).show_out("others were waiting")

    def greeted(self, stranger: _Stranger, value: bytes) -> None:
        """A stranger said something."""
        self._strangers.pop(stranger, None)
        self._greeted(stranger.connection, value)

    def forget(self, stranger: _Stranger, reason: str) -> None:
        """A stranger is gone."""
        if self._strangers.pop(stranger, stranger) is None:
            _log.debug("%s went without signing up: %s", stranger.connection.peer, reason)

    def close(self) -> None:
        """Show everyone out."""
        for stranger in tuple(self._strangers):
            stranger.show_out("the server closes")
