"""The English of press: sentences as people would say them."""

from __future__ import annotations

import pytest

from parlour.games.diplomacy.map import named
from parlour.press import values as v
from parlour.press.english import gloss, order_phrase, phrase
from parlour.press.reader import read
from parlour.press.tokens import Lexicon

SENTENCES = [
    ("PRP (DMZ (ENG FRA) (ECH))", "France proposes to England that both keep out of the English Channel."),
    ("PRP (PCE (ENG FRA GER))", "France proposes to England that England, France and Germany keep peace."),
    ("PRP (ALY (ENG FRA) VSS (GER ITA))", "France proposes to England that both ally against Germany and Italy."),
    (
        "PRP (DMZ (ITA) (AEG ION))",
        "France proposes to England that Italy keeps out of the Aegean Sea and the Ionian Sea.",
    ),
    ("PRP (DRW)", "France proposes to England that the game ends in a draw."),
    ("PRP (DRW (ENG FRA))", "France proposes to England that the game ends in a draw of England and France."),
    ("PRP (SLO (ENG))", "France proposes to England that England wins alone."),
    ("PRP (NAR (PCE (ENG FRA)))", "France proposes to England that they undo the agreement that both keep peace."),
    (
        "PRP (XDO ((ENG FLT LON) SUP (FRA AMY PIC) MTO BEL))",
        "France proposes to England that England's fleet in London supports France's army in Picardy to Belgium.",
    ),
    (
        "PRP (XDO ((RUS FLT (STP SCS)) MTO GOB))",
        "France proposes to England that Russia's fleet in St Petersburg (south coast) moves to the Gulf of Bothnia.",
    ),
    ("YES (PRP (PCE (ENG FRA)))", "France agrees with England that both keep peace."),
    ("REJ (PRP (PCE (ENG FRA)))", "France does not agree with England that both keep peace."),
    ("BWX (PRP (PCE (ENG FRA)))", "France says that it is none of England's business whether both keep peace."),
    ("HUH (PRP (ERR SCD (ENG NWY)))", "France did not understand “PRP ( SCD ( ENG NWY ) )” from SCD on."),
    ("HUH (PRP (PCE (ENG FRA)))", "France did not understand “PRP ( PCE ( ENG FRA ) )”."),
    ("TRY (PRP PCE)", "France understands only PRP, PCE."),
    ("TRY ()", "France understands no press at all."),
    ("CCL (PRP (PCE (ENG FRA)))", "France withdraws its proposal that both keep peace."),
    ("CCL (YES (PRP (PCE (ENG FRA))))", "France takes back its agreement that both keep peace."),
    ("FCT (PCE (TUR RUS))", "France states to England that Turkey and Russia keep peace."),
    ("QRY (PCE (TUR RUS))", "France asks England whether Turkey and Russia keep peace."),
    ("THK (NOT (QRY (PCE (TUR RUS))))", "France thinks that it is not so that Turkey and Russia keep peace."),
    ("IDK (QRY (PCE (TUR RUS)))", "France does not know whether Turkey and Russia keep peace."),
    ("INS (PCE (ENG FRA))", "France insists that both keep peace."),
    ("SUG (PCE (ENG FRA))", "France suggests to England that both keep peace."),
    ("YES (QRY (PCE (TUR RUS)))", "France says yes when asked whether Turkey and Russia keep peace."),
    ("REJ (QRY (PCE (TUR RUS)))", "France says no when asked whether Turkey and Russia keep peace."),
    ("PRP (SCD (ENG NWY) (RUS SWE))", "France proposes to England that England gets Norway, and Russia gets Sweden."),
    ("PRP (OCC (ENG UNT NWY))", "France proposes to England that England's unit stands in Norway."),
    (
        "PRP (ORR (PCE (ENG FRA)) (DRW))",
        "France proposes to England that either both keep peace, or the game ends in a draw.",
    ),
    (
        "PRP (ORR (AND (PCE (ENG FRA)) (DRW)) (SLO (ENG)))",
        "France proposes to England that either (both keep peace, and the game ends in a draw), or England wins alone.",
    ),
    (
        "FCT (NOT (QRY (AND (PCE (ENG FRA)) (DRW))))",
        "France states to England that it is not so that (both keep peace, and the game ends in a draw).",
    ),
    (
        "PRP (CHO (1 1) (PCE (ENG FRA)) (DRW))",
        "France proposes to England that 1 of these comes about: both keep peace; the game ends in a draw.",
    ),
    (
        "PRP (CHO (1 2) (PCE (ENG FRA)) (DRW))",
        "France proposes to England that 1 to 2 of these come about: both keep peace; the game ends in a draw.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_message_in_english(text: str, sentence: str) -> None:
    assert gloss(read(text), "FRA", ["ENG"]) == sentence


def test_without_a_sender_the_sentence_has_no_subject() -> None:
    assert gloss(read("PRP (ALY (ENG FRA) VSS (GER))")) == "Proposes that England and France ally against Germany."


def test_both_is_said_only_of_sender_and_receiver() -> None:
    assert gloss(read("PRP (PCE (ENG GER))"), "FRA", ["ENG"]).endswith("that England and Germany keep peace.")
    assert gloss(read("PRP (PCE (ENG FRA))"), "FRA", ["ENG", "GER"]).endswith("that England and France keep peace.")


def _order(text: str) -> v.Order:
    message = read(f"PRP (XDO ({text}))")
    assert isinstance(message, v.Propose)
    assert isinstance(message.what, v.Execute)
    return message.what.order


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("(FRA AMY PAR) HLD", "France's army in Paris holds"),
        ("(FRA AMY PAR) MTO BUR", "France's army in Paris moves to Burgundy"),
        ("(FRA AMY PAR) SUP (FRA FLT BRE)", "France's army in Paris supports France's fleet in Brest"),
        (
            "(ENG FLT NTH) CVY (ENG AMY YOR) CTO NWY",
            "England's fleet in the North Sea convoys England's army in Yorkshire to Norway",
        ),
        ("(ENG AMY YOR) CTO NWY VIA (NTH)", "England's army in Yorkshire is convoyed to Norway through the North Sea"),
        ("(FRA AMY PAR) RTO GAS", "France's army in Paris retreats to Gascony"),
        ("(FRA AMY PAR) DSB", "France's army in Paris disbands"),
        ("(FRA AMY PAR) REM", "France's army in Paris disbands"),
        ("(FRA FLT BRE) BLD", "France builds a fleet in Brest"),
        ("(FRA AMY PAR) BLD", "France builds an army in Paris"),
        ("FRA WVE", "France waives a build"),
    ],
)
def test_order_in_english(text: str, clause: str) -> None:
    assert order_phrase(_order(text)) == clause


def test_variant_speaks_of_its_own_powers() -> None:
    lexicon = Lexicon.of(named("lagoon"))
    (one, first), (other, second) = list(lexicon.powers.items())[:2]
    message = read(f"PRP (PCE ({one} {other}))", lexicon=lexicon)
    assert isinstance(message, v.Propose)
    assert phrase(message.what, lexicon) == f"{first} and {second} keep peace"
