"""A position as a picture: floes with their fish, penguins of the players, the last move, names and scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from parlour.core.game import Plain, Seat
from parlour.core.marks import Mark, group, keyed, mark, text_of
from parlour.core.text import printable
from parlour.games.fish.board import Spot
from parlour.games.fish.draw.plain import LETTERS, summary
from parlour.games.fish.draw.symbols import RISE, SIDE, THICK, definitions, hexagon
from parlour.games.fish.draw.theme import theme_named
from parlour.games.fish.position import COLOURS, Move, Position

EDGE = 30.0
"""Room round the board, for the numbers of rows and columns."""
STRIP = 64.0
"""Height of the strip with the players."""

_FONT = "Verdana,'DejaVu Sans',Helvetica,sans-serif"
_SHOALS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((0, -8), (0, 8)),
    3: ((0, -12), (-11, 6), (11, 6)),
    4: ((-11, -8), (11, -8), (-11, 8), (11, 8)),
    5: ((-12, -12), (12, -12), (0, 0), (-12, 12), (12, 12)),
}
"""Places of a tile's fish, by their number."""
_CELL = 210.0
"""Least width of a player's part of the strip."""


def svg(
    position: Position,
    *,
    theme: str = "light",
    names: Mapping[str, str] | None = None,
    last: Plain = None,
    width: int | None = None,
) -> str:
    """Return the position as SVG text; names has the player of each colour, last is the action that led here."""
    return FishPicture(position, names or {}, last).svg(theme, width)


@dataclass(frozen=True)
class FishPicture:
    """A position, layer by layer."""

    position: Position
    names: Mapping[str, str] = field(default_factory=dict)
    last: Plain = None
    """The placement or move that led here, as an action."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the board with its edge; the strip of players comes below it."""
        board = self.position.board
        across = SIDE * (3 * board.width + (0.5 if board.height > 1 else -1)) + SIDE * (board.height == 1)
        return across + 2 * EDGE, RISE * (board.height + 1) + THICK + 2 * EDGE

    def at(self, spot: Spot) -> tuple[float, float]:
        """Return the middle of a tile."""
        row, column = spot
        return round(EDGE + SIDE + 1.5 * SIDE * (2 * column + row % 2), 1), round(EDGE + RISE * (row + 1), 1)

    def svg(self, theme: str, width: int | None) -> str:
        """Return all layers as one picture."""
        paints = theme_named(theme)
        across, down = self.size
        players = list(self.players())
        whole = max(across, 2 * EDGE + _CELL * len(players))
        down += STRIP
        size = f' width="{width}" height="{round(width * down / whole)}"' if width else ""
        board = group(
            *self.water(), *self.floes(), *self.trail(), *self.penguins(), *self.numbers(),
            transform=f"translate({round((whole - across) / 2, 1):g} 0)",
        )  # fmt: skip
        marks = (
            mark("title", summary(self.position)),
            mark("defs", *definitions()),
            mark("rect", width=round(whole, 1), height=round(down, 1), fill="$page"),
            mark("rect", x=8, y=8, width=round(whole - 16, 1), height=round(down - STRIP - 12, 1), rx=14, fill="$sea"),
            board,
            group(*self._strip(players, whole), transform=f"translate(0 {down - STRIP:g})", class_="players"),
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole:g} {down:g}"{size} font-family="{_FONT}">'
            f"{text_of(marks, paints)}</svg>\n"
        )

    def water(self) -> Iterator[Mark]:
        """Yield the places without a tile."""
        for spot in self.position.board.spots():
            if not self.position.board[spot]:
                place = _moved(self.at(spot))
                yield keyed(
                    f"w{key_of(spot)}",
                    mark("path", d=hexagon(-5), transform=place, fill="none", stroke="$ripple", stroke_width=1.5,
                         stroke_dasharray="3 6", stroke_linecap="round"),
                )  # fmt: skip

    def floes(self) -> Iterator[Mark]:
        """Yield the tiles with their fish; under a penguin a number counts them."""
        occupied = self.position.occupied()
        for spot in self.position.board.tiles():
            fish = self.position.board[spot]
            shoal: tuple[Mark, ...]
            if spot in occupied:
                shoal = (
                    mark("use", href="#fish", transform="translate(14 18.5) scale(.62)"),
                    _words(str(fish), 2.5, 22.5, 11, fill="$ice-ink", font_weight=700, text_anchor="middle"),
                )
            else:
                scale = "" if fish < 3 else " scale(.88)"
                shoal = tuple(
                    mark("use", href="#fish", transform=f"translate({x:g} {y:g}){scale}") for x, y in _SHOALS[fish]
                )
            title = mark("title", f"row {spot[0]}, column {spot[1]}: {fish} fish")
            yield keyed(
                key_of(spot),
                group(title, mark("use", href="#floe"), *shoal, class_="tile", data_spot=key_of(spot),
                      transform=_moved(self.at(spot))),
            )  # fmt: skip

    def penguins(self) -> Iterator[Mark]:
        """Yield the penguins from top to bottom, so that lower ones are drawn in front."""
        for spot, seat in sorted(self.position.occupied().items()):
            x, y = self.at(spot)
            yield keyed(
                f"p{key_of(spot)}",
                group(
                    mark("title", f"{seat}, row {spot[0]}, column {spot[1]}"),
                    mark("use", href="#penguin", fill=f"${seat}"),
                    _words(LETTERS[seat], 0, 12.5, 11, fill=f"${seat}-letter",
                           font_weight=700, text_anchor="middle", class_="letter"),
                    class_="penguin", data_seat=str(seat), data_spot=key_of(spot), transform=_moved((x, y - 9)),
                ),
            )  # fmt: skip

    def trail(self) -> Iterator[Mark]:
        """Yield the marks of the last action: the start and end of a move, or the tile of a placement."""
        ends = _ends(self.last)
        if not ends:
            return
        for spot in ends[:1] if len(ends) == 2 else ():
            yield keyed("from", mark("path", d=hexagon(-8), transform=_moved(self.at(spot)), fill="none",
                                     stroke="$trail", stroke_width=2.5, stroke_dasharray="2 6",
                                     stroke_linecap="round"))  # fmt: skip
        if len(ends) == 2:
            (a, b), (c, d) = self.at(ends[0]), self.at(ends[1])
            part = 1 - 0.9 * RISE / math.dist((a, b), (c, d))  # a shorter line does not cover the number at its end
            c, d = round(a + (c - a) * part, 1), round(b + (d - b) * part, 1)
            line = f"M{a:g} {b:g}L{c:g} {d:g}"
            both = (("$halo", 6.5, None), ("$trail", 2.8, "1 7"))
            strokes = (mark("path", d=line, stroke=s, stroke_width=w, stroke_dasharray=dash) for s, w, dash in both)
            yield keyed("line", group(*strokes, fill="none", stroke_linecap="round", opacity=0.9))
        yield keyed("to", mark("path", d=hexagon(-1.6), transform=_moved(self.at(ends[-1])), fill="none",
                               stroke="$trail", stroke_width=3, stroke_linejoin="round"))  # fmt: skip

    def numbers(self) -> Iterator[Mark]:
        """Yield the numbers of the rows at the left and of the columns at the top."""
        board = self.position.board
        style: dict[str, str | float] = {"fill": "$ink", "text_anchor": "middle", "opacity": 0.75}
        for row in range(board.height):
            yield _words(str(row), 19, self.at((row, 0))[1] + 4, 11, **style)
        for column in range(board.width):
            yield _words(str(column), self.at((0, column))[0], 24, 11, **style)

    def players(self) -> Iterator[tuple[Seat, str, int | None]]:
        """Yield every seat in the order of colours, with its player's name and its score; None after a removal."""
        scores = self.position.scores()
        for seat in COLOURS:
            if seat in scores or seat in self.names:
                yield seat, self.names.get(seat, ""), scores.get(seat)

    def _strip(self, players: list[tuple[Seat, str, int | None]], whole: float) -> Iterator[Mark]:
        acting = self.position.to_act()
        each = (whole - 2 * EDGE) / max(len(players), 1)
        for number, (seat, name, score) in enumerate(players):
            acts = seat in acting
            verb = "to place" if self.position.stage == "placement" else "to move"
            room = int((each - 120) / 8.8)
            state = "out" if score is None else verb if acts else str(seat) if name else ""
            yield group(
                mark("rect", x=-24, y=6, width=round(each - 10, 1), height=STRIP - 16, rx=10, fill="$sea",
                     opacity=0.75 if acts else 0.3),
                mark("use", href="#penguin", fill=f"${seat}", transform="translate(2 31) scale(.86)"),
                _words(_shortened(name, room) or str(seat), 26, 29, 14, fill="$ink", font_weight=700),
                _words(state, 26, 46, 12, fill="$faint" if not acts else "$ink"),
                _words("–" if score is None else str(score), round(each - 48, 1), 39, 24, fill="$ink",
                       font_weight=700, text_anchor="end"),
                transform=f"translate({EDGE + number * each + 24:.1f} 0)",
                opacity=0.55 if score is None else None,
            )  # fmt: skip


def _ends(action: Plain) -> tuple[Spot, ...]:
    """Return the tiles of an action: one for a placement, two for a move, otherwise none."""
    if not isinstance(action, (list, tuple)) or len(action) != 2:
        return ()
    first, second = action
    if isinstance(first, int):
        return ((first, second),)
    move: Move = (first[0], first[1]), (second[0], second[1])
    return move


def _shortened(name: str, room: int) -> str:
    """Return a name with the middle left out if it is too long; bots of one folder differ at both ends."""
    name = printable(name)
    if len(name) <= room:
        return name
    half = max(room - 1, 2) // 2
    return f"{name[: room - 1 - half]}…{name[-half:]}"


def key_of(spot: Spot) -> str:
    """Return the key of a tile on pages: row,column."""
    return f"{spot[0]},{spot[1]}"


def _moved(point: tuple[float, float]) -> str:
    return f"translate({point[0]:g} {point[1]:g})"


def _words(text: str, x: float, y: float, size: float, **more: str | float) -> Mark:
    return mark("text", text, x=x, y=y, font_size=size, **more)
