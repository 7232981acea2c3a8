"""The door: reads frames of clients, has their requests carried out, and sends the results back. It decides nothing.

Every request gets exactly one answer with its own id, whatever it contains; only unknown_token gets none.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec

from parlour.net.accounts.credential import Credential
from parlour.net.fair_pool import Requester
from parlour.net.framing.limiter import Backlog
from parlour.net.mila import lobby, moderating, playing, reading, signing, synchronizing
from parlour.net.mila import requests as rq
from parlour.net.mila.asking import ANSWERS, Call, answer, carried_out_at_once, error_frame
from parlour.net.mila.earlier import read_earlier
from parlour.net.mila.faults import GameTokenException
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.heads import played_before
from parlour.net.mila.notices import Listening, notice, prefix_of, waiting_for
from parlour.net.mila.protocol_values import OBSERVER, OMNISCIENT, GradeUpdate
from parlour.net.mila.requests import Unreadable, read_request
from parlour.net.mila.role_state import Sight
from parlour.net.mila.rooms import Room
from parlour.net.mila.sheets import game_sheet
from parlour.net.mila.websocket_io import Recent, Socket

ANSWERED_BY = lobby, moderating, playing, reading, signing, synchronizing
"""The modules that register the answering functions."""
logger = logging.getLogger(__name__)
MOST_REMEMBERED = 10_000
"""Maximum number of remembered entries about tokens, such as roles that they have joined."""
_encode = msgspec.json.encode


class MilaDoor:
    """The door for clients of the `diplomacy` package, for any number of sockets."""

    def __init__(self, host: HallHost) -> None:
        self.host, self.hall = host, host.hall
        self.backlog = Backlog()
        self.hall.given_up.append(self._given_up)
        self.rooms: dict[str, Room] = {}
        self._sockets: dict[str, Socket] = {}
        """The socket that each token is on."""
        self._credentials: dict[str, tuple[Credential, Callable[[], None]]] = {}
        """Credential of each token, and the function that stops watching it."""
        self._let_in: Recent[tuple[str, str, str]] = Recent(MOST_REMEMBERED)
        self.newcomers: Recent[str] = Recent(MOST_REMEMBERED // 10)
        """Tokens given out since the server started."""
        self.fork_tokens: Recent[str] = Recent(MOST_REMEMBERED)
        """Tokens that were used for a request that only the fork has."""
        self._unanswered: dict[tuple[str, str], deque[Callable[[], None]]] = {}
        """Unanswered requests by id and token, and the repetitions that wait for the answer."""

    # Input

    def receive(self, socket: Socket, frame: bytes, answered: Callable[[], None]) -> None:
        """Process a frame; call `answered` when it is answered."""
        try:
            request = read_request(frame)
        except Unreadable as error:
            socket.answer(error_frame(error, error.request_id))
            answered()
            return
        if self.host.ids.reused:
            request = self.host.ids.understood(request)
        self._take(socket, request, answered)

    def _take(self, socket: Socket, request: Any, answered: Callable[[], None]) -> None:
        key = request.request_id, getattr(request, "token", "")
        # A second request with the id of one that is not answered yet takes nothing from those who wait for the first.
        waiting = self._unanswered.setdefault(key, none := deque[Callable[[], None]]())
        if request.re_sent and waiting is not none:
            # The client reconnected before its request was finished: the repetition waits for the result.
            waiting.append(partial(self._in_turn, socket, request, key, answered))
        else:
            self._in_turn(socket, request, key, answered)

    def _in_turn(self, socket: Socket, request: Any, key: tuple[str, str], answered: Callable[[], None]) -> None:
        game = getattr(request, "game_id", None) or ""
        if not socket.in_turn(game, self._begin, socket, request, game, key, answered):
            self.hall.hurry(game)  # the earlier request may wait to be stored with others

    def _begin(
        self, socket: Socket, request: Any, game: str, key: tuple[str, str], answered: Callable[[], None]
    ) -> None:
        def done(_: object = None) -> None:
            socket.done(game)
            answered()
            if waiting := self._unanswered.get(key):
                # Not called directly: repetitions that are answered at once would recurse.
                asyncio.get_running_loop().call_soon(waiting.popleft())
            else:
                self._unanswered.pop(key, None)

        if not carried_out_at_once(self, socket, request, done):
            self.hall.spawn(self._serve(socket, request)).add_done_callback(done)

    async def _serve(self, socket: Socket, request: Any) -> None:
        held: list[str] = []
        try:
            identity = None
            if isinstance(request, rq.ChannelRequest) and not isinstance(request, rq.UnknownToken):
                identity = await self.host.identify(request.token, socket.address)
                self.attach(request.token, identity, socket)
            call = Call(self, socket, request, self.host.session(identity), held)
            if isinstance(request, rq.SendGameMessage):
                held.append(request.game_id)  # the room holds the socket when it sends the message
            elif isinstance(request, rq.GameRequest):
                call.hold(request.game_id)
            response = await ANSWERS[type(request)](call, request)
        except Exception as error:  # the boundary of the door: the caller must be answered, and nobody else is affected
            answer(socket, request, error)
        else:
            if not isinstance(request, rq.UnknownToken):
                answer(socket, request, response)
        finally:
            for game in held:
                socket.release(game)

    def hang_up(self, socket: Socket) -> None:
        """Forget a lost socket; its tokens stay valid, and may return on another."""
        for token in socket.tokens:
            if self._sockets.get(token) is socket:
                self.forget(token)

    # Tokens and listeners

    def attach(self, token: str, credential: Credential, socket: Socket) -> None:
        """Attach a token to the latest socket that used it.

        A request from before a disconnection may still run when the client is back; it must not move the token to the
        dead socket.
        """
        before = self._sockets.get(token)
        if before is not socket and (before is None or before.number < socket.number):
            if before is not None:
                before.tokens.discard(token)
                self.forget(token)
            self._sockets[token] = socket
            socket.tokens.add(token)
        if (known := self._credentials.get(token)) is None or known[0] is not credential:
            if known is not None:
                known[1]()
            self._credentials[token] = (
                credential,
                credential.heed(partial(self._credential_changed, token, credential)),
            )

    def _credential_changed(self, token: str, credential: Credential) -> None:
        """Stop sending to a revoked token; for changed rights, check all listeners again."""
        if not credential.counts:
            self.forget(token)
        else:
            for room in tuple(self.rooms.values()):
                room.heed()

    def forget(self, token: str) -> None:
        """Stop sending to a token."""
        self._sockets.pop(token, None)
        if (known := self._credentials.pop(token, None)) is not None:
            known[1]()
        for match, room in list(self.rooms.items()):
            room.ignore(lambda listening: listening.token == token)
            self._close_if_empty(match)

    def socket_of(self, token: str) -> Socket | None:
        """Return the socket of a token; None if it has none."""
        return self._sockets.get(token)

    def let_in(self, token: str, match: str, role: str) -> None:
        """Remember that a token may have a role in a match: it need not prove it again after a disconnection."""
        self._let_in.add((token, match, role))

    def was_let_in(self, token: str, match: str, role: str) -> bool:
        """Return True if let_in was called for this token, match and role."""
        return (token, match, role) in self._let_in

    async def room(self, match: str) -> Room:
        """Return the room of a match; open it if there is none yet."""
        if match not in self.rooms:
            await self.host.heads.find(match)
            saved = await played_before(self.hall.store, match)
            asker = Requester(f"match {match}")
            earlier = await self.hall.pool.run(asker, partial(read_earlier, saved)) if saved else None
            watch = partial(self.hall.watch, match, since=0)
            room = Room(
                match, watch, earlier, self._may_listen, self.host.viewer, self._loses_sight, self.host.names.shown
            )
            self.rooms.setdefault(match, room)
        return self.rooms[match]

    def _may_listen(self, match: str, listening: Listening) -> bool:
        return self.host.may_listen(listening.session, match, listening.role)

    def _loses_sight(self, match: str, listening: Listening) -> None:
        """Reduce the view of a listener that lost rights: it continues with less if the client can, or leaves.

        Pages receive the game again. Other clients crash on that notification, so they receive that the game is
        deleted, and may join again.
        """
        socket = self._sockets.get(listening.token)
        observes = self.host.may_listen(listening.session, match, OBSERVER)
        if socket is not None and socket.regrades and observes and listening.role == OMNISCIENT:
            self.hall.spawn(self.change_role(match, listening, OBSERVER, GradeUpdate.DEMOTE))
        else:
            listening.tell(waiting_for([notice("game_deleted")]))
            self._close_if_empty(match)

    async def change_role(self, match: str, listening: Listening, role: str, update: GradeUpdate) -> None:
        """Send the game again to a client whose role in it has changed."""
        head = await self.host.heads.find(match)
        async with self.visit(match, role) as (room, sight):
            if not self.host.may_listen(listening.session, match, role):
                return  # the rights have changed again meanwhile
            level = await self.host.level(listening.session, match)
            own = [str(seat) for seat in await self.host.seats(listening.session, match)]
            sheet = game_sheet(self.host.ids.shown(match), room.state, sight, head.house, own=own, level=level)
            room.tell_one(listening, notice("omniscient_updated", grade_update=update, game=sheet))
            self.leave(match, listening.__eq__)
            room.listen(listening._replace(role=role, prefix=self.prefix(listening.token, match, role)))

    def _given_up(self, match: str) -> None:
        if (room := self.rooms.get(match)) is not None:
            room.watch_again()

    async def enter(self, call: Call, match: str, role: str) -> tuple[Room, Sight]:
        """Let a token listen to a match in a role, unless it has moved to another socket."""
        token = call.request.token
        async with self.visit(match, role) as (room, sight):
            if not self.host.may_listen(call.session, match, role):  # the rights may have changed meanwhile
                raise GameTokenException
            self.let_in(token, match, role)
            if self._sockets.get(token) is call.socket:
                knows_fork = token in self.fork_tokens or room.state.is_bot(role)
                prefix = self.prefix(token, match, role)
                room.listen(Listening(token, call.session, role, knows_fork, prefix, call.socket.teller(match)))
        return room, sight

    @asynccontextmanager
    async def visit(self, match: str, role: str) -> AsyncIterator[tuple[Room, Sight]]:
        """Yield a room and a role's view of it, for the time of a request."""
        room, sight = await self.come_in(match, role)
        try:
            yield room, sight
        finally:
            self.go_out(room)

    async def come_in(self, match: str, role: str) -> tuple[Room, Sight]:
        """Begin a visit: return the room, opened if needed, and the view of a role."""
        room = self.rooms.get(match) or await self.room(match)
        room.visits += 1
        try:
            return room, room.known_sight(role) or await room.sight(role)
        except BaseException:  # a cancellation too: a visit that never began must not keep the room open
            self.go_out(room)
            raise

    def go_out(self, room: Room) -> None:
        """End a visit; an empty room is closed."""
        room.visits -= 1
        if not room.visits:
            room.tidy()
            self._close_if_empty(room.match)

    def leave(self, match: str, gone: Callable[[Listening], bool]) -> None:
        """Remove the listeners for which the condition holds."""
        if (room := self.rooms.get(match)) is not None:
            room.ignore(gone)
            self._close_if_empty(match)

    def listening(self, call: Call) -> Listening | None:
        """Return the caller as a listener of the game."""
        return self.listener(call.request.game_id, call.request.game_role, call.request.token)

    def listener(self, match: str, role: str, token: str) -> Listening | None:
        """Return the listener of a token in a match and a role; None if there is none."""
        room = self.rooms.get(match)
        return None if room is None else room.listener(role, token)

    def prefix(self, token: str, match: str, role: str) -> bytes:
        """Return the beginning of notifications to a token in a match and a role."""
        return prefix_of(token, _encode(self.host.ids.shown(match)), _encode(role))

    def signed_in(self) -> list[tuple[str, Credential, Socket]]:
        """Return the tokens in use, with the credential and the socket of each."""
        return [
            (token, credential, self._sockets[token])
            for token, (credential, _) in self._credentials.items()
            if token in self._sockets
        ]

    @staticmethod
    def tell_deleted(token: str, socket: Socket) -> None:
        """Notify a client that its account was deleted."""
        gone = {"notification_id": f"gone-{socket.number}", "name": "account_deleted", "token": token}
        socket.answer(_encode(gone))

    def _close_if_empty(self, match: str) -> None:
        room = self.rooms.get(match)
        if room is not None and room.empty:
            room.close()
            del self.rooms[match]
