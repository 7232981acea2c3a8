"""A quick plan for one power: where centres can be won it goes, in numbers; what stands idle supports.

Every province has a pull: its own worth as a centre, and half the pull of its best neighbour. Units take the best
destinations in turn. An attack on a held province needs more units than are there, so the others give up lesser
moves to support it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache

from parlour.core.game import Seat
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.position import Position

Allowed = Callable[[str], bool]
"""Whether an order may be given at all."""

_ROUNDS = 4
_FOREIGN, _NEUTRAL, _OWN_IN_DANGER, _OWN = 9.0, 10.0, 6.0, 0.5
_NOISE = 0.6


def plan(
    position: Position,
    seat: Seat,
    rng: random.Random,
    *,
    fixed: Mapping[str, str] | None = None,
    allowed: Allowed | None = None,
    dislike: Mapping[Seat, float] | None = None,
) -> list[str]:
    """Orders for a seat.

    Fixed orders (by the province of their unit) are given as they are. Dislike of a seat makes its centres more
    attractive (above 1) or less (below 1).
    """
    planner = _Planner(position, seat, rng, dict(fixed or {}), allowed or (lambda order: True), dislike or {})
    match position.stage:
        case "orders":
            return planner.movement()
        case "retreats":
            return planner.retreats()
        case _:
            return planner.adjustments()


@cache
def _neighbours(board: Map) -> dict[str, tuple[str, ...]]:
    """The provinces next to each, whoever can go there."""
    found: dict[str, set[str]] = {province.tag: set() for province in board.provinces}
    for edges in (board.army, board.fleet):
        for here, ends in enumerate(edges):
            tag = board.provinces[board.areas[here].province].tag
            found[tag].update(board.provinces[board.areas[there].province].tag for there in ends)
    return {tag: tuple(sorted(beside)) for tag, beside in found.items()}


def province_of(order: str) -> str:
    """The province of the unit that an order is for."""
    return order.split()[1][:3]


class _Planner:
    def __init__(
        self,
        position: Position,
        seat: Seat,
        rng: random.Random,
        fixed: dict[str, str],
        allowed: Allowed,
        dislike: Mapping[Seat, float],
    ) -> None:
        self._position, self._seat, self._rng, self._dislike = position, seat, rng, dislike
        self._legal = set(position.legal(seat))
        self._options = [order for order in position.legal(seat) if allowed(order)]
        self._fixed = {province: order for province, order in fixed.items() if order in self._legal}
        self._standing = {unit[2:5]: Seat(name) for name, units in position.units.items() for unit in units}
        self._neighbours = _neighbours(position.board)
        self._pull = self._pulls()

    def movement(self) -> list[str]:
        """One order for each unit."""
        units = {unit[2:5]: unit for unit in self._position.units[self._seat]}
        chosen = {province: order for province, order in self._fixed.items() if province in units}
        taken = {_target(order) for order in chosen.values()} | {
            province for province, order in chosen.items() if not _target(order)
        }
        for _, order in sorted(self._moves(), reverse=True):
            here, to = province_of(order), _target(order)
            if here in chosen or to in taken or (to in units and not _leaves(chosen.get(to, ""))):
                continue
            chosen[here] = order if to else f"{units[here]} H"
            taken.add(to or here)
        for province, unit in units.items():
            chosen.setdefault(province, f"{unit} H")
        self._support(chosen, units)
        return list(chosen.values())

    def retreats(self) -> list[str]:
        """The best way out for each dislodged unit, no two to the same place."""
        chosen, taken = dict(self._fixed), {_target(order) for order in self._fixed.values()}
        ways = [order for order in self._options if " R " in order]
        for order in sorted(ways, key=lambda order: -self._pull[_target(order)]):
            if province_of(order) not in chosen and _target(order) not in taken:
                chosen[province_of(order)] = order
                taken.add(_target(order))
        for order in self._position.legal(self._seat):
            if order.endswith(" D"):
                chosen.setdefault(province_of(order), order)
        return list(chosen.values())

    def adjustments(self) -> list[str]:
        """Builds near the front, or removals far from it."""
        count = self._position.builds[self._seat]
        wish = ("B",) if count > 0 else ("D",)
        sign = 1.0 if count > 0 else -1.0
        options = [order for order in self._options if order.endswith(wish)]
        options.sort(key=lambda order: sign * self._worth(order), reverse=True)
        chosen = dict(list(self._fixed.items())[: abs(count)])
        for order in options:
            if len(chosen) < abs(count):
                chosen.setdefault(province_of(order), order)
        waived = ["WAIVE"] * (count - len(chosen)) if count > 0 else []
        return [*chosen.values(), *waived]

    def _moves(self) -> list[tuple[float, str]]:
        """Every move and stay with its worth; a move by sea is left to those who agree on it."""
        found = []
        for order in self._options:
            words = order.split()
            if words[2] == "-" and len(words) == 4:
                found.append((self._worth_of_move(words[1][:3], words[3][:3]), order))
            elif words[2] == "H":
                found.append((self._pull[words[1][:3]] + self._rng.random() * _NOISE, order))
        return found

    def _worth_of_move(self, here: str, to: str) -> float:
        worth = self._pull[to] + self._rng.random() * _NOISE
        holder = self._standing.get(to)
        if holder is not None and holder != self._seat:
            # Alone against a unit that holds, an attack only cuts support.
            helpers = sum(self._standing.get(beside) == self._seat for beside in self._neighbours[to]) - 1
            worth -= 4.0 if helpers < 1 else 1.0
        return worth

    def _support(self, chosen: dict[str, str], units: Mapping[str, str]) -> None:
        """Let units that stay support the moves that need it most, else one another."""
        idle = [here for here in units if chosen[here].endswith(" H") and here not in self._fixed]
        moves = sorted(
            (order for order in chosen.values() if _target(order)), key=lambda order: -self._danger(_target(order))
        )
        may = set(self._options)
        for order in moves:
            unit, to = order.split(" - ")
            for here in idle:
                support = f"{units[here]} S {unit} - {to[:3]}"
                if support in may and self._danger(to[:3]):
                    chosen[here] = support
                    idle.remove(here)
                    break
        for here in idle:
            for other, unit in units.items():
                support = f"{units[here]} S {unit}"
                if other != here and not _target(chosen[other]) and self._danger(other) and support in may:
                    chosen[here] = support
                    break

    def _danger(self, province: str) -> int:
        """How many units of others stand in a province or beside it."""
        around = (province, *self._neighbours[province])
        return sum(self._standing.get(place, self._seat) != self._seat for place in around)

    def _worth(self, order: str) -> float:
        """What a unit built or kept there is worth; fleets where the sea is nearer than the front."""
        province = province_of(order)
        beside = self._neighbours[province]
        noise = self._rng.random() * _NOISE
        if not order.endswith(" B"):
            return self._pull[province] + noise
        fleets = sum(unit.startswith("F") for unit in self._position.units[self._seat])
        balance = 0.5 if (order[0] == "F") == (2 * fleets < len(self._position.units[self._seat])) else 0.0
        return max(self._pull[place] for place in beside) + balance + noise

    def _pulls(self) -> dict[str, float]:
        owner = {tag: Seat(name) for name, tags in self._position.centers.items() for tag in tags}
        worth = {}
        for province in self._position.board.provinces:
            tag = province.tag
            if not province.centre:
                worth[tag] = 0.0
            elif tag not in owner:
                worth[tag] = _NEUTRAL
            elif owner[tag] != self._seat:
                worth[tag] = _FOREIGN * self._dislike.get(owner[tag], 1.0)
            else:
                worth[tag] = _OWN_IN_DANGER if self._danger(tag) else _OWN
        pull = dict(worth)
        for _ in range(_ROUNDS):
            pull = {tag: worth[tag] + 0.5 * max(pull[near] for near in self._neighbours[tag]) for tag in worth}
        return pull


def _target(order: str) -> str:
    """Where a move or retreat leads; empty for any other order."""
    words = order.split()
    return words[3][:3] if len(words) > 3 and words[2] in ("-", "R") else ""


def _leaves(order: str) -> bool:
    return bool(_target(order))
