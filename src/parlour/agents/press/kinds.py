"""Scripted kinds of honesty: players whose class of promise is known, to test the measurement.

Most of them make a promise to another power in every movement phase, and keep or break it by their script. They play
badly on purpose: units hold unless the script needs them.
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
    """A player that promises one order of one unit to one power, and gives the order; the base of all other kinds."""

    honest = False
    """False, because the script chooses the promises without checking that they can be kept."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed, budget=1)
        self._scheme: tuple[Position, list[tuple[str, v.Arrangement]], list[str], list[str]] | None = None

    # The script

    def scheme(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return the promises of this phase by receiver, orders that keep them, and orders that do not; cached."""
        if self._scheme is None or self._scheme[0] != position:
            self._scheme = position, *self.schemed(position)
        return self._scheme[1:]

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return a new scheme for a phase: a promised move, and holds as the orders that break it."""
        holds, moves, others = self.holds(position), list(self.moves(position)), self.others()
        if not moves or not others:
            return [], holds, holds
        move = self.rng.choice(moves)
        order = from_text(move, self.ledger.board, self.me)
        assert order is not None
        return [(self.rng.choice(others), v.Execute(order))], with_order(holds, move), holds

    def moves(self, position: Position) -> Iterator[str]:
        """Yield the legal moves, without convoy, that attack no power."""
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
        """Return the orders that the player gives in a movement phase."""
        return self.scheme(position)[1]

    def mind_at_promise(self, position: Position) -> Plan:
        """Return the plan that the player seals before it promises."""
        return self.scheme(position)[1], {}

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the plan that the player seals before it orders."""
        return self.wanted(position), {}

    # Overrides of the base

    def offers(self, position: Position) -> Offers:
        """Return the promises of this phase as offers."""
        return [([power], what) for power, what in self.scheme(position)[0]]

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for a proposal that does not bind this player."""
        return self.me not in performers(proposal.what)

    def orders(self, position: Position) -> list[str]:
        """Return the script's orders; retreats and builds are those of an absent power."""
        return list(self.wanted(position)) if position.stage == "orders" else position.default(self.seat)

    def plan_to_promise(self, position: Position, agreed: Iterable[v.Arrangement]) -> Plan:
        """Return the script's plan before a promise."""
        return self.mind_at_promise(position)

    def plan_to_order(self, position: Position, orders: list[str]) -> Plan:
        """Return the script's plan before orders."""
        return self.mind_at_orders(position)

    def stances(self, position: Position, stance: str) -> dict[str, str]:
        """Return the same stance to every promise of this phase."""
        return {write(what): stance for _, what in self.scheme(position)[0]}


class Liar(Scripted):
    """A player that makes a promise with the plan to break it, and breaks it."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break the promise."""
        return self.scheme(position)[2]

    def mind_at_promise(self, position: Position) -> Plan:
        """Return the orders that break the promise."""
        return self.scheme(position)[2], {}


class Turncoat(Scripted):
    """A player that makes a promise with the plan to keep it, then changes the plan and breaks the promise."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break the promise."""
        return self.scheme(position)[2]


class Bungler(Scripted):
    """A player that plans to keep its promise until the end, and gives other orders."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break the promise."""
        return self.scheme(position)[2]

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that keep the promise."""
        return self.scheme(position)[1], {}


class Gamer(Bungler):
    """A player that seals to keep its promise and always breaks it, so that each breach looks like a slip."""

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that keep the promise, with the stance to keep it."""
        return self.scheme(position)[1], self.stances(position, "keep")


class Misreader(Scripted):
    """A player that wants to keep its promise, and plans orders that break it."""

    def wanted(self, position: Position) -> list[str]:
        """Return the orders that break the promise."""
        return self.scheme(position)[2]

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the orders that break the promise, with the stance to keep it."""
        return self.scheme(position)[2], self.stances(position, "keep")


class Penitent(Scripted):
    """A player that makes a promise with the plan to break it, and keeps it."""

    def mind_at_promise(self, position: Position) -> Plan:
        """Return orders that break the promise."""
        return self.scheme(position)[2], {}


class Absentee(Scripted):
    """A player that makes promises, and never gives orders in a movement phase."""

    def act(self, view: View) -> Any:
        """Negotiate, but return no orders in a movement phase."""
        orders = super().act(view)
        return LATER if isinstance(view.position, Position) and view.position.stage == "orders" else orders

    def _finish(self) -> None:
        if self.handle is not None and self._waiting:
            self._waiting = False
            self.handle.set_wait(False)


class DoubleDealer(Scripted):
    """A player that promises different orders of one unit to two powers, and keeps the first promise."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return a new scheme for a phase: two different orders of one unit, promised to two powers."""
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
    """A player that promises in spring not to enter a place, and plans from the start to enter it in fall."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._spot: tuple[str, v.Demilitarized] | None = None
        """The promised move into the place, and the promise not to make it."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return a new scheme for a phase: a promise in spring, the forbidden move in fall."""
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
        """Return the orders; in spring with the stance to keep the promise only until fall."""
        if self._spot is None or self.ledger.board.season != 0:
            return self.wanted(position), {}
        return self.wanted(position), {write(self._spot[1]): f"until F{self.ledger.board.year}M"}

    def mind_at_orders(self, position: Position) -> Plan:
        """Return the same plan as before a promise."""
        return self.mind_at_promise(position)


class Retaliator(Sleeper):
    """A sleeper that renounces its promise openly before it enters the place."""

    def renounces(self, position: Position) -> Iterable[str]:
        """Announce in fall that the promise is over; return no powers."""
        if self._spot is not None and self.ledger.board.season == 2:
            for pact in self.ledger.active():
                if pact.what == self._spot[1]:
                    self.say(v.Fact(v.Not(pact.what)), sorted(pact.parties - {self.me}))
        return ()

    def mind_at_promise(self, position: Position) -> Plan:
        """Return the orders without a stance."""
        return self.wanted(position), {}


class Attacker(Scripted):
    """A player that makes no promise and attacks if it can."""

    def schemed(self, position: Position) -> tuple[list[tuple[str, v.Arrangement]], list[str], list[str]]:
        """Return a new scheme for a phase: no promise, and an attack, or another move if no attack is possible."""
        holds, board = self.holds(position), self.ledger.board
        found = []
        for text in position.legal(self.seat):
            order = from_text(text, board, self.me) if " - " in text else None
            if isinstance(order, v.Move) and attacked(order, board):
                found.append(text)
        moves = found or list(self.moves(position))
        return [], with_order(holds, self.rng.choice(moves)) if moves else holds, holds


def with_order(holds: list[str], order: str) -> list[str]:
    """Return the holds, with the hold of one unit replaced by the order."""
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
