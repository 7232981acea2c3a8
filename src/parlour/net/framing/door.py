"""Where connections come in: each says within a time what it wants, or is shown out. Nobody waits for another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parlour.errors import RemoteWireError
from parlour.net.fish.dialect import Dialect, Wish
from parlour.net.framing.connection import Connection

MAX_GREETING = 1 << 14
"""Bytes of the first value of a connection: what all strangers together can make us hold is a few megabytes."""

_log = logging.getLogger(__name__)


class _Stranger:
    """A connection that has not yet said what it wants."""

    def __init__(self, door: Door, patience: float) -> None:
        self.connection = Connection(self, max_value=MAX_GREETING)
        self._door = door
        self._patience = patience
        self._timer = asyncio.get_running_loop().call_later(patience, self._time_up, False)

    def received(self, value: bytes) -> None:
        self._timer.cancel()
        self._door.greeted(self, value)

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        self._timer.cancel()
        self._door.forget(self, str(error))

    def show_out(self, reason: str) -> None:
        self.connection.end(RemoteWireError(reason))

    def _time_up(self, again: bool) -> None:
        """Whoever has begun in time may take as long again to finish."""
        if self.connection.has_begun and not again:
            self._timer = asyncio.get_running_loop().call_later(self._patience, self._time_up, True)
        else:
            self.show_out("said nothing in time")


class Door:
    """Lets connections in and finds out what they want; holds a bounded number of those who have not said it."""

    def __init__(
        self, dialect: Dialect, welcome: Callable[[Connection, Wish], None], *, patience: float, most: int
    ) -> None:
        self._dialect = dialect
        self._welcome = welcome
        self._patience = patience
        self._most = most
        self._strangers: dict[_Stranger, None] = {}

    def __len__(self) -> int:
        """How many have not said what they want."""
        return len(self._strangers)

    def accept(self) -> Connection:
        """A new connection. If too many are silent already, the one that has been for longest must go."""
        if len(self._strangers) >= self._most:
            next(iter(self._strangers)).show_out("others were waiting")
        stranger = _Stranger(self, self._patience)
        self._strangers[stranger] = None
        return stranger.connection

    def greeted(self, stranger: _Stranger, value: bytes) -> None:
        """A stranger said something: it is let in, or told why not and shown out."""
        self._strangers.pop(stranger, None)
        try:
            wish = self._dialect.greeting(value)
        except RemoteWireError as error:
            self._dialect.refuse(stranger.connection, str(error))
        else:
            stranger.connection.trust()
            self._welcome(stranger.connection, wish)

    def forget(self, stranger: _Stranger, reason: str) -> None:
        """A stranger is gone."""
        if self._strangers.pop(stranger, stranger) is None:
            _log.info("%s went without signing up: %s", stranger.connection.peer, reason)

    def close(self) -> None:
        """Show everyone out."""
        for stranger in tuple(self._strangers):
            stranger.show_out("the server closes")
