"""The course's protocol as the server knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlour.core.fouls import Standing
from parlour.core.game import Seat
from parlour.net.fish.dialect import Patience, Wish
from parlour.net.fish.neu.calls import read_name
from parlour.net.fish.neu.proxies import NeuEntrant, NeuTable
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.referee.match import Match
from parlour.tournament.knock_out.events import TournamentEvent


class NeuDialect:
    """Calls with a name and arguments; sign-up is a name, which is answered by nothing."""

    name = "neu"
    silent_become: Standing | None = Standing.FAILURE
    tokens = False

    def greeting(self, value: bytes) -> Wish:
        """Return a name."""
        return Wish(read_name(value))

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """Sign-up is not answered."""

    def refuse(self, connection: Wire, reason: str) -> None:
        """Hang up without a word."""
        connection.close()

    def entrant(self, peer: Peer, patience: Patience) -> NeuEntrant:
        """Return the proxy of a player throughout a tournament."""
        return NeuEntrant(peer, patience)

    def table(
        self,
        title: str,
        match: Match,
        names: Mapping[Seat, str],
        peers: Mapping[Seat, Peer],
        patience: Patience,
        spectators: Iterable[Wire],
    ) -> NeuTable:
        """Return the remote side of a match."""
        return NeuTable(match, tuple(names), peers, patience)

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return None: the protocol has no spectators."""
        return None
