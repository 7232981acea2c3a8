"""Conversations at the DAIDE door, without sockets: what options change, who is told what, and who comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daide_table import HOLDS, POWERS, DaideTable, at_table
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.games.diplomacy.map import named
from parlour.net import pulse
from parlour.net.daide import guest as guest_module
from parlour.net.daide import reception as reception_module
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.reception import Gate, Reception
from parlour.net.daide.tokens import Numbering, codec, written
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_module, "WRONG_CODE_DELAY", 0.0)
    monkeypatch.setattr(pulse, "BEAT", 1e9)  # time is set by hand, which is no downtime


# Before the start


def test_before_the_start_the_first_position_is_told_and_nothing_else(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        voice = at.newcomer()
        await voice.sit("bot")
        assert (await voice.ask("NOW")).startswith("NOW ( SPR 1901 ) ( AUS AMY BUD )")
        assert (await voice.ask("SCO")).startswith("SCO ( AUS BUD TRI VIE )")
        assert (await voice.ask("MDF")).startswith("MDF ( AUS ENG")
        for question in ("HLO", "ORD", "MIS", "TME", "TME ( 5 )", "DRW", "GOF", "NOT ( GOF )", "HST ( SPR 1901 )"):
            assert await voice.ask(question) == f"REJ ( {question} )"
        assert await voice.ask("SUB ( ( AUS AMY BUD ) HLD )") == "REJ ( SUB ( ( AUS AMY BUD ) HLD ) )"
        assert await voice.ask("SND ( ENG ) ( TRY ( ) )") == "REJ ( SND ( ENG ) ( TRY ( ) ) )"

    at_table(tmp_path, scene, DaideOptions(level=10))


@pytest.mark.parametrize(("level", "expected"), [(0, it.PlayerType.NO_PRESS_BOT), (10, it.PlayerType.PRESS_BOT)])
def test_whether_a_bot_talks_is_known_by_the_level_of_its_match(
    tmp_path: Path, level: int, expected: it.PlayerType
) -> None:
    async def scene(at: DaideTable) -> None:
        await at.newcomer().sit("bot@table")
        joined = [event for event in await at.hall.record("table") if isinstance(event, ev.Joined)]
        assert [event.player_type for event in joined] == [expected]

    at_table(tmp_path, scene, DaideOptions(level=level))


def test_nobody_sits_down_in_a_match_that_began_meanwhile(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        late = at.newcomer()
        assert (await late.say("NME ( 'late@table' ) ( '1' )"))[0].startswith("YES")
        lines = await at.seven()
        await lines["AUS"].guest.leave()
        assert await late.say("YES ( MAP ( 'standard' ) )") == ["OFF"]
        assert late.shown_out

    at_table(tmp_path, scene)


def test_namesakes_who_come_at_the_same_time_each_have_a_seat_of_their_own(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        bots = [at.newcomer() for _ in POWERS]
        await asyncio.gather(*(bot.sit("HoldBot@table") for bot in bots))
        played: dict[str, list[str]] = {}
        for bot in bots:
            power = (await bot.ask("HLO")).split()[2]
            bot.heard()
            played[power] = await bot.say(f"SUB {HOLDS[power]}")
        assert sorted(played) == sorted(POWERS)
        assert all(heard[0].startswith("THX") for heard in played.values())
        for bot in bots:
            await bot.guest.leave()
        events = await at.hall.record("table")
        assert sum(isinstance(event, ev.Left) for event in events) == 7

    at_table(tmp_path, scene)


# Orders


def test_orders_that_wait_behind_one_another_are_answered_one_by_one(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        heard = await england.say(
            "SUB ( ( ENG FLT LON ) MTO NTH )",
            "SUB ( FAL 1901 ) ( ( ENG FLT EDI ) HLD )",
            "SUB ( ( ENG FLT EDI ) MTO",
            "SUB ( ( ENG FLT EDI ) MTO )",
            "SUB ( ( ENG FLT EDI ) MTO NWG ) ( ( ENG AMY LVP ) MTO YOR )",
        )
        assert heard == [
            "THX ( ( ENG FLT LON ) MTO NTH ) ( MBV )",
            "MIS ( ENG FLT EDI ) ( ENG AMY LVP )",
            "REJ ( SUB ( FAL 1901 ) ( ( ENG FLT EDI ) HLD ) )",
            "PRN ( SUB ( ( ENG FLT EDI ) MTO )",
            "HUH ( SUB ( ( ENG FLT EDI ) MTO ERR ) )",
            "THX ( ( ENG FLT EDI ) MTO NWG ) ( MBV )",
            "THX ( ( ENG AMY LVP ) MTO YOR ) ( MBV )",
        ]
        events = await at.hall.record("table")
        acted = [event for event in events if isinstance(event, ev.Acted)]
        assert [event.action for event in acted] == [
            ["F LON - NTH"],
            ["F LON - NTH", "F EDI - NWG", "A LVP - YOR"],
        ]
        assert await england.ask("MIS") == "MIS"

    at_table(tmp_path, scene)


def test_orders_that_come_together_are_stored_once(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        heard = await england.say("SUB ( ( ENG FLT LON ) HLD )", "SUB ( ( ENG FLT EDI ) HLD )")
        assert [said.split()[0] for said in heard] == ["THX", "MIS", "THX", "MIS"]
        events = await at.hall.record("table")
        assert sum(isinstance(event, ev.Acted) for event in events) == 1

    at_table(tmp_path, scene)


def test_any_order_is_accepted_for_a_unit_of_ones_own(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        heard = await lines["ENG"].say(
            "SUB ( ( ENG FLT LON ) MTO MOS ) ( ( FRA AMY PAR ) HLD ) ( ( ENG FLT NTH ) HLD )"
            " ( ( ENG FLT LON ) RTO WAL ) ( ( ENG FLT EDI ) HLD ) ( ( ENG AMY LVP ) CTO NWY VIA ( NTH ) )"
        )
        assert [said.split()[-2] for said in heard] == ["MBV", "NYU", "NSU", "NRS", "MBV", "MBV"]
        for power in POWERS:
            if power != "ENG":
                await lines[power].say(f"SUB {HOLDS[power]}")
        told = lines["FRA"].heard()
        assert "ORD ( SPR 1901 ) ( ( ENG FLT LON ) HLD ) ( SUC )" in told
        assert "ORD ( SPR 1901 ) ( ( ENG AMY LVP ) HLD ) ( SUC )" in told

    at_table(tmp_path, scene, DaideOptions(aoa=True))


def test_who_has_nothing_to_do_misses_nothing(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await at.hall.handle("table", it.SetPosition("host", _winter()))
        assert await lines["ENG"].ask("MIS") == "MIS"
        assert await lines["ENG"].ask("GOF") == "YES ( GOF )"
        assert await lines["ENG"].ask("SUB ( ENG WVE )") == "REJ ( SUB ( ENG WVE ) )"
        assert await lines["FRA"].ask("MIS") == "MIS ( -1 )"
        assert await lines["FRA"].say("SUB ( ( FRA AMY PAR ) BLD )", "GOF")

    at_table(tmp_path, scene)


def _winter() -> str:
    """France has a centre more than units, everybody else as many."""
    from parlour.games.diplomacy.position import Position

    start = Position.start()
    spring = start.resolve({"FRANCE": ["F BRE - MAO", "A PAR - GAS"]})
    fall = spring.resolve({"FRANCE": ["F MAO - POR"]})
    assert fall.phase == "W1901A"
    return str(fall.encode())


# Draws


def test_a_draw_may_leave_some_out(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        few = "DRW ( ENG FRA )"
        assert await lines["AUS"].ask("DRW ( AUS )") == "REJ ( DRW ( AUS ) )"
        assert await lines["AUS"].ask("NOT ( DRW ( ENG FRA ) )") == "YES ( NOT ( DRW ( ENG FRA ) ) )"
        assert await lines["AUS"].ask("DRW ( ENG FRA GER )") == "YES ( DRW ( ENG FRA GER ) )"
        for power in POWERS[:-1]:
            assert await lines[power].ask(few) == f"YES ( {few} )"
            assert await lines[power].ask(few) == f"YES ( {few} )"
        assert await lines["ENG"].ask(f"NOT ( {few} )") == f"YES ( NOT ( {few} ) )"
        assert await lines["TUR"].ask(few) == f"YES ( {few} )"
        assert lines["FRA"].heard() == []
        lines["TUR"].heard()
        assert (await lines["ENG"].say(few))[0] == f"YES ( {few} )"
        for power in POWERS[1:]:
            heard = lines[power].heard() or ["DRW ( ENG FRA )"]
            assert heard[0] == "DRW ( ENG FRA )"

    at_table(tmp_path, scene, DaideOptions(level=10, pda=True))


def test_without_the_option_a_draw_is_one_of_all(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        assert await lines["AUS"].ask("DRW ( ENG FRA )") == "REJ ( DRW ( ENG FRA ) )"
        for power in POWERS:
            assert await lines[power].ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"
            assert await lines[power].ask("DRW") == "YES ( DRW )"
        assert lines["AUS"].heard()[0] == "DRW"

    at_table(tmp_path, scene)


def test_in_a_game_of_partial_draws_it_is_said_who_shares_in_one_of_all(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        for power in POWERS[:-1]:
            await lines[power].say("DRW")
        lines["AUS"].heard()
        await lines["TUR"].say("DRW ( AUS ENG FRA GER ITA RUS TUR )")
        draw, summary, off = lines["AUS"].heard()
        assert draw == "DRW ( AUS ENG FRA GER ITA RUS TUR )"
        assert summary.startswith("SMR ( SPR 1901 ) ( AUS ( 'AUS:bot@table' ) ( 'v 0.1' ) 3 ) ( ENG (")
        assert off == "OFF"
        for late in (f"SUB {HOLDS['AUS']}", "GOF", "DRW", "NOT ( DRW )", "MIS", "TME ( 3 )", "NOT ( SUB )"):
            assert await lines["AUS"].ask(late) == f"REJ ( {late} )"

    at_table(tmp_path, scene, DaideOptions(level=10, pda=True))


def test_a_match_that_is_called_off_has_no_result(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await at.hall.handle("table", it.Cancel("admin"))
        assert lines["AUS"].heard() == ["OFF"]

    at_table(tmp_path, scene)


# Time


def test_reminders_are_set_taken_back_and_refused(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
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
        await at.hall.handle("table", it.Extend("host", 60.0))
        assert "TME ( 560 )" in england.heard()
        await england.guest.leave()

    at_table(tmp_path, scene, DaideOptions(mtl=600))


def test_without_limits_there_is_nothing_to_be_reminded_of(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        assert await england.ask("TME") == "REJ ( TME )"
        assert await england.ask("TME ( 58 )") == "REJ ( TME ( 58 ) )"
        assert await england.ask("TME ( 0 )") == "REJ ( TME ( 0 ) )"
        assert await england.ask("NOT ( TME )") == "YES ( NOT ( TME ) )"

    at_table(tmp_path, scene)


def test_the_clock_stops_while_somebody_is_cut_off_who_has_orders_due(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
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

    at_table(tmp_path, scene, DaideOptions(mtl=600, dsd=True))


def test_a_moderator_may_pause_what_stands_still_already_and_no_time_is_lost(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await at.pass_time(100)
        await lines["TUR"].guest.leave()
        await at.pass_time(50)
        lines["ENG"].heard()
        await at.hall.handle("table", it.Pause("host"))
        assert lines["ENG"].heard() == ["NOT ( TME ( 500 ) )"]
        await at.pass_time(50)
        await at.hall.handle("table", it.Resume("host"))
        assert lines["ENG"].heard() == ["TME ( 500 )"]

    at_table(tmp_path, scene, DaideOptions(mtl=600, dsd=True))


def test_without_the_option_the_clock_goes_on_and_so_does_the_match(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await lines.pop("TUR").guest.leave()
        assert lines["ENG"].heard() == ["CCD ( TUR )"]
        await at.play({})
        heard = lines["ENG"].heard()
        assert "ORD ( SPR 1901 ) ( ( TUR FLT ANK ) HLD ) ( SUC )" in heard
        assert heard[-2].startswith("NOW ( FAL 1901 )")
        assert heard[-1] == "TME ( 600 )"

    at_table(tmp_path, scene, DaideOptions(mtl=600))


def test_who_is_late_holds_and_the_match_goes_on(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await lines["ENG"].say("SUB ( ( ENG FLT LON ) MTO NTH )")
        await at.pass_time(601)
        heard = lines["FRA"].heard()
        assert "ORD ( SPR 1901 ) ( ( ENG FLT LON ) MTO NTH ) ( SUC )" in heard
        assert "ORD ( SPR 1901 ) ( ( ENG FLT EDI ) HLD ) ( SUC )" in heard

    at_table(tmp_path, scene, DaideOptions(mtl=600))


# Press

PEACE = "( PRP ( PCE ( ENG FRA ) ) )"


def test_press_to_who_is_cut_off_or_of_who_is_eliminated_reaches_nobody(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await lines["TUR"].guest.leave()
        lines["FRA"].heard()
        assert await lines["ENG"].ask(f"SND ( FRA TUR ) {PEACE}") == "CCD ( TUR )"
        assert lines["FRA"].heard() == []
        await at.hall.handle("table", it.SetPosition("host", _without_italy()))
        lines["FRA"].heard()
        assert await lines["ENG"].ask(f"SND ( FRA ITA ) {PEACE}") == "OUT ( ITA )"
        assert await lines["ENG"].ask("SND ( FRA ) ( PRP ( PCE ( ENG FRA ITA ) ) )") == "OUT ( ITA )"
        assert await lines["ITA"].ask("SND ( FRA ) ( PRP ( PCE ( FRA ENG ) ) )") == "OUT ( ITA )"
        assert lines["FRA"].heard() == []
        assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"YES ( SND ( FRA ) {PEACE} )"
        assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {PEACE}"]
        assert await lines["ITA"].ask("DRW") == "REJ ( DRW )"
        assert await lines["ITA"].ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"  # always, in a match that runs
        assert await lines["ITA"].ask("GOF") == "REJ ( GOF )"

    at_table(tmp_path, scene, DaideOptions(level=10))


def _without_italy() -> str:
    from parlour.games.diplomacy.forms import read_state
    from parlour.games.diplomacy.position import Position

    start = Position.start()
    state = {"phase": "S1902M", "units": {**start.units, "ITALY": []}, "centers": {**start.centers, "ITALY": []}}
    return str(Position(*read_state(state, start.board)).encode())


def test_there_are_turns_without_press(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await at.hall.handle("table", it.SetPosition("host", _winter()))
        assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"REJ ( SND ( FRA ) {PEACE} )"
        assert (await lines["ENG"].ask("HLO")).endswith("( ( LVL 10 ) ( NPB ) )")

    at_table(tmp_path, scene, DaideOptions(level=10, npb=True))


def test_retreats_without_press(tmp_path: Path) -> None:
    assert DaideOptions(level=10, npr=True).terms().press.silent_stages == ("retreats",)


def test_a_reminder_that_was_taken_back_is_not_given(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        for seconds in (500, 400):
            assert await england.ask(f"TME ( {seconds} )") == f"YES ( TME ( {seconds} ) )"
        assert england.guest._reminders is not None
        timers = dict(england.guest._reminders._timers)
        assert await england.ask("NOT ( TME ( 500 ) )") == "YES ( NOT ( TME ( 500 ) ) )"
        assert {seconds: timer and timer.cancelled() for seconds, timer in timers.items()} == {500: True, 400: False}

    at_table(tmp_path, scene, DaideOptions(mtl=600))


def test_press_ends_before_the_deadline(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await at.pass_time(500)
        assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"YES ( SND ( FRA ) {PEACE} )"
        await at.pass_time(91)
        assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"REJ ( SND ( FRA ) {PEACE} )"

    at_table(tmp_path, scene, DaideOptions(level=10, mtl=600, ptl=10))


def test_a_client_that_numbers_words_otherwise_is_spoken_to_in_its_own_numbers(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        parlance = codec(named("standard"), Numbering.DOCUMENT)
        calm = "( PRP ( NAR ( PCE ( ENG FRA ) ) ) )"
        assert await lines["ENG"].ask(f"SND ( FRA ) {calm}") == f"YES ( SND ( FRA ) {calm} )"
        assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"]
        lines["FRA"].codec = parlance
        assert await lines["FRA"].ask(f"SND ( ENG ) {calm}") == f"YES ( SND ( ENG ) {calm} )"
        assert lines["ENG"].heard() == [f"FRM ( FRA ) ( ENG ) {calm}"]
        await lines["ENG"].say(f"SND ( FRA ) {calm}")
        assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"], "in numbers that it knows"
        assert await lines["FRA"].ask("SND ( ENG ) ( PRP ( NAR ) )") == "HUH ( SND ( ENG ) ( PRP ( NAR ERR ) ) )"
        await lines["ENG"].say(f"SND ( FRA ) {calm}")
        assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"], "what makes sense in neither changes nothing"

    at_table(tmp_path, scene, DaideOptions(level=10))


def test_press_with_a_disputed_word_of_one_who_sits_nowhere_is_rejected_like_any_other(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        stranger = at.newcomer()
        for press in ("( PRP ( NAR ( PCE ( ENG FRA ) ) ) )", "( PRP ( PCE ( ENG FRA ) ) )"):
            assert await stranger.ask(f"SND ( FRA ) {press}") == f"REJ ( SND ( FRA ) {press} )"

    at_table(tmp_path, scene, DaideOptions(level=10))


def test_who_writes_to_a_bot_what_it_cannot_read_is_told(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        terms = Terms(HOSTED, press=PressTerms(PressMode.ANYTIME, level=8000), vacancy=Vacancy.DEFAULT)
        await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="mixed"))
        person = Session(at.hall, "ann")
        await person.join("mixed", Seat("FRANCE"))
        bot = at.newcomer()
        await bot.sit("ENG:bot@mixed")
        await at.hall.handle("mixed", it.Start("host"))
        bot.heard()
        answer = await person.handle("mixed", it.Say(Seat("FRANCE"), "hello there", (Seat("ENGLAND"),)))
        assert answer.refusal is None
        (note,) = answer.notes
        assert note.startswith("ENGLAND is played by a DAIDE bot, which reads structured press up to level 8000")
        assert bot.heard() == []
        answer = await person.handle("mixed", it.Say(Seat("FRANCE"), "hello all"))
        assert len(answer.notes) == 1
        structured = it.Say(Seat("FRANCE"), "PRP ( PCE ( ENG FRA ) )", (Seat("ENGLAND"),))
        assert (await person.handle("mixed", structured)).notes == ()
        assert bot.heard() == ["FRM ( FRA ) ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )"]
        await bot.guest.leave()
        answer = await person.handle("mixed", it.Say(Seat("FRANCE"), "still there?", (Seat("ENGLAND"),)))
        assert answer.notes == (), "nobody sits there"

    at_table(tmp_path, scene)


# Words to everybody


def test_admin_messages_are_passed_on_where_that_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_module, "MAX_ADMIN", 2)

    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        said = "ADM ( 'Evil Bot' ) ( 'I am going (soon)' )"
        for _ in range(2):
            assert await lines["ENG"].say(said) == [said]
            assert lines["FRA"].heard() == [said]
        assert await lines["ENG"].ask(said) == f"REJ ( {said} )"
        assert await lines["FRA"].ask("ADM ( 'a' ) ( )") == "REJ ( ADM ( 'a' ) ( ) )"
        (event, _) = [event for event in await at.hall.record("table") if isinstance(event, ev.Proclaimed)]
        assert event.by == "ENG:Evil Bot", "others can tell it from the host's own words"
        await at.hall.handle("table", it.Proclaim("host", "tea is served"))
        assert "ADM ( 'host' ) ( 'tea is served' )" in lines["FRA"].heard()
        await at.play({})
        lines["ENG"].heard()
        assert (await lines["ENG"].say(said)) == [said], "a new turn"

    at_table(tmp_path, scene, DaideOptions(adm=True))


def test_admin_messages_are_rejected_elsewhere(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        assert await at.newcomer().ask("ADM ( 'a' ) ( 'b' )") == "REJ ( ADM ( 'a' ) ( 'b' ) )"
        assert await (await at.seven())["ENG"].ask("ADM ( 'a' ) ( 'b' )") == "REJ ( ADM ( 'a' ) ( 'b' ) )"

    at_table(tmp_path, scene)


# Coming back


def test_who_comes_back_finds_its_orders_and_its_name(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = (await lines["TUR"].ask("HLO")).split()[5]
        await lines["TUR"].say("SUB ( ( TUR FLT ANK ) HLD )")
        again = at.newcomer()
        # As a bot of the C++ framework does it: its name is refused, then it says who it is and asks at once.
        assert (await again.ask("NME ( 'TUR:HoldBot@table' ) ( '8~3' )")).startswith("REJ")
        assert await again.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
        assert lines["TUR"].shown_out, "the old connection is dead"
        await lines["TUR"].guest.leave()
        assert lines["ENG"].heard() == [], "nobody was in disorder"
        assert await again.ask("MIS") == "MIS ( TUR AMY CON ) ( TUR AMY SMY )"
        for question, word in (("MAP", "MAP"), ("MDF", "MDF"), ("HLO", "HLO"), ("SCO", "SCO"), ("NOW", "NOW")):
            assert (await again.ask(question)).startswith(word)
        assert await again.ask(f"IAM ( TUR ) ( {code} )") == f"REJ ( IAM ( TUR ) ( {code} ) )"
        events = await at.hall.record("table")
        names = [event.name for event in events if isinstance(event, ev.Joined) and event.seat == "TURKEY"]
        assert set(names) == {"TUR:bot@table"}

    at_table(tmp_path, scene)


def test_who_held_the_turn_up_and_comes_back_lets_it_go_on(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = (await lines["TUR"].ask("HLO")).split()[5]
        for power, line in lines.items():
            await line.say(*(["NOT ( GOF )"] if power == "TUR" else []), f"SUB {HOLDS[power]}")
        again = at.newcomer()
        assert await again.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
        assert (await again.ask("NOW")).startswith("NOW ( SPR 1901 )")
        lines["ENG"].heard()
        await again.say("GOF")
        assert any(word.startswith("NOW ( FAL 1901 )") for word in lines["ENG"].heard())

    at_table(tmp_path, scene)


def test_only_who_was_asked_says_yes_to_a_map_and_only_once(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        agrees = "YES ( MAP ( 'standard' ) )"
        stranger = at.newcomer()
        assert await stranger.say(agrees) == []
        assert not stranger.shown_out
        for early in ("SUB ( ( ENG FLT LON ) HLD )", "NOT ( SUB )", "NOT ( SUB ( ( ENG FLT LON ) HLD ) )"):
            assert await stranger.ask(early) == f"REJ ( {early} )"
        lines = await at.seven()
        for line in lines.values():
            line.heard()
        assert await lines["ENG"].say(agrees) == []
        assert not lines["ENG"].shown_out
        assert await stranger.say("YES ( MAP ( 'standard' ) )", "REJ ( MAP ( 'standard' ) )") == []

    at_table(tmp_path, scene)


def test_a_bot_that_says_its_name_again_is_sent_back_to_where_it_was(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await lines["TUR"].guest.leave()
        assert await at.newcomer().ask("NME ( 'TUR:bot' ) ( '8~3' )") == "REJ ( NME ( 'TUR:bot' ) ( '8~3' ) )"
        assert (await at.newcomer().ask("NME ( 'ENG:bot' ) ( '8~3' )")).startswith("YES"), "another power"
        assert (await at.newcomer().ask("NME ( 'TUR:other' ) ( '8~3' )")).startswith("YES"), "another bot"
        assert (await at.newcomer().ask("NME ( 'bot' ) ( '8~3' )")).startswith("YES"), "it may play elsewhere"
        again = at.reception.__class__(at.hall)
        await again.open()
        assert await again.place("ENG:bot", at.gate) is None, "after a restart all are awaited"
        await at.hall.handle("table", it.Cancel("host"))
        assert (await at.newcomer().ask("NME ( 'TUR:bot' ) ( '8~3' )")).startswith("YES"), "that match is over"

    at_table(tmp_path, scene)


def test_a_seat_that_somebody_else_took_is_not_to_be_had_again(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = (await lines["TUR"].ask("HLO")).split()[5]
        await lines["TUR"].guest.leave()
        await at.hall.seat_agent("table", Seat("TURKEY"), "hold")
        back = at.newcomer()
        assert await back.ask(f"IAM ( TUR ) ( {code} )") == f"REJ ( IAM ( TUR ) ( {code} ) )"
        other = str(int(code) % 8191 + 1)
        assert await back.ask(f"IAM ( TUR ) ( {other} )") == f"REJ ( IAM ( TUR ) ( {other} ) )"

    at_table(tmp_path, scene)


def test_a_passcode_that_is_right_at_two_matches_leads_nobody_to_the_wrong_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reception, "passcode", lambda *about: 17)
    iam = "IAM ( TUR ) ( 17 )"

    async def scene(at: DaideTable) -> None:
        lines, others = dict(await at.seven()), dict(await at.seven("other"))
        assert (await at.newcomer().ask(iam)).startswith("REJ"), "both are here"
        await lines["TUR"].guest.leave()
        lines["ENG"].heard()
        back = at.newcomer()
        assert (await back.ask(iam)).startswith("YES"), "one was cut off"
        assert lines["ENG"].heard() == ["NOT ( CCD ( TUR ) )"]
        await back.guest.leave()
        await others["TUR"].guest.leave()
        again = at.newcomer()
        assert (await again.ask(iam)).startswith("REJ"), "both were"
        others["ENG"].heard()
        assert (await again.ask("NME ( 'TUR:bot@other' ) ( '1' )")).startswith("REJ")
        assert (await again.ask(iam)).startswith("YES"), "it has said which"
        assert others["ENG"].heard() == ["NOT ( CCD ( TUR ) )"]

    at_table(tmp_path, scene)


def test_a_passcode_is_good_for_the_match_that_was_named(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = (await lines["TUR"].ask("HLO")).split()[5]
        await lines["TUR"].guest.leave()
        elsewhere = at.newcomer()
        await elsewhere.say("NME ( 'XYZ:HoldBot@other' ) ( '8~3' )")
        assert (await elsewhere.ask(f"IAM ( TUR ) ( {code} )")).startswith("REJ")

    at_table(tmp_path, scene)


# Variants


def test_behind_the_port_of_a_match_that_is_gone_there_is_nothing_to_observe(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        assert await at.newcomer().ask("OBS") == "REJ ( OBS )"
        assert not (await at.hall.page()).heads

    at_table(tmp_path, scene, gate=Gate(match="gone"))


def test_who_waits_for_enough_players_hears_nothing_before_the_first_turn(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        terms = Terms(HOSTED, quorum=2, vacancy=Vacancy.DEFAULT)
        await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="few"))
        first, second = at.newcomer(), at.newcomer()
        await first.sit("ENG:first@few")
        await at.hall.handle("few", it.Start("host"))
        assert not [said for said in first.heard() if said.startswith(("HLO", "SCO", "NOW"))]
        await second.sit("FRA:second@few")
        assert [said.split()[0] for said in first.heard()] == ["HLO", "SCO", "NOW"]
        assert (await first.ask(f"SUB {HOLDS['ENG']}")).startswith("THX")

    at_table(tmp_path, scene)


def test_who_comes_back_in_the_first_turn_is_not_greeted_again_when_the_others_are_back(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        terms = Terms(HOSTED, quorum=2, vacancy=Vacancy.DEFAULT)
        await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="few"))
        voices = {power: at.newcomer() for power in ("ENG", "FRA")}
        for power, voice in voices.items():
            await voice.sit(f"{power}:bot@few")
        await at.hall.handle("few", it.Start("host"))
        again = {power: " ".join((await voice.ask("HLO")).split()[1:7]) for power, voice in voices.items()}
        for voice in voices.values():
            await voice.guest.leave()
        back = at.newcomer()
        assert await back.say(f"IAM {again['ENG']}") == [f"YES ( IAM {again['ENG']} )"]
        await at.newcomer().say(f"IAM {again['FRA']}")
        assert back.heard() == ["NOT ( CCD ( FRA ) )"]

    at_table(tmp_path, scene)


def test_a_variant_is_played_with_its_own_powers_and_provinces(tmp_path: Path) -> None:
    board = named("lagoon")
    gate = Gate(board)

    async def scene(at: DaideTable) -> None:
        standard = Gate()
        voices = {}
        for power in gate.lexicon.powers:
            voice = voices[power] = at.newcomer()
            heard = await voice.say(f"NME ( '{power}:bot@isles' ) ( '1' )")
            assert heard[1] == "MAP ( 'lagoon' )"
            await voice.say("YES ( MAP ( 'lagoon' ) )")
        first = next(iter(voices.values()))
        hello, supply, now = first.heard()[:3]
        assert hello.startswith(f"HLO ( {next(iter(voices))} )")
        assert supply.startswith("SCO")
        assert now.startswith("NOW ( SPR 1701 )")
        unit = now.split("( ")[2].split(" )")[0]
        assert (await first.ask(f"SUB ( ( {unit} ) HLD )")) == f"THX ( ( {unit} ) HLD ) ( MBV )"
        assert (await first.ask("MDF")).startswith("MDF ( " + " ".join(voices))
        at.gate = standard
        stranger = at.newcomer()
        assert (await stranger.ask("NME ( 'bot@isles' ) ( '1' )")).startswith("REJ"), "its numbers are not those"
        assert await stranger.ask("OBS") == "YES ( OBS )"
        assert stranger.guest._at is not None
        assert stranger.guest._at.match != "isles"

    at_table(tmp_path, scene, gate=gate)


def test_the_words_of_a_variant_are_told_by_rm() -> None:
    words = codec(named("lagoon"))
    raw = words.representation()
    assert len(raw) == 6 * (len(words.board.powers) + len(words.board.provinces))
    for power in words.board.powers:
        assert bytes((0x41, power.id)) + power.tag.encode() + b"\0" in raw
    assert written(words.decode(words.encode(["NOW", words.board.provinces[0].daide]))).startswith("NOW")


def test_whoever_guesses_passcodes_from_an_address_soon_has_none_that_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception_module, "GUESSES", 2.0)

    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = int((await lines["ENG"].ask("HLO")).split()[5])
        await lines["ENG"].guest.leave()

        async def says(code: int, address: str) -> str:
            voice = at.newcomer(address)
            return (await voice.ask(f"IAM ( ENG ) ( {code} )")).split()[0]

        wrong = code % 8191 + 1
        assert [await says(wrong, "192.0.2.1") for _ in range(2)] == ["REJ", "REJ"]
        assert await says(code, "192.0.2.1") == "REJ", "it has guessed too often"
        at.clock.now += 11.0
        assert await says(code, "192.0.2.1") == "YES", "one more guess is allowed, and a right one costs nothing"
        assert await says(code, "192.0.2.1") == "YES"
        assert await says(wrong, "192.0.2.1") == "REJ"
        assert await says(code, "192.0.2.2") == "YES", "others are not held up"

    at_table(tmp_path, scene)


UNSPEAKABLE = ("²", "٣", "--5", "99999", "9" * 5000, "XYZQ", "?", "?40", "?4001", "?0041", "?zzzz")


@pytest.mark.parametrize("word", UNSPEAKABLE)
def test_words_that_no_token_is_for_cut_nobody_off(tmp_path: Path, word: str) -> None:
    """HUH quotes anything. Through other doors that may be what no token is for, or what is one of another kind."""

    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        seats = at.gate.lexicon.seat_of
        await at.hall.handle("table", it.Say(seats["ENG"], f"HUH ( ERR {word} )", (seats["FRA"],)))
        assert lines["FRA"].heard() == []
        await lines["ENG"].say(f"SND ( FRA ) {PEACE}")
        assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {PEACE}"]

    at_table(tmp_path, scene, DaideOptions(level=10))


def test_a_token_that_nobody_knows_is_quoted_as_it_came(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        await lines["ENG"].say("SND ( FRA ) ( HUH ( ERR ?58ff -3 '( a' ) )")
        assert lines["FRA"].heard() == ["FRM ( ENG ) ( FRA ) ( HUH ( ERR ?58ff -3 '( a' ) )"]

    at_table(tmp_path, scene, DaideOptions(level=10))


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("SUB ( '(' ENG FLT LON ')' HLD )", "HUH ( SUB ( ERR '(' ENG FLT LON ')' HLD ) )"),
        ("SND ( FRA ) ( PRP '(' PCE ( ENG FRA ) ')' )", "HUH ( SND ( FRA ) ( PRP ERR '(' PCE ( ENG FRA ) ')' ) )"),
    ],
)
def test_a_character_of_a_string_is_no_word_though_it_looks_like_one(tmp_path: Path, said: str, heard: str) -> None:
    async def scene(at: DaideTable) -> None:
        assert await (await at.seven())["ENG"].ask(said) == heard

    at_table(tmp_path, scene, DaideOptions(level=10))


def test_an_order_for_a_place_of_another_map_is_quoted_as_it_came(tmp_path: Path) -> None:
    async def scene(at: DaideTable) -> None:
        england = (await at.seven())["ENG"]
        for order in ("?50ff ( )", "?50ff '()'"):  # told apart though they look the same as text
            assert await england.ask(f"SUB ( {order} )") == f"THX ( {order} ) ( NSP )"

    at_table(tmp_path, scene)
