"""Legal actions in few lines: equal beginnings are written once, to fit on a screen and into a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlour.core.game import Plain

WIDTH = 100
"""Maximum number of characters per line of places."""


def order_lines(orders: Sequence[str]) -> list[str]:
    """Return orders of Diplomacy as one line per unit: `A PAR: H; - BUR GAS; S A MAR: H BUR`."""
    units, alone = orders_by_unit(orders)
    return [unit_line(unit, groups) for unit, groups in units.items()] + alone


def orders_by_unit(orders: Sequence[str]) -> tuple[dict[str, dict[str, list[str]]], list[str]]:
    """Return for each unit its orders by their beginnings, with their endings; and the orders without a unit."""
    units: dict[str, dict[str, list[str]]] = {}
    alone: list[str] = []
    for order in orders:
        words = order.split()
        if len(words) < 3:
            alone.append(order)
            continue
        unit, verb = " ".join(words[:2]), words[2]
        ends = units.setdefault(unit, {})
        if verb in ("S", "C") and len(words) >= 5:
            ends.setdefault(f"{verb} {words[3]} {words[4]}:", []).append(" ".join(words[6:]) or "H")
        elif verb in ("-", "R"):
            ends.setdefault(verb, []).append(" ".join(words[3:]))
        else:
            ends.setdefault(verb, [])
    return units, alone


def unit_line(unit: str, groups: Mapping[str, Sequence[str]]) -> str:
    """Return the line of a unit."""
    return f"{unit}: " + "; ".join(f"{verb} {' '.join(_joined(places))}".strip() for verb, places in groups.items())


def _joined(places: Iterable[str]) -> list[str]:
    return [place.replace(" ", "_") for place in places]


def place_lines(actions: Sequence[Plain]) -> list[str]:
    """Return places and moves on a board as lines: all places, or one line per penguin with its targets."""
    if actions and isinstance(actions[0][0], list):
        ways: dict[str, list[str]] = {}
        for start, end in actions:
            ways.setdefault(_spot(start), []).append(_spot(end))
        return [f"{start} to {', '.join(ends)}" for start, ends in ways.items()]
    lines, line = [], ""
    for spot in map(_spot, actions):
        if len(line) + len(spot) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += f", {spot}" if line else spot
    return [*lines, line] if line else lines


def _spot(spot: Plain) -> str:
    return " ".join(map(str, spot))


def lines_of(actions: Sequence[Plain]) -> list[str]:
    """Return the legal actions of any game as lines."""
    if not actions:
        return []
    if isinstance(actions[0], str):
        return order_lines(actions)
    return place_lines(actions) if isinstance(actions[0], list) and actions[0] else [str(one) for one in actions]
