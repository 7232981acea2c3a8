"""The contract between a wire protocol of Fish and the server: greeting, entrants, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from parlour.core.fouls import Standing
from parlour.core.game import Seat
from parlour.core.player import Player
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.referee.match import Match
from parlour.referee.table import TableFollower
from parlour.tournament.knock_out.events import TournamentEvent


@dataclass(frozen=True, slots=True)
class Wish:
    """The request of a new connection."""

    name: str
    age: int | None = None
    token: str = ""
    spectate: bool = False


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that players may take outside of turns."""

    start: float = 3.0
    end: float = 10.0
    introduction: float = 10.0


@dataclass(frozen=True, slots=True)
class RemoteMatch:
    """A match with remote players, for the dialect in which they play it."""

    title: str
    match: Match
    names: Mapping[Seat, str]
    """Names of all players."""
    peers: Mapping[Seat, Peer]
    """The peers of the remote seats."""
    patience: Patience = Patience()
    spectators: Iterable[Wire] = ()


class RemoteEntrant(Protocol):
    """A remote player throughout a tournament."""

    peer: Peer
    told: bool
    """True after the player has accepted the result."""

    async def tournament_started(self) -> None:
        """Send the start of the tournament; raise if the player is not ready."""

    async def tournament_ended(self, won: bool) -> None:
        """Send the result; raise if the player does not accept it."""

    async def welcome_back(self) -> None:
        """Bring a player up to date who has returned to a restarted server."""


class RemoteTable(TableFollower, Protocol):
    """The remote side of one match: follows its table, sends events on, and makes the proxies of the players.

    It receives the events as the record has them, so the protocol must not send secrets to anybody.
    """

    def player(self, seat: Seat) -> Player:
        """Return the proxy of the player on that seat."""

    def go_on(self) -> None:
        """Take up the record of a resumed match, and bring its players up to date."""


class Dialect(Protocol):
    """A wire protocol for Fish."""

    @property
    def name(self) -> str:
        """The protocol's name on the command line."""

    @property
    def silent_become(self) -> Standing | None:
        """The standing of players who do not accept the result; None means losers."""

    @property
    def tokens(self) -> bool:
        """True if players get a token with which they can return, and names must be unique."""

    def greeting(self, value: bytes) -> Wish:
        """Return the request in the first value of a connection. Raise RemoteWireError if it is not one."""

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """Confirm a place in the tournament, or on the wait-list."""

    def refuse(self, connection: Wire, reason: str) -> None:
        """Refuse a player, and close the connection."""

    def entrant(self, peer: Peer, patience: Patience) -> RemoteEntrant:
        """Return the proxy of a player throughout a tournament."""

    def table(self, remote: RemoteMatch) -> RemoteTable:
        """Return the remote side of a match."""

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return the message for remote spectators about an event of the tournament; None if there is none."""
