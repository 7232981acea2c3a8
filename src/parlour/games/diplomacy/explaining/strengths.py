"""The forces in a movement phase as they turned out, measured afterwards from the kernel's verdicts.

The four strengths are those of the DATC, section 5.B. An attack must exceed the hold strength of the province or, head
to head, the defend strength of the opposing move. It must also exceed the prevent strength of every rival move.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind, compose

MOVES = (OrderKind.MOVE_TO, OrderKind.CONVOY_TO)


class Forces:
    """The units of a movement phase, their orders and their strengths; units are named by their province."""

    def __init__(self, board: Map, state: bytes, actions: Iterable[int], verdicts: bytes) -> None:
        self.board, self.verdicts = board, verdicts
        self.units = {unit.province: unit for unit in s.units_in(state, k.UNITS, board)}
        self.actions = {province: compose(OrderKind.HOLD, province) for province in self.units}
        self.actions.update((a.ordered(action), action) for action in actions)
        self._comers: dict[int, list[int]] = {}
        for province in self.units:
            if self.travels(province):
                self._comers.setdefault(self.target(province), []).append(province)

    def name(self, province: int) -> str:
        """Return the unit there: `A PAR`."""
        return s.write_unit(self.units[province], self.board)

    def kind(self, province: int) -> int:
        """Return the kind of order that the unit there was given."""
        return a.kind_of(self.actions[province])

    def target(self, province: int) -> int:
        """Return the target province of the order of the unit there."""
        return a.target(self.actions[province])

    def moves(self, province: int) -> bool:
        """Return True if the unit there was ordered to move."""
        return province in self.units and self.kind(province) in MOVES

    def verdict(self, province: int) -> k.VerdictCode:
        """Return the result of the order of the unit there, even if the unit was dislodged."""
        return k.VerdictCode(self.verdicts[province] & 15)

    def succeeded(self, province: int) -> bool:
        """Return True if the order of the unit there succeeded and the unit was not dislodged."""
        return self.verdict(province) is k.VerdictCode.SUCCEEDED and not self.dislodged(province)

    def left(self, province: int) -> bool:
        """Return True if the unit there moved away."""
        return self.moves(province) and self.succeeded(province)

    def dislodged(self, province: int) -> bool:
        """Return True if the unit there was dislodged."""
        return bool(self.verdicts[province] & k.UnitMark.DISLODGED)

    def destroyed(self, province: int) -> bool:
        """Return True if the unit there was dislodged and has nowhere to go."""
        return bool(self.verdicts[province] & k.UnitMark.DESTROYED)

    def paradox(self, province: int) -> bool:
        """Return True if the convoy that an army was to take, or a fleet to give, failed by the Szykman rule."""
        fleets = self.carriers(province) if self.moves(province) else [province]
        return any(self.verdicts[fleet] & k.UnitMark.PARADOX for fleet in fleets)

    def travels(self, province: int) -> bool:
        """Return True if the unit there set out: by land, or by a convoy that was not broken."""
        broken = (k.VerdictCode.NO_CONVOY, k.VerdictCode.DISRUPTED)
        return self.moves(province) and self.verdict(province) not in broken

    def comers(self, province: int) -> list[int]:
        """Return the units that were ordered there and set out."""
        return self._comers.get(province, [])

    def conqueror(self, province: int) -> int | None:
        """Return the unit that moved in, or None."""
        return next((p for p in self.comers(province) if self.left(p)), None)

    def carriers(self, province: int) -> list[int]:
        """Return the fleets that were ordered to convoy the army's move."""
        wanted = (OrderKind.CONVOY, province, self.target(province))
        return [p for p, x in self.actions.items() if (a.kind_of(x), a.third(x), a.target(x)) == wanted]

    def by_sea(self, province: int) -> bool:
        """Return True if a move goes by convoy: a whole chain of fleets was ordered to carry it."""
        return bool(self.route(province))

    def route(self, province: int) -> list[int]:
        """Return the shortest chain of fleets ordered to carry the army, from its shore; empty if there is none."""
        if self.kind(province) != OrderKind.CONVOY_TO:
            return []
        fleets, goal = set(self.carriers(province)), set(self._waters(self.target(province)))
        chains = [[sea] for sea in self._waters(province) if sea in fleets]
        for chain in chains:
            if chain[-1] in goal:
                return chain
            fleets.discard(chain[-1])
            chains.extend([*chain, sea] for sea in self._waters(chain[-1]) if sea in fleets)
        return []

    def supports(self, province: int) -> list[int]:
        """Return the units whose support of the move from there counted."""
        wanted = (OrderKind.SUPPORT_MOVE_TO, province, self.target(province))
        return [
            p for p, x in self.actions.items()
            if (a.kind_of(x), a.third(x), a.target(x)) == wanted and self.succeeded(p)
        ]  # fmt: skip

    def guards(self, province: int) -> list[int]:
        """Return the units whose support of the unit there counted."""
        wanted = (OrderKind.SUPPORT_HOLD, province)
        return [p for p, x in self.actions.items() if (a.kind_of(x), a.target(x)) == wanted and self.succeeded(p)]

    def head_to_head(self, province: int) -> bool:
        """Return True if a move by land meets a unit that moves by land the other way."""
        target = self.target(province)
        return (
            self.moves(target)
            and self.target(target) == province
            and not self.by_sea(target)
            and not self.by_sea(province)
        )

    def attack(self, province: int) -> int:
        """Return the strength of a move against the province: no power dislodges its own unit, nor helps to."""
        target = self.target(province)
        defender = self.units.get(target)
        if defender is None or (self.left(target) and not self.head_to_head(province)):
            return 1 + len(self.supports(province))
        if defender.power == self.units[province].power:
            return 0
        return 1 + len(self.unwilling(province))

    def unwilling(self, province: int) -> list[int]:
        """Return the supports of a move that count against the unit in its way: those not of that unit's own power."""
        defender = self.units[self.target(province)]
        return [p for p in self.supports(province) if self.units[p].power != defender.power]

    def defence(self, province: int) -> int:
        """Return the strength of a move against a move that comes the other way."""
        return 1 + len(self.supports(province))

    def prevention(self, province: int) -> int:
        """Return the strength with which a move keeps others out; 0 if it lost head to head."""
        target = self.target(province)
        if self.head_to_head(province) and self.left(target):
            return 0
        return 1 + len(self.supports(province))

    def hold(self, province: int) -> int:
        """Return the strength of the unit that stays in a province; 0 if no unit stays."""
        if province not in self.units or self.left(province):
            return 0
        return 1 if self.moves(province) else 1 + len(self.guards(province))

    def resistance(self, province: int) -> dict[str, int]:
        """Return the strength of each unit that stood against a move."""
        target = self.target(province)
        found = {}
        if self.head_to_head(province):
            found[self.name(target)] = self.defence(target)
        elif target in self.units and not self.left(target):
            found[self.name(target)] = self.hold(target)
        for rival in self.comers(target):
            if rival != province:
                found[self.name(rival)] = self.prevention(rival)
        return found

    def _waters(self, province: int) -> list[int]:
        """Return the seas and ports beside a province."""
        board = self.board
        near = {board.areas[there].province for area in board.provinces[province].areas for there in board.fleet[area]}
        return [number for number in near if board.provinces[number].convoys]
