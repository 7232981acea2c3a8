"""Entry of connections: each must send its first value within a time limit, or is closed. None waits for another."""

from __future__ import annotations

import logging
from collections.abc import Callable

from parlour.errors import RemoteWireError
from parlour.net.framing.connection import Framing, Wire
from parlour.net.framing.limiter import CROWDED, LATE, ConnectionLimiter, Rank

_log = logging.getLogger(__name__)


class _Stranger:
    """A connection until its first value has arrived."""

    rank = Rank.STAYS

    def __init__(self, door: Entrance, framing: Framing) -> None:
        self.connection = Wire(self, framing)
        self.connection.opened, self.connection.offended = self._opened, self._offended
        self._door = door
        self._again = False
        """True in the second time limit, for a connection whose first value began to arrive in the first."""

    def received(self, value: bytes) -> None:
        self.connection.offended = None  # the new owner of the connection sends its own errors
        self._door.limiter.spoke(self)
        self._door.greeted(self.connection, value)

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        self._door.limiter.spoke(self)
        _log.debug("%s left without signing up: %s", self.connection.peer, error)

    def _offended(self, error: RemoteWireError) -> None:
        self.lost(error)
        self._door.refuse(self.connection, str(error))

    def show_out(self, reason: str) -> None:
        self.connection.end(RemoteWireError(reason))

    def late(self) -> None:
        """Give a peer whose value began in time as long again to finish; close any other."""
        if self.connection.has_begun and not self._again:
            self._again = True
            self._door.limiter.waits(self, self._door.patience)
        else:
            self.show_out(LATE)

    def _opened(self) -> None:
        """Enter the limiter; only an open connection can be closed by it."""
        limiter = self._door.limiter
        closed = self.connection.closed

        def left() -> None:
            limiter.left(self)
            if closed is not None:
                closed()

        self.connection.closed = left
        if limiter.enter(self, self.connection.address):
            limiter.waits(self, self._door.patience)
        else:
            self.show_out(CROWDED)


class Entrance:
    """Accepts connections and passes each on with its first value; the number of silent ones is bounded."""

    def __init__(
        self,
        greeted: Callable[[Wire, bytes], None],
        refuse: Callable[[Wire, str], None],
        framing: Callable[[], Framing],
        *,
        patience: float,
        limiter: ConnectionLimiter,
    ) -> None:
        self.greeted = greeted
        self.refuse = refuse
        """Sends the error to a connection that broke the protocol, and closes it."""
        self.patience = patience
        self.limiter = limiter
        self._framing = framing

    def __len__(self) -> int:
        """Return the number of connections that have not sent a value yet."""
        return self.limiter.silent

    def accept(self) -> Wire:
        """Return a connection for the next peer."""
        return _Stranger(self, self._framing()).connection

    def close(self) -> None:
        """Close all connections that have not sent a value yet."""
        self.limiter.show_out_silent("the server closes")
