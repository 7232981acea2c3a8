"""Scripted kinds of honesty: players whose class of promise is known, to test the measurement.

Each promises something of its own to one other in every movement phase, and keeps or breaks it by its script. They
play badly on purpose: units hold unless the script needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from parlour.agents.press.base import PressAgent
from parlour.agents.press.sealing import Plan
from parlour.agents.press.talker import Offers
from parlour.agents.specs import NoOptions, Recipe
from parlour.core.game import View
from parlour.core.player import LATER
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import performers
from parlour.press.agreements.proposals import Proposal
from parlour.press.judging.executed_orders import attacked
from parlour.press.language import message_types as v
from parlour.press.language.writer import write
from parlour.press.orders import from_text


class Scripted(PressAgent):
    """Promises one order of one unit to one power, and gives it: honest, and the base of all other kinds."""

    honest = False
    """True, because it follows its script and weighs nothing."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed, budget=1)
        self._scheme: tuple[Position, list[tuple[str, v.Arrangement]], list[str], list[str]] | None = None

    # The script

    def scheme(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return what is promised to whom in this phase, orders that keep it, and orders that do not."""
        if self._scheme is None or self._scheme[0] != position:
            self._scheme = position, *self.schemed(position)
        return self._scheme[1:]

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Work the scheme of a phase out."""
        holds, moves, others = self.holds(position), list(self.moves(position)), self.others()
        if not moves or not others:
            return [], holds, holds
        move = self.rng.choice(moves)
        order = from_text(move, self.ledger.board, self.me)
        assert order is not None
        return [(self.rng.choice(others), v.Execute(order))], with_order(holds, move), holds

    def moves(self, position: Position) -> Iterator[str]:
        """Return the moves by land or sea that attack nobody."""
        board = self.ledger.board
        for text in position.legal(self.seat):
            order = (
                from_text(text, board, self.me) if " - " in text and " S " not in text and " C " not in text else None
            )
            if isinstance(order, v.Move) and not attacked(order, board):
                yield text

    def holds(self, position: Position) -> list[str]:
        """Return a hold for every unit."""
        return [f"{unit} H" for unit in position.units[self.seat]]

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that it gives in a movement phase."""
        return self.scheme(position)[1]

    def mind_at_promise(self, position: Position) -> Plan:
        """Return what it seals before it promises."""
        return self.scheme(position)[1], {}

    def mind_at_orders(self, position: Position) -> Plan:
        """Return what it seals before it orders."""
        return self.wanted(position), {}

    # As the base wants it

    def offers(self, position: Position) -> Offers:
        """Return what is promised in this phase."""
        return [([power], what) for power, what in self.scheme(position)[0]]

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for whatever binds others alone."""
        return self.me not in performers(proposal.what)

    def orders(self, position: Position) -> list[str]:
        """Return the script's orders; retreats and builds are those of an absent power."""
        return list(self.wanted(position)) if position.stage == "orders" else position.default(self.seat)

    def plan_to_promise(self, position: Position, agreed: Iterable[v.Arrangement]) -> Plan:
        """Return the script's plan."""
        return self.mind_at_promise(position)

    def plan_to_order(self, position: Position, orders: list[str]) -> Plan:
        """Return the script's plan."""
        return self.mind_at_orders(position)

    def stances(self, position: Position, stance: str) -> dict[str, str]:
        """Return one stance to all that it promises in this phase."""
        return {write(what): stance for _, what in self.scheme(position)[0]}


class Liar(Scripted):
    """Plans to break its word when it gives it, and does."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break it."""
        return self.scheme(position)[2]

    def mind_at_promise(self, position: Position) -> Plan:
        """Return the orders that break it."""
        return self.scheme(position)[2], {}


class Turncoat(Scripted):
    """Means what it says, changes its mind, and breaks its word."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break it."""
        return self.scheme(position)[2]


class Bungler(Scripted):
    """Means to keep its word and orders the wrong thing."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break it."""
        return self.scheme(position)[2]

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that keep it."""
        return self.scheme(position)[1], {}


class Gamer(Bungler):
    """Seals that it keeps its word and always breaks it, so that it seems to slip."""

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that keep it, and say so."""
        return self.scheme(position)[1], self.stances(position, "keep")


class Misreader(Scripted):
    """Wants to keep its word and plans what breaks it."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break it."""
        return self.scheme(position)[2]

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that break it, with the stance that they keep it."""
        return self.scheme(position)[2], self.stances(position, "keep")


class Penitent(Scripted):
    """Plans to break its word when it gives it, and keeps it."""

    def mind_at_promise(self, position: Position) -> Plan:
        """Return orders that break the promise."""
        return self.scheme(position)[2], {}


class Absentee(Scripted):
    """Promises, and never orders anything in a movement phase."""

    def act(self, view: View) -> Any:
        """Talk, but give no orders."""
        orders = super().act(view)
        return LATER if isinstance(view.position, Position) and view.position.stage == "orders" else orders

    def _finish(self) -> None:
        if self.handle is not None and self._waiting:
            self._waiting = False
            self.handle.set_wait(False)


class DoubleDealer(Scripted):
    """Promises one unit to two powers, and gives the first its due."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Work the scheme of a phase out: two moves of one unit."""
        promised, keeping, holds = super().schemed(position)
        others = [power for power in self.others() if promised and power != promised[0][0]]
        for power, what in promised[:1] if others else ():
            assert isinstance(what, v.Execute)
            kept = next(text for text in keeping if text not in holds)
            second = [text for text in self.moves(position) if text.split()[1] == kept.split()[1] and text != kept]
            other = from_text(
                self.rng.choice(second or [f"{' '.join(kept.split()[:2])} H"]), self.ledger.board, self.me
            )
            assert other is not None
            return [(power, what), (self.rng.choice(others), v.Execute(other))], keeping, holds
        return promised, keeping, holds


class Sleeper(Scripted):
    """Promises to keep out of a place in spring, and plans from the start to enter it in fall."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._spot: tuple[str, v.Demilitarized] | None = None
        """The move into the place, and the promise not to make it."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Work the scheme of a phase out: a promise in spring, the move in fall."""
        holds, others = self.holds(position), self.others()
        if self.ledger.board.season == 0:
            mine = {unit.split()[1][:3] for unit in position.units[self.seat]}
            moves = [text for text in self.moves(position) if "/" not in text and text.split()[3] not in mine]
            if not moves or not others:
                return [], holds, holds
            move = self.rng.choice(moves)
            order = from_text(move, self.ledger.board, self.me)
            assert isinstance(order, v.Move)
            self._spot = move, v.Demilitarized((self.me,), (order.to[:3],))
            return [(self.rng.choice(others), self._spot[1])], holds, holds
        spot = self._spot
        if spot is None or spot[0] not in position.legal(self.seat):
            return [], holds, holds
        return [], holds, with_order(holds, spot[0])

    def wanted(self, position: Position) -> list[str]:
        """Return holds in spring and the move in fall."""
        return self.scheme(position)[2]

    def mind_at_promise(self, position: Position) -> Plan:
        """Return the orders, and until when the promise is kept."""
        if self._spot is None or self.ledger.board.season != 0:
            return self.wanted(position), {}
        return self.wanted(position), {write(self._spot[1]): f"until F{self.ledger.board.year}M"}

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the same as when it promised."""
        return self.mind_at_promise(position)


class Retaliator(Sleeper):
    """Keeps its word while it is bound, and enters only once it has said openly that it is not."""

    def renounces(self, position: Position) -> Iterable[str]:
        """Say in fall that the promise is over."""
        if self._spot is not None and self.ledger.board.season == 2:
            for pact in self.ledger.active():
                if pact.what == self._spot[1]:
                    self.say(v.Fact(v.Not(pact.what)), sorted(pact.parties - {self.me}))
        return ()

    def mind_at_promise(self, position: Position) -> Plan:
        """Return its orders."""
        return self.wanted(position), {}


class Attacker(Scripted):
    """Promises nothing and attacks whom it can."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Work the scheme of a phase out: an attack, if there is one, and no promise."""
        holds, board = self.holds(position), self.ledger.board
        found = []
        for text in position.legal(self.seat):
            order = from_text(text, board, self.me) if " - " in text else None
            if isinstance(order, v.Move) and attacked(order, board):
                found.append(text)
        moves = found or list(self.moves(position))
        return [], with_order(holds, self.rng.choice(moves)) if moves else holds, holds


def with_order(holds: list[str], order: str) -> list[str]:
    """Return holds with the order of one unit put in its place."""
    unit = order.split()[:2]
    return [order if text.split()[:2] == unit else text for text in holds]


HONEST = Recipe(lambda options, seed: Scripted(seed), NoOptions)
LIAR = Recipe(lambda options, seed: Liar(seed), NoOptions)
TURNCOAT = Recipe(lambda options, seed: Turncoat(seed), NoOptions)
SLEEPER = Recipe(lambda options, seed: Sleeper(seed), NoOptions)
BUNGLER = Recipe(lambda options, seed: Bungler(seed), NoOptions)
MISREADER = Recipe(lambda options, seed: Misreader(seed), NoOptions)
ABSENTEE = Recipe(lambda options, seed: Absentee(seed), NoOptions)
DOUBLEDEALER = Recipe(lambda options, seed: DoubleDealer(seed), NoOptions)
PENITENT = Recipe(lambda options, seed: Penitent(seed), NoOptions)
ATTACKER = Recipe(lambda options, seed: Attacker(seed), NoOptions)
RETALIATOR = Recipe(lambda options, seed: Retaliator(seed), NoOptions)
GAMER = Recipe(lambda options, seed: Gamer(seed), NoOptions)
