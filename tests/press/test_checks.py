"""The semantic cases: press that is well-formed and still makes no sense, or means less than it could."""

from __future__ import annotations

import pytest
from hypothesis import given

from parlour.games.diplomacy.map import named
from parlour.press import values as v
from parlour.press.checks import Findings, Kind, examine
from parlour.press.reader import read
from parlour.press.tokens import Lexicon
from parlour.press.writer import write
from press_strategies import LEVELS, messages


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


@pytest.mark.parametrize(
    "text",
    [
        "PRP ( XDO ( ( FRA AMY PAR ) RTO GAS ) )",  # S9
        "PRP ( XDO ( ( RUS FLT ( STP NCS ) ) BLD ) )",  # S10
        "PRP ( XDO ( RUS WVE ) )",
        "PRP ( XDO ( ( ENG AMY YOR ) CTO NWY VIA ( NTH ) ) )",
        "PRP ( XDO ( ( RUS FLT STP ) MTO BAR ) )",
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


@pytest.mark.parametrize("level", LEVELS)
def test_whatever_can_be_said_can_be_examined(level: int) -> None:
    @given(messages(level))
    def examined(message: v.Message) -> None:
        found = examine(message, sender="ENG", to=("FRA",), out=("TUR",))
        assert type(found.message) is type(message)
        assert examine(found.message).message == found.message, "filling in is done once"

    examined()
