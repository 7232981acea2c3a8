"""Bots of the examples, which know nothing of this package, play whole games at the DAIDE door."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from parlour.core.events import Acted, Event, Fouled
from parlour.games.diplomacy.position import Position
from parlour.net.daide.door import DaideDoor
from parlour.net.hall import Hall
from parlour.referee.match import replay
from support.daide.house import run
from support.daide.table import POWERS

EXAMPLES = Path(__file__).parents[3] / "examples"


def whole_game(path: Path, last_year: int, *names: str) -> list[Event]:
    """Return the record of a game of seven of our examples, each in a process of its own."""
    record: list[Event] = []

    async def scene(door: DaideDoor, hall: Hall) -> None:
        where = ("127.0.0.1", str(door.port))
        bots = [
            await asyncio.create_subprocess_exec(
                sys.executable, str(EXAMPLES / f"daide_{name}.py"), *where, f"{power}:{name}"
            )
            for power, name in zip(POWERS, names, strict=True)
        ]
        assert [await bot.wait() for bot in bots] == [0] * 7
        (head,) = (await hall.page()).heads
        assert head.status == "over"
        record.extend(await hall.record(head.id))

    run(path, scene, config={"last_year": last_year})
    return record


def test_seven_holdbots_of_the_examples_play_a_whole_game(tmp_path: Path) -> None:
    whole_game(tmp_path, 1902, *["holdbot"] * 7)


def test_dumbbots_of_the_examples_play_a_whole_game_and_make_no_mistake(tmp_path: Path) -> None:
    record = whole_game(tmp_path, 1904, *["dumbbot"] * 7)
    assert not any(isinstance(event, Fouled) for event in record)
    given = [event.action for event in record if isinstance(event, Acted) and event.given]
    orders = [order for action in given if isinstance(action, list) for order in action]
    for kind in (" - ", " S ", " B"):
        assert any(kind in str(order) for order in orders)


def test_a_dumbbot_of_the_examples_grows_among_holdbots(tmp_path: Path) -> None:
    state = replay(whole_game(tmp_path, 1905, "dumbbot", *["holdbot"] * 6))
    assert isinstance(state.position, Position)
    assert len(state.position.centers["AUSTRIA"]) > 6
