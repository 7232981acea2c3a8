"""Refusals and their classes: the same at the original server of the `diplomacy` package and at ours."""

# Why real time passes here: what a server tells all is heard when it is.

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias

import pytest

from parlour.net.client import Channel, Connection, Message, NetworkGame, connect
from parlour.net.mila import faults
from support.mila.servers import HOST
from support.waiting import until

Play: TypeAlias = Callable[[Callable[[int], Coroutine[Any, Any, None]]], None]
Refused: TypeAlias = dict[str, Callable[[], Awaitable[Any]]]
"""By the class of the refusal and what is tried; that is empty where it is let be."""


async def found(tried: Refused) -> list[str]:
    """Return the refusals of another class than expected."""
    wrong = []
    for expected, attempt in tried.items():
        refused = ""
        try:
            await attempt()
        except faults.ResponseException as error:
            refused = type(error).__name__
        if refused != expected.partition(":")[0]:
            wrong.append(f"{expected}, but {refused}")
    return wrong


async def signed_in(connection: Connection, game: str) -> list[Channel]:
    return [await connection.authenticate(f"{game} {name}", "password") for name in ("anna", "bert", "host", "carl")]


async def table(anna: Channel, host: Channel, game: str, *rules: str) -> tuple[NetworkGame, NetworkGame]:
    """Return a moderator, and France, in a game that has begun."""
    master = await host.create_game(game_id=game, n_controls=1, deadline=0, rules=["POWER_CHOICE", *rules])
    france = await anna.join_game(game_id=game, power_name="FRANCE")
    await until(lambda: france.is_game_active and master.is_game_active)
    return master, france


def said(sender: str, recipient: str, phase: str = "S1901M") -> Message:
    return Message(sender=sender, recipient=recipient, phase=phase, message="psst")


def test_roles_and_powers(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            anna, bert, host, carl = await signed_in(connection, "roles")
            master, france = await table(anna, host, "roles")
            watcher = await carl.join_game(game_id="roles")
            tried: Refused = {
                "MapPowerException: join": lambda: bert.join_game(game_id="roles", power_name="ATLANTIS"),
                "GameIdException: join": lambda: bert.join_game(game_id="nowhere", power_name="FRANCE"),
                "ResponseException: taken": lambda: bert.join_game(game_id="roles", power_name="FRANCE"),
                "ResponseException: full": lambda: bert.join_game(game_id="roles", power_name="ITALY"),
                "GameJoinRoleException: plays": lambda: anna.join_game(game_id="roles"),
                "GameJoinRoleException: watches": lambda: carl.join_game(game_id="roles", power_name="ITALY"),
                "GameJoinRoleException: several": lambda: carl.join_powers(game_id="roles", power_names=["ITALY"]),
                "ResponseException: no powers": lambda: bert.join_powers(game_id="roles", power_names=[]),
                "MapPowerException: powers": lambda: bert.join_powers(game_id="roles", power_names=["ATLANTIS"]),
                "ResponseException: orders": lambda: watcher.set_orders(power_name="FRANCE", orders=[]),
                "ResponseException: vote": lambda: watcher.vote(power_name="FRANCE", vote="yes"),
                "ResponseException: process": lambda: watcher.process(),
                "ResponseException: player processes": lambda: france.process(),
                "ResponseException: player pauses": lambda: france.pause(),
                "ResponseException: other's orders": lambda: france.set_orders(power_name="ITALY", orders=[]),
                "MapPowerException: orders": lambda: france.set_orders(power_name="ATLANTIS", orders=[]),
                "MapPowerException: master orders for nobody": lambda: master.set_orders(orders=[]),
                ": master orders for a dummy": lambda: master.set_orders(power_name="ITALY", orders=["A ROM H"]),
                "ResponseException: master votes": lambda: master.vote(power_name="ITALY", vote="yes"),
                "UserException: kick": lambda: master.kick_powers(username="nobody there"),
                ": kick nobody": lambda: master.kick_powers(power_names=["ITALY"]),
                "ResponseException: schedule": lambda: master.query_schedule(),
                "GameMasterTokenException: grade": lambda: anna.promote_moderator(username="x", game_id="roles"),
                "AdminTokenException: grade": lambda: host.promote_administrator(username="roles anna"),
                "AdminTokenException: account": lambda: anna.delete_account(username="roles bert"),
                "UserException: password": lambda: connection.authenticate("roles anna", "wrong"),
            }
            assert await found(tried) == []

    play(scenario)


def test_press(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            anna, _, host, _ = await signed_in(connection, "press")
            waits = await host.create_game(game_id="waits", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
            early = await anna.join_game(game_id="waits", power_name="FRANCE")
            assert waits.is_game_forming
            master, france = await table(anna, host, "press")
            _, public = await table(anna, host, "public", "PUBLIC_PRESS")
            _, silent = await table(anna, host, "silent", "NO_PRESS")
            tried: Refused = {
                "GameNotPlayingException": lambda: early.send_game_message(message=said("FRANCE", "ITALY")),
                ": before the start": lambda: early.send_game_message(message=said("FRANCE", "GLOBAL")),
                ": private": lambda: france.send_game_message(message=said("FRANCE", "ITALY")),
                "ResponseException: as another": lambda: france.send_game_message(message=said("ITALY", "FRANCE")),
                "ResponseException: to itself": lambda: france.send_game_message(message=said("FRANCE", "FRANCE")),
                "MapPowerException": lambda: france.send_game_message(message=said("FRANCE", "ATLANTIS")),
                "GamePhaseException": lambda: france.send_game_message(message=said("FRANCE", "ITALY", "F1901M")),
                "ResponseException: public": lambda: public.send_game_message(message=said("FRANCE", "ITALY")),
                ": public": lambda: public.send_game_message(message=said("FRANCE", "GLOBAL")),
                "ResponseException: silence": lambda: silent.send_game_message(message=said("FRANCE", "ITALY")),
                "ResponseException: silent": lambda: silent.send_game_message(message=said("FRANCE", "GLOBAL")),
            }
            assert await found(tried) == []
            await master.pause()
            await until(lambda: france.is_game_paused)
            paused: Refused = {
                "GameNotPlayingException": lambda: france.send_game_message(message=said("FRANCE", "ITALY")),
                ": to all": lambda: france.send_game_message(message=said("FRANCE", "GLOBAL")),
            }
            assert await found(paused) == []

    play(scenario)


@pytest.mark.parametrize("end", ["drawn", "cancelled"])
def test_games_that_are_over(play: Play, end: str) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            anna, bert, host, carl = await signed_in(connection, end)
            master, france = await table(anna, host, end)
            await (master.draw() if end == "drawn" else master.cancel())
            paused = "GameCanceledException" if end == "cancelled" else "GameFinishedException"
            tried: Refused = {
                "GameFinishedException: orders": lambda: france.set_orders(orders=[]),
                "GameFinishedException: wait": lambda: france.wait(),
                "GameFinishedException: vote": lambda: france.vote(vote="yes"),
                "GameFinishedException: press": lambda: france.send_game_message(message=said("FRANCE", "GLOBAL")),
                "GameFinishedException: process": lambda: master.process(),
                "GameFinishedException: kick": lambda: master.kick_powers(power_names=["FRANCE"]),
                "GameFinishedException: join": lambda: bert.join_game(game_id=end, power_name="ITALY"),
                f"{paused}: pause": lambda: master.pause(),
                ": watch": lambda: carl.join_game(game_id=end),
                ": synchronise": lambda: france.synchronize(),
                ": save": lambda: france.save(),
                ": leave": lambda: france.leave(),
                ": delete": lambda: master.delete(),
                "GameIdException: deleted": lambda: bert.join_game(game_id=end),
            }
            assert await found(tried) == []

    play(scenario)
