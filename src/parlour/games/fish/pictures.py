"""Fish for folders of pictures and for pages: the sheet, frames, results of moves, and legal moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

from parlour.core import game as core
from parlour.core.events import TurnEnded
from parlour.core.game import Plain, Seat
from parlour.core.marks import Mark, group
from parlour.core.pictures import ActionResult, Bond, Frame, Sheet, Turning
from parlour.games.fish.board import MAX_SIDE, Board
from parlour.games.fish.draw import FishPicture, svg
from parlour.games.fish.draw.picture import key_of
from parlour.games.fish.draw.symbols import definitions
from parlour.games.fish.draw.theme import THEMES
from parlour.games.fish.position import COLOURS, Position, Side


class FishPictures:
    """The pictures of Fish for folders and web pages."""

    def name(self, before: core.Position, turn: int) -> str:
        """Return the name of a turn for files: its number and kind, for example 0012-move."""
        return f"{turn:04}-{before.stage}"

    def picture(
        self, after: core.Position, turn: TurnEnded, *, theme: str, width: int | None, names: Mapping[str, str]
    ) -> str:
        """Return the position after a turn as SVG, with the action of the turn."""
        return svg(_fish(after), theme=theme, names=names, last=_done(turn), width=width)

    def sheet(self, position: core.Position) -> Sheet:
        """Return the sheet of the board's size."""
        board = _fish(position).board
        return _sheet(board.height, board.width)

    def sheet_named(self, key: str) -> Sheet | None:
        """Return the sheet with the rows and columns of the key, for example 5x4; None for another key."""
        sides = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]?)", key)
        if sides is None or not all(int(side) <= MAX_SIDE for side in sides.groups()):
            return None
        return _sheet(int(sides[1]), int(sides[2]))

    def label(self, position: core.Position, turn: int) -> tuple[str, str]:
        """Return the number of the turn."""
        return str(turn), f"Turn {turn}" if turn else "The start"

    def frame(self, position: core.Position) -> Frame:
        """Return the drawing of a position: tiles, penguins and scores."""
        here = _fish(position)
        picture, outcome = FishPicture(here), here.outcome()
        acting = ", ".join(here.to_act())
        title = (
            f"over: {outcome.reason}" if outcome else f"{acting} {'places' if here.stage == 'placement' else 'moves'}"
        )
        left = here.board.fish.count(0)
        return Frame(
            name=str(sum(side.tiles for side in here.sides) + len(here.occupied())),
            title=title,
            stage=here.stage,
            layers={
                "water": tuple(picture.water()),
                "floes": tuple(picture.floes()),
                "penguins": tuple(picture.penguins()),
                "numbers": tuple(picture.numbers()),
            },
            scores={str(side.seat): {"fish": side.score, "tiles": side.tiles} for side in here.sides},
            facts={
                "fish": {key_of(spot): here.board[spot] for spot in here.board.tiles()},
                "penguins": {key_of(spot): str(seat) for spot, seat in here.occupied().items()},
                "each": here.each,
                "melted": left,
            },
        )

    def turning(self, before: core.Position, after: core.Position, turn: TurnEnded) -> Turning:
        """Return the placement, move or pass of a turn."""
        results, moved = [], []
        trail = tuple(FishPicture(_fish(after), last=_done(turn)).trail())
        for seat, action in turn.actions.items():
            ends = [tuple(spot) for spot in action] if isinstance(action, list) and isinstance(action[0], list) else []
            if ends:
                moved += [(f"p{key_of(a)}", f"p{key_of(b)}") for a, b in pairwise(ends)]
                caught = _fish(before).board[ends[0]]
                text = f"{key_of(ends[0])} to {key_of(ends[1])}, {caught} fish"
            elif isinstance(action, list):
                text = f"on {action[0]},{action[1]}"
            else:
                text = str(action)
            layers = {"trail": group(*trail)} if trail else {}
            results.append(ActionResult(seat=seat, text=text, layers=layers, default=seat in turn.defaulted))
        results += [ActionResult(seat=str(seat), text="passes") for seat in turn.passed]
        return Turning(tuple(results), tuple(moved))

    def planned(self, position: core.Position, orders: Iterable[tuple[str, Plain]]) -> tuple[ActionResult, ...]:
        """Return nothing: in Fish an action is carried out at once."""
        return ()

    def bonds(self, position: core.Position, bonds: Iterable[Bond]) -> dict[str, tuple[Mark, ...]]:
        """Return nothing: Fish has no press."""
        return {}

    def breach(self, position: core.Position, seat: str, order: str) -> dict[str, Mark]:
        """Return nothing: Fish has no promises."""
        return {}

    def choices(self, position: core.Position, seat: Seat) -> Plain:
        """Return the legal placements or moves."""
        return list(position.legal(seat))


def _fish(position: core.Position) -> Position:
    assert isinstance(position, Position)
    return position


def _done(turn: TurnEnded) -> Plain:
    return next(iter(turn.actions.values()), None)


@lru_cache(maxsize=32)
def _sheet(height: int, width: int) -> Sheet:
    empty = FishPicture(Position(Board(height, width, bytes(height * width)), (Side(COLOURS[0]),), 1))
    across, down = empty.size
    return Sheet(
        key=f"{height}x{width}",
        view=(0, 0, round(across, 1), round(down, 1)),
        after=True,
        layers=tuple(("marks", name) for name in ("water", "floes", "trail", "penguins", "numbers")),
        paints={name: dict(paints) for name, paints in THEMES.items()},
        defs=definitions(),
        places={
            key_of(spot): {"at": list(empty.at(spot)), "name": f"row {spot[0]}, column {spot[1]}"}
            for spot in empty.position.board.spots()
        },
        seats={
            str(seat): {"title": str(seat).capitalize(), "unit": str(seat), "line": f"{seat}-line", "symbol": "penguin"}
            for seat in COLOURS
        },
    )


PICTURES = FishPictures()
