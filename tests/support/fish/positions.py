"""Positions of Fish for tests: by random play, and as games of the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator

from parlour.games.fish.game import GAME
from parlour.games.fish.position import COLOURS, Position
from support.fish.oracle import OracleGame


def random_game(rows: int, cols: int, players: int, seed: int, holes: int = 0) -> Iterator[Position]:
    """Yield every position of a game of random actions."""
    rng = random.Random(seed)
    position = GAME.start({"rows": rows, "cols": cols, "holes": holes}, COLOURS[:players], seed)
    yield position
    while to_act := position.to_act():
        position, _ = position.apply({to_act[0]: position.sample(to_act[0], rng)})
        yield position


def oracle_of(position: Position) -> OracleGame:
    """Return the same position for the oracle."""
    game = OracleGame(position.board.rows(), [side.penguins for side in position.sides])
    game.scores = [side.score for side in position.sides]
    return game
