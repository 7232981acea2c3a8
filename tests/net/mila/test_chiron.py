"""Bots and advisers that send the requests of chiron-utils, in their order, play to the end of a game."""

from __future__ import annotations

import asyncio
import json
from random import Random

from parlour.core import events as ev
from parlour.net.client import Channel, Connection, NetworkGame, strings
from parlour.net.mila.protocol_values import GLOBAL, OMNISCIENT, Message
from support.hall.halls import POWERS
from support.mila.at_home import at_home, sign_in
from support.mila.house import ADMIN, House
from support.waiting import inside, until

LAST = "S1903M"
"""The phase in which all agree to a draw."""


class Bot:
    """One of theirs: each phase as it does it, but for its sleep between two looks at the game."""

    def __init__(self, channel: Channel, power: str, advised: set[str], *, advises: bool) -> None:
        self.channel, self.power, self.advises = channel, power, advises
        self.advised = advised
        """Phases in which the adviser has said all; theirs talk for minutes, and its advice is long there by then."""
        self.chance = Random(power)
        self.game: NetworkGame
        self.talked = 0

    async def join(self, game_id: str) -> None:
        role, kind = (None, None) if self.advises else (self.power, strings.PRESS_BOT)
        self.game = await self.channel.join_game(game_id=game_id, power_name=role, player_type=kind)

    async def play(self) -> None:
        game = self.game
        await until(lambda: not game.is_game_forming)
        while not game.is_game_done:
            phase = game.get_current_phase()
            if phase == LAST:
                if not self.advises:
                    await game.vote(vote="yes")
            elif game.get_orderable_locations(self.power):
                orders = await self.turn(phase)
                if not self.advises:
                    await until(lambda: phase in self.advised)  # noqa: B023 - it is waited for at once
                    await game.set_orders(power_name=self.power, orders=orders, wait=False)
            if self.advises:
                self.advised.add(phase)
            await until(lambda: game.get_current_phase() != phase)  # noqa: B023 - it is waited for at once

    async def turn(self, phase: str) -> list[str]:
        game = self.game
        if self.advises:
            await self.suggest("has_suggestions", 3)
        possible = game.get_all_possible_orders()
        here = [place for place in game.get_orderable_locations(self.power) if possible[place]]
        orders = [self.chance.choice(sorted(possible[place])) for place in here]
        if self.advises:
            await self.suggest("suggested_move_full", {"suggested_orders": orders})
        else:
            await game.set_orders(power_name=self.power, orders=orders, wait=True)
        if not phase.endswith("M"):
            return orders
        if not self.advises:
            await game.send_log_data(log=game.new_log_data(f"Initial orders (before communication): {orders}"))
        await game.set_comm_status(power_name=self.power, comm_status=strings.READY)
        await until(self.all_are_ready)
        for other in sorted(game.powers):
            if other != self.power and game.get_orderable_locations(other):
                if self.advises:
                    await self.suggest("suggested_message", {"recipient": other, "message": "peace?"})
                else:
                    text = Message(sender=self.power, recipient=other, phase=phase, message="PRP ( PCE ( FRA ENG ) )")
                    await game.send_game_message(message=text)
        heard = game.filter_messages(messages=game.messages, game_role=self.power)
        self.talked += sum(message.sender != self.power for message in heard.values())
        return orders

    def all_are_ready(self) -> bool:
        bots = [one for one in self.game.powers.values() if one.player_type == strings.PRESS_BOT]
        return all(one.comm_status == strings.READY for one in bots if not one.is_eliminated())

    async def suggest(self, kind: str, payload: object) -> None:
        told = {"advisor": f"{self.power} (Adviser)", "recipient": self.power, "payload": payload}
        phase, text = self.game.get_current_phase(), json.dumps(told)
        said = Message(sender=OMNISCIENT, recipient=GLOBAL, phase=phase, message=text, type=kind)
        await self.game.send_game_message(message=said)


@inside(at_home)
async def test_seven_bots_and_an_adviser_play_to_the_end(house: House, connection: Connection) -> None:
    master = await connection.authenticate("admin", ADMIN)
    await master.create_game(game_id="chiron", rules=["REAL_TIME", "POWER_CHOICE"], deadline=0, n_controls=7)
    advised: set[str] = set()
    bots = [Bot(master, "FRANCE", advised, advises=True)]
    channels = {power: await sign_in(connection, f"allan_randomproposerplayer_{power}") for power in POWERS}
    bots += [Bot(channel, power, advised, advises=False) for power, channel in channels.items()]
    for bot in bots:
        await bot.join("chiron")
    async with asyncio.TaskGroup() as group:
        for bot in bots:
            group.create_task(bot.play())
    for bot in bots:
        assert bot.game.is_game_done
        assert bot.talked, bot.power
    advice = [one for one in bots[1].game.message_history["S1901M"].values() if one.sender == OMNISCIENT]
    assert [one.type for one in advice][:2] == ["has_suggestions", "suggested_move_full"]
    stored = [event.advice for event in await house.hall.record("chiron") if isinstance(event, ev.Proclaimed)]
    assert set(stored) == {"has_suggestions", "suggested_move_full", "suggested_message"}
    fouls = [event for event in await house.hall.record("chiron") if isinstance(event, ev.Fouled)]
    assert fouls == []
