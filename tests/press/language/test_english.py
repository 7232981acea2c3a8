"""The English of press: sentences as people would say them."""

from __future__ import annotations

import pytest

from parlour.games.diplomacy.maps.map import named
from parlour.press.language import message_types as v
from parlour.press.language.english import gloss, phrase
from parlour.press.language.reader import read
from parlour.press.language.tokens import Lexicon
from support.press.stories import promised_order

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
    ("BWX (PRP (PCE (ENG FRA)))", "France says that the proposal that both keep peace is none of England's business."),
    ("BWX (QRY (PCE (ENG FRA)))", "France says that it is none of England's business whether both keep peace."),
    ("BWX (TRY (PRP))", "France says that the list of understood words (PRP) is none of England's business."),
    (
        "BWX (PRP (AND (PCE (ENG FRA)) (DRW)))",
        "France says that the proposal that (both keep peace, and the game ends in a draw) "
        "is none of England's business.",
    ),
    (
        "HUH (PRP (ERR SCD (ENG NWY)))",
        "France tells England that it did not understand “PRP ( SCD ( ENG NWY ) )” from SCD on.",
    ),
    ("HUH (PRP (PCE (ENG FRA)))", "France tells England that it did not understand “PRP ( PCE ( ENG FRA ) )”."),
    ("HUH (ERR)", "France tells England that it did not understand an empty message."),
    ("HUH (ERR HELLO)", "France tells England that it did not understand “HELLO”."),
    ("HUH (PRP ERR)", "France tells England that it did not understand “PRP”, which stops too early."),
    ("HUH (PRP (PCE (ENG ERR)))", "France tells England that it did not understand “PRP ( PCE ( ENG ) )” after “ENG”."),
    ("HUH (PRP (ERR ()))", "France tells England that it did not understand “PRP ( ( ) )” after “PRP (”."),
    ("TRY (PRP PCE)", "France tells England that it understands only PRP, PCE."),
    ("TRY ()", "France tells England that it understands no press at all."),
    ("YES (TRY (PRP))", "France tells England that it agrees with the list of understood words (PRP)."),
    ("REJ (TRY ())", "France tells England that it does not agree with the empty list of understood words."),
    ("CCL (PRP (PCE (ENG FRA)))", "France tells England that it withdraws its proposal that both keep peace."),
    ("CCL (QRY (DRW))", "France tells England that it withdraws its question whether the game ends in a draw."),
    ("CCL (YES (PRP (PCE (ENG FRA))))", "France tells England that it takes back its agreement that both keep peace."),
    (
        "CCL (YES (QRY (PCE (ENG FRA))))",
        "France tells England that it takes back its yes to the question whether both keep peace.",
    ),
    ("CCL (TRY (PRP))", "France tells England that it withdraws its list of understood words (PRP)."),
    (
        "CCL (CCL (PRP (PCE (ENG FRA))))",
        "France tells England that it takes back its withdrawal of the proposal that both keep peace.",
    ),
    (
        "YES (CCL (YES (PRP (PCE (ENG FRA)))))",
        "France tells England that it agrees with the withdrawal of the yes to the proposal that both keep peace.",
    ),
    ("YES (INS (PCE (ENG FRA)))", "France tells England that it agrees with the demand that both keep peace."),
    (
        "YES (SUG (PCE (ENG FRA)))",
        "France tells England that it welcomes the suggestion that both keep peace, without binding itself.",
    ),
    (
        "REJ (SUG (PCE (ENG FRA)))",
        "France tells England that it does not agree with the suggestion that both keep peace.",
    ),
    ("FCT (NAR (PCE (ENG FRA)))", "France tells England that it renounces the agreement that both keep peace."),
    (
        "FCT (NOT (DMZ (ENG FRA) (ECH)))",
        "France tells England that it renounces the agreement that both keep out of the English Channel.",
    ),
    (
        "FCT (NOT (XDO ((FRA AMY PAR) HLD)))",
        "France states to England that it does not come about that France's army in Paris holds.",
    ),
    (
        "CCL (FCT (NAR (PCE (ENG FRA))))",
        "France tells England that it withdraws its renunciation of the agreement that both keep peace.",
    ),
    ("FCT (QRY (PCE (TUR RUS)))", "France states to England that it is so that Turkey and Russia keep peace."),
    ("PRP (ALY (ENG FRA) VSS (ENG FRA))", "France proposes to England that both ally without a target."),
    ("PRP (ALY (ENG FRA) VSS (FRA GER))", "France proposes to England that both ally against Germany."),
    ("PRP (DMZ (ENG ENG) (ECH ECH))", "France proposes to England that England keeps out of the English Channel."),
    ("FCT (PCE (TUR RUS))", "France states to England that Turkey and Russia keep peace."),
    ("QRY (PCE (TUR RUS))", "France asks England whether Turkey and Russia keep peace."),
    (
        "THK (NOT (QRY (PCE (TUR RUS))))",
        "France tells England that it thinks that it is not so that Turkey and Russia keep peace.",
    ),
    ("IDK (QRY (PCE (TUR RUS)))", "France tells England that it does not know whether Turkey and Russia keep peace."),
    (
        "IDK (QRY (ORR (DRW) (SLO (ENG))))",
        "France tells England that it does not know whether (at least one of these comes about: "
        "the game ends in a draw; England wins alone).",
    ),
    (
        "QRY (AND (DRW) (SLO (ENG)))",
        "France asks England whether (the game ends in a draw, and England wins alone).",
    ),
    ("INS (PCE (ENG FRA))", "France insists to England that both keep peace."),
    ("SUG (PCE (ENG FRA))", "France suggests to England that both keep peace."),
    (
        "YES (QRY (PCE (TUR RUS)))",
        "France says to England that the answer to the question whether Turkey and Russia keep peace is yes.",
    ),
    (
        "REJ (QRY (PCE (TUR RUS)))",
        "France says to England that the answer to the question whether Turkey and Russia keep peace is no.",
    ),
    ("PRP (SCD (ENG NWY) (RUS SWE))", "France proposes to England that England gets Norway, and Russia gets Sweden."),
    ("PRP (OCC (ENG UNT NWY))", "France proposes to England that England's unit stands in Norway."),
    (
        "PRP (ORR (PCE (ENG FRA)) (DRW))",
        "France proposes to England that at least one of these comes about: both keep peace; the game ends in a draw.",
    ),
    (
        "PRP (AND (NOT (PCE (ENG FRA))) (SLO (GER)))",
        "France proposes to England that (it does not come about that both keep peace), and Germany wins alone.",
    ),
    (
        "PRP (NOT (AND (PCE (ENG FRA)) (SLO (GER))))",
        "France proposes to England that it does not come about that (both keep peace, and Germany wins alone).",
    ),
    (
        "PRP (AND (SLO (GER)) (NAR (PCE (ENG FRA))))",
        "France proposes to England that Germany wins alone, and (they undo the agreement that both keep peace).",
    ),
    (
        "PRP (ORR (AND (PCE (ENG FRA)) (DRW)) (SLO (ENG)))",
        "France proposes to England that at least one of these comes about: "
        "(both keep peace, and the game ends in a draw); England wins alone.",
    ),
    (
        "FCT (NOT (QRY (AND (PCE (ENG FRA)) (DRW))))",
        "France states to England that it is not so that (both keep peace, and the game ends in a draw).",
    ),
    (
        "PRP (CHO (1 1) (PCE (ENG FRA)) (DRW))",
        "France proposes to England that exactly 1 of these comes about: both keep peace; the game ends in a draw.",
    ),
    (
        "PRP (CHO (1 2) (PCE (ENG FRA)) (DRW))",
        "France proposes to England that 1 to 2 of these come about: both keep peace; the game ends in a draw.",
    ),
    (
        "PRP (CHO (0 1) (DRW) (SLO (ENG)))",
        "France proposes to England that at most 1 of these comes about: the game ends in a draw; England wins alone.",
    ),
    (
        "PRP (CHO (0 0) (DRW) (SLO (ENG)))",
        "France proposes to England that none of these come about: the game ends in a draw; England wins alone.",
    ),
    (
        "PRP (CHO (0 2) (DRW) (SLO (ENG)))",
        "France proposes to England that any number of these, or none, come about: "
        "the game ends in a draw; England wins alone.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_message_in_english(text: str, sentence: str) -> None:
    assert gloss(read(text), "FRA", ["ENG"]) == sentence


def test_without_a_sender_the_sentence_has_no_subject() -> None:
    assert gloss(read("PRP (ALY (ENG FRA) VSS (GER))")) == "Proposes that England and France ally against Germany."


def test_reply_to_several_does_not_say_that_they_agreed() -> None:
    assert gloss(read("YES (PRP (DRW))"), "FRA", ["ENG", "GER"]) == (
        "France tells England and Germany that it agrees that the game ends in a draw."
    )
    assert gloss(read("REJ (PRP (DRW))"), "FRA", ["ENG", "GER"]) == (
        "France tells England and Germany that it does not agree that the game ends in a draw."
    )
    assert gloss(read("BWX (PRP (DRW))"), "FRA", ["ENG", "GER"]) == (
        "France tells England and Germany that the proposal that the game ends in a draw "
        "is none of its sender's business."
    )
    assert gloss(read("BWX (QRY (DRW))")) == (
        "Says that it is none of the asker's business whether the game ends in a draw."
    )


class _Counted(str):
    """A word that counts how often it is compared with others."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        _Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_work_for_a_long_alliance_grows_no_faster_than_the_message() -> None:
    def work(length: int) -> int:
        _Counted.comparisons = 0
        allies, enemies = (tuple(_Counted(word) for _ in range(length)) for word in ("FRA", "ENG"))
        phrase(v.Alliance(allies, enemies))
        return _Counted.comparisons

    assert work(400) <= 2 * work(200) + 100


def test_receiver_named_twice_is_said_once() -> None:
    assert gloss(read("YES (PRP (PCE (ENG FRA)))"), "FRA", ["ENG", "ENG"]) == (
        "France agrees with England that both keep peace."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("THK (DRW)", "Thinks that the game ends in a draw."),
        ("INS (DRW)", "Insists that the game ends in a draw."),
        ("TRY (PRP)", "Understands only PRP."),
        ("FCT (NAR (DRW))", "Renounces the agreement that the game ends in a draw."),
        ("YES (QRY (DRW))", "Says that the answer to the question whether the game ends in a draw is yes."),
        ("CCL (PRP (DRW))", "Withdraws its proposal that the game ends in a draw."),
    ],
)
def test_without_a_receiver_nobody_is_told(text: str, sentence: str) -> None:
    assert gloss(read(text)) == sentence


def test_both_is_said_only_of_sender_and_receiver() -> None:
    assert gloss(read("PRP (PCE (ENG GER))"), "FRA", ["ENG"]).endswith("that England and Germany keep peace.")
    assert gloss(read("PRP (PCE (ENG FRA))"), "FRA", ["ENG", "GER"]).endswith("that England and France keep peace.")


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
        ("(FRA AMY PAR) DSB", "France's army in Paris disbands instead of retreating"),
        ("(FRA AMY PAR) REM", "France's army in Paris is removed in winter"),
        ("(FRA FLT BRE) BLD", "France builds a fleet in Brest"),
        ("(FRA AMY PAR) BLD", "France builds an army in Paris"),
        ("FRA WVE", "France waives a build"),
    ],
)
def test_order_in_english(text: str, clause: str) -> None:
    assert phrase(v.Execute(promised_order(text))) == clause


def test_convoy_without_seas_has_a_phrase() -> None:
    """No text says it, but whoever builds one gets no error."""
    order = v.ConvoyedMove(v.Unit("ENG", "AMY", "YOR"), "GRE", ())
    assert phrase(v.Execute(order)) == "England's army in Yorkshire is convoyed to Greece"


def test_different_meanings_are_said_in_different_words() -> None:
    assert len({sentence for _, sentence in SENTENCES}) == len(SENTENCES)


@pytest.mark.parametrize("form", ["FCT ({} (PCE (ENG FRA)))", "CCL (FCT ({} (PCE (ENG FRA))))"])
def test_not_and_nar_of_what_lasts_are_both_renunciations(form: str) -> None:
    denied, undone = (gloss(read(form.format(word), 60), "FRA", ["ENG"]) for word in ("NOT", "NAR"))
    assert denied == undone


def test_variant_speaks_of_its_own_powers() -> None:
    lexicon = Lexicon.of(named("lagoon"))
    (one, first), (other, second) = list(lexicon.powers.items())[:2]
    message = read(f"PRP (PCE ({one} {other}))", lexicon=lexicon)
    assert isinstance(message, v.Propose)
    assert phrase(message.what, lexicon) == f"{first} and {second} keep peace"
