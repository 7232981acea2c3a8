"""Estimates of the other players at a Fish table: searchers, or players with a simple manner."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from parlour.agents.fish.lookahead import best_move
from parlour.core.game import Action, Seat
from parlour.games.fish.board import Spot
from parlour.games.fish.notation import write_move
from parlour.games.fish.position import Position, Side


class FishManner(Enum):
    """A way in which a seat may play."""

    SEARCHES = "searches"
    GRABS = "grabs"  # places on, and moves to, the tile with the most fish
    RECKONS = "reckons"  # places on the first free tile; moves for the most fish in two turns, like the course's player


PRIOR = {FishManner.SEARCHES: 0.5, FishManner.GRABS: 0.25, FishManner.RECKONS: 0.25}
SURE = 0.9
"""Probability that a player with a simple manner follows that manner."""
TEMPTED = 0.3
"""Probability that a searcher chooses the action of a simple manner."""
FLOOR = 0.01
Turn = tuple[Spot, ...]
"""The spot of a placement, or the start and end of a move."""


def favourite(manner: FishManner, position: Position, seat: Seat) -> Turn:
    """Return the action of a seat with a simple manner."""
    board = position.board
    if position.stage == "placement":
        free = position.placements()
        return (max(free, key=board.__getitem__) if manner is FishManner.GRABS else free[0],)
    if manner is FishManner.GRABS:
        return min(position.moves(seat), key=lambda move: (-board[move[1]], move))
    move = best_move(position, 2)
    assert move is not None, "whoever is to act can move"
    return move


class Beliefs:
    """The estimated manner of each other player, updated at each own turn."""

    def __init__(self) -> None:
        self._weights: dict[Seat, dict[FishManner, float]] = {}
        self._after: Position | None = None
        """The position after the player's own last action."""

    def weights(self, seat: Seat) -> dict[FishManner, float]:
        """Return the probability of each manner."""
        return self._weights.get(seat, PRIOR)

    def acted(self, position: Position, seat: Seat, action: Action) -> None:
        """Store the position after the player's own action."""
        self._after, _ = position.apply({seat: action})

    def observe(self, position: Position, me: Seat) -> None:
        """Update the beliefs by the others' actions since the last own one, as far as the position shows them."""
        at, self._after = self._after, None
        seen: set[Seat] = set()
        while at is not None and (to_act := at.to_act()) and to_act[0] != me and to_act[0] not in seen:
            seat = to_act[0]
            if seat not in position.alive() or (turn := _turn(at, position, seat)) is None:
                return
            self._weigh(at, seat, turn)
            seen.add(seat)
            at, _ = at.apply({seat: list(turn[0]) if len(turn) == 1 else write_move((turn[0], turn[1]))})

    def _weigh(self, position: Position, seat: Seat, turn: Turn) -> None:
        count = len(position.placements()) if position.stage == "placement" else len(position.moves(seat))
        if count < 2:
            return
        liked = {m: favourite(m, position, seat) for m in FishManner if m is not FishManner.SEARCHES}
        favourites = set(liked.values())
        rest = max(1, count - len(favourites))
        found = {
            manner: weight * (SURE if liked[manner] == turn else (1 - SURE) / (count - 1))
            if manner in liked
            else weight * (TEMPTED / len(favourites) if turn in favourites else (1 - TEMPTED) / rest)
            for manner, weight in self.weights(seat).items()
        }
        total = sum(found.values())
        spread = 1 - FLOOR * len(found)
        self._weights[seat] = {manner: FLOOR + spread * value / total for manner, value in found.items()}


def _turn(before: Position, after: Position, seat: Seat) -> Turn | None:
    """Return a seat's action between two positions; None if it was not exactly one action."""
    gone = set(_side(before, seat).penguins) - set(_side(after, seat).penguins)
    come = set(_side(after, seat).penguins) - set(_side(before, seat).penguins)
    if before.stage == "placement":
        spots = [spot for spot in come if spot in before.placements()]
        return (spots[0],) if len(come) == len(spots) == 1 and not gone else None
    if len(gone) != 1 or len(come) != 1:
        return None
    move = (*gone, *come)
    return move if move in set(before.moves(seat)) else None


def _side(position: Position, seat: Seat) -> Side:
    return next(side for side in position.sides if side.seat == seat)


def percent(weights: Iterable[dict[FishManner, float]], manner: FishManner) -> list[int]:
    """Return the probability of a manner for each seat, in percent."""
    return [round(100 * weight[manner]) for weight in weights]
