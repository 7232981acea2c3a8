"""What players ask for before all have come, and when a phase has just ended without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mila_house import House
from mila_servers import until
from parlour.net.client import Connection, NetworkGame, strings
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs

from .test_own_client import at_home, sign_in, table_for_two
from .test_reading import play_on


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


def test_orders_that_were_given_while_a_game_waits_for_players_count(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
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

    at_home(tmp_path, scenario)


def test_who_had_nothing_to_order_may_say_so_when_the_phase_is_over(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
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

    at_home(tmp_path, scenario)
