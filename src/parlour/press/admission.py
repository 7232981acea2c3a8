"""What a table does not deliver: structured press above its level, or press that makes no sense on its board.

Free text passes: whoever gets it may say that it was not understood.
"""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core.game import Seat
from parlour.core.intents import Refusal, RefusalCode
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press.board import board_of
from parlour.press.checks import Kind, examine
from parlour.press.reader import read


def refusal(text: str, level: int, position: Position, sender: Seat, to: Sequence[Seat]) -> Refusal | None:
    """Why a message is not delivered on a table of that level; None if it is."""
    board = board_of(position.board, position.state)
    lexicon = board.names.lexicon
    try:
        message = read(text, lexicon=lexicon)
    except PressError:
        return None
    try:
        read(text, level, lexicon)
    except PressError as error:
        reason = f"this table speaks press up to level {level}; token {error.index}: expected {error.expected}"
        return Refusal(RefusalCode.PRESS_LEVEL, reason)
    objection = examine(
        message,
        sender=lexicon.seats[sender],
        to=[lexicon.seats[seat] for seat in to],
        out=set(lexicon.powers) - board.alive,
        board=position.board,
    ).refused
    if objection is None:
        return None
    code = RefusalCode.OUT_OF_GAME if objection.kind is Kind.OUT else RefusalCode.BAD_VALUE
    answer = f" ({objection.answer})" if objection.answer else ""
    return Refusal(code, f"{objection.kind}: {objection.message}{answer}")
