"""Requests of a game to a server in words of the protocol, and the state of the game after an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parlour.core.intents import Ballot, CommStatus
from parlour.errors import LocalWireError
from parlour.net.client import Connection, NetworkGame
from parlour.net.client.powers import NetworkPower
from parlour.net.mila import notifications as n
from parlour.net.mila.protocol_values import OMNISCIENT, GamePhase, PhaseKind
from support.client.phase_tables import STATE, Table, at_table, phase_named
from support.waiting import inside

Asked = Callable[[NetworkGame], Awaitable[Any]]


async def granted(
    table: Table, game: NetworkGame, to: str, asked: Asked, name: str = "ok", **answer: Any
) -> dict[str, Any]:
    """Ask for something, and have it granted; the request as the server read it."""
    asking = asyncio.ensure_future(asked(game))
    request = await table.answer(name, to=to, **answer)
    await asking
    return request


@inside(at_table)
async def test_what_a_player_asks_for_is_known_when_it_was_granted(table: Table, connection: Connection) -> None:
    game = await table.seat(connection)
    france, italy = game.powers["FRANCE"], game.powers["ITALY"]

    async def asked(to: str, asked: Asked, **answer: Any) -> dict[str, Any]:
        return await granted(table, game, to, asked, **answer)

    request = await asked("set_orders", lambda game: game.set_orders(orders=["A PAR H"], wait=False))
    assert (request["orders"], request["wait"], request["power_name"]) == (["A PAR H"], False, None)
    assert (request["game_id"], request["game_role"], request["phase"]) == ("g", "FRANCE", "S1901M")
    assert (france.orders, france.wait, italy.orders, italy.wait) == (["A PAR H"], False, [], True)
    await asked("set_orders", lambda game: game.set_orders(orders=["A ROM H"], power_name="ITALY"))
    assert (france.orders, france.wait, italy.orders, italy.wait) == (["A PAR H"], False, ["A ROM H"], True)
    assert (await asked("set_wait_flag", lambda game: game.wait()))["wait"] is True
    assert (await asked("set_wait_flag", lambda game: game.no_wait(power_name="ITALY")))["wait"] is False
    assert (france.wait, italy.wait) == (True, False)
    assert (await asked("vote", lambda game: game.vote(vote="yes")))["vote"] == "yes"
    await asked("vote", lambda game: game.vote(vote=Ballot.NO, power_name="ITALY"))
    assert (france.vote, italy.vote) == (Ballot.YES, Ballot.NO)
    await asked("set_comm_status", lambda game: game.set_comm_status(comm_status="ready"))
    await asked("set_comm_status", lambda game: game.set_comm_status(comm_status="busy", power_name="ITALY"))
    assert (france.comm_status, italy.comm_status) == (CommStatus.READY, CommStatus.BUSY)
    assert (await asked("clear_orders", lambda game: game.clear_orders()))["power_name"] is None
    assert (france.orders, italy.orders) == ([], ["A ROM H"])
    await asked("clear_orders", lambda game: game.clear_orders(power_name="ITALY"))
    assert italy.orders == []
    await asked("clear_units", lambda game: game.clear_units())
    await asked("clear_centers", lambda game: game.clear_centers(power_name="ITALY"))
    assert (france.units, bool(france.centers), bool(italy.units), italy.centers) == ([], True, True, [])


@inside(at_table)
async def test_what_a_moderator_asks_for_is_for_all_where_no_power_is_named(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection)
    game.role = OMNISCIENT
    for power in game.powers.values():
        power.orders = ["something"]
    await granted(table, game, "clear_orders", lambda game: game.clear_orders())
    assert not any(power.orders for power in game.powers.values())
    await granted(table, game, "clear_units", lambda game: game.clear_units())
    assert not any(power.units for power in game.powers.values())
    await granted(table, game, "clear_centers", lambda game: game.clear_centers())
    assert all(power.is_eliminated() for power in game.powers.values())
    kicked = await granted(table, game, "set_dummy_powers", lambda game: game.kick_powers(power_names=("ITALY",)))
    assert (kicked["power_names"], kicked["username"]) == (["ITALY"], None)
    kicked = await granted(table, game, "set_dummy_powers", lambda game: game.kick_powers(username="bert"))
    assert (kicked["power_names"], kicked["username"]) == (None, "bert")
    for asked, status in (
        (NetworkGame.pause, "paused"),
        (NetworkGame.resume, "active"),
        (NetworkGame.draw, "completed"),
        (NetworkGame.cancel, "canceled"),
        (NetworkGame.start, "active"),
    ):
        assert (await granted(table, game, "set_game_status", asked))["status"] == status
        assert game.status == status
    await granted(table, game, "process_game", NetworkGame.process)
    assert game.get_current_phase() == "S1901M", "the server tells what came of it"


@inside(at_table)
async def test_press_and_notes_are_filed_with_the_time_that_the_server_gave_them(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection)
    message = game.new_power_message("ITALY", "psst")
    sent = await granted(
        table,
        game,
        "send_game_message",
        lambda game: game.send_game_message(message=message),
        "data_time_stamp",
        data=7,
    )
    assert sent["message"]["recipient"] == "ITALY"
    assert {at: filed.message for at, filed in game.messages.items()} == {7: "psst"}
    note = game.new_log_data("hm")
    await granted(table, game, "send_log_data", lambda game: game.send_log_data(log=note), "data_time_stamp", data=9)
    assert {at: (filed.message, filed.time_sent) for at, filed in game.logs.items()} == {9: ("hm", 9)}


@inside(at_table)
async def test_phases_that_were_asked_for_are_remembered_and_a_state_that_was_set_is_played_on(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection, phase="F1901M")
    given = phase_named("S1901M", orders={"FRANCE": ["A PAR H"]})
    request = await granted(
        table,
        game,
        "get_phase_history",
        lambda game: game.get_phase_history(from_phase=0, to_phase="S1901M"),
        "data_game_phases",
        data=[given],
    )
    assert (request["from_phase"], request["to_phase"]) == (0, "S1901M")
    assert list(game.state_history) == ["S1901M"]
    state = STATE | {"name": "S1901M"}
    message = game.new_global_message("again")
    request = await granted(
        table,
        game,
        "set_game_state",
        lambda game: game.set_state(state=state, orders={"FRANCE": ["A PAR - BUR"]}, messages={5: message}),
    )
    assert (request["orders"], request["results"]) == ({"FRANCE": ["A PAR - BUR"]}, {})
    assert list(request["messages"]) == ["5"]
    assert (game.get_current_phase(), list(game.state_history)) == ("S1901M", [])
    assert game.get_orders("FRANCE") == ["A PAR - BUR"]


@pytest.mark.parametrize("to", ["leave_game", "delete_game"])
@inside(at_table)
async def test_a_game_that_was_left_or_deleted_asks_for_nothing_more(
    table: Table, connection: Connection, *, to: str
) -> None:
    game = await table.seat(connection)
    channel = game.channel
    assert channel is not None
    assert list(channel.games) == [game]
    await granted(table, game, to, NetworkGame.leave if to == "leave_game" else NetworkGame.delete)
    assert (game.channel, list(channel.games)) == (None, [])
    with pytest.raises(LocalWireError, match="'g' was left, or is gone"):
        await game.process()
    assert table.nothing_asked()


@inside(at_table)
async def test_a_game_is_left_at_the_end_of_its_block_and_a_channel_given_back(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection)
    channel = game.channel
    assert channel is not None

    async def leave() -> None:
        async with channel, game:
            pass

    leaving = asyncio.ensure_future(leave())
    await table.answer(to="leave_game")
    await table.answer(to="logout")
    await leaving
    assert (game.channel, connection.channels) == (None, {})


@inside(at_table)
async def test_at_the_end_of_a_block_nothing_is_asked_for_over_a_connection_that_is_closed(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection)
    assert game.channel is not None
    async with game.channel, game:
        await connection.close()
    assert table.nothing_asked()


def test_a_callback_that_fails_keeps_the_others_from_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def scene(table: Table, connection: Connection) -> None:
        game = await table.seat(connection)
        heard: list[Any] = []
        game.add_on_power_wait_flag(lambda game, found: 1 / 0)
        game.add_on_power_wait_flag(lambda game, found: heard.append(found.wait))
        about: dict[str, Any] = {"notification_id": "n", "token": "t", "game_id": "g", "game_role": "FRANCE"}
        told = n.PowerWaitFlag(**about, power_name="ITALY", wait=False)
        assert game.notify(told) == [None]
        assert heard == [False]
        before = GamePhase(name="S1900M", state=STATE, orders={}, results={}, messages=[])
        past = n.GamePhaseUpdate(**about, phase_data=before, phase_data_type=PhaseKind.STATE_HISTORY)
        game.add_on_game_phase_update(lambda game, found: heard.append(found.phase_data.name))
        game.notify(past)
        assert game.notify(past) == [], "what is known already is no news"
        assert heard == [False, "S1900M"]

    at_table(scene)
    assert "a callback for PowerWaitFlag failed" in caplog.text


@inside(at_table)
async def test_a_game_that_is_joined_already_is_given_without_asking(table: Table, connection: Connection) -> None:
    game = await table.seat(connection)
    channel = game.channel
    assert channel is not None
    assert await channel.join_game(game_id="g", power_name="FRANCE") is game
    assert table.nothing_asked()
    for wanted in ({"game_id": "g", "power_name": "ITALY"}, {"game_id": "g"}, {"game_id": "other"}):
        asking = asyncio.ensure_future(channel.join_game(**wanted))
        await table.refuse("GameIdException", to="join_game")
        with pytest.raises(Exception, match="no"):
            await asking
    game.role = OMNISCIENT
    channel.remember(game)
    assert await channel.join_game(game_id="g") is game


def test_a_power_is_there_while_it_has_anything_and_holds_nobody_up_once_it_has_ordered() -> None:
    power = NetworkPower("FRANCE")
    assert (power.is_eliminated(), power.is_dummy(), power.does_not_wait()) == (True, True, False)
    for name, value in (("units", ["A PAR"]), ("centers", ["PAR"]), ("retreats", {"A PAR": ["BUR"]})):
        there = NetworkPower("FRANCE")
        setattr(there, name, value)
        assert not there.is_eliminated()
    power.order_is_set = 1
    assert not power.does_not_wait()
    power.wait = False
    assert power.does_not_wait()
    power.clear_orders()
    assert not power.does_not_wait()
    power.controller = {9: "ann", 3: "bo"}
    assert (power.get_controller(), power.is_controlled()) == ("ann", True)
    power.take_state({"units": {"FRANCE": ["A BUR"]}, "centers": {"ITALY": ["ROM"]}})
    assert (power.units, power.centers) == (["A BUR"], [])
