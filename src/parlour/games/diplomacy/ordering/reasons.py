"""Reasons for void orders: a closed list, with the offending part, the expected one, and a suggestion."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Reason(StrEnum):
    """Everything that can be wrong with an order before it is adjudicated."""

    UNREADABLE = "unreadable"  # the words are not an order
    TOO_LONG = "too long"
    UNKNOWN_PROVINCE = "unknown province"
    WRONG_PHASE = "wrong phase"  # a build in spring, a move in winter
    NO_UNIT = "no such unit"  # no unit stands in the province, or a unit of another type or power
    NOT_YOURS = "not your unit"
    SECOND_ORDER = "second order"  # the unit, site or power has its order already
    OUT_OF_REACH = "out of reach"
    NO_ROUTE = "no route"  # no chain of the fleets on the board can carry the army
    NEEDS_COAST = "needs a coast"  # DATC 4.B.1, 4.B.7
    WRONG_COAST = "wrong coast"  # DATC 4.B.3, 4.B.4
    NEEDS_TYPE = "needs a unit type"
    WRONG_TYPE = "wrong unit type"
    SUPPORTS_ITSELF = "supports itself"
    NOT_A_FLEET_AT_SEA = "not a fleet at sea"
    NOT_AN_ARMY = "not an army"
    NOT_DISLODGED = "not dislodged"
    NO_RETREAT = "no retreat there"
    NO_BUILDS = "nothing to build"
    NO_REMOVALS = "nothing to remove"
    TOO_MANY = "too many"
    NOT_A_HOME = "not a home centre"
    NOT_A_CENTRE = "not a supply centre"
    NOT_OWNED = "not owned"
    OCCUPIED = "occupied"


class Flaw(msgspec.Struct, frozen=True):
    """The error in one order."""

    reason: Reason
    part: str
    """The offending words, or the whole order."""
    expected: str
    suggestion: str = ""
    """The spelling that was probably meant; empty if none is close."""

    @property
    def message(self) -> str:
        """A sentence with the wrong part, the expected one, and the suggestion."""
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.reason}: {self.part!r}, expected {self.expected}{hint}"
