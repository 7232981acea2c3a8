"""Rules that change the game, played by the unmodified client of the package beside the package's own engine."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.errors import RecordError
from parlour.games.diplomacy.formats.saved import SavedGame
from parlour.games.diplomacy.variations import varied_by
from parlour.net.client import connect
from parlour.referee.match import replay
from support.mila.house import HOST, mila_server
from support.mila.servers import seen_by_client

pytestmark = pytest.mark.timeout(300)  # the first of them may have to make the environment


@pytest.mark.parametrize("rule", ["DONT_SKIP_PHASES", "BUILD_ANY", "NO_CHECK"])
def test_a_client_sees_what_its_own_engine_gives_by_that_rule(tmp_path: Path, rule: str) -> None:
    async def play() -> tuple[Any, list[ev.Event], Any]:
        async with mila_server(tmp_path) as house:
            seen = await seen_by_client("original_rules", rule, house.port, 1)
            record = await house.hall.record(f"{rule} 1")
            return seen, record, await going_on(house.port, seen["saved there"])

    seen, record, resumed = asyncio.run(play())
    # Of results the package says more than we do, of supports against oneself and convoys that come to nothing.
    given = [one for one in seen["differences"] if rule == "NO_CHECK" or "results" not in one]
    assert given == []
    assert seen["kept"] == "same"
    assert seen["phases"] == seen["processed"] == seen["engine"]["phases"]
    assert set(seen["rules"]) == {"POWER_CHOICE", rule}
    assert seen["read"] == {"phase": seen["engine"]["phase"], "rules": seen["rules"]}
    saved = SavedGame(seen["saved"])
    assert saved.board.variations == varied_by([rule])
    assert [phase.name for phase in saved.phases] == [*seen["phases"], seen["engine"]["phase"]]
    _check_saved(saved)
    assert resumed == (seen["engine"]["phase"], seen["phases"], varied_by([rule]))
    _check_record(record)


def _check_saved(saved: SavedGame) -> None:
    """A saved game leads from phase to phase by its own rules."""
    for phase, following in zip(saved.phases, saved.phases[1:], strict=False):
        after = phase.turn().after
        assert (after.phase, after.units) == (following.name, following.position.units)


def _check_record(record: list[ev.Event]) -> None:
    """A record names its rules: it replays by them, and by no others."""
    assert replay(record).position is not None
    opened = record[0]
    assert isinstance(opened, ev.Opened)
    config = {name: value for name, value in opened.config.items() if name != "rules"}
    forged = [msgspec.structs.replace(opened, config=config), *record[1:]]
    with pytest.raises(RecordError):
        replay(forged)


async def going_on(port: int, saved: Any) -> Any:
    """Where a game stands that was saved there and goes on here: its phase, its past and its rules."""
    async with connect(HOST, port) as connection:
        channel = await connection.authenticate("anna", "password")
        game = await channel.create_game(game_id="resumed", rules=saved["rules"], saved=json.dumps(saved).encode())
        return game.get_current_phase(), list(game.state_history), game.position.board.variations


@pytest.mark.parametrize(("rule", "won"), [("IGNORE_ERRORS", 1901), ("HOLD_WIN", 1902), ("SHARED_VICTORY", 1901)])
def test_a_solo_counts_when_the_packages_engine_says_so(tmp_path: Path, rule: str, won: int) -> None:
    async def play() -> Any:
        async with mila_server(tmp_path) as house:
            return await seen_by_client("original_rules", rule, house.port)

    seen = asyncio.run(play())
    assert set(seen["note"]) == {seen["engine"]["note"]} == {"Victory by: FRA"}
    assert seen["phases"] == [*seen["engine"]["phases"], "COMPLETED"]
    assert seen["outcome"] == seen["theirs"] == [f"W{won}A", "FRANCE"]
