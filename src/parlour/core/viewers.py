"""Who is looking: a seat or several, a spectator, an omniscient, a moderator. Secrecy asks nothing else.

What each of them may see of an event is said beside the event's own definition in events.py, and what they may see of
a position by the game. A viewer is a value that can be hashed: whatever is worked out for one viewer serves all that
are equal to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import msgspec

from parlour.core.game import Seat


class Gaze(StrEnum):
    """How much somebody may see, besides what all may see."""

    SEATED = "seated"  # what the own seats may see
    SPECTATOR = "spectator"  # nothing
    OMNISCIENT = "omniscient"  # all that has happened, but not what chance will bring
    MODERATOR = "moderator"  # the record as it is


_ALL_SEEING = (Gaze.OMNISCIENT, Gaze.MODERATOR)


class Viewer(msgspec.Struct, frozen=True, cache_hash=True):
    """Somebody who looks at a match. Made by seated_on, or one of SPECTATOR, OMNISCIENT and MODERATOR."""

    gaze: Gaze
    seats: tuple[Seat, ...] = ()
    """The seats whose secrets are the viewer's own: one, or those of somebody who plays for several."""
    hindsight: bool = False
    """Whether the match is over, so that what was played is no secret any more; private press still is."""

    @property
    def sees_all(self) -> bool:
        """Whether no seat has secrets from this viewer."""
        return self.gaze in _ALL_SEEING

    def owns(self, seat: Seat) -> bool:
        """Whether the viewer may see what only that seat may see."""
        return seat in self.seats or self.gaze in _ALL_SEEING

    def shares(self, privy: Iterable[Seat] | None) -> bool:
        """Whether the viewer may know of what only those seats may know; None is what everyone may."""
        return privy is None or self.sees_all or any(seat in self.seats for seat in privy)

    def knows(self, seat: Seat) -> bool:
        """Whether the viewer may see what that seat plays in secret: its own viewer at once, all when it is over."""
        return self.hindsight or seat in self.seats or self.gaze in _ALL_SEEING

    def looking_back(self) -> Viewer:
        """The same viewer when the match is over."""
        return self if self.hindsight else msgspec.structs.replace(self, hindsight=True)

    def __str__(self) -> str:
        return " ".join(self.seats) or self.gaze.value


SPECTATOR = Viewer(Gaze.SPECTATOR)
OMNISCIENT = Viewer(Gaze.OMNISCIENT)
MODERATOR = Viewer(Gaze.MODERATOR)


@lru_cache(maxsize=1024)
def seated_on(*seats: Seat) -> Viewer:
    """The viewer who sits on those seats; the order in which they are named does not matter."""
    return Viewer(Gaze.SEATED, tuple(sorted(set(seats))))
