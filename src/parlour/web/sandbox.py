"""The sandbox: any position of Diplomacy, orders for all powers, and their results with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from parlour.core import game as core
from parlour.core.events import TurnEnded
from parlour.core.game import Plain
from parlour.games.diplomacy.declaration import DECLARATION
from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.formats.forms import read_orders, read_state
from parlour.games.diplomacy.maps.map import SHIPPED, named, operators_maps
from parlour.games.diplomacy.position import Position

GAME = DECLARATION.name
STANDARD = "standard"
"""The map that is shown if none is wanted."""


class SandboxQuestion(msgspec.Struct, frozen=True):
    """A question of a sandbox page."""

    position: str = ""
    """The position as Position.fen gives it; empty: the first one."""
    setting: dict[str, Plain] | None = None
    """The position in JSON, as `parlour adjudicate` reads it; None if it is given as text."""
    map: str = STANDARD
    orders: dict[str, Plain] = {}
    judge: bool = False
    picture: bool = False
    """True if a picture (SVG) is wanted: of the orders if they are judged, otherwise of the position."""


def answer(question: SandboxQuestion) -> dict[str, Any]:
    """Return a position as a page shows it, the possible orders, the given ones drawn and, if wanted, their results."""
    board = named(question.map)
    if question.setting is not None:
        position = Position(*read_state(question.setting, board))
    else:
        position = Position.read(question.position, board) if question.position else Position.start(board)
    acting = position.to_act()
    orders = read_orders(question.orders, board)
    given = [(seat, text) for seat, own in orders.items() for text in own]
    found: dict[str, Any] = {
        "position": position.fen,
        "frame": PICTURES.frame(position),
        "choices": {str(seat): position.legal(seat) for seat in acting},
        "plan": PICTURES.planned(position, given),
    }
    nothing, after = TurnEnded(at=0.0, turn=1, actions={}, happened={}), position
    if question.judge:
        after = position.resolve(orders)
        turning = PICTURES.turning(position, after, nothing)
        found |= {"turn": turning, "after": after.fen, "next": PICTURES.frame(after)}
    if question.picture:
        found["svg"] = PICTURES.picture(after, nothing, theme="light", width=None, names={})
    return found


def address_of(game: str, position: core.Position, orders: Mapping[str, Plain]) -> str:
    """Return the address of the sandbox with that position and those orders, to be shared and cited."""
    if not isinstance(position, Position):
        given = quote(msgspec.json.encode(position.encode()).decode(), safe="")
        return f"/sandbox?game={quote(game, safe='')}#position={given}"
    where = f"/sandbox?map={quote(position.board.name, safe='')}#position={quote(position.fen, safe='')}"
    return f"{where}&orders={quote(msgspec.json.encode(orders).decode(), safe='')}" if orders else where


def maps() -> tuple[str, ...]:
    """Return the names of all maps: shipped ones, then the operator's."""
    return *SHIPPED, *operators_maps()
