"""Builds for which no home is free: clients waive them in words, and hear of each."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.net.daide import adjustments
from support.daide.table import DaideTable, Voice, at_table
from support.waiting import inside

ENGLAND, FRANCE, ITALY = Seat("ENGLAND"), Seat("FRANCE"), Seat("ITALY")


def crowded() -> Position:
    """England has three builds and two homes free, France one and none, Italy one of each; Austria has to remove."""
    start = Position.start()
    state = {
        "phase": "W1908A",
        "units": {
            **{name: [] for name in start.units},
            "AUSTRIA": ["A VIE", "A BUD"],
            "ENGLAND": ["A EDI", "F KIE", "F NTH"],
            "FRANCE": ["A PAR"],
            "ITALY": ["A ROM"],
        },
        "centers": {
            **{name: [] for name in start.centers},
            "AUSTRIA": ["VIE"],
            "ENGLAND": ["EDI", "LON", "LVP", "KIE", "SPA", "BRE"],
            "FRANCE": ["PAR", "POR"],
            "ITALY": ["ROM", "NAP"],
        },
    }
    return Position(*read_state(state, start.board))


def test_builds_are_centres_without_units() -> None:
    position = crowded()
    assert [adjustments.due(position, seat) for seat in (ENGLAND, FRANCE, ITALY, Seat("AUSTRIA"))] == [3, 1, 1, -1]
    assert [adjustments.without_room(position, seat) for seat in (ENGLAND, FRANCE, ITALY, Seat("AUSTRIA"))] == [
        1,
        1,
        0,
        0,
    ]
    spring = Position.start()
    assert adjustments.due(spring, ENGLAND) == adjustments.without_room(spring, ENGLAND) == 0


def test_the_match_hears_of_waives_only_where_there_was_room() -> None:
    position = crowded()
    spare = adjustments.without_room(position, ENGLAND)
    for given, taken in [
        (["WAIVE", "A LON B", "A LVP B"], ["A LON B", "A LVP B"]),
        (["WAIVE", "A LON B", "WAIVE"], ["A LON B", "WAIVE"]),
        (["A LON B"], ["A LON B"]),
        (["WAIVE"], []),
    ]:
        assert adjustments.for_the_match(given, spare) == taken
    assert adjustments.for_the_match(["WAIVE"], adjustments.without_room(position, ITALY)) == ["WAIVE"]


async def seated(at: DaideTable) -> dict[str, Voice]:
    lines = await at.seven()
    await at.hall.submit("table", it.SetPosition("host", crowded().encode()))
    for voice in lines.values():
        voice.heard()
    return lines


@inside(at_table)
async def test_a_build_without_room_is_waived_before_the_others_are_made(at: DaideTable) -> None:
    england = (await seated(at))["ENG"]
    assert await england.ask("MIS") == "MIS ( -3 )"
    heard = await england.say("SUB ( ENG WVE ) ( ( ENG AMY LON ) BLD )", "SUB ( ( ENG FLT LVP ) BLD )")
    assert heard == [
        "THX ( ENG WVE ) ( MBV )",
        "THX ( ( ENG AMY LON ) BLD ) ( MBV )",
        "MIS ( -1 )",
        "THX ( ( ENG FLT LVP ) BLD ) ( MBV )",
    ]
    acted = [event for event in await at.hall.record("table") if isinstance(event, ev.Acted)]
    assert acted[-1].action == ["A LON B", "F LVP B"]


@inside(at_table)
async def test_who_has_no_room_at_all_waives_and_takes_it_back(at: DaideTable) -> None:
    lines = await seated(at)
    france = lines["FRA"]
    assert await france.ask("MIS") == "MIS ( -1 )"
    assert await france.say("SUB ( ( FRA AMY PAR ) BLD )") == ["THX ( ( FRA AMY PAR ) BLD ) ( ESC )", "MIS ( -1 )"]
    assert await france.say("SUB ( FRA WVE )") == ["THX ( FRA WVE ) ( MBV )"]
    assert await france.say("SUB ( FRA WVE )") == ["THX ( FRA WVE ) ( NMB )"]
    assert await france.ask("MIS") == "MIS"
    assert await france.ask("NOT ( SUB ( FRA WVE ) )") == "YES ( NOT ( SUB ( FRA WVE ) ) )"
    assert await france.ask("MIS") == "MIS ( -1 )"
    assert await france.say("SUB ( FRA WVE )", "NOT ( SUB )") == [
        "THX ( FRA WVE ) ( MBV )",
        "YES ( NOT ( SUB ) )",
    ]
    assert await france.say("GOF") == ["YES ( GOF )", "MIS ( -1 )"]
    assert not [event for event in await at.hall.record("table") if isinstance(event, ev.Acted)]
    assert await lines["GER"].say("SUB ( GER WVE )") == ["THX ( GER WVE ) ( NMB )"], "it is eliminated"


@inside(at_table)
async def test_nobody_waits_for_waives_of_what_cannot_be_built_and_everybody_hears_of_them(at: DaideTable) -> None:
    lines = await seated(at)
    assert (await lines["ENG"].say("SUB ( ( ENG AMY LON ) BLD ) ( ( ENG FLT LVP ) BLD )"))[-1] == "MIS ( -1 )"
    await lines["AUS"].say("SUB ( ( AUS AMY BUD ) REM )")
    await lines["ITA"].say("SUB ( ITA WVE )")
    told = [said for said in lines["FRA"].heard() if not said.startswith("THX")]
    assert sorted(told[:-1]) == [
        "ORD ( WIN 1908 ) ( ( AUS AMY BUD ) REM ) ( SUC )",
        "ORD ( WIN 1908 ) ( ( ENG AMY LON ) BLD ) ( SUC )",
        "ORD ( WIN 1908 ) ( ( ENG FLT LVP ) BLD ) ( SUC )",
        "ORD ( WIN 1908 ) ( ENG WVE ) ( SUC )",
        "ORD ( WIN 1908 ) ( FRA WVE ) ( SUC )",
        "ORD ( WIN 1908 ) ( ITA WVE ) ( SUC )",
    ]
    assert told[-1].startswith("NOW ( SPR 1909 )")


@inside(at_table)
async def test_who_comes_back_has_waived_what_cannot_be_built(at: DaideTable) -> None:
    lines = await seated(at)
    await lines["ENG"].say("SUB ( ENG WVE ) ( ( ENG AMY LON ) BLD )")
    await lines["FRA"].say("SUB ( FRA WVE )")
    for power, missing in [("ENG", "MIS ( -1 )"), ("FRA", "MIS")]:
        code = at.reception.passcode("table", at.seat(power))
        await lines[power].guest.leave()
        back = at.newcomer()
        assert (await back.say(f"IAM ( {power} ) ( {code} )"))[0].startswith("YES")
        assert await back.ask("MIS") == missing
