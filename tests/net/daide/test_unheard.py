"""A sender whose message a DAIDE bot cannot read learns that at every door, and no other player does."""

from __future__ import annotations

import asyncio
from pathlib import Path

from parlour.net.client import connect
from parlour.net.daide.places import Gate
from parlour.net.daide.reception import Reception
from parlour.net.hall import Hall
from support.daide.table import Voice
from support.mila.house import HOST, mila_server
from support.waiting import PATIENCE, until


async def seated(hall: Hall, match: str) -> Voice:
    """Return a bot on England."""
    reception = Reception(hall)
    await reception.open()
    bot = Voice(reception, Gate())
    await bot.sit(f"ENG:bot@{match}")
    return bot


async def test_a_client_of_the_diplomacy_package_hears_it_from_the_system(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        channel = await connection.authenticate("ann", "password")
        rules = ("POWER_CHOICE", "IGNORE_ERRORS")
        france = await channel.create_game(game_id="mixed", power_name="FRANCE", n_controls=3, rules=rules)
        other = await (await connection.authenticate("bob", "password")).join_game(
            game_id="mixed", power_name="GERMANY"
        )
        bot = await seated(house.hall, "mixed")
        await until(lambda: france.status == "active")
        bot.heard()
        await france.send_game_message(message=france.new_power_message("ENGLAND", "shall we be friends?"))
        await until(lambda: len(france.messages) == 2)
        said, note = france.messages.values()
        assert note.time_sent == (said.time_sent or 0) + 1, "right after what it is about"
        assert (note.sender, note.recipient) == ("SYSTEM", "FRANCE")
        assert note.message.startswith("ENGLAND is played by a DAIDE bot")
        await france.send_game_message(message=france.new_power_message("ENGLAND", "PRP ( PCE ( ENG FRA ) )"))
        await until(lambda: len(france.messages) == 3)
        assert bot.heard() == ["FRM ( FRA ) ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )"]
        assert not other.messages
        await bot.guest.leave()
