"""Judges an order set under the pacts in force, without changing any pact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parlour.core.game import Seat
from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact, PactState
from parlour.press.judging.executed_orders import ExecutedOrders, Given
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.judging.judge import PactJudge
from parlour.press.language import message_types as v
from parlour.press.press_position import PhaseBoard, board_of


class Trial:
    """One phase with the orders that were given, in which the orders of one power can be replaced.

    A trial reads the pacts and does not change them. Use it before the pacts are settled.
    """

    def __init__(
        self, executed: ExecutedOrders, pacts: PactBook, votes: frozenset[str] = frozenset(), movement: int = 0
    ) -> None:
        self.executed = executed
        self._pacts, self._votes, self.movement = pacts, votes, movement
        self._judges: dict[tuple[str, tuple[str, ...]], PactJudge] = {}

    def judge(self, power: str, orders: Sequence[str]) -> PactJudge:
        """Return a judge of the phase with these orders of one power, and the given orders of all other powers."""
        key = power, tuple(orders)
        found = self._judges.get(key)
        if found is None:
            executed = self.executed
            if tuple(executed.written.get(power, ())) != key[1]:
                executed = executed.instead(power, key[1], lambda: self._after(power, key[1]))
            found = self._judges[key] = PactJudge(executed, self._pacts.licence, self._votes, self.movement)
        return found

    def finding(self, clause: Clause, power: str, orders: Sequence[str]) -> Finding | None:
        """Return the finding for a power about a clause with these orders; None if it owes nothing under the clause."""
        return self.judge(power, orders).party(clause, power)

    def findings(self, power: str, orders: Sequence[str]) -> Iterator[tuple[Pact, Clause, Finding]]:
        """Yield the finding for a power, with these orders, about every clause that it owes."""
        for pact, clause in owed(self._pacts, power):
            finding = self.finding(clause, power, orders)
            if finding is not None:
                yield pact, clause, finding

    def doubtful(self, power: str, orders: Sequence[str]) -> dict[Clause, bool | None]:
        """Return True for each clause that the orders would break, and None for each that they do not decide."""
        judge, pacts = self.judge(power, orders), self._pacts
        executed, conduct = judge.executed, judge.executed.conduct[power]
        concerned = pacts.liable(power, _with_provinces({*conduct.hostile, *[given.to for given in conduct.entries]}))
        if executed.stage == "orders":
            # A unit that stays in a zone breaks a promise only if it should have left the zone before.
            places = {unit.place for unit in executed.before.units.values() if unit.power == power}
            standing = pacts.liable(power, _with_provinces(places))
            concerned += [clause for clause in standing if clause.movement < self.movement]
        concerned += pacts.untriggered(power)
        tried = [(clause, _breaks(judge.party(clause, power))) for clause in dict.fromkeys(concerned)]
        return {clause: broken for clause, broken in tried if broken is not False}

    def breaks(self, clause: Clause, power: str, orders: Sequence[str]) -> bool | None:
        """Return True if the orders would break a clause; None if the deciding unit has no order."""
        return _breaks(self.finding(clause, power, orders))

    def belies(self, what: v.Arrangement, power: str, orders: Sequence[str]) -> bool | None:
        """Return True if the orders contradict a power's statement; None if the deciding unit has no order."""
        return self.breaks(Clause(what, frozenset((power,)), self.movement, self.executed.before), power, orders)

    def _after(self, power: str, orders: Sequence[str]) -> PhaseBoard:
        before = self.executed.before
        seats = before.names.lexicon.seat_of
        given: Mapping[str, Sequence[object]] = {**self.executed.written, power: orders}
        actions = {Seat(seats[word]): [str(item) for item in items] for word, items in given.items()}
        return board_of(before.position.following(actions), before)


def _breaks(finding: Finding | None) -> bool | None:
    """Return True for a broken promise; None if it is broken only because the deciding unit has no order."""
    if finding is None or finding.status is not PromiseStatus.BROKEN:
        return False
    shown = finding.shown_by
    return None if isinstance(shown, Given) and shown.item is None else True


def _with_provinces(places: set[str]) -> set[str]:
    """Return the places together with the provinces of their coasts."""
    return places.union([place[:3] for place in places if len(place) > 3])


def owed(pacts: PactBook, power: str) -> Iterator[tuple[Pact, Clause]]:
    """Yield the clauses in force that a power owes, with their pacts."""
    for pact in pacts.active:
        if pact.state is PactState.ACTIVE and power in pact.parties:
            for clause in pact.clauses:
                if not clause.ended and power in clause.owing:
                    yield pact, clause
