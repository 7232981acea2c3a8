"""The code of the seed document runs with nothing changed but the line that imports."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.net.client import connect, strings
from support.mila.servers import HOST, original_server
from support.waiting import until


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("diplomacy")
    with original_server() as found:
        yield found


def test_the_sample_for_callbacks(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    # fmt: off
    def on_message_received(network_game, notification):  # type: ignore[no-untyped-def]
        msg = notification.message
        sender = msg.sender
        recipient = msg.recipient
        message = msg.message
        print("({}/{}): {} received the following message from {}: \n\t{}".format(network_game.get_current_phase(), notification.game_role, recipient, sender, message))  # noqa: E501, T201, UP032

    async def join(channel: Any, game_id: str, power_name: str, type: str) -> Any:
        game = await channel.join_game(game_id=game_id, power_name=power_name, player_type=type)
        game.add_on_game_message_received(on_message_received)
        return game
    # fmt: on

    async def scenario() -> str:
        async with connect(HOST, port) as connection:
            anna, bert = await connection.authenticate("anna", "a"), await connection.authenticate("bert", "b")
            await anna.create_game(game_id="seed", n_controls=2, rules=["POWER_CHOICE"])
            france = await join(bert, "seed", "FRANCE", strings.PRESS_BOT)
            england = await join(await connection.authenticate("carl", "c"), "seed", "ENGLAND", strings.PRESS_BOT)
            await until(lambda: england.is_game_active)
            await england.send_game_message(message=england.new_power_message("FRANCE", "PRP (PCE (FRA ENG))"))
            await until(lambda: france.messages)
        return capsys.readouterr().out

    told = asyncio.run(scenario())
    assert told == "(S1901M/FRANCE): FRANCE received the following message from ENGLAND: \n\tPRP (PCE (FRA ENG))\n"
