"""Judges an order set under the pacts in force, without changing any of them."""

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
    """One phase with the orders that were given, in which those of one power can be replaced by others.

    It reads the pacts and changes nothing, so that it has to be asked before they are settled.
    """

    def __init__(
        self, executed: ExecutedOrders, pacts: PactBook, votes: frozenset[str] = frozenset(), movement: int = 0
    ) -> None:
        self.executed = executed
        self._pacts, self._votes, self.movement = pacts, votes, movement
        self._judges: dict[tuple[str, tuple[str, ...]], PactJudge] = {}

    def judge(self, power: str, orders: Sequence[str]) -> PactJudge:
        """Return the judge of the phase in which a power gives these orders, and all others what they gave."""
        key = power, tuple(orders)
        found = self._judges.get(key)
        if found is None:
            executed = self.executed
            if tuple(executed.written.get(power, ())) != key[1]:
                executed = executed.instead(power, key[1], lambda: self._after(power, key[1]))
            found = self._judges[key] = PactJudge(executed, self._pacts.licence, self._votes, self.movement)
        return found

    def finding(self, clause: Clause, power: str, orders: Sequence[str]) -> Finding | None:
        """Return how a power would stand to a clause with these orders; None if it owes nothing under it."""
        return self.judge(power, orders).party(clause, power)

    def findings(self, power: str, orders: Sequence[str]) -> Iterator[tuple[Pact, Clause, Finding]]:
        """Return how a power would stand to every clause that it owes, with these orders."""
        for pact, clause in owed(self._pacts, power):
            finding = self.finding(clause, power, orders)
            if finding is not None:
                yield pact, clause, finding

    def breaks(self, clause: Clause, power: str, orders: Sequence[str]) -> bool | None:
        """Return True if the orders would break a clause; None if they leave out the unit that decides it."""
        finding = self.finding(clause, power, orders)
        if finding is None or finding.status is not PromiseStatus.BROKEN:
            return False
        shown = finding.shown_by
        return None if isinstance(shown, Given) and shown.item is None else True

    def belies(self, what: v.Arrangement, power: str, orders: Sequence[str]) -> bool | None:
        """Return True if the orders contradict what a power says it will do; None if they do not decide that."""
        return self.breaks(Clause(what, frozenset((power,)), self.movement, self.executed.before), power, orders)

    def _after(self, power: str, orders: Sequence[str]) -> PhaseBoard:
        before = self.executed.before
        seats = before.names.lexicon.seat_of
        given: Mapping[str, Sequence[object]] = {**self.executed.written, power: orders}
        actions = {Seat(seats[word]): [str(item) for item in items] for word, items in given.items()}
        return board_of(before.position.following(actions), before)


def owed(pacts: PactBook, power: str) -> Iterator[tuple[Pact, Clause]]:
    """Return the clauses in force under which a power owes something."""
    for pact in pacts.active:
        if pact.state is PactState.ACTIVE and power in pact.parties:
            for clause in pact.clauses:
                if not clause.ended and power in clause.owing:
                    yield pact, clause
