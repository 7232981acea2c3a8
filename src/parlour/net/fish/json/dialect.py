"""The JSON protocol for the tournament server."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from parlour.core import events as ev
from parlour.core.fouls import Standing
from parlour.core.game import Action, Seat, View
from parlour.core.viewers import SPECTATOR
from parlour.errors import RemoteWireError
from parlour.games.fish.position import SKIP, Position
from parlour.net.fish.dialect import Patience, RemoteMatch, Wish
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.states import write_state
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.net.framing.json_stream import encode_line
from parlour.referee.deadline_grace import within
from parlour.referee.match import Reaction
from parlour.tournament.knock_out.events import Announced, Closed, TournamentEvent


class JsonDialect:
    """Messages with a type and a value."""

    name = "json"
    silent_become: Standing | None = None
    tokens = True

    def greeting(self, value: bytes) -> Wish:
        """Return a sign-up with a name, or a request to watch."""
        greeting = ms.read(ms.greetings, value)
        if isinstance(greeting, ms.SpectateRequest):
            return Wish("", spectate=True)
        if not greeting.value.isprintable() or greeting.value != greeting.value.strip():
            raise RemoteWireError("value: expected a name of printable characters")
        return Wish(greeting.value, greeting.age, greeting.token or "")

    def confirm(self, connection: Wire, *, entered: bool, token: str = "") -> None:
        """Send true for a place in the tournament, false for one on the wait-list."""
        connection.send(encode_line(ms.SignupConfirmation(entered, token or None)))

    def refuse(self, connection: Wire, reason: str) -> None:
        """Refuse a player and close the connection. A player that reads only the value takes it for the wait-list."""
        connection.send(encode_line(ms.SignupConfirmation(False, reason=reason)))
        connection.close()

    def entrant(self, peer: Peer, patience: Patience) -> JsonEntrant:
        return JsonEntrant(peer, patience)

    def table(self, remote: RemoteMatch) -> JsonTable:
        return JsonTable(remote)

    def spectator_news(self, event: TournamentEvent) -> bytes | None:
        """Return the messages for the start and the result; None for other events."""
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


_T = TypeVar("_T", bound=ms.FromPlayer)


def ask(peer: Peer, question: bytes, expected: type[_T]) -> Future[Any]:
    """Send a question; the result is the value of the answer, which must be of the expected type."""
    return peer.ask(question, partial(_value, expected))


def _value(expected: type[_T], message: bytes) -> Any:
    answer = ms.read(ms.from_player, message)
    if not isinstance(answer, expected):
        raise RemoteWireError(f"expected {ms.tag_of(expected)}, got {ms.tag_of(answer)}")
    return answer.value


class JsonEntrant:
    """A remote player throughout a tournament."""

    def __init__(self, peer: Peer, patience: Patience) -> None:
        self.peer = peer
        self.told = False
        self._patience = patience

    async def tournament_started(self) -> None:
        """Send the start of the tournament; raise RemoteWireError if the player is not ready."""
        question = ask(self.peer, encode_line(ms.TournamentStart(True)), ms.TournamentReady)
        if not await within(self._patience.start, question):
            raise RemoteWireError("is not ready")

    async def tournament_ended(self, won: bool) -> None:
        """Send the result; raise RemoteWireError if the player does not accept it."""
        question = ask(self.peer, encode_line(ms.TournamentEnd(won)), ms.TournamentEndResponse)
        if not await within(self._patience.end, question):
            raise RemoteWireError("did not accept the result")
        self.told = True

    async def welcome_back(self) -> None:
        """Do nothing: the tables send the player the state of its game."""


_YOUR_MOVE = encode_line(ms.PlayerRequestMove(True))


class JsonPlayer:
    """The proxy of one seat: a player whose answers come over the wire."""

    def __init__(self, peer: Peer, names: Mapping[Seat, str]) -> None:
        self._peer = peer
        self._names = names

    def act(self, view: View) -> Future[Action]:
        """Ask for a placement, with the state, or for a move, without the state."""
        position = view.position
        assert isinstance(position, Position)
        if position.stage == "placement":
            question = encode_line(ms.PlayerRequestPlacement(write_state(position, self._names)))
            return ask(self._peer, question, ms.PlayerRespondPlacement)
        return ask(self._peer, _YOUR_MOVE, ms.PlayerRespondMove)


class JsonTable:
    """Sends the events of one match to its remote players and to spectators; each is encoded once for all.

    It receives an event when it is stored, with the position after it: the match itself may be ahead by then.
    """

    def __init__(self, remote: RemoteMatch) -> None:
        self._match, self._title, self._names = remote.match, remote.title, remote.names
        self._peers = dict(remote.peers)
        self._spectators = remote.spectators
        self._kicked: list[Seat] = []
        self._asked: list[Seat] = []
        """Seats that the present reaction asks."""
        self._moving = False
        self._position = remote.match.state.position

    def player(self, seat: Seat) -> JsonPlayer:
        return JsonPlayer(self._peers[seat], self._names)

    def go_on(self) -> None:
        """Send all players of a resumed match their colour and the state of the game."""
        for event in self._match.record:
            if isinstance(event, ev.Removed):
                self._kicked.append(event.seat)
                self._peers.pop(event.seat, None)
        for seat in self._peers:
            self._await_return(seat)
            self._catch_up(seat)

    def reacted(self, reaction: Reaction) -> None:
        """Turn a reaction into messages; a seat that is asked gets them together with the question."""
        self._asked = [ask.seat for ask in reaction.asks]
        for event, view in zip(reaction.events, reaction.views, strict=True):
            self._position = view.position
            if (tell := _TELLING.get(type(event))) is not None:
                tell(self, event)

    def _joined(self, event: ev.Joined) -> None:
        if event.seat in self._peers:
            self._assign_colour(event.seat)
            self._await_return(event.seat)

    def _started(self, event: ev.Started) -> None:
        self._watch(lambda: ms.BroadcastState(self._state(), match=self._title))

    def _turn_began(self, event: ev.TurnBegan) -> None:
        if not self._moving and event.stage == "move":
            self._start()

    def _start(self) -> None:
        """Broadcast the position in which the moves begin, when all penguins are placed."""
        self._moving = True
        self._broadcast(ms.BroadcastState(self._state()))
        self._watch(lambda: ms.BroadcastState(self._state(), match=self._title))

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        happened = event.happened
        if happened["stage"] == "placement":
            self._watch(lambda: ms.BroadcastState(self._state(), match=self._title))
            return
        for action in (happened["action"], *[SKIP] * len(happened["skips"])):
            spelt: ms.Action = "Skip" if action == SKIP else action
            self._broadcast(ms.BroadcastAction(spelt))
            self._watch(partial(ms.BroadcastAction, spelt, self._title))

    def _removed(self, event: ev.Removed) -> None:
        self._kicked.append(event.seat)
        peer = self._peers.pop(event.seat, None)
        if self._position is not None:
            seat: Any = event.seat
            reason = event.seen(SPECTATOR, self._match.game).reason_words
            kicked = ms.Kicked(self._names[event.seat], event.standing or "removed", reason, seat)
            if peer is not None:
                # Only the player itself receives more than the kind of its foul.
                own = msgspec.structs.replace(kicked, reason=event.reason_words)
                peer.send(encode_line(ms.BroadcastState(self._state(), own)))
            self._broadcast(ms.BroadcastState(self._state(), kicked))
            self._watch(lambda: ms.BroadcastState(self._state(), kicked, self._title))
        if peer is not None:
            peer.returned = None
            peer.close()

    def _ended(self, event: ev.Ended) -> None:
        for peer in self._peers.values():
            peer.returned = None
        if self._position is None:
            return
        if not self._moving and self._position.stage == "move":
            # No penguin can move after the placements; the start is broadcast nevertheless.
            self._start()
        places = event.outcome.places
        result = ms.GameResult(
            winners=tuple(self._names[Seat(seat)] for seat in event.outcome.winners),
            losers=tuple(self._names[Seat(seat)] for place in places[1:] for seat in place),
            kicked_players=tuple(self._names[seat] for seat in self._kicked),
            state=self._state(),
        )
        self._broadcast(ms.BroadcastGameOver(result))
        self._watch(lambda: ms.BroadcastGameOver(result, self._title))

    def _assign_colour(self, seat: Seat) -> None:
        self._peers[seat].send(encode_line(ms.PlayerAssignColor(seat)))  # type: ignore[arg-type]

    def _await_return(self, seat: Seat) -> None:
        if (peer := self._peers.get(seat)) is not None:
            peer.returned = lambda: self._catch_up(seat)

    def _catch_up(self, seat: Seat) -> None:
        self._assign_colour(seat)
        if self._position is not None:
            self._peers[seat].send(encode_line(ms.BroadcastState(self._state())))

    def _state(self) -> ms.GameState:
        assert isinstance(self._position, Position)
        return write_state(self._position, self._names)

    def _broadcast(self, message: ms.FromServer) -> None:
        if self._peers:
            text = encode_line(message)
            for seat, peer in self._peers.items():
                if seat in self._asked:
                    peer.hold(text)
                else:
                    peer.send(text)

    def _watch(self, message: Callable[[], ms.FromServer]) -> None:
        """Send spectators a message, which is made only if there are any."""
        text = b""
        for spectator in tuple(self._spectators):  # a copy, because send may remove a spectator that does not read
            text = text or encode_line(message())
            spectator.send(text)


_TELLING: dict[type[Any], Callable[[JsonTable, Any], None]] = {
    ev.Joined: JsonTable._joined,
    ev.Started: JsonTable._started,
    ev.TurnBegan: JsonTable._turn_began,
    ev.TurnEnded: JsonTable._turn_ended,
    ev.Removed: JsonTable._removed,
    ev.Ended: JsonTable._ended,
}
"""Functions that send each kind of event."""
