"""The position of a game of Fish: board, penguins, scores, the player to act, and the rules."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import ClassVar, Self, TypeAlias

import msgspec

from parlour.core.game import Action, FoulKind, Happened, Outcome, Plain, Seat, Violation, ranked
from parlour.core.viewers import Viewer
from parlour.errors import IllegalAction, NotYourTurn
from parlour.games.fish.board import MAX_FISH, Board, Spot, neighbours
from parlour.games.fish.cached import cached

COLOURS = tuple(Seat(colour) for colour in ("red", "white", "brown", "black"))
"""The seats, in the order in which they are taken."""

SKIP = "skip"
"""The action of a player who passes, which a player cannot choose."""

Move: TypeAlias = tuple[Spot, Spot]


@dataclass(frozen=True, slots=True)
class Rules:
    """Switches for rules of the boxed game that differ from the course's; all are off by default."""

    one_fish_placement: bool = False
    """True if penguins are placed only on tiles with one fish."""
    cash_last_tile: bool = False
    """True if the fish under standing penguins count at the end."""
    tiles_break_ties: bool = False
    """True if more tiles win among equal scores."""
    end_when_alone: bool = False
    """True if the game ends when a single player remains."""


SWITCHES = tuple(field.name for field in fields(Rules))


class Side(msgspec.Struct, frozen=True, gc=False):
    """A player's penguins and the fish that they collected."""

    seat: Seat
    penguins: tuple[Spot, ...] = ()
    score: int = 0
    tiles: int = 0


class Position(msgspec.Struct, frozen=True, dict=True):  # caches values that are requested often
    """A position of Fish; sides are in turn order, the first is to act."""

    board: Board
    sides: tuple[Side, ...]
    each: int
    """Number of penguins that every player places."""
    rules: Rules = Rules()
    _allowed: ClassVar[Move | None] = None
    """The last move that was checked and allowed here; it is not checked again when it is played."""

    # The position

    @cached
    def stage(self) -> str:
        """The stage: placement until every player has placed all penguins, then move."""
        for side in self.sides:
            if len(side.penguins) < self.each:
                return "placement"
        return "move"

    def to_act(self) -> tuple[Seat, ...]:
        """Return the only seat to act; no seat when the game is over."""
        return () if self._over else (self.sides[0].seat,)

    def alive(self) -> tuple[Seat, ...]:
        """Return the seats that were not removed, in the order of the colours."""
        return self._alive

    def side(self, seat: Seat) -> Side:
        """Return the penguins and score of a seat that is still in the game.

        Raises:
            NotYourTurn: The seat is not in the game.
        """
        for side in self.sides:
            if side.seat == seat:
                return side
        raise NotYourTurn(f"{seat} is not in this game")

    def occupied(self) -> Mapping[Spot, Seat]:
        """Return the seat of the penguin on each occupied place."""
        return MappingProxyType(self._occupied)

    def moves(self, seat: Seat) -> list[Move]:
        """Return the moves that the seat would have if it were to act, by origin, then by destination."""
        found: list[Move] = []
        for start in sorted(self.side(seat).penguins):
            found.extend((start, end) for end in sorted(self._reach(start)))
        return found

    def placements(self) -> list[Spot]:
        """Return the places where a penguin may be placed, in row-major order."""
        taken, wanted = self._taken, self._wanted_fish()
        return [
            spot
            for spot, fish in zip(self.board.spots(), self.board.fish, strict=True)
            if fish in wanted and spot not in taken
        ]

    # Legal actions

    def legal(self, seat: Seat) -> Sequence[Plain]:
        """Return the actions of the seat: [row, column] when placing, [[row, column], [row, column]] when moving."""
        if (seat,) != self.to_act():
            return []
        if self.stage == "placement":
            return [list(spot) for spot in self.placements()]
        return [[list(start), list(end)] for start, end in self.moves(seat)]

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        """Return one legal action, drawn at random.

        Args:
            seat: Colour of a player, for example red.
            rng: Source of randomness.

        Raises:
            NotYourTurn: The seat has no legal action.
        """
        legal = self.legal(seat)
        if not legal:
            raise NotYourTurn(f"{seat} is not to act")
        return rng.choice(legal)

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        """Return the violations of an action: none if it is allowed.

        Kinds are the error types of the player interface, or garbled.

        Args:
            seat: Colour of a player, for example red.
            action: Placement or move.
        """
        found = self._violation(seat, action)
        return () if found is None else (found,)

    def repair(self, seat: Seat, action: Action) -> Action | None:
        """Return the action itself if it is allowed; a part of a move is not a move.

        Args:
            seat: Colour of a player, for example red.
            action: Placement or move.
        """
        return None if self.check(seat, action) else action

    def default(self, seat: Seat) -> Action | None:
        """Return None: an absent player of Fish commits a foul.

        Args:
            seat: Colour of a player, for example red.
        """
        return None

    # Next positions

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Self, Happened]:
        """Return the position after the action of the seat to act, or after it passed.

        Stuck players are passed over.

        Args:
            actions: Action of the seat to act; empty if it passes.

        Raises:
            NotYourTurn: Another seat is to act.
            IllegalAction: The rules do not allow the action.
        """
        to_act = self.to_act()
        if not to_act or not actions.keys() <= {*to_act}:
            raise NotYourTurn(f"{', '.join(sorted(actions.keys() - to_act)) or 'nobody'} is not to act")
        (seat,) = to_act
        action = actions.get(seat, SKIP)
        if seat in actions and (violation := self._violation(seat, action)) is not None:
            raise IllegalAction(violation.message, seat=seat, part=violation.part)
        position = self.after(action)
        fish = position.sides[-1].score - self.sides[0].score
        settled, skips = position._settled()
        plain = action if isinstance(action, str) else _plain(action)
        return settled, {"stage": self.stage, "seat": seat, "action": plain, "fish": fish, "skips": list(skips)}

    def after(self, action: Action) -> Self:
        """Return the position after a legal action or skip of the first side, which becomes the last side.

        The action is not checked.
        """
        first, *rest = self.sides
        board, taken = self.board, self._taken
        if action == SKIP:
            pass
        elif self.stage == "placement":
            spot = (action[0], action[1])
            first = Side(first.seat, (*first.penguins, spot), first.score, first.tiles)
            taken |= {spot}
        else:
            start, end = (action[0][0], action[0][1]), (action[1][0], action[1][1])
            penguins = tuple([end if spot == start else spot for spot in first.penguins])
            first = Side(first.seat, penguins, first.score + board[start], first.tiles + 1)
            board = board.melted(start)
            taken = taken - {start} | {end}
        position = type(self)(board, (*rest, first), self.each, self.rules)
        # The next position need not compute these values again.
        position.__dict__.update(_alive=self._alive, _taken=taken)
        return position

    def without(self, seat: Seat) -> Self:
        """Return the position without that player: its penguins vanish, the tiles under them stay.

        Args:
            seat: Colour of a player, for example red.
        """
        return msgspec.structs.replace(self, sides=tuple(side for side in self.sides if side.seat != seat))._settled()[
            0
        ]

    def can_move(self, side: Side) -> bool:
        """Return True if any penguin of the side has a free tile beside it."""
        fish, width, taken = self.board.fish, self.board.width, self._taken
        beside = neighbours(self.board.height, width)
        for row, column in side.penguins:
            for there in beside[row * width + column]:
                if fish[there[0] * width + there[1]] and there not in taken:
                    return True
        return False

    def view(self, viewer: Viewer) -> Self:
        """Return the position itself: nothing in Fish is hidden.

        Args:
            viewer: Viewer, for example a seat or a spectator.
        """
        return self

    # Outcome

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while somebody can move. More fish are better; equal results share a place."""
        if not self._over:
            return None
        if not self.sides:
            return Outcome(scores={}, places=(), reason="no players remain")
        reason = "one player remains" if self._alone() else "nobody can move"
        scores = self.scores()
        if not self.rules.tiles_break_ties:
            return ranked(scores, self.alive(), reason)
        tiles = {side.seat: side.tiles for side in self.sides}
        keys = sorted({(scores[seat], tiles[seat]) for seat in scores}, reverse=True)
        places = tuple(tuple(str(s) for s in self.alive() if (scores[s], tiles[s]) == key) for key in keys)
        return Outcome(scores={str(s): float(scores[s]) for s in scores}, places=places, reason=reason)

    def scores(self) -> dict[Seat, int]:
        """Return the fish of each seat that plays, with the fish under its penguins where the rules count them."""
        return {seat: self._score(self.side(seat)) for seat in self.alive()}

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        """Return the outcome in which these seats share first place and the others follow by score.

        Args:
            among: Seats that share the first place.
        """
        scores = self.scores()
        sharing = [seat for seat in self.alive() if seat in among]
        rest = ranked(scores, [seat for seat in self.alive() if seat not in among], "draw")
        return Outcome(
            scores={str(s): float(scores[s]) for s in scores},
            places=((tuple(map(str, sharing)),) if sharing else ()) + rest.places,
            reason="draw",
        )

    # Notation

    def encode(self) -> Plain:
        """Return the course's State with more fields: tiles, penguins per player, rules that are on."""
        return {
            "board": self.board.rows(),
            "players": [
                {
                    "color": side.seat,
                    "score": side.score,
                    "places": [list(spot) for spot in side.penguins],
                    "tiles": side.tiles,
                }
                for side in self.sides
            ],
            "penguins": self.each,
            "rules": [name for name in SWITCHES if getattr(self.rules, name)],
        }

    def __str__(self) -> str:
        from parlour.games.fish.draw import text

        return text(self)

    def _repr_svg_(self) -> str:
        from parlour.games.fish.draw import svg

        return svg(self)

    # Internals

    def _alone(self) -> bool:
        return self.rules.end_when_alone and len(self.sides) == 1

    @cached
    def _alive(self) -> tuple[Seat, ...]:
        return tuple(sorted((side.seat for side in self.sides), key=COLOURS.index))

    @cached
    def _occupied(self) -> Mapping[Spot, Seat]:
        return {spot: side.seat for side in self.sides for spot in side.penguins}

    @cached
    def _taken(self) -> frozenset[Spot]:
        return frozenset([spot for side in self.sides for spot in side.penguins])

    @cached
    def _over(self) -> bool:
        return self._next is None or self._alone()

    @cached
    def _next(self) -> int | None:
        """The index of the first side that can act; None if none can."""
        placing = self.stage == "placement"
        for place, side in enumerate(self.sides):
            if len(side.penguins) < self.each if placing else self.can_move(side):
                return place
        return None

    def _settled(self) -> tuple[Self, tuple[Seat, ...]]:
        """Return the position with the first side that can act in front, and the stuck seats that were passed over."""
        passed = None if self._over else self._next
        if not passed:
            return self, ()
        sides = self.sides[passed:] + self.sides[:passed]
        skips = () if self.stage == "placement" else tuple(side.seat for side in self.sides[:passed])
        position = type(self)(self.board, sides, self.each, self.rules)
        position.__dict__.update(stage=self.stage, _alive=self._alive, _taken=self._taken, _next=0, _over=False)
        return position, skips

    def _score(self, side: Side) -> int:
        standing = sum(self.board[spot] for spot in side.penguins) if self.rules.cash_last_tile else 0
        return side.score + standing

    def _wanted_fish(self) -> range:
        """Return the numbers of fish of a tile that accepts a penguin."""
        return range(1, 2) if self.rules.one_fish_placement else range(1, MAX_FISH + 1)

    def _reach(self, start: Spot) -> list[Spot]:
        fish, width, taken = self.board.fish, self.board.width, self._taken
        found: list[Spot] = []
        for ray in self.board.rays(start):
            for there in ray:
                if not fish[there[0] * width + there[1]] or there in taken:
                    break
                found.append(there)
        return found

    def _reaches(self, start: Spot, end: Spot) -> bool:
        """Return True if end is among the places that _reach gives, without listing them all."""
        fish, width = self.board.fish, self.board.width
        for ray in self.board.rays(start):
            if end in ray:
                way = ray[: ray.index(end) + 1]
                return all(fish[row * width + column] for row, column in way) and self._taken.isdisjoint(way)
        return False

    def _violation(self, seat: Seat, action: Action) -> Violation | None:
        if (seat,) != self.to_act():
            return Violation("out of turn", _quote(action), f"It is not {seat}'s turn.")
        if self.stage == "placement":
            return self._placement_violation(action)
        return self._move_violation(seat, action)

    def _placement_violation(self, action: Action) -> Violation | None:
        spot = _spot(action)
        if spot is None:
            return _garbled(action, "a placement is [row, column]")
        if spot not in self.board:
            return Violation("placement", _quote(action), "That spot is not on the board.")
        if not self.board[spot]:
            return Violation("placement", _quote(action), "There is a hole in that spot.")
        if spot in self._taken:
            return Violation("placement", _quote(action), "There is already a penguin in that spot.")
        if self.board[spot] not in self._wanted_fish():
            return Violation("placement", _quote(action), "Penguins are placed on tiles with one fish.")
        return None

    def _move_violation(self, seat: Seat, action: Action) -> Violation | None:
        if isinstance(action, str) and action.lower() == SKIP:
            return Violation("move to location", SKIP, f"{seat} can move, so it may not skip.")
        pair = [_spot(part) for part in action] if isinstance(action, (list, tuple)) and len(action) == 2 else []
        if len(pair) != 2 or pair[0] is None or pair[1] is None:
            return _garbled(action, "a move is [[row, column], [row, column]]")
        start, end = pair[0], pair[1]
        if (start, end) == self._allowed:
            return None
        if start not in self.sides[0].penguins:
            whose = f"{self._occupied[start]}'s penguin is" if start in self._taken else "No penguin is"
            return Violation("move from location", _quote(action[0]), f"{whose} in that spot.")
        if not self._reaches(start, end):
            return Violation("move to location", _quote(action[1]), "This penguin can not reach that location.")
        self.__dict__["_allowed"] = (start, end)
        return None


def _spot(value: Plain) -> Spot | None:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    row, column = value
    return (row, column) if type(row) is int and type(column) is int else None


def _plain(action: Action) -> Plain:
    """Return a placement or a move that was checked, as new lists."""
    return [part if type(part) is int else list(part) for part in action]


def _garbled(action: Action, expected: str) -> Violation:
    return Violation("garbled", _quote(action), f"{_quote(action)} is not understood: {expected}.", FoulKind.GARBLED)


def _quote(value: Plain, depth: int = 3) -> str:
    """Return the value as text, however large, deep or strange it is, in at most 60 characters."""
    if isinstance(value, (list, tuple)):
        parts = ", ".join(_quote(part, depth - 1) for part in value[:4]) if depth else "..."
        text = f"[{parts}, ...]" if len(value) > 4 else f"[{parts}]"
    elif isinstance(value, int) and not -(10**12) < value < 10**12:
        text = "a huge number"
    elif isinstance(value, (str, int, float)) or value is None:
        text = repr(value[:60] if isinstance(value, str) else value)
    else:
        text = "an object" if isinstance(value, dict) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
