"""Orders between DAIDE, strings and actions: nothing is lost on the way."""

from __future__ import annotations

import random

import pytest

from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v
from parlour.press.language.english import phrase
from parlour.press.language.reader import read
from parlour.press.language.tokens import Lexicon
from parlour.press.language.writer import write
from parlour.press.orders import clash, from_action, from_text, performer, route, same, to_action, to_text
from parlour.press.press_position import PhaseBoard, board_of
from support.press.stories import at, promised_order


def _board(position: Position) -> PhaseBoard:
    return board_of(position)


def _check_all(position: Position) -> int:
    """Return every legal order of a position through all three languages and back; how many there were."""
    board, lexicon, count = _board(position), Lexicon.of(position.board), 0
    for seat in position.to_act():
        power = lexicon.seats[seat]
        texts = position.legal(seat)
        actions = position.legal_actions(seat).tolist()
        for text in texts:
            order = from_text(text, board, power)
            assert order is not None, text
            assert to_text(order, board) == text
            message = v.Propose(v.Execute(order))
            assert read(write(message), lexicon=lexicon) == message
            action = to_action(order, board)
            assert action in actions, text
            assert action is not None
            assert from_action(action, board, power) == order
        for action in actions:
            order = from_action(action, board, power)
            assert order is not None
            assert to_action(order, board) == action
            assert to_text(order, board) in texts
        count += len(texts) + len(actions)
    return count


def _walk(position: Position, seed: int, phases: int) -> int:
    rng, count = random.Random(seed), 0
    for _ in range(phases):
        if position.over:
            break
        count += _check_all(position)
        position, _ = position.apply({seat: position.sample(seat, rng) for seat in position.to_act()})
    return count


@pytest.mark.parametrize("seed", range(3))
def test_every_legal_order_survives_three_languages(seed: int) -> None:
    assert _walk(Position.start(), seed, 12) > 1000


def test_every_legal_order_of_a_variant_survives() -> None:
    assert _walk(Position.start(named("lagoon")), 0, 12) > 200


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_every_legal_order_of_long_matches_survives(seed: int) -> None:
    assert _walk(Position.start(), seed, 120) > 200


CONVOYS = at(
    "S1902M", "ENG=AYOR,FNTH,FNWG,FENG,ALON;FRA=FMAO,ABRE;RUS=FSTP/NC,FBAR;TUR=FCON,FBUL/EC", "ENG=LON;FRA=BRE"
)


def test_every_legal_order_with_convoys_and_coasts_survives() -> None:
    assert _check_all(CONVOYS) > 200


@pytest.mark.parametrize(
    ("text", "power", "daide"),
    [
        ("A YOR H", "ENG", "( ENG AMY YOR ) HLD"),
        ("A YOR - EDI", "ENG", "( ENG AMY YOR ) MTO EDI"),
        ("A YOR - NWY VIA", "ENG", "( ENG AMY YOR ) CTO NWY VIA ( NTH )"),
        ("F NTH C A YOR - NWY", "ENG", "( ENG FLT NTH ) CVY ( ENG AMY YOR ) CTO NWY"),
        ("F NTH S F STP/NC - NWY", "ENG", "( ENG FLT NTH ) SUP ( RUS FLT ( STP NCS ) ) MTO NWY"),
        ("F ENG S F MAO", "ENG", "( ENG FLT ECH ) SUP ( FRA FLT MAO )"),
        ("F MAO - SPA/SC", "FRA", "( FRA FLT MAO ) MTO ( SPA SCS )"),
        ("F BAR - STP/NC", "RUS", "( RUS FLT BAR ) MTO ( STP NCS )"),
        ("F CON - BUL/EC", "TUR", "( TUR FLT CON ) MTO ( BUL ECS )"),
        ("f con-bul (ec)", "TUR", "( TUR FLT CON ) MTO ( BUL ECS )"),
        ("A LON - NWY", "ENG", "( ENG AMY LON ) CTO NWY VIA ( NTH )"),
    ],
)
def test_string_means_this_in_daide(text: str, power: str, daide: str) -> None:
    order = from_text(text, _board(CONVOYS), power)
    assert order is not None
    assert write(v.Execute(order)) == f"XDO ( {daide} )"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("A PAR - BUR", 0x011E000000021404),
        ("A PAR H", 0x002E000000001403),
        ("A PAR S A MAR - BUR", 0x32C6000078021406),
    ],
)
def test_published_actions(text: str, action: int) -> None:
    board = _board(Position.start())
    order = from_text(text, board, "FRA")
    assert order is not None
    assert to_action(order, board) == action
    assert from_action(action, board, "FRA") == order


def test_disband_is_called_by_its_phase() -> None:
    winter = _board(at("W1901A", "FRA=APAR,ABUR", "FRA=PAR"))
    assert from_text("A PAR D", winter, "FRA") == v.RemoveUnit(v.Unit("FRA", "AMY", "PAR"))
    retreats = _board(Position.read("standard S1902R GER=APAR FRA=BRE;GER=MUN FRA=APAR<BUR"))
    assert from_text("A PAR D", retreats, "FRA") == v.Disband(v.Unit("FRA", "AMY", "PAR"))


@pytest.mark.parametrize(
    "text", ["", "A", "A PAR", "A PAR -", "A XXX - BUR", "A RUM H", "garbage", "A PAR S A RUM", "A PAR Q"]
)
def test_what_is_no_order_means_nothing(text: str) -> None:
    assert from_text(text, _board(Position.start()), "FRA") is None


def test_number_that_is_no_action_means_nothing() -> None:
    board = _board(Position.start())
    assert from_action(12345, board, "FRA") is None
    nobody_there = action_table(board.names.map).actions.tolist()[0]
    assert from_action(nobody_there, board, "FRA") is None


def test_route_is_shortest_and_prefers_those_who_convoy() -> None:
    board = _board(at("S1902M", "ENG=ALON,FNTH,FENG,FMAO,FIRI", "ENG=LON"))
    assert route(board, "LON", "BEL") in {("NTH",), ("ECH",)}
    assert route(board, "LON", "BEL", prefer=["ECH"]) == ("ECH",)
    assert route(board, "LON", "POR") == ("ECH", "MAO")
    assert route(board, "LON", "GRE") == ()


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("(ENG AMY YOR) CTO NWY VIA (NTH)", "(ENG AMY YOR) CTO NWY VIA (NWG NTH)", True),
        ("(ENG AMY YOR) MTO NWY", "(ENG AMY YOR) CTO NWY VIA (NTH)", True),
        ("(RUS FLT STP) HLD", "(RUS FLT (STP NCS)) HLD", True),
        ("(RUS FLT (STP SCS)) HLD", "(RUS FLT (STP NCS)) HLD", False),
        ("(FRA FLT MAO) MTO SPA", "(FRA FLT MAO) MTO (SPA NCS)", True),
        ("(FRA FLT MAO) MTO (SPA SCS)", "(FRA FLT MAO) MTO (SPA NCS)", False),
        ("(FRA AMY PAR) SUP (FRA AMY MAR)", "(FRA AMY PAR) SUP (FRA AMY MAR) MTO BUR", False),
        ("(FRA AMY PAR) SUP (RUS FLT STP) MTO NWY", "(FRA AMY PAR) SUP (RUS FLT (STP NCS)) MTO NWY", True),
        ("(FRA AMY PAR) HLD", "(GER AMY PAR) HLD", False),
        ("(FRA AMY PAR) HLD", "(FRA FLT PAR) HLD", False),
        ("FRA WVE", "(FRA AMY PAR) BLD", False),
        ("FRA WVE", "FRA WVE", True),
        ("(FRA AMY PAR) DSB", "(FRA AMY PAR) REM", False),
    ],
)
def test_orders_are_the_same_but_for_coasts_left_out_and_routes(one: str, other: str, alike: bool) -> None:
    assert same(promised_order(one), promised_order(other)) is alike
    assert same(promised_order(other), promised_order(one)) is alike


@pytest.mark.parametrize(
    ("one", "other", "clashing"),
    [
        ("(FRA AMY PAR) MTO BUR", "(FRA AMY PAR) MTO PIC", True),
        ("(FRA AMY PAR) MTO BUR", "(FRA AMY PAR) HLD", True),
        ("(RUS FLT (STP SCS)) HLD", "(RUS FLT (STP NCS)) HLD", True),
        ("(FRA AMY PAR) MTO BUR", "(FRA AMY PAR) MTO BUR", False),
        ("(ENG AMY YOR) MTO NWY", "(ENG AMY YOR) CTO NWY VIA (NTH)", False),
        ("(FRA AMY PAR) MTO BUR", "(FRA AMY MAR) MTO SPA", False),
        ("(FRA AMY PAR) MTO BUR", "(GER AMY PAR) MTO PIC", False),
        ("(FRA AMY PAR) MTO BUR", "(FRA AMY PAR) RTO GAS", False),
        ("(FRA AMY PAR) BLD", "FRA WVE", False),
    ],
)
def test_orders_clash_that_one_unit_cannot_follow_in_one_phase(one: str, other: str, clashing: bool) -> None:
    assert clash(promised_order(one), promised_order(other)) is clashing
    assert clash(promised_order(other), promised_order(one)) is clashing


STUCK = at("S1902M", "ENG=AYOR,FNTH;TUR=AANK,AARM;FRA=FMAR,FMAO;RUS=FSTP/NC,FBAR", "ENG=LON;FRA=BRE")


@pytest.mark.parametrize(
    ("text", "power", "daide"),
    [
        ("A YOR - GRE", "ENG", "( ENG AMY YOR ) MTO GRE"),
        ("A YOR - GRE VIA", "ENG", "( ENG AMY YOR ) MTO GRE"),
        ("A ARM - RUM VIA", "TUR", "( TUR AMY ARM ) MTO RUM"),
        ("A ANK - CON VIA", "TUR", "( TUR AMY ANK ) MTO CON"),  # goes over land
    ],
)
def test_army_sent_by_sea_where_no_fleet_is_has_an_order_that_can_be_said(text: str, power: str, daide: str) -> None:
    order = from_text(text, _board(STUCK), power)
    assert order is not None
    message = v.Propose(v.Execute(order))
    assert write(message) == f"PRP ( XDO ( {daide} ) )"
    assert read(write(message)) == message
    assert phrase(v.Execute(order))


def test_action_by_sea_where_no_fleet_is_can_be_said_too() -> None:
    board = _board(STUCK)
    numbers = board.names.province_id
    action = action_table(board.names.map).find(OrderKind.CONVOY_TO, numbers["YOR"], numbers["GRE"])
    assert action is not None
    assert from_action(action, board, "ENG") == v.Move(v.Unit("ENG", "AMY", "YOR"), "GRE")


@pytest.mark.parametrize(
    ("daide", "text", "meant"),
    [
        ("(FRA FLT MAR) MTO SPA", "F MAR - SPA/SC", "(FRA FLT MAR) MTO (SPA SCS)"),  # S6
        ("(RUS FLT BAR) MTO STP", "F BAR - STP/NC", "(RUS FLT BAR) MTO (STP NCS)"),
        ("(FRA FLT MAO) MTO SPA", "F MAO - SPA", ""),  # S7
        ("(FRA FLT MAR) MTO (SPA NCS)", "F MAR - SPA/NC", ""),  # out of reach
        ("(RUS FLT STP) BLD", "F STP B", ""),
        ("(RUS FLT STP) MTO NWY", "F STP/NC - NWY", "(RUS FLT (STP NCS)) MTO NWY"),
        ("(RUS FLT (STP SCS)) MTO NWY", "F STP/SC - NWY", ""),
        ("(FRA FLT MAR) MTO BUR", "F MAR - BUR", ""),
        ("(ENG AMY YOR) MTO NTH", "A YOR - NTH", ""),
    ],
)
def test_coast_left_out_is_filled_in_only_if_it_is_the_only_one(daide: str, text: str, meant: str) -> None:
    board, order = _board(STUCK), promised_order(daide)
    assert to_text(order, board) == text
    action = to_action(order, board)
    if not meant:
        assert action is None
    else:
        assert action is not None
        assert from_action(action, board, performer(order)) == promised_order(meant)


def test_coast_of_a_retreat_is_filled_in_too() -> None:
    board = _board(Position.read("standard S1902R GER=FMAR FRA=BRE;GER=MUN FRA=FMAR<LYO"))
    order = promised_order("(FRA FLT MAR) RTO SPA")
    assert to_text(order, board) == "F MAR R SPA/SC"
    action = to_action(order, board)
    assert action is not None
    assert from_action(action, board, "FRA") == promised_order("(FRA FLT MAR) RTO (SPA SCS)")


def test_army_is_written_without_a_coast() -> None:
    board = _board(at("S1902M", "FRA=AMAR,ASPA", "FRA=BRE"))
    assert to_text(promised_order("(FRA AMY MAR) MTO (SPA NCS)"), board) == "A MAR - SPA"
    assert to_text(promised_order("(FRA AMY (SPA NCS)) HLD"), board) == "A SPA H"
    assert to_action(promised_order("(FRA AMY MAR) MTO (SPA SCS)"), board) == to_action(
        promised_order("(FRA AMY MAR) MTO SPA"), board
    )
