"""Positions as states of the `diplomacy` package, with its hash. Either program can continue the other's."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import xor
from typing import Any, NamedTuple, TypeAlias

import msgspec

from parlour.core.game import Plain
from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.engine.units import Footing
from parlour.games.diplomacy.formats.forms import as_object, as_text, read_state
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation

_encode = msgspec.json.encode
_Lists: TypeAlias = Mapping[str, Sequence[str]]
"""Units or tags, by power."""


def write_state(position: Position, *, timestamp: int = 0, note: str = "") -> dict[str, Plain]:
    """Return the state dictionary of a position; timestamp is in microseconds.

    Args:
        position: Position to write.
        timestamp: Time in microseconds.
        note: Result of a finished match, in words.
    """
    units, loose, centers = position.units, position.dislodged, position.centers
    code, units = _hash_of(position.board, units, loose, centers), _all_units(units, loose)
    rest = _unrest(position)
    return {"timestamp": timestamp} | _state(position, code, note, units, centers, position.influence, rest)


def _all_units(units: _Lists, loose: _Lists) -> dict[str, list[str]]:
    return {name: [*own, *[f"*{unit}" for unit in loose[name]]] for name, own in units.items()}


def _state(
    position: Position, code: int, note: str, units: Any, centers: Any, influence: Any, rest: Mapping[str, Any]
) -> dict[str, Plain]:
    """Return a state without its time; parts that are JSON already are inserted unchanged."""
    return {
        "zobrist_hash": str(code),
        "note": note,
        "name": position.phase,
        "units": units,
        "retreats": rest["retreats"],
        "centers": centers,
        "homes": rest["homes"],
        "influence": influence,
        "civil_disorder": rest["civil_disorder"],
        "builds": rest["builds"],
    }


def _unrest(position: Position) -> dict[str, Any]:
    """Return the fields on retreats and builds, which are the same in all movement phases."""
    builds = position.builds
    sites = position.build_sites if any(builds.values()) else {}
    return {
        "retreats": position.retreats,
        "homes": position.homes,
        "civil_disorder": dict.fromkeys(builds, 0),
        "builds": {name: {"count": count, "homes": sites[name] if count > 0 else []} for name, count in builds.items()},
    }


@cache
def _calm(board: Map) -> dict[str, msgspec.Raw]:
    """Return the fields on retreats and builds in a movement phase, as JSON."""
    return {name: _raw(value) for name, value in _unrest(Position.start(board)).items()}


class _Part(NamedTuple):
    """A written part of a state: the bytes it comes from, its JSON, and its part of the hash."""

    source: bytes = b""
    text: msgspec.Raw = msgspec.Raw(b"")
    code: int = 0


class StateWriter:
    """A writer of the states of one match as JSON, one after the other, without their times.

    A part that is equal in the state before is not written again: centres change hands once a year, and influence only
    where a unit moves.
    """

    def __init__(self, board: Map) -> None:
        self._board = board
        self._units = self._centers = self._influence = _Part()

    def write(self, position: Position) -> bytes:
        """Return the fields of a state as JSON, without the opening brace: the caller writes it with the time."""
        board, state = self._board, position.state
        if (source := state[k.UNITS : k.OWNERS] + state[k.DISLODGED : k.ORIGINS]) != self._units.source:
            units, loose = position.units, position.dislodged
            code = _hash_of_lists(board, "", units) ^ _hash_of_lists(board, "*", loose)
            self._units = _Part(source, _raw(_all_units(units, loose)), code)
        if (source := state[k.OWNERS : k.DISLODGED]) != self._centers.source:
            centers = position.centers
            self._centers = _Part(source, _raw(centers), _hash_of_lists(board, "centre ", centers))
        if (source := state[k.INFLUENCE :]) != self._influence.source:
            self._influence = _Part(source, _raw(position.influence))
        units_part, centers_part = self._units, self._centers
        code = _homes_hash(board) ^ units_part.code ^ centers_part.code
        rest = _calm(board) if position.stage == "orders" else _unrest(position)
        return _encode(_state(position, code, "", units_part.text, centers_part.text, self._influence.text, rest))[1:]


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(_encode(value))


def position_of_state(value: Plain, *, board: Map | None = None, after: str = "") -> Position:
    """Return the position of a state dictionary; a finished match also needs the phase before its end (after).

    Args:
        value: State dictionary of the `diplomacy` package.
        board: Map of the position; by the state's own name if None.
        after: Phase before the end of a finished match.

    Raises:
        NotationError: The dictionary is not a state, or `after` is missing for a finished match.
    """
    fields = as_object(value, "state", "name, units and so on")
    name = as_text(fields.get("name"), "name")
    if name != s.COMPLETED:
        return Position(*read_state({**fields, "phase": name}, board, lenient=True))
    if not after:
        raise NotationError("name: COMPLETED does not tell the year, expected the phase before as well")
    season, year = s.read_phase(after)
    # A finished match has no retreats, even if it ended in the middle of retreats.
    quiet = {**fields, "phase": s.PHASES[4 if season > 1 else 2].format(year), "retreats": {}}
    if isinstance(units := fields.get("units"), dict):
        quiet["units"] = {name: _standing(own) for name, own in units.items()}
    board, state = read_state(quiet, board, lenient=True)
    return _finished(Position(board, state), fields.get("note"))


def _standing(units: Plain) -> Plain:
    """Return the units without the dislodged ones; a value that is not a list is returned unchanged."""
    listed = isinstance(units, list)
    return [unit for unit in units if not str(unit).lstrip().startswith("*")] if listed else units


def _finished(position: Position, note: Plain) -> Position:
    """Return the end of a match: a solo, or else a draw.

    Under HELD_WIN the centres do not decide which of the two it is; the note does.
    """
    counts = {power: len(own) for power, own in enumerate(position.centers.values())}
    leader = max(counts, key=lambda power: counts[power])
    alone = list(counts.values()).count(counts[leader]) == 1
    tag = position.board.powers[leader].name[:3]
    held = Variation.HELD_WIN not in position.board.variations or note == f"Victory by: {tag}"
    if counts[leader] < position.board.victory or not alone or not held:
        return position.stopped()
    state = bytearray(position.state)
    state[k.STATUS], state[k.WINNER] = k.Status.SOLO, leader + 1
    return Position(position.board, bytes(state))


def zobrist_hash(position: Footing) -> int:
    """Return the package's 64-bit hash of a position."""
    return _hash_of(position.board, position.units, position.dislodged, position.centers)


def _hash_of(board: Map, standing: _Lists, loose: _Lists, centers: _Lists) -> int:
    found = _homes_hash(board) ^ _hash_of_lists(board, "", standing)
    return found ^ _hash_of_lists(board, "*", loose) ^ _hash_of_lists(board, "centre ", centers)


def _hash_of_lists(board: Map, mark: str, lists: _Lists) -> int:
    """Return the hash of units in place, of dislodged units (mark `*`), or of centres."""
    keys, found = _keys_of_powers(board), 0
    for name, ones in lists.items():
        if ones:
            own = keys[f"{mark}{name}"]
            for one in ones:
                found ^= own[one]
    return found


@cache
def _keys_of_powers(board: Map) -> dict[str, dict[str, int]]:
    """Return the hash of each unit and centre by power; that of a unit depends on its type and its power."""
    keys, places = _keys(board), [area.tag for area in board.areas]
    found: dict[str, dict[str, int]] = {}
    for power in board.powers:
        for mark in ("", "*"):
            own = f"{mark}{power.name}"
            found[own] = {f"{kind} {at}": keys[f"{mark}{kind}", at] ^ keys[own, at] for kind in "AF" for at in places}
        found[f"centre {power.name}"] = {at: keys[f"centre {power.name}", at] for at in places}
    return found


@cache
def _homes_hash(board: Map) -> int:
    """Return the hash of the powers' homes, which is part of every position's hash."""
    keys, provinces = _keys(board), board.provinces
    tags = [(power.name, provinces[home].tag) for power in board.powers for home in power.homes]
    return reduce(xor, (keys[f"home {name}", tag] for name, tag in tags), 0)


@cache
def _keys(board: Map) -> dict[tuple[str, str], int]:
    """Return the package's hash tables, drawn from a generator seeded with the places and centres of the map."""
    places = sorted(area.tag for area in board.areas)
    powers = sorted(power.name for power in board.powers)
    centres = "-".join(sorted(province.tag for province in board.provinces if province.centre))
    rng = random.Random((12345 + len(places) + sum(ord(ch) * 7**i for i, ch in enumerate(centres))) % 2**32)
    rows = ["A", "F", *powers, "*A", "*F", *(f"*{name}" for name in powers)]
    rows += [f"{mark} {name}" for mark in ("centre", "home") for name in powers]
    return {(row, place): rng.randint(1, sys.maxsize) for row in rows for place in places}
