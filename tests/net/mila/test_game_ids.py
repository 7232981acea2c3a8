"""The id of a deleted game can be given again; its record stays, and nobody takes one for the other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.net.client import Connection, NetworkGame
from parlour.net.mila import faults
from parlour.net.mila.reused_names import GameIds
from support.mila.at_home import at_home, sign_in
from support.mila.house import House
from support.waiting import inside, until


@inside(at_home)
async def test_the_id_of_a_deleted_game_is_free_again_and_nothing_of_the_old_one_is_seen(
    house: House, connection: Connection
) -> None:
    host, anna, bert = [await sign_in(connection, name) for name in ("host", "anna", "bert")]
    setup: dict[str, Any] = {"game_id": "again", "n_controls": 2, "deadline": 60, "rules": ["POWER_CHOICE"]}

    async def once(number: int) -> NetworkGame:
        game = await host.create_game(**setup)
        with pytest.raises(faults.GameIdException):
            await bert.create_game(**setup)
        france = await anna.join_game(game_id="again", power_name="FRANCE")
        italy = await bert.join_game(game_id="again", power_name="ITALY")
        assert (game.game_id, france.game_id, france.phase_abbr) == ("again", "again", "S1901M")
        assert [one.game_id for one in await anna.list_games(game_id="again")] == ["again"]
        assert [one.game_id for one in await anna.get_games_info(games=["again"])] == ["again"]
        assert (await france.save())["id"] == "again"
        assert (await france.query_schedule()).game_id == "again"
        await until(lambda: italy.is_game_active)
        await france.send_game_message(message=france.new_power_message("ITALY", f"game {number}"))
        await until(lambda: italy.messages)
        assert [one.message for one in italy.messages.values()] == [f"game {number}"]
        await game.process()
        await until(lambda: france.phase_abbr == "F1901M")
        return game

    for number in range(2):
        await (await once(number)).delete()
    await once(2)
    names = [head.id for head in (await house.hall.page()).heads]
    assert len(set(names)) == 3, "each has a record of its own"
    assert all(name.startswith("again") for name in names)
    assert GameIds(house.hall.store).stored("again") == names[0], "a server that starts again knows it, too"


@inside(at_home)
async def test_whoever_was_cut_off_from_a_deleted_game_is_told_though_its_id_was_given_again(
    house: House, connection: Connection
) -> None:
    host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
    game = await host.create_game(game_id="again", n_controls=1, deadline=0, rules=["POWER_CHOICE"])
    france = await anna.join_game(game_id="again", power_name="FRANCE")
    house.door.leave(house.door.host.ids.stored("again"), lambda listening: listening.role == "FRANCE")
    await game.delete()
    await host.create_game(game_id="again", n_controls=1, deadline=0, rules=["POWER_CHOICE"])
    gone = asyncio.Event()
    france.add_on_game_deleted(lambda *_: gone.set())
    await france.synchronize()
    await asyncio.wait_for(gone.wait(), 10)
