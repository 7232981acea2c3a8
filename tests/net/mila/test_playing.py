"""Requests of players: orders, flags, votes, press and notes, with each refusal."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import CommStatus
from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.variations import Variation
from parlour.net.client import Connection, NetworkGame, strings
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.possible import possible
from parlour.net.mila.protocol_values import GLOBAL, Log, Message
from support.mila.at_home import at_home, sign_in, table_for_two
from support.mila.house import House
from support.mila.playing_on import play_on
from support.waiting import inside, until


async def order_in(connection: Connection, game: NetworkGame, phase: str, *orders: str) -> rs.Ok:
    """Order as a client does that has not yet heard that the phase is over."""
    assert game.channel is not None
    header: dict[str, Any] = {
        "token": game.channel.token,
        "game_id": game.game_id,
        "game_role": game.role,
        "phase": phase,
    }
    request = rq.SetOrders(request_id=f"{phase} {orders}", **header, orders=list(orders))
    return await connection.send(request, rs.Ok, lambda response: response)


@inside(at_home)
async def test_orders_that_were_given_while_a_game_waits_for_players_count(
    house: House, connection: Connection
) -> None:
    host, anna, bert = [await sign_in(connection, name) for name in ("host", "anna", "bert")]
    await host.create_game(game_id="g", n_controls=2, deadline=0, rules=["POWER_CHOICE", "REAL_TIME"])
    france = await anna.join_game(game_id="g", power_name="FRANCE")
    await france.set_orders(orders=["A PAR - BUR"], wait=False)
    assert france.is_game_forming
    assert [one.status for one in await anna.list_games(game_id="g")] == [strings.FORMING]
    england = await bert.join_game(game_id="g", power_name="ENGLAND")
    await until(lambda: france.is_game_active)
    await england.set_orders(orders=["F LON - NTH"], wait=False)
    master = await host.join_game(game_id="g")
    assert master.get_orders("FRANCE") == ["A PAR - BUR"]
    await master.process()
    await until(lambda: "A BUR" in france.get_units("FRANCE"))


@inside(at_home)
async def test_who_had_nothing_to_order_may_say_so_when_the_phase_is_over(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    for order in ("F EDI - NWG", "F NWG - NWY"):
        await england.set_orders(orders=[order])
        await play_on(master, france, england)
    await england.set_orders(orders=["F EDI B"])
    await play_on(master, france, england)
    assert master.get_current_phase() == "S1902M"
    await order_in(connection, france, "W1901A")
    refused = ((france, "W1901A", "A PAR B"), (england, "W1901A"), (france, "F1901M"), (france, "S1903M"))
    for game, phase, *orders in refused:
        with pytest.raises(faults.ResponseException, match=f"Invalid order phase, received {phase}"):
            await order_in(connection, game, phase, *orders)
    assert master.get_orders("FRANCE") == []


@inside(at_home)
async def test_a_phase_in_which_nobody_has_anything_to_order_lasts_until_it_is_processed_or_somebody_orders(
    house: House, connection: Connection
) -> None:
    rules = ["POWER_CHOICE", "DONT_SKIP_PHASES"]
    host, anna, bert = [await sign_in(connection, name) for name in ("host", "anna", "bert")]
    master = await host.create_game(game_id="two", n_controls=2, deadline=0, rules=rules)
    france = await anna.join_game(game_id="two", power_name="FRANCE")
    england = await bert.join_game(game_id="two", power_name="ENGLAND")
    all_of_them = (master, france, england)

    async def stands(phase: str) -> None:
        await until(lambda: all(game.get_current_phase() == phase for game in all_of_them))
        (found,) = await host.get_games_info(games=["two"])
        assert found.phase == phase

    flags: list[tuple[str, bool]] = []
    england.add_on_power_wait_flag(lambda game, told: flags.append((game.phase_abbr, told.wait)))
    await master.process()
    await stands("S1901R")
    await until(lambda: len(flags) == 7)
    assert set(flags) == {("S1901R", False)}
    await france.wait()
    await stands("S1901R")
    await master.process()
    await stands("F1901M")
    await master.process()
    await stands("F1901R")
    await france.set_orders(orders=[])
    await stands("W1901A")
    await england.no_wait()
    await stands("S1902M")
    assert list(france.state_history) == ["S1901M", "S1901R", "F1901M", "F1901R", "W1901A"]
    for phase in ("F1901R", "W1901A"):  # whoever orders nothing a moment after the others is not told off
        await order_in(connection, france, phase)
        with pytest.raises(faults.ResponseException, match=f"Invalid order phase, received {phase}"):
            await order_in(connection, france, phase, "A PAR H")
    for phase in ("S1901R", "F1901M"):
        with pytest.raises(faults.ResponseException, match=f"Invalid order phase, received {phase}"):
            await order_in(connection, france, phase)


@inside(at_home)
async def test_orders_that_are_not_checked_are_kept_as_they_are_written(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection, rules=["POWER_CHOICE", "NO_CHECK"])
    await france.set_orders(orders=["A PAR - ROM", "F BRE - MAO", "nonsense"])
    again = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE")
    assert france.get_orders("FRANCE") == again.get_orders("FRANCE") == ["A PAR - ROM", "F BRE - MAO", "nonsense"]
    await until(lambda: len(master.get_orders("FRANCE")) == 3)
    assert england.get_orders("FRANCE") == []
    await master.process()
    await until(lambda: france.get_current_phase() == "F1901M")
    assert set(france.order_history["S1901M"]["FRANCE"]) == {"A PAR - ROM", "F BRE - MAO", "nonsense"}
    assert france.result_history["S1901M"]["A PAR"] == ["void"]
    assert france.get_units("FRANCE") == ["F MAO", "A MAR", "A PAR"]


@pytest.mark.parametrize("rules", [[], ["REAL_TIME"]])
@inside(at_home)
async def test_orders_that_are_taken_back_raise_the_flag_again_where_flags_are_up_at_first(
    house: House, connection: Connection, *, rules: list[str]
) -> None:
    master, france, england = await table_for_two(connection, rules=["POWER_CHOICE", *rules])
    up = not rules
    for game, order in ((france, "A PAR H"), (england, "F LON H")):
        await game.set_orders(orders=[order], wait=False)
    await france.clear_orders()
    flags = {name: place.row.wait for name, place in house.door.rooms["two"].state.places.items()}
    assert (flags["FRANCE"], flags["ENGLAND"]) == (up, False)
    await until(lambda: not master.get_orders("FRANCE"))
    assert master.get_orders("ENGLAND") == ["F LON H"]
    await master.clear_orders()
    await until(lambda: not england.get_orders("ENGLAND"))
    flags = {name: place.row.wait for name, place in house.door.rooms["two"].state.places.items()}
    assert flags == dict.fromkeys(flags, True) | {"FRANCE": up, "ENGLAND": up}
    assert not any(place.row.acted for place in house.door.rooms["two"].state.places.values())
    await france.clear_orders()  # of which there are none


@inside(at_home)
async def test_who_is_out_of_the_game_has_no_vote(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    await master.clear_units(power_name="FRANCE")
    await france.vote(vote="yes")  # while it has centres
    await master.clear_centers(power_name="FRANCE")
    with pytest.raises(faults.ResponseException, match="FRANCE is eliminated and has no vote"):
        await france.vote(vote="yes")
    await england.vote(vote="yes")
    await until(lambda: master.is_game_completed)


@inside(at_home)
async def test_messages_and_notes_are_of_who_sends_them_and_their_time_is_the_servers(
    house: House, connection: Connection
) -> None:
    master, france, _ = await table_for_two(connection)

    def said(sender: str, at: int | None = None) -> Message:
        return Message(sender=sender, recipient=GLOBAL, phase="S1901M", message="hello", time_sent=at)

    def noted(sender: str) -> Log:
        return Log(sender=sender, phase="S1901M", message="hm")

    for game, message in ((master, said("FRANCE")), (france, said("FRANCE", 5))):
        with pytest.raises(faults.ResponseException):
            await game.send_game_message(message=message)
    for game, note in ((master, noted(master.role)), (france, noted("ENGLAND"))):
        with pytest.raises(faults.ResponseException, match="only notes of its own"):
            await game.send_log_data(log=note)
    await france.send_log_data(log=noted("FRANCE"))
    await france.send_game_message(message=said("FRANCE"))
    await until(lambda: bool(master.messages))
    assert [message.sender for message in master.messages.values()] == ["FRANCE"]
    assert [note.message for note in france.logs.values()] == ["hm"]


@inside(at_home)
async def test_press_to_several_powers_of_our_own_client_is_said_once_and_to_all_of_them(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)

    def said(*named: str, first: str = "ENGLAND") -> Message:
        message = france.new_power_message(first, "a deal")
        return msgspec.structs.replace(message, recipients=list(named))

    for wrong in (("ENGLAND", "ENGLAND"), ("ITALY", "ENGLAND"), ("ENGLAND", "FRANCE")):
        with pytest.raises(faults.ResponseException):
            await france.send_game_message(message=said(*wrong))
    with pytest.raises(faults.MapPowerException):
        await france.send_game_message(message=said("ENGLAND", "ATLANTIS"))
    known: list[Message] = []
    at = await france.send_game_message(message=said("ENGLAND", "ITALY"), taken=known.append)
    await until(lambda: bool(england.messages) and bool(master.messages))
    (heard,) = england.messages.values()
    (own,) = france.messages.values()
    assert known == [own]
    assert (heard.recipient, heard.recipients, heard.time_sent) == ("ENGLAND", ["ENGLAND", "ITALY"], at)
    assert france.filter_messages(france.messages, "ITALY") == {at: own}
    events = [event for event in await house.hall.record("two") if isinstance(event, ev.Said)]
    assert [event.to for event in events] == [("ENGLAND", "ITALY")]
    saved = [phase["messages"] for phase in (await master.save())["phases"]]
    assert [(one["recipient"], one["time_sent"]) for one in saved[0]] == [("ENGLAND", at), ("ITALY", at + 1)]
    saved = [phase["messages"] for phase in (await england.save())["phases"]]
    assert [(one["recipient"], "recipients" in one) for one in saved[0]] == [("ENGLAND", False)]


def test_orders_that_cannot_be_are_passed_over_and_builds_come_before_waived_ones() -> None:
    spring = start()
    france = Seat("FRANCE")
    assert possible(spring, france, ["A PAR - BUR", "A PAR - MOS", "nonsense", "A ROM H"]) == ["A PAR - BUR"]
    assert possible(spring, france, []) == []
    two = ["A PAR - BUR", "F BRE H", "A PAR - PIC", "A PAR - MOS"]
    assert possible(spring, france, two) == ["F BRE H", "A PAR - PIC"], "the last that is possible"
    unchecked = spring.under([Variation.UNCHECKED])
    assert possible(unchecked, france, [*two, " ", "a par  s A MAR"]) == ["a par s A MAR", "F BRE H"]
    assert possible(unchecked, france, ["F SPA - MAO", "F SPA/NC H"]) == ["F SPA/NC H"]
    flood = possible(unchecked, france, [f"A {number} {'x' * 300}" for number in range(300)])
    assert [len(order) for order in flood] == [200] * 200
    state = write_state(spring)
    state["units"]["FRANCE"] = ["A MAR", "F BRE"]
    winter = position_of_state(state | {"name": "W1901A"}, board=spring.board)
    assert possible(winter, france, [" waive", "A PAR B"]) == ["A PAR B"]
    assert possible(winter, france, ["WAIVE"]) == ["WAIVE"]


@pytest.mark.parametrize("wait", [False, True])
@inside(at_home)
async def test_a_flag_that_comes_with_orders_goes_down_after_them_and_up_before(
    house: House, connection: Connection, *, wait: bool
) -> None:
    """So that the phase does not end without the orders, nor with them while the flag is to be up."""
    rules = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER", *(["REAL_TIME"] if wait else [])]
    anna = await sign_in(connection, "anna")
    france = await anna.create_game(game_id="g", n_controls=7, deadline=0, rules=rules, power_name="FRANCE")
    others = [name for name in france.powers if name != "FRANCE"]
    games = [await anna.join_game(game_id="g", power_name=name) for name in others]
    await until(lambda: all(game.is_game_active for game in (france, *games)))
    for game in games:
        await game.set_orders(orders=[], wait=False)
    await france.set_orders(orders=["A PAR - BUR"], wait=wait)
    if wait:
        assert france.get_current_phase() == "S1901M"
        await france.no_wait()
    await until(lambda: france.get_current_phase() == "F1901M")
    assert "A BUR" in france.get_units("FRANCE")


@inside(at_home)
async def test_the_record_says_who_spoke_for_a_power_if_it_was_not_its_own_player(
    house: House, connection: Connection
) -> None:
    master, france, _ = await table_for_two(connection)
    await france.set_orders(orders=["A PAR H"], wait=False)
    await france.set_comm_status(comm_status="ready")
    await france.clear_orders()
    for power in ("FRANCE", "ITALY"):
        await master.set_orders(power_name=power, orders=[], wait=False)
        await master.set_comm_status(power_name=power, comm_status="busy")
        await master.clear_orders(power_name=power)
    for nobody in (
        master.wait(),
        master.set_orders(orders=[]),
        master.set_comm_status(comm_status="busy"),
        master.clear_units(power_name="ATLANTIS"),
        master.clear_orders(power_name="ATLANTIS"),
    ):
        with pytest.raises(faults.MapPowerException):
            await nobody
    by: dict[tuple[str, str], set[str]] = {}
    for event in await house.hall.record("two"):
        if isinstance(event, ev.Acted | ev.WaitSet | ev.Retracted | ev.CommStatusSet):
            by.setdefault((type(event).__name__, event.seat), set()).add(event.by)
    for kind in ("Acted", "WaitSet", "Retracted", "CommStatusSet"):
        assert by[kind, "FRANCE"] == {"", "host"}, kind
        assert by[kind, "ITALY"] == {"host"}, kind


@inside(at_home)
async def test_orders_of_another_phase_are_neither_given_nor_taken_back(house: House, connection: Connection) -> None:
    _, france, _ = await table_for_two(connection)
    await france.set_orders(orders=["A PAR H"])
    assert france.channel is not None
    for phase in ("F1901M", "S1901R", ""):
        france._short_phase = phase
        for asked in (france.clear_orders, partial(france.set_orders, orders=["A PAR - BUR"])):
            with pytest.raises(faults.ResponseException, match="Invalid order phase"):
                await asked()
    assert (await house.door.rooms["two"].sight("FRANCE")).orders == {"FRANCE": ["A PAR H"]}


@inside(at_home)
async def test_who_plays_a_power_may_speak_for_it_through_a_token_that_has_not_joined(
    house: House, connection: Connection
) -> None:
    master, france, _ = await table_for_two(connection)
    twin = await sign_in(connection, "anna")
    ready = {"comm_status": CommStatus.READY}
    await twin.ask_in_game(france, rq.SetReadiness, rs.Ok, lambda _: None, **ready)
    await twin.ask_in_game(france, rq.SetOrders, rs.Ok, lambda _: None, orders=["A PAR H"])
    await until(lambda: master.powers["FRANCE"].comm_status == "ready")
    await until(lambda: france.get_orders("FRANCE") == ["A PAR H"])
    stranger = await sign_in(connection, "stranger")
    with pytest.raises(faults.ResponseException, match="stranger does not control FRANCE"):
        await stranger.ask_in_game(france, rq.SetOrders, rs.Ok, lambda _: None, orders=[])
