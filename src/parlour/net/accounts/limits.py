"""How much anybody may do in what time: token buckets, in bounded memory, with time as an argument."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict

import msgspec

from parlour.net.denials import too_often
from parlour.net.settings import USUAL

MAX_KEYS = 100_000
"""Of how many keys a bucket is remembered. The one that was touched longest ago is forgotten first."""


class AccountLimits(msgspec.Struct, frozen=True):
    """How often one may try to become somebody. A rate is also how much may be done at once."""

    sign_ins_per_minute: float = USUAL.sign_ins_per_minute
    """Of one address, and of one account; beyond that whoever guesses passwords waits. A right one counts less."""
    registrations_per_hour: float = USUAL.registrations_per_hour
    """Of one address."""


class Buckets:
    """One bucket a key: it holds so much, and fills up at a rate a second."""

    def __init__(self, rate: float, size: float, *, max_keys: int = MAX_KEYS) -> None:
        self._rate = rate
        self._size = size
        self._max_keys = max_keys
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, key: str, now: float, amount: float = 1.0) -> float:
        """Take from the bucket; 0 if that was possible, otherwise in how many seconds it will be."""
        level = self._level(key, now)
        wait = 0.0 if level >= amount else (amount - level) / self._rate
        self._levels[key] = (level if wait else level - amount, now)
        self._levels.move_to_end(key)
        if len(self._levels) > self._max_keys:
            self._levels.popitem(last=False)
        return wait

    def give(self, key: str, now: float, amount: float) -> None:
        """Put some of what was taken back, unless that is forgotten."""
        if key in self._levels:
            self._levels[key] = (min(self._size, self._level(key, now) + amount), now)

    def is_empty(self, key: str, now: float) -> bool:
        """Whether one could not be taken; nothing is."""
        return self._level(key, now) < 1.0

    def _level(self, key: str, now: float) -> float:
        level, since = self._levels.get(key, (self._size, now))
        return min(self._size, level + max(0.0, now - since) * self._rate)

    def demand(self, key: str, now: float, what: str) -> None:
        """Take one; Denied if there is none."""
        if wait := self.take(key, now):
            raise too_often(what, wait)


def network_of(address: str) -> str:
    """What counts as one address: of IPv6 the network, since whoever has one address has all of them."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:  # not on the internet: a socket in the file system, a test
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
