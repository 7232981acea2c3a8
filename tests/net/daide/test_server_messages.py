"""Messages of the server on boards and turns: the standard MDF, supply, units, all orders, missing orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.net.daide import server_messages as sm
from parlour.net.daide.tokens import written
from support.daide.wire import CODEC, as_sets

START = Position.start()


def position(phase: str, **more: object) -> Position:
    return Position(*read_state({"phase": phase, **more}, standard()))


def test_the_map_is_that_of_the_real_server() -> None:
    theirs = sm.words((Path(__file__).parent / "mdf_standard.txt").read_text(encoding="utf-8"))
    assert as_sets(sm.map_definition(standard())) == as_sets(theirs)
    assert len(CODEC.encode(sm.map_definition(standard()))) == 2562


def test_who_owns_nothing_is_left_out() -> None:
    owned = {"FRANCE": ["PAR", "MAR"], "TURKEY": ["ANK"]}
    text = written(sm.supply(position("S1905M", units={"FRANCE": ["A PAR"]}, centers=owned)))
    assert text.startswith("SCO ( FRA MAR PAR ) ( TUR ANK ) ( UNO ")
    assert " BRE " in text


def test_units_stand_in_the_order_of_powers_with_coasts_in_brackets() -> None:
    text = written(sm.now(START))
    assert text.startswith("NOW ( SPR 1901 ) ( AUS AMY BUD ) ( AUS FLT TRI ) ( AUS AMY VIE ) ( ENG FLT EDI )")
    assert "( RUS FLT ( STP SCS ) )" in text


def battle() -> Position:
    units = {
        "FRANCE": ["A PAR", "A GAS", "A BUR"],
        "GERMANY": ["A RUH", "A MUN", "A KIE"],
        "ENGLAND": ["F NTH", "A YOR"],
    }
    before = position("F1903M", units=units)
    return before.resolve(
        {
            "GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR", "A KIE S A BUR"],
            "FRANCE": ["A BUR - MUN", "A PAR S A BUR - MUN"],
            "ENGLAND": ["A YOR - HOL VIA", "F NTH C A YOR - HOL"],
        }
    )


def test_every_unit_of_every_power_is_reported_with_its_result() -> None:
    after = battle()
    assert after.turn is not None
    said = [written(report) for report in sm.reports(after.turn)]
    assert len(said) == 8
    assert "ORD ( FAL 1903 ) ( ( FRA AMY BUR ) MTO MUN ) ( BNC RET )" in said
    assert "ORD ( FAL 1903 ) ( ( GER AMY MUN ) MTO BUR ) ( SUC )" in said
    assert "ORD ( FAL 1903 ) ( ( GER AMY RUH ) SUP ( GER AMY MUN ) MTO BUR ) ( SUC )" in said
    assert "ORD ( FAL 1903 ) ( ( ENG AMY YOR ) CTO HOL VIA ( NTH ) ) ( SUC )" in said
    assert "ORD ( FAL 1903 ) ( ( FRA AMY GAS ) HLD ) ( SUC )" in said  # nobody ordered it
    assert "ORD ( FAL 1903 ) ( ( FRA AMY PAR ) HLD ) ( SUC )" in said  # its order was void: PAR does not touch MUN


@pytest.mark.parametrize(
    ("orders", "via", "result"),
    [
        (["F NWG C A EDI - NWY"], "NWG", "SUC"),
        (["F NTH C A EDI - NWY"], "NTH", "SUC"),
        (["F NTH C A EDI - NWY", "F NWG C A EDI - NWY"], "NTH", "SUC"),
        (["F NWG C A EDI - CLY", "F NTH - SKA"], "NTH", "NSO"),  # nobody carried it: any way will do
    ],
)
def test_a_convoyed_army_goes_by_the_fleets_that_carried_it(orders: list[str], via: str, result: str) -> None:
    before = position("S1902M", units={"ENGLAND": ["A EDI", "F NTH", "F NWG"]})
    after = before.resolve({"ENGLAND": ["A EDI - NWY VIA", *orders]})
    assert after.turn is not None
    said = [written(report) for report in sm.reports(after.turn)]
    assert f"ORD ( SPR 1902 ) ( ( ENG AMY EDI ) CTO NWY VIA ( {via} ) ) ( {result} )" in said


@pytest.mark.parametrize(
    ("orders", "said"),
    [
        ({"FRANCE": ["A PAR - PIC"], "GERMANY": ["A RUH - BEL"]}, "( ( GER AMY RUH ) MTO BEL ) ( SUC )"),
        ({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]}, "( ( FRA AMY PAR ) MTO BUR ) ( BNC )"),
        ({"FRANCE": ["A PAR S A MUN - BUR"]}, "( ( FRA AMY PAR ) SUP ( GER AMY MUN ) MTO BUR ) ( NSO )"),
        ({"FRANCE": ["F MAO S F ENG"], "ENGLAND": ["F IRI - MAO"]}, "( ( FRA FLT MAO ) SUP ( FRA FLT ECH ) ) ( CUT )"),
        (
            {"FRANCE": ["A PIC - LON VIA", "F ENG C A PIC - LON"], "ENGLAND": ["F NTH - ENG", "F WAL S F NTH - ENG"]},
            "( ( FRA AMY PIC ) CTO LON VIA ( ECH ) ) ( DSR )",
        ),
        (
            {"FRANCE": ["F ENG C A PIC - LON"], "ENGLAND": ["F NTH - ENG", "F WAL S F NTH - ENG"]},
            "( ( FRA FLT ECH ) CVY ( FRA AMY PIC ) CTO LON ) ( NSO RET )",
        ),
        ({"ENGLAND": ["F NTH - ENG", "F WAL S F NTH - ENG"]}, "( ( FRA FLT ECH ) HLD ) ( RET )"),
        (  # only moves are disrupted, and only moves bounce
            {"FRANCE": ["A PIC - LON VIA", "F ENG C A PIC - LON"], "ENGLAND": ["F NTH - ENG", "F WAL S F NTH - ENG"]},
            "( ( FRA FLT ECH ) CVY ( FRA AMY PIC ) CTO LON ) ( RET )",
        ),
        (
            {"FRANCE": ["A PIC - LON VIA", "F ENG C A PIC - LON"], "ENGLAND": ["F NTH - LON"]},
            "( ( FRA FLT ECH ) CVY ( FRA AMY PIC ) CTO LON ) ( SUC )",
        ),
        (
            {"FRANCE": ["A PIC - LON VIA", "F ENG C A PIC - LON"], "ENGLAND": ["F NTH - LON"]},
            "( ( FRA AMY PIC ) CTO LON VIA ( ECH ) ) ( BNC )",
        ),
    ],
)
def test_what_became_of_an_order(orders: dict[str, list[str]], said: str) -> None:
    units = {
        "FRANCE": ["A PAR", "A PIC", "F ENG", "F MAO"],
        "GERMANY": ["A MUN", "A RUH"],
        "ENGLAND": ["F NTH", "F WAL", "F IRI"],
    }
    after = position("S1902M", units=units).resolve(orders)
    assert after.turn is not None
    assert f"ORD ( SPR 1902 ) {said}" in [written(report) for report in sm.reports(after.turn)]


def test_a_dislodged_unit_has_where_it_may_go() -> None:
    after = battle()
    assert after.phase == "F1903R"
    assert "( FRA AMY BUR MRT ( BEL MAR PIC ) )" in written(sm.now(after))
    assert not sm.centres_may_change(after.turn)  # type: ignore[arg-type]
    retreated = after.resolve({"FRANCE": ["A BUR R BEL"]})
    assert retreated.turn is not None
    assert sm.centres_may_change(retreated.turn)
    assert [written(report) for report in sm.reports(retreated.turn)] == [
        "ORD ( AUT 1903 ) ( ( FRA AMY BUR ) RTO BEL ) ( SUC )"
    ]


def test_every_build_that_is_not_used_is_waived_in_words() -> None:
    winter = position(
        "W1901A", units={"FRANCE": ["A PAR"], "ITALY": []}, centers={"FRANCE": ["PAR", "MAR", "BRE"], "ITALY": ["ROM"]}
    )
    after = winter.resolve({"FRANCE": ["F BRE B"]})
    assert after.turn is not None
    assert sorted(written(report) for report in sm.reports(after.turn)) == [
        "ORD ( WIN 1901 ) ( ( FRA FLT BRE ) BLD ) ( SUC )",
        "ORD ( WIN 1901 ) ( FRA WVE ) ( SUC )",
        "ORD ( WIN 1901 ) ( ITA WVE ) ( SUC )",
    ]


@pytest.mark.parametrize(
    ("phase", "units", "centres", "orders", "said"),
    [
        ("S1901M", {"RUSSIA": ["A MOS", "F STP/SC"]}, {}, {"MOS": "A MOS H"}, "MIS ( RUS FLT ( STP SCS ) )"),
        ("S1901M", {"RUSSIA": ["A MOS"]}, {}, {"MOS": "A MOS H"}, "MIS"),
        ("W1901A", {"RUSSIA": ["A MOS"]}, {"RUSSIA": ["MOS", "WAR", "SEV"]}, {"WAR": "A WAR B"}, "MIS ( -1 )"),
        ("W1901A", {"RUSSIA": ["A MOS", "A WAR", "A SEV"]}, {"RUSSIA": ["MOS"]}, {}, "MIS ( 2 )"),
        ("W1901A", {"RUSSIA": ["A MOS"]}, {"RUSSIA": ["MOS", "WAR"]}, {"0": "WAIVE"}, "MIS"),
    ],
)
def test_what_is_missing(
    phase: str, units: dict[str, list[str]], centres: dict[str, list[str]], orders: dict[str, str], said: str
) -> None:
    more = {"centers": centres} if centres else {}
    asked = sm.asked_of(position(phase, units=units, **more), Seat("RUSSIA"))
    assert written(sm.missing(asked, orders)) == said


def test_what_is_missing_in_retreats_has_where_to_go() -> None:
    asked = sm.asked_of(battle(), Seat("FRANCE"))
    assert written(sm.missing(asked, {})) == "MIS ( FRA AMY BUR MRT ( BEL MAR PIC ) )"


@pytest.mark.parametrize(
    ("season", "phase"), [("SPR", "S1901M"), ("SUM", "S1901R"), ("FAL", "F1901M"), ("AUT", "F1901R"), ("WIN", "W1901A")]
)
def test_turns_are_phases(season: str, phase: str) -> None:
    assert sm.phase_of_turn(season, 1901) == phase
    assert sm.phase_of_turn("HLD", 1901) == sm.phase_of_turn(season, "NOW") == ""


def test_the_summary_names_players_centres_and_years() -> None:
    text = written(sm.summary(START, [("AUS", "Bot", "1", None), ("ENG", "", "", 1904)]))
    assert text == "SMR ( SPR 1901 ) ( AUS ( 'Bot' ) ( '1' ) 3 ) ( ENG ( ) ( ) 3 1904 )"
