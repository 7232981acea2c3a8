"""The calendar of a map: the years and names under which its phases are shown.

A phase has a short name for programs, for example F1901M, with the year of its spring. People read the long name.
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("movement", "retreats", "movement", "retreats", "adjustments")
"""The kind of each of the five phases of a year."""
SEASON_NAMES = ("Spring", "Fall", "Winter")
FIRST_SEASONS = {"spring": 0, "fall": 2, "winter": 4}
"""The phases with which a match may begin: moves of spring, moves of fall, adjustments."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Years per cycle of the seasons, and the names of the seasons."""

    step: int = 1
    """Years from one spring to the next."""
    later: int = 0
    """Years from a spring to the fall and winter that follow."""
    seasons: tuple[str, ...] = SEASON_NAMES

    def phase_name(self, season: int, year: int) -> str:
        """Return the long name of a phase: Spring 1901, movement."""
        shown = year + (self.later if season > 1 else 0)
        return f"{self.seasons[season // 2]} {shown}, {KINDS[season]}"


USUAL = Calendar()
