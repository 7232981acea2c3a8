"""The end of a DAIDE match for its clients: the summary, OFF, and the closed connection."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.net.daide import guest as guest_module
from parlour.net.daide.door import DaideDoor
from parlour.net.hall import Hall
from support.daide.house import run, seven
from support.daide.table import DaideTable, at_table
from support.waiting import inside


def fall_of_rome(phase: str) -> str:
    """Italy has Rome alone, and France two armies beside it."""
    start = Position.start()
    units = {**start.units, "ITALY": ["A ROM"], "FRANCE": ["A TUS", "A NAP"]}
    centers = {**start.centers, "ITALY": ["ROM"], "FRANCE": ["PAR", "NAP"]}
    return str(Position(*read_state({"phase": phase, "units": units, "centers": centers}, start.board)).encode())


@inside(at_table)
async def test_the_summary_has_the_year_of_elimination(at: DaideTable) -> None:
    lines = await at.seven()
    await at.hall.submit("table", it.SetPosition("host", fall_of_rome("F1902M")))
    code = (await lines["RUS"].ask("HLO")).split()[5]
    for power, orders in (
        ("FRA", "( ( FRA AMY TUS ) MTO ROM ) ( ( FRA AMY NAP ) SUP ( FRA AMY TUS ) MTO ROM )"),
        ("ITA", "( ( ITA AMY ROM ) HLD )"),
    ):
        assert (await lines[power].ask(f"SUB {orders}")).endswith("( MBV )")
    await at.hall.submit("table", it.ForceTurn("host"))
    await lines["ITA"].say("SUB ( ( ITA AMY ROM ) DSB )")
    await lines["RUS"].guest.leave()
    lines["RUS"] = at.newcomer()
    assert (await lines["RUS"].ask(f"IAM ( RUS ) ( {code} )")).startswith("YES")
    for power in sorted({*lines} - {"ITA"}):
        await lines[power].say("DRW")
    for power in ("ENG", "RUS"):
        summary = next(said for said in lines[power].heard() if said.startswith("SMR"))
        assert "( ITA ( 'ITA:bot@table' ) ( 'v 0.1' ) 0 1902 )" in summary
        assert summary.count("1902") == 2, "the turn, and Italy's end"


@inside(at_table)
async def test_a_power_that_a_moderator_took_off_the_board_is_eliminated_too(at: DaideTable) -> None:
    lines = await at.seven()
    for phase in ("F1902M", "S1903M"):
        text = fall_of_rome(phase)
        await at.hall.submit("table", it.SetPosition("host", text))
    position = Position.read(text)
    state = {
        "phase": "S1903M",
        "units": {**position.units, "ITALY": []},
        "centers": {**position.centers, "ITALY": []},
    }
    gone = str(Position(*read_state(state, position.board)).encode())
    await at.hall.submit("table", it.SetPosition("host", gone))
    for power in sorted({*lines} - {"ITA"}):
        await lines[power].say("DRW")
    summary = next(said for said in lines["ENG"].heard() if said.startswith("SMR"))
    assert "( ITA ( 'ITA:bot@table' ) ( 'v 0.1' ) 0 1902 )" in summary


def test_connections_are_closed_soon_after_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C++ bots close only when the server does."""
    monkeypatch.setattr(guest_module, "OFF_TIME", 0.05)

    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        for line in lines.values():
            line.say("DRW")
        for line in lines.values():
            while await line.hear() != "OFF":
                pass
            assert await line.frame() == (3, b"")
            assert await line.rest() == b""
        assert door.connections == 0

    run(tmp_path, scene)
