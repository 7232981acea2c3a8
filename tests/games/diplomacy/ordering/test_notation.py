"""The lenient reader: what it takes, what it refuses and what it suggests."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.diplomacy.engine.state import first_state
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.ordering.actions import action_table
from parlour.games.diplomacy.ordering.notation import MAX_LENGTH, WrittenOrder, read_order, read_unit
from parlour.games.diplomacy.ordering.orders import Order
from parlour.games.diplomacy.ordering.reasons import Flaw, Reason
from parlour.games.diplomacy.ordering.texts import texts

SPELLINGS = [
    ("A PAR - BUR", "A PAR - BUR"),
    ("  a par-bur ", "A PAR - BUR"),
    ("A Par -> Bur", "A PAR - BUR"),
    ("A Par → Bur.", "A PAR - BUR"),
    ("ARMY PARIS MOVES TO BURGUNDY", "A PAR - BUR"),
    ("army Paris move Burgundy", "A PAR - BUR"),
    ("FRANCE A PAR - BUR", "A PAR - BUR"),
    ("France: A PAR - BUR", "A PAR - BUR"),
    ("( FRA AMY PAR ) MTO BUR", "A PAR - BUR"),
    ("( FRA AMY PAR ) HLD", "A PAR H"),
    ("A PAR HOLDS", "A PAR H"),
    ("( FRA FLT MAO ) MTO ( SPA SCS )", "F MAO - SPA/SC"),
    ("F MAO - SPA(SC)", "F MAO - SPA/SC"),
    ("F MAO - SPA SC", "F MAO - SPA/SC"),
    ("F Mid-Atlantic Ocean - Spain (south coast)", "F MAO - SPA/SC"),
    ("F mid atlantic ocean - SPANC", "F MAO - SPA/NC"),
    ("F STP-SC - Gulf of Bothnia", "F STP/SC - BOT"),
    ("F St. Petersburg/SC - GOB", "F STP/SC - BOT"),
    ("( FRA AMY BUR ) SUP ( FRA AMY PAR )", "A BUR S A PAR"),
    ("A BUR SUPPORTS A PAR HOLD", "A BUR S A PAR"),
    ("( FRA AMY PAR ) SUP ( FRA AMY MAR ) MTO BUR", "A PAR S A MAR - BUR"),
    ("army Paris supports army Marseilles to Burgundy", "A PAR S A MAR - BUR"),
    ("A PAR S A MAR - BUR VIA", "A PAR S A MAR - BUR"),
    ("( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO NWY", "F NTH C A YOR - NWY"),
    ("F NTH CONVOYS A LON - NWY", "F NTH C A LON - NWY"),
    ("( ENG AMY YOR ) CTO NWY VIA ( NTH SKA )", "A YOR - NWY VIA"),
    ("A LON - NWY VIA CONVOY", "A LON - NWY VIA"),
    ("A LON - NWY by convoy", "A LON - NWY VIA"),
    ("A LON - NTH - NWY", "A LON - NWY VIA"),
    ("F ECH - GOL", "F ENG - LYO"),
    ("F ENG - BRE", "F ENG - BRE"),
    ("ENG F LON - ENG", "F LON - ENG"),
    ("ENGLAND F LON - ENG", "F LON - ENG"),
    ("F LIV - BOT", "F LVN - BOT"),
    ("( FRA AMY PAR ) RTO GAS", "A PAR R GAS"),
    ("A PAR RETREATS TO GAS", "A PAR R GAS"),
    ("( FRA AMY PAR ) DSB", "A PAR D"),
    ("DISBAND A PAR", "A PAR D"),
    ("( RUS FLT ( STP SCS ) ) BLD", "F STP/SC B"),
    ("BUILD F STPSC", "F STP/SC B"),
    ("A PAR BUR", "A PAR - BUR"),
    ("F St Petersburg sc Gulf of Bothnia", "F STP/SC - BOT"),
    ("a mar s a par bur", "A MAR S A PAR - BUR"),
    ("f nth c a lon nwy", "F NTH C A LON - NWY"),
    ("FRA WVE", "WAIVE"),
    ("ENG WVE", "WAIVE"),
    ("waive", "WAIVE"),
]


@pytest.mark.parametrize(("given", "strict"), SPELLINGS)
def test_many_spellings_are_one_order(given: str, strict: str) -> None:
    assert str(Order.read(given)) == strict


@pytest.mark.parametrize(
    ("text", "reason", "part", "suggestion"),
    [
        ("", Reason.UNREADABLE, "", ""),
        ("A PAR", Reason.UNREADABLE, "A PAR", ""),
        ("A PAR -", Reason.UNREADABLE, "A PAR -", ""),
        ("A PAR - BUR BUR", Reason.UNREADABLE, "BUR", ""),
        ("A PAR WAIVE", Reason.UNREADABLE, "A PAR WAIVE", ""),
        ("F NTH C A LON", Reason.UNREADABLE, "F NTH C A LON", ""),
        ("A PAR X BUR", Reason.UNREADABLE, "X", ""),
        ("A PRA - BUR", Reason.UNKNOWN_PROVINCE, "PRA", "PAR"),
        ("A PAR - BURGUNDI", Reason.UNKNOWN_PROVINCE, "BURGUNDI", "BUR"),
        ("F Noth Sea - LON", Reason.UNKNOWN_PROVINCE, "NOTH SEA", "NTH"),
        ("A PAR - QQQQ", Reason.UNKNOWN_PROVINCE, "QQQQ", ""),
        ("🙂", Reason.UNKNOWN_PROVINCE, "🙂", ""),
        ("\x00", Reason.UNKNOWN_PROVINCE, "\x00", ""),
    ],
)
def test_bad_orders_get_a_reason_the_part_and_a_suggestion(
    text: str, reason: Reason, part: str, suggestion: str
) -> None:
    flaw = read_order(text, standard())
    assert isinstance(flaw, Flaw)
    assert (flaw.reason, flaw.part, flaw.suggestion) == (reason, part, suggestion)
    assert flaw.expected


def test_length_is_bounded() -> None:
    assert isinstance(read_order("A PAR - BUR".ljust(MAX_LENGTH), standard()), WrittenOrder)
    flaw = read_order("A PAR - BUR".ljust(MAX_LENGTH + 1), standard())
    assert isinstance(flaw, Flaw)
    assert flaw.reason is Reason.TOO_LONG


def test_the_channel_and_the_power_are_told_apart() -> None:
    channel = read_order("ENG S LON", standard())
    power = read_order("ENG A LVP S ENG", standard())
    assert isinstance(channel, WrittenOrder)
    assert isinstance(power, WrittenOrder)
    assert channel.unit is not None
    assert power.unit is not None
    assert power.other is not None
    assert (standard().provinces[channel.unit.place.province].tag, channel.unit.power) == ("ENG", None)
    assert (standard().provinces[power.unit.place.province].tag, power.unit.power) == ("LVP", 1)
    assert standard().provinces[power.other.place.province].tag == "ENG"


def test_a_unit_needs_its_type() -> None:
    flaw = read_unit("PAR", standard())
    assert isinstance(flaw, Flaw)
    assert flaw.reason is Reason.NEEDS_TYPE


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_reading_what_was_written_gives_the_same_order(name: str) -> None:
    board = named(name)
    strings = texts(board)
    for action in action_table(board).actions.tolist()[:: 1 if name == "lagoon" else 7]:
        order = strings.order(action, first_state(board))
        stage = "adjustments" if order.kind >= 10 else "orders"
        assert Order.read(str(order), stage=stage, board=board) == order


@given(st.text(max_size=MAX_LENGTH + 10) | st.text(string.ascii_uppercase + " -/()", max_size=40))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    assert isinstance(read_order(text, standard()), WrittenOrder | Flaw)
