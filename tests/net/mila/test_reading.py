"""Queries that are open to all who joined: phases by name and number, and schedules."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.net.client import Connection
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.possible import possible_orders
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.mila.at_home import at_home, table_for_two
from support.mila.house import House
from support.mila.playing_on import play_on
from support.waiting import inside, until

PLAYED = ["S1901M", "F1901M", "S1902M"]


@inside(at_home)
async def test_phases_are_given_by_name_and_by_number(house: House, connection: Connection) -> None:
    master, france, _ = await table_for_two(connection)
    for _ in PLAYED:
        await play_on(master, france)

    async def given(from_phase: str | int | None, to_phase: str | int | None = None) -> list[str]:
        return [phase.name for phase in await france.get_phase_history(from_phase=from_phase, to_phase=to_phase)]

    assert await given(None) == await given(0) == await given("S1901M") == await given(-3) == PLAYED
    assert await given("F1901M") == await given(1) == await given(-2) == PLAYED[1:]
    assert await given(None, "F1901M") == await given(None, 1) == await given(None, -2) == PLAYED[:2]
    assert await given("F1901M", "F1901M") == await given(1, 1) == ["F1901M"]
    assert await given("F1901M", "S1901M") == await given(1, 0) == await given(-4) == []
    # What was not played lies between its neighbours, and what is no phase after all of them.
    assert await given("F1901R") == PLAYED[2:]
    assert await given(None, "F1901R") == PLAYED[:2]
    assert await given(None, "S1900M") == await given("S1999M") == await given("COMPLETED") == []
    assert await given(None, "S1999M") == await given(None, "COMPLETED") == PLAYED


@pytest.mark.parametrize("deadline", [0, 60])
def test_a_schedule_is_known_where_there_is_a_deadline_and_nobody_has_paused(tmp_path: Path, deadline: int) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        master, france, _ = await table_for_two(connection, deadline=deadline)
        if not deadline:
            with pytest.raises(faults.ResponseException, match=r"Game not scheduled\."):
                await france.query_schedule()
            return
        found = await france.query_schedule()
        assert (found.game_id, found.phase, found.schedule.delay) == ("two", "S1901M", deadline)
        assert 0 <= found.schedule.seconds_left <= deadline
        await master.pause()
        with pytest.raises(faults.ResponseException, match=r"Game not scheduled\."):
            await france.query_schedule()

    at_home(tmp_path, scenario)


@inside(at_home)
async def test_times_by_stage_are_told_as_that_of_movements_and_a_schedule_has_that_of_the_stage(
    house: House, connection: Connection
) -> None:
    clock = Clock(per_stage={"orders": 600.0, "retreats": 60.0})
    terms = Terms(HOSTED, clock, seats_to_start=0, vacancy=Vacancy.DEFAULT)
    await house.hall.open(MatchSetup(game="diplomacy", terms=terms, match="timed"))
    channel = await connection.authenticate("somebody", "password")
    (listed,) = await channel.list_games(game_id="timed")
    assert (listed.deadline, listed.phase) == (600, "S1901M")
    assert "NO_DEADLINE" not in (listed.rules or ())
    game = await channel.join_game(game_id="timed", power_name="FRANCE")
    assert game.deadline == (await game.save())["deadline"] == 600
    await house.hall.submit("timed", it.Start("admin"))
    assert (await game.query_schedule()).schedule.delay == 600


@inside(at_home)
async def test_all_that_can_be_ordered_is_told_and_nothing_once_the_game_is_over(
    house: House, connection: Connection
) -> None:
    master, france, _ = await table_for_two(connection)

    async def asked() -> rs.PossibleOrders:
        assert france.channel is not None
        kinds = rq.GetAllPossibleOrders, rs.PossibleOrders
        return await france.channel.ask_in_game(france, *kinds, lambda response: response)

    found = await asked()
    assert "A PAR - BUR" in found.possible_orders["PAR"]
    assert sorted(found.orderable_locations["FRANCE"]) == ["BRE", "MAR", "PAR"]
    await master.draw()
    await until(lambda: france.is_game_completed)
    found = await asked()
    assert not any(found.possible_orders.values())
    assert not any(found.orderable_locations.values())
    assert set(found.orderable_locations) == set(france.powers)


def test_a_unit_on_one_of_two_shores_is_found_under_the_shore_and_the_province() -> None:
    found = possible_orders(start())
    assert found["STP"] == found["STP/SC"] != []
    assert found["STP/NC"] == found["BUR"] == []
    assert all(order.split()[1] == "PAR" for order in found["PAR"])


def test_supports_to_a_province_with_two_shores_are_found_with_and_without_the_shore() -> None:
    state = write_state(start()) | {"units": {"FRANCE": ["F POR", "F MAR", "A GAS"], "TURKEY": ["F CON"]}}
    position = position_of_state(state)
    found = possible_orders(position)
    shores = {"", "/NC", "/SC"}
    assert {f"A GAS S F POR - SPA{shore}" for shore in shores} <= set(found["GAS"])
    assert {order for order in found["MAR"] if " S F POR - SPA" in order} == {f"F MAR S F POR - SPA{s}" for s in shores}
    assert [order for order in found["GAS"] if " S F MAR - SPA" in order] == [
        "A GAS S F MAR - SPA",
        "A GAS S F MAR - SPA/SC",
    ]
    assert found == possible_orders(position), "nothing is added twice"


def test_builds_and_waived_ones_are_found_where_they_can_be_made_and_nothing_when_it_is_over() -> None:
    state = write_state(start())
    state["units"]["RUSSIA"] = ["A MOS", "A WAR", "F SEV"]
    winter = position_of_state(state | {"name": "W1901A"}, board=start().board)
    found = possible_orders(winter)
    assert {"A STP B", "F STP/SC B", "F STP/NC B", "WAIVE"} == set(found["STP"])
    assert found["STP/SC"] == ["F STP/SC B", "WAIVE"]
    assert found["STP/NC"] == ["F STP/NC B", "WAIVE"]
    over = start().stopped()
    assert not any(possible_orders(over).values())
    assert set(possible_orders(over)) == set(found)
