"""Numbers of the kernel: offsets in a state, verdicts on orders, reasons to ignore an action."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from parlour.games.diplomacy.kernel import layout

STATE = layout.STATE
SEASON, STATUS, YEAR, WINNER = layout.SEASON, layout.STATUS, layout.YEAR, layout.WINNER
LAST_YEAR, BUILDS = layout.LAST_YEAR, layout.BUILDS
UNITS, OWNERS, DISLODGED = layout.UNITS, layout.OWNERS, layout.DISLODGED
ORIGINS, INFLUENCE = layout.ORIGINS, layout.INFLUENCE
"""Offsets in a state, which kernel/__init__.py describes."""

POWER_MASK, FLEET = layout.POWER_MASK, layout.FLEET
COAST_SHIFT, CONTESTED = layout.COAST_SHIFT, layout.CONTESTED
"""The parts of a unit byte: power + 1, type, coast; and the mark of a contested province among DISLODGED."""


class SeasonCode(IntEnum):
    """The kind of phase, as in published observations."""

    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4


class Status(IntEnum):
    """Status of a game: in progress, or the kind of its end."""

    RUNNING = 0
    SOLO = 1
    STOPPED = 2  # the year limit was reached, or the players agreed


class VerdictCode(IntEnum):
    """Result of an order: the low four bits of a verdict byte."""

    NONE = 0  # no unit in the province of the verdict
    SUCCEEDED = 1
    BOUNCED = 2  # a move that failed against another unit, or a retreat that met another retreat
    CUT = 3  # a support that an attack cut
    VOID = 4  # a support or convoy of an order that was not given
    NO_CONVOY = 5  # no route was ordered
    DISRUPTED = 6  # a route was ordered, but broken
    DISBANDED = 7  # removed by default: no retreat was ordered, or civil disorder


class UnitMark(IntFlag):
    """Flags in the high four bits of a verdict byte."""

    DISLODGED = 16
    DESTROYED = 32  # dislodged, without a place to retreat to
    PARADOX = 64  # a convoy that the Szykman rule disrupted
    DEFAULT = 128  # nobody ordered this: hold, disband, civil disorder


class ReasonCode(IntEnum):
    """Reason why an action is ignored."""

    FINE = 0
    NOT_IN_TABLE = 1  # the map does not have this action
    WRONG_PHASE = 2
    NO_UNIT = 3  # no unit in the province
    NOT_YOURS = 4
    SECOND_ORDER = 5  # the unit, or the place of a build, has an order already
    OUT_OF_REACH = 6  # move, retreat or support to where the unit cannot go
    NO_TARGET = 7  # no unit to support or carry
    UNREACHABLE_BY_THIRD = 8  # the supported unit cannot go there
    NO_ROUTE = 9  # no chain of fleets for a convoy
    WRONG_TYPE = 10  # an order for the other type of unit
    OCCUPIED = 11  # a retreat or build where a unit stands
    CONTESTED = 12  # a retreat to where a standoff was
    ATTACKER_CAME_FROM = 13  # a retreat to where the attacker came from
    NOT_A_HOME = 14  # a build outside the power's own, owned home centres
    TOO_MANY = 15  # more builds or removals than are due
