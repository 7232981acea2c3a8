"""A DAIDE client for which an agent of the house played gets its seat back with its passcode, in the turn that runs."""

# Why real time passes here: agents of the house think in threads; waits end as soon as one has ordered.

from __future__ import annotations

import asyncio

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.net.daide.reception import Reception
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.daide.table import HOLDS, POWERS, DaideTable, Voice, at_table
from support.waiting import inside

TURKEY = Seat("TURKEY")


pytestmark = pytest.mark.usefixtures("time_by_hand")


async def seven_with_stand_ins(at: DaideTable) -> tuple[dict[str, Voice], str]:
    """Seven bots at a match where an agent plays for whoever leaves, and the passcode of Turkey."""
    await at.hall.open(MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="table", stand_in="hold"))
    lines = await at.seven()
    return lines, (await lines["TUR"].ask("HLO")).split()[5]


async def agent_has_ordered(at: DaideTable) -> None:
    hosted = await at.hall.wake("table")
    assert hosted.seating[TURKEY].agent == "hold"
    for _ in range(1000):
        if hosted.match.state.places[TURKEY].acted:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the agent did not order")


async def names_of_turkey(at: DaideTable) -> list[str]:
    joined = [event for event in await at.hall.record("table") if isinstance(event, ev.Joined)]
    return [event.name for event in joined if event.seat == TURKEY]


@inside(at_table)
async def test_who_was_cut_off_gets_the_seat_from_the_agent_that_played_for_it(at: DaideTable) -> None:
    lines, code = await seven_with_stand_ins(at)
    await lines["TUR"].guest.leave()
    await agent_has_ordered(at)
    assert lines["ENG"].heard() == ["CCD ( TUR )", "NOT ( CCD ( TUR ) )"]
    back = at.newcomer()
    wrong = str(int(code) % 8191 + 1)
    assert (await back.ask(f"IAM ( TUR ) ( {wrong} )")).startswith("REJ")
    # As bots of the C++ framework come back: their name is refused, then IAM, then all that they want to know.
    assert (await back.ask("NME ( 'TUR:bot' ) ( '8~3' )")).startswith("REJ")
    assert await back.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert lines["ENG"].heard() == [], "somebody plays Turkey all the time"
    for question in ("MAP", "MDF", "HLO", "SCO", "NOW"):
        assert (await back.ask(question)).startswith(question)
    assert await back.ask("MIS") == "MIS", "the agent has ordered"
    assert await back.ask("NOT ( SUB )") == "YES ( NOT ( SUB ) )"
    assert await back.say("SUB ( ( TUR FLT ANK ) MTO BLA )") == [
        "THX ( ( TUR FLT ANK ) MTO BLA ) ( MBV )",
        "MIS ( TUR AMY CON ) ( TUR AMY SMY )",
    ]
    await back.say("SUB ( ( TUR AMY CON ) HLD ) ( ( TUR AMY SMY ) HLD )")
    for power in POWERS[:-1]:
        await lines[power].say(f"SUB {HOLDS[power]}")
    assert "ORD ( SPR 1901 ) ( ( TUR FLT ANK ) MTO BLA ) ( SUC )" in back.heard()
    assert await names_of_turkey(at) == ["TUR:bot@table", "hold", "TUR:bot@table"]


async def begin_again(at: DaideTable) -> None:
    """The server starts again, all but Turkey come back, and then it is asked who is here."""
    codes = {power: at.reception.passcode("table", at.seat(power)) for power in POWERS}
    at.reception = Reception(at.hall)
    await at.reception.open()
    for power in POWERS[:-1]:
        assert (await at.newcomer().ask(f"IAM ( {power} ) ( {codes[power]} )")).startswith("YES")
    await at.reception.roll_call()


@inside(at_table)
async def test_a_server_that_starts_again_awaits_it_too(at: DaideTable) -> None:
    lines, code = await seven_with_stand_ins(at)
    for _ in range(2):
        await lines["TUR"].guest.leave()
        await agent_has_ordered(at)
        await begin_again(at)
        await agent_has_ordered(at)
        lines["TUR"] = back = at.newcomer()
        assert (await back.ask("NME ( 'TUR:bot' ) ( '8~3' )")).startswith("REJ")
        assert await back.ask(f"IAM ( TUR ) ( {code} )") == f"YES ( IAM ( TUR ) ( {code} ) )"
    assert await names_of_turkey(at) == ["TUR:bot@table", "hold"] * 2 + ["TUR:bot@table"]


@inside(at_table)
async def test_an_agent_also_plays_for_who_does_not_come_back_to_a_server_that_starts_again(at: DaideTable) -> None:
    _, code = await seven_with_stand_ins(at)
    await begin_again(at)
    await agent_has_ordered(at)
    assert sum(bool(seating.agent) for seating in (await at.hall.wake("table")).seating.values()) == 1
    assert await at.newcomer().ask(f"IAM ( TUR ) ( {code} )") == f"YES ( IAM ( TUR ) ( {code} ) )"
