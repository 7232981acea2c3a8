"""Rate limits: token buckets in bounded memory, with time as an argument."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from parlour.net.permission_errors import too_often
from parlour.net.settings import USUAL

MAX_KEYS = 100_000
"""Maximum number of keys with a bucket. The least recently used is dropped first."""


ACCOUNTS = 10
"""All accounts of one address together have this many times the limits of one account on requests and bytes."""


DRAWING = 4.0
"""Number of requests that a request for a picture counts as."""


class AccountLimits(msgspec.Struct, frozen=True):
    """Rate limits on signing in and registering. A rate is also the size of a burst."""

    sign_ins_per_minute: float = USUAL.sign_ins_per_minute
    """Wrong sign-ins per minute of one address for one account, and ten times as many for all; more are delayed."""
    registrations_per_hour: float = USUAL.registrations_per_hour
    """Maximum number of registrations per hour and address."""


class Buckets:
    """A token bucket per key, with a size and a rate per second at which it fills."""

    def __init__(self, rate: float, size: float, *, max_keys: int = MAX_KEYS) -> None:
        self._rate = rate
        self._size = size
        self._max_keys = max_keys
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, key: str, now: float, amount: float = 1.0) -> float:
        """Take from the bucket; return 0 on success, otherwise the seconds until it will be possible."""
        level = self._level(key, now)
        wait = 0.0 if level >= amount else (amount - level) / self._rate
        self._levels[key] = (level if wait else level - amount, now)
        self._levels.move_to_end(key)
        if len(self._levels) > self._max_keys:
            self._levels.popitem(last=False)
        return wait

    def owe(self, key: str, now: float) -> None:
        """Take one token even from an empty bucket; the debt is at most the size of the bucket."""
        self.take(key, now, 0.0)
        self._levels[key] = (max(-self._size, self._level(key, now) - 1.0), now)

    def is_empty(self, key: str, now: float) -> bool:
        """Return True if no token could be taken; nothing is taken."""
        return self._level(key, now) < 1.0

    def wait(self, key: str, now: float) -> float:
        """Return the seconds until a token can be taken from the bucket, 0 if now; nothing is taken."""
        return max(0.0, (min(1.0, self._size) - self._level(key, now)) / self._rate)

    def _level(self, key: str, now: float) -> float:
        level, since = self._levels.get(key, (self._size, now))
        return min(self._size, level + max(0.0, now - since) * self._rate)

    def demand(self, key: str, now: float, what: str, amount: float = 1.0) -> None:
        """Take one token, or another amount; raise Denied if there are too few."""
        if wait := self.take(key, now, min(amount, self._size)):
            raise too_often(what, wait)


class RequestLimits:
    """Rate limits on requests to pages, sandbox and API together, by address and by account."""

    def __init__(
        self,
        per_second: float = USUAL.requests_per_second,
        at_once: float = USUAL.requests_at_once,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._of_one = Buckets(per_second, at_once)
        self._of_network = Buckets(ACCOUNTS * per_second, ACCOUNTS * at_once)

    def demand(self, address: str, account: str = "", weight: float = 1.0) -> None:
        """Count a request of an account, or of an address without an account; raise Denied if there are too many."""
        network, now = network_of(address), self._clock()
        # First, so that refused requests use up nothing of the others at the address.
        self._of_one.demand(f"account {account}" if account else f"address {network}", now, "requests", weight)
        self._of_network.demand(network, now, "requests", weight)


def network_of(address: str) -> str:
    """Return the network that counts as one address: for IPv6 the /64 prefix, because a host may use all of it."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:  # a socket in the file system, or a name that a test uses
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
