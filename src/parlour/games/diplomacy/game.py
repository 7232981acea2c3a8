"""The game of Diplomacy for the referee: its seats, its configuration, its first position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core.game import Action, Happened, Plain, Seat, Seed
from parlour.core.viewers import Viewer
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.declaration import DECLARATION
from parlour.games.diplomacy.engine.state import MAX_YEAR
from parlour.games.diplomacy.fog import is_foggy, turn_seen
from parlour.games.diplomacy.maps.map import Map, named
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.scoring import Scoring, read_scoring
from parlour.games.diplomacy.variations import Variation, read_variations

YEARS = 100
"""Number of years of a match without a limit; also the maximum of `years`."""
USUAL_YEARS = 10
"""Number of years of a match if none is given; random players never end a match."""

FIELDS = ("map", "rules", "last_year", "years", "scoring", "sight", "position")
SIGHTS = ("clear", "fog")
"""clear: everyone sees the whole board; fog: each power sees only its units and centres and their neighbourhood."""


class Diplomacy:
    """The rules of Diplomacy.

    Configuration:
        map: Name of a map that `named` finds.
        rules: List of variations of the rules (`Variation`).
        last_year or years: The match ends after this year, or after this number of years.
        scoring: solo, draw size, sum of squares or centre share.
        sight: clear or fog; fog is also one of the variations.
        position: Compact text of the position to start from.
    """

    declaration = DECLARATION
    name = DECLARATION.name
    press_check = DECLARATION.press_check

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        """Return one seat for each played power of the map."""
        board, _, _ = self._read(config)
        return tuple(Seat(power.name) for power in board.players)

    def fewest(self, config: Mapping[str, Plain]) -> int:
        """Return the minimum number of players, which is two; powers without a player stand in civil disorder."""
        self._read(config)
        return 2

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Position:
        """Return the first position; powers that are not among the seats are out of the match."""
        board, last_year, scoring = self._read(config)
        if "position" in config:
            position = Position.read(config["position"], board).under(board.variations)
            first = position.year
        else:
            position, first = Position.start(board), board.year
        if last_year is None:
            last_year = position.last_year or min(first + (YEARS - 1) * board.calendar.step, MAX_YEAR)
        elif last_year < first:
            raise ConfigError(f"last_year: expected {first} or later, got {last_year}", field="last_year")
        position = position.on_terms(last_year, scoring if "scoring" in config else position.scoring)
        for power in board.powers:
            if power.name not in seats:
                position = position.without(Seat(power.name))
        return position

    def decode(self, value: Plain) -> Position:
        """Return the position of a compact text."""
        if not isinstance(value, str):
            raise NotationError("position: expected a compact text such as Position.fen gives")
        try:
            return Position.read(value)
        except ConfigError as error:
            raise NotationError(str(error), text=value) from None

    def turn_seen(
        self, actions: Mapping[str, Action], happened: Happened, viewer: Viewer
    ) -> tuple[Mapping[str, Action], Happened]:
        """Return a turn as a viewer may see it: whole, or in fog without the orders of others."""
        return turn_seen(actions, happened, viewer)

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
        first = board.year
        if "position" in config:
            position = self._position_of(config["position"])
            board, first = position.board, position.year
        if (years := config.get("years")) is not None:
            if last_year is not None:
                raise ConfigError("years: expected without last_year", field="years")
            if type(years) is not int or not 1 <= years <= YEARS:
                raise ConfigError(f"years: expected a number from 1 to {YEARS}, got {years!r:.60}", field="years")
            last_year = min(first + (years - 1) * board.calendar.step, MAX_YEAR)
        if "rules" in config:
            board = board.under(read_variations(config["rules"]))
        if (sight := config.get("sight", "clear")) not in SIGHTS:
            raise ConfigError(f"sight: expected {' or '.join(SIGHTS)}, got {sight!r:.60}", field="sight")
        if is_foggy(config):
            board = board.under((*board.variations, Variation.FOG))
        return board, last_year, read_scoring(config.get("scoring", Scoring.SUM_OF_SQUARES))

    def _position_of(self, text: Plain) -> Position:
        try:
            position = self.decode(text)
        except NotationError as error:
            raise ConfigError(f"position: {error}", field="position") from None
        if position.over:
            raise ConfigError("position: expected one in which the match is not over", field="position")
        return position


GAME = Diplomacy()


def two_years(config: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the configuration of a match of two years on the same map."""
    board = named(str(config.get("map", "standard")))
    return {"map": board.name, "last_year": board.year + board.calendar.step}


def in_time(config: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the configuration with a last year if it has no limit, so that the match ends in reasonable time."""
    if any(config.get(field) is not None for field in ("last_year", "years", "position")):
        return dict(config)
    name = config.get("map", "standard")
    if not isinstance(name, str):
        return dict(config)  # the name is refused when the configuration is read
    board = named(name)
    return {**config, "last_year": board.year + (USUAL_YEARS - 1) * board.calendar.step}
