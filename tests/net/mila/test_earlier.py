"""A game that was saved elsewhere goes on here with its past, and is saved again without loss."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.errors import NotationError
from parlour.games.diplomacy.formats.saved import SavedGame, read_saved
from parlour.net.client import connect
from parlour.net.client.channel import Channel
from parlour.net.client.connection import Connection
from parlour.net.game_doors import door_exports
from parlour.net.mila.earlier import MAX_SAVED, EarlierPhases, packed, read_earlier, unpacked
from parlour.net.mila.faults import GameCreationException
from parlour.net.mila.saving import saved_for
from parlour.tournament.storage.exports import export
from support.hall.people import session_of
from support.mila.house import HOST, House, mila_server
from support.waiting import inside, until

RULES = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]


async def signed_in(house: House, stack: Any, name: str) -> Channel:
    connection: Connection = await stack.enter_async_context(connect(HOST, house.port))
    return await connection.authenticate(name, "password")


async def played(house: House, stack: Any) -> dict[str, Any]:
    """Return a game of two phases with press, notes and orders, saved by who sees all."""
    master = await signed_in(house, stack, "master")
    anna, bert = await signed_in(house, stack, "anna"), await signed_in(house, stack, "bert")
    game = await master.create_game(game_id="old", n_controls=2, deadline=0, rules=RULES)
    france = await anna.join_game(game_id="old", power_name="FRANCE", player_type="press_bot")
    england = await bert.join_game(game_id="old", power_name="ENGLAND")
    await france.send_game_message(message=france.new_power_message("ENGLAND", "between us"))
    await england.send_game_message(message=england.new_global_message("to all"))
    await france.send_log_data(log=france.new_log_data("a note"))
    await france.set_orders(orders=["A PAR - BUR", "F BRE - MAO"])
    await game.process()
    await game.process()
    await until(lambda: england.get_current_phase() == game.get_current_phase())  # she hears of it by herself
    await england.send_game_message(message=england.new_power_message("GERMANY", "the day after"))
    await england.set_orders(orders=["A LVP - YOR"])
    return await game.save()


def phases(saved: dict[str, Any]) -> list[dict[str, Any]]:
    """The phases of a saved game, without its name, and without when the running one was looked at and its orders."""
    found = json.loads(json.dumps(saved["phases"]))
    for phase in found:
        phase["state"].pop("game_id")
    found[-1]["state"].pop("timestamp")
    found[-1].pop("orders")
    return list(found)


def run(path: Path, scenario: Any) -> Any:
    async def both() -> Any:
        (path / "there").mkdir()
        (path / "here").mkdir()
        async with contextlib.AsyncExitStack() as stack:
            there = await stack.enter_async_context(mila_server(path / "there"))
            here = await stack.enter_async_context(mila_server(path / "here"))
            return await scenario(await played(there, stack), here, stack)

    return asyncio.run(both())


@inside(run)
async def test_a_game_goes_on_with_its_past_and_is_saved_without_loss(
    saved: dict[str, Any], here: House, stack: Any, *, tmp_path: Path
) -> None:
    master = await signed_in(here, stack, "another master")
    game = await master.create_game(game_id="new", n_controls=1, deadline=0, saved=json.dumps(saved).encode())
    assert game.rules == saved["rules"]
    assert game.get_current_phase() == "S1902M" == saved["phases"][-1]["name"]
    again = await game.save()
    assert phases(again) == phases(saved)
    before = {key: saved[key] for key in ("id", "status", "outcome", "controllers", "player_types", "deadline")}
    assert again["continued"] == before | {"orders": {"ENGLAND": ["A LVP - YOR"]}}
    # It goes on, with one past.
    anna = await signed_in(here, stack, "anna")
    france = await anna.join_game(game_id="new", power_name="FRANCE")
    assert (await france.save())["continued"]["orders"] == {}
    await france.set_orders(orders=["A BUR H"])
    await game.process()
    names = [phase["name"] for phase in saved["phases"]]
    assert list(game.state_history) == names
    assert [phase.name for phase in await france.get_phase_history()] == names
    assert [m.message for m in game.message_history["S1902M"].values()] == ["the day after"]
    assert game.order_history["S1902M"]["FRANCE"] == ["A BUR H"]
    # The store exports it with that past.
    (store,) = (tmp_path / "here").glob("*.db")
    assert await asyncio.to_thread(export, str(store), "diplomacy", tmp_path, door_exports()) == (1, 0)
    (exported,) = read_saved((tmp_path / "new.json").read_bytes())
    assert phases(exported.value) == phases(await game.save())


@inside(run)
async def test_saved_continued_and_saved_again_the_past_has_the_same_bytes(
    saved: dict[str, Any], here: House, stack: Any
) -> None:
    state = saved["phases"][-1]["state"]
    state["zobrist_hash"] = "1914"  # of a program that computes another
    for name in ("units", "centers", "homes", "influence"):
        state[name] = {power: list(reversed(listed)) for power, listed in reversed(state[name].items())}
    saved["phases"][0]["messages"][0]["time_sent"] = 0
    master = await signed_in(here, stack, "another master")
    game = await master.create_game(game_id="old", n_controls=1, deadline=0, saved=json.dumps(saved).encode())
    again = await game.save()
    # The players are new, and give their own orders; the running phase says when it was looked at.
    now = (again["phases"][-1], saved["phases"][-1])
    for phase in now:
        phase["state"]["timestamp"] = 0
    now[0]["orders"] = now[1]["orders"]
    kept = ("id", "map", "rules", "phases", "all_rules")
    assert json.dumps([again[key] for key in kept]) == json.dumps([saved[key] for key in kept])
    await game.process()
    assert (await game.save())["phases"][-1]["state"]["zobrist_hash"] == game.get_hash()


@inside(run)
async def test_every_door_saves_the_same_game_for_the_same_eyes(saved: dict[str, Any], here: House, stack: Any) -> None:
    master, anna = await signed_in(here, stack, "another master"), await signed_in(here, stack, "anna")
    past = json.dumps(saved).encode()
    game = await master.create_game(game_id="new", n_controls=1, deadline=0, saved=past)
    france = await anna.join_game(game_id="new", power_name="FRANCE", player_type="press_bot")
    observer = await (await signed_in(here, stack, "otto")).join_game(game_id="new")
    await france.send_game_message(message=france.new_power_message("ENGLAND", "and now?"))
    await france.send_log_data(log=france.new_log_data("another note"))
    await game.process()
    await until(lambda: france.get_current_phase() == game.get_current_phase())
    await france.send_game_message(message=france.new_global_message("on we go"))
    await france.set_orders(orders=["A BUR H"])
    for there, account, wanted in (
        (game, "another master", OMNISCIENT),
        (france, "anna", None),
        (observer, "otto", SPECTATOR),
    ):
        by_socket = await there.save()
        by_session: Any = await saved_for(session_of(here.hall, account), "new", wanted)
        for one in (by_socket, by_session):
            one["phases"][-1]["state"].pop("timestamp")  # when the running phase was looked at
        assert by_session == by_socket, there.role


@pytest.mark.parametrize(
    ("role", "said", "noted", "current"),
    [
        ("FRANCE", ["between us", "to all"], ["a note"], []),
        ("ENGLAND", ["between us", "to all"], [], ["the day after"]),
        ("GERMANY", ["to all"], [], ["the day after"]),
        (None, ["to all"], [], []),
    ],
)
@inside(run)
async def test_each_role_knows_of_the_past_what_it_knew(
    saved: dict[str, Any],
    here: House,
    stack: Any,
    *,
    role: str | None,
    said: list[str],
    noted: list[str],
    current: list[str],
) -> None:
    master = await signed_in(here, stack, "another master")
    await master.create_game(game_id="new", n_controls=7, deadline=0, saved=json.dumps(saved).encode())
    game = await (await signed_in(here, stack, "anna")).join_game(game_id="new", power_name=role)
    assert [m.message for m in game.message_history["S1901M"].values()] == said
    assert [m.message for m in game.messages.values()] == current
    own = await game.save()
    assert [log["message"] for log in own["phases"][0]["logs"]] == noted


async def test_the_past_is_there_after_the_server_was_down(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    async with contextlib.AsyncExitStack() as stack:
        saved = await played(await stack.enter_async_context(mila_server(tmp_path / "there")), stack)
    for down in (False, True):
        async with mila_server(tmp_path) as here, contextlib.AsyncExitStack() as stack:
            master = await signed_in(here, stack, "master")
            if not down:
                await master.create_game(game_id="new", deadline=0, saved=json.dumps(saved).encode())
            else:
                game = await master.join_game(game_id="new")
                assert phases(await game.save()) == phases(saved)


@inside(run)
async def test_a_game_that_is_over_or_broken_does_not_go_on(saved: dict[str, Any], here: House, stack: Any) -> None:
    master = await signed_in(here, stack, "master")
    over = {**saved, "status": "completed"}
    with pytest.raises(GameCreationException, match="is over"):
        await master.create_game(saved=json.dumps(over).encode())
    assert await master.list_games() == []


PHASE: dict[str, Any] = {"name": "S1901M", "state": {"name": "S1901M"}, "orders": {}, "results": {}, "messages": []}


@pytest.mark.parametrize(
    ("phases", "reason"),
    [
        ([], "at least the one"),
        ([PHASE, PHASE], "twice"),
        ([{**PHASE, "messages": [5]}], r"phases\[0\].messages"),
        ([{**PHASE, "messages": [[["sender", "FRANCE"]]]}], r"phases\[0\].messages"),
        ([{**PHASE, "logs": "words"}], r"phases\[0\].logs"),
        ([{**PHASE, "messages": [{"sender": 1}]}], r"phases\[0\].messages"),
        ([{**PHASE, "messages": ["ab"]}], r"phases\[0\].messages: expected a list of objects"),
        ([{**PHASE, "messages": [{"time_sent": "late"}, {}]}], r"phases\[0\].messages"),
        ([{**PHASE, "logs": [{"sender": "FRANCE"}]}], r"phases\[0\].logs"),
        ([{**PHASE, "logs": ["a"]}], r"phases\[0\].logs: expected a list of objects"),
        ([{**PHASE, "logs": {"1": {}}}], r"phases\[0\].logs: expected a list of objects"),
        ([PHASE, {**PHASE, "name": "COMPLETED"}], "is over"),
    ],
)
def test_what_cannot_be_a_past_is_refused(phases: list[Any], reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        EarlierPhases(SavedGame({"id": "x", "map": "standard", "rules": [], "phases": phases}))


def test_messages_without_times_get_some_that_tell_them_apart() -> None:
    message = {"sender": "FRANCE", "recipient": "GLOBAL", "phase": "S1901M", "message": "x"}
    timed = [message, {**message, "time_sent": 7}, {**message, "time_sent": 7}, {**message, "time_sent": None}]
    earlier = EarlierPhases(SavedGame({"phases": [{**PHASE, "messages": timed}]}))
    ((_, heard, _),) = earlier.heard("FRANCE")
    assert [m.time_sent for m in heard] == [0, 1, 7, 8]


def test_a_message_of_time_0_keeps_it() -> None:
    message = {"sender": "FRANCE", "recipient": "GLOBAL", "phase": "S1901M", "message": "x", "time_sent": 0}
    ((_, heard, _),) = EarlierPhases(SavedGame({"phases": [{**PHASE, "messages": [message]}]})).heard("FRANCE")
    assert [m.time_sent for m in heard] == [0]


def test_what_is_packed_is_unpacked_and_nothing_else() -> None:
    text = msgspec.json.encode({"id": "x", "map": "standard", "rules": [], "phases": [PHASE]})
    assert unpacked(packed(text)) == text
    assert read_earlier(text).last.name == "S1901M"
    assert read_saved(text)[0].id == "x"
    for wrong in ("", "no base64!", f"!{packed(text)}", packed(text)[:-8], packed(b"x" * (MAX_SAVED + 1))):
        with pytest.raises(NotationError, match="saved game"):
            unpacked(wrong)
