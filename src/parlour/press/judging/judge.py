"""Judges promises by the orders of a phase.

docs/reference/press.md has the rules. Persistent duties (peace, alliance, demilitarized zones) are judged again in
each phase. An order is judged once, in the first phase in which it can be given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from parlour.press.agreements.clauses import Clause, performers
from parlour.press.agreements.promised import Promised, possible
from parlour.press.judging.executed_orders import ExecutedOrders, Given
from parlour.press.judging.findings import Finding, PromiseStatus, combined
from parlour.press.language import message_types as v
from parlour.press.orders import STAGE_OF, performer, same

_KEPT, _BROKEN, _VOID, _OPEN = PromiseStatus
"""The statuses by name, because access through the enumeration is slow."""


def is_past(what: v.Arrangement, executed: ExecutedOrders) -> bool:
    """Return True if the turn in which an arrangement could be performed is over, and with it the time to agree."""
    match what:
        case v.Execute(order):
            match STAGE_OF[type(order)]:
                case "orders":
                    return executed.stage == "orders"
                case "retreats":
                    return executed.stage == "retreats" or (
                        executed.stage == "orders" and executed.after.stage != "retreats"
                    )
                case _:
                    return executed.stage == "adjustments" or executed.moved_year
        case v.Every(parts):
            return any(is_past(part, executed) for part in parts)
        case v.Either(parts) | v.Choice(_, _, parts):
            return all(is_past(part, executed) for part in parts)
        case v.Not(inner):
            return is_past(inner, executed)
        case v.Undo():
            return True  # a proposal to undo a pact lasts for the current turn
        case _:
            return False


Licence = Callable[[Given, Iterable[str]], bool]
"""A function that returns True if the order's power and all the given powers agreed to the order."""


class PactJudge:
    """The judge of the clauses in force, by the executed orders of one phase. It changes no clause.

    `movement` is the number of movement phases so far.
    """

    def __init__(
        self, executed: ExecutedOrders, licence: Licence, votes: frozenset[str] = frozenset(), movement: int = 0
    ) -> None:
        self.executed = executed
        self._licence, self._votes, self._movement = licence, votes, movement
        self._judged: dict[tuple[int, int, str], Finding | None] = {}
        self._settled: dict[Clause, dict[v.Execute, Finding]] = {}
        self.concerned = executed.concerned

    def findings(self, clause: Clause) -> list[tuple[str, Finding]]:
        """Return a finding for each power that owes a clause."""
        found = [(power, self._judge(clause, clause.what, power)) for power in clause.owing]
        return [(power, finding) for power, finding in found if finding is not None]

    def finding(self, clause: Clause, power: str) -> Finding:
        """Return the finding for a power about a clause that has triggers."""
        return _RULES[type(clause.what)](self, clause, clause.what, power) or clause.kept

    def party(self, clause: Clause, power: str) -> Finding | None:
        """Return the finding for a power about a clause of any kind; None if the power owes nothing under it."""
        return self._judge(clause, clause.what, power)

    def _judge(self, clause: Clause, what: v.Arrangement, power: str) -> Finding | None:
        """Return the finding for a power about a part of a clause; None if the power owes nothing under it.

        Each part is judged once. Otherwise nested alternatives would take time exponential in their depth.
        """
        key = id(clause), id(what), power
        if key not in self._judged:
            rule = _RULES.get(type(what))
            self._judged[key] = rule(self, clause, what, power) if rule is not None else None
        return self._judged[key]

    def _peace(self, clause: Clause, what: v.Peace | v.Alliance, power: str) -> Finding | None:
        if power not in what.powers:
            return None
        conduct = self.executed.conduct[power]
        hostile = conduct.hostile
        if hostile:
            shown: Given | None = None
            victims: list[str] = []
            for other in what.powers:
                if other in hostile and other not in clause.left:
                    for given in hostile[other]:
                        if not self._licence(given, (other,)):
                            shown = shown or given
                            victims.append(other)
                            break
            if shown is not None:
                return Finding(_BROKEN, what, shown, "", tuple(victims))
        return clause.kept if conduct.acted and what is clause.what else Finding(_so_far(conduct.acted), what)

    def _demilitarized(self, clause: Clause, what: v.Demilitarized, power: str) -> Finding | None:
        if power not in what.powers:
            return None
        executed = self.executed
        conduct, movement = executed.conduct[power], executed.stage == "orders"
        leaving: Given | None = None
        for place in what.places:
            agreed: Given | None = None
            for entry in conduct.into(place):
                if not self._licence(entry, clause.present):
                    return Finding(_BROKEN, what, entry)
                agreed = agreed or entry
            if not movement:
                continue
            stood = executed.before.units.get(place[:3])
            if agreed is None and (stood is None or stood.power != power):
                continue  # no unit of the power stood there or entered
            unit = executed.after.units.get(place[:3])
            if unit is None or unit.power != power or (" " in place and unit.place != place):
                continue
            if agreed is not None and (stood is None or stood.power != power):
                leaving = (
                    agreed  # the partners agreed to the entry, so the unit has to leave in the next movement phase
                )
                continue
            # S14: a unit there when the pact is made has until the end of the next movement phase to leave.
            given = executed.of_unit(unit)
            if clause.movement < self._movement and not self._may_stay(given, place, clause.present):
                return Finding(_BROKEN, what, given, why="it stayed there")
            leaving = given
        if leaving is not None:
            return Finding(_OPEN, what, leaving, why="a unit is still there")
        return clause.kept if conduct.acted and what is clause.what else Finding(_so_far(conduct.acted), what)

    def _may_stay(self, given: Given, place: str, powers: Iterable[str]) -> bool:
        """Return True if a unit that is still in a zone tried to leave, or all parties agreed to its order."""
        order = given.order()
        if isinstance(order, (v.Move, v.ConvoyedMove)) and _leads_away(order, place):
            return True
        return self._licence(given, powers)

    def _execute(self, clause: Clause, what: v.Execute, power: str) -> Finding | None:
        if performer(what.order) != power:
            return None
        settled = clause.settled.get(what) if clause.settled else None
        if settled is None:
            settled = self.order(what, clause.promised if what is clause.what else Promised())
            if settled.status is not _OPEN:
                self._settled.setdefault(clause, {})[what] = settled
        return settled

    def settled(self, clause: Clause) -> Mapping[v.Execute, Finding]:
        """Return the orders of a clause that this phase has settled so far, with their findings."""
        return self._settled.get(clause, {})

    def order(self, what: v.Execute, promised: Promised) -> Finding:
        """Return the finding about a promised order."""
        executed = self.executed
        if promised.board is not executed.before:  # on the same board the order is due
            stage = STAGE_OF[type(what.order)]
            if stage != executed.stage:
                return self._not_yet(what, stage)
            if isinstance(what.order, (v.Build, v.RemoveUnit, v.Waive)):
                return self._adjustment(what, what.order)
            promised = Promised.on(executed.before, what.order)
        _, unit, province, text, gist, helps, can, _ = promised
        if unit is None:
            gone = "it was not dislodged" if executed.stage == "retreats" else "the unit is not there"
            return Finding(_VOID, what, None, gone)
        given = executed.ordered.get(province) or Given(None, unit, executed.before)
        if helps and (given.item == text or (given.may_be(gist) and same(what.order, given.order()))):
            return Finding(_KEPT, what, given)
        if can:
            return Finding(_BROKEN, what, given)
        return Finding(_VOID, what, given, "it was not possible")

    def _not_yet(self, what: v.Execute, stage: str) -> Finding:
        executed, order = self.executed, what.order
        if stage == "retreats" and executed.stage == "orders" and not isinstance(order, v.Waive):
            unit = executed.after.dislodged.get(order.unit.province) if executed.after.stage == "retreats" else None
            if unit is None or unit.power != order.unit.power:
                return Finding(_VOID, what, why="it was not dislodged")
        elif stage == "adjustments" and executed.moved_year:
            return Finding(_VOID, what, why="there was nothing to adjust that winter")
        return Finding(_OPEN, what)

    def _adjustment(self, what: v.Execute, order: v.Build | v.RemoveUnit | v.Waive) -> Finding:
        executed, power = self.executed, performer(order)
        given = executed.given(power)
        if isinstance(order, v.Waive):  # a build that was not made is a waived one
            if executed.waived(power):
                return Finding(_KEPT, what, order)
        else:
            for other in given:
                if same(order, other):
                    return Finding(_KEPT, what, other)
        if not possible(order, executed.before):
            return Finding(_VOID, what, why="it was not possible")
        return Finding(_BROKEN, what, given[0] if given else None)

    def _every(self, clause: Clause, what: v.Every, power: str) -> Finding | None:
        return combined(self._of_parts(clause, what.parts, power))

    def _of_parts(self, clause: Clause, parts: Iterable[v.Arrangement], power: str) -> Iterator[Finding]:
        for part in parts:
            finding = self._judge(clause, part, power)
            if finding is not None:
                yield finding

    def _choice(self, clause: Clause, what: v.Either | v.Choice, power: str) -> Finding | None:
        """Judge a choice: the required number of parts must hold, whichever powers perform them.

        If too few parts hold, the powers that did not perform theirs break the choice. If too many hold, the powers
        that performed a part break it.
        """
        least, most = (what.least, what.most) if isinstance(what, v.Choice) else (1, len(what.parts))
        own = list(self._of_parts(clause, what.parts, power))
        mine = combined(own)
        if mine is None:
            return None
        done = [finding for finding in own if finding.status is _KEPT]
        parts = [self._by_all(clause, part) for part in what.parts]
        kept = [finding for finding in parts if finding is not None and finding.status is _KEPT]
        waiting = sum(finding is not None and finding.status is _OPEN for finding in parts)
        if len(kept) > most:
            much = "more was done than agreed"
            return Finding(_BROKEN, what, done[-1].shown_by, much) if done else Finding(_VOID, what, why=much)
        if len(kept) >= least and (not waiting or most == len(parts)):
            return Finding(_KEPT, what, done[0].shown_by if done else None)
        if len(kept) + waiting >= least:
            return Finding(_OPEN, what)
        return Finding(mine.status if mine.status is _BROKEN else _VOID, what, mine.order, mine.why)

    def _by_all(self, clause: Clause, what: v.Arrangement) -> Finding | None:
        """Return the gravest finding about an arrangement among its performers."""
        return combined(
            finding for power in sorted(performers(what)) if (finding := self._judge(clause, what, power)) is not None
        )

    def _not(self, clause: Clause, what: v.Not, power: str) -> Finding | None:
        if isinstance(what.what, v.Not):
            return self._judge(clause, what.what.what, power)
        found = self._by_all(clause, what.what) if power in performers(what) else None
        if found is None:
            return None
        mine = self._judge(clause, what.what, power)
        shown = mine.shown_by if mine is not None else None
        if shown is None and found.status is _KEPT and isinstance(what.what, v.Either):
            return Finding(_VOID, what, why="others did it")
        opposite = {_KEPT: _BROKEN, _BROKEN: _KEPT}
        return Finding(opposite.get(found.status, found.status), what, shown, found.why)

    def _centres(self, clause: Clause, what: v.Centres, power: str) -> Finding | None:
        owners = self.executed.after.owners
        owned = [owners.get(centre) == power for s in what.shares if s.power == power for centre in s.centres]
        return Finding(_so_far(all(owned)), what) if owned else None

    def _occupied(self, clause: Clause, what: v.Occupied, power: str) -> Finding | None:
        stand = [self._stands(unit) for unit in what.units if unit.power == power]
        return Finding(_so_far(all(stand)), what) if stand else None

    def _stands(self, unit: v.Unit) -> bool:
        there = self.executed.after.units.get(unit.province)
        return there is not None and there.power == unit.power and unit.kind in ("UNT", there.kind)

    def _draw(self, clause: Clause, what: v.Draw, power: str) -> Finding | None:
        return Finding(_so_far(power in self._votes), what)


_RULES: Mapping[type, Callable[[PactJudge, Clause, Any, str], Finding | None]] = {
    v.Peace: PactJudge._peace,
    v.Alliance: PactJudge._peace,
    v.Demilitarized: PactJudge._demilitarized,
    v.Execute: PactJudge._execute,
    v.Every: PactJudge._every,
    v.Either: PactJudge._choice,
    v.Choice: PactJudge._choice,
    v.Not: PactJudge._not,
    v.Centres: PactJudge._centres,
    v.Occupied: PactJudge._occupied,
    v.Draw: PactJudge._draw,
}
"""Rule for each kind of arrangement; other kinds bind no power."""


def _leads_away(order: v.Move | v.ConvoyedMove, place: str) -> bool:
    """Return True if a move leads away from a place."""
    return order.to[:3] != place[:3]


def _so_far(holds: bool) -> PromiseStatus:
    """Return kept or open; never broken, because long-term plans have no deadline."""
    return _KEPT if holds else _OPEN
