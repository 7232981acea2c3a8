"""The hall in simulated worlds, from seeds. One that fails fails again, exactly: `python -m support.hall.world 17`."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from parlour.core.viewers import SPECTATOR
from support.hall import world as hall_world
from support.hall.lives import in_two_orders
from support.hall.world import simulate
from support.simulation.wires import Fate, Lost, SimulatedWires
from support.simulation.world import SimulatedLoop


@pytest.mark.parametrize("seed", [*range(4), 243156577977])
def test_whatever_goes_wrong_what_was_acknowledged_holds_and_nobody_suffers(seed: int) -> None:
    world = simulate(seed)
    assert len(world.kept) > 10
    assert len(world.acted) > 10
    assert world.lost > 10
    assert len(world.seen[SPECTATOR]) > 10
    assert world.shown > 10


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_many_more_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        simulate(seed)


def test_a_seed_gives_the_same_world_again_whatever_the_order_of_sets() -> None:
    found = in_two_orders(hall_world, 3)
    assert found[0] == found[1] != b""


@pytest.mark.parametrize("fate", Fate)
def test_a_wire_does_what_its_fate_says(fate: Fate, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        arrived.append(scope["path"])
        arrived.append(await receive())
        if fate is Fate.CUT:
            arrived.append(await receive())
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"[1", "more_body": True})
        await send({"type": "http.response.body", "body": b", 2]"})
        arrived.append("answered")

    async def ask() -> Any:
        wires = SimulatedWires(app, random.Random(1), failing=1.0)
        monkeypatch.setattr("support.simulation.wires.FAULTS", (fate,))
        try:
            return await wires.ask("POST", "/there", {"a": 1})
        except Lost as lost:
            await asyncio.sleep(1)
            return str(lost)

    loop = SimulatedLoop()
    answer = loop.run_until_complete(ask())
    loop.close()
    body = {"type": "http.request", "body": b'{"a":1}', "more_body": False}
    half = {"type": "http.request", "body": b'{"a":1', "more_body": True}
    assert (answer, arrived) == {
        Fate.FINE: ((200, [1, 2]), ["/there", body, "answered"]),
        Fate.NEVER_ARRIVED: ("never arrived", []),
        Fate.CUT: ("cut", ["/there", body, {"type": "http.disconnect"}, "answered"]),
        Fate.HALF_OPEN: ("half-open", ["/there", half, "answered"]),
        Fate.UNHEARD: ("unheard", ["/there", body, "answered"]),
    }[fate]
