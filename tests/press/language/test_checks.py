"""The semantic cases: press that is well-formed and still makes no sense, or means less than it could."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v
from parlour.press.language.checks import Findings, Kind, examine
from parlour.press.language.reader import read
from parlour.press.language.tokens import Lexicon
from parlour.press.language.writer import write
from parlour.press.orders import from_text
from parlour.press.press_position import board_of
from support.press.strategies import LEVELS, messages


def _examined(text: str, **more: object) -> Findings:
    return examine(read(text), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "text", "kind", "fatal"),
    [
        ("S1", "PRP ( PCE ( ENG ENG ) )", Kind.DUPLICATE, True),
        ("S2", "PRP ( ALY ( ENG FRA ) VSS ( FRA ) )", Kind.OVERLAP, False),
        ("S4", "PRP ( XDO ( ( ENG FLT PAR ) HLD ) )", Kind.IMPOSSIBLE_UNIT, True),
        ("S5", "PRP ( XDO ( ( ENG AMY ( STP NCS ) ) HLD ) )", Kind.ARMY_WITH_COAST, False),
        ("S7", "PRP ( XDO ( ( TUR FLT CON ) MTO BUL ) )", Kind.AMBIGUOUS_COAST, True),
        ("S8", "PRP ( XDO ( ( ENG FLT LON ) MTO PAR ) )", Kind.FAR, True),
        ("army at sea", "PRP ( XDO ( ( ENG AMY NTH ) HLD ) )", Kind.IMPOSSIBLE_UNIT, True),
        ("support too far", "PRP ( XDO ( ( ENG FLT LON ) SUP ( FRA AMY PAR ) ) )", Kind.FAR, True),
        ("support to too far", "PRP ( XDO ( ( ENG FLT LON ) SUP ( FRA AMY PAR ) MTO BUR ) )", Kind.FAR, True),
        ("wrong coast", "PRP ( XDO ( ( RUS FLT ( STP SCS ) ) MTO BAR ) )", Kind.FAR, True),
        ("army carries", "PRP ( XDO ( ( ENG AMY LON ) CVY ( ENG AMY YOR ) CTO NWY ) )", Kind.IMPOSSIBLE_UNIT, True),
        ("broken route", "PRP ( XDO ( ( ENG AMY YOR ) CTO NWY VIA ( ECH ) ) )", Kind.FAR, True),
        ("fleet carried", "PRP ( XDO ( ( ENG FLT YOR ) CTO NWY VIA ( NTH ) ) )", Kind.IMPOSSIBLE_UNIT, True),
        ("convoy inland", "PRP ( XDO ( ( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO PAR ) )", Kind.FAR, True),
        ("convoy to sea", "PRP ( XDO ( ( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO NWG ) )", Kind.FAR, True),
        ("convoy nowhere", "PRP ( XDO ( ( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO YOR ) )", Kind.FAR, True),
        ("convoy from inland", "PRP ( XDO ( ( ENG FLT NTH ) CVY ( FRA AMY PAR ) CTO NWY ) )", Kind.FAR, True),
        ("convoy on another sea", "PRP ( XDO ( ( RUS FLT BLA ) CVY ( ENG AMY LON ) CTO NWY ) )", Kind.FAR, True),
        ("sent nowhere", "PRP ( XDO ( ( ENG AMY YOR ) CTO YOR VIA ( NTH ) ) )", Kind.FAR, True),
        ("sent to sea", "PRP ( XDO ( ( ENG AMY YOR ) CTO NWG VIA ( NTH ) ) )", Kind.FAR, True),
        ("support of a fleet inland", "PRP ( XDO ( ( FRA AMY GAS ) SUP ( FRA FLT BRE ) MTO PAR ) )", Kind.FAR, True),
        ("support to where it is", "PRP ( XDO ( ( FRA AMY PAR ) SUP ( FRA AMY BUR ) MTO BUR ) )", Kind.FAR, True),
        ("support from nowhere", "PRP ( XDO ( ( FRA AMY PAR ) SUP ( TUR AMY CON ) MTO BUR ) )", Kind.FAR, True),
        ("support to the wrong coast", "PRP ( XDO ( ( FRA AMY GAS ) SUP ( FRA FLT ADR ) MTO SPA ) )", Kind.FAR, True),
        ("support of itself", "PRP ( XDO ( ( FRA AMY BUR ) SUP ( FRA AMY BUR ) MTO PAR ) )", Kind.FAR, True),
        ("support of itself there", "PRP ( XDO ( ( FRA AMY BUR ) SUP ( FRA AMY BUR ) ) )", Kind.FAR, True),
        ("support to oneself", "PRP ( XDO ( ( FRA AMY PAR ) SUP ( FRA AMY BUR ) MTO PAR ) )", Kind.FAR, True),
        ("build abroad", "PRP ( XDO ( ( FRA AMY LON ) BLD ) )", Kind.NOT_HOME, True),
        ("build off a centre", "PRP ( XDO ( ( FRA AMY BUR ) BLD ) )", Kind.NOT_HOME, True),
        ("build on a coast", "PRP ( XDO ( ( RUS FLT STP ) BLD ) )", Kind.AMBIGUOUS_COAST, True),
        ("army to a coast", "PRP ( XDO ( ( FRA AMY MAR ) MTO ( SPA NCS ) ) )", Kind.ARMY_WITH_COAST, False),
        ("choice", "PRP ( CHO ( 3 2 ) ( DRW ) ( SLO ( ENG ) ) )", Kind.BAD_CHOICE, True),
        ("share twice", "PRP ( SCD ( ENG LON ) ( ENG LVP ) )", Kind.DUPLICATE, True),
        ("inside AND", "PRP ( AND ( DRW ) ( NOT ( PCE ( ENG ENG ) ) ) )", Kind.DUPLICATE, True),
        ("inside YES", "YES ( PRP ( PCE ( ENG ENG ) ) )", Kind.DUPLICATE, True),
        ("occupied", "PRP ( OCC ( ENG FLT PAR ) )", Kind.IMPOSSIBLE_UNIT, True),
    ],
)
def test_nonsense_is_objected_to(case: str, text: str, kind: Kind, fatal: bool) -> None:
    found = _examined(text)
    assert [objection.kind for objection in found.objections] == [kind], case
    assert (found.refused is not None) is fatal
    assert found.objections[0].message


def test_power_that_is_out_stops_the_message() -> None:  # S3
    found = _examined("PRP ( PCE ( ENG TUR ) )", out={"TUR"}).refused
    assert found is not None
    assert found.answer == "OUT ( TUR )"


def test_only_coast_in_reach_is_filled_in() -> None:  # S6
    found = _examined("PRP ( XDO ( ( ENG FLT BAR ) MTO STP ) )")
    assert not found.objections
    assert write(found.message) == "PRP ( XDO ( ( ENG FLT BAR ) MTO ( STP NCS ) ) )"
    nested = _examined("YES ( PRP ( AND ( DRW ) ( NOT ( XDO ( ( ENG FLT BAR ) MTO STP ) ) ) ) )")
    inner = "XDO ( ( ENG FLT BAR ) MTO ( STP NCS ) )"
    assert write(nested.message) == f"YES ( PRP ( AND ( DRW ) ( NOT ( {inner} ) ) ) )"


def test_army_loses_the_coast_it_cannot_have() -> None:  # S5
    found = _examined("PRP ( XDO ( ( ENG FLT NWY ) SUP ( ENG AMY ( STP NCS ) ) ) )")
    assert write(found.message) == "PRP ( XDO ( ( ENG FLT NWY ) SUP ( ENG AMY STP ) ) )"
    found = _examined("PRP ( XDO ( ( FRA AMY MAR ) MTO ( SPA NCS ) ) )")
    assert write(found.message) == "PRP ( XDO ( ( FRA AMY MAR ) MTO SPA ) )"


@pytest.mark.parametrize(
    "text",
    [
        "PRP ( XDO ( ( FRA AMY PAR ) RTO GAS ) )",  # S9
        "PRP ( XDO ( ( RUS FLT ( STP NCS ) ) BLD ) )",  # S10
        "PRP ( XDO ( RUS WVE ) )",
        "PRP ( XDO ( ( ENG AMY YOR ) CTO NWY VIA ( NTH ) ) )",
        "PRP ( XDO ( ( RUS FLT STP ) MTO BAR ) )",
        "PRP ( XDO ( ( RUS AMY STP ) BLD ) )",
        "PRP ( XDO ( ( FRA AMY PIC ) SUP ( ENG AMY YOR ) MTO BEL ) )",  # by convoy
        "PRP ( XDO ( ( FRA AMY GAS ) SUP ( TUR AMY SMY ) MTO SPA ) )",  # by a long one
        "PRP ( XDO ( ( FRA AMY GAS ) SUP ( FRA FLT SPA ) MTO MAR ) )",  # from the one coast or the other
        "PRP ( XDO ( ( ENG FLT NTH ) CVY ( TUR AMY SMY ) CTO STP ) )",
        "PRP ( OCC ( ENG UNT PAR ) )",
        "TRY ( )",
        "HUH ( ERR PRP )",
    ],
)
def test_sense_is_not_objected_to(text: str) -> None:
    found = _examined(text)
    assert not found.objections
    assert found.message == read(text)


def test_sender_may_not_be_among_the_receivers() -> None:  # S17
    found = _examined("PRP ( PCE ( ENG FRA ) )", sender="ENG", to=("FRA", "ENG")).refused
    assert found is not None
    assert found.answer == "REJ ( SND ( FRA ENG ) ( PRP ( PCE ( ENG FRA ) ) ) )"


def test_receiver_in_civil_disorder_stops_the_message_for_all() -> None:  # S18
    found = _examined("PRP ( PCE ( ENG FRA ) )", sender="ENG", to=("FRA", "GER"), disordered={"GER"}).refused
    assert found is not None
    assert found.answer == "CCD ( GER )"


def test_receiver_that_is_out_stops_the_message() -> None:
    found = _examined("TRY ( )", sender="ENG", to=("TUR",), out={"TUR"}).refused
    assert found is not None
    assert found.kind is Kind.OUT


def test_variant_has_its_own_words() -> None:
    lagoon = named("lagoon")
    lexicon = Lexicon.of(lagoon)
    one, other = list(lexicon.powers)[:2]
    message = read(f"PRP (PCE ({one} {other}))", lexicon=lexicon)
    assert not examine(message, board=lagoon).objections


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_no_legal_order_is_objected_to(name: str) -> None:
    rng, position, seen = random.Random(5), Position.start(named(name)), 0
    lexicon = Lexicon.of(position.board)
    for _ in range(40):
        if position.over:
            break
        board = board_of(position)
        for seat in position.to_act():
            for text in position.legal(seat):
                order = from_text(text, board, lexicon.seats[seat])
                assert order is not None
                found = examine(v.Propose(v.Execute(order)), board=position.board)
                assert not found.objections, text
                assert found.message == v.Propose(v.Execute(order))
                seen += 1
        position, _ = position.apply({seat: position.sample(seat, rng) for seat in position.to_act()})
    assert seen > 500


@pytest.mark.parametrize("level", LEVELS)
def test_whatever_can_be_said_can_be_examined(level: int) -> None:
    @given(messages(level))
    def examined(message: v.Message) -> None:
        found = examine(message, sender="ENG", to=("FRA",), out=("TUR",))
        assert type(found.message) is type(message)
        assert examine(found.message).message == found.message, "filling in is done once"

    examined()
