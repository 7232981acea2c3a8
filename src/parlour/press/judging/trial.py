"""Judges an order set under the pacts in force, without changing any pact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parlour.core.game import Plain, Seat
from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact, PactState
from parlour.press.judging.executed_orders import ExecutedOrders, Given
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.judging.judge import PactJudge
from parlour.press.language import message_types as v
from parlour.press.press_position import PhaseBoard, board_of

_BROKEN = PromiseStatus.BROKEN


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
        self._given = {power: tuple(items) for power, items in executed.written.items()}

    def given(self, power: str) -> tuple[Plain, ...] | None:
        """Return the orders that a power gave; None if it gave no list."""
        return self._given.get(power)

    def judge(self, power: str, orders: Sequence[str]) -> PactJudge:
        """Return a judge of the phase with these orders of one power, and the given orders of all other powers."""
        key = power, tuple(orders)
        found = self._judges.get(key)
        if found is None:
            executed = self.executed
            if self._given.get(power, ()) != key[1]:
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
        executed = judge.executed
        concerned = pacts.liable(power, executed.conduct[power].triggers())
        if executed.stage == "orders":
            # A unit that stays in a zone breaks a promise only if it should have left the zone before.
            standing = pacts.liable(power, executed.before.standing.get(power, ()))
            concerned.update([(clause, pact) for clause, pact in standing.items() if clause.movement < self.movement])
        findings = [(clause, judge.finding(clause, power)) for clause in concerned]
        for clause, pact in pacts.untriggered(power).items():
            single = pact.single
            finding = judge.party(clause, power) if single is None else judge.order(single, clause.promised)
            if finding is not None:
                findings.append((clause, finding))
        return {clause: _breaks(finding) for clause, finding in findings if finding.status is _BROKEN}

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


def owed(pacts: PactBook, power: str) -> Iterator[tuple[Pact, Clause]]:
    """Yield the clauses in force that a power owes, with their pacts."""
    for pact in pacts.active:
        if pact.state is PactState.ACTIVE and power in pact.parties:
            for clause in pact.clauses:
                if not clause.ended and power in clause.owing:
                    yield pact, clause
