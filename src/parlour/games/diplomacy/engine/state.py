"""Packs a position into the kernel's flat state and unpacks the state; kernel/__init__.py has the layout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import Ground, Map

PHASES = ("S{:04}M", "S{:04}R", "F{:04}M", "F{:04}R", "W{:04}A")
STAGES = ("orders", "retreats", "orders", "retreats", "adjustments")
COMPLETED = "COMPLETED"
MAX_YEAR = 9999
_PHASE = re.compile(r"(S|F)(\d{4})(M|R)|(W)(\d{4})(A)", re.ASCII)
_LONG = re.compile(r"(SPRING|FALL|WINTER) (\d{4}) (MOVEMENT|RETREATS|ADJUSTMENTS)", re.ASCII)


@dataclass(frozen=True, slots=True)
class BoardUnit:
    """A unit on the board."""

    power: int
    fleet: bool
    province: int
    coast: int = 0

    @property
    def byte(self) -> int:
        """The unit as the kernel stores it."""
        return (self.power + 1) | (k.FLEET if self.fleet else 0) | self.coast << 5

    def area(self, board: Map) -> int:
        """Return the area of the unit: its province, or one shore of it."""
        return board.provinces[self.province].area + self.coast


def unit_at(state: bytes, offset: int, province: int) -> BoardUnit | None:
    """Return the unit in a province; offset is UNITS or DISLODGED."""
    byte = state[offset + province]
    if not byte & k.POWER_MASK:
        return None
    return BoardUnit((byte & k.POWER_MASK) - 1, bool(byte & k.FLEET), province, byte >> 5 & 3)


def units_in(state: bytes, offset: int, board: Map) -> Iterator[BoardUnit]:
    """Yield all units, in the order of the map's provinces."""
    for province, byte in enumerate(state[offset : offset + len(board.provinces)]):
        if byte & k.POWER_MASK:
            yield BoardUnit((byte & k.POWER_MASK) - 1, bool(byte & k.FLEET), province, byte >> 5 & 3)


def write_unit(unit: BoardUnit, board: Map) -> str:
    """Return a unit as text, for example `F STP/SC`."""
    return f"{'F' if unit.fleet else 'A'} {board.areas[unit.area(board)].tag}"


def read_phase(text: str) -> tuple[int, int]:
    """Return season and year of S1901M or SPRING 1901 MOVEMENT; raise NotationError for other texts."""
    long = _LONG.fullmatch(text)
    found = _PHASE.fullmatch(long[1][0] + long[2] + long[3][0] if long else text)
    if found is None:
        raise NotationError(
            f"phase: expected one such as S1901M, F1901R or W1901A, got {text!r:.40}", text=text, expected="S1901M"
        )
    season, year, kind = (group for group in found.groups() if group is not None)
    return {"SM": 0, "SR": 1, "FM": 2, "FR": 3, "WA": 4}[season + kind], int(year)


def word(state: bytes | bytearray, offset: int) -> int:
    """Return a 16-bit number of the state."""
    return state[offset] | state[offset + 1] << 8


def influence_at_first(state: bytes | bytearray, count: int) -> bytes:
    """Return the power with influence in each province if the match begins here.

    Each byte is power + 1 of the unit there, or else of the owner, or 0. `count` is the number of provinces.
    """
    standing = zip(state[k.UNITS : k.UNITS + count], state[k.OWNERS : k.OWNERS + count], strict=True)
    return bytes([unit & k.POWER_MASK or owner for unit, owner in standing])


class StateBuilder:
    """A state that is set up piece by piece; an impossible piece raises NotationError, which names its field."""

    def __init__(self, board: Map, season: int, year: int) -> None:
        self.board = board
        self.state = bytearray(k.STATE)
        self.state[k.SEASON] = season
        self.number(k.YEAR, year)

    def number(self, offset: int, value: int) -> None:
        """Write a 16-bit number."""
        self.state[offset : offset + 2] = value.to_bytes(2, "little")

    def put(self, unit: BoardUnit, field: str, offset: int = k.UNITS) -> None:
        """Place a unit; raise NotationError if the unit cannot stand there or the place is taken."""
        province = self.board.provinces[unit.province]
        if unit.fleet and province.kind is Ground.LAND:
            raise NotationError(f"{field}: a fleet cannot stand inland in {province.tag}, expected an army")
        if not unit.fleet and province.kind is Ground.SEA:
            raise NotationError(f"{field}: an army cannot stand at sea in {province.tag}, expected a fleet")
        if unit.fleet and province.coasts and not unit.coast:
            shores = " or ".join(f"{province.tag}/{coast}" for coast in province.coasts)
            raise NotationError(f"{field}: a fleet in {province.tag} needs a coast, expected {shores}")
        if unit.coast and not unit.fleet:
            raise NotationError(f"{field}: an army has no coast, expected A {province.tag}")
        if self.state[offset + unit.province]:
            what = "two dislodged units" if offset == k.DISLODGED else "two units"
            raise NotationError(f"{field}: {what} in {province.tag}, expected one")
        self.state[offset + unit.province] = unit.byte

    def own(self, power: int, province: int, field: str) -> None:
        """Give a centre to a power; raise NotationError if it is not a centre or has an owner."""
        tag = self.board.provinces[province].tag
        if not self.board.provinces[province].centre:
            raise NotationError(f"{field}: {tag} is no supply centre, expected one")
        owner = self.state[k.OWNERS + province]
        if owner:
            name = self.board.powers[owner - 1].name
            raise NotationError(f"{field}: {tag} is owned twice, already by {name}, expected one owner")
        self.state[k.OWNERS + province] = power + 1

    def own_as_at_start(self) -> None:
        """Give every centre to the power that owns it at the start."""
        for province in self.board.provinces:
            self.state[k.OWNERS + province.id] = 0 if province.owner is None else province.owner + 1

    def spread_influence(self) -> None:
        """Give the influence in each province to its unit's power, or else its owner, as if the match began here."""
        count = len(self.board.provinces)
        self.state[k.INFLUENCE : k.INFLUENCE + count] = influence_at_first(self.state, count)

    def done(self) -> bytes:
        """Return the finished state; raise NotationError if a province with a dislodged unit is contested."""
        for province in self.board.provinces:
            fled = self.state[k.DISLODGED + province.id]
            if fled & k.POWER_MASK and fled & k.CONTESTED:
                raise NotationError(f"dislodged: nobody stands in {province.tag}, expected who dislodged the unit")
        return bytes(self.state)


@cache
def first_state(board: Map) -> bytes:
    """Return the state at the start of a match."""
    builder = StateBuilder(board, board.season, board.year)
    for start in board.units:
        area = board.areas[start.area]
        builder.put(BoardUnit(start.power, start.fleet, area.province, area.coast), "start")
    builder.own_as_at_start()
    builder.spread_influence()
    return builder.done()
