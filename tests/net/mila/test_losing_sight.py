"""Clients of the protocol whose rights are taken away are told no more from that moment on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.net.match_roles import MatchRole
from support.hall.people import appointed, session_of
from support.mila.house import ADMIN, House
from support.mila.strangers import FRANCE, ITALY, meeting, table
from support.mila.wire import Wire
from support.waiting import inside

LATER = "what is said later"
Enters = Callable[[str], Awaitable[tuple[Wire, str]]]


async def joins(wire: Wire, token: str, power: str | None) -> Any:
    join = {"name": "join_game", "token": token, "re_sent": False, "game_id": "m", "power_name": power}
    return (await wire.ask({"request_id": "join", **join}))["data"]


async def says_later(house: House) -> None:
    """Two players say and order something in secret."""
    for name, seat, other in (("ann", FRANCE, ITALY), ("bea", ITALY, FRANCE)):
        session = session_of(house.hall, name)
        if seat in (await session.rights("m")).seats:
            assert (await session.submit("m", it.Say(seat, LATER, (other,))))[0].refusal is None
            assert (await session.submit("m", it.Note(seat, LATER)))[0].refusal is None


async def all_told(wire: Wire, token: str) -> tuple[str, dict[str, Any]]:
    """All that has come by the time that one more request is answered, and that answer."""
    answer = await wire.ask({"request_id": "last", "name": "list_games", "token": token, "re_sent": False})
    return json.dumps(wire.frames), answer


@pytest.mark.parametrize("way", ["sign out", "everywhere", "password", "lock", "close", "reset"])
@inside(meeting)
async def test_a_player_whose_token_ends_is_told_nothing_more(house: House, enters: Enters, *, way: str) -> None:
    accounts = house.accounts
    wire, token = await enters("ann")
    await table(house, "ann")
    await session_of(house.hall, "bea").join("m", ITALY)
    assert (await joins(wire, token, "FRANCE"))["role"] == "FRANCE"
    other = await accounts.identify(await accounts.sign_in("ann", "password"))
    admin = await accounts.identify(await accounts.sign_in("admin", ADMIN))
    match way:
        case "sign out":
            await accounts.revoke(token)
        case "everywhere":
            await accounts.sign_out(other, everywhere=True)
        case "password":
            await accounts.change_password(other, "password", "another password")
        case "lock":
            await accounts.lock(admin, "ann")
        case "close":
            await accounts.close_account(admin, "ann")
        case "reset":
            await accounts.reset_password(admin, "ann")
    await says_later(house)
    told, answer = await all_told(wire, token)
    assert LATER not in told
    assert (answer["name"], answer["error_type"]) == ("error", "TokenException")


@pytest.mark.parametrize("way", ["demoted", "moderator", "administrator", "lock"])
@inside(meeting)
async def test_a_watcher_who_may_see_all_no_longer_is_told_only_what_all_are(
    house: House, enters: Enters, *, way: str
) -> None:
    accounts = house.accounts
    wire, token = await enters("eve")
    await table(house, "ann")
    await session_of(house.hall, "bea").join("m", ITALY)
    owner = session_of(house.hall, "owner")
    admin = await accounts.identify(await accounts.sign_in("admin", ADMIN))
    if way == "administrator":
        await accounts.set_admin(admin, "eve", True)
    else:
        role = MatchRole.MODERATOR if way == "moderator" else MatchRole.OMNISCIENT
        await appointed(owner, "m", "eve", role)
    assert (await joins(wire, token, None))["role"] == "omniscient_type"
    match way:
        case "administrator":
            await accounts.set_admin(admin, "eve", False)
        case "lock":
            await accounts.lock(admin, "eve")
        case _:
            await owner.appoint("m", "eve", None)
    await says_later(house)
    told, _ = await all_told(wire, token)
    assert LATER not in told
    if way != "lock":
        assert '"game_deleted"' in told, "it is told why nothing more comes"
        assert (await joins(wire, token, None))["role"] == "observer_type"


@inside(meeting)
async def test_a_watcher_who_sees_all_for_another_reason_goes_on(house: House, enters: Enters) -> None:
    wire, token = await enters("eve")
    await table(house, "ann")
    owner = session_of(house.hall, "owner")
    await appointed(owner, "m", "eve", MatchRole.MODERATOR)
    await joins(wire, token, None)
    await appointed(owner, "m", "eve", MatchRole.OMNISCIENT)
    await appointed(owner, "m", "bob", MatchRole.OMNISCIENT)
    await says_later(house)
    told, _ = await all_told(wire, token)
    assert LATER in told
