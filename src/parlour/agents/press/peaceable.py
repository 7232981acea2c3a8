"""The common part of peaceful players: peace with many, never with all, and none that makes a win impossible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parlour.agents.press.base import PressAgent
from parlour.agents.press.counsel import BUDGET
from parlour.games.diplomacy.position import Position

PATIENCE = 3
"""Movement phases without a target, after which the player ends a peace."""
REST = 2
"""Movement phases (one year) without a gain, after which a leading player ends a peace."""
LEAD = 14
"""Least number of centres with which a friend is about to win."""


class Peaceable(PressAgent):
    """A player that plays for a win. It openly ends a peace that prevents its win or lets another power win."""

    def __init__(self, seed: int = 0, budget: int = BUDGET) -> None:
        super().__init__(seed, budget)
        self.rivals: set[str] = set()
        """Powers with which the player ended a peace; it makes no other peace with them."""
        self._idle = 0
        """Movement phases since the player last had a target."""
        self._still, self._most_held = 0, 0
        """Movement phases since the player's number of centres reached a new maximum, and that maximum."""

    def may_befriend(self, powers: Iterable[str]) -> bool:
        """Return True if none of the powers is a rival, and another power is left to fight after peace with them."""
        partners = set(powers) - {self.me}
        return partners.isdisjoint(self.rivals) and len(self.suitors() | partners) < len(self.others())

    def renounces(self, position: Position) -> Iterator[str]:
        """Yield friends that are about to win.

        Yield also the easiest target among friends if the player is idle, or leads and no longer gains.
        """
        friends, reach, owners = self.friends(), self._reach(self.me), self.ledger.board.owners
        counts = {power: len(position.centers[self.lexicon.seat_of[power]]) for power in (self.me, *self.others())}
        mine = counts.pop(self.me)
        near = {power: sum(owners.get(place) == power for place in reach) for power in sorted(friends)}
        prey = [place for place in reach & self.lexicon.centres if owners.get(place) not in (self.me, *friends)]
        self._idle = 0 if prey else self._idle + 1
        self._still = 0 if mine > self._most_held else self._still + 1
        self._most_held = max(mine, self._most_held)
        found = {power for power in friends if counts[power] >= max(LEAD, mine + 1)}
        rests = self._still >= REST and any(near.values()) and mine > max(counts.values())
        if friends and (rests or self._idle >= PATIENCE):
            self._idle = self._still = 0
            found.add(max(near, key=lambda power: (near[power], -counts[power])))
        self.rivals |= found
        yield from sorted(found)

    def _reach(self, power: str) -> set[str]:
        """Return the provinces that a power's units can enter next, without convoys."""
        board = self.ledger.board
        units = [unit for unit in board.units.values() if unit.power == power]
        return {place[:3] for unit in units for place in board.names.reach[unit.kind][unit.place]}
