"""Conversations at the DAIDE door, without sockets: what options change, and who is told what."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.games.diplomacy.maps.map import named
from parlour.net.daide import match_messages
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.places import Gate
from parlour.net.daide.tokens import codec, written
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.daide.table import HOLDS, POWERS, DaideTable, at_table, winter_position
from support.waiting import inside

pytestmark = pytest.mark.usefixtures("time_by_hand")


# Before the start


@inside(at_table, DaideOptions(level=10))
async def test_before_the_start_the_first_position_is_told_and_nothing_else(at: DaideTable) -> None:
    voice = at.newcomer()
    await voice.sit("bot")
    assert (await voice.ask("NOW")).startswith("NOW ( SPR 1901 ) ( AUS AMY BUD )")
    assert (await voice.ask("SCO")).startswith("SCO ( AUS BUD TRI VIE )")
    assert (await voice.ask("MDF")).startswith("MDF ( AUS ENG")
    for question in ("HLO", "ORD", "MIS", "TME", "TME ( 5 )", "DRW", "GOF", "NOT ( GOF )", "HST ( SPR 1901 )"):
        assert await voice.ask(question) == f"REJ ( {question} )"
    assert await voice.ask("SUB ( ( AUS AMY BUD ) HLD )") == "REJ ( SUB ( ( AUS AMY BUD ) HLD ) )"
    assert await voice.ask("SND ( ENG ) ( TRY ( ) )") == "REJ ( SND ( ENG ) ( TRY ( ) ) )"


@pytest.mark.parametrize(("level", "expected"), [(0, it.PlayerType.NO_PRESS_BOT), (10, it.PlayerType.PRESS_BOT)])
def test_whether_a_bot_talks_is_known_by_the_level_of_its_match(
    tmp_path: Path, level: int, expected: it.PlayerType
) -> None:
    async def scene(at: DaideTable) -> None:
        await at.newcomer().sit("bot@table")
        joined = [event for event in await at.hall.record("table") if isinstance(event, ev.Joined)]
        assert [event.player_type for event in joined] == [expected]

    at_table(tmp_path, scene, DaideOptions(level=level))


@inside(at_table)
async def test_nobody_sits_down_in_a_match_that_began_meanwhile(at: DaideTable) -> None:
    late = at.newcomer()
    assert (await late.say("NME ( 'late@table' ) ( '1' )"))[0].startswith("YES")
    lines = await at.seven()
    await lines["AUS"].guest.leave()
    assert await late.say("YES ( MAP ( 'standard' ) )") == ["OFF"]
    assert late.shown_out


@inside(at_table)
async def test_namesakes_who_come_at_the_same_time_each_have_a_seat_of_their_own(at: DaideTable) -> None:
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


# Orders


@inside(at_table)
async def test_orders_that_wait_behind_one_another_are_answered_one_by_one(at: DaideTable) -> None:
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


@inside(at_table)
async def test_orders_that_come_together_are_stored_once(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    heard = await england.say("SUB ( ( ENG FLT LON ) HLD )", "SUB ( ( ENG FLT EDI ) HLD )")
    assert [said.split()[0] for said in heard] == ["THX", "MIS", "THX", "MIS"]
    events = await at.hall.record("table")
    assert sum(isinstance(event, ev.Acted) for event in events) == 1


@inside(at_table, DaideOptions(aoa=True))
async def test_any_order_is_accepted_for_a_unit_of_ones_own(at: DaideTable) -> None:
    lines = await at.seven()
    heard = await lines["ENG"].say(
        "SUB ( ( ENG FLT LON ) MTO MOS ) ( ( FRA AMY PAR ) HLD ) ( ( ENG FLT NTH ) HLD )"
        " ( ENG WVE ) ( ( ENG FLT EDI ) SUP ( ENG AMY YOR ) ) ( ( ENG AMY LVP ) RTO WAL )"
    )
    assert [said.split()[-2] for said in heard] == ["MBV", "NYU", "NSU", "NRS", "MBV", "MBV"]
    for power in POWERS:
        if power != "ENG":
            await lines[power].say(f"SUB {HOLDS[power]}")
    told = lines["FRA"].heard()
    assert "ORD ( SPR 1901 ) ( ( ENG FLT LON ) MTO MOS ) ( FAR )" in told
    assert "ORD ( SPR 1901 ) ( ( ENG FLT EDI ) SUP ( ENG AMY YOR ) ) ( NSU )" in told
    assert "ORD ( SPR 1901 ) ( ( ENG AMY LVP ) RTO WAL ) ( NRS )" in told
    lines["GER"].heard()
    again = await lines["GER"].say("ORD")
    assert [said for said in told if said.startswith("ORD")] == again
    assert (await lines["GER"].say("HST ( SPR 1901 )"))[:22] == again


@inside(at_table)
async def test_who_has_nothing_to_do_misses_nothing(at: DaideTable) -> None:
    lines = await at.seven()
    await at.hall.submit("table", it.SetPosition("host", winter_position()))
    assert await lines["ENG"].ask("MIS") == "MIS"
    assert await lines["ENG"].ask("GOF") == "YES ( GOF )"
    assert await lines["ENG"].ask("SUB ( ENG WVE )") == "THX ( ENG WVE ) ( NMB )"
    assert await lines["FRA"].ask("MIS") == "MIS ( -1 )"
    assert await lines["FRA"].say("SUB ( ( FRA AMY PAR ) BLD )", "GOF")


# Draws


@inside(at_table, DaideOptions(level=10, pda=True))
async def test_a_draw_may_leave_some_out(at: DaideTable) -> None:
    lines = await at.seven()
    few = "DRW ( ENG FRA )"
    assert await lines["AUS"].ask("DRW ( AUS )") == "HUH ( DRW ( AUS ERR ) )"
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


@inside(at_table)
async def test_without_the_option_a_draw_is_one_of_all(at: DaideTable) -> None:
    lines = await at.seven()
    assert await lines["AUS"].ask("DRW ( ENG FRA )") == "HUH ( DRW ERR ( ENG FRA ) )"
    assert await lines["AUS"].ask("NOT ( DRW ( ENG FRA ) )") == "HUH ( NOT ( DRW ERR ( ENG FRA ) ) )"
    for power in POWERS:
        assert await lines[power].ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"
        assert await lines[power].ask("DRW") == "YES ( DRW )"
    assert lines["AUS"].heard()[0] == "DRW"


@inside(at_table, DaideOptions(level=10, pda=True))
async def test_in_a_game_of_partial_draws_it_is_said_who_shares_in_one_of_all(at: DaideTable) -> None:
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


@inside(at_table)
async def test_a_match_that_is_called_off_has_no_result(at: DaideTable) -> None:
    lines = await at.seven()
    await at.hall.submit("table", it.Cancel("admin"))
    assert lines["AUS"].heard() == ["OFF"]


# Words to everybody


def test_admin_messages_are_passed_on_where_that_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_messages, "MAX_ADMIN", 2)

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
        await at.hall.submit("table", it.Announce("host", "tea is served"))
        assert "ADM ( 'host' ) ( 'tea is served' )" in lines["FRA"].heard()
        await at.play({})
        lines["ENG"].heard()
        assert (await lines["ENG"].say(said)) == [said], "a new turn"

    at_table(tmp_path, scene, DaideOptions(adm=True))


@inside(at_table)
async def test_admin_messages_are_rejected_elsewhere(at: DaideTable) -> None:
    assert await at.newcomer().ask("ADM ( 'a' ) ( 'b' )") == "REJ ( ADM ( 'a' ) ( 'b' ) )"
    assert await (await at.seven())["ENG"].ask("ADM ( 'a' ) ( 'b' )") == "REJ ( ADM ( 'a' ) ( 'b' ) )"


@inside(at_table)
async def test_only_who_was_asked_says_yes_to_a_map_and_only_once(at: DaideTable) -> None:
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


# Variants


@inside(at_table, gate=Gate(match="gone"))
async def test_behind_the_port_of_a_match_that_is_gone_there_is_nothing_to_observe(at: DaideTable) -> None:
    assert await at.newcomer().ask("OBS") == "REJ ( OBS )"
    assert not (await at.hall.page()).heads


@inside(at_table)
async def test_who_waits_for_enough_players_hears_nothing_before_the_first_turn(at: DaideTable) -> None:
    terms = Terms(HOSTED, quorum=2, vacancy=Vacancy.DEFAULT)
    await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="few"))
    first, second = at.newcomer(), at.newcomer()
    await first.sit("ENG:first@few")
    await at.hall.submit("few", it.Start("host"))
    assert not [said for said in first.heard() if said.startswith(("HLO", "SCO", "NOW"))]
    await second.sit("FRA:second@few")
    assert [said.split()[0] for said in first.heard()] == ["HLO", "SCO", "NOW"]
    assert (await first.ask(f"SUB {HOLDS['ENG']}")).startswith("THX")


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
        assert await at.reception.observers.place(standard) is None

    at_table(tmp_path, scene, gate=gate)


def test_the_words_of_a_variant_are_told_by_rm() -> None:
    words = codec(named("lagoon"))
    raw = words.representation()
    assert len(raw) == 6 * (len(words.board.powers) + len(words.board.provinces))
    for power in words.board.powers:
        assert bytes((0x41, power.id)) + power.tag.encode() + b"\0" in raw
    assert written(words.decode(words.encode(["NOW", words.board.provinces[0].daide]))).startswith("NOW")


@inside(at_table)
async def test_an_order_for_a_place_of_another_map_is_quoted_as_it_came(at: DaideTable) -> None:
    england = (await at.seven())["ENG"]
    for order in ("?50ff ( )", "?50ff '()'"):  # told apart though they look the same as text
        assert await england.ask(f"SUB ( {order} )") == f"THX ( {order} ) ( NSP )"
