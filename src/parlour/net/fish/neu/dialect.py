"""The CS4500 course's protocol, for the tournament server."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Action, Plain, Seat, View
from parlour.games.fish.position import SKIP, Position
from parlour.net.fish.dialect import Patience, RemoteMatch, Wish
from parlour.net.fish.neu import calls
from parlour.net.fish.neu.calls import read_name
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.referee.deadline_grace import within
from parlour.referee.match import Reaction
from parlour.tournament.knock_out.events import TournamentEvent


class NeuDialect:
    """Calls with a name and arguments; a sign-up is a name, which is not answered."""

    name = "neu"
    silent_become: Standing | None = Standing.FAILURE
    tokens = False

    def greeting(self, value: bytes) -> Wish:
        """Return a sign-up with a name."""
        return Wish(read_name(value))

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """Do nothing: a sign-up is not answered."""

    def refuse(self, connection: Wire, reason: str) -> None:
        """Close the connection without an answer."""
        connection.close()

    def entrant(self, peer: Peer, patience: Patience) -> NeuEntrant:
        return NeuEntrant(peer, patience)

    def table(self, remote: RemoteMatch) -> NeuTable:
        return NeuTable(remote)

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return None: the protocol has no spectators."""
        return None


_T = TypeVar("_T")


class NeuEntrant:
    """A remote player throughout a tournament."""

    def __init__(self, peer: Peer, patience: Patience) -> None:
        self.peer = peer
        self.told = False
        self._patience = patience
        self._started = False

    async def tournament_started(self) -> None:
        """Call start, once."""
        if not self._started:
            await _within(self._patience.start, self.peer, calls.start(), calls.read_void)
            self._started = True

    async def tournament_ended(self, won: bool) -> None:
        """Call end."""
        await _within(self._patience.end, self.peer, calls.end(won), calls.read_void)
        self.told = True

    async def welcome_back(self) -> None:
        """Call start: a returned program expects all calls from the beginning."""
        await self.tournament_started()


class NeuPlayer:
    """The proxy of one seat."""

    def __init__(self, peer: Peer, seat: Seat, table: NeuTable, patience: Patience) -> None:
        self._peer = peer
        self._seat = seat
        self._table = table
        self._patience = patience
        self._introduced = False

    async def on_introduced(self, seats: Sequence[Seat]) -> None:
        """Call playing-as and playing-with."""
        self._introduced = True
        others = [seat for seat in seats if seat != self._seat]
        await _within(self._patience.introduction, self._peer, calls.playing_as(self._seat), calls.read_void)
        await _within(self._patience.introduction, self._peer, calls.playing_with(others), calls.read_void)

    def act(self, view: View) -> Awaitable[Action]:
        """Call setup or take-turn; a player who has returned to a match is introduced first."""
        position = view.position
        assert isinstance(position, Position)
        return self._ask(position) if self._introduced else self._introduced_act(position)

    async def _introduced_act(self, position: Position) -> Action:
        await self.on_introduced(self._table.seats)
        return await self._ask(position)

    def _ask(self, position: Position) -> Future[Action]:
        if position.stage == "placement":
            return self._peer.ask(calls.setup(position, self._table.arrivals), calls.read_place)
        call = calls.take_turn(position, self._table.actions_since(), self._table.arrivals)
        return self._peer.ask(call, calls.read_action)


class NeuTable:
    """The remote side of a match: remembers actions for take-turn, because the protocol has no broadcasts."""

    def __init__(self, remote: RemoteMatch) -> None:
        self.seats = tuple(remote.names)
        self._match, self._patience = remote.match, remote.patience
        self._peers = dict(remote.peers)
        self._history: list[Plain] = []
        self.arrivals = calls.ArrivalTurns()
        """The turn in which each penguin arrived on its tile, for the order in a State."""

    def player(self, seat: Seat) -> NeuPlayer:
        return NeuPlayer(self._peers[seat], seat, self, self._patience)

    def go_on(self) -> None:
        """Remember the events of a resumed match."""
        for event in self._match.record:
            self._remember(event)

    def reacted(self, reaction: Reaction) -> None:
        """Remember the events of a reaction."""
        for event in reaction.events:
            self._remember(event)

    def _remember(self, event: Event) -> None:
        """Remember a move and the skips that followed it; a removal clears the history."""
        if type(event) is ev.TurnEnded:
            action, moved = event.happened["action"], event.happened["stage"] == "move"
            if moved:
                self._history.append(action)
            # Also after the last placement: a player without a move skips before the first move.
            self._history += [SKIP] * len(event.happened["skips"])
            if action != SKIP:
                row, column = action[1] if moved else action
                self.arrivals[row, column] = event.turn
        elif type(event) is ev.Removed:
            self._history.clear()
            if event.seat in self._peers:
                # The connection stays open until the tournament ends: the course's programs spin on a closed socket.
                self._peers[event.seat].dismiss()

    def actions_since(self) -> Sequence[Plain]:
        """Return the actions of the others since the last turn of the player to move."""
        position = self._match.position
        assert isinstance(position, Position)
        return calls.actions_since(self._history, len(position.sides))


async def _within(seconds: float, peer: Peer, call: bytes, read: Callable[[bytes], _T]) -> _T:
    return await within(seconds, peer.ask(call, read))
