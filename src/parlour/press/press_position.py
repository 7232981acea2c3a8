"""A Diplomacy position in press words: units, dislodged units, and owners of centres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import compress
from typing import NamedTuple

import msgspec

from parlour.core.game import Seat
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.fog import FogView
from parlour.games.diplomacy.maps.map import COASTS, Map, Province
from parlour.games.diplomacy.position import Position
from parlour.press.language.message_types import Unit
from parlour.press.language.tokens import Lexicon

MAX_PARSED = 50_000
"""Maximum number of cached order strings; the standard map has about 18,000."""
KINDS = ("AMY", "FLT")
RETREATS = (1, 3)
"""The seasons with retreats, in which the board can have dislodged units."""


class Parsed(NamedTuple):
    """The parts of an order string, with the places in DAIDE spelling."""

    kind: str
    here: str
    province: str
    verb: str
    to: str
    """Destination of the unit that moves or is helped to move; empty without one."""
    other: str
    """The province of the supported or convoyed unit; empty if there is none."""
    gist: str
    """Subject of the order; orders with the same gist differ only in coasts and in the route, by land or by sea."""
    number: int
    """Map number of the unit's province; -1 if there is none."""
    to_number: int
    """Map number of the destination's province; -1 if there is none."""
    other_number: int
    """Map number of the province of the supported or convoyed unit; -1 if there is none."""


class Names:
    """A map's places in both spellings: `STP/SC` of the `diplomacy` package and `STP SCS` of DAIDE."""

    def __init__(self, board: Map) -> None:
        self.map = board
        self.parsed = _Parses(self)
        """Parts of order strings in strict spelling; None for any other string."""
        self.lexicon = Lexicon.of(board)
        self.place_of_area: list[str] = []
        """The place of each area, by the area's id."""
        for area in board.areas:
            province = board.provinces[area.province]
            coast = f" {COASTS[province.coasts[area.coast - 1]][0]}" if area.coast else ""
            self.place_of_area.append(province.daide + coast)
        self.place_of_tag = {area.tag: place for area, place in zip(board.areas, self.place_of_area, strict=True)}
        self.tag_of_place = {place: tag for tag, place in self.place_of_tag.items()}
        self.area_of_place = {place: number for number, place in enumerate(self.place_of_area)}
        self.province_id = {province.daide: province.id for province in board.provinces}
        self.power_words = [power.tag for power in board.powers]
        self.daide = [province.daide for province in board.provinces]
        self.owner_of_byte = ["", *self.power_words]
        """The word of each power, by the kernel's byte for an owner."""
        self.units_of_province = [[self._unit(byte, province) for byte in range(0x80)] for province in board.provinces]
        """Every possible unit, by its province and the kernel's byte for it."""

    def _unit(self, byte: int, province: Province) -> Unit:
        power = min(max(byte & k.POWER_MASK, 1), len(self.power_words))
        coast = min(byte >> k.COAST_SHIFT, len(province.coasts))
        return Unit(self.power_words[power - 1], KINDS[bool(byte & k.FLEET)], self.place_of_area[province.area + coast])

    @cached_property
    def reach(self) -> dict[str, dict[str, dict[str, tuple[str, ...]]]]:
        """By kind and place of a unit: for each named destination in reach, the places that it may mean.

        A fleet without a named coast may be on any coast. A destination without a coast may mean any coast in reach.
        """
        found: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {"AMY": {}, "FLT": {}}
        for kind, edges in (("AMY", self.map.army), ("FLT", self.map.fleet)):
            for area in self.map.areas:
                starts = (area.id,) if area.coast else self.map.provinces[area.province].areas
                ends = sorted({self.place_of_area[there] for start in starts for there in edges[start]})
                meant: dict[str, tuple[str, ...]] = {to: (to,) for to in ends}
                for to in ends:
                    meant.setdefault(to[:3], tuple(end for end in ends if end[:3] == to[:3]))
                found[kind][self.place_of_area[area.id]] = meant
        return found

    @cached_property
    def coasts(self) -> dict[str, tuple[str, ...]]:
        """The coast places of each province that has several coasts."""
        places = self.place_of_area
        found = {place[:3]: tuple(coast for coast in places if coast[:3] == place[:3]) for place in places}
        return {province: coasts[1:] for province, coasts in found.items() if len(coasts) > 1}

    @cached_property
    def waters(self) -> dict[str, frozenset[str]]:
        """The convoy provinces beside each province."""
        carriers = self.lexicon.carriers
        return {here: carriers & meant.keys() for here, meant in self.reach["FLT"].items() if len(here) == 3}

    def parse(self, text: str) -> Parsed | None:
        """Return the parts of an order string; None if it is not in strict spelling."""
        words, places = text.split(" "), self.place_of_tag
        if len(words) < 3 or words[0] not in ("A", "F") or words[1] not in places:
            return None
        here, verb = places[words[1]], words[2]
        kind = "AMY" if words[0] == "A" else "FLT"
        match verb, words[3:]:
            case (("H" | "D" | "B"), []):
                return self._cut(kind, here, verb)
            case (("-" | "R"), [to]) if to in places:
                return self._cut(kind, here, verb, places[to])
            case "-", [to, "VIA"] if to in places:
                return self._cut(kind, here, "VIA", places[to][:3])
            case "S", [_, other] if other in places:
                return self._cut(kind, here, verb, "", places[other][:3])
            case (("S" | "C"), [_, other, "-", to]) if other in places and to in places:
                return self._cut(kind, here, verb, places[to][:3], places[other][:3])
        return None

    def _cut(self, kind: str, here: str, verb: str, to: str = "", other: str = "") -> Parsed:
        province = here[:3]
        gist = f"{province} {verb.replace('VIA', '-')} {other} {to[:3]}"
        numbers = [self.province_id.get(place[:3], -1) for place in (here, to, other)]
        return Parsed(kind, here, province, verb, to, other, gist, *numbers)


class _Parses(dict[str, Parsed | None]):
    """A cache that parses on demand; strings that cannot be parsed are not cached."""

    def __init__(self, known: Names) -> None:
        super().__init__()
        self._names = known

    def __missing__(self, text: str) -> Parsed | None:
        found = self._names.parse(text)
        if found is not None:
            if len(self) >= MAX_PARSED:
                self.clear()
            self[text] = found
        return found


@cache
def names(board: Map) -> Names:
    """Return the spellings of a map."""
    return Names(board)


class PhaseBoard(msgspec.Struct, frozen=True, dict=True, eq=False):
    """The position of a phase in press words, as promises are judged by it."""

    names: Names
    position: Position
    season: int
    """0 to 4: spring moves, spring retreats, fall moves, fall retreats, winter."""
    year: int
    units: Mapping[str, Unit]
    """Units by province."""
    dislodged: Mapping[str, Unit]
    acting: Mapping[str, Unit]
    """The units that get orders: the dislodged units in a retreat phase, otherwise all others."""
    owners: Mapping[str, str]
    """The word of the owner, by centre."""

    @property
    def stage(self) -> str:
        """Stage of the phase: orders, retreats or adjustments."""
        return s.STAGES[self.season]

    @property
    def phase(self) -> str:
        """Name of the phase, for example S1901M."""
        return s.PHASES[self.season].format(self.year)

    @cached_property
    def fleets(self) -> frozenset[str]:
        """The convoy provinces with a fleet."""
        carriers = self.names.lexicon.carriers
        return frozenset([here for here, unit in self.units.items() if here in carriers and unit.kind == "FLT"])

    @cached_property
    def asked_places(self) -> Mapping[str, Sequence[str]]:
        """The provinces of the units that get orders, by power."""
        found: dict[str, list[str]] = {}
        for province, unit in self.acting.items():
            found.setdefault(unit.power, []).append(province)
        return found

    @cached_property
    def standing(self) -> Mapping[str, frozenset[str]]:
        """The places and provinces in which each power has a unit that is not dislodged."""
        found: dict[str, set[str]] = {}
        for province, unit in self.units.items():
            found.setdefault(unit.power, set()).update((province, unit.place))
        return {power: frozenset(places) for power, places in found.items()}

    @cached_property
    def holders(self) -> frozenset[str]:
        """The powers with a unit that is not dislodged."""
        return frozenset([unit.power for unit in self.units.values()])

    @cached_property
    def asked(self) -> frozenset[str]:
        """The powers that have to give orders."""
        if self.stage == "orders":
            return self.holders
        if self.stage == "retreats":
            return frozenset([unit.power for unit in self.dislodged.values()])
        words = self.names.lexicon.seats
        return frozenset([words[Seat(name)] for name, count in self.position.builds.items() if count])

    @cached_property
    def alive(self) -> frozenset[str]:
        """The powers that have a unit or a centre; in fog all powers in the match."""
        if isinstance(self.position, FogView):
            return frozenset(self.names.lexicon.seats[seat] for seat in self.position.alive())
        found = frozenset(self.owners.values())
        if len(found) < len(self.names.power_words):
            found = found.union(self.holders, [unit.power for unit in self.dislodged.values()])
        return found


def board_of(position: Position, before: PhaseBoard | None = None) -> PhaseBoard:
    """Return the board of a position; unchanged owners are shared with the board before it."""
    return _fresh_board(position) if before is None else _board_after(position, before)


@lru_cache(maxsize=64)
def _fresh_board(position: Position) -> PhaseBoard:
    """Return the board of a position from a cache that the table and all ledgers share."""
    return _board_after(position, None)


def _board_after(position: Position, before: PhaseBoard | None) -> PhaseBoard:
    known, state = before.names if before is not None else names(position.board), position.state
    if before is not None and _owner_bytes(before.position) == _owner_bytes(position):
        owners = before.owners
    else:
        words = known.owner_of_byte
        owners = {place: words[byte] for place, byte in zip(known.daide, _owner_bytes(position), strict=True) if byte}
    retreats = state[k.SEASON] in RETREATS
    units = _units(known, state, k.UNITS)
    dislodged = _units(known, state, k.DISLODGED) if retreats else {}
    return PhaseBoard(
        names=known,
        position=position,
        season=state[k.SEASON],
        year=s.word(state, k.YEAR),
        units=units,
        dislodged=dislodged,
        acting=dislodged if retreats else units,
        owners=owners,
    )


def _owner_bytes(position: Position) -> bytes:
    return position.state[k.OWNERS : k.OWNERS + len(position.board.provinces)]


def _units(known: Names, state: bytes, offset: int) -> dict[str, Unit]:
    here = state[offset : offset + len(known.daide)]
    everywhere = zip(known.daide, here, known.units_of_province, strict=True)
    return {province: there[byte & 0x7F] for province, byte, there in compress(everywhere, here.translate(_HELD))}


_HELD = bytes(bool(byte & k.POWER_MASK) for byte in range(256))
"""1 for each kernel byte that means a unit, otherwise 0."""
