"""The kinds of phases, numbered as published."""

from __future__ import annotations

from enum import Enum, IntEnum

from parlour.errors import NotationError


class Season(IntEnum):
    """What is ordered in a phase; published agents ask it by its three methods."""

    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4

    def is_moves(self) -> bool:
        """Whether units move."""
        return self in (Season.SPRING_MOVES, Season.AUTUMN_MOVES)

    def is_retreats(self) -> bool:
        """Whether dislodged units retreat."""
        return self in (Season.SPRING_RETREATS, Season.AUTUMN_RETREATS)

    def is_builds(self) -> bool:
        """Whether units are built and removed."""
        return self is Season.BUILDS


SEASONS = tuple(Season)


def season_of(value: object) -> Season:
    """The season of a number, or of a member of the published enumeration; NotationError if there is none."""
    number = value.value if isinstance(value, Enum) else value
    for season in SEASONS:
        if season == number:
            return season
    raise NotationError(f"season: expected 0 to {len(SEASONS) - 1}, got {value!r:.40}")
