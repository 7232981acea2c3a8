"""Viewers: a seat or several, a spectator, an omniscient, a moderator. Secrecy depends on nothing else.

Each event in events.py declares what a viewer may see of it; a game declares it for its positions. A
viewer can be hashed: a value computed for one viewer serves all equal viewers.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import msgspec

from parlour.core.game import Seat


class Visibility(StrEnum):
    """The secrets that a viewer may see."""

    SEATED = "seated"  # the secrets of the viewer's own seats
    SPECTATOR = "spectator"  # no secrets
    OMNISCIENT = "omniscient"  # all that has happened, but no future random numbers
    MODERATOR = "moderator"  # everything in the record


_ALL_SEEING = (Visibility.OMNISCIENT, Visibility.MODERATOR)


class Span(NamedTuple):
    """A period in which a player held a seat, on the match's clock; `end` is exclusive."""

    seat: Seat
    begin: float
    end: float


class Viewer(msgspec.Struct, frozen=True, cache_hash=True):
    """A viewer of a match. Made by seated_on, or one of SPECTATOR, OMNISCIENT and MODERATOR."""

    visibility: Visibility
    seats: tuple[Seat, ...] = ()
    """The seats whose secrets are the viewer's own: one, or those of somebody who plays for several."""
    hindsight: bool = False
    """True after the end of the match, when played actions are no longer secret; private press still is."""
    spans: tuple[Span, ...] = ()
    """Periods in which the viewer held seats that other players held at other times.

    A seat without a period was the viewer's for the whole match."""
    withheld: tuple[int, ...] = ()
    """Counts of events outside the spans that the seats may see, but this viewer may not.

    The first count is for a running match, the second for a match that is over."""

    @property
    def sees_all(self) -> bool:
        """True if no seat has secrets from this viewer."""
        return self.visibility in _ALL_SEEING

    def owns(self, seat: Seat) -> bool:
        """Return True if the viewer may see what only that seat may see."""
        return seat in self.seats or self.visibility in _ALL_SEEING

    def shares(self, privy: Iterable[Seat] | None) -> bool:
        """Return True if the viewer may learn of an event that only `privy` seats may; None means everyone may."""
        return privy is None or self.sees_all or any(seat in self.seats for seat in privy)

    def knows(self, seat: Seat) -> bool:
        """Return True if the viewer may see a seat's secret actions: of own seats at once, of all after the end."""
        return self.hindsight or seat in self.seats or self.visibility in _ALL_SEEING

    def at(self, time: float) -> Viewer:
        """Return the viewer with the seats that it held at a time; the spectator if it held none."""
        if not self.spans:
            return self
        held = {span.seat for span in self.spans if span.begin <= time < span.end}
        others = {span.seat for span in self.spans} - held
        seats = tuple(seat for seat in self.seats if seat not in others)
        return Viewer(self.visibility if seats else Visibility.SPECTATOR, seats, self.hindsight)

    def looking_back(self) -> Viewer:
        """Return the same viewer after the end of the match."""
        return self if self.hindsight else msgspec.structs.replace(self, hindsight=True)

    def __str__(self) -> str:
        return " ".join(self.seats) or self.visibility.value


SPECTATOR = Viewer(Visibility.SPECTATOR)
OMNISCIENT = Viewer(Visibility.OMNISCIENT)
MODERATOR = Viewer(Visibility.MODERATOR)


@lru_cache(maxsize=1024)
def seated_on(*seats: Seat) -> Viewer:
    """Return the viewer that has those seats, in any order; without a seat, the spectator."""
    return Viewer(Visibility.SEATED, tuple(sorted(set(seats)))) if seats else SPECTATOR
