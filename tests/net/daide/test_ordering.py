"""Orders of DAIDE clients are looked at at once and stored together; their answers wait for that."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.errors import StoreError
from parlour.games.diplomacy.position import Position
from parlour.net import heartbeat
from parlour.net.daide import ordering
from parlour.net.daide.options import DaideOptions
from parlour.referee import table as table_module
from parlour.store import Write
from support.daide.table import HOLDS, DaideTable, Voice, at_table, winter_position
from support.daide.wire import tokens
from support.waiting import inside

LONDON, EDINBURGH, LIVERPOOL = (f"SUB ( ( ENG {unit} ) HLD )" for unit in ("FLT LON", "FLT EDI", "AMY LVP"))


@pytest.fixture(autouse=True)
def _no_downtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)  # time is set by hand, which is no downtime


def say_now(voice: Voice, *texts: str) -> list[str]:
    """Say orders that are answered before anybody else has a turn."""
    voice.heard()
    for text in texts:
        assert voice.guest.take_orders(voice.codec.encode(tokens(text)))
    return [said.split()[0] for said in voice.heard()]


async def actions(at: DaideTable, seat: str = "ENGLAND") -> list[object]:
    """Return the recorded orders of a seat."""
    events = await at.hall.record("table")
    return [event.action for event in events if isinstance(event, ev.Acted) and event.seat == seat]


@inside(at_table)
async def test_what_comes_together_is_stored_together(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    assert say_now(england, LONDON, EDINBURGH) == ["THX", "MIS", "THX", "MIS"]
    assert await actions(at) == []
    await england.guest.settled()
    assert await actions(at) == [["F LON H", "F EDI H"]]
    assert say_now(england, LONDON) == ["THX", "MIS"], "the same again is nothing new"
    assert say_now(england, "SUB ( ( ENG FLT LON ) MTO NTH )") == ["THX", "MIS"]
    await england.guest.settled()
    assert (await actions(at))[1:] == [["F EDI H", "F LON - NTH"]]


@inside(at_table)
async def test_orders_that_are_complete_are_handed_in_though_others_are_being_stored(at: DaideTable) -> None:
    lines = await at.seven()
    for power in HOLDS:
        if power != "ENG":
            say_now(lines[power], f"SUB {HOLDS[power]}")
    assert say_now(lines["ENG"], LONDON) == ["THX", "MIS"]
    assert lines["ENG"].guest.storing() is not None
    assert say_now(lines["ENG"], EDINBURGH, LIVERPOOL) == ["THX", "MIS", "THX"]
    await (await at.hall.wake("table")).table.settled()
    assert lines["FRA"].heard()[-1].startswith("NOW ( FAL 1901 )")
    assert await actions(at) == [["F LON H"], ["F LON H", "F EDI H", "A LVP H"]]
    assert await lines["ENG"].ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG FLT LON ) ( ENG AMY LVP )"


def test_all_orders_of_a_client_wait_a_moment_for_those_of_others_unless_it_asks_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 1e6)

    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        england = lines.pop("ENG")
        for power, line in lines.items():
            assert set(say_now(line, f"SUB {HOLDS[power]}")) == {"THX"}
            assert line.guest.storing() is not None
        assert await actions(at, "FRANCE") == []
        assert await lines["FRA"].ask("MIS") == "MIS"
        assert len(await actions(at, "FRANCE")) == len(await actions(at, "TURKEY")) == 1
        say_now(england, f"SUB {HOLDS['ENG']}")
        await (await at.hall.wake("table")).table.settled()
        assert england.heard()[-1].startswith("NOW ( FAL 1901 )")

    at_table(tmp_path, scene)


@inside(at_table)
async def test_a_turn_does_not_end_while_orders_are_missing_or_the_client_wants_time(at: DaideTable) -> None:
    lines = await at.seven()
    england = lines["ENG"]
    for power in HOLDS:
        if power != "ENG":
            await lines[power].say(f"SUB {HOLDS[power]}")
    await england.say(LONDON)
    assert not any(said.startswith("NOW") for said in england.heard())
    assert await england.ask("NOT ( GOF )") == "YES ( NOT ( GOF ) )"
    assert await england.say(f"SUB {HOLDS['ENG']}") != []
    assert not any(said.startswith("NOW") for said in england.heard())
    assert (await england.say("GOF"))[0] == "YES ( GOF )"
    assert await england.ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG FLT LON ) ( ENG AMY LVP )", "a new turn runs"


@inside(at_table)
async def test_orders_for_a_turn_that_is_over_though_nobody_heard_of_it_are_rejected(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    hosted = await at.hall.wake("table")
    hosted.table.submit([it.ForceTurn("host")])
    assert say_now(england, LONDON) == ["REJ"]
    assert say_now(england, f"SUB {HOLDS['ENG']}") == ["REJ"]
    await hosted.table.settled()
    assert await actions(at) == []
    assert say_now(england, LONDON) == ["THX", "MIS"], "now it has heard of the next"


@pytest.mark.parametrize("ending", ["turn", "match"])
@inside(at_table)
async def test_orders_that_were_answered_and_came_too_late_all_the_same_are_taken_back(
    at: DaideTable, *, ending: str
) -> None:
    england = (await at.seven())["ENG"]
    hosted = await at.hall.wake("table")
    assert say_now(england, LONDON, EDINBURGH) == ["THX", "MIS", "THX", "MIS"]
    hosted.table.submit([it.ForceTurn("host") if ending == "turn" else it.Cancel("host", "enough")])
    await england.guest.settled()
    await hosted.table.settled()
    heard = [said for said in england.heard() if said.startswith("REJ")]
    assert heard == [f"REJ ( {LONDON} )", f"REJ ( {EDINBURGH} )"]
    assert await actions(at) == []


@inside(at_table)
async def test_orders_that_wait_for_others_to_be_stored_do_not_slip_into_the_next_turn(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    hosted = await at.hall.wake("table")
    say_now(england, LONDON)
    assert england.guest.storing() is not None
    assert say_now(england, EDINBURGH) == ["THX", "MIS"]
    hosted.table.submit([it.ForceTurn("host")])
    await hosted.table.settled()
    await england.guest.settled()
    assert [said for said in england.heard() if said.startswith("REJ")] == [f"REJ ( {EDINBURGH} )"]
    assert await actions(at) == [["F LON H"]]
    assert await england.ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG FLT LON ) ( ENG AMY LVP )"


def test_whoever_floods_waits_until_the_first_of_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MOST_UNSTORED", 2)

    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        assert say_now(england, LONDON, EDINBURGH) == ["THX", "MIS", "THX", "MIS"]
        more = england.codec.encode(tokens("SUB ( ( ENG FLT LON ) MTO NTH )"))
        assert not england.guest.take_orders(more)
        assert england.heard() == []
        await england.guest.hear(more)
        assert [said.split()[0] for said in england.heard()] == ["THX", "MIS"]
        await england.guest.settled()
        assert await actions(at) == [["F LON H", "F EDI H"], ["F EDI H", "F LON - NTH"]]

    at_table(tmp_path, scene)


@inside(at_table, DaideOptions(mtl=60))
async def test_orders_come_after_time_that_is_to_be_made_good(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    hosted = await at.hall.wake("table")
    body = england.codec.encode(tokens(LONDON))
    assert england.guest.take_orders(body)
    assert england.heard()[0].startswith("THX")
    hosted.owing = 1.0  # between the answer and the step in which it is submitted
    await england.guest.settled()
    assert hosted.owing == 0.0
    assert await actions(at) == [["F LON H"]]


@inside(at_table)
async def test_what_was_answered_and_cannot_be_stored_costs_the_connection(
    at: DaideTable, *, caplog: pytest.LogCaptureFixture
) -> None:
    async def full(*writes: Write) -> None:
        raise StoreError("the disk is full")

    lines = await at.seven()
    with caplog.at_level(logging.WARNING), pytest.MonkeyPatch.context() as disk:
        disk.setattr(at.hall.store, "keep", full)
        assert say_now(lines["ENG"], LONDON) == ["THX", "MIS"]
        await lines["ENG"].guest.settled()
    assert "could not be stored" in caplog.text
    assert all(line.shown_out for line in lines.values()), "who watched it there would hear nothing more"
    assert await actions(at) == []


@inside(at_table)
async def test_who_has_lost_the_seat_orders_nothing(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    assert say_now(england, LONDON) == ["THX", "MIS"]
    await at.hall.submit("table", it.Leave(at.seat("ENG")))
    await england.guest.settled()
    assert f"REJ ( {LONDON} )" in england.heard()
    assert say_now(england, f"SUB {HOLDS['ENG']}") == ["REJ"]
    assert await actions(at) == []


@inside(at_table)
async def test_what_was_ordered_counts_though_the_client_leaves_at_once(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    say_now(england, LONDON)
    await england.guest.leave()
    assert await actions(at) == [["F LON H"]]


@inside(at_table)
async def test_what_is_taken_back_was_given_in_this_turn(at: DaideTable) -> None:
    """A province of another map, or another turn, takes nothing back."""
    england = (await at.seven())["ENG"]
    await england.say(LONDON)
    for wrong in (
        "NOT ( SUB ( ( ENG FLT ?50ff ) HLD ) )",
        "NOT ( SUB ( FAL 1901 ) )",
        "NOT ( SUB ( FAL 1901 ) ( ( ENG FLT LON ) HLD ) )",
    ):
        assert await england.ask(wrong) == f"REJ ( {wrong} )"
    assert await england.ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG AMY LVP )"
    right = "NOT ( SUB ( SPR 1901 ) )"
    assert await england.ask(right) == f"YES ( {right} )"
    assert await england.ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG FLT LON ) ( ENG AMY LVP )"


@inside(at_table)
async def test_waived_builds_are_told_apart_and_taken_back_one_by_one(at: DaideTable) -> None:
    france = (await at.seven())["FRA"]
    spring = Position.start().resolve({"FRANCE": ["F BRE - MAO", "A PAR - GAS"]})
    winter = spring.resolve({"FRANCE": ["F MAO - POR", "A GAS - SPA"]})
    await at.hall.submit("table", it.SetPosition("host", str(winter.encode())))
    waive = "SUB ( FRA WVE )"
    assert say_now(france, waive) == ["THX", "MIS"]
    assert await france.ask("NOT ( SUB ( FRA WVE ) )") == "YES ( NOT ( SUB ( FRA WVE ) ) )"
    assert await france.ask("NOT ( SUB ( FRA WVE ) )") == "REJ ( NOT ( SUB ( FRA WVE ) ) )"
    assert await france.ask("MIS") == "MIS ( -2 )"
    assert say_now(france, waive, "SUB ( ( FRA FLT BRE ) BLD )") == ["THX", "MIS", "THX"]
    await france.guest.settled()
    assert (await actions(at, "FRANCE"))[-1] == ["WAIVE", "F BRE B"]


@inside(at_table)
async def test_a_build_that_is_taken_back_is_free_again(at: DaideTable) -> None:
    france = (await at.seven())["FRA"]
    await at.hall.submit("table", it.SetPosition("host", winter_position()))
    paris = "( ( FRA AMY PAR ) BLD )"
    france.heard()
    assert await france.say("NOT ( GOF )", f"SUB {paris}") == ["YES ( NOT ( GOF ) )", f"THX {paris} ( MBV )"]
    assert await france.ask(f"NOT ( SUB {paris} )") == f"YES ( NOT ( SUB {paris} ) )"
    assert await france.ask("MIS") == "MIS ( -1 )"
    brest = "( ( FRA FLT BRE ) BLD )"
    assert await france.say(f"SUB {brest}") == [f"THX {brest} ( MBV )"]
    assert (await actions(at, "FRANCE"))[-1] == ["F BRE B"]


@inside(at_table)
async def test_orders_that_are_not_due_get_their_notes(at: DaideTable) -> None:
    lines = await at.seven()
    spring = Position.start().resolve({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - RUH", "A BER - MUN"]})
    fall = spring.resolve({"GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR"]})
    await at.hall.submit("table", it.SetPosition("host", str(fall.encode())))
    retreats = "( ( ENG FLT LON ) DSB ) ( ( FRA AMY BUR ) DSB ) ( ( ENG AMY PAR ) RTO GAS ) ( ( ENG FLT LON ) HLD )"
    heard = await lines["ENG"].say(f"SUB {retreats}")
    assert [said.split()[-2] for said in heard if said.startswith("THX")] == ["NRN", "NYU", "NSU", "NRS"]
    await at.hall.submit("table", it.SetPosition("host", winter_position()))
    winter = "SUB ( ( ENG FLT LON ) BLD ) ( ENG WVE ) ( ( ENG FLT LON ) REM ) ( ( FRA AMY PAR ) BLD )"
    heard = await lines["ENG"].say(winter)
    assert [said.split()[-2] for said in heard if said.startswith("THX")] == ["NMB", "NMB", "NMR", "NYU"]
    assert await lines["ENG"].ask("NOT ( SUB )") == "YES ( NOT ( SUB ) )"
    assert await actions(at, "ENGLAND") == []


@inside(at_table, DaideOptions(aoa=True))
async def test_a_retreat_that_cannot_be_is_taken_for_a_disbandment_where_any_order_is_accepted(at: DaideTable) -> None:
    france = (await at.seven())["FRA"]
    spring = Position.start().resolve({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - RUH", "A BER - MUN"]})
    fall = spring.resolve({"GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR"]})
    await at.hall.submit("table", it.SetPosition("host", str(fall.encode())))
    assert (await france.ask("SUB ( ( FRA AMY BUR ) RTO MOS )")).endswith("( MBV )")
    assert await actions(at, "FRANCE") == [["A BUR D"]]
    assert await france.say("ORD") == ["ORD ( AUT 1901 ) ( ( FRA AMY BUR ) RTO MOS ) ( NVR )"]


@inside(at_table, DaideOptions(aoa=True))
async def test_a_build_that_cannot_be_is_taken_for_a_waived_one_where_any_order_is_accepted(at: DaideTable) -> None:
    france = (await at.seven())["FRA"]
    spring = Position.start().resolve({"FRANCE": ["F BRE - MAO", "A PAR - GAS"]})
    winter = spring.resolve({"FRANCE": ["F MAO - POR", "A GAS - SPA"]})
    await at.hall.submit("table", it.SetPosition("host", str(winter.encode())))
    spain = "( ( FRA AMY SPA ) BLD )"
    assert "( MBV )" in await france.ask(f"SUB {spain}")
    await france.guest.settled()
    assert await actions(at, "FRANCE") == [["WAIVE"]]
    assert await france.ask(f"NOT ( SUB {spain} )") == f"YES ( NOT ( SUB {spain} ) )"
    assert await france.ask("MIS") == "MIS ( -2 )"
    await france.say(f"SUB {spain} ( FRA WVE )")
    assert await france.say("ORD") == [
        f"ORD ( WIN 1901 ) {spain} ( HSC )",
        "ORD ( WIN 1901 ) ( FRA WVE ) ( SUC )",
    ]


@inside(at_table)
async def test_who_is_displaced_before_its_orders_were_handed_in_orders_and_hears_nothing_more(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    assert say_now(england, LONDON) == ["THX", "MIS"]
    england.guest.displaced()
    assert england.guest.storing() is None
    await england.guest.settled()
    assert (england.heard(), england.shown_out, await actions(at)) == ([], True, [])
