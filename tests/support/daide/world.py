"""Seven DAIDE clients at a table in a simulated world, from a seed, over several lives: `-m support.daide.world`.

They talk, order and are cut off at any moment, half-open or not, and come back with their passcodes; the disk is slow
and fails; the server crashes at any moment. What must be true then is in check.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
import sys
from collections import Counter
from typing import cast

from parlour.core import events as ev
from parlour.errors import StoreError
from parlour.games.diplomacy.game import GAME
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.places import Gate
from parlour.net.daide.reception import Reception
from parlour.net.hall import Hall
from parlour.net.setup import HallLimits
from parlour.referee.match import Match
from parlour.store import Store, read_events
from support.daide.table import HOLDS, POWERS, Voice
from support.hall.last_told import LastTold
from support.hall.lives import FILLING, grain_of, lived
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore

EPOCH = 1_700_000_000.0
HELLO = re.compile(r"HLO \( (\w+) \) \( (\d+) \)")
FROM = re.compile(r"FRM \( (\w+) \) \( ([\w ]+) \) \( (.*) \)")


class BotWorld:
    """One seed: what was acknowledged, and what everybody heard."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._grain = grain_of(seed)
        self.disk = SimulatedDisk()
        self.now = 0.0
        self.gate = Gate()
        self.passcodes: dict[str, str] = {}
        self.sent: Counter[tuple[str, str]] = Counter()
        self.kept: Counter[tuple[str, str]] = Counter()
        self.returns = 0
        self.complaints: list[str] = []
        self.last = LastTold()

    def live(self, failing: float) -> None:
        """A server runs for a while, and crashes."""
        loop = SimulatedLoop(self.now, grain=self._grain)
        asyncio.set_event_loop(loop)
        crash_at = self.chance.choice([0, self.chance.randrange(40, 300)])
        filling = self.chance.choice(FILLING)
        store = SimulatedStore(self.disk, self.chance, slow=0.01, failing=failing, crash_at=crash_at, filling=filling)
        hall = Hall(
            cast(Store, store), clock=lambda: EPOCH + loop.time(), limits=HallLimits(snapshot_every=15, matches=10)
        )
        self.last.overhear(hall)
        try:
            loop.crash_after(self._traffic(hall), self.chance.uniform(30.0, 120.0))
        finally:
            store.crash()
            self.now = loop.time() + self.chance.choice([0.5, 20.0, 3600.0])
            loop.close()
            asyncio.set_event_loop(None)

    async def _traffic(self, hall: Hall) -> None:
        try:
            await hall.start()
            reception = Reception(hall, DaideOptions(level=60, mtl=30))
            await reception.open()
        except StoreError:
            return  # a server that cannot begin does not
        async with asyncio.TaskGroup() as group:
            for power in POWERS:
                group.create_task(self._bot(reception, power))

    async def _bot(self, reception: Reception, power: str) -> None:
        """Comes, talks and orders until it is cut off, and comes back."""
        while True:
            voice = Voice(reception, self.gate)
            try:
                if await self._came(voice, power):
                    await self._converse(voice, power)
                voice.alive = False
                if self.chance.random() < 0.7:  # else the connection is half-open: nobody notices that it is gone
                    await voice.guest.leave()
            except StoreError:
                pass  # as the door does, which hangs up
            await asyncio.sleep(self.chance.uniform(0.1, 3.0))

    async def _came(self, voice: Voice, power: str) -> bool:
        if power in self.passcodes:
            self.returns += 1
            return (await voice.say(f"IAM ( {power} ) ( {self.passcodes[power]} )"))[:1] == [
                f"YES ( IAM ( {power} ) ( {self.passcodes[power]} ) )"
            ]
        heard = await voice.say(f"NME ( '{power}:bot@table' ) ( '1' )")
        if len(heard) < 2:
            return False
        self._listen(power, await voice.say(f"YES ( {heard[1]} )"))
        return not voice.shown_out

    async def _converse(self, voice: Voice, power: str) -> None:
        while not voice.shown_out and self.chance.random() < 0.97:
            await asyncio.sleep(self.chance.uniform(0.2, 2.0))
            if self.chance.random() < 0.5:
                await self._talk(voice, power)
            else:
                self._listen(power, await voice.say(f"SUB {HOLDS[power]}"))

    async def _talk(self, voice: Voice, power: str) -> None:
        to = self.chance.choice([other for other in POWERS if other != power])
        word = f"PRP ( PCE ( {power} {to} ) )"
        self._listen(power, voice.heard())
        self.sent[power, to] += 1
        heard = await voice.say(f"SND ( {to} ) ( {word} )")
        self.kept[power, to] += f"YES ( SND ( {to} ) ( {word} ) )" in heard
        self._listen(power, heard)

    def _listen(self, power: str, heard: list[str]) -> None:
        for frame in heard:
            if (hello := HELLO.match(frame)) is not None:
                self.passcodes[power] = hello[2]
                if hello[1] != power:
                    self.complaints.append(f"{power} is greeted as {hello[1]}")
            if (letter := FROM.fullmatch(frame)) is not None and power not in letter[2].split():
                self.complaints.append(f"{power} overhears {frame}")

    def check(self) -> None:
        """AssertionError says what is not as it must be."""
        events = read_events(cast(Store, SimulatedStore(self.disk, self.chance)), "table")
        assert self.complaints == []
        power_of = {self.gate.lexicon.seat_of[power]: power for power in POWERS}
        said = Counter((power_of[e.seat], power_of[e.to[0]]) for e in events if isinstance(e, ev.Said))
        assert [pair for pair in self.kept if said[pair] < self.kept[pair]] == []  # what was acknowledged is there
        assert [pair for pair in said if said[pair] > self.sent[pair]] == []  # and nothing is twice
        assert self.last.check(GAME, events)
        Match.resume(events)

    def digest(self) -> str:
        """Return a text that differs between any two worlds."""
        found = (sorted(self.kept.items()), sorted(self.sent.items()), self.returns, self.now)
        return hashlib.sha256(repr(found).encode()).hexdigest()


def simulate(seed: int) -> BotWorld:
    """Return a world of that seed, after three lives in which everything held."""
    return lived(BotWorld(seed))


if __name__ == "__main__":
    sys.stdout.write(simulate(int(sys.argv[1])).digest())
