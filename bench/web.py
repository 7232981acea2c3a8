"""Pages: what a first view weighs, and what 500 spectators of one match cost for each event."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from parlour.core import events as ev
from parlour.core.viewers import OMNISCIENT
from parlour.games import load_game
from parlour.referee.past import Past
from parlour.web import assets
from parlour.web.shell import modules
from parlour.web.stands import Stand
from web_records import diplomacy_record

SPECTATORS = 500


def first_view() -> None:
    """Everything that a browser fetches to show a match for the first time, packed."""
    scripts = sum(len(assets.files()[name].packed) for name in {*modules("match.js"), "theme.js"})
    style, sheet = len(assets.files()["parlour.css"].packed), len(assets.sheet("diplomacy", "standard").packed)
    whole = scripts + style + sheet
    print(f"first view: {whole / 1000:.1f} kB packed (at most 120): scripts {scripts / 1000:.1f}, "
          f"style {style / 1000:.1f}, map {sheet / 1000:.1f}")  # fmt: skip


async def spectators() -> None:
    """CPU of the server for each event and spectator, drawing and encoding included."""
    game = load_game("diplomacy")
    told = list(Past(game, diplomacy_record()).told(OMNISCIENT))
    start = next(i for i, one in enumerate(told) if isinstance(one.event, ev.Started))
    stand = Stand(game, OMNISCIENT, now=time.time)
    for one in told[: start + 1]:
        stand.take(one)
    stand.start()
    await stand.ready()
    pages = [stand.join() for _ in range(SPECTATORS)]
    positions = [one.position for one in told]  # the referee has them; they are no work of the pages'
    begun = time.process_time()
    for one in told[start + 1 :]:
        stand.take(one)
        for page in pages:  # each waits until its message is there
            await page.get()
    spent, events = time.process_time() - begun, len(told) - start - 1
    stand.close()
    print(f"{SPECTATORS} pages: {spent / events / SPECTATORS * 1e6:.1f} µs CPU an event and spectator (at most 40) "
          f"without its socket; {stand.encoded} encodings of {events} events; {len(positions)} positions")  # fmt: skip


def drawing() -> None:
    """What one turn takes to draw and to encode."""
    game = load_game("diplomacy")
    from parlour.web.telling import Teller

    teller, spent, turns, size = Teller(game), 0.0, 0, 0
    for one in Past(game, diplomacy_record()).told(OMNISCIENT):
        position = one.position
        begun = time.process_time()
        line = teller.tell(one.event, position)
        if isinstance(one.event, ev.TurnEnded):
            size += len(msgspec.json.encode(line))
            spent += time.process_time() - begun
            turns += 1
    print(f"a turn of Diplomacy: {spent / turns * 1000:.1f} ms CPU to draw, {size / turns / 1000:.1f} kB plain")


if __name__ == "__main__":
    first_view()
    drawing()
    asyncio.run(spectators())
