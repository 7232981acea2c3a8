"""What a player's request comes to: a plan, which is handed in as the request is read where all is at hand for that.

Nobody waits for a plan to be made. Where something has to be fetched first, the request is served like any other, by a
task of its own; either way it is answered once what it led to is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from parlour.core.intents import Intent
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Asker, asking
from parlour.net.mila.door import PLANS, Call, MilaDoor, answer, answers, refuse
from parlour.net.mila.refusals import raise_refusal
from parlour.net.mila.rooms import Cause, Expected
from parlour.net.mila.sockets import Socket
from parlour.referee.table import Answer


class RequestPlan(msgspec.Struct, frozen=True, eq=False):
    """What a request comes to."""

    intents: Sequence[Intent] = ()
    causing: Sequence[Cause] = ()
    """The events that these are to cause, of which the asking listener is not told."""
    response: Callable[[list[Answer]], rs.Response | None] = lambda _: None
    """What to answer, given what became of the intents."""


Planner = Callable[[Asker], RequestPlan]


def plays(kind: type[rq.GameRequest], *, master: bool = False) -> Callable[[Planner], Planner]:
    """Let a function plan what requests of that kind come to, of players and of those who see all.

    With master, of these only of moderators.
    """

    def register(plan_for: Planner) -> Planner:
        async def in_time(call: Call) -> rs.Response | None:
            async with asking(call, master=master) as asker:
                plan = plan_for(asker)
                if not plan.intents:
                    return plan.response([])
                return plan.response(await asker.hand_in(*plan.intents, causing=plan.causing))

        def at_once(door: MilaDoor, socket: Socket, request: Any, done: Callable[[], None]) -> bool:
            asker = _at_hand(door, socket, request)
            return asker is not None and _begin(asker, plan_for, done)

        answers(kind)(in_time)
        PLANS[kind] = at_once
        return plan_for

    return register


def _at_hand(door: MilaDoor, socket: Socket, request: rq.GameRequest) -> Asker | None:
    """The player who asks, if nothing has to be fetched to know that it is one."""
    role, token = request.game_role, request.token
    if (room := door.rooms.get(request.game_id)) is None or door.socket_of(token) is not socket:
        return None
    listening, sight, member = room.listener(role, token), room.known_sight(role), door.host.known(token)
    if listening is None or sight is None or member is None or not sight.is_player:
        return None
    board = room.state
    if board.places[role].controller != member.name:
        return None
    return Asker(Call(door, socket, request, member, []), room, board, sight, listening)


def _begin(asker: Asker, plan_for: Planner, done: Callable[[], None]) -> bool:
    """Hand a plan in, and answer once all that follows is durable and told; false if it cannot be handed in now."""
    call, room = asker.call, asker.room
    expected: Expected | None = None
    try:
        plan = plan_for(asker)
        expected = asker.expect(plan.causing)
        handed = call.door.host.hand_in(call.member, room.match, plan.intents)
    except Exception as error:  # the boundary of the door, as in door.py
        room.forget(expected)
        refuse(call.socket, call.request, error)
        done()
        return True
    if handed is None:
        room.forget(expected)
        return False
    room.visits += 1
    if not isinstance(call.request, rq.SendGameMessage):  # for that the room does, when it is said
        call.socket.hold(room.match)

    def stored(error: Exception | None) -> None:
        room.flush()  # what came of it goes out with the answer, in one write
        room.forget(expected)
        try:
            if error is not None:
                raise error
            raise_refusal(handed.answers)
            answer(call.socket, call.request, plan.response(handed.answers))
        except Exception as error:  # the same boundary
            refuse(call.socket, call.request, error)
        call.socket.release(room.match)
        call.door.go_out(room)
        done()

    if handed.storing is None:
        stored(None)
    else:
        handed.storing.then(stored)
    return True
