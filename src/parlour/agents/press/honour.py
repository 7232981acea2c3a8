"""What a power's word obliges it to: orders it promised, friends it does not attack, places it keeps out of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parlour.agents.diplomacy.plan import Allowed, province_of
from parlour.press import values as v
from parlour.press.deeds import aim, attacked
from parlour.press.duties import Clause, flat, performers
from parlour.press.ledger import Ledger
from parlour.press.orders import STAGE_OF, clash, from_text, performer, to_text


class Honour:
    """One power's obligations by a ledger."""

    def __init__(self, ledger: Ledger, power: str) -> None:
        self._ledger, self._power = ledger, power

    def friends(self) -> set[str]:
        """Those with whom it has agreed to keep peace."""
        found: set[str] = set()
        for clause in self._clauses():
            if isinstance(clause.what, (v.Peace, v.Alliance)):
                found.update(clause.owing)
        return found - {self._power}

    def zones(self) -> set[str]:
        """The places that it has agreed to keep out of."""
        clauses = (clause.what for clause in self._clauses())
        return {place for what in clauses if isinstance(what, v.Demilitarized) for place in what.places}

    def orders(self) -> list[v.Order]:
        """The orders that it has agreed to give and has not given yet."""
        return [
            clause.what.order
            for clause in self._clauses()
            if isinstance(clause.what, v.Execute) and clause.what not in clause.settled
        ]

    def due(self) -> dict[str, str]:
        """Those that are due this turn as strings, by the province of the unit."""
        board = self._ledger.board
        texts = [to_text(order, board) for order in self.orders() if STAGE_OF[type(order)] == board.stage]
        return {text if text == "WAIVE" else province_of(text): text for text in texts}

    def allows(self) -> Allowed:
        """A test for orders: none that attacks a friend or enters a zone."""
        board, power, friends, zones = self._ledger.board, self._power, self.friends(), self.zones()
        if not friends and not zones:
            return lambda text: True

        def allowed(text: str) -> bool:
            order = from_text(text, board, power)
            if order is None:
                return True
            to = aim(order)
            return friends.isdisjoint(attacked(order, board)) and to not in zones and to[:3] not in zones

        return allowed

    def fits(self, what: v.Arrangement, offered: Iterable[v.Arrangement] = ()) -> bool:
        """Whether it could keep an arrangement besides all it has agreed to or offered."""
        parts = [part for offer in offered for part in flat(offer)]
        orders = [*self.orders(), *(order for part in parts for order in self._own(part))]
        board, friends, zones = self._ledger.board, self.friends(), self.zones()
        for part in flat(what):
            match part:
                case v.Execute(order) if performer(order) == self._power:
                    to = aim(order)
                    if any(clash(order, other) for other in orders) or {to, to[:3]} & zones:
                        return False
                    if not friends.isdisjoint(attacked(order, board)):
                        return False
                case v.Peace(powers) | v.Alliance(powers) if self._power in powers:
                    if any(not set(powers).isdisjoint(attacked(order, board)) for order in orders):
                        return False
                    if isinstance(part, v.Alliance) and not friends.isdisjoint(part.enemies):
                        return False
                case v.Demilitarized(powers, places) if self._power in powers:
                    if any(aim(order) in places or aim(order)[:3] in places for order in orders):
                        return False
                case v.Either() | v.Choice() | v.Not() if self._power in performers(part):
                    return False  # it does not think about alternatives
        return True

    def _clauses(self) -> Iterator[Clause]:
        for pact in self._ledger.pacts.active:
            for clause in pact.clauses:
                if not clause.ended and self._power in clause.owing:
                    yield clause

    def _own(self, part: v.Arrangement) -> Iterator[v.Order]:
        if isinstance(part, v.Execute) and performer(part.order) == self._power:
            yield part.order
