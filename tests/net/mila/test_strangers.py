"""Strangers who call themselves what somebody else is called: the name opens nothing to them at this door."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.games.diplomacy.formats.states import position_of_state
from parlour.net.setup import Admission, MatchSetup
from parlour.net.shared_work import TimeSlices
from parlour.store import Account
from support.hall.people import session_of
from support.mila.house import ADMIN, House
from support.mila.strangers import FRANCE, ITALY, ORDER, SECRET, TERMS, meeting, table
from support.mila.wire import Wire
from support.waiting import inside

PUBLIC = ("synchronize", "list_games", "get_games_info")
"""Answers to a stranger, with the values that anybody may know."""


def requests(token: str, role: str) -> list[dict[str, Any]]:
    """Return all that could show a role what it may see."""
    game = {"token": token, "re_sent": False, "game_id": "m"}
    played = {**game, "game_role": role, "phase": "S1901M"}
    return [
        {**game, "name": "join_game", "power_name": role, "registration_password": None},
        {**game, "name": "join_powers", "power_names": [role], "registration_password": None},
        {**played, "name": "synchronize", "timestamp": 0},
        {**played, "name": "save_game"},
        {**played, "name": "get_phase_history", "from_phase": None, "to_phase": None},
        {**played, "name": "set_orders", "orders": [], "wait": False},
        {**played, "name": "clear_orders", "power_name": None},
        {**game, "name": "list_games"},
        {**game, "name": "get_games_info", "games": ["m"]},
    ]


@pytest.mark.parametrize(
    ("shown", "role", "agents"),
    [("eve", "FRANCE", {}), ("ann", "ITALY", {ITALY: "dumbbot"}), ("ann", "FRANCE", {})],
)
@inside(meeting)
async def test_whoever_registers_the_name_that_a_seat_shows_sees_no_more_than_a_stranger(
    house: House,
    enters: Callable[[str], Awaitable[tuple[Wire, str]]],
    *,
    shown: str,
    role: str,
    agents: dict[Seat, str],
) -> None:
    await table(house, shown, agents)
    name = agents.get(Seat(role), shown)
    if name == "ann":  # the name of the account itself is taken, and shown
        name = "eve"
    if name == "dumbbot":  # nobody can register it now, but somebody may have before
        digest = await house.accounts.passwords.digest("password")
        await house.hall.store.keep(Account(name, digest))
    wire, token = await enters(name)
    for number, request in enumerate(requests(token, role)):
        answer = await wire.ask({"request_id": str(number), **request})
        if request["name"] not in PUBLIC:
            assert answer["name"] == "error", (request, answer)
    told = json.dumps(wire.frames)
    assert SECRET not in told
    assert ORDER not in told
    assert '"controlled_powers": ["' not in told, "nothing is theirs"
    hosted = await house.hall.wake("m")
    assert hosted.match.state.places[FRANCE].action == [ORDER], "nor have they changed anything"


@pytest.mark.parametrize("ends", [False, True])
@inside(meeting)
async def test_a_match_that_is_shown_later_tells_strangers_nothing_by_refusing_them(
    house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]], *, ends: bool
) -> None:
    owner = session_of(house.hall, "owner")
    terms = msgspec.structs.replace(TERMS, seats_to_start=0)
    match = await owner.open(MatchSetup(game="diplomacy", terms=terms, match="m", delay=3600.0))
    position = position_of_state({"name": "S1902M", "units": {"ITALY": ["A VEN"]}, "centers": {"ITALY": ["VEN"]}})
    ending: list[it.Intent] = [it.Cancel("")] if ends else []
    for intent in [it.Start(""), it.SetPosition("", position.encode()), *ending]:
        assert (await owner.submit(match, intent))[0].refusal is None
    wire, token = await enters("eve")
    game = {"token": token, "re_sent": False, "game_id": "m"}
    asked = {"request_id": "1", "name": "get_playable_powers"}
    assert len((await wire.ask({**game, **asked}))["data"]) == 7, "not that France is eliminated"
    if ends:
        join = {"request_id": "2", "name": "join_game", "power_name": "FRANCE", "registration_password": None}
        refused = await wire.ask({**game, **join})
        assert refused["message"] == "No seat can be taken, or not that one."
        answer = await session_of(house.hall, "zoe").join(match, FRANCE)
        assert answer.refusal == it.Refusal(it.RefusalCode.SEAT_TAKEN, "no seat can be taken, or not that one")
        assert (await owner.join(match, FRANCE)).refusal.code == "over"  # type: ignore[union-attr]


@inside(meeting)
async def test_the_board_of_a_match_with_a_password_is_not_told_by_its_free_powers(
    house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]]
) -> None:
    owner, admission = session_of(house.hall, "owner"), Admission(guarded=True)
    terms = msgspec.structs.replace(TERMS, seats_to_start=0)
    setup = MatchSetup(game="diplomacy", terms=terms, match="m", admission=admission)
    await owner.open(setup, password="sesame")
    assert (await session_of(house.hall, "ann").join("m", FRANCE, password="sesame")).refusal is None
    position = position_of_state({"name": "S1902M", "units": {"ITALY": ["A VEN"]}, "centers": {"ITALY": ["VEN"]}})
    for intent in (it.Start(""), it.SetPosition("", position.encode())):
        assert (await owner.submit("m", intent))[0].refusal is None
    wire, token = await enters("eve")
    game = {"token": token, "re_sent": False, "game_id": "m", "name": "get_playable_powers"}
    free = (await wire.ask({"request_id": "1", **game}))["data"]
    assert sorted(free) == ["AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"]
    await session_of(house.hall, "eve").say_password("m", "sesame")
    assert (await wire.ask({"request_id": "2", **game}))["data"] == ["ITALY"], "those are the ones alive"


@inside(meeting)
async def test_whoever_sits_under_another_name_plays_all_the_same(
    house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]]
) -> None:
    await table(house, "somebody else")
    wire, token = await enters("ann")
    game = {"token": token, "re_sent": False, "game_id": "m"}
    join = {**game, "name": "join_game", "power_name": "FRANCE", "registration_password": None}
    answer = await wire.ask({"request_id": "join", **join})
    assert answer["data"]["controlled_powers"] == ["FRANCE"]
    assert answer["data"]["powers"]["FRANCE"]["orders"] == {"A PAR": "- GAS"}
    listed = await wire.ask({"request_id": "list", **game, "name": "list_games"})
    assert [one["controlled_powers"] for one in listed["data"]] == [["FRANCE"]]
    orders = {"orders": ["A PAR H"], "wait": False, "game_role": "FRANCE", "phase": "S1901M"}
    answer = await wire.ask({"request_id": "order", **game, "name": "set_orders", **orders})
    assert answer["name"] == "ok"
    assert (await house.hall.wake("m")).match.state.places[FRANCE].action == ["A PAR H"]


@inside(meeting)
async def test_a_moderator_frees_the_powers_of_an_account_whatever_names_they_show(
    house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]]
) -> None:
    await table(house, "bob")
    await session_of(house.hall, "cat").join("m", ITALY, name="ann")
    await enters("ann")
    wire, _ = await enters("host")
    admin = {"name": "sign_in", "username": "admin", "password": ADMIN, "re_sent": False}
    token = (await wire.ask({"request_id": "admin", **admin}))["data"]
    game = {"token": token, "re_sent": False, "game_id": "m"}
    await wire.ask({"request_id": "join", **game, "name": "join_game", "power_name": None})
    freed = {"game_role": "omniscient_type", "phase": "S1901M", "username": "ann", "power_names": None}
    answer = await wire.ask({"request_id": "free", **game, "name": "set_dummy_powers", **freed})
    assert answer["name"] == "ok", answer
    assert sorted((await house.hall.wake("m")).head.players) == ["ITALY"]


@inside(meeting)
async def test_whoever_takes_a_power_that_was_left_sees_nothing_private_from_before(
    house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]]
) -> None:
    match = await table(house, "somebody else")
    ann = session_of(house.hall, "ann")
    watching, mine = await enters("ann")  # the room has seen France through ann's eyes before
    for number, request in enumerate(requests(mine, "FRANCE")[:1]):
        await watching.ask({"request_id": f"a{number}", **request})
    assert SECRET in json.dumps(watching.frames)
    assert (await ann.submit(match, it.Leave(FRANCE)))[0].refusal is None
    wire, token = await enters("eve")
    for number, request in enumerate(requests(token, "FRANCE")[:5]):
        answer = await wire.ask({"request_id": str(number), **request})
        assert answer["name"] != "error", (request, answer)
    assert SECRET not in json.dumps(wire.frames)
    assert ORDER not in json.dumps(wire.frames)
    eve = session_of(house.hall, "eve")
    assert (await eve.submit(match, it.Note(FRANCE, "my own")))[0].refusal is None
    saved = {"request_id": "saved", **requests(token, "FRANCE")[3]}
    assert "my own" in json.dumps(await wire.ask(saved))


def test_lists_of_games_are_made_in_slices_between_which_others_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = 0

    async def pause(self: TimeSlices) -> bool:
        nonlocal pauses
        pauses += 1
        return False

    async def scenario(house: House, enters: Callable[[str], Awaitable[tuple[Wire, str]]]) -> None:
        nonlocal pauses
        owner = session_of(house.hall, "owner")
        names = [await owner.open(MatchSetup(game="diplomacy", terms=TERMS)) for _ in range(5)]
        wire, token = await enters("eve")
        asked: list[dict[str, Any]] = [{"name": "list_games"}, {"name": "get_games_info", "games": names}]
        for request, loops in zip(asked, (4, 3), strict=True):
            pauses = 0
            answer = await wire.ask({"request_id": request["name"], "token": token, "re_sent": False, **request})
            assert sorted(one["game_id"] for one in answer["data"]) == sorted(names)
            assert pauses == loops * len(names)

    monkeypatch.setattr(TimeSlices, "pause", pause)
    meeting(tmp_path, scenario)
