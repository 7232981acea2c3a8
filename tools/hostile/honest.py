"""An honest player in a process of its own: orders for France repeatedly, and the time of each answer."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time

import websockets
from wire import Client

PAUSE = 0.02
"""Seconds between an answer and the next orders."""
LATE = 20.0
"""Seconds after which an answer no longer counts."""


async def play(port: int) -> dict[str, object]:
    """Send orders until a line arrives on standard input, or it closes; return the times of the answers."""
    client = await Client.connect(port)
    await client.sign_in(f"honest {time.time_ns()}")
    game = f"honest {time.time_ns()}"
    # The only player's wait flag keeps the phase open during the attack.
    created = await client.ask("create_game", game_id=game, power_name="FRANCE", n_controls=1, deadline=0, rules=[])
    assert created["name"] == "data_game", created
    about = {"game_id": game, "game_role": "FRANCE", "phase": "S1901M"}
    answer = await client.ask("set_orders", orders=["A PAR H"], wait=True, **about)
    assert answer["name"] == "ok", answer
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    told = loop.run_in_executor(None, sys.stdin.readline)
    took: list[float] = []
    lost = ""
    while not told.done():
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(LATE):
                order = "A PAR - BUR" if len(took) % 2 else "A PAR - PIC"
                answer = await client.ask("set_orders", orders=[order], wait=True, **about)
        except (TimeoutError, websockets.ConnectionClosed) as error:
            lost = f"lost: {type(error).__name__} after {time.perf_counter() - begun:.1f} s"
            break
        if answer["name"] == "ok":  # while nothing can be stored, orders are refused
            took.append(1000 * (time.perf_counter() - begun))
        await asyncio.sleep(PAUSE)
    took = sorted(took) or [0.0]
    p99 = took[min(len(took) - 1, int(0.99 * len(took)))]
    return {"count": len(took), "median": statistics.median(took), "p99": p99, "worst": took[-1], "lost": lost}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(play(int(sys.argv[1])))), flush=True)
