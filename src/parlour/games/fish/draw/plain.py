"""A position as hexagons in plain text, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.core.game import Seat
from parlour.games.fish.board import Spot
from parlour.games.fish.position import Position

LETTERS = {"red": "R", "white": "W", "brown": "B", "black": "K"}

_MARGIN = 4  # columns of text left of the board, for row numbers


def text(position: Position) -> str:
    """Return the board as hexagons with fish and penguins, row numbers at the left, and the scores below."""
    board, penguins = position.board, position.occupied()
    width = _MARGIN + 5 * (2 * board.width + 1) + 1
    canvas = [[" "] * width for _ in range(board.height + 2)]

    def put(y: int, x: int, what: str) -> None:
        for offset, sign in enumerate(what):
            if sign != " ":
                canvas[y][x + offset] = sign

    for row, column in board.tiles():
        x = _MARGIN + 5 * (2 * column + row % 2)
        put(row, x + 1, "____")
        put(row + 1, x, f"/ {_inside(position, penguins, (row, column))} \\")
        put(row + 2, x, "\\____/")
    for row in range(board.height):
        put(row + 1, 0, f"{row:>2}")
    header = " " * _MARGIN + "".join(f"{column:>4}      " for column in range(board.width))
    lines = [header.rstrip(), *("".join(line).rstrip() for line in canvas)]
    return "\n".join([*lines, summary(position)])


def _inside(position: Position, penguins: Mapping[Spot, Seat], spot: Spot) -> str:
    seat = penguins.get(spot)
    return f"{position.board[spot]}{LETTERS[seat] if seat else ' '}"


def summary(position: Position) -> str:
    """Return scores and the player to act, or the result, in one line."""
    scores = ", ".join(f"{seat} ({LETTERS[seat]}) {score}" for seat, score in position.scores().items())
    outcome = position.outcome()
    if outcome is not None:
        return f"{scores or 'nobody'}; over: {outcome.reason}"
    verb = "to place a penguin" if position.stage == "placement" else "to move"
    return f"{scores}; {position.to_act()[0]} {verb}"
