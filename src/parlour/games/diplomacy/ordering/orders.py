"""An order as a value, and its strict text."""

from __future__ import annotations

import msgspec

from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Map, standard
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.ordering.notation import Piece, Verb, WrittenOrder, WrittenPlace, read_order
from parlour.games.diplomacy.ordering.reasons import Flaw


class Order(msgspec.Struct, frozen=True):
    """An order in the spellings of the `diplomacy` package; unit and other are written like `F STP/SC`."""

    kind: OrderKind
    unit: str = ""
    """The unit that is ordered or built; empty if a build is waived."""
    target: str = ""
    """Destination of a move, retreat, supported or convoyed move."""
    other: str = ""
    """The unit that is supported or convoyed."""

    def __str__(self) -> str:
        match self.kind:
            case OrderKind.HOLD:
                return f"{self.unit} H"
            case OrderKind.MOVE_TO:
                return f"{self.unit} - {self.target}"
            case OrderKind.CONVOY_TO:
                return f"{self.unit} - {self.target} VIA"
            case OrderKind.SUPPORT_HOLD:
                return f"{self.unit} S {self.other}"
            case OrderKind.SUPPORT_MOVE_TO:
                return f"{self.unit} S {self.other} - {self.target}"
            case OrderKind.CONVOY:
                return f"{self.unit} C {self.other} - {self.target}"
            case OrderKind.RETREAT_TO:
                return f"{self.unit} R {self.target}"
            case OrderKind.BUILD_ARMY | OrderKind.BUILD_FLEET:
                return f"{self.unit} B"
            case OrderKind.DISBAND | OrderKind.REMOVE:
                return f"{self.unit} D"
            case OrderKind.WAIVE:
                return "WAIVE"

    def __repr__(self) -> str:
        winter = ", stage='adjustments'" if self.kind is OrderKind.REMOVE else ""
        return f"Order.read({str(self)!r}{winter})"

    @property
    def province(self) -> str:
        """The province where the ordered unit stands or is built: STP of `F STP/SC`."""
        return self.unit[2:].partition("/")[0]

    @staticmethod
    def read(text: str, *, stage: str = "orders", board: Map | None = None) -> Order:
        """Return the order of a text without a position, so that every unit needs its type.

        Args:
            text: The order, for example `A PAR - BUR`.
            stage: Stage of the phase: orders, retreats or adjustments.
            board: Map of the order; the standard map if None.

        Raises:
            NotationError: The text is not an order, or a unit type is missing.
        """
        board = board or standard()
        draft = read_order(text, board)
        if isinstance(draft, Flaw):
            raise NotationError(draft.message, text=text, expected=draft.expected)
        order = written(draft, board, stage)
        if order is None:
            what = f"{text.strip()!r:.60}"
            raise NotationError(f"needs a unit type: {what}, expected A or F before each province", text=text)
        return order


def written(draft: WrittenOrder, board: Map, stage: str, state: bytes | None = None) -> Order | None:
    """Return the order in strict spelling but otherwise as written; missing types come from the state.

    The result is None if a type is missing and no unit stands there.
    """
    if draft.verb is Verb.WAIVE:
        return Order(OrderKind.WAIVE)
    assert draft.unit is not None
    offset = k.DISLODGED if stage == "retreats" else k.UNITS
    unit = _piece(draft.unit, board, state, offset)
    other = _piece(draft.other, board, state, k.UNITS) if draft.other else ""
    if unit is None or other is None:
        return None
    target = _place(draft.target, board) if draft.target else ""
    return Order(_kind(draft, stage, unit), unit, target, other)


def _kind(draft: WrittenOrder, stage: str, unit: str) -> OrderKind:
    match draft.verb:
        case Verb.HOLD:
            return OrderKind.HOLD
        case Verb.MOVE:
            return OrderKind.CONVOY_TO if draft.via else OrderKind.MOVE_TO
        case Verb.SUPPORT:
            return OrderKind.SUPPORT_MOVE_TO if draft.target else OrderKind.SUPPORT_HOLD
        case Verb.CONVOY:
            return OrderKind.CONVOY
        case Verb.RETREAT:
            return OrderKind.RETREAT_TO
        case Verb.DISBAND:
            return OrderKind.REMOVE if stage == "adjustments" else OrderKind.DISBAND
        case Verb.BUILD:
            return OrderKind.BUILD_FLEET if unit.startswith("F") else OrderKind.BUILD_ARMY
        case Verb.WAIVE:
            return OrderKind.WAIVE


def _place(place: WrittenPlace, board: Map) -> str:
    tag = board.provinces[place.province].tag
    return f"{tag}/{place.coast}" if place.coast else tag


def _piece(piece: Piece, board: Map, state: bytes | None, offset: int) -> str | None:
    fleet = piece.fleet
    if fleet is None:
        standing = s.unit_at(state, offset, piece.place.province) if state is not None else None
        if standing is None:
            return None
        fleet = standing.fleet
    return f"{'F' if fleet else 'A'} {_place(piece.place, board)}"
