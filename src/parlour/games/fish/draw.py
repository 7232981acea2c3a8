"""Pictures of a position: hexagons in plain text for the terminal, and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from parlour.core.game import Seat
from parlour.games.fish.board import Spot
from parlour.games.fish.position import Position

LETTERS = {"red": "R", "white": "W", "brown": "B", "black": "K"}
_FILLS = {"red": "#d03a2f", "white": "#ffffff", "brown": "#8a5a2b", "black": "#222222"}

_MARGIN = 4  # columns of text left of the board, for row numbers
_SIDE = 30.0  # of a hexagon, in SVG units


def text(position: Position) -> str:
    """The board as hexagons with fish and penguins, row numbers at the left, and the scores below."""
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
    return "\n".join([*lines, _summary(position)])


def _inside(position: Position, penguins: Mapping[Spot, Seat], spot: Spot) -> str:
    seat = penguins.get(spot)
    return f"{position.board[spot]}{LETTERS[seat] if seat else ' '}"


def _summary(position: Position) -> str:
    scores = ", ".join(f"{seat} ({LETTERS[seat]}) {score}" for seat, score in position.scores().items())
    outcome = position.outcome()
    if outcome is not None:
        return f"{scores or 'nobody'}; over: {outcome.reason}"
    verb = "to place a penguin" if position.stage == "placement" else "to move"
    return f"{scores}; {position.to_act()[0]} {verb}"


def svg(position: Position) -> str:
    """The board as an SVG picture: a hexagon a tile, its fish as dots, penguins in their colours."""
    board, penguins = position.board, position.occupied()
    rise = _SIDE * 3**0.5 / 2
    width = _SIDE * (3 * board.width + 0.5) + 8
    height = rise * (board.height + 1) + 32
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif">',
        f"<title>{escape(_summary(position))}</title>",
    ]
    for row, column in board.tiles():
        x = 4 + _SIDE + 1.5 * _SIDE * (2 * column + row % 2)
        y = 4 + rise * (row + 1)
        parts.append(_hexagon(x, y, rise))
        parts.append(_dots(x, y - (9 if (row, column) in penguins else 0), board[row, column]))
        if (row, column) in penguins:
            parts.append(_penguin(x, y + 7, penguins[row, column]))
    parts.append(
        f'<text x="6" y="{height - 8:.0f}" font-size="13" fill="#345">{escape(_summary(position))}</text></svg>'
    )
    return "\n".join(parts)


def _hexagon(x: float, y: float, rise: float) -> str:
    half = _SIDE / 2
    corners = ((-_SIDE, 0), (-half, -rise), (half, -rise), (_SIDE, 0), (half, rise), (-half, rise))
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="#dff1fb" stroke="#6aa6c8"/>'


def _dots(x: float, y: float, fish: int) -> str:
    first = x - 4 * (fish - 1)
    return "".join(f'<circle cx="{first + 8 * i:.1f}" cy="{y:.1f}" r="3" fill="#f08a24"/>' for i in range(fish))


def _penguin(x: float, y: float, seat: Seat) -> str:
    return (
        f'<g><title>{seat}</title><ellipse cx="{x:.1f}" cy="{y:.1f}" rx="8" ry="11" fill="{_FILLS[seat]}" '
        f'stroke="#111"/><ellipse cx="{x:.1f}" cy="{y + 2:.1f}" rx="4" ry="7" fill="#f6f2e6"/></g>'
    )
