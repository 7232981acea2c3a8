"""Writes the six calls of the CS4500 course's protocol, with exactly its keys and order, and reads their results.

The course's programs refuse any other key in a State, and do not answer a call that they do not understand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain, Seat
from parlour.core.text import printable
from parlour.errors import RemoteWireError
from parlour.games.fish.board import Spot
from parlour.games.fish.position import SKIP, Position
from parlour.net.framing.json_stream import encode_line

VOID = "void"
NAME = re.compile(r"[a-zA-Z]{1,12}")

Natural: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
Place: TypeAlias = tuple[Natural, Natural]
Move: TypeAlias = tuple[Place, Place]
_T = TypeVar("_T")


class ArrivalTurns(dict[Spot, int]):
    """The turn in which the penguin on each tile arrived; a tile is reached only once, because it melts."""

    def __missing__(self, spot: Spot) -> int:
        """Return 0 for a tile without a known arrival, which sorts before all others."""
        return 0


_UNKNOWN = ArrivalTurns()

_names = msgspec.json.Decoder(str)
_places: msgspec.json.Decoder[Place] = msgspec.json.Decoder(Place)
_actions: msgspec.json.Decoder[Move | str] = msgspec.json.Decoder(Move | str)


def start() -> bytes:
    """Return the call at the beginning of the tournament."""
    return encode_line(["start", [True]])


def playing_as(seat: Seat) -> bytes:
    """Return the call at the beginning of a game, with the player's colour."""
    return encode_line(["playing-as", [seat]])


def playing_with(others: Sequence[Seat]) -> bytes:
    """Return the call with the colours of the other players, in seat order."""
    return encode_line(["playing-with", [others]])


def setup(position: Position, arrivals: ArrivalTurns = _UNKNOWN) -> bytes:
    """Return the call that asks a player to place a penguin."""
    return encode_line(["setup", [state(position, arrivals)]])


def take_turn(position: Position, actions: Sequence[Plain], arrivals: ArrivalTurns = _UNKNOWN) -> bytes:
    """Return the call that asks a player to move, with the actions of the others since its last turn."""
    return encode_line(["take-turn", [state(position, arrivals), actions]])


def end(won: bool) -> bytes:
    """Return the call at the end of the tournament."""
    return encode_line(["end", [won]])


def state(position: Position, arrivals: ArrivalTurns = _UNKNOWN) -> Plain:
    """Return the State: the player to act comes first, and of each player the penguin that arrived last."""
    return {
        "board": position.board.rows(),
        "players": [
            {
                "color": side.seat,
                "places": sorted(side.penguins, key=arrivals.__getitem__)[::-1],
                "score": side.score,
            }
            for side in position.sides
        ],
    }


def actions_since(history: Sequence[Plain], players: int) -> Sequence[Plain]:
    """Return the actions of the others since the mover's last turn, as the CS4500 course's referee does.

    `history` holds every move and skip since the moves began or a player was removed. As in the course's referee, it
    counts as empty until it holds more actions than players, so the first seat gets none on its second turn either.
    """
    return history[len(history) - players + 1 :] if len(history) > players else []


def read_name(value: bytes) -> str:
    """Return the name that a player signs up with."""
    name = _read(_names, value, "a name")
    if not NAME.fullmatch(name):
        raise RemoteWireError("expected a name of 1 to 12 letters")
    return name


def read_void(value: bytes) -> None:
    """Check the result of a call without a value; raise RemoteWireError if it is not "void"."""
    if _read(_names, value, f'"{VOID}"') != VOID:
        raise RemoteWireError(f'expected "{VOID}"')


def read_place(value: bytes) -> Place:
    """Return the result of setup."""
    return _read(_places, value, "[row, column]")


def read_action(value: bytes) -> Move | str:
    """Return the result of take-turn."""
    action = _read(_actions, value, "[[row, column], [row, column]]")
    if isinstance(action, str) and action != SKIP:
        raise RemoteWireError("expected [[row, column], [row, column]]")
    return action


def _read(decoder: msgspec.json.Decoder[_T], value: bytes, expected: str) -> _T:
    try:
        return decoder.decode(value)
    except UNREADABLE as error:
        raise RemoteWireError(f"expected {expected}: {printable(error)}") from None
