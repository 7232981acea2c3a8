"""The game of Fish for all other layers: seats, configuration, first position, decoding."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from parlour.core.game import Plain, Seat, Seed
from parlour.errors import ConfigError, NotationError
from parlour.games.fish.board import MAX_FISH, MAX_SIDE, Board
from parlour.games.fish.declaration import DECLARATION
from parlour.games.fish.notation import read_board, read_state
from parlour.games.fish.position import COLOURS, SWITCHES, Position, Rules, Side

FEWEST = 2

MAX_SCORE = 10**15
"""Maximum score in a stored match: stores have 64-bit integers. The harnesses accept any score."""

SIZE = 5
"""Default rows and columns of a board."""


class Fish:
    """Penguins on a melting hex board, for two to four players.

    Configuration, all optional:
        rows, cols: Size of the board.
        fish: Number of fish on every tile; otherwise one to five at random.
        holes: Number of missing tiles.
        board: Rows of fish, instead of a random board.
        players: Number of seats.
        The switches of parlour.games.fish.position.Rules.
    """

    declaration = DECLARATION
    name = DECLARATION.name

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        """Return the first colours, one per player."""
        players = _whole(config, "players", len(COLOURS), FEWEST, len(COLOURS))
        _check(config)
        return COLOURS[:players]

    def fewest(self, config: Mapping[str, Plain]) -> int:
        """Return the minimum number of players: two, because players who do not identify themselves are left out."""
        return FEWEST

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Position:
        """Return the first position: no penguin is placed, and the first seat is to act."""
        if not FEWEST <= len(seats) <= len(COLOURS) or not set(seats) <= set(self.seats(config)):
            raise ConfigError(f"players: Fish is for {FEWEST} to {len(COLOURS)}, not {len(seats)}", field="players")
        rules = Rules(**{name: _switch(config, name) for name in SWITCHES})
        each = 6 - len(seats)
        board = _board(config, rules, len(seats) * each, random.Random(seed))
        return Position(board, tuple(Side(seat) for seat in seats), each, rules)

    def decode(self, value: Plain) -> Position:
        """Return the position that was encoded as value."""
        position = read_state(value, "position")
        if any(side.score > MAX_SCORE for side in position.sides):
            raise NotationError(f"position, score: expected at most {MAX_SCORE:,} in a match")
        return position


GAME = Fish()


def _check(config: Mapping[str, Plain]) -> None:
    """Raise ConfigError if a field is unknown or has an impossible value.

    The room for penguins is not checked here, because it depends on the players.
    """
    known = ("rows", "cols", "fish", "holes", "board", "players", *SWITCHES)
    for field in config:
        if field not in known:
            raise ConfigError(f"{field}: Fish has no such setting; it has {', '.join(known)}", field=field)
    for name in SWITCHES:
        _switch(config, name)
    if config.get("board") is not None:
        _given_board(config)
    else:
        _size(config)
        _whole(config, "fish", 1, 1, MAX_FISH)


def _board(config: Mapping[str, Plain], rules: Rules, penguins: int, rng: random.Random) -> Board:
    if config.get("board") is not None:
        board = _given_board(config)
    else:
        rows, cols, holes = _size(config)
        fish = None if config.get("fish") is None else _whole(config, "fish", 1, 1, MAX_FISH)
        board = Board.random(rows, cols, rng, fish=fish, holes=holes)
        if rules.one_fish_placement and fish is None:
            board = _with_ones(board, penguins, rng)
    free = board.fish.count(1) if rules.one_fish_placement else len(board.tiles())
    if free < penguins:
        what = "tiles with one fish" if rules.one_fish_placement else "tiles"
        raise ConfigError(f"board: {penguins} penguins need as many {what}, there are only {free}", field="board")
    return board


def _with_ones(board: Board, needed: int, rng: random.Random) -> Board:
    """Return the board with at least `needed` tiles of one fish; random other tiles lose fish."""
    fish = bytearray(board.fish)
    rich = [tile for tile, count in enumerate(fish) if count > 1]
    for tile in rng.sample(rich, min(len(rich), max(0, needed - fish.count(1)))):
        fish[tile] = 1
    return Board(board.height, board.width, bytes(fish))


def _given_board(config: Mapping[str, Plain]) -> Board:
    for field in ("rows", "cols", "fish", "holes"):
        if config.get(field) is not None:
            raise ConfigError(f"{field}: the board is given, so this cannot be", field=field)
    try:
        return read_board(config["board"])
    except NotationError as error:
        raise ConfigError(str(error), field="board") from None


def _size(config: Mapping[str, Plain]) -> tuple[int, int, int]:
    """Return rows, columns and holes."""
    rows = _whole(config, "rows", SIZE, 1, MAX_SIDE)
    cols = _whole(config, "cols", SIZE, 1, MAX_SIDE)
    return rows, cols, _whole(config, "holes", 0, 0, rows * cols)


def _whole(config: Mapping[str, Plain], field: str, default: int, low: int, high: int) -> int:
    value = config.get(field)
    if value is None:
        return default
    if type(value) is not int or not low <= value <= high:
        raise ConfigError(f"{field}: expected a whole number from {low} to {high}", field=field)
    return value


def _switch(config: Mapping[str, Plain], field: str) -> bool:
    value = config.get(field, False)
    if type(value) is not bool:
        raise ConfigError(f"{field}: expected true or false", field=field)
    return value
