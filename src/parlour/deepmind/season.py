"""The kinds of phases, numbered as published."""

from __future__ import annotations

from enum import Enum

from parlour.errors import NotationError


class Season(Enum):
    """The kind of orders of a phase, with the three methods that published agents call.

    A season equals its number and the published member of the same name, so that the published runner and tests accept
    our observations. It is not an int: NumPy, by which those tests compare, would take it for a number, which the
    published member does not equal.
    """

    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Enum):
            return (self.name, self.value) == (other.name, other.value)
        return bool(self.value == other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    def is_moves(self) -> bool:
        """Return True if units move."""
        return self in (Season.SPRING_MOVES, Season.AUTUMN_MOVES)

    def is_retreats(self) -> bool:
        """Return True if dislodged units retreat."""
        return self in (Season.SPRING_RETREATS, Season.AUTUMN_RETREATS)

    def is_builds(self) -> bool:
        """Return True if units are built and removed."""
        return self is Season.BUILDS


SEASONS = tuple(Season)


def season_of(value: object) -> Season:
    """Return the season of a number or of a published member; raise NotationError if there is none."""
    number = value.value if isinstance(value, Enum) else value
    for season in SEASONS:
        if season == number:
            return season
    raise NotationError(f"season: expected 0 to {len(SEASONS) - 1}, got {value!r:.40}")
