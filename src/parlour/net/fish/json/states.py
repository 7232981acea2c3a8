"""Converts positions of Fish to the protocol's State and back: the server writes, the client reads and follows."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.core.game import Seat
from parlour.errors import NotationError, RemoteWireError
from parlour.games.fish.board import Board
from parlour.games.fish.notation import read_board
from parlour.games.fish.position import COLOURS, SKIP, Position, Side
from parlour.net.fish.json.messages import Action, GameState, Place, PlayerState


def write_state(position: Position, names: Mapping[Seat, str]) -> GameState:
    """Return the State of a position, players in turn order."""
    return GameState(
        board=tuple(map(tuple, position.board.rows())),
        players=tuple(
            PlayerState(names[side.seat], side.penguins, side.seat, side.score)  # type: ignore[arg-type]
            for side in position.sides
        ),
    )


def read_position(state: GameState, *, placing: bool) -> Position:
    """Return the position of a State; with `placing`, the first player has fewer penguins than the full number.

    Raise RemoteWireError if the State contradicts itself.
    """
    try:
        board = read_board([list(row) for row in state.board])
    except NotationError as error:
        raise RemoteWireError(str(error)) from None
    if len({player.color for player in state.players}) < len(state.players):
        raise RemoteWireError("state: two players have the same color")
    places = [place for player in state.players for place in player.places]
    if len(set(places)) < len(places) or not all(_is_tile(board, place) for place in places):
        raise RemoteWireError("state: expected penguins on tiles of their own")
    sides = tuple(
        Side(COLOURS[COLOURS.index(Seat(player.color))], player.places, player.score or 0) for player in state.players
    )
    most = max((len(side.penguins) for side in sides), default=0)
    each = max(most, len(sides[0].penguins) + 1) if placing and sides else 0
    return Position(board, sides, each)


def follow(position: Position, action: Action) -> Position:
    """Return the position after a broadcast action of the player to act; raise RemoteWireError if it is impossible."""
    if not position.sides:
        raise RemoteWireError("broadcast_action: there is nobody who could have done that")
    seat = position.sides[0].seat
    if isinstance(action, str):
        return position.after(SKIP)
    if position.check(seat, action):
        raise RemoteWireError(f"broadcast_action: {seat} cannot have done that")
    return position.after(action)


def _is_tile(board: Board, place: Place) -> bool:
    return place in board and board[place] > 0
