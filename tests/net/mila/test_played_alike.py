"""Games of chance on the original server and on ours, by the same orders: all that anybody can ask for is the same."""

# Why real time passes here: the server of others tells in its own time; waits end as soon as nothing more comes.

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from support.mila.house import mila_server
from support.mila.servers import original_server
from support.mila.told import Callers, plain

pytestmark = pytest.mark.timeout(300)  # the first of them may have to make the environment
PHASES = 9
FIXED = {
    "S1901M": {"ITALY": ["A VEN - TYR", "A ROM - VEN"], "AUSTRIA": ["A VIE H"]},
    "F1901M": {"ITALY": ["A TYR - TRI", "A VEN S A TYR - TRI"], "AUSTRIA": ["A VIE H"]},
}
"""So that a unit is dislodged."""
Orders = dict[str, list[str]]


async def played(port: int, seed: int, script: list[Orders]) -> list[dict[str, Any]]:
    """Return the answers in each phase of a game with the orders of the script, or with random ones."""
    rng, table, found = random.Random(seed), Callers(port, f"chance {seed}"), []
    host = await table.come("host", "omniscient_type")
    await host.ask("create_game", game_id=table.game, n_controls=1, deadline=0, rules=["POWER_CHOICE"])
    france = await table.come("france", "FRANCE")
    await france.join()
    for number in range(PHASES):
        await table.settle()
        possible = await host.ask_game("get_all_possible_orders")
        watcher = await table.come(f"watcher {number}", "observer_type")
        again = await table.come(f"france {number}", "FRANCE", account="france")
        answers = {
            "possible": possible,
            "watched": await watcher.join(),
            "played": await again.join(),
            "history": await france.ask_game("get_phase_history"),
        }
        found.append({"phase": table.phase, **{what: plain(answer) for what, answer in answers.items()}})
        if number == len(script):
            chance = by_chance(possible, answers["watched"]["data"]["powers"], rng)
            script.append(chance | FIXED.get(table.phase, {}))
        for caller in (watcher, again):
            await caller.hang_up()
        table.all = {"host": host, "france": france}
        for power, orders in script[number].items():
            await host.ask_game("set_orders", power_name=power, orders=orders)
        await host.ask_game("process_game")
    await table.settle()
    found.append({"phase": table.phase, "saved": plain(await host.ask_game("save_game"))})
    await table.part()
    return found


def by_chance(possible: Any, powers: Any, rng: random.Random) -> Orders:
    """An order for each place, and no more builds or removals than centres differ from units; some are left out."""
    chosen: Orders = {}
    for power, places in sorted(possible["orderable_locations"].items()):
        choices = [sorted({*possible["possible_orders"][place]} - {"WAIVE"}) for place in sorted(places)]
        orders = [rng.choice(own) for own in choices if own]
        due = abs(len(powers[power]["centers"]) - len(powers[power]["units"]))
        winter = any(order[-1] == "B" for order in orders) or all(order[-1] == "D" for order in orders)
        chosen[power] = orders[: due if winter else rng.choice((99, 99, 1))]
    return chosen


def alike(there: dict[str, Any], here: dict[str, Any]) -> None:
    """Return True if a phase is equal on both servers, apart from intended differences."""
    if "possible" in there:
        theirs, ours = (found.pop("possible")["possible_orders"] for found in (there, here))
        assert not theirs.pop("SWI"), "which nobody enters, and is no place here"
        for place, orders in theirs.items():
            assert not {*orders} - {*ours[place]}, place
            assert all(" C " in order for order in {*ours[place]} - {*orders}), "only convoys by detours are ours alone"
    if "saved" in there:
        more = ("all_rules", "controllers", "deadline", "outcome", "status")
        there["saved"]["data"] |= {name: here["saved"]["data"][name] for name in more}
    assert void_supports(here) == void_supports(there)


def void_supports(found: Any) -> Any:
    """Without the result of supports that count for nothing, which is not told here in all cases."""
    if isinstance(found, list):
        return [void_supports(item) for item in found]
    if not isinstance(found, dict):
        return found
    return {name: [] if value == ["void"] else void_supports(value) for name, value in found.items()}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_game_looks_the_same(tmp_path: Path, seed: int) -> None:
    script: list[Orders] = []
    with original_server() as port:
        there = asyncio.run(played(port, seed, script))

    async def ours() -> list[dict[str, Any]]:
        async with mila_server(tmp_path) as house:
            return await played(house.port, seed, script)

    here = asyncio.run(ours())
    assert {one["phase"][-1] for one in here} == {"M", "R", "A"}
    for one, other in zip(there, here, strict=True):
        alike(one, other)
