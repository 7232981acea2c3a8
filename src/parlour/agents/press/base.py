"""The base of all negotiating players: the seed's protocol, a ledger of its own, and orders that keep its word.

In each movement phase the player answers at once with provisional orders, raises its wait flag and says that it is
ready. When the press window opens (or at once, where press is allowed at any time) it makes its proposals, and it
answers proposals. When it waits for nothing, or the window closes, it gives its final orders and lowers the flag.
Retreats and adjustments have no talk.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from parlour.agents.diplomacy.bounds import Bounds, Pledge
from parlour.agents.press.counsel import BUDGET, Counsel, due_of, limits_of, pledge, pledges_of
from parlour.agents.press.sealing import Sealing
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.terms import PressMode
from parlour.games.diplomacy.position import Position

DISLIKE = 0.5
"""Part of its own share that a power gives up to reduce the share of a power disliked twice as much as usual."""

Basis = tuple[Position, tuple[int, ...]]
"""A position, and the pacts that were in force when something was thought about it."""


class PressAgent(Sealing):
    """Negotiates by the protocol and keeps its pacts; a subclass says what to propose and what to accept."""

    player_type = PlayerType.PRESS_BOT

    def __init__(self, seed: int = 0, budget: int = BUDGET) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.counsel = Counsel(self.rng.getrandbits(63), budget)
        self._planned: tuple[Basis, list[str]] | None = None
        self._held_to: tuple[Basis, list[Pledge]] | None = None
        self._basis: tuple[int, ...] | None = None
        """The pacts by which the orders of this turn were chosen."""

    # For subclasses

    def dislikes(self) -> Mapping[Seat, float]:
        """Return the weight of the others' gains: 1 as usual, above 1 disliked more, below 1 less."""
        return {}

    def trusts(self, power: str) -> float:
        """Return the chance that a power keeps its word."""
        return 0.0 if power in self.faithless else 1.0

    def orders(self, position: Position) -> list[str]:
        """Return the final orders."""
        return self.plan(position)

    def plan(self, position: Position) -> list[str]:
        """Return the best orders that search finds among those that keep every pact; the same while the pacts are."""
        basis = position, self._pacts()
        if self._planned is None or self._planned[0] != basis:
            self._planned = basis, self.counsel.orders(position, self.seat, self.bounds(position))
        return list(self._planned[1])

    def expected(self, position: Position) -> list[Pledge]:
        """Return the expected pledges: others keep their pacts as far as they are trusted, this power its plan."""
        return [*self.pledges(position), pledge(position, self.seat, self.plan(position))]

    def bounds(self, position: Position) -> Bounds:
        """Return the bounds of its search: orders that keep its word, expected pledges of others, and dislikes."""
        commitments = self.commitments
        return Bounds(
            limits=limits_of(commitments, position, self.seat),
            due=due_of(commitments, position),
            waives="WAIVE" in commitments.due(),
            pledges=self.pledges(position),
            regard={position.power_of(seat): DISLIKE * (1.0 - dislike) for seat, dislike in self.dislikes().items()},
        )

    def pledges(self, position: Position) -> Sequence[Pledge]:
        """Return the pledges of others from pacts with them, weighted by trust."""
        basis = position, self._pacts()
        if position.stage != "orders":
            return ()
        if self._held_to is None or self._held_to[0] != basis:
            trust = {power: self.trusts(power) for power in self.others()}
            self._held_to = basis, pledges_of(self.ledger, position, trust)
        return self._held_to[1]

    # Called by the driver

    def act(self, view: View) -> Action:
        """Give orders; in a movement phase with a press window provisional ones, until the talk is over."""
        assert isinstance(view.position, Position), "this player knows only Diplomacy"
        if self.ledger.position != view.position:
            self.ledger.begin(view.position)
        if self.sealing and view.turn == self._asked:
            return self._ordered(view.position)  # asked again because its seal was missing; it has talked already
        self._asked = view.turn
        self._waiting, self._unheard, self._offered, self._later = False, 0, [], None
        self._basis = self._pacts()
        if view.position.stage == "orders":
            self._first_plan(view.position)
            if self.mode is not PressMode.NONE:
                self._talk()
        return self._ordered(view.position)

    def _ordered(self, position: Position) -> list[str]:
        """Return the orders to give, with its plan sealed before them."""
        orders = self.orders(position)
        if position.stage == "orders":
            self._seal_orders(position, orders)
        return orders

    def on_refused(self, reason: object) -> None:
        """A message was not taken: nobody will answer it."""
        self._unheard = max(0, self._unheard - 1)
        self._finish_if_settled()

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Learn the promises before it sat down.

        If the seat has already ordered in this turn, it continues from those orders.
        """
        if self.ledger.position is not None:
            return
        acted = ready = shut = False
        for observed in past:
            event = observed.event
            self._follow(observed)
            mine = getattr(event, "seat", None) == self.seat
            match event:
                case ev.TurnBegan():
                    acted = ready = shut = self._waiting = False
                case ev.PressClosed():
                    shut = True
                case ev.Acted() if mine:
                    acted = True
                case ev.WaitSet(wait=wait) if mine:
                    self._waiting = wait
                case ev.CommStatusSet(status=status) if mine:
                    ready = status is CommStatus.READY
                case ev.Joined() if mine:
                    ready = False
        position: Position | None = self.ledger.position
        if acted and position is not None and position.stage == "orders" and self.mode is not PressMode.NONE:
            self._basis = ()
            if shut:
                self._finish()
            else:
                self._talk(ready)

    def on_event(self, observed: ObservedEvent) -> None:
        """Follow the match, and talk when it is time to."""
        self._follow(observed)
        match event := observed.event:
            case ev.PressOpened():
                self._propose()
                self._finish_if_settled()
            case ev.PressClosed():
                self._finish()
            case ev.Said() if self.handle is not None:
                self._hear(event)
                self._finish_if_settled()
            case ev.Acted(seat=seat) if self._open and seat in self._acted:
                self._finish_if_settled()
            case ev.WaitSet(wait=False) if self._open and self._later is not None:
                self._finish_if_settled()

    def _follow(self, observed: ObservedEvent) -> None:
        self.counsel.learn(observed.event)
        super()._follow(observed)

    def _finish(self) -> None:
        position = self.ledger.position
        if self.handle is None or position is None or position.stage != "orders" or self._basis is None:
            return
        if self._pacts() != self._basis:
            self._basis = self._pacts()
            self.handle.act(self._ordered(position))
        elif self._given and not self._orders_as_sealed(position):
            self._seal_orders(position, self._given)
            self.handle.act(list(self._given))
        if self._waiting:
            self._waiting = False
            self.handle.set_wait(False)
