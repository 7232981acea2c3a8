"""Order entry: every legal order can be reached by gestures, and in few; convoys get their fleets in one."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import pytest

from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.position import Position
from parlour.web.packing import STATIC

POSITIONS = 1000
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed: pages' modules cannot run outside a browser"),
    pytest.mark.timeout(300),  # the first one reads 377,070 orders; on a busy machine that takes long
]


@cache
def positions(count: int) -> list[Position]:
    """Positions of random games, of all stages."""
    chance, found = random.Random(1914), list[Position]()
    while len(found) < count:
        position = Position.start()
        for _ in range(60):
            if position.over or len(found) >= count:
                break
            found.append(position)
            position = position.apply({seat: position.sample(seat, chance) for seat in position.to_act()})[0].bare()
    return found


def settings(found: list[Position]) -> list[dict[str, Any]]:
    return [
        {
            "position": number,
            "seat": seat,
            "stage": position.stage,
            "legal": position.legal(seat),
            "units": position.units,
            "builds": position.builds.get(seat, 0),
        }
        for number, position in enumerate(found)
        for seat in position.to_act()
    ]


@cache
def reached() -> Any:
    given = {
        "machine": (STATIC / "machine.js").as_uri(),
        "places": PICTURES.sheet(Position.start()).places,
        "positions": settings(positions(POSITIONS)),
    }
    program = Path(__file__).with_name("reach.mjs")
    # Modules of pages end in .js, which node takes for modules only if it is told so.
    command = [str(NODE), "--experimental-default-type=module", str(program)]
    done = subprocess.run(command, input=msgspec.json.encode(given), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


def test_every_legal_order_is_reached() -> None:
    assert reached()["missed"] == []
    assert {"hold", "move", "via", "support", "convoy", "retreat", "disband", "build", "waive"} == set(
        reached()["counts"]
    )


def test_moves_take_two_gestures_and_supports_three() -> None:
    counts = reached()["counts"]
    assert median(counts["move"]) == 2
    assert max(counts["move"]) <= 3
    assert median(counts["support"]) == 3
    assert median(counts["convoy"]) <= 4  # a foreign army is attacked unless a chip says otherwise
    assert max(max(found) for found in counts.values()) <= 5
    assert median(counts["retreat"]) == 2
    assert max(counts["build"]) <= 2


def test_a_support_on_an_arrow_takes_two() -> None:
    arrows = reached()["arrows"]
    assert min(arrows) > 0
    assert median(arrows) == 2


def test_a_convoy_gets_all_its_own_fleets_with_the_third_gesture() -> None:
    convoys = reached()["convoys"]
    assert len(convoys) > 100
    assert not [one for one in convoys if one.get("lost")]
    lengths = {len(one["orders"]) - 1 for one in convoys}
    assert {1, 2} <= lengths
    found = positions(POSITIONS)
    for one in convoys[:: len(convoys) // 300 + 1]:
        orders = {one["seat"]: one["orders"]}
        for asked in one["press"]:
            orders.setdefault(asked["seat"], []).append(asked["order"])
        turn = found[one["position"]].resolve(orders).turn
        assert turn is not None
        verdicts = {ruling.text: str(ruling.verdict) for ruling in turn.rulings}
        assert verdicts[one["order"]] in ("succeeded", "bounced"), (one, verdicts[one["order"]])
