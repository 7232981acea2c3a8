"""Encodes the state of a match as bytes and back, so that a sleeping match wakes without a replay of its record.

A snapshot is only a short cut: one that cannot be read, because another version wrote it, is replaced by the record.
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
"""Version of the format; incremented when the fields of a state change."""


class _Frozen(msgspec.Struct, array_like=True):
    """A MatchState without the fields that follow from the others."""

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
    """Return the state of an opened match as bytes; equal states give equal bytes, so that snapshots can be checked."""
    position: Position | None = state.position
    same: dict[str, Any] = {name: getattr(state, name) for name in _SAME}
    same |= {name: tuple(sorted(same[name])) for name in _SETS}  # the order of a set is arbitrary
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
    """Return the state that was frozen; raise RecordError if the bytes are of another version or game, or invalid."""
    try:
        frozen = _decoder.decode(body)
        if frozen.version != VERSION or frozen.opened.game != game.name:
            raise RecordError(
                f"snapshot: expected version {VERSION} of {game.name!r}, got {frozen.version} of "
                f"{frozen.opened.game[:40]!r}"
            )
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
