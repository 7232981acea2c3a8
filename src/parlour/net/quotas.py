"""Bounds stored bytes: of one intent, of each seat of a match, of an account per day.

An intent is measured before it is ruled on, so that nothing is ruled on that a store would refuse. A seat has its share
of what its match may take, so that nobody who fills it takes anything away from the others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

import msgspec

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.net.permission_errors import bad_value, too_often
from parlour.net.setup import HallLimits
from parlour.store import Setting, Write
from parlour.store.entries import MAX_BODY

MAX_INTENT = MAX_BODY - (64 << 10)
"""The largest intent in bytes: the event that it leads to is a little larger."""
MAX_ACTIONS = 256 << 10
"""The largest action in bytes, times the seats of a match: a turn that ends repeats all of them, with their results."""
MAX_OPENING = 256 << 10
"""The largest configuration of a new match, in bytes."""
AROUND = 100
"""Bytes of an event besides those of its intent."""
LEAST = 400
"""Bytes as which a short event counts: to go through a record costs memory and time for each of its events."""
MAX_ACCOUNTS = 100_000
"""Maximum number of accounts with a count; the one that was used longest ago is forgotten first."""
DAY = 86_400.0

FREE = frozenset((it.Downtime, it.Report, it.Leave, it.Cancel, it.EndWithResult, it.Remove, it.Pause))
"""Intents that are taken regardless of quotas, because they end matches."""

_encode = msgspec.json.Encoder().encode
_NOTHING = (0.0, 0.0)
_volume = msgspec.json.Decoder(tuple[int, dict[str, int]])


class Volume:
    """The number of a record's bytes that each seat caused, and that no seat did."""

    __slots__ = ("_of_seat", "common", "total")

    def __init__(self, common: int = 0, of_seat: dict[str, int] | None = None) -> None:
        self.common = common
        self._of_seat = of_seat or {}
        self.total = common + sum(self._of_seat.values())

    def add(self, event: Event, size: int) -> str:
        """Take in an event of the record; the seat that it is due to, if it is to one."""
        seat, size = getattr(event, "seat", ""), max(size, LEAST)
        if seat:
            self._of_seat[seat] = self._of_seat.get(seat, 0) + size
        else:
            self.common += size
        self.total += size
        return seat

    def of(self, seat: str, seats: int) -> int:
        """Return the bytes that are due to a seat, with its part of those that are due to none."""
        return self._of_seat.get(seat, 0) + self.common // (seats or 1)

    def kept(self, match: str) -> Setting:
        """Return the write that stores the volume of a match with a snapshot."""
        return Setting(volume_key(match), _encode((self.common, self._of_seat)))


def volume_key(match: str) -> str:
    """Return the setting in which the volume of a match is kept."""
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
        """Bytes that count against an account at a moment; they fade within a day."""

    def refusal(self, intent: Intent, volume: Volume, seats: int, account: str) -> Refusal | None:
        """Return the reason to refuse an intent as too large for a match of that many seats; None if it is not."""
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
        if account in self._spent and (wait := self.wait(account, size)):
            told = f"at most {self.of_account:,} bytes are kept of you in a day; try again in {wait:,.0f} s"
            return Refusal(RefusalCode.TOO_MUCH, told)
        return None

    def demand(self, account: str, opening: object, besides: Iterable[Write]) -> None:
        """Denied if a match cannot be opened with that, or the account has had too much kept today."""
        size = len(_encode(opening))
        if size > MAX_OPENING:
            raise bad_value(f"config, terms: expected at most {MAX_OPENING:,} bytes, got {size:,}")
        more = sum(len(write.value) for write in besides if isinstance(write, Setting))
        if account:
            if wait := self.wait(account, size + more):
                raise too_often("bytes kept of you today", wait)
            self.spend(account, more)

    def wait(self, account: str, size: int) -> float:
        """Return the seconds until an account may store that many bytes; 0 for now."""
        spent, _ = self._spent.get(account, _NOTHING)
        if spent + size <= self.of_account:  # nearly always, even without counting what has faded
            return 0.0
        left = self.of_account - self._counted(account, self._now())
        return 0.0 if size <= left else (size - left) * DAY / self.of_account

    def spend(self, account: str, size: int) -> None:
        """Note the bytes that were stored for an account; none are noted without an account."""
        if account:
            now = self._now()
            self._spent[account] = (self._counted(account, now) + max(size, LEAST), now)
            self._spent.move_to_end(account)
            if len(self._spent) > MAX_ACCOUNTS:
                self._spent.popitem(last=False)

    def _counted(self, account: str, now: float) -> float:
        spent, at = self._spent.get(account, _NOTHING)
        return max(0.0, spent - max(0.0, now - at) * self.of_account / DAY)
