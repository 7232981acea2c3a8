"""The door: frames of clients come in, calls on the house go out, and what comes of them goes back. It decides nothing.

Every request gets exactly one answer with its own id, whatever it contains; only unknown_token gets none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Any

import msgspec

from parlour.errors import ParlourError, StoreError
from parlour.net.denials import NOT_KEPT
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.earlier import read_earlier
from parlour.net.mila.faults import RequestException, ResponseException
from parlour.net.mila.host import Host, Member
from parlour.net.mila.listeners import Listening, prefix_of
from parlour.net.mila.refusals import sentence
from parlour.net.mila.requests import Unreadable, read_request
from parlour.net.mila.rooms import Room
from parlour.net.mila.sights import Sight
from parlour.net.mila.sockets import Recent, Socket

logger = logging.getLogger(__name__)
MOST_REMEMBERED = 10_000
"""Tokens of which it is known, while their socket is gone, what they may watch and can read."""
_encode = msgspec.json.encode


class Call(msgspec.Struct, frozen=True, eq=False):
    """A request, where it came from, and who asks; empty if nobody has signed in for it."""

    door: MilaDoor
    socket: Socket
    request: Any
    member: Member
    """Who asks; nobody if the request needs none."""
    held: list[str]
    """The games that nothing is told of here until the request is answered."""

    @property
    def account(self) -> str:
        """The name of who asks."""
        return self.member.name

    def hold(self, match: str) -> None:
        """Let what is told of a game wait until this request is answered."""
        self.socket.hold(match)
        self.held.append(match)


NOBODY = Member("", False, "")
Answering = Callable[[Call], Awaitable[rs.Response | None]]
ANSWERS: dict[type[rq.Request], Answering] = {}
"""What answers each kind of request; filled by the modules that answer."""


Planning = Callable[["MilaDoor", Socket, Any, Callable[[], None]], bool]
PLANS: dict[type[rq.Request], Planning] = {}
"""What serves a kind of request without a task where all is at hand, and calls when it is done; false if it is not."""


def answers(kind: type[rq.Request]) -> Callable[[Answering], Answering]:
    """Let a function answer requests of that kind; None is the answer ok."""

    def register(answering: Answering) -> Answering:
        assert kind not in ANSWERS
        ANSWERS[kind] = answering
        return answering

    return register


class MilaDoor:
    """One way into the house, for any number of sockets."""

    def __init__(self, host: Host) -> None:
        # Here, so that a door cannot be without its answers.
        from parlour.net.mila import lobby, moderating, playing, reading, signing, synchronizing

        assert all((lobby, moderating, playing, reading, signing, synchronizing))
        self.host = host
        host.when_given_up(self._given_up)
        self.rooms: dict[str, Room] = {}
        self._sockets: dict[str, Socket] = {}
        """The socket that each token is on."""
        self._accounts: dict[str, str] = {}
        """Whose token each of these is."""
        self._at_work: set[asyncio.Task[None]] = set()
        self._let_in: Recent[tuple[str, str]] = Recent(MOST_REMEMBERED)
        self.fork_tokens: Recent[str] = Recent(MOST_REMEMBERED)
        """Those through which something was asked for that only the fork knows."""
        self._unanswered: dict[tuple[str, str], tuple[Callable[[], None], ...]] = {}
        """By id and token: requests that are not answered, and what waits for that because it is one of them again."""

    # What comes in

    def receive(self, socket: Socket, frame: bytes, answered: Callable[[], None]) -> None:
        """Take a frame in; it is answered now or later, and then answered is called."""
        try:
            request = read_request(frame)
        except Unreadable as error:
            socket.answer(_error(error, error.request_id))
            answered()
            return
        self._take(socket, request, answered)

    def _take(self, socket: Socket, request: Any, answered: Callable[[], None]) -> None:
        key = request.request_id, getattr(request, "token", "")
        if request.re_sent and (waiting := self._unanswered.get(key)) is not None:
            # Cut off and back before what was asked for was done: what came of it must be known first.
            self._unanswered[key] = (*waiting, partial(self._take, socket, request, answered))
            return
        self._unanswered[key] = ()
        game = getattr(request, "game_id", None) or ""
        if not socket.in_turn(game, self._begin, socket, request, game, key, answered):
            self.host.hurry(game)  # what it waits for may itself be waiting for others to act

    def _begin(
        self, socket: Socket, request: Any, game: str, key: tuple[str, str], answered: Callable[[], None]
    ) -> None:
        def done(_: object = None) -> None:
            socket.done(game)
            answered()
            for again in self._unanswered.pop(key, ()):
                again()

        if (planning := PLANS.get(type(request))) is None or not planning(self, socket, request, done):
            task = asyncio.get_running_loop().create_task(self._serve(socket, request))
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)
            task.add_done_callback(done)

    async def _serve(self, socket: Socket, request: Any) -> None:
        held: list[str] = []
        try:
            member = NOBODY
            if isinstance(request, rq.ChannelRequest) and not isinstance(request, rq.UnknownToken):
                member = await self.host.member(request.token)
                self.attach(request.token, member.name, socket)
            call = Call(self, socket, request, member, held)
            if isinstance(request, rq.SendGameMessage):
                held.append(request.game_id)  # from when it is said, see rooms.py
            elif isinstance(request, rq.GameRequest):
                call.hold(request.game_id)
            response = await ANSWERS[type(request)](call)
        except Exception as error:  # the boundary of the door: whoever asked must be answered, and nobody else notices
            refuse(socket, request, error)
        else:
            if not isinstance(request, rq.UnknownToken):
                answer(socket, request, response)
        finally:
            for game in held:
                socket.release(game)

    def hang_up(self, socket: Socket) -> None:
        """The socket is gone; its tokens still count, and may come back on another."""
        for token in socket.tokens:
            if self._sockets.get(token) is socket:
                self.forget(token)

    # Tokens and who listens

    def attach(self, token: str, account: str, socket: Socket) -> None:
        """A token is on the socket that came last of those through which it was heard of.

        What a client had asked for when it was cut off may be at work when it is back, and must not take its token to
        where nobody listens any more.
        """
        self._accounts[token] = account
        before = self._sockets.get(token)
        if before is not socket and (before is None or before.number < socket.number):
            if before is not None:
                before.tokens.discard(token)
                self.forget(token)
            self._sockets[token] = socket
            socket.tokens.add(token)

    def forget(self, token: str) -> None:
        """Tell that token nothing more."""
        self._sockets.pop(token, None)
        self._accounts.pop(token, None)
        for match, room in list(self.rooms.items()):
            room.ignore(lambda listening: listening.token == token)
            self._close_if_empty(match)

    def socket_of(self, token: str) -> Socket | None:
        """The socket that a token is on."""
        return self._sockets.get(token)

    def let_in(self, token: str, match: str) -> None:
        """A token has said what it takes to watch a match, and need not say it again after a cut."""
        self._let_in.add((token, match))

    def was_let_in(self, token: str, match: str) -> bool:
        """Whether it has."""
        return (token, match) in self._let_in

    async def room(self, match: str) -> Room:
        """The room of a match; opened if there is none yet."""
        if match not in self.rooms:
            await self.host.head(match)
            saved = await self.host.saved(match)
            earlier = read_earlier(saved) if saved else None
            self.rooms.setdefault(match, Room(match, partial(self.host.watch_all, match), earlier))
        return self.rooms[match]

    def _given_up(self, match: str) -> None:
        if (room := self.rooms.get(match)) is not None:
            room.watch_again()

    async def enter(self, call: Call, match: str, role: str) -> tuple[Room, Sight]:
        """Let a token listen to a match in a role; it does not if it is on another socket by now."""
        token = call.request.token
        async with self.visit(match, role) as (room, sight):
            if self._sockets.get(token) is call.socket:
                knows_fork = token in self.fork_tokens or room.state.is_bot(role)
                prefix = self.prefix(token, match, role)
                room.listen(Listening(token, call.account, role, knows_fork, prefix, call.socket.teller(match)))
        return room, sight

    def visit(self, match: str, role: str) -> Visit:
        """The room of a match and what a role knows there, for as long as a request needs it."""
        return Visit(self, match, role)

    async def come_in(self, match: str, role: str) -> tuple[Room, Sight]:
        """Begin a visit."""
        room = self.rooms.get(match) or await self.room(match)
        room.visits += 1
        try:
            return room, room.known_sight(role) or await room.sight(role)
        except BaseException:  # a cancellation too: a visit that never began may not keep the room open
            self.go_out(room)
            raise

    def go_out(self, room: Room) -> None:
        """End a visit."""
        room.visits -= 1
        if not room.visits:
            room.tidy()
            self._close_if_empty(room.match)

    def leave(self, match: str, gone: Callable[[Listening], bool]) -> None:
        """Let those listen no more for whom it holds."""
        if (room := self.rooms.get(match)) is not None:
            room.ignore(gone)
            self._close_if_empty(match)

    def listening(self, call: Call) -> Listening | None:
        """Who asks, as a listener of the game that is asked about."""
        return self.listener(call.request.game_id, call.request.game_role, call.request.token)

    def listener(self, match: str, role: str, token: str) -> Listening | None:
        """A token as a listener of a match in a role."""
        room = self.rooms.get(match)
        return None if room is None else room.listener(role, token)

    @staticmethod
    def prefix(token: str, match: str, role: str) -> bytes:
        """How notifications to a token begin in a match and a role."""
        return prefix_of(token, _encode(match), _encode(role))

    async def drop_account(self, name: str, *, but: str) -> None:
        """Everyone who was signed in to an account is told that it is gone, but for the token that wanted it."""
        for token, socket in list(self._sockets.items()):
            if self._accounts.get(token) == name:
                if token != but:
                    gone = {"notification_id": f"gone-{name[:20]}", "name": "account_deleted", "token": token}
                    socket.answer(_encode(gone))
                self.forget(token)

    def _close_if_empty(self, match: str) -> None:
        room = self.rooms.get(match)
        if room is not None and room.empty:
            room.close()
            del self.rooms[match]


class Visit:
    """A visit to a room, as a context."""

    __slots__ = ("_door", "_match", "_role", "_room")

    def __init__(self, door: MilaDoor, match: str, role: str) -> None:
        self._door, self._match, self._role = door, match, role
        self._room: Room | None = None

    async def __aenter__(self) -> tuple[Room, Sight]:
        self._room, sight = await self._door.come_in(self._match, self._role)
        return self._room, sight

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._room is not None:
            self._door.go_out(self._room)


def answer(socket: Socket, request: rq.Request, response: rs.Response | None) -> None:
    """Answer a request; None is ok."""
    socket.answer(_encode(response or rs.Ok(request_id=request.request_id)))


def refuse(socket: Socket, request: rq.Request, error: Exception) -> None:
    """Answer a request that led to an error."""
    if not isinstance(error, ResponseException):
        if isinstance(error, StoreError):
            logger.warning("a request failed: %s: %s", type(request).__name__, error)
            error = ResponseException(sentence(NOT_KEPT))
        elif isinstance(error, ParlourError):
            error = ResponseException(str(error))
        else:
            logger.error("a request failed: %s", type(request).__name__, exc_info=error)
            error = ResponseException("The server failed; this is noted there.")
    socket.answer(_error(error, request.request_id))


def _error(error: ResponseException, request_id: Any) -> bytes:
    """An error response; without an id if the request had none, which clients pass over."""
    kind = RequestException.__name__ if isinstance(error, Unreadable) else type(error).__name__
    body = {"name": "error", "error_type": kind, "message": error.message}
    if request_id is not None:
        body["request_id"] = request_id
    return _encode(body)
