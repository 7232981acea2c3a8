"""The contents of a picture as plain frozen values: units, centres, influence, orders with their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class DrawnKind(StrEnum):
    """Kind of a drawn order."""

    HOLD = "hold"
    MOVE = "move"
    SUPPORT = "support"
    CONVOY = "convoy"
    RETREAT = "retreat"
    BUILD = "build"
    REMOVE = "remove"


class Result(StrEnum):
    """Result of an order; PENDING until the order has been adjudicated."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    BOUNCED = "bounced"
    CUT = "cut"
    DISLODGED = "dislodged"
    VOID = "void"
    NO_CONVOY = "no convoy"
    DISRUPTED = "disrupted"

    @property
    def failed(self) -> bool:
        """True if the order was not carried out."""
        return self not in (Result.PENDING, Result.SUCCEEDED)


@dataclass(frozen=True, slots=True)
class DrawnUnit:
    """An army (A) or a fleet (F) on the board, or one that was dislodged and must retreat."""

    power: str
    kind: str
    area: str
    dislodged: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.area}"


@dataclass(frozen=True, slots=True)
class DrawnOrder:
    """An order and its result.

    `area` is the place where the unit stands or is built. `to` is the end of a move, a retreat, or a supported or
    convoyed move. `target` is the supported or convoyed unit, for example `F STP/SC`. `via` has the areas of the fleets
    that carry a convoyed army, in its direction.
    """

    power: str
    kind: DrawnKind
    area: str
    unit: str = "A"
    to: str = ""
    target: str = ""
    via: tuple[str, ...] = ()
    result: Result = Result.PENDING
    given: bool = True
    """True if the power gave the order; a hold that nobody ordered is drawn without a ring."""

    def __str__(self) -> str:
        head = f"{self.unit} {self.area}"
        match self.kind:
            case DrawnKind.HOLD:
                return f"{head} H"
            case DrawnKind.MOVE:
                return f"{head} - {self.to}" + (" VIA" if self.via else "")
            case DrawnKind.SUPPORT:
                return f"{head} S {self.target}" + (f" - {self.to}" if self.supports_move else "")
            case DrawnKind.CONVOY:
                return f"{head} C {self.target} - {self.to}"
            case DrawnKind.RETREAT:
                return f"{head} R {self.to}"
            case DrawnKind.BUILD:
                return f"{head} B"
            case DrawnKind.REMOVE:
                return f"{head} D"

    @property
    def supports_move(self) -> bool:
        """True if the supported unit is to move."""
        return bool(self.to) and province_of(self.to) != province_of(self.target_area)

    @property
    def target_area(self) -> str:
        """The area of the unit that is supported or convoyed."""
        return self.target[2:]


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that one picture shows on top of the board."""

    units: tuple[DrawnUnit, ...] = ()
    centres: Mapping[str, str] = field(default_factory=dict)
    """Owner of each supply centre that has one, by province."""
    influence: Mapping[str, str] = field(default_factory=dict)
    """Power whose tint a land province takes that is not an owned centre, by province."""
    orders: tuple[DrawnOrder, ...] = ()
    title: str = ""
    hidden: frozenset[str] = frozenset()
    """The provinces that fog covers."""


def province_of(area: str) -> str:
    """Return the province that an area belongs to: STP of STP/SC."""
    return area.partition("/")[0]
