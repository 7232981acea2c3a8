"""A dislodged unit that can go nowhere is gone at once here; where others retreat, clients may disband it in words."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.net.daide.reception import Reception
from support.daide.table import DaideTable, Voice, at_table
from support.waiting import inside

UNITS = {
    "ENGLAND": ["F ION", "F TYS", "F WES", "A NAF"],
    "FRANCE": ["A TUN", "A BUR", "A GAS"],
    "GERMANY": ["A MUN", "A RUH"],
    "RUSSIA": ["A MOS"],
}
LANDING = (
    "SUB ( ( ENG FLT TYS ) MTO TUN ) ( ( ENG FLT ION ) SUP ( ENG FLT TYS ) MTO TUN )"
    " ( ( ENG FLT WES ) HLD ) ( ( ENG AMY NAF ) HLD )"
)
FRENCH = "SUB ( ( FRA AMY TUN ) HLD ) ( ( FRA AMY BUR ) HLD ) ( ( FRA AMY GAS ) HLD )"
ATTACK = "SUB ( ( GER AMY MUN ) MTO BUR ) ( ( GER AMY RUH ) SUP ( GER AMY MUN ) MTO BUR )"
STILL = "SUB ( ( GER AMY MUN ) HLD ) ( ( GER AMY RUH ) HLD )"
BURGUNDY, TUNIS = "( FRA AMY BUR MRT ( BEL MAR PAR PIC ) )", "( FRA AMY TUN MRT ( ) )"
GONE = "ORD ( SUM 1902 ) ( ( FRA AMY TUN ) DSB ) ( SUC )"


pytestmark = pytest.mark.usefixtures("time_by_hand")


async def landed(at: DaideTable, german: str) -> dict[str, Voice]:
    """Tunis is taken in spring 1902, and nothing is left for who was there."""
    lines, start = await at.seven(), Position.start()
    state = {"phase": "S1902M", "units": {**{name: [] for name in start.units}, **UNITS}, "centers": start.centers}
    position = Position(*read_state(state, start.board))
    await at.hall.submit("table", it.SetPosition("host", str(position.encode())))
    for line in lines.values():
        line.heard()
    for power, orders in (("ENG", LANDING), ("FRA", FRENCH), ("GER", german), ("RUS", "SUB ( ( RUS AMY MOS ) HLD )")):
        assert {said.split()[-2] for said in await lines[power].say(orders) if said.startswith("THX")} == {"MBV"}
    return lines


async def acted(at: DaideTable) -> list[object]:
    return [event.action for event in await at.hall.record("table") if isinstance(event, ev.Acted) and event.turn == 3]


@inside(at_table)
async def test_where_others_retreat_it_is_to_be_disbanded_and_nobody_waits_for_that(at: DaideTable) -> None:
    lines = await landed(at, ATTACK)
    france = lines["FRA"]
    now = lines["ENG"].heard()[-1]
    assert now.startswith("NOW ( SUM 1902 )")
    assert now.endswith(f"{BURGUNDY} {TUNIS}")
    assert await france.ask("NOW") == now
    assert await france.ask("MIS") == f"MIS {BURGUNDY} {TUNIS}"
    assert await france.ask("SUB ( ( FRA AMY TUN ) RTO NAF )") == "THX ( ( FRA AMY TUN ) RTO NAF ) ( NVR )"
    assert await france.ask("SUB ( ( FRA AMY GAS ) DSB )") == "THX ( ( FRA AMY GAS ) DSB ) ( NRN )"
    thanks = await france.say("SUB ( ( FRA AMY TUN ) DSB )")
    assert thanks == ["THX ( ( FRA AMY TUN ) DSB ) ( MBV )", f"MIS {BURGUNDY}"]
    heard = await france.say("SUB ( ( FRA AMY BUR ) RTO PAR )")
    assert heard[0] == "THX ( ( FRA AMY BUR ) RTO PAR ) ( MBV )"
    assert heard[1:3] == ["ORD ( SUM 1902 ) ( ( FRA AMY BUR ) RTO PAR ) ( SUC )", GONE]
    assert heard[3].startswith("NOW ( FAL 1902 )")
    assert "TUN MRT" not in heard[3]
    assert [action for action in await acted(at) if action] == [["A BUR R PAR"]]
    assert GONE in await france.say("ORD")
    assert [said for said in await france.say("HST ( SUM 1902 )") if said == GONE] == [GONE]
    assert (await france.say("HST ( SPR 1902 )"))[-1] == now


@inside(at_table)
async def test_it_need_not_be_disbanded_in_words(at: DaideTable) -> None:
    lines = await landed(at, ATTACK)
    heard = await lines["FRA"].say("SUB ( ( FRA AMY BUR ) DSB )")
    heard = heard[[said.startswith("THX ( ( FRA AMY BUR ) DSB )") for said in heard].index(True) :]
    assert heard[1] == f"MIS {TUNIS}"
    assert GONE in heard
    assert heard[-1].startswith("NOW ( FAL 1902 )")


@inside(at_table)
async def test_whoever_has_nothing_to_retreat_is_out_of_turn(at: DaideTable) -> None:
    lines = await landed(at, ATTACK)
    assert await lines["ENG"].ask("MIS") == "MIS"
    assert await lines["ENG"].ask("SUB ( ( FRA AMY TUN ) DSB )") == "THX ( ( FRA AMY TUN ) DSB ) ( NYU )"


@inside(at_table)
async def test_who_comes_back_finds_it_disbanded(at: DaideTable) -> None:
    lines = await landed(at, ATTACK)
    code = (await lines["FRA"].ask("HLO")).split()[5]
    at.reception = Reception(at.hall)  # as after a restart: nobody has left
    await at.reception.open()
    back = at.newcomer()
    assert (await back.ask(f"IAM ( FRA ) ( {code} )")).startswith("YES")
    assert (await back.ask("NOW")).endswith(f"{BURGUNDY} {TUNIS}")
    assert await back.ask("MIS") == f"MIS {BURGUNDY}"
    assert GONE in await back.say("SUB ( ( FRA AMY BUR ) RTO PAR )")


@inside(at_table)
async def test_where_nobody_retreats_there_is_no_turn_of_retreats(at: DaideTable) -> None:
    lines = await landed(at, STILL)
    heard = lines["ENG"].heard()
    assert "ORD ( SPR 1902 ) ( ( FRA AMY TUN ) HLD ) ( RET )" in heard
    assert heard[-1].startswith("NOW ( FAL 1902 )")
    assert "( FRA AMY TUN" not in heard[-1]
    assert await lines["FRA"].ask("MIS") == "MIS ( FRA AMY BUR ) ( FRA AMY GAS )"


@inside(at_table)
async def test_a_position_that_is_set_has_none(at: DaideTable) -> None:
    lines = await landed(at, ATTACK)
    hosted = await at.hall.wake("table")
    await at.hall.submit("table", it.SetPosition("host", str(hosted.match.position.encode())))
    assert (await lines["FRA"].ask("NOW")).endswith(BURGUNDY)
    assert await lines["FRA"].ask("MIS") == f"MIS {BURGUNDY}"
