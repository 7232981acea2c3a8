"""Positions as JSON in the spellings of the `diplomacy` package, read strictly: every error names its field.

    {"phase": "S1901M", "units": {"FRANCE": ["A PAR", "F BRE"]}, "centers": {"FRANCE": ["PAR"]},
     "retreats": {"FRANCE": {"A BUR": ["PAR", "GAS"]}}, "map": "standard", "influence": {"FRANCE": ["PIC"]}}

Phase and units are needed. Without centers the owners are those of the start; without a map it is the standard one.
A dislodged unit stands under retreats with the places where it may go; the package's own states also list it among
the units, with a star.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from parlour.core.game import Plain
from parlour.core.text import hint
from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Map, named
from parlour.games.diplomacy.ordering.notation import read_unit
from parlour.games.diplomacy.ordering.reasons import Flaw

MAX_UNITS = 96
WAIVE = "WAIVE"


class _Flight(NamedTuple):
    """A dislodged unit as read, with the free provinces in its reach: those it may retreat to, and the others."""

    unit: s.BoardUnit
    field: str
    allowed: frozenset[int]
    forbidden: frozenset[int]


def read_state(value: Plain, board: Map | None = None, *, lenient: bool = False) -> tuple[Map, bytes]:
    """Return the board and the kernel's state of a value; raise NotationError or ConfigError if it is not valid.

    If lenient, a retreat to an occupied province is ignored, because the package sometimes lists one.
    """
    fields = as_object(value, "input", "phase, units and so on")
    board = board or named(as_text(fields.get("map", "standard"), "map"))
    season, year = s.read_phase(as_text(_needed(fields, "phase"), "phase"))
    builder = s.StateBuilder(board, season, year)
    starred = _place_units(builder, _needed(fields, "units"))
    centers = fields.get("centers")
    if centers is None:
        builder.own_as_at_start()
    else:
        for power, field, text in _listed(board, centers, "centers", "supply centres"):
            builder.own(power, _province(board, text, field), field)
    retreats = as_object(_given(fields, "retreats"), "retreats", "the dislodged units of each power")
    if season not in (1, 3) and any(retreats.values()):
        raise NotationError(f"retreats: expected none in phase {fields['phase']}, only in one such as S1901R")
    flights = list(_flights(builder, retreats, lenient))
    _match_starred(board, starred, flights)
    _settle(builder, flights, lenient)
    builder.spread_influence()
    for power, field, text in _listed(board, _given(fields, "influence"), "influence", "provinces"):
        # Another power's unit may stand in the province, because a build does not change influence.
        builder.state[k.INFLUENCE + _province(board, text, field)] = power + 1
    return board, builder.done()


def read_orders(value: Plain, board: Map, field: str = "orders") -> dict[str, list[str]]:
    """Return the orders of each power as text, each once except WAIVE. Their meaning is not checked here.

    A power has at most one unit or one build in a province, so more orders than provinces are refused.
    """
    fields = {} if value is None else as_object(value, field, "a list of orders for each power")
    orders = {}
    for name, texts in fields.items():
        _power(board, name, field)
        if texts is None:
            texts = []
        given = (as_text(text, f"{field}.{name}[{at}]") for at, text in as_list(texts, f"{field}.{name}"))
        orders[name] = _different(given, len(board.provinces), f"{field}.{name}")
    return orders


def _different(texts: Iterable[str], most: int, field: str) -> list[str]:
    """Return each text once, except WAIVE, which may be ordered again; raise NotationError for more than `most`."""
    found: list[str] = []
    seen: set[str] = set()
    for text in texts:
        plain = text.strip()
        if plain in seen and plain.upper() != WAIVE:
            continue
        if len(found) == most:
            raise NotationError(f"{field}: expected at most {most} different orders, one for each province")
        seen.add(plain)
        found.append(text)
    return found


def as_object(value: Plain, field: str, expected: str) -> dict[str, Plain]:
    """Return the value if it is an object; raise NotationError otherwise."""
    if not isinstance(value, dict):
        raise NotationError(f"{field}: expected an object with {expected}, got {kind_of(value)}")
    return value


def as_list(value: Plain, field: str) -> Iterator[tuple[int, Plain]]:
    """Return the numbered items of the value if it is a list; raise NotationError otherwise."""
    if not isinstance(value, list):
        raise NotationError(f"{field}: expected a list, got {kind_of(value)}")
    return enumerate(value)


def as_text(value: Plain, field: str) -> str:
    """Return the value if it is a string; raise NotationError otherwise."""
    if not isinstance(value, str):
        raise NotationError(f"{field}: expected a string, got {kind_of(value)}")
    return value


def kind_of(value: Plain) -> str:
    """Return the kind of a plain value, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def _needed(fields: Mapping[str, Plain], field: str) -> Plain:
    if field not in fields:
        raise NotationError(f"{field}: missing, expected in the input")
    return fields[field]


def _given(fields: Mapping[str, Plain], field: str) -> Plain:
    """Return a field; an empty object if the field is missing or null."""
    value = fields.get(field)
    return {} if value is None else value


def _power(board: Map, name: str, field: str) -> int:
    for power in board.powers:
        if power.name == name:
            return power.id
    known = [power.name for power in board.powers]
    near = board.find_power(name[:40])
    meant = f"; did you mean {near.name}?" if near else hint(name, known)
    raise NotationError(f"{field}: unknown power {name!r:.40}, expected one of {', '.join(known)}{meant}", text=name)


def _listed(board: Map, value: Plain, field: str, what: str) -> Iterator[tuple[int, str, str]]:
    """Yield power, field and text of every item in lists by power."""
    for name, items in as_object(value, field, f"a list of {what} for each power").items():
        power = _power(board, name, field)
        for at, item in as_list(items, f"{field}.{name}"):
            yield power, f"{field}.{name}[{at}]", as_text(item, f"{field}.{name}[{at}]")


def _province(board: Map, text: str, field: str) -> int:
    province = board.find(text[:40])
    if province is None:
        raise NotationError(f"{field}: unknown province {text!r:.40}, expected one such as {board.provinces[-1].tag}")
    return province.id


def _unit(board: Map, power: int, text: str, field: str) -> s.BoardUnit:
    piece = read_unit(text, board)
    if isinstance(piece, Flaw):
        raise NotationError(f"{field}: {piece.message}", text=text)
    if piece.power not in (None, power):
        names = board.powers[piece.power].name, board.powers[power].name
        raise NotationError(f"{field}: a unit of {names[0]} under {names[1]}, expected one of its own", text=text)
    province = board.provinces[piece.place.province]
    coast = piece.place.coast
    if coast and coast not in province.coasts:
        shores = " or ".join(f"{province.tag}/{shore}" for shore in province.coasts) or province.tag
        raise NotationError(f"{field}: {province.tag} has no coast {coast}, expected {shores}", text=text)
    return s.BoardUnit(power, bool(piece.fleet), province.id, province.coasts.index(coast) + 1 if coast else 0)


def _place_units(builder: s.StateBuilder, value: Plain) -> list[tuple[str, s.BoardUnit]]:
    """Place the units that stand, and return those with a star, which are dislodged."""
    starred = []
    for count, (power, field, text) in enumerate(_listed(builder.board, value, "units", "units")):
        if count >= MAX_UNITS:
            raise NotationError(f"units: expected at most {MAX_UNITS} in all")
        unit = _unit(builder.board, power, text.lstrip().removeprefix("*"), field)
        if text.lstrip().startswith("*"):
            starred.append((field, unit))
        else:
            builder.put(unit, field)
    return starred


def _flights(builder: s.StateBuilder, retreats: Mapping[str, Plain], lenient: bool) -> Iterator[_Flight]:
    board = builder.board
    for name, units in retreats.items():
        power = _power(board, name, "retreats")
        where = f"retreats.{name}"
        for text, places in as_object(units, where, "a list of places for each dislodged unit").items():
            field = f"{where}.{text:.40}" if text.isprintable() else f"{where}.{text!r:.40}"
            unit = _unit(board, power, text.lstrip().removeprefix("*"), field)
            builder.put(unit, field, k.DISLODGED)
            reach = (board.fleet if unit.fleet else board.army)[unit.area(board)]
            free = {board.areas[a].province for a in reach if not builder.state[k.UNITS + board.areas[a].province]}
            allowed = set()
            for at, place in as_list(places, field):
                area = board.find_area(as_text(place, f"{field}[{at}]")[:40])
                if area is None:
                    raise NotationError(f"{field}[{at}]: unknown province {place!r:.40}, expected one nearby")
                if not any(area.id in (a, board.provinces[board.areas[a].province].area) for a in reach):
                    raise NotationError(f"{field}[{at}]: {area.tag} is out of reach, expected a neighbour")
                if area.province in free:
                    allowed.add(area.province)
                elif not lenient:
                    raise NotationError(f"{field}[{at}]: {area.tag} is occupied, expected a free province")
            yield _Flight(unit, field, frozenset(allowed), frozenset(free - allowed))


def _match_starred(board: Map, starred: list[tuple[str, s.BoardUnit]], flights: list[_Flight]) -> None:
    fled = {flight.unit for flight in flights}
    for field, unit in starred:
        if unit not in fled:
            name = board.powers[unit.power].name
            raise NotationError(f"{field}: dislodged, expected under retreats.{name} with the places where it may go")


def _settle(builder: s.StateBuilder, flights: list[_Flight], lenient: bool) -> None:
    """Find attackers' origins and standoffs that leave each dislodged unit exactly the places listed for it.

    A place that one unit may use is not contested. If another may not use it, its attacker came from there.
    """
    open_to_some = frozenset().union(*(flight.allowed for flight in flights))
    for flight in flights:
        origins = flight.forbidden & open_to_some
        if len(origins) > 1 and not lenient:
            tags = ", ".join(sorted(builder.board.provinces[number].tag for number in origins))
            raise NotationError(f"{flight.field}: expected all but one of {tags}, which are open to others")
        for number in sorted(origins)[:1]:
            builder.state[k.ORIGINS + flight.unit.province] = number + 1
        for number in flight.forbidden - origins:
            builder.state[k.DISLODGED + number] |= k.CONTESTED
