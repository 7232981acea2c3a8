"""What all who have joined may ask: phases by name and number, schedules, and what one has missed since a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mila_house import House
from mila_servers import until
from parlour.net.client import Connection, NetworkGame
from parlour.net.mila import faults
from parlour.net.mila.notices import Notice
from parlour.net.mila.reading import missed
from parlour.net.mila.values import OMNISCIENT

from .test_own_client import at_home, sign_in, table_for_two

PLAYED = ["S1901M", "F1901M", "S1902M"]


async def play_on(master: NetworkGame, *games: NetworkGame) -> None:
    """End a phase, and wait until all have heard of the next."""
    before = master.get_current_phase()
    await master.process()
    await until(lambda: all(game.get_current_phase() != before for game in (master, *games)))


def test_phases_are_given_by_name_and_by_number(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
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

    at_home(tmp_path, scenario)


@pytest.mark.parametrize("deadline", [0, 60])
def test_a_schedule_is_known_where_there_is_a_deadline(tmp_path: Path, deadline: int) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        _, france, _ = await table_for_two(connection, deadline=deadline)
        if not deadline:
            with pytest.raises(faults.ResponseException, match=r"Game not scheduled\."):
                await france.query_schedule()
            return
        found = await france.query_schedule()
        assert (found.game_id, found.phase, found.schedule.delay) == ("two", "S1901M", deadline)
        assert 0 <= found.schedule.seconds_left <= deadline

    at_home(tmp_path, scenario)


def told(notices: list[Notice]) -> list[dict[str, Any]]:
    return [json.loads(b"{" + notice.tail) for notice in notices]


def test_what_was_missed_comes_in_order_and_as_it_was(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        master, france, england = await table_for_two(connection)

        async def say(game: NetworkGame, recipient: str, text: str) -> None:
            await game.send_game_message(message=game.new_power_message(recipient, text))

        for text in ("one", "two"):
            await say(england, "FRANCE", text)
            await play_on(master, france, england)
        await say(england, "FRANCE", "three")
        await say(france, "ENGLAND", "mine")
        await england.set_orders(orders=["F LON - NTH"])
        room = house.door.rooms["two"]
        sight = await room.sight("FRANCE")

        def since(when: int) -> tuple[list[str], list[dict[str, Any]]]:
            notices = told(list(missed(room.state, sight, when)))
            phases = [notice for notice in notices if notice["name"] == "game_processed"]
            heard = [
                notice["message"]["message"]
                if notice["name"] == "game_message_received"
                else notice["previous_phase_data"]["name"]
                for notice in notices
                if notice["name"] in ("game_message_received", "game_processed")
            ]
            return heard, [phase["current_phase_data"] for phase in phases]

        heard, (second, third) = since(0)
        assert heard == ["one", "S1901M", "two", "F1901M", "three"]
        assert (second["name"], second["state"]["name"]) == ("F1901M", "F1901M")
        assert (second["orders"], second["results"], second["messages"]) == ({"FRANCE": None}, {}, [])
        assert (third["name"], [message["message"] for message in third["messages"]]) == ("S1902M", ["mine"])
        assert since(room.state.chronicle.ended("S1901M"))[0] == ["two", "F1901M", "three"]
        assert since(room.state.chronicle.ended("F1901M"))[0] == ["three"]
        assert since(room.state.latest)[0] == []
        flags = [notice for notice in told(list(missed(room.state, sight, 0))) if "order_is_set" in notice]
        assert [(flag["power_name"], flag["order_is_set"]) for flag in flags] == [("ENGLAND", 2)]
        all_seen = await room.sight(OMNISCIENT)
        given = [notice for notice in told(list(missed(room.state, all_seen, 0))) if "orders" in notice]
        assert [(notice["power_name"], notice["orders"]) for notice in given] == [("ENGLAND", ["F LON - NTH"])]
        first = next(notice for notice in told(list(missed(room.state, all_seen, 0))) if "current_phase_data" in notice)
        assert first["current_phase_data"]["orders"] == dict.fromkeys(room.state.places)

    at_home(tmp_path, scenario)


def test_after_another_position_was_set_only_that_is_told(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        master, france, england = await table_for_two(connection)
        await play_on(master, france, england)
        await master.set_state(state=master.state_history["S1901M"])
        await until(lambda: france.get_current_phase() == "S1901M")
        room = house.door.rooms["two"]
        sight = await room.sight("FRANCE")
        names = [notice["name"] for notice in told(list(missed(room.state, sight, 0)))]
        assert names[:2] == ["game_phase_update", "game_status_update"]
        names = [notice["name"] for notice in told(list(missed(room.state, sight, room.state.replaced)))]
        assert names[0] == "game_status_update"

    at_home(tmp_path, scenario)


def test_nobody_is_told_what_a_role_missed_that_is_not_theirs(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        _, france, _ = await table_for_two(connection)
        stranger = await (await sign_in(connection, "carl")).join_game(game_id="two")
        assert (await france.synchronize()).phase == "S1901M"
        stranger.role = "FRANCE"
        with pytest.raises(faults.GamePlayerException):
            await stranger.synchronize()
        stranger.role = OMNISCIENT
        with pytest.raises(faults.GamePlayerException):
            await stranger.synchronize()

    at_home(tmp_path, scenario)
