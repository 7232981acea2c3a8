"""The JSON protocol as the server knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlour.core.fouls import Standing
from parlour.core.game import Seat
from parlour.errors import RemoteWireError
from parlour.net.fish.dialect import Patience, Wish
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.proxies import JsonEntrant, JsonTable
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.net.framing.values import encode_line
from parlour.referee.match import Match
from parlour.tournament.knock_out.events import Announced, Closed, TournamentEvent


class JsonDialect:
    """Messages with a type and a value."""

    name = "json"
    silent_become: Standing | None = None
    tokens = True

    def greeting(self, value: bytes) -> Wish:
        """Return a sign-up with a name, or the wish to watch."""
        greeting = ms.read(ms.greetings, value)
        if isinstance(greeting, ms.SpectateRequest):
            return Wish("", spectate=True)
        if not greeting.value.isprintable() or greeting.value != greeting.value.strip():
            raise RemoteWireError("value: expected a name of printable characters")
        return Wish(greeting.value, greeting.age, greeting.token or "")

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """True for a place in the tournament, false for one on the wait-list."""
        connection.send(encode_line(ms.SignupConfirmation(entered, token or None)))

    def refuse(self, connection: Wire, reason: str) -> None:
        """Refuse a player and close the connection. A player that reads only the value takes it for the wait-list."""
        connection.send(encode_line(ms.SignupConfirmation(False, reason=reason)))
        connection.close()

    def entrant(self, peer: Peer, patience: Patience) -> JsonEntrant:
        """Return the proxy of a player throughout a tournament."""
        return JsonEntrant(peer, patience)

    def table(
        self,
        title: str,
        match: Match,
        names: Mapping[Seat, str],
        peers: Mapping[Seat, Peer],
        patience: Patience,
        spectators: Iterable[Wire],
    ) -> JsonTable:
        """Return the remote side of a match."""
        return JsonTable(match, names, peers, spectators, title)

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return the start and the result."""
        if isinstance(event, Announced):
            return encode_line(ms.TournamentStart(True))
        if isinstance(event, Closed):
            result = event.result
            ended = ms.Totals(
                result.winners,
                result.losers,
                tuple(departure.name for departure in result.cheaters),
                tuple(departure.name for departure in result.failures),
            )
            return encode_line(ms.TournamentOver(ended))
        return None
