"""MILA names of actions: the strings of the `diplomacy` package, and the way back.

An action does not contain the kind of its unit, so it has up to six names; at most one of them is legal in a position.
A name has one action, except `D`: a dislodged unit disbands, at other times a unit is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from parlour.deepmind.actions import TABLE, AnyInt, possible
from parlour.deepmind.season import Season, season_of
from parlour.errors import IllegalAction, NotationError
from parlour.games.diplomacy.engine.codes import DISLODGED, POWER_MASK, SEASON, UNITS
from parlour.games.diplomacy.maps.map import Ground, standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.ordering.texts import texts

_LONGEST = 40
_BOARD = standard()
_AREA = "|".join(re.escape(area.tag) for area in reversed(_BOARD.areas))
_NAME = re.compile(
    rf"(?P<type>[AF]) (?P<unit>{_AREA}) (?:(?P<deed>[HDB])|(?P<move>[-R]) (?P<to>{_AREA})(?P<via> VIA)?"
    rf"|(?P<aid>[SC]) (?P<other_type>[AF]) (?P<other>{_AREA})(?: - (?P<onto>{_AREA}))?)"
)
_RETREATS = (Season.SPRING_RETREATS, Season.AUTUMN_RETREATS)


def action_to_mila_actions(action: AnyInt) -> list[str]:
    """Return all names of an action, with or without its index, sorted; at most one of them is legal in a position."""
    return sorted(_names(possible(action)))


def mila_action_to_action(mila_action: str, season: Season | int) -> int:
    """Return the action of a name; the season separates disbanding after a dislodgement from removal in winter.

    A coast on the destination of a support, which engines write, is ignored. Raise NotationError (a ValueError) for
    any other text.

    Args:
        mila_action: Order as text, for example `A PAR - BUR`.
        season: Season in which the order is given.
    """
    if not isinstance(mila_action, str) or len(mila_action) > _LONGEST:
        raise NotationError(f"MILA action: expected a string such as 'A PAR - BUR', got {mila_action!r:.60}")
    return _read(mila_action, season_of(season).is_retreats())


def mila_action_to_possible_actions(mila_action: str) -> list[int]:
    """Return all actions of a name, ascending: one, or two for `D`, which may be a removal or follow a dislodgement.

    Args:
        mila_action: Order as text, for example `A PAR D`.
    """
    seasons = (Season.SPRING_RETREATS, Season.BUILDS)
    return sorted({mila_action_to_action(mila_action, season) for season in seasons}, key=a.index_of)


def action_to_mila_action(action: AnyInt, state: bytes) -> str:
    """Return the one name of an action in a flat state; raise IllegalAction if the units are not there."""
    number = possible(action)
    name = str(texts(_BOARD).order(number, state))
    missing = [p for p, offset in _involved(number, state) if not state[offset + p] & POWER_MASK]
    if missing or name not in _names(number):
        where = _BOARD.provinces[missing[0] if missing else a.ordered(number)].tag
        raise IllegalAction(f"{where}: no unit that could be ordered {name!r} stands there", part=name)
    return name


def _involved(action: int, state: bytes) -> Iterator[tuple[int, int]]:
    """Yield the provinces of the units that an action names, each with the offset of these units in the state."""
    kind = a.kind_of(action)
    if kind not in (OrderKind.BUILD_ARMY, OrderKind.BUILD_FLEET, OrderKind.WAIVE):
        yield a.ordered(action), DISLODGED if state[SEASON] in _RETREATS else UNITS
    if kind == OrderKind.SUPPORT_HOLD:
        yield a.target(action), UNITS
    if kind in (OrderKind.SUPPORT_MOVE_TO, OrderKind.CONVOY):
        yield a.third(action), UNITS


# Names of an action


def _names(action: int) -> set[str]:
    unit, target, third = a.ordered(action), a.target(action), a.third(action)
    goal = _BOARD.provinces[target].tag
    match OrderKind(a.kind_of(action)):
        case OrderKind.WAIVE:
            return {"WAIVE"}
        case OrderKind.HOLD:
            return {f"{piece} H" for piece in _pieces(unit)}
        case OrderKind.DISBAND | OrderKind.REMOVE:
            return {f"{piece} D" for piece in _pieces(unit)}
        case OrderKind.BUILD_ARMY:
            return {f"A {_BOARD.provinces[unit].tag} B"}
        case OrderKind.BUILD_FLEET:
            return {f"F {_BOARD.areas[_landing(unit, a.ordered_flag(action))].tag} B"}
        case OrderKind.MOVE_TO:
            return set(_moves(unit, target, a.target_flag(action), "-"))
        case OrderKind.RETREAT_TO:
            return set(_moves(unit, target, a.target_flag(action), "R"))
        case OrderKind.CONVOY_TO:
            return {f"A {_BOARD.provinces[unit].tag} - {goal} VIA"}
        case OrderKind.CONVOY:
            return {f"F {_BOARD.provinces[unit].tag} C A {_BOARD.provinces[third].tag} - {goal}"}
        case OrderKind.SUPPORT_HOLD:
            return {f"{x} S {y}" for x, y in product(_reaching(unit, target), _pieces(target))}
        case OrderKind.SUPPORT_MOVE_TO:
            return {f"{x} S {y} - {goal}" for x, y in product(_reaching(unit, target), _reaching(third, target))}


def _landing(province: int, flag: int) -> int:
    """Return the area where a fleet arrives: in a split province the first or, with the flag, the second coast."""
    where = _BOARD.provinces[province]
    return where.area + (flag + 1 if where.coasts else 0)


def _has_land(province: int) -> bool:
    return _BOARD.provinces[province].kind is not Ground.SEA


def _fleet_areas(province: int) -> tuple[int, ...]:
    where = _BOARD.provinces[province]
    if where.kind is Ground.LAND:
        return ()
    return where.areas[1:] or where.areas


def _pieces(province: int) -> list[str]:
    """Return every unit that can stand in a province."""
    army = [f"A {_BOARD.provinces[province].tag}"] if _has_land(province) else []
    return army + [f"F {_BOARD.areas[area].tag}" for area in _fleet_areas(province)]


def _reaching(start: int, end: int) -> list[str]:
    """Return the units in a province that may act on another: armies wherever both are land, since convoys exist."""
    army = [f"A {_BOARD.provinces[start].tag}"] if _has_land(start) and _has_land(end) else []
    ends = set(_BOARD.provinces[end].areas)
    return army + [f"F {_BOARD.areas[area].tag}" for area in _fleet_areas(start) if ends & set(_BOARD.fleet[area])]


def _moves(start: int, end: int, flag: int, sign: str) -> Iterator[str]:
    if _has_land(start) and _has_land(end) and not flag:
        yield f"A {_BOARD.provinces[start].tag} {sign} {_BOARD.provinces[end].tag}"
    landing = _landing(end, flag)
    for area in _fleet_areas(start):
        if landing in _BOARD.fleet[area]:
            yield f"F {_BOARD.areas[area].tag} {sign} {_BOARD.areas[landing].tag}"


# The action of a name


@lru_cache(maxsize=32768)
def _read(name: str, retreats: bool) -> int:
    found = _NAME.fullmatch(name)
    action = TABLE.find(OrderKind.WAIVE) if name == "WAIVE" else _parsed(found, retreats) if found else None
    if found and found["onto"] and found["aid"] == "S" and "/" in found["onto"]:
        name = name[: -len("/SC")]
    if action is None or name not in _names(action):
        raise NotationError(f"MILA action: no possible action is called {name!r}", text=name)
    return action


def _parsed(found: re.Match[str], retreats: bool) -> int | None:
    unit, coast = _place(found["unit"])
    if found["aid"]:
        other, _ = _place(found["other"])
        if found["aid"] == "C":
            return TABLE.find(OrderKind.CONVOY, unit, _place(found["onto"])[0], other) if found["onto"] else None
        if found["onto"]:
            return TABLE.find(OrderKind.SUPPORT_MOVE_TO, unit, _place(found["onto"])[0], other)
        return TABLE.find(OrderKind.SUPPORT_HOLD, unit, other)
    if found["move"]:
        target, landing = _place(found["to"])
        if found["via"]:
            return TABLE.find(OrderKind.CONVOY_TO, unit, target) if found["move"] == "-" else None
        kind = OrderKind.MOVE_TO if found["move"] == "-" else OrderKind.RETREAT_TO
        return TABLE.find(kind, unit, target, flag=int(landing == 2))
    match found["deed"], found["type"]:
        case "H", _:
            return TABLE.find(OrderKind.HOLD, unit)
        case "D", _:
            return TABLE.find(OrderKind.DISBAND if retreats else OrderKind.REMOVE, unit)
        case "B", "A":
            return TABLE.find(OrderKind.BUILD_ARMY, unit)
        case _:
            return TABLE.find(OrderKind.BUILD_FLEET, unit, flag=int(coast == 2))


def _place(tag: str) -> tuple[int, int]:
    area = _BOARD.areas[_BOARD.area_spellings[tag]]
    return area.province, area.coast
