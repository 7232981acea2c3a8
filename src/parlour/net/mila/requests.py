"""Requests of clients: one class for each kind of the protocol, and the reader of their frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any, ClassVar, TypeVar

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain
from parlour.core.intents import Ballot, CommStatus
from parlour.net.mila.faults import RequestException
from parlour.net.mila.protocol_values import GameStatus, Grade, GradeUpdate, Log, Message, SeatedAs
from parlour.net.mila.rules import OwnTerms

T = TypeVar("T", bound=msgspec.Struct)


def wire_name(name: str) -> str:
    """Return the name of a message on the wire: SignIn is sign_in."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="name", tag=wire_name):
    """Base of all requests; the client chooses the id, and the answer repeats it."""

    request_id: str
    re_sent: bool | None = False


class ChannelRequest(Request, frozen=True, kw_only=True):
    """Base of requests that need a signed-in account."""

    token: str


class GameRequest(ChannelRequest, frozen=True, kw_only=True):
    """Base of requests about a joined game."""

    phase_dependent: ClassVar[bool] = True
    """True if the request is pointless after its phase; then it is not repeated after a reconnection."""

    game_id: str
    game_role: str
    phase: str
    """The phase of the game as the client last received it."""


# Without a token


class SignIn(Request, frozen=True):
    """Sign in; an unknown name opens an account, if registration allows it."""

    username: str
    password: str


class GetDaidePort(Request, frozen=True):
    """Ask for the port for DAIDE players of a game."""

    game_id: str


# With a token


class CreateGame(ChannelRequest, frozen=True):
    """Open a game and become its moderator; with a power you play it, otherwise you see everything."""

    game_id: str | None = None
    n_controls: int | None = None
    deadline: int | None = 300
    registration_password: str | None = None
    power_name: str | None = None
    state: dict[str, Plain] | None = None
    map_name: str | None = "standard"
    rules: list[str] | None = None
    # Only the fork sends player_type, even as null: so it is recognized.
    player_type: SeatedAs | msgspec.UnsetType | None = msgspec.UNSET
    daide_port: int | msgspec.UnsetType | None = msgspec.UNSET
    # Only Parlour's own client sends the following fields.
    saved: str | msgspec.UnsetType = msgspec.UNSET
    """A saved game to continue, packed as in earlier.py."""
    own_terms: OwnTerms | msgspec.UnsetType = msgspec.UNSET


class JoinGame(ChannelRequest, frozen=True):
    """Play a power, or watch if none is named."""

    game_id: str
    power_name: str | None = None
    registration_password: str | None = None
    player_type: SeatedAs | msgspec.UnsetType | None = msgspec.UNSET


class JoinPowers(ChannelRequest, frozen=True):
    """Take several powers, or none if one of them is taken."""

    game_id: str
    power_names: list[str]
    registration_password: str | None = None


class ListGames(ChannelRequest, frozen=True):
    """Ask for the games that pass all filters; game_id may be a part of an id."""

    game_id: str | None = None
    status: GameStatus | None = None
    map_name: str | None = None
    include_protected: bool | None = True
    for_omniscience: bool | None = False


class GetGamesInfo(ChannelRequest, frozen=True):
    """Ask for summaries of these games."""

    games: list[str]


class GetAvailableMaps(ChannelRequest, frozen=True):
    """Ask for the maps that can be played."""


class GetPlayablePowers(ChannelRequest, frozen=True):
    """Ask for the powers of a game without a controller."""

    game_id: str


class GetDummyWaitingPowers(ChannelRequest, frozen=True):
    """Ask for vacant powers that have orders to give; for the server's bot account."""

    buffer_size: int


class DeleteAccount(ChannelRequest, frozen=True):
    """Delete an account: the caller's own if none is named."""

    username: str | None = None


class Logout(ChannelRequest, frozen=True):
    """Revoke the token."""


class UnknownToken(ChannelRequest, frozen=True):
    """Report a notification for a token that the client does not know; the only request without an answer."""


class SetGrade(ChannelRequest, frozen=True):
    """Give or remove the role of administrator, moderator or omniscient."""

    grade: Grade
    grade_update: GradeUpdate
    username: str
    game_id: str | None = None


# In a game


class ClearCenters(GameRequest, frozen=True):
    """Remove the centres of a power, or of all."""

    power_name: str | None = None


class ClearOrders(GameRequest, frozen=True):
    """Take back the orders of a power, or of all."""

    power_name: str | None = None


class ClearUnits(GameRequest, frozen=True):
    """Remove the units of a power, or of all."""

    power_name: str | None = None


class DeleteGame(GameRequest, frozen=True):
    """Delete the game."""

    phase_dependent = False


class GetAllPossibleOrders(GameRequest, frozen=True):
    """Ask for all possible orders; for the web interface, because other clients compute them."""


class GetPhaseHistory(GameRequest, frozen=True):
    """Ask for the phases from one to another, inclusive; a number is an index, from the end if negative."""

    phase_dependent = False

    from_phase: str | int | None = None
    to_phase: str | int | None = None


class LeaveGame(GameRequest, frozen=True):
    """Leave the game; the power of a player becomes vacant."""


class ProcessGame(GameRequest, frozen=True):
    """End the phase now."""


class QuerySchedule(GameRequest, frozen=True):
    """Ask for the schedule of the phase."""


class SaveGame(GameRequest, frozen=True):
    """Ask for the saved game."""


class SendGameMessage(GameRequest, frozen=True):
    """Send press."""

    message: Message


class SendLogData(GameRequest, frozen=True):
    """Store a note; only the fork has this request."""

    log: Log


class SetDummyPowers(GameRequest, frozen=True):
    """Take powers from their controllers: those of one account, these powers, or all."""

    username: str | None = None
    power_names: list[str] | None = None


class SetGameState(GameRequest, frozen=True):
    """Continue from another state, with its orders."""

    state: dict[str, Plain]
    orders: dict[str, list[str] | None]
    results: dict[str, list[str]]
    messages: dict[str, Message]


class SetGameStatus(GameRequest, frozen=True):
    """Start, pause, resume, cancel, or end in a draw."""

    status: GameStatus


class SetOrders(GameRequest, frozen=True):
    """Replace the orders of this phase."""

    orders: list[str]
    power_name: str | None = None
    wait: bool | None = None


class SetWaitFlag(GameRequest, frozen=True):
    """Set or clear the wait flag."""

    wait: bool
    power_name: str | None = None


class SetReadiness(GameRequest, frozen=True, tag="set_comm_status"):
    """Announce readiness to talk; only the fork has this request."""

    phase_dependent = False

    comm_status: CommStatus
    power_name: str | None = None


class Synchronize(GameRequest, frozen=True):
    """Ask for all notifications since a time in microseconds."""

    phase_dependent = False

    timestamp: int


class CastVote(GameRequest, frozen=True, tag="vote"):
    """Vote on a draw."""

    vote: Ballot
    power_name: str | None = None


def concrete(base: type[T]) -> tuple[type[T], ...]:
    """Return the classes below one that have no classes below them: one for each kind of message."""
    below = base.__subclasses__()
    return tuple(found for sub in below for found in concrete(sub)) if below else (base,)


def reader_of(base: type[T]) -> Callable[[bytes], T]:
    """Return a function that reads a frame as one of the kinds of messages below a class."""
    read: Callable[[bytes], T] = msgspec.json.Decoder(reduce(or_, concrete(base))).decode
    return read


REQUESTS: dict[str, type[Request]] = {str(kind.__struct_config__.tag): kind for kind in concrete(Request)}
"""The requests by their names on the wire."""
_read = reader_of(Request)
_ID = re.compile(rb'"request_id"\s*:\s*"([^"\\]{1,200})"')


class Unreadable(RequestException):
    """A frame that is not a request; request_id is its id, None if it has none."""

    def __init__(self, message: str, request_id: Any) -> None:
        super().__init__(message)
        self.request_id = request_id


class _Envelope(msgspec.Struct):
    """The fields of a frame that is not a request."""

    request_id: Any = None
    name: Any = None


_envelopes = msgspec.json.Decoder(_Envelope)


def read_request(frame: bytes) -> Request:
    """Return the request in a frame; raise Unreadable with the error and the id to answer by."""
    try:
        return _read(frame)
    except UNREADABLE as error:
        wrong = error
    try:
        envelope = _envelopes.decode(frame)
    except UNREADABLE:
        # Not JSON, or with half of a surrogate pair, which clients do send: the waiting request must still be answered.
        found = _ID.search(frame)
        raise Unreadable(f"Expected a JSON object: {wrong}", found and found[1].decode(errors="replace")) from None
    if isinstance(envelope.name, str) and envelope.name in REQUESTS:
        raise Unreadable(f"Wrong request format: {wrong}", envelope.request_id)
    raise Unreadable(f"There is no request {envelope.name!r:.60}", envelope.request_id)
