"""A connection to a server that says strange things: who asked is told, and what follows is heard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import websockets

from mila_servers import HOST, until
from parlour.net.client import Connection, connect
from parlour.net.mila.faults import GamePhaseException

SHEET = {"game_id": "g", "role": "FRANCE", "status": "active", "phase": "SPRING 1901 MOVEMENT", "phase_abbr": "S1901M"}
POWERS = {name: {"name": name, "role": name, "controller": {"1": "anna"}} for name in ("FRANCE", "ENGLAND")}
TOLD = {"token": "t", "game_id": "g", "game_role": "FRANCE"}
Say = Callable[[Any], Awaitable[None]]


def at_strange_server(answer: Callable[[dict[str, Any], Say], Awaitable[None]], play: Callable[..., Any]) -> None:
    """Play at a server that answers in its own way."""

    async def run() -> None:
        async def meet(socket: Any) -> None:
            async def say(frame: Any) -> None:
                await socket.send(json.dumps(frame))

            async for text in socket:
                frame = json.loads(text)
                if frame["name"] == "sign_in":
                    await say({"request_id": frame["request_id"], "name": "data_token", "data": "t"})
                else:
                    await answer(frame, say)

        async with websockets.serve(meet, HOST, 0) as server, asyncio.timeout(20):
            port = next(iter(server.sockets)).getsockname()[1]
            async with connect(HOST, port, pause=0.01) as connection:
                await play(connection)

    asyncio.run(run())


async def with_a_game(frame: dict[str, Any], say: Say) -> None:
    if frame["name"] == "join_game":
        sheet = {**SHEET, "powers": POWERS, "map_name": "standard"}
        await say({"request_id": frame["request_id"], "name": "data_game", "data": sheet})


def test_news_that_cannot_be_taken_in_ends_nothing() -> None:
    async def answer(frame: dict[str, Any], say: Say) -> None:
        await with_a_game(frame, say)
        if frame["name"] == "set_wait_flag":
            for name, fields in (
                ("vote_updated", {"vote": {"ATLANTIS": "yes"}}),
                ("cleared_units", {"power_name": "ATLANTIS"}),
                ("powers_controllers", {"powers": {"ATLANTIS": "x"}, "timestamps": {}, "player_types": {}}),
                ("game_status_update", {"status": "paused"}),
            ):
                await say({**TOLD, "notification_id": name, "name": name, **fields})
            await say({"request_id": frame["request_id"], "name": "ok"})

    async def play(connection: Connection) -> None:
        game = await (await connection.authenticate("anna", "password")).join_game(game_id="g", power_name="FRANCE")
        await game.no_wait()
        assert game.is_game_paused

    at_strange_server(answer, play)


def test_an_answer_that_cannot_be_taken_in_is_for_who_asked() -> None:
    async def answer(frame: dict[str, Any], say: Say) -> None:
        await with_a_game(frame, say)
        if frame["name"] == "set_wait_flag":
            await say({"request_id": frame["request_id"], "name": "ok"})

    async def play(connection: Connection) -> None:
        game = await (await connection.authenticate("anna", "password")).join_game(game_id="g", power_name="FRANCE")
        with pytest.raises(KeyError):
            await game.wait(power_name="ATLANTIS")
        await game.no_wait()
        assert game.powers["FRANCE"].wait is False

    at_strange_server(answer, play)


def test_who_has_given_up_before_a_cut_is_not_asked_for_again() -> None:
    """In the very moment of the synchronisation, in which its request is still known."""
    asked: list[str] = []

    async def answer(frame: dict[str, Any], say: Say) -> None:
        asked.append(frame["name"])
        await with_a_game(frame, say)
        if frame["name"] == "set_orders":
            await say({"request_id": frame["request_id"], "name": "ok"})

    async def play(connection: Connection) -> None:
        game = await (await connection.authenticate("anna", "password")).join_game(game_id="g", power_name="FRANCE")
        waiting = asyncio.ensure_future(game.no_wait())
        await until(lambda: "set_wait_flag" in asked)
        waiting.cancel()
        (pending,) = connection._pending.values()
        pending.answer.cancel()
        connection._phases = {("g", "FRANCE"): "F1901M"}
        await connection._resume()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await game.set_orders(orders=[])
        assert asked.count("set_wait_flag") == 1

    at_strange_server(answer, play)


def test_what_was_asked_for_in_a_phase_that_is_over_is_not_asked_for_again() -> None:
    asked: list[str] = []

    async def answer(frame: dict[str, Any], say: Say) -> None:
        asked.append(frame["name"])
        await with_a_game(frame, say)

    async def play(connection: Connection) -> None:
        game = await (await connection.authenticate("anna", "password")).join_game(game_id="g", power_name="FRANCE")
        waiting = asyncio.ensure_future(game.no_wait())
        await until(lambda: "set_wait_flag" in asked)
        connection._phases = {("g", "FRANCE"): "F1901M"}
        await connection._resume()
        with pytest.raises(GamePhaseException, match="S1901M; it is F1901M now"):
            await waiting
        assert asked.count("set_wait_flag") == 1

    at_strange_server(answer, play)
