"""Responses of the server: one class for each kind of the protocol, and the reader of their frames."""

from __future__ import annotations

import msgspec

from parlour.core.game import Plain
from parlour.net.mila.protocol_values import GamePhase, GameSheet, GameStatus, Schedule
from parlour.net.mila.requests import reader_of, wire_name


class Response(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", tag=wire_name):
    """Base of all responses; the id is that of the request."""

    request_id: str


class Ok(Response, frozen=True):
    """The request was carried out."""


class Error(Response, frozen=True):
    """The request was refused: the name of an error class, and a message."""

    error_type: str
    message: str


class TokenGiven(Response, frozen=True, tag="data_token"):
    """The token of a new sign-in."""

    data: str


class PortGiven(Response, frozen=True, tag="data_port"):
    """The port for DAIDE players."""

    data: int


class TimeStamped(Response, frozen=True, tag="data_time_stamp"):
    """The time at which a message was sent, in microseconds."""

    data: int
    recipients: list[str] | msgspec.UnsetType = msgspec.UNSET
    """All recipients of the message; the package's server, which sends to the first only, leaves it out."""


class PowersListed(Response, frozen=True, tag="data_power_names"):
    """Names of powers."""

    data: list[str]


class WaitingPowersListed(Response, frozen=True, tag="data_games_to_power_names"):
    """Names of powers by game."""

    data: dict[str, list[str]]


class MapSheet(msgspec.Struct, frozen=True, kw_only=True):
    """A map: powers, supply centres, and locations with their neighbours."""

    powers: list[str]
    supply_centers: list[str]
    loc_type: dict[str, str]
    loc_abut: dict[str, list[str]]
    aliases: dict[str, str]


class MapsListed(Response, frozen=True, tag="data_maps"):
    """Maps by name."""

    data: dict[str, MapSheet]


class GameSummary(Response, frozen=True, tag="data_game_info"):
    """A game in a list, or its state after a synchronisation; timestamps are in microseconds."""

    game_id: str
    phase: str
    timestamp: int
    timestamp_created: int
    map_name: str | None = None
    observer_level: str | None = None
    """The highest role of the caller in the game besides a player."""
    controlled_powers: list[str] | None = None
    rules: list[str] | None = None
    status: GameStatus | None = None
    n_players: int | None = None
    n_controls: int | None = None
    deadline: int | None = None
    registration_password: bool | None = None
    """True if the game needs a password."""


class GamesListed(Response, frozen=True, tag="data_games"):
    """A list of games; the request id in each has no meaning."""

    data: list[GameSummary]


class GameGiven(Response, frozen=True, tag="data_game"):
    """A game as its new player or observer may see it."""

    data: GameSheet


class PhasesGiven(Response, frozen=True, tag="data_game_phases"):
    """Phases of a game."""

    data: list[GamePhase]


class SavedGameGiven(Response, frozen=True, tag="data_saved_game"):
    """A saved game."""

    data: dict[str, Plain]


class PossibleOrders(Response, frozen=True, tag="data_possible_orders"):
    """All possible orders by location, and the orderable locations of each power."""

    possible_orders: dict[str, list[str]]
    orderable_locations: dict[str, list[str]]


class GameSchedule(Response, frozen=True, tag="data_game_schedule"):
    """The schedule of the phase."""

    game_id: str
    phase: str
    schedule: Schedule


read_response = reader_of(Response)
