"""Clocks of a DAIDE table: what clients are reminded of, when time stands still, and who is late."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.net import heartbeat
from parlour.net.daide.options import DaideOptions
from support.daide.table import HOLDS, DaideTable, at_table
from support.waiting import inside


@pytest.fixture(autouse=True)
def _no_downtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)  # time is set by hand, which is no downtime


@inside(at_table, DaideOptions(mtl=600))
async def test_reminders_are_set_taken_back_and_refused(at: DaideTable) -> None:
    early = at.newcomer()
    await early.sit("bot@early")
    assert await early.ask("TME ( 58 )") == "YES ( TME ( 58 ) )", "before the start"
    lines = await at.seven()
    england = lines["ENG"]
    assert await england.ask("TME") == "TME ( 600 )"
    assert await england.ask("TME ( 58 )") == "YES ( TME ( 58 ) )"
    assert await england.ask("NOT ( TME ( 58 ) )") == "YES ( NOT ( TME ( 58 ) ) )"
    assert await england.ask("NOT ( TME ( 58 ) )") == "REJ ( NOT ( TME ( 58 ) ) )"
    assert await england.ask("TME ( 601 )") == "REJ ( TME ( 601 ) )"
    assert await england.ask("TME ( -1 )") == "REJ ( TME ( -1 ) )"
    assert await england.ask("NOT ( TME )") == "YES ( NOT ( TME ) )"
    for seconds in range(17):
        answer = "YES" if seconds < 16 else "REJ"
        assert await england.ask(f"TME ( {seconds} )") == f"{answer} ( TME ( {seconds} ) )"
    await at.pass_time(100)
    assert await england.ask("TME") == "TME ( 500 )"
    await at.hall.submit("table", it.Extend("host", 60.0))
    assert "TME ( 560 )" in england.heard()
    await england.guest.leave()


@inside(at_table)
async def test_without_limits_there_is_nothing_to_be_reminded_of(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    assert await england.ask("TME") == "REJ ( TME )"
    assert await england.ask("TME ( 58 )") == "REJ ( TME ( 58 ) )"
    assert await england.ask("TME ( 0 )") == "REJ ( TME ( 0 ) )"
    assert await england.ask("NOT ( TME )") == "YES ( NOT ( TME ) )"


@inside(at_table, DaideOptions(mtl=600, dsd=True))
async def test_the_clock_stops_while_somebody_is_cut_off_who_has_orders_due(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    assert (await lines["TUR"].ask("HLO")).endswith("( ( LVL 0 ) ( MTL 600 ) ( DSD ) )")
    await at.pass_time(100)
    await lines["TUR"].guest.leave()
    assert lines["ENG"].heard() == ["CCD ( TUR )", "NOT ( TME ( 500 ) )"]
    await at.pass_time(10_000)
    assert await lines["ENG"].ask("TME") == "TME ( 500 )"
    assert (await lines["ENG"].say(f"SUB {HOLDS['ENG']}"))[0].startswith("THX")
    back = at.newcomer()
    assert await back.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert lines["ENG"].heard() == ["NOT ( CCD ( TUR ) )", "TME ( 500 )"]
    await at.pass_time(501)
    assert (lines["FRA"].heard())[-2].startswith("NOW ( FAL 1901 )")


@inside(at_table, DaideOptions(mtl=600, dsd=True))
async def test_a_moderator_may_pause_what_stands_still_already_and_no_time_is_lost(at: DaideTable) -> None:
    lines = await at.seven()
    await at.pass_time(100)
    await lines["TUR"].guest.leave()
    await at.pass_time(50)
    lines["ENG"].heard()
    await at.hall.submit("table", it.Pause("host"))
    assert lines["ENG"].heard() == ["NOT ( TME ( 500 ) )"]
    await at.pass_time(50)
    await at.hall.submit("table", it.Resume("host"))
    assert lines["ENG"].heard() == ["TME ( 500 )"]


@inside(at_table, DaideOptions(mtl=600))
async def test_without_the_option_the_clock_goes_on_and_so_does_the_match(at: DaideTable) -> None:
    lines = await at.seven()
    await lines.pop("TUR").guest.leave()
    assert lines["ENG"].heard() == ["CCD ( TUR )"]
    await at.play({})
    heard = lines["ENG"].heard()
    assert "ORD ( SPR 1901 ) ( ( TUR FLT ANK ) HLD ) ( SUC )" in heard
    assert heard[-2].startswith("NOW ( FAL 1901 )")
    assert heard[-1] == "TME ( 600 )"


@inside(at_table, DaideOptions(mtl=600))
async def test_who_is_late_holds_and_the_match_goes_on(at: DaideTable) -> None:
    lines = await at.seven()
    await lines["ENG"].say("SUB ( ( ENG FLT LON ) MTO NTH )")
    await at.pass_time(601)
    heard = lines["FRA"].heard()
    assert "ORD ( SPR 1901 ) ( ( ENG FLT LON ) MTO NTH ) ( SUC )" in heard
    assert "ORD ( SPR 1901 ) ( ( ENG FLT EDI ) HLD ) ( SUC )" in heard


@inside(at_table, DaideOptions(mtl=600))
async def test_a_reminder_that_was_taken_back_is_not_given(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    for seconds in (500, 400):
        assert await england.ask(f"TME ( {seconds} )") == f"YES ( TME ( {seconds} ) )"
    assert england.guest._news is not None
    timers = dict(england.guest._news.reminders._timers)
    assert await england.ask("NOT ( TME ( 500 ) )") == "YES ( NOT ( TME ( 500 ) ) )"
    assert {seconds: timer and timer.cancelled() for seconds, timer in timers.items()} == {500: True, 400: False}


@inside(at_table, DaideOptions(mtl=600))
async def test_a_client_that_is_gone_is_reminded_of_nothing(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    assert await england.ask("TME ( 5 )") == "YES ( TME ( 5 ) )"
    assert england.guest._news is not None
    timer = england.guest._news.reminders._timers[5]
    assert timer is not None
    assert not timer.cancelled()
    await england.guest.leave()
    assert timer.cancelled()


@inside(at_table, DaideOptions(mtl=600))
async def test_reminders_are_of_the_deadline_there_is_and_stand_still_with_the_clock(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    at.clock.now += 1.0
    for seconds in (0, 5, 600):
        assert await england.ask(f"TME ( {seconds} )") == f"YES ( TME ( {seconds} ) )"
    assert england.guest._news is not None
    timers = england.guest._news.reminders._timers
    assert [timer is not None for timer in timers.values()] == [True, True, False], "the last is past"
    first = timers[5]
    assert first is not None
    await at.hall.submit("table", it.Pause("host"))
    assert first.cancelled()
    assert set(timers.values()) == {None}
    await at.hall.submit("table", it.Resume("host"))
    assert timers[5] is not None
    assert timers[5] is not first
