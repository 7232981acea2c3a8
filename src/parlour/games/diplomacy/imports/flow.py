"""Reads the first phase and the order of phases of a `.map` file; other calendars than ours are refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from parlour.games.diplomacy.maps.calendar import FIRST_SEASONS, Calendar

_USUAL = ("SPRING:MOVEMENT,RETREATS", "FALL:MOVEMENT,RETREATS", "WINTER:ADJUSTMENTS")
_TYPES = {"spring": "MOVEMENT", "fall": "MOVEMENT", "winter": "ADJUSTMENTS"}


def read_flow(
    begin: tuple[str, int, str], flow: list[str], fail: Callable[[str], NoReturn]
) -> tuple[Calendar, int, int]:
    """Return the calendar, the kernel's number of the first phase, and the year of its spring."""
    season, year, kind = begin
    if not flow or tuple(flow) in (_USUAL, ("NEWYEAR", *_USUAL), ("NEWYEAR:1", *_USUAL)):
        first = season.lower()
        if first not in FIRST_SEASONS or not kind.startswith(_TYPES[first][:1]):
            fail(f"BEGIN: {season:.20} {kind:.20}: expected moves of spring or fall, or adjustments of winter")
        if not 1 <= year <= 9999:
            fail(f"BEGIN: expected a year from 1 to 9999, got {year}")
        return Calendar(), FIRST_SEASONS[first], year
    return _by_two_years(season, year, kind, flow, fail)


def _by_two_years(
    season: str, year: int, kind: str, flow: list[str], fail: Callable[[str], NoReturn]
) -> tuple[Calendar, int, int]:
    """Return the calendar of a map that has one phase of moves per step of years, and adjustments every second step."""
    found = re.fullmatch(
        r"NEWYEAR:([0-9]{1,2}) ([A-Z.]{1,20}):MOVEMENT,RETREATS IFYEARDIV:([0-9]{1,2}) ([A-Z.]{1,20}):ADJUSTMENTS",
        " ".join(flow),
    )
    if found is None or int(found[3]) != 2 * int(found[1]) or found[1] == "0" or kind != "MOVEMENT":
        fail(f"FLOW: the calendar {' '.join(flow)!r:.80} is not supported")
    step, later = int(found[3]), int(found[1])
    names = (found[2], found[2], found[4])
    if season not in names:
        fail(f"BEGIN: expected the season {found[2]}, got {season:.20}")
    in_fall = year % step == 0
    return Calendar(step, later, names), FIRST_SEASONS["fall" if in_fall else "spring"], year - later * in_fall
