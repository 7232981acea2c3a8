"""A slow, readable oracle for Fish, from the table of directions by even and odd rows; shares no code with src."""

from __future__ import annotations

from collections.abc import Sequence

Spot = tuple[int, int]
Move = tuple[Spot, Spot]

EVEN = {"N": (-2, 0), "NE": (-1, 0), "SE": (1, 0), "S": (2, 0), "SW": (1, -1), "NW": (-1, -1)}
ODD = {"N": (-2, 0), "NE": (-1, 1), "SE": (1, 1), "S": (2, 0), "SW": (1, 0), "NW": (-1, 0)}


def step(spot: Spot, direction: str) -> Spot:
    """Return the next place in a direction, on the board or not."""
    row, column = spot
    down, right = (ODD if row % 2 else EVEN)[direction]
    return row + down, column + right


class OracleGame:
    """A game in the stage of moves; penguins and scores by player, players in turn order from 0."""

    def __init__(self, rows: Sequence[Sequence[int]], penguins: Sequence[Sequence[Spot]]) -> None:
        self.ice = {(r, c): fish for r, row in enumerate(rows) for c, fish in enumerate(row) if fish}
        self.penguins = [list(own) for own in penguins]
        self.scores = [0] * len(self.penguins)

    def copy(self) -> OracleGame:
        """Return the same game, to be changed apart."""
        other = OracleGame([], self.penguins)
        other.ice = dict(self.ice)
        other.scores = list(self.scores)
        return other

    def moves(self, player: int) -> list[Move]:
        """Return all moves of a player by from, then to."""
        standing = {spot for own in self.penguins for spot in own}
        found: list[Move] = []
        for start in self.penguins[player]:
            for direction in EVEN:
                end = step(start, direction)
                while end in self.ice and end not in standing:
                    found.append((start, end))
                    end = step(end, direction)
        return sorted(found)

    def move(self, player: int, move: Move) -> None:
        """Move a penguin and take the tile it leaves."""
        start, end = move
        self.scores[player] += self.ice.pop(start)
        self.penguins[player][self.penguins[player].index(start)] = end

    def over(self) -> bool:
        """Return True if no player can move."""
        return not any(self.moves(player) for player in range(len(self.penguins)))

    def best_move(self, turns: int) -> Move | None:
        """Player 0's best move by its own score after so many own turns, all others against it; nothing is pruned."""
        best: tuple[int, Move] | None = None
        for move in self.moves(0):
            after = self.copy()
            after.move(0, move)
            value = after._value(1 % len(self.penguins), turns - 1)
            if best is None or value > best[0]:
                best = value, move
        return None if best is None else best[1]

    def _value(self, player: int, turns: int) -> int:
        if turns == 0 or self.over():
            return self.scores[0]
        following = (player + 1) % len(self.penguins)
        left = turns - 1 if player == 0 else turns
        values = []
        for move in self.moves(player):
            after = self.copy()
            after.move(player, move)
            values.append(after._value(following, left))
        if not values:
            return self._value(following, left)
        return max(values) if player == 0 else min(values)

    def best_difference(self, player: int = 0) -> int:
        """Of two players: what the one to move still gains on the other if both play best."""
        if self.over():
            return 0
        values = []
        for move in self.moves(player):
            after = self.copy()
            after.move(player, move)
            values.append(self.ice[move[0]] - after.best_difference(1 - player))
        return max(values) if values else -self.best_difference(1 - player)

    def best_harvest(self, player: int) -> int:
        """Return the most a player collects if all others stand still."""
        best = 0
        for move in self.moves(player):
            after = self.copy()
            after.move(player, move)
            best = max(best, self.ice[move[0]] + after.best_harvest(player))
        return best
