"""Secrecy as a law at the DAIDE door: over random traffic no frame tells a client what it may not see."""

from __future__ import annotations

import random
import re

import pytest

from parlour.core.viewers import MODERATOR
from parlour.net.daide.options import DaideOptions
from support.daide.table import HOLDS, POWERS, DaideTable, Voice, at_table
from support.waiting import inside

FRM = re.compile(r"FRM \( (\w+) \) \( ([\w ]+) \) \( (.*) \)")
ORDER = re.compile(r"\( \( [^()]*(?:\([^()]*\) )?\) HLD \)")
UNITS = {power: ORDER.findall(orders) for power, orders in HOLDS.items()}


class Traffic:
    """Seven who talk, order, take back and vote at random, and somebody who only looks on."""

    def __init__(self, table: DaideTable, onlooker: Voice, seed: int) -> None:
        self.table, self.onlooker = table, onlooker
        self.chance = random.Random(seed)
        self.sent: set[tuple[str, str, str]] = set()
        self.ordered: dict[str, set[str]] = {power: set() for power in POWERS}
        self.delivered = 0

    @property
    def is_over(self) -> bool:
        return all(len(self.ordered[power]) == len(UNITS[power]) for power in POWERS)

    async def step(self) -> None:
        """Somebody does something, and all hear what they hear of it."""
        power = self.chance.choice(POWERS)
        voice = self.table.voices[power]
        match self.chance.randrange(4):
            case 0:
                to = " ".join(sorted(self.chance.sample([other for other in POWERS if other != power], 2)))
                a, b = self.chance.sample(POWERS, 2)
                text = self.chance.choice([f"PRP ( PCE ( {power} {a} ) )", f"PRP ( ALY ( {power} {a} ) VSS ( {b} ) )"])
                answer = await voice.say(f"SND ( {to} ) ( {text} )")
                if answer[0].startswith("YES"):
                    self.sent.add((power, to, text))
            case 1:
                answer = await voice.say(self.chance.choice(["DRW", "NOT ( DRW )"]))
            case 2 if self.chance.random() < 0.2:
                answer = await voice.say("NOT ( SUB )")
                self.ordered[power].clear()
            case _:
                order = self.chance.choice(UNITS[power])
                self.ordered[power].add(order)
                answer = await voice.say(f"SUB {order}")
        await self.check(power, answer)

    async def check(self, actor: str, own: list[str]) -> None:
        """Check that every client received only messages that it may see."""
        for power, voice in (*self.table.voices.items(), ("", self.onlooker)):
            await voice.guest.settled()
            heard = voice.heard()
            for frame in (*own, *heard) if power == actor else heard:
                self.check_frame(power, actor, frame)

    def check_frame(self, power: str, actor: str, frame: str) -> None:
        if "PRP" in frame and (found := FRM.fullmatch(frame)) is not None:
            sender, to, text = found.groups()
            assert power in to.split(), f"{power or 'an onlooker'} overhears {frame}"
            assert (sender, to, text) in self.sent
            self.delivered += 1
        elif "PRP" in frame or "SUB" in frame:  # an answer, which is for whoever asked
            assert power == actor, f"{power or 'an onlooker'} hears {frame}, which {actor} asked for"
        if not self.is_over:
            assert not frame.startswith(("ORD", "NOW", "SCO", "SLO")), f"{frame} before all have ordered"
            assert "DRW" not in frame or power == actor, f"{power or 'an onlooker'} hears how {actor} votes: {frame}"
            assert "HLD" not in frame or power == actor, f"{power or 'an onlooker'} hears what {actor} orders: {frame}"


@pytest.mark.parametrize("seed", range(4))
@inside(at_table, DaideOptions(level=60))
async def test_no_frame_tells_a_client_what_it_may_not_see(table: DaideTable, *, seed: int) -> None:
    await table.seven()
    onlooker = table.newcomer()
    heard = await onlooker.say("OBS")
    await onlooker.say(f"YES ( {heard[1]} )")
    traffic = Traffic(table, onlooker, seed)
    for voice in (*table.voices.values(), onlooker):
        voice.heard()
    for _ in range(120):
        await traffic.step()
        if traffic.is_over:
            break
    for power in POWERS:  # whoever has not ordered all does so now
        for order in UNITS[power]:
            if order not in traffic.ordered[power]:
                traffic.ordered[power].add(order)
                await traffic.check(power, await table.voices[power].say(f"SUB {order}"))
    assert traffic.is_over
    assert traffic.delivered > 5
    assert (await table.hall.view("table", MODERATOR)).turn == 2
