"""Who owes what under an arrangement, and whether a phase's orders kept it: kept, broken, void or open.

The rules are those of docs/reference/press.md. Persistent duties (peace, alliance, demilitarized zones) are judged
anew in each phase; an order is judged once, in the first phase in which it can be given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from parlour.press import values as v
from parlour.press.deeds import Deeds
from parlour.press.orders import STAGE_OF, performer, same


class Status(StrEnum):
    """What a phase says about a promise."""

    KEPT = "kept"
    BROKEN = "broken"
    VOID = "void"  # could not be performed, or was lifted
    OPEN = "open"  # not yet due


class Finding(NamedTuple):
    """One promise's status in one phase."""

    status: Status
    what: v.Arrangement
    order: v.Order | None = None
    """The order that shows it."""
    why: str = ""
    victim: str = ""
    """Whose peace was broken."""


@dataclass(slots=True, eq=False)
class Clause:
    """One part of a pact with what is already settled of it."""

    what: v.Arrangement
    bound: frozenset[str]
    """The performers who agreed to it."""
    settled: dict[v.Execute, Finding] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    """Those who broke it or are out of the game."""
    moved: bool = False
    """Whether a movement phase has passed since; a power in a new demilitarized zone has that long to leave."""
    ended: str = ""
    """Why it is no longer in force: undone, replaced, renounced."""


def performers(what: v.Arrangement, parties: frozenset[str] = frozenset()) -> frozenset[str]:
    """The powers that have to do or leave something; a draw of all concerns all parties."""
    match what:
        case v.Peace(powers) | v.Alliance(powers) | v.Demilitarized(powers):
            return frozenset(powers)
        case v.Execute(order):
            return frozenset((performer(order),))
        case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
            return frozenset().union(*(performers(part, parties) for part in parts))
        case v.Not(v.Not(inner)):
            return performers(inner, parties)
        case v.Not(inner):
            return frozenset() if lasts(inner) else performers(inner, parties)
        case v.Centres(shares):
            return frozenset(share.power for share in shares)
        case v.Occupied(units):
            return frozenset(unit.power for unit in units)
        case v.Draw(powers):
            return frozenset(powers) or parties
        case _:
            return frozenset()


def lasts(what: v.Arrangement) -> bool:
    """Whether any part of it is persistent."""
    match what:
        case v.Peace() | v.Alliance() | v.Demilitarized() | v.Centres() | v.Occupied() | v.Draw():
            return True
        case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
            return any(lasts(part) for part in parts)
        case v.Not(inner):
            return lasts(inner)
        case _:
            return False


def flat(what: v.Arrangement) -> Iterator[v.Arrangement]:
    """The parts that must all hold."""
    if isinstance(what, v.Every):
        for part in what.parts:
            yield from flat(part)
    else:
        yield what


def is_past(what: v.Arrangement, deeds: Deeds) -> bool:
    """Whether the turn in which an arrangement could be performed is over: it is too late to agree."""
    match what:
        case v.Execute(order):
            match STAGE_OF[type(order)]:
                case "orders":
                    return deeds.stage == "orders"
                case "retreats":
                    return deeds.stage == "retreats" or (deeds.stage == "orders" and deeds.after.stage != "retreats")
                case _:
                    return deeds.stage == "adjustments" or deeds.moved_year
        case v.Every(parts):
            return any(is_past(part, deeds) for part in parts)
        case v.Either(parts) | v.Choice(_, _, parts):
            return all(is_past(part, deeds) for part in parts)
        case v.Not(inner):
            return is_past(inner, deeds)
        case v.Undo():
            return True  # the seed's table: current turn
        case _:
            return False


def combined(findings: Iterable[Finding]) -> Finding | None:
    """All of them together: broken by one, open while one is, kept by at least one; None if there is none."""
    best: Finding | None = None
    for finding in findings:
        if best is None or _WEIGHT[finding.status] > _WEIGHT[best.status]:
            best = finding
    return best


_WEIGHT = {Status.VOID: 0, Status.KEPT: 1, Status.OPEN: 2, Status.BROKEN: 3}

Licence = Callable[[v.Order, str, Iterable[str]], bool]
"""Whether all of the powers agreed that this one gives the order."""


class Judge:
    """Judges the clauses in force by the deeds of one phase."""

    def __init__(self, deeds: Deeds, licence: Licence, votes: frozenset[str] = frozenset()) -> None:
        self._deeds, self._licence, self._votes = deeds, licence, votes

    def finding(self, clause: Clause, power: str) -> Finding | None:
        """How the power stands to the clause; None if it owes nothing under it."""
        return self._judge(clause, clause.what, power)

    def _judge(self, clause: Clause, what: v.Arrangement, power: str) -> Finding | None:
        match what:
            case v.Peace(powers) | v.Alliance(powers):
                return self._peace(clause, what, power) if power in powers else None
            case v.Execute(order):
                return self._execute(clause, what) if performer(order) == power else None
            case v.Demilitarized(powers):
                return self._demilitarized(clause, what, power) if power in powers else None
            case v.Every(parts):
                return combined(self._of_parts(clause, parts, power))
            case v.Either(parts):
                return self._choice(clause, what, 1, len(parts), power)
            case v.Choice(least, most):
                return self._choice(clause, what, least, most, power)
            case v.Not(v.Not(inner)):
                return self._judge(clause, inner, power)
            case v.Not(inner):
                return self._not(clause, what, inner) if power in performers(what) else None
            case v.Centres(shares):
                owned = [
                    self._deeds.after.owners.get(c) == s.power for s in shares for c in s.centres if s.power == power
                ]
                return Finding(_so_far(all(owned)), what) if owned else None
            case v.Occupied(units):
                stand = [self._stands(unit) for unit in units if unit.power == power]
                return Finding(_so_far(all(stand)), what) if stand else None
            case v.Draw():
                return Finding(_so_far(power in self._votes), what)
            case _:
                return None

    def _peace(self, clause: Clause, what: v.Peace | v.Alliance, power: str) -> Finding:
        deeds = self._deeds
        hostile = deeds.hostile(power)
        if hostile:
            for other in what.powers:
                if other != power and other in hostile and other not in clause.left:
                    for order in hostile[other]:
                        if not self._licence(order, power, (other,)):
                            return Finding(Status.BROKEN, what, order, victim=other)
        return Finding(Status.KEPT if deeds.given(power) else Status.OPEN, what)

    def _demilitarized(self, clause: Clause, what: v.Demilitarized, power: str) -> Finding:
        deeds = self._deeds
        entries, others = deeds.entries(power), [other for other in what.powers if other != power]
        leaving: v.Order | None = None
        for place in what.places:
            order = entries.get(place)
            if order is not None and not (others and self._licence(order, power, others)):
                return Finding(Status.BROKEN, what, order)
            unit = deeds.after.units.get(place[:3])
            if deeds.stage != "orders" or unit is None or unit.power != power or (" " in place and unit.place != place):
                continue
            # S14: who stands there when the pact is made has until the end of the next movement phase to leave.
            order = order or deeds.of_unit(unit)
            tried = isinstance(order, (v.Move, v.ConvoyedMove)) and aim_differs(order, place)
            if clause.moved and not tried:
                return Finding(Status.BROKEN, what, order, why="it stayed there")
            leaving = order
        if leaving is not None:
            return Finding(Status.OPEN, what, leaving, why="a unit is still there")
        return Finding(Status.KEPT if deeds.given(power) else Status.OPEN, what)

    def _execute(self, clause: Clause, what: v.Execute) -> Finding:
        settled = clause.settled.get(what)
        if settled is None:
            settled = self._order(what)
            if settled.status is not Status.OPEN:
                clause.settled[what] = settled
        return settled

    def _order(self, what: v.Execute) -> Finding:
        deeds, order = self._deeds, what.order
        stage = STAGE_OF[type(order)]
        if stage != deeds.stage:
            return self._not_yet(what, stage)
        if isinstance(order, (v.Build, v.Remove, v.Waive)):
            return self._adjustment(what, order)
        unit = order.unit
        standing = (deeds.before.dislodged if stage == "retreats" else deeds.before.units).get(unit.province)
        if standing is None or standing.power != unit.power or standing.kind != unit.kind:
            gone = "it was not dislodged" if stage == "retreats" else "the unit is not there"
            return Finding(Status.VOID, what, why=gone)
        given = deeds.of_unit(standing)
        if given is not None and same(order, given):
            return Finding(Status.KEPT, what, given)
        if not deeds.possible(order, unit.power):
            return Finding(Status.VOID, what, given, why="it was not possible")
        return Finding(Status.BROKEN, what, given)

    def _not_yet(self, what: v.Execute, stage: str) -> Finding:
        deeds, order = self._deeds, what.order
        if stage == "retreats" and deeds.stage == "orders" and not isinstance(order, v.Waive):
            unit = deeds.after.dislodged.get(order.unit.province) if deeds.after.stage == "retreats" else None
            if unit is None or unit.power != order.unit.power:
                return Finding(Status.VOID, what, why="it was not dislodged")
        elif stage == "adjustments" and deeds.moved_year:
            return Finding(Status.VOID, what, why="there was nothing to adjust that winter")
        return Finding(Status.OPEN, what)

    def _adjustment(self, what: v.Execute, order: v.Build | v.Remove | v.Waive) -> Finding:
        deeds, power = self._deeds, performer(order)
        given = deeds.given(power)
        for other in given:
            if same(order, other):
                return Finding(Status.KEPT, what, other)
        if not deeds.possible(order, power):
            return Finding(Status.VOID, what, why="it was not possible")
        return Finding(Status.BROKEN, what, given[0] if given else None)

    def _of_parts(self, clause: Clause, parts: Iterable[v.Arrangement], power: str) -> Iterator[Finding]:
        for part in parts:
            finding = self._judge(clause, part, power)
            if finding is not None:
                yield finding

    def _choice(self, clause: Clause, what: v.Either | v.Choice, least: int, most: int, power: str) -> Finding | None:
        """So many of the parts, whoever performs them; if too few hold, those who did not perform are to blame."""
        mine = combined(self._of_parts(clause, what.parts, power))
        if mine is None:
            return None
        parts = [self._by_all(clause, part) for part in what.parts]
        kept = [finding for finding in parts if finding is not None and finding.status is Status.KEPT]
        waiting = sum(finding is not None and finding.status is Status.OPEN for finding in parts)
        if len(kept) > most:
            return Finding(Status.BROKEN, what, kept[-1].order, why="more was done than agreed")
        if len(kept) >= least and (not waiting or most == len(parts)):
            return Finding(Status.KEPT, what, kept[0].order if kept else None)
        if len(kept) + waiting >= least:
            return Finding(Status.OPEN, what)
        return Finding(mine.status if mine.status is Status.BROKEN else Status.VOID, what, mine.order, mine.why)

    def _by_all(self, clause: Clause, what: v.Arrangement) -> Finding | None:
        """The status of an arrangement over all who perform it."""
        return combined(
            finding for power in sorted(performers(what)) if (finding := self._judge(clause, what, power)) is not None
        )

    def _not(self, clause: Clause, what: v.Not, inner: v.Arrangement) -> Finding:
        found = self._by_all(clause, inner)
        if found is None:
            return Finding(Status.VOID, what)
        opposite = {Status.KEPT: Status.BROKEN, Status.BROKEN: Status.KEPT}
        return Finding(opposite.get(found.status, found.status), what, found.order, found.why)

    def _stands(self, unit: v.Unit) -> bool:
        there = self._deeds.after.units.get(unit.province)
        return there is not None and there.power == unit.power and unit.kind in ("UNT", there.kind)


def aim_differs(order: v.Move | v.ConvoyedMove, place: str) -> bool:
    """Whether a move leads away from a place."""
    return order.to[:3] != place[:3]


def _so_far(holds: bool) -> Status:
    """Long-term plans have no deadline: they hold, or are open."""
    return Status.KEPT if holds else Status.OPEN
