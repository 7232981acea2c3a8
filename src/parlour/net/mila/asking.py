"""For whom a request in a game speaks, and whether its role may ask for that at all."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.games.diplomacy.map import named
from parlour.net.mila import values as w
from parlour.net.mila.board import BoardState
from parlour.net.mila.door import Call
from parlour.net.mila.faults import (
    GameFinishedException,
    GameMasterTokenException,
    GameTokenException,
    MapPowerException,
    ResponseException,
)
from parlour.net.mila.listeners import Listening
from parlour.net.mila.refusals import raise_refusal
from parlour.net.mila.rooms import Cause, Expected, Room
from parlour.net.mila.sights import Sight
from parlour.net.mila.values import GameStatus
from parlour.referee.table import Answer


class Asker(msgspec.Struct, frozen=True, eq=False):
    """Who asks for something in a game, and what the role knows there."""

    call: Call
    room: Room
    board: BoardState
    """What all may know of the game."""
    sight: Sight
    listening: Listening | None

    @property
    def is_player(self) -> bool:
        """Whether the role is that of a power."""
        return self.sight.is_player

    def seat(self) -> Seat:
        """The power that the request is about: the one that it names, or the role's own."""
        call, sight = self.call, self.sight
        named = getattr(call.request, "power_name", None)
        name = named if named is not None else sight.role
        place = self.board.places.get(name)
        if place is None:
            raise MapPowerException(str(named))
        if sight.is_player and place.controller != call.member.name:
            raise ResponseException(f"{call.account} does not control {name}.")
        return Seat(name)

    def named_seat(self) -> Seat:
        """The same, of which a role that is no power must name one."""
        if not self.sight.is_player and self.call.request.power_name is None:
            raise MapPowerException("None")
        return self.seat()

    def by(self, seat: Seat) -> str:
        """The name of a proxy who speaks for a power; empty if its own player speaks."""
        account = self.call.member.name
        return "" if self.board.places[seat].controller == account else account

    def require_going_on(self) -> None:
        """Refuse what cannot be asked for when the game is over; cancelled games are finished to these clients, too."""
        status = self.board.status
        if status is GameStatus.CANCELED:
            raise GameFinishedException("The game was cancelled.")
        if status is GameStatus.COMPLETED:
            raise GameFinishedException

    def require_phase(self) -> None:
        """Refuse what is about another phase."""
        if self.call.request.phase != self.board.phase:
            raise ResponseException(
                f"Invalid order phase, received {self.call.request.phase[:20]}, server phase is {self.board.phase}"
            )

    def expect(self, causing: Sequence[Cause]) -> Expected | None:
        """Do not tell the asking listener of events that it is to cause, until the room forgets what this gives."""
        if self.listening is None or not causing:
            return None
        expected = Expected(causing, self.listening, self.call.socket.hold)
        self.room.expect(expected)
        return expected

    async def hand_in(self, *intents: Intent, causing: Sequence[Cause] = ()) -> list[Answer]:
        """Hand intents in; the asking listener is not told of the events that they are to cause."""
        expected = self.expect(causing)
        try:
            answers = await self.call.door.host.handle(self.call.member, self.room.match, *intents)
        finally:
            self.room.forget(expected)
        raise_refusal(answers)
        return answers


class asking:
    """Who asks, if the role may: players, observers, and those who see all; with master, of these only moderators."""

    __slots__ = ("_call", "_master", "_observer", "_player", "_room")

    def __init__(self, call: Call, *, observer: bool = False, master: bool = False, player: bool = True) -> None:
        self._call = call
        self._observer, self._master, self._player = observer, master, player
        self._room: Room | None = None

    async def __aenter__(self) -> Asker:
        call, role = self._call, self._call.request.game_role
        listening = await _checked(call, observer=self._observer, master=self._master, player=self._player)
        room, sight = await call.door.come_in(call.request.game_id, role)
        self._room = room
        if sight.is_player and room.state.places[role].controller != call.account:
            call.door.go_out(room)
            raise ResponseException(f"{call.account} does not control {role}.")
        return Asker(call, room, room.state, sight, listening)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._room is not None:
            self._call.door.go_out(self._room)


async def _checked(call: Call, *, observer: bool, master: bool, player: bool) -> Listening | None:
    """Who asks, as a listener, if it is one; raises if the role may not."""
    request, door = call.request, call.door
    if request.game_id not in door.rooms:
        await door.host.head(request.game_id)
    role = request.game_role
    listening = door.listening(call)
    if role in w.SPECIAL_ROLES:
        if role == w.OBSERVER and not observer:
            raise ResponseException("An observer may not ask for that.")
        if listening is None:
            raise GameTokenException
        if role == w.OMNISCIENT and master and not await door.host.may_moderate(call.member, request.game_id):
            raise GameMasterTokenException
    elif not player:
        raise ResponseException("A player may not ask for that.")
    else:
        await _require_power(call, role)
    return listening


async def _require_power(call: Call, role: str) -> None:
    """Refuse a role that is no power of the map; asked before anything is looked up for it."""
    room = call.door.rooms.get(call.request.game_id)
    if room is not None and room.board is not None:
        known = role in room.board.places
    else:
        head = await call.door.host.head(call.request.game_id)
        known = any(power.name == role for power in named(head.map_name).powers)
    if not known:
        raise MapPowerException(f"{role:.40}")


def caused(kind: type[Event], seat: str = "") -> Cause:
    """What an intent is to cause."""
    return kind, seat
