"""The course's JSON for Fish: Board, Position, State and Action, read with errors that name the place, and written."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.core.game import Plain
from parlour.errors import NotationError
from parlour.games.fish.board import MAX_FISH, MAX_SIDE, Board, Spot
from parlour.games.fish.position import COLOURS, SKIP, SWITCHES, Move, Position, Rules, Side


def read_board(value: Plain, where: str = "board", *, may_be_empty: bool = False) -> Board:
    """Return the board in rows of fish counts; rows may differ in length.

    A board without a tile is refused unless may_be_empty.
    """
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise _wrong(where, "a list of rows, each a list of fish counts")
    if not 1 <= len(value) <= MAX_SIDE or max(map(len, value)) > MAX_SIDE:
        raise _wrong(where, f"one to {MAX_SIDE} rows of at most {MAX_SIDE} tiles")
    for y, row in enumerate(value):
        for x, fish in enumerate(row):
            if type(fish) is not int or not 0 <= fish <= MAX_FISH:
                raise _wrong(f"{where}, row {y}, column {x}", f"a whole number of fish from 0 to {MAX_FISH}")
    board = Board.of(value)
    if not may_be_empty and not any(board.fish):
        raise _wrong(where, "at least one tile that is no hole")
    return board


def read_spot(value: Plain, where: str = "position") -> Spot:
    """Return a place [row, column]; the caller checks that it is on the board."""
    if isinstance(value, list) and len(value) == 2 and all(type(part) is int and part >= 0 for part in value):
        return value[0], value[1]
    raise _wrong(where, "[row, column], two whole numbers from 0")


def read_state(value: Plain, where: str = "state", *, may_be_empty: bool = False) -> Position:
    """Return the position that a State describes; without a number of penguins, the stage is that of moves."""
    fields = _object(value, where, {"players", "board"}, {"penguins", "rules"})
    board = read_board(fields["board"], f"{where}, board", may_be_empty=may_be_empty)
    players = fields["players"]
    if not isinstance(players, list) or len(players) > len(COLOURS):
        raise _wrong(f"{where}, players", f"a list of at most {len(COLOURS)} players")
    sides = tuple(_read_side(player, board, f"{where}, player {number}") for number, player in enumerate(players))
    if len({side.seat for side in sides}) < len(sides):
        raise _wrong(f"{where}, players", "colours that differ")
    places = [spot for side in sides for spot in side.penguins]
    if len(set(places)) < len(places):
        raise _wrong(f"{where}, players", "at most one penguin on a tile")
    each = fields.get("penguins", min((len(side.penguins) for side in sides), default=0))
    if type(each) is not int or not 0 <= each <= MAX_SIDE * MAX_SIDE:
        raise _wrong(f"{where}, penguins", "the number of penguins per player")
    return Position(board, sides, each, _read_rules(fields.get("rules", []), where))


def write_state(position: Position) -> Plain:
    """Return the State with exactly the keys that the course's programs accept; the first player is to act."""
    return {
        "players": [
            {"color": side.seat, "score": side.score, "places": [list(spot) for spot in side.penguins]}
            for side in position.sides
        ],
        "board": position.board.rows(),
    }


def write_move(move: Move) -> Plain:
    """Return the Action of a move."""
    return [list(move[0]), list(move[1])]


def read_action(value: Plain, where: str = "action") -> Move | str:
    """Return a move, or SKIP for "skip" in any case."""
    if isinstance(value, str) and value.lower() == SKIP:
        return SKIP
    if isinstance(value, list) and len(value) == 2:
        return read_spot(value[0], f"{where}, from"), read_spot(value[1], f"{where}, to")
    raise _wrong(where, '[[row, column], [row, column]] or "skip"')


def _read_side(value: Plain, board: Board, where: str) -> Side:
    fields = _object(value, where, {"color", "score", "places"}, {"tiles", "name"})
    if fields["color"] not in COLOURS:
        raise _wrong(f"{where}, color", " or ".join(COLOURS))
    places = fields["places"]
    if not isinstance(places, list) or len(places) > len(board.fish):
        raise _wrong(f"{where}, places", "a list of positions")
    spots = tuple(read_spot(place, f"{where}, place {number}") for number, place in enumerate(places))
    for number, spot in enumerate(spots):
        if spot not in board or not board[spot]:
            raise _wrong(f"{where}, place {number}", "a tile of the board that is no hole")
    score, tiles = fields["score"], fields.get("tiles", 0)
    if type(score) is not int or score < 0:
        raise _wrong(f"{where}, score", "a whole number from 0")
    if type(tiles) is not int or not 0 <= tiles <= MAX_SIDE * MAX_SIDE:
        raise _wrong(f"{where}, tiles", "a whole number of tiles")
    return Side(COLOURS[COLOURS.index(fields["color"])], spots, score, tiles)


def _read_rules(value: Plain, where: str) -> Rules:
    if not isinstance(value, list) or not all(name in SWITCHES for name in value):
        raise _wrong(f"{where}, rules", f"a list of {', '.join(SWITCHES)}")
    return Rules(**dict.fromkeys(value, True))


def _object(value: Plain, where: str, needed: set[str], allowed: set[str]) -> Mapping[str, Plain]:
    if not isinstance(value, dict):
        raise _wrong(where, f"an object with {' and '.join(sorted(needed))}")
    if missing := sorted(needed - set(value)):
        raise NotationError(f"{where}: {missing[0]} is missing", expected=missing[0])
    if unknown := sorted(set(value) - needed - allowed):
        raise NotationError(f"{where}: {unknown[0][:40]!r} is not known", expected=", ".join(sorted(needed | allowed)))
    return value


def _wrong(where: str, expected: str) -> NotationError:
    return NotationError(f"{where}: expected {expected}", expected=expected)
