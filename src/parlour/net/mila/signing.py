"""Requests about accounts: sign in and out, delete an account, set grades."""

from __future__ import annotations

from parlour.net.mila import protocol_values as w
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Call, answers
from parlour.net.mila.faults import GameIdException, PasswordException
from parlour.net.mila.protocol_values import Grade, GradeUpdate


@answers(rq.SignIn)
async def sign_in(call: Call, request: rq.SignIn) -> rs.Response:
    """Return a token for an account, which is opened if it is new."""
    if not request.password:
        raise PasswordException
    token = await call.door.host.sign_in(request.username, request.password, call.socket.address)
    call.door.newcomers.add(token)
    call.door.attach(token, await call.door.host.identify(token), call.socket)
    return rs.TokenGiven(request_id=request.request_id, data=token)


@answers(rq.Logout)
async def logout(call: Call, request: rq.Logout) -> None:
    """Revoke the token."""
    await call.door.host.accounts.revoke(request.token)
    call.door.forget(request.token)


@answers(rq.UnknownToken)
async def unknown_token(call: Call, request: rq.UnknownToken) -> None:
    """Revoke a token that the client no longer uses."""
    socket = call.door.socket_of(request.token)
    if socket is call.socket:
        await call.door.host.accounts.revoke(request.token)
        call.door.forget(request.token)


@answers(rq.DeleteAccount)
async def delete_account(call: Call, request: rq.DeleteAccount) -> None:
    """Delete an account and notify everyone who is signed in to it."""
    before = call.door.signed_in()
    await call.door.host.delete_account(call.session, request.username or call.door.host.names.shown(call.name))
    for token, credential, socket in before:
        if not credential.counts and token != request.token:
            call.door.tell_deleted(token, socket)


@answers(rq.SetGrade)
async def set_grade(call: Call, request: rq.SetGrade) -> None:
    """Give or remove a grade; the account's view of watched matches changes at once."""
    given = request.grade_update is GradeUpdate.PROMOTE
    if request.grade is not Grade.ADMIN and not request.game_id:
        raise GameIdException
    match = "" if request.grade is Grade.ADMIN else request.game_id or ""
    await call.door.host.set_grade(call.session, request.username, request.grade, given, match)
    if given:  # a listener that lost rights was handled already
        for room in [match] if match else list(call.door.rooms):
            await _promote(call, room)


async def _promote(call: Call, match: str) -> None:
    """Send the game again to pages of observers who may see all of it now.

    Other clients crash on that notification: they see more when they join again.
    """
    door = call.door
    room = door.rooms.get(match)
    for listening in () if room is None else room.listeners(w.OBSERVER):
        socket = door.socket_of(listening.token)
        if socket is not None and socket.regrades and door.host.may_listen(listening.session, match, w.OMNISCIENT):
            await door.change_role(match, listening, w.OMNISCIENT, GradeUpdate.PROMOTE)
