"""Each note of THX with a real mistake, and none for orders that the rules allow."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.net.daide.client_messages import Submitting, read
from parlour.net.daide.notes import note_on, note_on_doomed
from parlour.press.language import message_types as v
from parlour.press.language.tokens import standard_lexicon
from parlour.press.orders import from_text, to_text
from parlour.press.press_position import board_of
from support.daide.wire import tokens

UNITS = {
    "ENGLAND": ["F LON", "A LVP", "F NTH", "A YOR", "F ENG"],
    "FRANCE": ["F MAO", "A PAR", "F BRE", "F GAS", "A MAR"],
    "GERMANY": ["A MUN"],
}
MOVES = {"phase": "S1902M", "units": UNITS}
BUILDS = {
    "phase": "W1902A",
    "units": {"ENGLAND": ["F LON"], "FRANCE": ["A PAR", "A MAR", "A BUR"], "RUSSIA": ["A MOS"]},
    "centers": {
        "ENGLAND": ["LON", "EDI", "BEL"], "FRANCE": ["PAR"], "GERMANY": ["LVP"], "RUSSIA": ["MOS", "STP", "WAR"],
    },
}  # fmt: skip
FLIGHT = {
    "phase": "S1902R",
    "units": {"GERMANY": ["A BUR", "A PIC"], "FRANCE": ["A MAR"]},
    "retreats": {"FRANCE": {"A BUR": ["PAR", "GAS"], "F SPA/SC": ["WES", "POR"]}},
}


def note(given: Mapping[str, object], seat: str, order: str, *before: str) -> str:
    board = board_of(Position(*read_state(given, standard())))
    phrase = read(tokens(f"SUB ( {order} )"), standard_lexicon())
    assert isinstance(phrase, Submitting)
    meaning = phrase.orders[0][1]
    assert meaning is not None
    return note_on(meaning, board, Seat(seat), before)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("( FRA FLT MAO ) SUP ( FRA FLT GAS ) MTO SPA", "MBV"),
        ("( FRA AMY MAR ) SUP ( FRA FLT MAO ) MTO SPA", "MBV"),
        ("( FRA FLT MAO ) SUP ( FRA AMY MAR ) MTO SPA", "MBV"),
        ("( FRA FLT MAO ) SUP ( FRA FLT BRE ) MTO SPA", "FAR"),
        ("( FRA AMY MAR ) CTO SPA VIA ( MAO )", "FAR"),
    ],
)
def test_a_support_to_a_province_with_two_coasts_is_to_either(order: str, expected: str) -> None:
    assert note(MOVES, "FRANCE", order) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("( ENG FLT LON ) HLD", "MBV"),
        ("( ENG FLT LON ) MTO WAL", "MBV"),
        ("( ENG FLT LON ) MTO HOL", "FAR"),
        ("( ENG AMY LVP ) MTO IRI", "FAR"),
        ("( ENG AMY LON ) HLD", "NSU"),
        ("( ENG FLT EDI ) HLD", "NSU"),
        ("( FRA AMY PAR ) MTO BUR", "NYU"),
        ("( ENG FLT LON ) SUP ( ENG FLT NTH )", "MBV"),
        ("( ENG FLT LON ) SUP ( ENG AMY NTH )", "NSU"),
        ("( ENG FLT LON ) SUP ( GER AMY MUN )", "FAR"),
        ("( ENG FLT NTH ) SUP ( GER AMY MUN ) MTO HOL", "FAR"),
        ("( ENG FLT NTH ) SUP ( ENG AMY YOR ) MTO HOL", "FAR"),  # its own convoy
        ("( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO HOL", "MBV"),
        ("( ENG FLT NTH ) CVY ( ENG AMY EDI ) CTO HOL", "NSA"),
        ("( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO RUH", "FAR"),
        ("( ENG FLT LON ) CVY ( ENG AMY YOR ) CTO HOL", "NAS"),
        ("( ENG AMY YOR ) CVY ( ENG AMY LVP ) CTO HOL", "NSF"),
        ("( ENG AMY YOR ) CTO HOL VIA ( NTH )", "MBV"),
        ("( ENG AMY YOR ) CTO NWY VIA ( NWG )", "NSF"),
        ("( ENG AMY YOR ) CTO HOL VIA ( ECH )", "FAR"),
        ("( ENG AMY YOR ) CTO YOR VIA ( NTH )", "FAR"),
        ("( ENG AMY YOR ) CTO RUH VIA ( NTH )", "FAR"),
        ("( ENG AMY YOR ) CTO BEL VIA ( NTH ECH )", "MBV"),
        ("( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO YOR", "FAR"),
        ("( ENG FLT NTH ) CVY ( GER AMY MUN ) CTO HOL", "FAR"),
        ("( ENG FLT LON ) SUP ( ENG FLT LON )", "FAR"),
        ("( ENG FLT ECH ) SUP ( FRA FLT BRE )", "MBV"),
        ("( ENG FLT ECH ) SUP ( FRA FLT GAS )", "FAR"),
        ("( ENG FLT NTH ) SUP ( ENG AMY YOR ) MTO YOR", "FAR"),
        ("( ENG FLT LON ) SUP ( ENG FLT NTH ) MTO WAL", "FAR"),
        ("( ENG FLT LON ) CTO HOL VIA ( NTH )", "NSA"),
        ("( ENG FLT LON ) RTO WAL", "NRS"),
        ("( ENG FLT LON ) BLD", "NRS"),
        ("ENG WVE", "NRS"),
    ],
)
def test_movement(order: str, expected: str) -> None:
    assert note(MOVES, "ENGLAND", order) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("( FRA FLT MAO ) MTO SPA", "CST"),
        ("( FRA FLT MAO ) MTO ( SPA SCS )", "MBV"),
        ("( FRA FLT BRE ) MTO ( SPA NCS )", "FAR"),
        ("( FRA AMY MAR ) MTO ( SPA NCS )", "CST"),
        ("( FRA AMY PAR ) MTO ( SPA NCS )", "FAR"),
        ("( FRA FLT MAO ) MTO ( BUL ECS )", "FAR"),
        ("( FRA FLT GAS ) MTO ( SPA SCS )", "FAR"),
        ("( FRA FLT GAS ) MTO ( SPA NCS )", "MBV"),
        ("( FRA FLT GAS ) MTO SPA", "MBV"),
        ("( FRA AMY MAR ) MTO SPA", "MBV"),
    ],
)
def test_coasts(order: str, expected: str) -> None:
    assert note(MOVES, "FRANCE", order) == expected


@pytest.mark.parametrize(
    ("seat", "order", "before", "expected"),
    [
        ("ENGLAND", "( ENG FLT EDI ) BLD", [], "MBV"),
        ("ENGLAND", "( ENG AMY LON ) BLD", [], "ESC"),
        ("ENGLAND", "( ENG AMY BEL ) BLD", [], "HSC"),
        ("ENGLAND", "( ENG AMY LVP ) BLD", [], "YSC"),
        ("ENGLAND", "( ENG AMY YOR ) BLD", [], "NSC"),
        ("ENGLAND", "( ENG AMY NTH ) BLD", [], "CST"),
        ("ENGLAND", "( ENG FLT PAR ) BLD", [], "CST"),
        ("ENGLAND", "( ENG AMY PAR ) BLD", [], "YSC"),
        ("ENGLAND", "( ENG AMY LON ) BLD", ["WAIVE", "WAIVE"], "ESC"),
        ("ENGLAND", "( ENG AMY EDI ) BLD", ["WAIVE"], "MBV"),
        ("ENGLAND", "( ENG AMY EDI ) BLD", ["WAIVE", "WAIVE"], "NMB"),
        ("ENGLAND", "( FRA AMY PAR ) BLD", [], "NYU"),
        ("ENGLAND", "ENG WVE", [], "MBV"),
        ("ENGLAND", "FRA WVE", [], "NYU"),
        ("ENGLAND", "ENG WVE", ["A EDI B"], "MBV"),  # no home is free for the second build
        ("ENGLAND", "ENG WVE", ["WAIVE", "WAIVE"], "NMB"),
        ("RUSSIA", "( RUS FLT STP ) BLD", [], "CST"),
        ("RUSSIA", "( RUS FLT ( STP NCS ) ) BLD", [], "MBV"),
        ("RUSSIA", "( RUS AMY ( STP NCS ) ) BLD", [], "CST"),
        ("RUSSIA", "( RUS FLT WAR ) BLD", [], "CST"),
        ("FRANCE", "( FRA AMY BUR ) REM", [], "MBV"),
        ("FRANCE", "( FRA AMY MAR ) REM", ["A BUR D", "A PAR D"], "NMR"),
        ("FRANCE", "( FRA AMY MAR ) REM", ["A BUR D"], "MBV"),
        ("FRANCE", "( FRA AMY BUR ) REM", ["A BUR D", "A PAR D"], "MBV"),
        ("FRANCE", "( FRA AMY GAS ) REM", [], "NSU"),
        ("FRANCE", "( ENG FLT LON ) REM", [], "NYU"),
        ("FRANCE", "( FRA AMY PAR ) BLD", [], "NMB"),
        ("FRANCE", "( FRA AMY PAR ) HLD", [], "NRS"),
    ],
)
def test_adjustments(seat: str, order: str, before: list[str], expected: str) -> None:
    assert note(BUILDS, seat, order, *before) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("( FRA AMY BUR ) RTO PAR", "MBV"),
        ("( FRA AMY BUR ) RTO PIC", "NVR"),
        ("( FRA AMY BUR ) DSB", "MBV"),
        ("( FRA AMY MAR ) RTO SPA", "NRN"),
        ("( FRA AMY PAR ) DSB", "NSU"),
        ("( FRA FLT ( SPA SCS ) ) RTO WES", "MBV"),
        ("( FRA FLT ( SPA SCS ) ) RTO MAR", "NVR"),
        ("( FRA FLT ( SPA SCS ) ) RTO BUL", "CST"),
        ("( FRA FLT SPA ) RTO WES", "MBV"),
        ("( FRA FLT ( SPA NCS ) ) RTO POR", "NSU"),
        ("( FRA AMY SPA ) DSB", "NSU"),
        ("( GER AMY BUR ) DSB", "NYU"),
        ("( GER AMY PIC ) DSB", "NYU"),
    ],
)
def test_retreats(order: str, expected: str) -> None:
    assert note(FLIGHT, "FRANCE", order) == expected


def test_a_province_of_another_map_is_none_here() -> None:
    phrase = read([*tokens("SUB ( ( ENG FLT LON ) MTO"), "?50ff", ")"], standard_lexicon())
    assert isinstance(phrase, Submitting)
    assert phrase.orders[0][1] is None


def test_whatever_may_be_valid_is_allowed_by_the_rules() -> None:
    """Otherwise the match refuses orders that clients were told to be valid."""
    position = Position(*read_state(MOVES, standard()))
    board, seat = board_of(position), Seat("ENGLAND")
    others = [*board.units.values()]
    for unit in [unit for unit in others if unit.power == "ENG"]:
        for to in board.names.lexicon.provinces:
            orders = [*(kind(unit, other, to) for kind in (v.SupportMove, v.Convoy) for other in others)]
            for order in orders:
                if note_on(order, board, seat, []) == "MBV":
                    assert not position.check(seat, [to_text(order, board)]), order


def test_whatever_the_rules_allow_may_be_valid() -> None:
    rng = random.Random(3)
    position = Position.start()
    for _ in range(60):
        board = board_of(position)
        chosen = {}
        for seat in position.to_act():
            chosen[seat] = position.sample(seat, rng)
            for text in chosen[seat]:
                meaning = from_text(text, board, board.names.lexicon.seats[seat])
                assert meaning is not None
                assert note_on(meaning, board, seat, []) == "MBV", (position.fen, text)
                assert to_text(meaning, board).removesuffix(" VIA") == text.removesuffix(" VIA")
        position = position.resolve(chosen)
        if position.over:
            position = Position.start()


@pytest.mark.parametrize(
    ("order", "note"),
    [
        (v.Disband(v.Unit("ENG", "FLT", "STP SCS")), "MBV"),
        (v.Disband(v.Unit("ENG", "FLT", "STP")), "MBV"),
        (v.Retreat(v.Unit("ENG", "FLT", "STP SCS"), "GOB"), "NVR"),
        (v.Disband(v.Unit("FRA", "AMY", "TUN")), "NYU"),
        (v.Disband(v.Unit("ENG", "AMY", "STP")), "NSU"),
        (v.Disband(v.Unit("ENG", "FLT", "LON")), "NSU"),
        (v.Hold(v.Unit("ENG", "FLT", "STP SCS")), "NSU"),
    ],
)
def test_a_unit_that_can_go_nowhere_can_only_be_disbanded_and_only_by_its_owner(order: v.Order, note: str) -> None:
    doomed = {"STP": v.Unit("ENG", "FLT", "STP SCS"), "TUN": v.Unit("FRA", "AMY", "TUN")}
    assert note_on_doomed(order, doomed, "ENG") == note
