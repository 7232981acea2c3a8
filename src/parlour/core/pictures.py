"""A game's pictures: of its turns, and the board, frames and choices that a page consists of.

A game that can be drawn names them in its declaration, as `pictures`. Nothing outside the game depends on its pieces:
picture folders, pages and replays ask for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

import msgspec

from parlour.core.declaration import declaration_of, fetch
from parlour.core.events import TurnEnded
from parlour.core.game import Game, Plain, Position, Seat
from parlour.core.marks import Mark


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """The board of a page, which stays while pieces come and go."""

    key: str
    """The identity of the board: equal keys mean equal sheets."""
    view: tuple[float, float, float, float]
    """Left, top, width and height of the drawing."""
    layers: tuple[tuple[str, str], ...]
    """Kind and name of each layer, from the bottom. The kind is image, marks or canvas.

    A page paints a canvas, so that readers cannot point at its marks. A mark of a canvas has the fill of an outline and
    a stroke along the outlines named in data-along."""
    paints: dict[str, dict[str, str]]
    """Every colour that marks and images name, by theme."""
    defs: tuple[Mark, ...] = ()
    outlines: dict[str, str] = {}
    """Path data by id, in tenths, for images, tints and pointing."""
    bare: dict[str, tuple[Mark, ...]] = {}
    """By canvas, the marks to paint where the frame has no mark of the same key; they lie on the paint named paper."""
    images: dict[str, str] = {}
    """SVG without its outermost element; its colours are names of paints. %outlines% stands for all outlines as paths,
    %bare% for the path data of the outlines in `bare`."""
    transforms: dict[str, str] = {}
    """Transforms of those layers of marks that have one."""
    places: dict[str, Plain] = {}
    """The places that can be pointed at, in the game's own words."""
    seats: dict[str, dict[str, str]] = {}
    """The title of each seat for people, and the names of its paints."""
    after: bool = False
    """True if a turn's acts are drawn on the position after it, not on the position before it."""


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position on its sheet."""

    name: str
    """Short name, such as S1901M."""
    title: str
    """Title for people, such as Spring 1901, movement."""
    stage: str
    layers: dict[str, tuple[Mark, ...] | None]
    """Marks by layer; None means the same marks as in the frame before."""
    scores: dict[str, Plain] = {}
    """The score of each seat."""
    facts: dict[str, Plain] = {}
    """The position in the game's own words, for lists and for entering orders."""


class ActionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action of a seat in a turn, and its result."""

    seat: str
    text: str
    verdict: str = ""
    """The result in one word; empty if there is none."""
    failed: bool = False
    why: str = ""
    """The reason, as a sentence."""
    place: str = ""
    """The key of the piece that acted."""
    default: bool = False
    """True if the rules caused the action, and no player ordered it."""
    layers: dict[str, Mark] = {}


class Turning(msgspec.Struct, frozen=True, omit_defaults=True):
    """A turn between two frames."""

    results: tuple[ActionResult, ...]
    moved: tuple[tuple[str, str], ...] = ()
    """Keys of the moved pieces, before and after."""


class Bond(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an agreement: peace between seats, places that they keep out of, or an order that one of them gives."""

    kind: str
    """One of peace, zone and order."""
    seats: tuple[str, ...]
    places: tuple[str, ...] = ()
    order: str = ""


class Pictures(Protocol):
    """The drawing functions of a game."""

    def name(self, before: Position, turn: int) -> str:
        """Return the file name of a turn's picture."""

    def picture(
        self, after: Position, turn: TurnEnded, *, theme: str, width: int | None, names: Mapping[str, str]
    ) -> str:
        """Return the turn that led to a position, as SVG text."""

    def sheet(self, position: Position) -> Sheet:
        """Return the board on which a position is drawn."""

    def sheet_named(self, key: str) -> Sheet | None:
        """Return the board with that key; None if there is none."""

    def label(self, position: Position, turn: int) -> tuple[str, str]:
        """Return the names of a step of a match: a short one, and one for people."""

    def frame(self, position: Position) -> Frame:
        """Return the drawing of a position."""

    def turning(self, before: Position, after: Position, turn: TurnEnded) -> Turning:
        """Return the drawing of the seats' acts between two positions."""

    def planned(self, position: Position, orders: Iterable[tuple[str, Plain]]) -> tuple[ActionResult, ...]:
        """Return drawings of single orders that are given or promised, each with its seat, before they are resolved."""

    def bonds(self, position: Position, bonds: Iterable[Bond]) -> dict[str, tuple[Mark, ...]]:
        """Return the marks of agreements, by layer. An agreed order is drawn only if it is possible in the position."""

    def breach(self, position: Position, seat: str, order: str) -> dict[str, Mark]:
        """Return the mark of a promise that this order broke, by layer."""

    def choices(self, position: Position, seat: Seat) -> Plain:
        """Return the seat's choices now, in the form that the game's page reads."""


def pictures_of(game: Game) -> Pictures | None:
    """Return the pictures of a game; None if it has none."""
    declaration = declaration_of(game)
    return cast(Pictures, fetch(declaration.pictures)) if declaration and declaration.pictures else None
