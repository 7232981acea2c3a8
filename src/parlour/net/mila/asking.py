"""Requests and their senders: roles, rights, the intents of a request, and its answer.

A player's request becomes a plan of intents. If everything is in memory, it is submitted as soon as the request is
read. If something must be fetched first, a task does that and then submits it. The request is answered once its events
are durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.errors import Denied, ParlourError, StoreError
from parlour.games.diplomacy.maps.map import named
from parlour.net.accounts.limits import network_of
from parlour.net.fair_pool import Requester
from parlour.net.mila import faults
from parlour.net.mila import protocol_values as w
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.faults import RequestException, ResponseException
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.notices import Listening
from parlour.net.mila.protocol_values import GameStatus
from parlour.net.mila.refusals import fault_of_denial, raise_refusal, sentence
from parlour.net.mila.requests import Unreadable
from parlour.net.mila.role_state import Sight
from parlour.net.mila.rooms import Cause, Expected, Room
from parlour.net.mila.websocket_io import Socket
from parlour.net.permission_errors import NOT_KEPT
from parlour.net.sessions import Session
from parlour.referee.table import Answer

if TYPE_CHECKING:
    from parlour.net.mila.door import MilaDoor

logger = logging.getLogger(__name__)
_encode = msgspec.json.encode


class Call(msgspec.Struct, frozen=True, eq=False):
    """A request, its socket, and its sender's session."""

    door: MilaDoor
    socket: Socket
    request: Any
    session: Session
    """The caller's session; anonymous if the request needs no token."""
    held: list[str]
    """Games whose notifications wait until the request is answered."""

    @property
    def name(self) -> str:
        """The caller's name for display; it gives no rights."""
        return self.session.credential.name

    @property
    def asker(self) -> Requester:
        """The requester, for work in fair pools."""
        return Requester(network_of(self.socket.address), self.name)

    def shown(self, match: str) -> str:
        """Return the game id that clients use for a match."""
        return self.door.host.ids.shown(match)

    def hold(self, match: str) -> None:
        """Hold back the notifications of a game until this request is answered."""
        self.socket.hold(match)
        self.held.append(match)


Answering = Callable[[Call, Any], Awaitable[rs.Response | None]]
ANSWERS: dict[type[rq.Request], Answering] = {}
"""The function that answers each kind of request; the answering modules fill it."""


def answers(kind: type[rq.Request]) -> Callable[[Answering], Answering]:
    """Register a function that answers requests of that kind; if it returns None, the answer is ok."""

    def register(answering: Answering) -> Answering:
        assert kind not in ANSWERS
        ANSWERS[kind] = answering
        return answering

    return register


class Asker(msgspec.Struct, frozen=True, eq=False):
    """The caller of a game request, with the state that its role may see."""

    call: Call
    room: Room
    board: BoardState
    """The public state of the game."""
    sight: Sight
    listening: Listening | None
    own: tuple[Seat, ...]
    """The powers that the caller plays."""
    leisurely: bool = False
    """True if others act at about the same time, so that this request may be stored together with theirs."""

    @property
    def is_player(self) -> bool:
        """True for the role of a power."""
        return self.sight.is_player

    def seat(self) -> Seat:
        """Return the power that the request is about: the one that it names, or the role's own. Raise if it may not."""
        call, sight = self.call, self.sight
        named = getattr(call.request, "power_name", None)
        name = named if named is not None else sight.role
        place = self.board.places.get(name)
        if place is None:
            raise faults.MapPowerException(str(named))
        if sight.is_player and not self._plays(name):
            raise ResponseException(f"{call.name} does not control {name}.")
        return Seat(name)

    def _plays(self, name: str) -> bool:
        """Return True if the caller plays that power; the bot account only powers that its token has joined."""
        call = self.call
        if call.session.is_house_bot:
            return name in self.own and call.door.was_let_in(call.request.token, call.request.game_id, name)
        return name in self.own

    def named_seat(self) -> Seat:
        """Return the power as `seat` does, but a role that is not a power must name one."""
        if not self.sight.is_player and self.call.request.power_name is None:
            raise faults.MapPowerException("None")
        return self.seat()

    def by(self, seat: Seat) -> str:
        """Return the caller's name if it acts for a power as a proxy; empty for the power's own player."""
        return "" if seat in self.own else self.call.name

    def require_going_on(self) -> None:
        """Raise GameFinishedException if the game is over or cancelled, which clients treat alike."""
        status = self.board.status
        if status is GameStatus.CANCELED:
            raise faults.GameFinishedException("The game was cancelled.")
        if status is GameStatus.COMPLETED:
            raise faults.GameFinishedException

    def require_phase(self) -> None:
        """Raise ResponseException if the request is about another phase."""
        if self.call.request.phase != self.board.phase:
            raise ResponseException(
                f"Invalid order phase, received {self.call.request.phase[:20]}, server phase is {self.board.phase}"
            )

    def carry_out(self, plan: RequestPlan, done: Callable[[rs.Response | Exception | None], None]) -> None:
        """Submit the intents of a plan; call `done` once their events are durable and sent.

        It receives the response or the error. The caller's own listener does not receive the events that the plan
        causes.
        """
        room, expected = self.room, None
        if self.listening is not None and plan.causing:
            expected = Expected(plan.causing, self.listening, self.call.socket.hold)
            room.expect(expected)
        try:
            submission = self.call.session.submit(room.match, *plan.intents, leisurely=self.leisurely)
        except Exception as error:  # the boundary of the door: done answers the request with any error
            room.forget(expected)
            done(error)
            return

        def stored(error: Exception | None) -> None:
            room.flush()  # the resulting events go out with the answer, in one write
            room.forget(expected)
            try:
                if error is not None:
                    raise error
                if any(answer.refusal is not None for answer in submission.answers):
                    raise_refusal(submission.answers)
                response = plan.response(submission.answers)
            except Exception as error:  # the boundary of the door, as above
                done(error)
            else:
                done(response)

        submission.then(stored)

    async def submit(self, plan: RequestPlan) -> rs.Response | None:
        """Carry out a plan and return its response; raise its error."""
        found = asyncio.get_running_loop().create_future()

        def done(response: rs.Response | Exception | None) -> None:
            if found.done():  # the caller is gone
                return
            if isinstance(response, Exception):
                found.set_exception(response)
            else:
                found.set_result(response)

        self.carry_out(plan, done)
        response: rs.Response | None = await found
        return response


class RequestPlan(msgspec.Struct, frozen=True, eq=False):
    """The intents of a request, and its response."""

    intents: Sequence[Intent] = ()
    causing: Sequence[Cause] = ()
    """The events that these intents cause; the caller's own listener does not receive them."""
    response: Callable[[list[Answer]], rs.Response | None] = lambda _: None
    """Makes the response from the answers to the intents."""


Planner = Callable[[Asker, Any], RequestPlan]
PLANNERS: dict[type[rq.Request], Planner] = {}
"""Planners of players' requests, which need no task if everything is in memory."""


def plays(kind: type[rq.GameRequest], *, master: bool = False, player: bool = True) -> Callable[[Planner], Planner]:
    """Register a function that plans requests of that kind; see answers_in_game for the roles that may send them."""

    def register(plan_for: Planner) -> Planner:
        @answers_in_game(kind, master=master, player=player)
        async def planned(asker: Asker, request: Any) -> rs.Response | None:
            return await asker.submit(plan_for(asker, request))

        if player:
            PLANNERS[kind] = plan_for
        return plan_for

    return register


def carried_out_at_once(door: MilaDoor, socket: Socket, request: Any, done: Callable[[], None]) -> bool:
    """Carry out a player's request at once; call `done` when it is answered. Return False if data must be fetched."""
    plan_for = PLANNERS.get(type(request))
    if plan_for is None or (asker := _at_hand(door, socket, request)) is None:
        return False
    room = asker.room
    room.visits += 1
    if not isinstance(request, rq.SendGameMessage):  # the room holds the socket when it sends the message
        socket.hold(room.match)

    def carried_out(response: rs.Response | Exception | None) -> None:
        answer(socket, request, response)
        socket.release(room.match)
        door.go_out(room)
        done()

    try:
        plan = plan_for(asker, request)
    except Exception as error:  # the boundary of the door
        carried_out(error)
    else:
        asker.carry_out(plan, carried_out)
    return True


def _at_hand(door: MilaDoor, socket: Socket, request: rq.GameRequest) -> Asker | None:
    """Return the caller if it is a player and everything needed is in memory; None otherwise."""
    role, token = request.game_role, request.token
    room, hosted = door.rooms.get(request.game_id), door.hall.at_hand(request.game_id)
    if room is None or hosted is None or door.socket_of(token) is not socket:
        return None
    listening, sight = room.listener(role, token), room.known_sight(role)
    if listening is None or sight is None or not sight.is_player:
        return None
    own = hosted.seats_of(listening.session.who)
    if role not in own or listening.session.credential.expires <= door.hall.now():
        return None
    call = Call(door, socket, request, listening.session, [])
    return Asker(call, room, room.state, sight, listening, own, hosted.table.sociable)


AnsweringInGame = Callable[[Asker, Any], Awaitable[rs.Response | None]]


def answers_in_game(
    kind: type[rq.GameRequest], *, observer: bool = False, master: bool = False, player: bool = True
) -> Callable[[AnsweringInGame], AnsweringInGame]:
    """Register a function that answers requests of that kind from players and from viewers who see all.

    With `observer` observers may send them, with `master` only moderators among the viewers who see all, and without
    `player` no players.
    """

    def register(answering: AnsweringInGame) -> AnsweringInGame:
        @answers(kind)
        async def entered(call: Call, request: Any) -> rs.Response | None:
            match, role = request.game_id, request.game_role
            listening = await _checked(call, observer=observer, master=master, player=player)
            own = await call.door.host.seats(call.session, match)
            if role not in w.SPECIAL_ROLES and role not in own:
                raise ResponseException(f"{call.name} does not control {role}.")
            async with call.door.visit(match, role) as (room, sight):
                return await answering(Asker(call, room, room.state, sight, listening, own), request)

        return answering

    return register


async def _checked(call: Call, *, observer: bool, master: bool, player: bool) -> Listening | None:
    """Return the caller's listener, None if it has none; raise if the role may not send the request."""
    request, door = call.request, call.door
    if request.game_id not in door.rooms:
        await door.host.heads.find(request.game_id)
    role = request.game_role
    listening = door.listening(call)
    if role in w.SPECIAL_ROLES:
        if role == w.OBSERVER and not observer:
            raise ResponseException("An observer may not ask for that.")
        if listening is None:
            raise faults.GameTokenException
        if role == w.OMNISCIENT and master and not (await call.session.rights(request.game_id)).moderator:
            raise faults.GameMasterTokenException
    elif not player:
        raise ResponseException("A player may not ask for that.")
    else:
        await _require_power(call, role)
    return listening


async def _require_power(call: Call, role: str) -> None:
    """Raise MapPowerException if a role is not a power of the map; checked before anything is looked up for it."""
    room = call.door.rooms.get(call.request.game_id)
    if room is not None and room.board is not None:
        known = role in room.board.places
    else:
        head = await call.door.host.heads.find(call.request.game_id)
        known = any(power.name == role for power in named(head.map_name).powers)
    if not known:
        raise faults.MapPowerException(f"{role:.40}")


def caused(kind: type[Event], seat: str = "") -> Cause:
    """Return the kind of event, and its seat, that an intent causes."""
    return kind, seat


# Answers


def answer(socket: Socket, request: rq.Request, response: rs.Response | Exception | None) -> None:
    """Answer a request with its response, with ok (None), or with an error."""
    if isinstance(response, Exception):
        socket.answer(error_frame(_fault_of(request, response), request.request_id))
    else:
        socket.answer(_encode(response or rs.Ok(request_id=request.request_id)))


def _fault_of(request: rq.Request, error: Exception) -> ResponseException:
    """Return the error that a client receives; errors of the server itself go to its log."""
    if isinstance(error, ResponseException):
        return error
    if isinstance(error, Denied):
        return fault_of_denial(error)
    if isinstance(error, StoreError):
        logger.warning("a request failed: %s: %s", type(request).__name__, error)
        return ResponseException(sentence(NOT_KEPT))
    if isinstance(error, ParlourError):
        return ResponseException(str(error))
    logger.error("a request failed: %s", type(request).__name__, exc_info=error)
    return ResponseException("The server failed; this is noted there.")


def error_frame(error: ResponseException, request_id: Any) -> bytes:
    """Return an error response; without an id if the request had none, which clients ignore."""
    kind = RequestException.__name__ if isinstance(error, Unreadable) else type(error).__name__
    body = {"name": "error", "error_type": kind, "message": error.message}
    if request_id is not None:
        body["request_id"] = request_id
    return _encode(body)
