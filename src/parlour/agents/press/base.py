"""The base of all negotiating players: the order of their talk, a ledger of promises, and orders that keep them.

In each movement phase the player gives provisional orders at once, raises its wait flag and sets its status to ready.
It makes its proposals when the press window opens, or at once where press is always allowed, and answers proposals.
When it waits for no answer, or the window closes, it gives its final orders and lowers the flag. It sends no press in
retreats and adjustments.
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
"""A position and the pacts in force, on which a cached result is based."""


class PressAgent(Sealing):
    """A player that negotiates by the protocol and keeps its pacts; a subclass chooses proposals and answers."""

    player_type = PlayerType.PRESS_BOT

    def __init__(self, seed: int = 0, budget: int = BUDGET) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.counsel = Counsel(self.rng.getrandbits(63), budget)
        self._planned: tuple[Basis, list[str]] | None = None
        self._held_to: tuple[Basis, list[Pledge]] | None = None
        self._basis: tuple[int, ...] | None = None
        """The pacts in force when the orders of this turn were chosen."""

    # For subclasses

    def dislikes(self) -> Mapping[Seat, float]:
        """Return the dislike of other powers: 1 is usual, a higher value is more dislike."""
        return {}

    def trusts(self, power: str) -> float:
        """Return the estimated probability that a power keeps its word."""
        return 0.0 if power in self.faithless else 1.0

    def orders(self, position: Position) -> list[str]:
        """Return the final orders."""
        return self.plan(position)

    def plan(self, position: Position) -> list[str]:
        """Return the best orders that search finds among those that keep every pact; cached until the pacts change."""
        basis = position, self._pacts()
        if self._planned is None or self._planned[0] != basis:
            self._planned = basis, self.counsel.orders(position, self.seat, self.bounds(position))
        return list(self._planned[1])

    def expected(self, position: Position) -> list[Pledge]:
        """Return the expected pledges: those of other powers weighted by trust, and this power's own plan."""
        return [*self.pledges(position), pledge(position, self.seat, self.plan(position))]

    def bounds(self, position: Position) -> Bounds:
        """Return the bounds of the search: orders that keep the pacts, expected pledges of others, and dislikes."""
        commitments = self.commitments
        return Bounds(
            limits=limits_of(commitments, position, self.seat),
            due=due_of(commitments, position),
            waives="WAIVE" in commitments.due(),
            pledges=self.pledges(position),
            regard={position.power_of(seat): DISLIKE * (1.0 - dislike) for seat, dislike in self.dislikes().items()},
        )

    def pledges(self, position: Position) -> Sequence[Pledge]:
        """Return the pledges of other powers from the pacts in force, weighted by trust; empty outside movement."""
        basis = position, self._pacts()
        if position.stage != "orders":
            return ()
        if self._held_to is None or self._held_to[0] != basis:
            trust = {power: self.trusts(power) for power in self.others()}
            self._held_to = basis, pledges_of(self.ledger, position, trust)
        return self._held_to[1]

    # Called by the driver

    def act(self, view: View) -> Action:
        """Return orders; in a movement phase with press they are provisional until the talk is over."""
        assert isinstance(view.position, Position), "this player knows only Diplomacy"
        if self.ledger.position != view.position:
            self.ledger.begin(view.position)
        if self.sealing and view.turn == self._asked:
            return self._ordered(view.position)  # asked again because its seal was missing; the talk has begun already
        self._asked = view.turn
        self._waiting, self._unheard, self._offered, self._later = False, 0, [], None
        self._basis = self._pacts()
        if view.position.stage == "orders":
            self._first_plan(view.position)
            if self.mode is not PressMode.NONE:
                self._talk()
        return self._ordered(view.position)

    def _ordered(self, position: Position) -> list[str]:
        """Seal the plan in a movement phase, then return the orders to give."""
        orders = self.orders(position)
        if position.stage == "orders":
            self._seal_orders(position, orders)
        return orders

    def on_refused(self, reason: object) -> None:
        """Stop waiting for an answer to a refused message."""
        self._unheard = max(0, self._unheard - 1)
        self._finish_if_settled()

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Read the promises made before the player joined.

        If the seat has already given orders in this turn, continue the talk from there.
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
        """Follow the match; propose, answer and finish when the events require it."""
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
