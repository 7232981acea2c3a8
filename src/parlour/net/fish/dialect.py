"""The contract of a protocol of Fish with the server: greeting, entrants, tables."""

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


class RemoteEntrant(Protocol):
    """A remote player throughout a tournament."""

    peer: Peer
    told: bool
    """True after it has accepted the news of the end."""

    async def tournament_started(self) -> None:
        """Tell that it begins; raises if the player is not ready."""
        ...

    async def tournament_ended(self, won: bool) -> None:
        """Tell the result; raises if the player does not take it."""
        ...

    async def welcome_back(self) -> None:
        """Bring a player up to date that came back to a server that was down."""
        ...


class RemoteTable(TableFollower, Protocol):
    """The remote side of one match: follows its table, passes events on, and has the players.

    It is given what happened as the record has it, so that it is for the protocol to tell nobody too much.
    """

    def player(self, seat: Seat) -> Player:
        """Return the proxy that sits on that seat."""
        ...

    def go_on(self) -> None:
        """Tell everyone the position of a match that was resumed."""
        ...


class Dialect(Protocol):
    """A wire protocol for Fish."""

    @property
    def name(self) -> str:
        """The word for it on the command line."""
        ...

    @property
    def silent_become(self) -> Standing | None:
        """The standing of players who do not accept the news of the end; None: losers."""
        ...

    @property
    def tokens(self) -> bool:
        """True if players get a token with which they can come back, and names must differ."""
        ...

    def greeting(self, value: bytes) -> Wish:
        """Return the request in the first value of a connection. Raise RemoteWireError if it is not one."""
        ...

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """Tell a player that it is in the tournament, or on the wait-list."""
        ...

    def refuse(self, connection: Wire, reason: str) -> None:
        """Tell a player that it is not let in, and hang up."""
        ...

    def entrant(self, peer: Peer, patience: Patience) -> RemoteEntrant:
        """Return the proxy of a player throughout a tournament."""
        ...

    def table(
        self,
        title: str,
        match: Match,
        names: Mapping[Seat, str],
        peers: Mapping[Seat, Peer],
        patience: Patience,
        spectators: Iterable[Wire],
    ) -> RemoteTable:
        """Return the remote side of a match.

        What it is called, all names, and the peers of those seats that are remote.
        """
        ...

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return the message for remote spectators about an event of the tournament; None if there is none."""
        ...
