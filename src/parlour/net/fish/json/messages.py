"""The messages of the Fish protocol and its data definitions, with two additional messages for spectators.

Keys that the protocol does not have (age, token, reason, score, kicked, match) are optional, and every reader ignores
unknown keys.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from parlour.core.decoding import UNREADABLE
from parlour.core.text import MAX_QUOTED, printable
from parlour.errors import RemoteWireError

Colour: TypeAlias = Literal["red", "white", "brown", "black"]
Natural: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Place: TypeAlias = tuple[Natural, Natural]
"""A Position of the protocol: row and column."""
Action: TypeAlias = tuple[Place, Place] | Literal["Skip", "skip"]
"""A move from one place to another; only the server sends "Skip", in either spelling."""


class PlayerState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player of a game."""

    name: str
    places: tuple[Place, ...]
    color: Colour
    score: Natural | None = None


class GameState(msgspec.Struct, frozen=True):
    """The state of a game; the first player is to act."""

    board: tuple[tuple[Natural, ...], ...]
    players: tuple[PlayerState, ...]


class GameResult(msgspec.Struct, frozen=True):
    """The result of a game, by names."""

    winners: tuple[str, ...]
    losers: tuple[str, ...]
    kicked_players: tuple[str, ...]
    state: GameState


class Kicked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player who was removed, with standing and reason; an extension of the protocol."""

    name: str
    standing: str
    reason: str
    color: Colour | None = None


class Totals(msgspec.Struct, frozen=True):
    """The result of a tournament, for spectators."""

    winners: tuple[str, ...]
    losers: tuple[str, ...]
    cheaters: tuple[str, ...]
    failures: tuple[str, ...]


class _Message(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """Base of all messages."""


# Signing up


class SignupRequest(_Message, frozen=True, tag="signup_request"):
    """A sign-up under a name; with a token the player takes its place again."""

    value: Name
    age: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    token: Annotated[str, Meta(max_length=64)] | None = None


class SignupConfirmation(_Message, frozen=True, tag="signup_confirmation"):
    """The answer to a sign-up: True for a place in the tournament; else on the wait-list, or refused with a reason."""

    value: bool
    token: Annotated[str, Meta(max_length=64)] | None = None
    reason: str | None = None


class SpectateRequest(_Message, frozen=True, tag="spectate_request"):
    """A request to watch; an extension of the protocol."""

    value: bool


# The tournament


class TournamentStart(_Message, frozen=True, tag="tournament_start"):
    """The tournament begins."""

    value: bool


class TournamentReady(_Message, frozen=True, tag="tournament_ready"):
    """The answer to tournament_start: True if the player is ready; otherwise it is removed."""

    value: bool


class TournamentEnd(_Message, frozen=True, tag="tournament_end"):
    """The end of the tournament: True if the player has won."""

    value: bool


class TournamentEndResponse(_Message, frozen=True, tag="tournament_end_response"):
    """The player accepts the result; a winner who does not becomes a loser."""

    value: bool


class TournamentOver(_Message, frozen=True, tag="tournament_result"):
    """The result of the tournament, for spectators; an extension of the protocol."""

    value: Totals


# A game


class PlayerAssignColor(_Message, frozen=True, tag="player_assign_color"):
    """A new game begins, in which the player has this colour."""

    value: Colour


class PlayerRequestPlacement(_Message, frozen=True, tag="player_request_placement"):
    """The player is to place a penguin."""

    value: GameState


class PlayerRespondPlacement(_Message, frozen=True, tag="player_respond_placement"):
    """The tile on which a player places a penguin."""

    value: Place


class PlayerRequestMove(_Message, frozen=True, tag="player_request_move"):
    """The player is to move."""

    value: bool


class PlayerRespondMove(_Message, frozen=True, tag="player_respond_move"):
    """The move."""

    value: Action


class BroadcastState(_Message, frozen=True, tag="broadcast_state"):
    """The state of the game when the moves begin, and after a player was kicked."""

    value: GameState
    kicked: Kicked | None = None
    match: str | None = None


class BroadcastAction(_Message, frozen=True, tag="broadcast_action"):
    """The action of the player to act."""

    value: Action
    match: str | None = None


class BroadcastGameOver(_Message, frozen=True, tag="broadcast_game_over"):
    """The game is over."""

    value: GameResult
    match: str | None = None


Greeting: TypeAlias = SignupRequest | SpectateRequest
"""The first message of a connection."""

FromPlayer: TypeAlias = TournamentReady | PlayerRespondPlacement | PlayerRespondMove | TournamentEndResponse

FromServer: TypeAlias = (
    SignupConfirmation
    | TournamentStart
    | TournamentEnd
    | TournamentOver
    | PlayerAssignColor
    | PlayerRequestPlacement
    | PlayerRequestMove
    | BroadcastState
    | BroadcastAction
    | BroadcastGameOver
)

_T = TypeVar("_T")

greetings: msgspec.json.Decoder[Greeting] = msgspec.json.Decoder(Greeting)
from_player: msgspec.json.Decoder[FromPlayer] = msgspec.json.Decoder(FromPlayer)
from_server: msgspec.json.Decoder[FromServer] = msgspec.json.Decoder(FromServer)


def read(decoder: msgspec.json.Decoder[_T], value: bytes) -> _T:
    """Return the message in `value`; raise RemoteWireError that names the wrong field and what was expected."""
    try:
        return decoder.decode(value)
    except UNREADABLE as error:
        quoted = printable(value[:MAX_QUOTED].decode(errors="replace").strip(), 100)
        raise RemoteWireError(f"not a message that is expected here: {printable(error, 200)}, in {quoted}") from None


def tag_of(message: type[_Message] | _Message) -> str:
    """Return the type of a message as on the wire."""
    return str(message.__struct_config__.tag)
