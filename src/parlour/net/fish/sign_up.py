"""The sign-up desk: signs players up, reserves their places, lets them return, and gathers fields for tournaments."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from string import digits as DIGITS

from parlour.errors import RemoteWireError
from parlour.net.fish.dialect import Dialect, RemoteEntrant, Wish
from parlour.net.fish.lobby import Lobby, Ticket
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import Settings
from parlour.net.framing.connection import Wire
from parlour.net.framing.entrance import Entrance
from parlour.net.framing.json_stream import ValueReader

MAX_FROM_PLAYER = 1 << 12
"""Maximum bytes of one value of a player; the longest valid one is a sign-up of a few hundred."""


@dataclass(slots=True)
class Seated:
    """The entrants of the running tournament."""

    entrants: dict[str, RemoteEntrant]
    digests: dict[str, bytes]
    """Digests of the tokens with which players can return."""
    returning: bool = False
    """True if the tournament was interrupted and waits for its players."""
    decided: bool = False
    """True if the tournament is decided and only its result is to be sent."""
    told: set[str] = field(default_factory=set)
    """Players who already know the result, because they have signed up for the next tournament."""

    @property
    def all_here(self) -> bool:
        """True if every player who may still return is present."""
        return all(
            entrant.peer.present or entrant.peer.is_closed or name in self.told
            for name, entrant in self.entrants.items()
        )

    def waits_for(self, name: str) -> bool:
        """Return True if a player of that name is in the tournament and has not received the result."""
        entrant = self.entrants.get(name)
        return entrant is not None and not entrant.told and name not in self.told


class SignUpDesk:
    """The desk at which players sign up. It runs on the event loop and never waits for a player."""

    def __init__(self, dialect: Dialect, settings: Settings, news: Callable[[str], None] = lambda line: None) -> None:
        self.settings = settings
        self.door = Entrance(
            self._greeted, dialect.refuse, _framing, patience=settings.name_time, limiter=settings.limiter()
        )
        self.seated: Seated | None = None
        self.spectators: dict[Wire, None] = {}
        self._dialect = dialect
        self._news = news
        self._lobby = Lobby(settings.most)
        self._peers: dict[str, Peer] = {}
        self._changed = asyncio.Event()
        self._arrivals = 0

    @property
    def grace(self) -> float:
        """Seconds that a player has to reconnect; 0 where the protocol has no tokens."""
        return self.settings.grace if self._dialect.tokens else 0.0

    # Signing up

    def _greeted(self, connection: Wire, value: bytes) -> None:
        """Process the first value of a connection."""
        try:
            wish = self._dialect.greeting(value)
        except RemoteWireError as error:
            self._dialect.refuse(connection, str(error))
        else:
            self._welcome(connection, wish)

    def _welcome(self, connection: Wire, wish: Wish) -> None:
        """Process the request of a connection: to play or to watch."""
        if wish.spectate:
            self._admit_spectator(connection)
        elif self._returns(connection, wish) or self._returns_early(connection, wish):
            return
        elif wish.token:
            self._dialect.refuse(connection, "no place is kept for this name and token")
        else:
            self._sign_up(connection, wish)

    def _sign_up(self, connection: Wire, wish: Wish) -> None:
        name = wish.name if self._dialect.tokens else self._free_name(wish.name)
        if self.seated is not None and self.seated.returning and self.seated.decided and name in self.seated.entrants:
            self.seated.told.add(name)
        if self._is_taken(name):
            self._dialect.refuse(connection, "the name is taken")
            return
        if not self._lobby.has_room:
            self._dialect.refuse(connection, "the wait-list is full")
            return
        token = secrets.token_urlsafe(16) if self._dialect.tokens else ""
        self._arrivals += 1
        peer = self._peers[name] = Peer(name, connection)
        peer.on_lost = lambda: self._dropped(name)
        entered = self._lobby.enter(Ticket(name, self._arrivals, wish.age, _digest(token)))
        self._dialect.confirm(connection, entered=entered, token=token)
        self._news(f"{name} signed up: {self._count()}" if entered else f"{name} is on the wait-list")
        self._changed.set()

    def _count(self) -> str:
        return f"{len(self._lobby)} of {self.settings.fewest} to {self.settings.most}"

    def _is_taken(self, name: str) -> bool:
        seated = self.seated
        # A player who has received the result may sign up for the next tournament before the others have.
        return name in self._lobby or (seated is not None and seated.waits_for(name))

    def _free_name(self, name: str) -> str:
        """Return the name, with a number if it is taken: the protocol allows equal names, the server does not."""
        found, number = name, 1
        while self._is_taken(found):
            number += 1
            found = f"{name}{number}"
        return found

    def _dropped(self, name: str) -> None:
        """Remove a player who left between sign-up and start."""
        self._peers.pop(name, None)
        promoted = self._lobby.drop(name)
        self._news(f"{name} left: {self._count()}")
        self._promoted(promoted)
        self._changed.set()

    def _promoted(self, tickets: Sequence[Ticket]) -> None:
        for ticket in tickets:
            peer = self._peers[ticket.name]
            if peer.connection is not None:
                self._dialect.confirm(peer.connection, entered=True)
                self._news(f"{ticket.name} has a place now: {self._count()}")

    def _returns(self, connection: Wire, wish: Wish) -> bool:
        """Give a returning entrant of the running tournament its place back; return False if it is not one."""
        seated = self.seated
        entrant = None if seated is None else self._expected(seated, wish)
        if entrant is None:
            return False
        self._dialect.confirm(connection, entered=True, token=wish.token)
        self._news(f"{entrant.peer.name} is back")
        entrant.peer.attach(connection)
        self._changed.set()
        return True

    def _returns_early(self, connection: Wire, wish: Wish) -> bool:
        """Replace the connection of a player who is in the lobby; return False if it is not one."""
        ticket = self._lobby.ticket(wish.name)
        if ticket is None or not wish.token or not hmac.compare_digest(ticket.digest, _digest(wish.token)):
            return False
        self._dialect.confirm(connection, entered=self._lobby.has_place(wish.name), token=wish.token)
        self._peers[wish.name].attach(connection)
        return True

    def _expected(self, seated: Seated, wish: Wish) -> RemoteEntrant | None:
        """Return the entrant who may return with that request; None if there is none."""
        if self._dialect.tokens:
            entrant = seated.entrants.get(wish.name)
            kept = hmac.compare_digest(seated.digests.get(wish.name, b""), _digest(wish.token))
            return entrant if entrant is not None and kept and not entrant.peer.is_closed else None
        if not seated.returning:
            return None
        # Equal names were numbered at sign-up, so a name also means its numbered variants.
        named = (entrant for name, entrant in seated.entrants.items() if name.rstrip(DIGITS) == wish.name)
        return next((entrant for entrant in named if not entrant.peer.present and not entrant.peer.is_closed), None)

    def _admit_spectator(self, connection: Wire) -> None:
        if len(self.spectators) >= self.settings.most_spectators:
            self._dialect.refuse(connection, "too many spectators")
            return
        self.spectators[connection] = None
        connection.receiver = _Watcher(lambda: self.spectators.pop(connection, None))

    # Gathering

    async def gather(self) -> list[Ticket] | None:
        """Wait for enough players and return their tickets; None if too few came."""
        settings, lobby = self.settings, self._lobby
        self._promoted(lobby.open())
        while not settings.once and not lobby:
            await self._change(None)
        for _ in range(settings.tries):
            if await self._fills_up(settings.wait) or len(lobby) >= settings.fewest:
                return lobby.take()
        if lobby and len(lobby) + settings.house >= settings.fewest:
            return lobby.take()
        return None

    async def _fills_up(self, seconds: float) -> bool:
        """Return True if all places are taken within one waiting period."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until:
            if self._lobby.is_full:
                await asyncio.sleep(self.settings.settle)
                if self._lobby.is_full:
                    return True
            await self._change(until - loop.time())
        return self._lobby.is_full

    async def _change(self, seconds: float | None) -> None:
        """Wait until a player joins or leaves, or until the time is over."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def await_return(self, seated: Seated) -> None:
        """Wait until all entrants have returned, or until time is up."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.settings.return_time
        while not seated.all_here and loop.time() < until:
            await self._change(until - loop.time())

    def claim(self, ticket: Ticket) -> Peer:
        """Return the peer of a player whose tournament begins; from now on it may reconnect."""
        peer = self._peers.pop(ticket.name)
        peer.on_lost, peer.grace = None, self.grace
        return peer

    def close(self) -> None:
        """Close all connections."""
        self.door.close()
        for peer in self._peers.values():
            peer.on_lost = None
            peer.close()
        for entrant in self.seated.entrants.values() if self.seated is not None else ():
            entrant.peer.close()
        for connection in self.spectators:
            connection.close()


class _Watcher:
    """The receiver of a spectator's connection; any value that arrives breaks the protocol."""

    def __init__(self, gone: Callable[[], object]) -> None:
        self._gone = gone

    def received(self, value: bytes) -> None:
        raise RemoteWireError("a spectator has nothing to say")

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        self._gone()


def _framing() -> ValueReader:
    return ValueReader(max_value=MAX_FROM_PLAYER)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
