"""The compact text form of a position: one line, as FEN is for chess.

    standard S1901M AUS=AVIE,ABUD,FTRI;ENG=FLON,... AUS=BUD,TRI,VIE;... - - -

The fields are map, phase, units, centres, dislodged units, contested provinces and more. An empty field is `-`, and
empty fields at the end may be missing. A dislodged unit `FRA=ABUR<MUN` was attacked from MUN; without `<`, by convoy.
More is a list of `name:value` joined by `;`: the last year, the end of the match, influence that does not follow from
units and centres, the last build numbers, variations of the rules, scoring, seats out of the match. Powers have their
DAIDE tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Map, Province, named
from parlour.games.diplomacy.variations import read_variations

MAX_LENGTH = 8192
_NUMBER = re.compile(r"-?[0-9]{1,5}")


class Parts(NamedTuple):
    """The contents of a compact text: the board, the kernel's state, and the values that the state does not hold."""

    board: Map
    state: bytes
    more: dict[str, str]


def write(board: Map, state: bytes, more: dict[str, str]) -> str:
    """Return the compact text; more has the values that the state does not hold."""
    season, year = state[k.SEASON], s.word(state, k.YEAR)
    fields = [
        board.name,
        s.PHASES[season].format(year),
        _by_power(board, _standing(board, state)),
        _by_power(board, _owned(board, state, k.OWNERS)),
        *(_dislodged(board, state) if any(state[k.DISLODGED : k.ORIGINS]) else ("-", "-")),
        ";".join(f"{name}:{value}" for name, value in {**_told(board, state), **more}.items()) or "-",
    ]
    while fields[-1] == "-":
        fields.pop()
    return " ".join(fields)


def read(text: str, board: Map | None = None) -> Parts:
    """Return the contents of a text that `write` made; `board` is needed for a map that does not ship.

    Raises:
        NotationError: The text is not a compact position.
        ConfigError: No map has the name in the text.
    """
    if len(text) > MAX_LENGTH:
        raise NotationError(f"position: at most {MAX_LENGTH} characters are read, expected a compact position")
    fields = text.split()
    if not 2 <= len(fields) <= 7:
        raise NotationError(f"position: expected map, phase, units, centres and so on, got {text!r:.60}", text=text)
    fields += ["-"] * (7 - len(fields))
    if board is None or board.name != fields[0]:
        board = named(fields[0])
    builder = s.StateBuilder(board, *s.read_phase(fields[1]))
    for power, item in _each(board, fields[2], "units"):
        builder.put(_read_unit(board, power, item, "units"), "units")
    for power, item in _each(board, fields[3], "centres"):
        builder.own(power, _province(board, item, "centres").id, "centres")
    if fields[4:6] != ["-", "-"] and s.STAGES[builder.state[k.SEASON]] != "retreats":
        raise NotationError(f"dislodged: expected none in phase {fields[1]}, only in one such as S1901R", text=text)
    for power, item in _each(board, fields[4], "dislodged"):
        what, _, origin = item.partition("<")
        unit = _read_unit(board, power, what, "dislodged")
        builder.put(unit, "dislodged", k.DISLODGED)
        if origin:
            builder.state[k.ORIGINS + unit.province] = _province(board, origin, "dislodged").id + 1
    for tag in _items(fields[5], ","):
        builder.state[k.DISLODGED + _province(board, tag, "contested").id] |= k.CONTESTED
    builder.spread_influence()
    state, more = _read_more(builder, fields[6])
    varied = more.pop("rules", "")
    return Parts(board.under(read_variations(varied.split(",") if varied else [])), state, more)


def _by_power(board: Map, items: Iterator[tuple[int, str]]) -> str:
    lists: dict[int, list[str]] = {}
    for power, item in items:
        lists.setdefault(power, []).append(item)
    return ";".join(f"{board.powers[power].tag}={','.join(lists[power])}" for power in sorted(lists)) or "-"


def _standing(board: Map, state: bytes) -> Iterator[tuple[int, str]]:
    known = _units_of(board)
    for province, byte in enumerate(state[k.UNITS : k.UNITS + len(board.provinces)]):
        if power := byte & k.POWER_MASK:
            if (text := known.get((province, byte))) is None:
                unit = s.unit_at(state, k.UNITS, province)
                assert unit is not None
                text = known[province, byte] = _unit(board, unit)
            yield power - 1, text


@cache
def _units_of(board: Map) -> dict[tuple[int, int], str]:
    """Return the cache of unit texts of a map, by province and unit byte."""
    return {}


def _unit(board: Map, unit: s.BoardUnit) -> str:
    return s.write_unit(unit, board).replace(" ", "")


def _owned(board: Map, state: bytes, offset: int) -> Iterator[tuple[int, str]]:
    owners = state[offset : offset + len(board.provinces)]
    return ((owner - 1, province.tag) for owner, province in zip(owners, board.provinces, strict=True) if owner)


def _dislodged(board: Map, state: bytes) -> tuple[str, str]:
    """Return the fields of the dislodged units and the contested provinces."""
    contested = [province.tag for province in board.provinces if state[k.DISLODGED + province.id] & k.CONTESTED]
    units = s.units_in(state, k.DISLODGED, board)
    return _by_power(board, ((unit.power, _fled(board, state, unit)) for unit in units)), ",".join(contested) or "-"


def _fled(board: Map, state: bytes, unit: s.BoardUnit) -> str:
    origin = state[k.ORIGINS + unit.province]
    return _unit(board, unit) + (f"<{board.provinces[origin - 1].tag}" if origin else "")


def _told(board: Map, state: bytes) -> dict[str, str]:
    """Return the values that the last field takes from board and state."""
    more = {}
    if board.variations:
        more["rules"] = ",".join(board.variations)
    if s.word(state, k.LAST_YEAR):
        more["last"] = str(s.word(state, k.LAST_YEAR))
    if state[k.STATUS]:
        more["ended"] = board.powers[state[k.WINNER] - 1].tag if state[k.STATUS] == k.Status.SOLO else "drawn"
    count = len(board.provinces)
    if s.influence_at_first(state, count) != state[k.INFLUENCE : k.INFLUENCE + count]:
        more["influence"] = _by_power(board, _owned(board, state, k.INFLUENCE)).replace(";", "/")
    builds = [(byte ^ 0x80) - 0x80 for byte in state[k.BUILDS : k.BUILDS + len(board.powers)]]
    if any(builds):
        more["built"] = ",".join(map(str, builds))
    return more


def _read_more(builder: s.StateBuilder, field: str) -> tuple[bytes, dict[str, str]]:
    board, more = builder.board, dict[str, str]()
    for item in _items(field, ";"):
        name, _, value = item.partition(":")
        match name:
            case "last":
                builder.number(k.LAST_YEAR, _number(value, 0, s.MAX_YEAR, "last"))
            case "ended":
                builder.state[k.STATUS] = k.Status.STOPPED if value == "drawn" else k.Status.SOLO
                builder.state[k.WINNER] = 0 if value == "drawn" else _power(board, value, "ended") + 1
            case "influence":
                builder.state[k.INFLUENCE :] = bytes(k.STATE - k.INFLUENCE)
                for power, tag in _each(board, value.replace("/", ";"), name):
                    builder.state[k.INFLUENCE + _province(board, tag, name).id] = power + 1
            case "built":
                numbers = value.split(",")
                if len(numbers) != len(board.powers):
                    raise NotationError(f"built: expected {len(board.powers)} numbers, got {value!r:.60}")
                for power, number in enumerate(numbers):
                    builder.state[k.BUILDS + power] = _number(number, -99, 99, name) & 0xFF
            case _:
                more[name] = value
    return builder.done(), more


def _items(field: str, separator: str) -> list[str]:
    return [] if field == "-" else field.split(separator)


def _each(board: Map, field: str, name: str) -> Iterator[tuple[int, str]]:
    for group in _items(field, ";"):
        tag, _, items = group.partition("=")
        power = _power(board, tag, name)
        for item in items.split(","):
            yield power, item


def _power(board: Map, tag: str, field: str) -> int:
    for power in board.powers:
        if power.tag == tag:
            return power.id
    known = ", ".join(power.tag for power in board.powers)
    raise NotationError(f"{field}: expected one of the powers {known}, got {tag!r:.40}", text=tag)


def _province(board: Map, tag: str, field: str) -> Province:
    number = board.spellings.get(tag)
    if number is None or board.provinces[number].tag != tag:
        raise NotationError(f"{field}: expected the tag of a province, got {tag!r:.40}", text=tag)
    return board.provinces[number]


def _read_unit(board: Map, power: int, text: str, field: str) -> s.BoardUnit:
    tag, _, coast = text[1:].partition("/")
    if text[:1] not in ("A", "F"):
        raise NotationError(f"{field}: expected a unit such as APAR or FSTP/SC, got {text!r:.40}", text=text)
    province = _province(board, tag, field)
    if coast and coast not in province.coasts:
        raise NotationError(f"{field}: {tag} has no coast {coast!r:.40}, expected a unit such as FSTP/SC", text=text)
    return s.BoardUnit(power, text[0] == "F", province.id, province.coasts.index(coast) + 1 if coast else 0)


def _number(text: str, low: int, high: int, field: str) -> int:
    if not _NUMBER.fullmatch(text) or not low <= int(text) <= high:
        raise NotationError(f"{field}: expected a number from {low} to {high}, got {text!r:.40}", text=text)
    return int(text)
