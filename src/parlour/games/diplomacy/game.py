"""The game of Diplomacy as the referee knows it: its seats, its configuration, its first position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core.game import Plain, Seat, Seed
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.declaration import DECLARATION
from parlour.games.diplomacy.map import Map, named
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.scoring import Scoring, read_scoring
from parlour.games.diplomacy.state import MAX_YEAR
from parlour.games.diplomacy.variations import read_variations

YEARS = 100
"""A match without a last year ends after so many."""
USUAL_YEARS = 10
"""How many a match has where nobody said how long it is to last; random players never end one."""

FIELDS = ("map", "rules", "last_year", "scoring", "position")


class Diplomacy:
    """The rules of Diplomacy.

    Configuration: map (standard, or the name of another that ships), rules (a list of variations.Variation: what is
    not played as usual), last_year (the match ends after its winter), scoring (solo, draw size, sum of squares, centre
    share), position (the compact text to start from).
    """

    declaration = DECLARATION
    name = DECLARATION.name
    press_check = DECLARATION.press_check

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        """One for each power of the map."""
        board, _, _ = self._read(config)
        return tuple(Seat(power.name) for power in board.powers)

    def fewest(self, config: Mapping[str, Plain]) -> int:
        """Two; powers without a player stand in civil disorder."""
        self._read(config)
        return 2

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Position:
        """The first position; powers that are not among the seats are out of the match."""
        board, last_year, scoring = self._read(config)
        if "position" in config:
            position = Position.read(config["position"], board).under(board.variations)
            first = position.year
        else:
            position, first = Position.start(board), board.year
        if last_year is None:
            last_year = position.last_year or min(first + YEARS - 1, MAX_YEAR)
        elif last_year < first:
            raise ConfigError(f"last_year: expected {first} or later, got {last_year}", field="last_year")
        position = position.on_terms(last_year, scoring if "scoring" in config else position.scoring)
        for power in board.powers:
            if power.name not in seats:
                position = position.without(Seat(power.name))
        return position

    def decode(self, value: Plain) -> Position:
        """The position of a compact text."""
        if not isinstance(value, str):
            raise NotationError("position: expected a compact text such as Position.fen gives")
        try:
            return Position.read(value)
        except ConfigError as error:
            raise NotationError(str(error), text=value) from None

    def _read(self, config: Mapping[str, Plain]) -> tuple[Map, int | None, Scoring]:
        for field in config:
            if field not in FIELDS:
                raise ConfigError(f"{field:.40}: unknown, expected one of {', '.join(FIELDS)}", field=field)
        name = config.get("map", "standard")
        if not isinstance(name, str):
            raise ConfigError(f"map: expected the name of a map, got {name!r:.60}", field="map")
        last_year = config.get("last_year")
        if last_year is not None and (type(last_year) is not int or not 1 <= last_year <= MAX_YEAR):
            raise ConfigError(f"last_year: expected a year up to {MAX_YEAR}, got {last_year!r:.60}", field="last_year")
        board = named(name)
        if "position" in config:
            board = self._board_of(config["position"])
        if "rules" in config:
            board = board.under(read_variations(config["rules"]))
        return board, last_year, read_scoring(config.get("scoring", Scoring.SUM_OF_SQUARES))

    def _board_of(self, text: Plain) -> Map:
        try:
            position = self.decode(text)
        except NotationError as error:
            raise ConfigError(f"position: {error}", field="position") from None
        if position.over:
            raise ConfigError("position: expected one in which the match goes on", field="position")
        return position.board


GAME = Diplomacy()


def two_years(config: Mapping[str, Plain]) -> dict[str, Plain]:
    """The configuration of a match of two years on the same map."""
    board = named(str(config.get("map", "standard")))
    return {"map": board.name, "last_year": board.year + 1}


def in_time(config: Mapping[str, Plain]) -> dict[str, Plain]:
    """The configuration with a last year, so that whatever players do the match ends in good time."""
    if config.get("last_year") is not None or "position" in config:
        return dict(config)
    name = config.get("map", "standard")
    first = named(name).year if isinstance(name, str) else 0  # any other is refused by whoever reads it
    return {**config, "last_year": first + USUAL_YEARS - 1}
