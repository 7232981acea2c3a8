"""Requests of a player are served at once where nothing must be fetched to recognise the player, and of nobody else."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from parlour.core.game import Seat
from parlour.net.accounts.principals import NOBODY
from parlour.net.client import Connection, NetworkGame
from parlour.net.framing.websocket import TextSocket
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila.asking import _at_hand
from parlour.net.mila.websocket_io import Pump
from parlour.store import Seating
from support.mila.at_home import at_home, table_for_two
from support.mila.house import House, mila_server
from support.mila.websocket_io import Wire
from support.waiting import inside, until


@inside(at_home)
async def test_only_who_plays_the_power_on_this_socket_is_at_hand(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    door = house.door

    def is_at_hand(game: NetworkGame, role: str, match: str = "two") -> bool:
        assert game.channel is not None
        request = rq.ClearOrders(
            request_id="1", token=game.channel.token, game_id=match, game_role=role, phase="S1901M"
        )
        socket = door.socket_of(game.channel.token)
        assert socket is not None
        found = _at_hand(door, socket, request)
        return found is not None and found.sight.role == role

    assert is_at_hand(france, "FRANCE")
    assert is_at_hand(england, "ENGLAND")
    assert not is_at_hand(france, "ENGLAND")
    assert not is_at_hand(france, "FRANCE", "another")
    assert not is_at_hand(master, master.role), "one who sees all plays nothing"
    hosted = await house.hall.wake("two")
    hosted.seating[Seat("FRANCE")] = Seating("two", "FRANCE", "anna", "bert")
    hosted.appoint(NOBODY, "")  # somebody's rights have changed
    assert not is_at_hand(france, "FRANCE"), "the power is another's by now"


@inside(at_home)
async def test_what_was_done_at_once_or_refused_keeps_no_room_open_and_holds_nothing_back(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    heard: list[str] = []
    france.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
    await france.set_orders(orders=["A PAR H"])
    await france.wait()
    await france.vote(vote="neutral")
    await france.send_game_message(message=france.new_global_message("hello"))
    await france.send_log_data(log=france.new_log_data("hm"))
    await france.set_comm_status(comm_status="ready")
    await france.clear_orders()
    for refused in (
        france.set_orders(orders=[], power_name="ENGLAND"),
        france.send_game_message(message=france.new_power_message("FRANCE", "to myself")),
        france.send_log_data(log=england.new_log_data("not mine")),
    ):
        with pytest.raises(faults.ResponseException):
            await refused
    assert house.door.rooms["two"].visits == 0
    await england.send_game_message(message=england.new_power_message("FRANCE", "psst"))
    await until(lambda: heard == ["psst"])
    for game in (master, france, england):
        await game.leave()
    assert house.door.rooms == {}


async def test_what_came_of_requests_goes_out_together_with_their_answers(tmp_path: Path) -> None:
    """To write costs more than what is written."""
    async with mila_server(tmp_path) as house:
        wire, numbers = Wire(), count()
        pump = Pump(house.door, cast(TextSocket, wire))

        async def ask(**fields: object) -> Any:
            pump.receive(msgspec.json.encode({"request_id": str(next(numbers)), **fields}))
            await pump._idle.wait()
            await asyncio.sleep(0)
            found = [msgspec.json.decode(frame) for write in wire.writes for frame in write]
            wire.writes.clear()
            return next(frame.get("data") for frame in found if "request_id" in frame)

        token = await ask(name="sign_in", username="anna", password="password")
        rules = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]
        setup = {"token": token, "n_controls": 2, "deadline": 0, "rules": rules, "map_name": "standard"}
        for game in ("one", "two"):
            await ask(name="create_game", game_id=game, power_name="FRANCE", **setup)
            await ask(name="join_game", token=token, game_id=game, power_name="ITALY")
        house.door.rooms["one"].flush()
        for game in ("one", "two"):
            about = {"token": token, "game_id": game, "game_role": "FRANCE", "phase": "S1901M"}
            orders = {"request_id": game, "name": "set_orders", "orders": ["A PAR H"], "wait": False}
            pump.receive(msgspec.json.encode({**about, **orders}))
        await pump._idle.wait()
        for _ in range(3):
            await asyncio.sleep(0)
        (written,) = wire.writes
        answered = [frame for frame in written if b'"request_id"' in frame]
        assert (len(answered), len(written)) == (2, 6), "Italy is told of orders and flag, in both games"


@inside(at_home)
async def test_what_cannot_be_submitted_at_once_is_served_like_any_other_request(
    house: House, connection: Connection, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    master, france, _ = await table_for_two(connection)
    monkeypatch.setattr(house.hall, "at_hand", lambda match: None)
    await france.set_orders(orders=["A PAR - BUR"])
    await until(lambda: master.get_orders("FRANCE") == ["A PAR - BUR"])
    heard: list[str] = []
    france.add_on_power_orders_update(lambda _, found: heard.append(found.power_name))
    await france.set_orders(orders=["A PAR H"])
    await until(lambda: master.get_orders("FRANCE") == ["A PAR H"])
    assert heard == [], "who asks knows of it"
    assert (house.door.rooms["two"].visits, house.door.rooms["two"]._causes) == (0, {})
