"""Limits of connections at every door: their number, those of one address, silent ones, unread output.

When places are short, the least important connection is closed: first those that have sent nothing yet, the oldest
first, then those that only watch. A player's connection is never closed for others.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Protocol

try:
    import resource
except ImportError:  # Windows has no resource limits
    resource = None  # type: ignore[assignment]

MOST = 4096
"""Maximum number of connections, if the system allows that many files."""
MOST_SILENT = 512
"""Maximum number of connections that have sent nothing; one more closes the oldest of them."""
MOST_UNREAD = 256 << 20
"""Maximum number of unread bytes of all clients of a door together."""
SPARE_FILES = 64
"""Number of open files reserved for the rest of the program: the store, the log, imports."""
CROWDED, LATE = "others were waiting", "said nothing in time"
"""Reasons for closing a connection."""


class Rank(IntEnum):
    """The order in which connections are closed when all places are taken."""

    STRANGER = 0
    WATCHER = 1
    STAYS = 2


class Behind(Protocol):
    """A connection with unread output."""

    @property
    def unsent(self) -> int:
        """Number of bytes that wait because the client does not read."""

    def cut(self) -> None:
        """Close the connection at once."""


class Limited(Protocol):
    """A connection as its limiter sees it."""

    @property
    def rank(self) -> Rank:
        """The rank of the connection after its first value."""

    def show_out(self, reason: str) -> None:
        """Close the connection for that reason."""

    def late(self) -> None:
        """Close the connection, or grant more time, when its time is up."""


class Backlog:
    """Bounds the unread output of all clients together: the client with the most is disconnected first."""

    def __init__(self, most: int = MOST_UNREAD) -> None:
        self._most = most
        self._behind: dict[Behind, None] = {}

    def __len__(self) -> int:
        return len(self._behind)

    def note(self, one: Behind) -> None:
        """Note that a client is far behind; while too much waits in all, disconnect the client with the most."""
        self._behind[one] = None
        sizes = {each: size for each in self._behind if (size := each.unsent) or each is one}
        self._behind = dict.fromkeys(sizes)
        total = sum(sizes.values())
        while total > self._most:
            worst = max(sizes, key=lambda each: sizes[each])
            total -= sizes.pop(worst)
            self.forget(worst)
            worst.cut()

    def forget(self, one: Behind) -> None:
        """Note that a client has gone."""
        self._behind.pop(one, None)


class ConnectionLimiter:
    """The connections of one door, on any number of ports."""

    def __init__(
        self,
        *,
        most: int = MOST,
        most_of_one: int | None = None,
        most_silent: int = MOST_SILENT,
        proxies: Sequence[str] = (),
    ) -> None:
        """Make a limiter. Proxies may have any number of connections, because they serve many clients."""
        self.most = min(most, connections_allowed())
        self.most_of_one = most_of_one
        self.backlog = Backlog()
        self._most_silent = most_silent
        self._proxies = [ipaddress.ip_network(proxy, strict=False) for proxy in proxies]
        self._all: dict[Limited, str] = {}
        """All connections with their addresses, the oldest first."""
        self._silent: dict[Limited, asyncio.TimerHandle] = {}
        """Connections that have sent nothing yet, the oldest first, each with the timer of its limit."""
        self._of_one: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._all)

    def __iter__(self) -> Iterator[Limited]:
        """Yield all connections, the oldest first."""
        return iter(tuple(self._all))

    @property
    def silent(self) -> int:
        """Number of connections that have sent nothing yet."""
        return len(self._silent)

    def enter(self, connection: Limited, address: str = "") -> bool:
        """Count a new connection; return False if it must be closed. Another may be closed to make room."""
        room = len(self._all) < self.most or self.make_room()
        self._all[connection] = address
        self._of_one[address] += 1
        few = self.most_of_one is None or self._of_one[address] <= self.most_of_one
        return room and (few or self._is_proxy(address))

    def left(self, connection: Limited) -> None:
        """Stop counting a connection that is closed."""
        self.spoke(connection)
        if (address := self._all.pop(connection, None)) is not None:
            self._of_one[address] -= 1
            if not self._of_one[address]:
                del self._of_one[address]

    def waits(self, connection: Limited, seconds: float) -> None:
        """Give a connection a time for its first bytes. If too many are silent, close the oldest of them."""
        self.spoke(connection)
        if len(self._silent) >= self._most_silent:
            self._show_out_silent()
        self._silent[connection] = asyncio.get_running_loop().call_later(seconds, self._late, connection)

    def spoke(self, connection: Limited) -> None:
        """Note that a connection has sent its first bytes."""
        if (timer := self._silent.pop(connection, None)) is not None:
            timer.cancel()

    def make_room(self) -> bool:
        """Close the oldest silent connection, or the one with the lowest rank; return False if all must stay."""
        if self._silent:
            self._show_out_silent()
            return True
        least = min(self._all, key=lambda connection: connection.rank, default=None)
        if least is None or least.rank is Rank.STAYS:
            return False
        least.show_out(CROWDED)
        return True

    def show_out_silent(self, reason: str) -> None:
        """Close all connections that have sent nothing."""
        for connection in tuple(self._silent):
            self.spoke(connection)
            connection.show_out(reason)

    def _show_out_silent(self) -> None:
        oldest = next(iter(self._silent))
        self.spoke(oldest)
        oldest.show_out(CROWDED)

    def _late(self, connection: Limited) -> None:
        del self._silent[connection]
        connection.late()

    def _is_proxy(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._proxies)


def connections_allowed(doors: int = 1) -> int:
    """Return the number of connections per door that the system's limit on open files allows."""
    if resource is None:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(1, max(soft // 2, soft - SPARE_FILES) // doors)
