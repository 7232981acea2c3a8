"""A match's state as bytes and back, so that a match that has slept need not be played through again.

A snapshot is only ever a short cut: what cannot be read, because another version wrote it, is given up for the record.
"""

from __future__ import annotations

from typing import Any

import msgspec

from parlour.core import events as ev
from parlour.core.decoding import UNREADABLE
from parlour.core.game import Game, Outcome, Plain, Position, Seat
from parlour.core.table_view import MatchStatus
from parlour.errors import NotationError, RecordError
from parlour.referee.state import MatchState, Place

VERSION = 6
"""Version of this form; raised whenever a state gains or loses something."""


class _Frozen(msgspec.Struct, array_like=True):
    """A MatchState without the parts that follow from the rest."""

    version: int
    now: float
    count: int
    status: MatchStatus
    opened: ev.Opened
    places: dict[Seat, Place]
    position: Plain
    stage: str
    turn: int
    to_act: tuple[Seat, ...]
    turn_running: bool
    pending: tuple[Seat, ...]
    unsettled: tuple[Seat, ...]
    in_favour: tuple[Seat, ...]
    partial: list[tuple[tuple[Seat, ...], tuple[Seat, ...]]]
    turn_limit: float | None
    forced: bool
    stands: bool
    removed_this_turn: bool
    paused_at: float
    paused_by: str
    quorum_waived: bool
    window_until: float | None
    window_used: bool
    sealing: bool
    outcome: Outcome | None
    hidden: list[tuple[tuple[Seat, ...], bool, int]]


_SAME = [
    name for name in _Frozen.__struct_fields__ if name not in ("version", "opened", "position", "partial", "hidden")
]
_SETS = ("pending", "unsettled", "in_favour")
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Frozen)


def freeze(state: MatchState) -> bytes:
    """The state of an opened match as bytes, equal for equal states: a store is checked by making them again."""
    position: Position | None = state.position
    same: dict[str, Any] = {name: getattr(state, name) for name in _SAME}
    same |= {name: tuple(sorted(same[name])) for name in _SETS}  # the order of a set is chance; that of a dict is not
    frozen = _Frozen(
        version=VERSION,
        opened=state.opened,
        position=None if position is None else position.encode(),
        partial=[(among, tuple(sorted(voters))) for among, voters in state.partial.items()],
        hidden=[(*key, number) for key, number in state.hidden.items()],
        **same,
    )
    return _encoder.encode(frozen)


def thaw(body: bytes, game: Game) -> MatchState:
    """The state that was frozen; RecordError if the bytes are of another version, or none."""
    try:
        frozen = _decoder.decode(body)
        if frozen.version != VERSION or frozen.opened.game != game.name:
            raise RecordError(f"a snapshot of version {frozen.version} of {frozen.opened.game[:40]!r}")
        position = None if frozen.position is None else game.decode(frozen.position)
    except (*UNREADABLE, NotationError) as error:
        raise RecordError(f"not a snapshot: {error}") from None
    state = MatchState(game)
    for name in _SAME:
        setattr(state, name, set(getattr(frozen, name)) if name in _SETS else getattr(frozen, name))
    state.opened, state.terms = frozen.opened, frozen.opened.terms
    state.position = position
    state.partial = {among: set(voters) for among, voters in frozen.partial}
    state.hidden = {(seats, opens_later): number for seats, opens_later, number in frozen.hidden}
    return state
