"""Stabs: a broken peace by which the breaker takes a centre of its partner or dislodges one of its units.

A power that breaks several pacts with one partner in a turn stabs once. A power that breaks a peace of several powers
may stab each of them. Harm counts once, for the first breach whose window includes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.judging.executed_orders import ExecutedOrders
from parlour.press.language import message_types as v

WINDOW = 2
"""Number of movement phases, including that of the breach, within which the harm must be done."""


@dataclass(slots=True)
class Stab:
    """A breach of peace that did harm."""

    by: str
    victim: str
    turn: int
    pact: Pact
    centres: frozenset[str] = frozenset()
    """The victim's centres that the breaker took."""
    dislodged: frozenset[str] = frozenset()
    """The provinces where the breaker dislodged or destroyed the victim's units."""


@dataclass(slots=True, eq=False)
class _Watch:
    stab: Stab
    owners: Mapping[str, str]
    """Owner of each centre before the breach."""
    movements: int = 0
    noted: bool = False


@dataclass(eq=False)
class Stabs:
    """Breaches of peace, each watched for harm until its window is over."""

    all: list[Stab] = field(default_factory=list)
    _watches: list[_Watch] = field(default_factory=list)

    def watch(self, executed: ExecutedOrders, broken: Iterable[PactVerdict], turn: int) -> None:
        """Process one more phase and the promises broken in it."""
        breaches: dict[tuple[str, str], Pact] = {}
        for verdict in broken:
            for victim in verdict.finding.victims:  # only a broken peace has any
                breaches.setdefault((verdict.performer, victim), verdict.pact)
        for (power, victim), pact in breaches.items():
            self._watches.append(_Watch(Stab(power, victim, turn, pact), executed.before.owners))
        if not self._watches:
            return
        before, after = executed.before.owners, executed.after.owners
        taken = {c: owner for c, owner in after.items() if before.get(c) != owner} if after is not before else {}
        driven = _driven_out(executed) if executed.stage == "orders" else {}
        if taken or driven:
            for watch in self._watches:
                self._look(watch, taken, driven)
        if executed.stage == "orders":
            for watch in self._watches:
                watch.movements += 1
        # Centres change owners after the retreats that follow a movement, so a watch lasts until the next movement.
        self._watches = [w for w in self._watches if w.movements < WINDOW or executed.after.stage != "orders"]

    def _look(self, watch: _Watch, taken: dict[str, str], driven: dict[tuple[str, str], frozenset[str]]) -> None:
        """Credit a breach with the harm that it did, and remove that harm from the harm left to credit."""
        stab = watch.stab
        for centre in [c for c, by in taken.items() if by == stab.by and watch.owners.get(c) == stab.victim]:
            del taken[centre]
            stab.centres |= {centre}
        stab.dislodged |= driven.pop((stab.by, stab.victim), frozenset())
        if not watch.noted and (stab.centres or stab.dislodged):
            watch.noted = True
            self.all.append(stab)


def _driven_out(executed: ExecutedOrders) -> dict[tuple[str, str], frozenset[str]]:
    """Return the provinces that a power entered and a victim lost after a movement, by power and victim."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    after, out = executed.after.units, executed.after.dislodged
    if not out and len(after) == len(executed.before.units):
        return found  # no unit was dislodged or destroyed
    for province, unit in executed.before.units.items():
        there = after.get(province)
        if there is None or there is unit or there.power == unit.power:
            continue
        if province not in out and _got_away(unit, executed):
            continue
        pair = there.power, unit.power
        found[pair] = found.get(pair, frozenset()) | {province}
    return found


def _got_away(unit: v.Unit, executed: ExecutedOrders) -> bool:
    """Return True if a unit that left its province without being dislodged has moved; False if it was destroyed."""
    to = _leads_to(unit, executed)
    there = executed.after.units.get(to)
    if there is None or there.power != unit.power:
        return False
    before = executed.before.units.get(to)
    return before is not there or bool(_leads_to(before, executed))


def _leads_to(unit: v.Unit, executed: ExecutedOrders) -> str:
    """Return the province to which a unit was ordered; empty if the order was not a move."""
    order = executed.of_unit(unit).order()
    return order.to[:3] if isinstance(order, (v.Move, v.ConvoyedMove)) else ""
