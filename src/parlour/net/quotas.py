"""Quotas of stored bytes: of one intent, of a match and its seats, and per day of an account and of a network.

An intent is measured before it is ruled on, so that no event arises that the store would refuse. Each seat has an equal
share of its match's quota, so that one player cannot use up the others'.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.net.accounts.limits import ACCOUNTS, Buckets
from parlour.net.permission_errors import bad_value, too_often
from parlour.net.setup import HallLimits
from parlour.store import Setting, Write
from parlour.store.entries import MAX_BODY

MAX_INTENT = MAX_BODY - (64 << 10)
"""Maximum bytes of an intent; its event is a little larger."""
MAX_ACTIONS = 256 << 10
"""Maximum bytes of the actions of all seats together: the end of a turn repeats them, with their results."""
MAX_OPENING = 256 << 10
"""Maximum bytes of the configuration, terms, extras and first intents of a new match."""
AROUND = 100
"""Bytes that an event has more than its intent, about."""
LEAST = 400
"""Minimum bytes that an event counts as: each event costs memory and time when a record is read."""
MAX_ACCOUNTS = 100_000
"""Maximum number of accounts with a count; the least recently used is dropped first."""
DAY = 86_400.0
NETWORK = "\n"
"""Prefix of a network among accounts, whose names cannot contain it."""

FREE = frozenset((it.Downtime, it.Report, it.Leave, it.Cancel, it.EndWithResult, it.Remove, it.Pause))
"""Intents that are accepted regardless of quotas, so that a match can always be stopped, left and ended."""

_encode = msgspec.json.Encoder().encode
_NOTHING = (0.0, 0.0)
T = TypeVar("T")
_volume = msgspec.json.Decoder(tuple[int, dict[str, int]])


class Volume:
    """The bytes of a record by the seat that caused them, and those that no seat caused."""

    __slots__ = ("_of_seat", "common", "total")

    def __init__(self, common: int = 0, of_seat: dict[str, int] | None = None) -> None:
        self.common = common
        self._of_seat = of_seat or {}
        self.total = common + sum(self._of_seat.values())

    def add(self, event: Event, size: int) -> str:
        """Count an event of the record; return the seat that caused it, or an empty text."""
        seat = getattr(event, "seat", "")
        if size < LEAST:
            size = LEAST
        if seat:
            self._of_seat[seat] = self._of_seat.get(seat, 0) + size
        else:
            self.common += size
        self.total += size
        return seat

    def of(self, seat: str, seats: int) -> int:
        """Return the bytes that a seat caused, with its share of those that no seat caused."""
        return self._of_seat.get(seat, 0) + self.common // (seats or 1)

    def kept(self, match: str) -> Setting:
        """Return the write that stores the volume of a match with a snapshot."""
        return Setting(volume_key(match), _encode((self.common, self._of_seat)))


def volume_key(match: str) -> str:
    """Return the key of the setting that holds the volume of a match."""
    return f"volume {match}"


def read_volume(kept: bytes | None) -> Volume | None:
    """Return the volume that was stored with a snapshot; None if it was not stored."""
    return Volume(*_volume.decode(kept)) if kept else None


class Quotas:
    """The quotas of a server, and the recent bytes of its accounts."""

    def __init__(self, limits: HallLimits, now: Callable[[], float]) -> None:
        self._now = now
        self.of_match = limits.match_bytes
        self.of_account = limits.account_bytes
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By account or network, a number of bytes and the time at which it held; it decreases to 0 within a day."""
        self._networks: OrderedDict[str, str] = OrderedDict()
        """The network from which each account signed in last."""
        most = ACCOUNTS * limits.matches_of_one
        self._openings = Buckets(most / DAY, most)
        """New matches by network: accounts of one address do not use up the number of matches that the server has."""

    def signed_in(self, account: str, network: str) -> None:
        """Count the bytes of an account against that network too, from now on."""
        if network:
            _remember(self._networks, account, NETWORK + network)

    def refusal(self, intent: Intent, volume: Volume, seats: int, account: str) -> Refusal | None:
        """Return the refusal of an intent that exceeds a quota; None if it fits. The match has `seats` seats."""
        kind = type(intent)
        if kind in FREE:
            return None
        size = len(_encode(intent))
        largest = MAX_ACTIONS // (seats or 1) if kind is it.Act else MAX_INTENT
        if size > largest:
            what = str(intent.__struct_config__.tag)
            return Refusal(RefusalCode.TOO_LONG, f"{what}: expected at most {largest:,} bytes, got {size:,}")
        size = max(size + AROUND, LEAST)
        seat = getattr(intent, "seat", None)
        had = volume.total if seat is None else volume.of(seat, seats)
        share = self.of_match if seat is None else self.of_match // (seats or 1)
        if had + size > share:
            who = "this match" if seat is None else f"{seat} in this match"
            return Refusal(RefusalCode.TOO_MUCH, f"nothing more is kept of {who}: at most {share:,} bytes")
        if self._has_spent(account) and (wait := self.wait(account, size)):
            told = f"at most {self.of_account:,} bytes are kept of you in a day; try again in {wait:,.0f} s"
            return Refusal(RefusalCode.TOO_MUCH, told)
        return None

    def demand_opening(self, network: str) -> None:
        """Raise Denied if too many matches were opened from a network today, with or without accounts; count one."""
        self._openings.demand(NETWORK + network, self._now(), "new matches")

    def demand(self, account: str, opening: object, besides: Iterable[Write]) -> None:
        """Raise Denied if the setup of a match is too large, or a quota of the account or its network is used up.

        Count `besides`, and the new match.
        """
        size = len(_encode(opening))
        if size > MAX_OPENING:
            raise bad_value(f"config, terms: expected at most {MAX_OPENING:,} bytes, got {size:,}")
        more = sum(len(write.value) for write in besides if isinstance(write, Setting))
        if account:
            if wait := self.wait(account, size + more):
                raise too_often("bytes kept of you today", wait)
            if network := self._networks.get(account):
                self._openings.demand(network, self._now(), "new matches")
            self.spend(account, more)

    def wait(self, account: str, size: int) -> float:
        """Return the seconds until an account may store that many bytes; 0 for now."""
        wait, network = self._wait(account, size, self.of_account), self._networks.get(account)
        return wait if network is None else max(wait, self._wait(network, size, ACCOUNTS * self.of_account))

    def spend(self, account: str, size: int, now: float | None = None) -> None:
        """Count bytes that were stored for an account, and for its network if that is known.

        Do nothing for an empty account. The time `now` is read if it is not given.
        """
        if account:
            now, size = self._now() if now is None else now, max(size, LEAST)
            self._count(account, size, self.of_account, now)
            if (network := self._networks.get(account)) is not None:
                self._count(network, size, ACCOUNTS * self.of_account, now)

    def _has_spent(self, account: str) -> bool:
        """Return True if bytes of the account, or of its network, were counted."""
        return account in self._spent or self._networks.get(account) in self._spent

    def _count(self, key: str, size: int, most: int, now: float) -> None:
        _remember(self._spent, key, (_left(self._spent.get(key, _NOTHING), most, now) + size, now))

    def _wait(self, key: str, size: int, most: int) -> float:
        spent = self._spent.get(key, _NOTHING)
        if spent[0] + size <= most:  # nearly always, even without the decrease since
            return 0.0
        free = most - _left(spent, most, self._now())
        return 0.0 if size <= free else (size - free) * DAY / most


def _left(spent: tuple[float, float], most: int, now: float) -> float:
    """Return what remains of a number of bytes that decreases by `most` per day since its time."""
    size, at = spent
    if now > at:
        size -= (now - at) * most / DAY
    return size if size > 0.0 else 0.0


def _remember(kept: OrderedDict[str, T], key: str, value: T) -> None:
    """Set a value; beyond MAX_ACCOUNTS keys, drop the one that was set longest ago."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MAX_ACCOUNTS:
        kept.popitem(last=False)
