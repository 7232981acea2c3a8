"""Messages of clients: every message of the language, and the exact token at which a wrong one is rejected."""

from __future__ import annotations

import pytest

from parlour.errors import PressError
from parlour.games.diplomacy.ordering.reading import MAX_ORDERS
from parlour.net.daide import client_messages as cm
from parlour.press.language import message_types as v
from parlour.press.language.tokens import standard_lexicon
from support.daide.wire import tokens

LONDON = v.Unit("ENG", "FLT", "LON")


def read(text: str) -> cm.ClientMessage:
    return cm.read(tokens(text), standard_lexicon())


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("NME ( 'Hok's holdbot' ) ( '8~3' )".replace("k's", "ks"), cm.Naming("Hoks holdbot", "8~3")),
        ("NME ( ) ( )", cm.Naming("", "")),
        ("OBS", cm.Observing()),
        ("IAM ( AUS ) ( 6882 )", cm.Returning("AUS", 6882)),
        ("MAP", cm.Asking("MAP")),
        ("MDF", cm.Asking("MDF")),
        ("HLO", cm.Asking("HLO")),
        ("SCO", cm.Asking("SCO")),
        ("NOW", cm.Asking("NOW")),
        ("ORD", cm.Asking("ORD")),
        ("MIS", cm.Asking("MIS")),
        ("TME", cm.Asking("TME")),
        ("HST ( SPR 1901 )", cm.Asking("HST", ("SPR", 1901))),
        ("OBS ( 'Mapper' ) ( '1' )", cm.Observing()),
        ("HST", cm.Asking("HST")),
        ("SMR", cm.Asking("SMR")),
        ("YES ( MAP ( 'STANDARD' ) )", cm.Confirming(True, "STANDARD")),
        ("REJ ( MAP ( 'standard' ) )", cm.Confirming(False, "standard")),
        ("YES ( SVE ( 'game' ) )", cm.Confirming(True, "game", "SVE")),
        ("GOF", cm.Going(True)),
        ("NOT ( GOF )", cm.Going(False)),
        ("DRW", cm.Drawing(True)),
        ("DRW ( ENG FRA )", cm.Drawing(True, ("ENG", "FRA"))),
        ("NOT ( DRW )", cm.Drawing(False)),
        ("TME ( 58 )", cm.Reminding(True, 58)),
        ("NOT ( TME ( 58 ) )", cm.Reminding(False, 58)),
        ("NOT ( TME )", cm.Reminding(False, None)),
        ("NOT ( SUB )", cm.Withdrawing()),
        ("NOT ( SUB ( ( ENG FLT LON ) HLD ) )", cm.Withdrawing((v.Hold(LONDON),))),
        ("NOT ( SUB ( SPR 1901 ) ( ( ENG FLT LON ) HLD ) )", cm.Withdrawing((v.Hold(LONDON),), ("SPR", 1901))),
        ("NOT ( SUB ( SPR 1901 ) )", cm.Withdrawing((), ("SPR", 1901))),
        ("NOT ( SUB ( ( ENG FLT ?50ff ) HLD ) )", cm.Withdrawing((None,))),
        ("ADM ( 'me' ) ( 'hello' )", cm.Announcing("me", "hello")),
        ("HUH ( ERR MTO )", cm.Complaining()),
        ("PRN ( NOW )", cm.Complaining()),
        ("PRN ( NOW ( )", cm.Complaining()),
        ("HUH ( ERR NOW ) )", cm.Complaining()),
    ],
)
def test_messages(text: str, phrase: cm.ClientMessage) -> None:
    assert read(text) == phrase


@pytest.mark.parametrize("turn", ["", "( SPR 1901 ) "])
def test_orders_come_with_and_without_their_turn(turn: str) -> None:
    phrase = read(f"SUB {turn}( ( ENG FLT LON ) MTO NTH ) ( ( ENG FLT LON ) HLD )")
    assert isinstance(phrase, cm.Submitting)
    assert phrase.turn == (("SPR", 1901) if turn else ())
    assert [order for _, order in phrase.orders] == [v.Move(LONDON, "NTH"), v.Hold(LONDON)]
    assert list(phrase.orders[1][0]) == tokens("( ENG FLT LON ) HLD")


@pytest.mark.parametrize("turn", ["", "( FAL 1902 ) "])
def test_press_comes_with_and_without_its_turn(turn: str) -> None:
    phrase = read(f"SND {turn}( FRA GER ) ( PRP ( PCE ( ENG FRA ) ) )")
    assert isinstance(phrase, cm.Sending)
    assert phrase.to == ("FRA", "GER")
    assert list(phrase.press) == tokens("PRP ( PCE ( ENG FRA ) )")
    whole = tokens(f"SND {turn}( FRA GER ) ( PRP ( PCE ( ENG FRA ) ) )")
    assert whole[phrase.start] == "PRP"


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("THX", 0),
        ("'a'", 0),
        ("12", 0),
        ("NME", 1),
        ("NME ( 12 ) ( )", 2),
        ("NME ( 'a' ) ( 'b' ) ( )", 7),
        ("IAM ( LON ) ( 1 )", 2),
        ("IAM ( ENG ) ( ENG )", 5),
        ("HST ( )", 1),
        ("OBS ( 'Mapper' )", 9),
        ("HST ( SPR ENG )", 3),
        ("YES ( NME )", 2),
        ("SUB", 1),
        ("SUB ( )", 2),
        ("SUB ( ( ENG FLT LON ) )", 7),
        ("SUB ( ( ENG FLT LON ) MTO ENG )", 8),
        ("SUB ( ( ENG FLT LON ) HLD ) HLD", 9),
        ("NOT ( NOW )", 2),
        ("DRW ( LON )", 2),
        ("DRW ( )", 2),
        ("DRW ( ENG )", 3),
        ("TME ( ENG )", 2),
        ("SND ( ) ( PRP )", 2),
        ("SND ( FRA )", 4),
        ("OBS OBS", 1),
    ],
)
def test_the_first_token_that_does_not_fit_is_found(text: str, index: int) -> None:
    with pytest.raises(PressError) as caught:
        read(text)
    assert (caught.value.kind, caught.value.index) == ("HUH", index)


@pytest.mark.parametrize("text", ["NME ( 'a'", "SUB ( ( ENG FLT LON ) HLD", "NOW )", ")"])
def test_brackets_that_do_not_balance_are_another_matter(text: str) -> None:
    with pytest.raises(PressError) as caught:
        read(text)
    assert caught.value.kind == "PRN"


def test_a_bracket_in_a_string_is_a_letter() -> None:
    assert read("NME ( 'Dumb)Bot(' ) ( '1' )") == cm.Naming("Dumb)Bot(", "1")


def test_orders_of_one_message_have_an_end() -> None:
    order = " ( ( ENG FLT LON ) HLD )"
    phrase = read("SUB" + order * MAX_ORDERS)
    assert isinstance(phrase, cm.Submitting)
    assert len(phrase.orders) == MAX_ORDERS
    with pytest.raises(PressError, match=f"expected at most {MAX_ORDERS} orders"):
        read("SUB" + order * (MAX_ORDERS + 1))
