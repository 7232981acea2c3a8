"""Reads the board from a DAIDE server's messages: brackets as lists, then centres, positions and orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from parlour.core.game import Plain, Seat
from parlour.errors import NotationError, PressError, RemoteWireError
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position
from parlour.net.daide.server_messages import group, phase_of_turn
from parlour.net.daide.tokens import Token
from parlour.press.language.reader import Reader
from parlour.press.language.tokens import Lexicon
from parlour.press.orders import to_text
from parlour.press.press_position import board_of, names

Nested: TypeAlias = "list[Token | Nested]"
"""Tokens, with a nested list for each pair of brackets."""


def centres_in(parts: Nested, board: Map) -> dict[Seat, list[str]]:
    """Return the owner of each centre in a SCO."""
    lexicon, tags = Lexicon.of(board), {province.daide: province.tag for province in board.provinces}
    found: dict[Seat, list[str]] = {}
    for part in parts:
        power, *centres = in_brackets(part)
        if power != "UNO":
            found[lexicon.seat_of[str(power)]] = [tags[str(centre)] for centre in centres]
    return found


def position_in(parts: Nested, board: Map, centres: Mapping[Seat, list[str]]) -> Position:
    """Return the position from the content of NOW, with the centres of the last SCO if there was one."""
    season, year = in_brackets(parts[0])
    lexicon, spelled = Lexicon.of(board), names(board).tag_of_place
    units: dict[str, list[str]] = {seat: [] for seat in lexicon.seats}
    retreats: dict[str, dict[str, list[str]]] = {}
    for part in parts[1:]:
        power, kind, place, *more = in_brackets(part)
        seat = lexicon.seat_of[str(power)]
        text = f"{'A' if kind == 'AMY' else 'F'} {spelled[_place(place)]}"
        if more:
            retreats.setdefault(seat, {})[text] = [spelled[_place(to)] for to in in_brackets(more[1])]
        else:
            units[seat].append(text)
    state: dict[str, Plain] = {"phase": phase_of_turn(one_word(season), one_word(year)), "units": units}
    if centres:
        state["centers"] = {seat: centres.get(seat, []) for seat in lexicon.seats}
    if retreats:
        state["retreats"] = retreats
    try:
        return Position(*read_state(state, board))
    except NotationError as error:
        raise RemoteWireError(f"the server told of a position that cannot be: {error}") from None


def order_in(parts: Nested, position: Position) -> tuple[Seat, str] | None:
    """Return the power and the order of an ORD as Parlour's text; None if it cannot be read."""
    lexicon = Lexicon.of(position.board)
    try:
        order = Reader([str(token) for token in flat(in_brackets(parts[1]))], 0, lexicon).order()
    except PressError:
        return None
    power = order.power if not hasattr(order, "unit") else order.unit.power
    return lexicon.seat_of[power], to_text(order, board_of(position))


def nested(tokens: Sequence[Token]) -> Nested:
    """Return tokens with a nested list for each pair of brackets; a bracket that closes nothing stays a token."""
    stack: list[Nested] = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(token)
    return stack[0]


def flat(parts: Nested) -> list[Token]:
    """Return the tokens of nested parts in one list, with their brackets."""
    found: list[Token] = []
    for part in parts:
        found += group(flat(part)) if isinstance(part, list) else [part]
    return found


def in_brackets(part: Any) -> Nested:
    """Return a part that is in brackets; RemoteWireError if it is not."""
    if not isinstance(part, list):
        raise RemoteWireError(f"the server sent {part!r:.40} where brackets were expected")
    return part


def one_word(part: Any) -> Token:
    """Return a part that is one token; RemoteWireError if it is in brackets."""
    if isinstance(part, list):
        raise RemoteWireError("the server sent brackets where a word was expected")
    token: Token = part
    return token


def _place(part: Any) -> str:
    return " ".join(str(one_word(word)) for word in part) if isinstance(part, list) else str(part)
