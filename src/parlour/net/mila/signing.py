"""Accounts: signing in and out, deleting an account, grades."""

from __future__ import annotations

from contextlib import suppress

from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila import values as w
from parlour.net.mila.door import Call, answers
from parlour.net.mila.faults import GameIdException, PasswordException, TokenException
from parlour.net.mila.listeners import Listening
from parlour.net.mila.notices import notice
from parlour.net.mila.sheets import game_sheet
from parlour.net.mila.values import Grade, GradeUpdate


@answers(rq.SignIn)
async def sign_in(call: Call) -> rs.Response:
    """A token for an account, which is made if it is new."""
    request: rq.SignIn = call.request
    if not request.password:
        raise PasswordException
    token = await call.door.host.sign_in(request.username, request.password, call.socket.address)
    call.door.attach(token, request.username, call.socket)
    return rs.TokenGiven(request_id=request.request_id, data=token)


@answers(rq.Logout)
async def logout(call: Call) -> None:
    """The token counts no longer."""
    await call.door.host.sign_out(call.member)
    call.door.forget(call.request.token)


@answers(rq.UnknownToken)
async def unknown_token(call: Call) -> None:
    """The client has forgotten the token: nobody is left to be told anything through it."""
    socket = call.door.socket_of(call.request.token)
    if socket is call.socket:
        with suppress(TokenException):
            await call.door.host.sign_out(await call.door.host.member(call.request.token))
        call.door.forget(call.request.token)


@answers(rq.DeleteAccount)
async def delete_account(call: Call) -> None:
    """Delete an account: everyone who is signed in to it is told."""
    request: rq.DeleteAccount = call.request
    name = request.username or call.account
    await call.door.host.delete_account(call.member, name)
    await call.door.drop_account(name, but=request.token)


@answers(rq.SetGrade)
async def set_grade(call: Call) -> None:
    """Give or take a grade; what an account may see of the matches that it watches follows at once."""
    request: rq.SetGrade = call.request
    given = request.grade_update is GradeUpdate.PROMOTE
    if request.grade is not Grade.ADMIN and not request.game_id:
        raise GameIdException
    match = "" if request.grade is Grade.ADMIN else request.game_id or ""
    await call.door.host.set_grade(call.member, request.username, request.grade, given, match)
    for room in [match] if match else list(call.door.rooms):
        await _regrade(call, room, request.username)


async def _regrade(call: Call, match: str, name: str) -> None:
    """Those who see more or less of a match from now on see it so.

    Pages are given the game anew. Other clients die of that notification: one who sees all no more is told that the
    game is gone for him, and may join again; one who may see more sees it when he joins again.
    """
    door = call.door
    room = door.rooms.get(match)
    if room is None:
        return
    sees_all = await door.host.may_see_all(await door.host.named(name), match)
    before, after = (w.OBSERVER, w.OMNISCIENT) if sees_all else (w.OMNISCIENT, w.OBSERVER)
    for listening in [one for one in room.listeners(before) if one.account == name]:
        socket = door.socket_of(listening.token)
        if socket is not None and socket.regrades:
            await _change_role(call, match, listening, after, GradeUpdate.PROMOTE if sees_all else GradeUpdate.DEMOTE)
        elif not sees_all:
            room.tell_one(listening, notice("game_deleted"))
            door.leave(match, listening.__eq__)


async def _change_role(call: Call, match: str, listening: Listening, role: str, update: GradeUpdate) -> None:
    door = call.door
    head = await door.host.head(match)
    async with door.visit(match, role) as (room, sight):
        member = await door.host.named(listening.account)
        level = w.MASTER if await door.host.may_moderate(member, match) else role
        own = [power for power, player in head.players.items() if player == listening.account]
        sheet = game_sheet(match, room.state, sight, head.house, own=own, level=level)
        room.tell_one(listening, notice("omniscient_updated", grade_update=update, game=sheet))
        door.leave(match, listening.__eq__)
        room.listen(listening._replace(role=role, prefix=door.prefix(listening.token, match, role)))
