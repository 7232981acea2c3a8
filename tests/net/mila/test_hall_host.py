"""What the door asks of the hall: powers that wait for a bot of the house are given to one of them at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mila_house import HOST, House, mila_server
from mila_servers import until
from parlour.net.client import Channel, connect
from parlour.net.mila import faults, hall_host

OTHERS = ["AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"]


async def opened(channel: Channel, *names: str) -> None:
    """Matches that are on, with nobody but France."""
    for name in names:
        game = await channel.create_game(game_id=name, power_name="FRANCE", n_controls=1, deadline=0)
        await until(lambda game=game: game.is_game_active)  # type: ignore[misc]


def test_powers_that_nobody_plays_wait_for_the_bots_of_the_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(house: House) -> None:
        async with connect(HOST, house.port) as connection:
            anna = await connection.authenticate("anna", "password")
            bots = [await connection.authenticate("bot", "password") for _ in range(2)]
            assert bots[0].token != bots[1].token
            await opened(anna, "one", "two")
            await anna.create_game(game_id="forming", n_controls=7, deadline=0)
            with pytest.raises(faults.ResponseException, match="Only the account of the house's bots"):
                await anna.get_dummy_waiting_powers(buffer_size=100)
            assert await bots[0].get_dummy_waiting_powers(buffer_size=5) == {}, "a match is given whole"
            (first,) = (await bots[0].get_dummy_waiting_powers(buffer_size=6)).items()
            assert first[1] == OTHERS
            rest = await bots[1].get_dummy_waiting_powers(buffer_size=100)
            assert {first[0], *rest} == {"one", "two"}
            assert len(rest) == 1, "what one looks after is not given to another"
            assert set(await bots[0].get_dummy_waiting_powers(buffer_size=100)) == {first[0]}
            monkeypatch.setattr(hall_host, "RESERVED", -1.0)
            await bots[0].get_dummy_waiting_powers(buffer_size=100)
            assert first[0] in await bots[1].get_dummy_waiting_powers(buffer_size=100), "not for ever"

    async def run() -> None:
        async with mila_server(tmp_path, bot_account="bot") as house, asyncio.timeout(40):
            await scenario(house)

    asyncio.run(run())


def test_a_power_that_its_moderator_ordered_for_waits_for_nobody(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            mila_server(tmp_path, bot_account="bot") as house,
            asyncio.timeout(40),
            connect(HOST, house.port) as connection,
        ):
            host, anna, bot = [await connection.authenticate(name, "password") for name in ("host", "anna", "bot")]
            master = await host.create_game(game_id="one", n_controls=1, deadline=0)
            await anna.join_game(game_id="one", power_name="FRANCE")
            await until(lambda: master.is_game_active)
            await master.set_orders(power_name="TURKEY", orders=["F ANK - BLA"])
            waiting = await bot.get_dummy_waiting_powers(buffer_size=100)
            assert waiting == {"one": [name for name in OTHERS if name != "TURKEY"]}

    asyncio.run(run())
