"""Texts that the reader accepts, and the exact token at which it rejects others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import PressError
from parlour.press.language import message_types as v
from parlour.press.language.english import gloss
from parlour.press.language.reader import MAX_NESTING, MAX_QUOTED, complaint, read
from parlour.press.language.tokens import HIGHER_LEVELS, MAX_LENGTH, cut, unbalanced
from parlour.press.language.writer import write
from support.press.strategies import LEVELS, LEXICON, messages

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "press_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case_is_read_or_refused_at_its_token(case: dict[str, Any]) -> None:
    if case["expect"] == "OK":
        message = read(case["text"], case["level"])
        assert write(message) == " ".join(cut(case["canonical"]))
        assert read(write(message), case["level"]) == message
    else:
        with pytest.raises(PressError) as caught:
            read(case["text"], case["level"])
        assert caught.value.index == case["err_index"]
        assert complaint(case["text"], caught.value) == case["huh"]
        assert caught.value.expected


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("prp (pce (eng))", 5),  # one power is no peace
        ("PRP (PCE ())", 4),
        ("NAR (PCE (ENG FRA))", 0),  # the seed lists it as a proposition, but it stands inside PRP
        ("PRP (ALY (ENG) VSS (GER))", 5),
        ("PRP (XDO ((ENG AMY YOR) CTO NWY VIA (LON)))", 13),  # not a sea
        ("PRP (XDO ((ENG AMY YOR) CTO NWY VIA (NTH LON)))", 14),
        ("PRP (XDO ((RUS FLT (STP ECS)) HLD))", 9),
        ("PRP (XDO ((RUS FLT (LON NCS)) HLD))", 8),
        ("PRP (XDO ((RUS FLT (STP)) HLD))", 9),
        ("PRP (XDO ((RUS FLT STP SCS) HLD))", 8),
        ("PRP (XDO ((RUS FLT STP)))", 9),
        ("PRP (XDO ((RUS FLT STP) HLD HLD))", 10),
        ("PRP (XDO ((RUS FLT STP) SUP RUS))", 10),
        ("PRP (DMZ (ENG) (FOO))", 7),
        ("PRP (DMZ (ENG) (ECH FOO))", 8),
        ("PRP (DMZ (ENG) ())", 7),
        ("PRP (SLO (ENG FRA))", 5),
        ("PRP (DRW (ENG))", 5),
        ("PRP (SCD (ENG BUR))", 5),  # not a centre
        ("PRP (SCD (ENG))", 5),
        ("PRP (OCC (ENG XXX LON))", 5),
        ("PRP (CHO (1 x) (PCE (ENG FRA)) (PCE (ENG GER)))", 5),
        ("PRP (CHO (1 99999) (PCE (ENG FRA)) (PCE (ENG GER)))", 5),
        ("PRP (CHO (1 8192) (PCE (ENG FRA)) (PCE (ENG GER)))", 5),  # more than DAIDE can send
        ("PRP (CHO (01 2) (PCE (ENG FRA)) (PCE (ENG GER)))", 4),  # would print as another text
        ("PRP (CHO (00 2) (PCE (ENG FRA)) (PCE (ENG GER)))", 4),
        ("PRP (ERR PCE (ENG FRA))", 2),
        ("PRP (PCE (ENG ERR ERR))", 5),
        ("IDK (PRP (PCE (ENG FRA)))", 2),
        ("HUH (PRP (ERR PCE ERR))", 6),
        ("HUH ()", 2),
        ("TRY (PRP FOO)", 3),
        ("TRY (PRP (PCE))", 3),
        ("CCL (REJ (PRP (PCE (ENG FRA))))", 2),
        ("THK (IDK (QRY (PCE (ENG FRA))))", 2),
    ],
)
def test_wrong_token_is_named_by_its_index(text: str, index: int) -> None:
    with pytest.raises(PressError) as caught:
        read(text)
    assert (caught.value.index, caught.value.kind) == (index, "HUH")
    answer = complaint(text, caught.value)
    assert answer.split()[2 + index] == "ERR"
    assert isinstance(read(answer, 0), v.Huh), "we understand our own answer"
    assert answer.split().count("ERR") == 1


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("PRP (PCE (ENG FRA))", 10),
        ("YES (PRP (NOT (PCE (ENG FRA))))", 10),
        ("PRP (DMZ (ENG) (ECH))", 20),
        ("PRP (ORR (PCE (ENG FRA)) (PCE (ENG GER)))", 30),
        ("PRP (NAR (AND (PCE (ENG FRA)) (PCE (ENG GER))))", 30),
        ("PRP (SCD (ENG NWY) (RUS SWE))", 40),
        ("PRP (OCC (ENG UNT NWY) (RUS FLT (STP NCS)))", 40),
        ("PRP (AND (PCE (ENG FRA)) (ORR (PCE (ENG GER)) (PCE (ENG RUS))))", 50),
        ("PRP (AND (PCE (ENG FRA)) (NOT (AND (PCE (ENG GER)) (PCE (ENG RUS)))))", 50),
        ("PRP (CHO (1 2) (PCE (ENG FRA)) (PCE (ENG GER)))", 50),
        ("INS (PCE (ENG FRA))", 60),
        ("YES (SUG (PCE (ENG FRA)))", 60),
        ("IDK (QRY (PCE (ENG FRA)))", 60),
        ("FCT (NOT (QRY (PCE (ENG FRA))))", 60),
        ("THK (QRY (PCE (ENG FRA)))", 60),
    ],
)
def test_word_is_understood_from_its_level_on(text: str, needs: int) -> None:
    assert read(text, needs) == read(text)
    with pytest.raises(PressError):
        read(text, needs - 1)


def test_level_zero_knows_only_that_it_does_not_understand() -> None:
    assert isinstance(read("HUH (ERR PRP (PCE (ENG FRA)))", 0), v.Huh)
    assert read("TRY ()", 0) == v.Try(())
    with pytest.raises(PressError):
        read("PRP (PCE (ENG FRA))", 0)


def test_try_may_list_every_word_of_the_levels_table() -> None:
    words = ("UHY", "HPY", "ANG", "ROF", "ULB", "UUB", "PDA", "NPR", "NPB", "PTL", *HIGHER_LEVELS)
    assert read(f"TRY ({' '.join(words)})", 0) == v.Try(words)


def test_error_of_a_number_says_how_large_it_may_be() -> None:
    assert read("PRP (CHO (0 8191) (DRW) (DRW))") == v.Propose(v.Choice(0, 8191, (v.Draw(), v.Draw())))
    with pytest.raises(PressError, match="expected number from 0 to 8191 without leading zeros, got '9000'"):
        read("PRP (CHO (1 9000) (DRW) (DRW))")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PRP (PCE (ENG FRA))", "PRP (PCE (FRA ENG))"),  # S11
        ("PRP (AND (PCE (ENG FRA)) (DRW))", "PRP (AND (DRW) (PCE (FRA ENG)))"),  # S12
        ("PRP (DMZ (ENG FRA) (ECH NTH))", "PRP (DMZ (FRA ENG) (NTH ECH))"),
        ("PRP (ALY (ENG FRA) VSS (GER ITA))", "PRP (ALY (FRA ENG) VSS (ITA GER))"),
        ("PRP (SCD (ENG NWY DEN) (RUS SWE))", "PRP (SCD (RUS SWE) (ENG DEN NWY))"),
        ("PRP (ORR (DRW (ENG FRA)) (SLO (ENG)))", "PRP (ORR (SLO (ENG)) (DRW (FRA ENG)))"),
        ("PRP (CHO (1 1) (DRW) (SLO (ENG)))", "PRP (CHO (1 1) (SLO (ENG)) (DRW))"),
        ("PRP (OCC (ENG FLT NTH) (FRA AMY PAR))", "PRP (OCC (FRA AMY PAR) (ENG FLT NTH))"),
        ("TRY (PRP PCE)", "TRY (PCE PRP)"),
    ],
)
def test_order_of_lists_carries_no_meaning(one: str, other: str) -> None:
    assert read(one) == read(other)
    assert hash(read(one)) == hash(read(other))
    assert write(read(one)) != write(read(other)), "each prints as it was written"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PRP (XDO ((ENG AMY LON) CTO NAP VIA (NTH MAO)))", "PRP (XDO ((ENG AMY LON) CTO NAP VIA (MAO NTH)))"),
        ("PRP (ALY (ENG FRA) VSS (GER ITA))", "PRP (ALY (GER ITA) VSS (ENG FRA))"),
        ("PRP (AND (DRW) (SLO (ENG)))", "PRP (ORR (DRW) (SLO (ENG)))"),
        ("PRP (CHO (1 1) (DRW) (SLO (ENG)))", "PRP (CHO (0 1) (DRW) (SLO (ENG)))"),
        ("PRP (CHO (1 1) (DRW) (DRW) (SLO (ENG)))", "PRP (CHO (1 1) (DRW) (SLO (ENG)))"),
        ("PRP (PCE (ENG FRA))", "INS (PCE (ENG FRA))"),
        ("PRP (PCE (ENG FRA))", "PRP (DRW (ENG FRA))"),
    ],
)
def test_different_meanings_are_not_equal(one: str, other: str) -> None:
    assert read(one) != read(other)


@pytest.mark.parametrize("level", LEVELS)
def test_messages_of_every_level_come_back(level: int) -> None:
    @given(messages(level))
    def comes_back(message: v.Message) -> None:
        text = write(message)
        assert read(text, level) == message
        assert write(read(text, level)) == text
        assert write(read(text.lower().replace("( ", "("), level)) == text
        assert gloss(message, "FRA", ("ENG",)).endswith(".")
        assert gloss(message)[0].isupper()

    comes_back()


def _read_or_error(text: str, level: int) -> v.Message | PressError:
    try:
        return read(text, level)
    except PressError as error:
        return error


def _reach(tokens: list[str], at: int) -> int:
    """Return the last token that a change at that place can concern: the end of the brackets around it."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index] == "(") - (tokens[index] == ")")
        if depth < 0:
            return index
    return len(tokens)


_SPARE = [
    "(",
    ")",
    "ENG",
    "LON",
    "STP",
    "NCS",
    "PCE",
    "XDO",
    "AND",
    "FLT",
    "MTO",
    "QRY",
    "7",
    "FOO",
    "é",
    "\x07",
    "ERR",
]


@pytest.mark.parametrize("level", LEVELS)
def test_one_wrong_token_changes_the_meaning_or_is_refused_in_reach(level: int) -> None:
    spare = st.sampled_from([*_SPARE, *sorted(LEXICON.known)])

    @given(messages(level), st.data())
    def changes(message: v.Message, data: st.DataObject) -> None:
        tokens = write(message).split()
        at = data.draw(st.integers(0, len(tokens) - 1))
        word = data.draw(spare)
        wrong = [*tokens[:at], word, *tokens[at + 1 :]]
        found = _read_or_error(" ".join(wrong), level)
        if not isinstance(found, PressError):
            assert write(found).split() == wrong
            return
        balanced = unbalanced(wrong) is None
        assert found.kind == ("HUH" if balanced else "PRN")
        if balanced and word not in "()" and tokens[at] not in "()":
            assert found.index <= _reach(tokens, at)
        assert complaint(" ".join(wrong), found).isprintable()

    changes()


@given(st.text(max_size=200), st.integers(0, 70))
def test_any_text_is_read_or_refused_with_a_place(text: str, level: int) -> None:
    found = _read_or_error(text, level)
    if isinstance(found, PressError):
        assert 0 <= found.index <= len(cut(text))
        assert found.kind in ("HUH", "PRN")
        assert found.expected


@pytest.mark.parametrize(
    ("text", "index", "kind"),
    [
        ("(" * 1_000_000, 1_000_000, "PRN"),
        ("(" * 2_000_000, MAX_LENGTH, "PRN"),
        (")" * 2_000_000, 0, "PRN"),
        ("(" * 1_500_000 + ")" * 1_500_000, MAX_LENGTH, "HUH"),
        ("PRP " * 500_000 + ")", MAX_LENGTH // 4, "PRN"),
        (")" * 1_000_000, 0, "PRN"),
        ("()" * 500_000, 0, "HUH"),
        ("(" * 500_000 + ")" * 500_000, 0, "HUH"),
        ("PRP " + "(NAR " * 100_000 + "(DRW" + ")" * 100_001, 1 + 2 * MAX_NESTING + 1, "HUH"),
        ("CCL (" * 100_000 + "TRY ()" + ")" * 100_000, 2 * MAX_NESTING + 1, "HUH"),
        ("HUH " + "(" * 400_000 + ")" * 400_000 + "x", 800_001, "HUH"),
        ("PRP (PCE (" + "ENG " * 200_000 + "\x00))", 200_004, "HUH"),
        ("A" * 1_000_000, 0, "HUH"),
        ("", 0, "HUH"),
        (" \t\r\n ", 0, "HUH"),
        ("PRP\x00(PCE (ENG FRA))", 0, "HUH"),
        ("PRP (PCE (ENG\x1fFRA))", 4, "HUH"),
        ("PRP (PCE (ENG FRA))\x7f", 8, "HUH"),
        ("HUH (PRP \x1b[2J ERR)", 3, "HUH"),
        ("PRP\u00a0(PCE (ENG FRA))", 0, "HUH"),
        ("PRP (PCE (ıTA FRA))", 4, "HUH"),  # a dotless i is no I
        ("PRP (PCE (ENG FRA))" + " " * MAX_LENGTH, 8, "HUH"),
    ],
)
def test_hostile_text_is_refused_at_its_place(text: str, index: int, kind: str) -> None:
    with pytest.raises(PressError) as caught:
        read(text)
    assert (caught.value.index, caught.value.kind) == (index, kind)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()
    answer = complaint(text, caught.value)
    assert answer.isprintable()
    assert len(answer) < 4 * MAX_QUOTED
    if kind == "HUH":
        assert isinstance(read(answer, 0), v.Huh), "we understand our own answer"


def test_nesting_up_to_the_bound_is_read() -> None:
    deep = "PRP (" + "NOT (" * (MAX_NESTING - 1) + "DRW" + ")" * MAX_NESTING
    message = read(deep)
    assert read(write(message)) == message
    assert gloss(message)


@pytest.mark.parametrize("word", ["AND", "ORR", "CHO (1 1)"])
def test_deep_alternatives_are_compared_in_little_time(word: str) -> None:
    """Twice the work at each level would take longer than the test may."""
    text = "DRW"
    for _ in range(MAX_NESTING - 1):
        text = f"{word} (SLO (ENG)) ({text})"
    one, other = read(f"PRP ({text})"), read(f"PRP ({text})")
    assert one == other
    assert hash(one) == hash(other)
    assert one != read(f"PRP ({text.replace('DRW', 'SLO (FRA)')})")


def test_many_choices_that_differ_only_in_counts_do_not_share_a_hash() -> None:
    """They would be compared each with each."""
    parts = [f"(CHO (1 2) {'(DRW)' * one} {'(SLO (ENG))' * other})" for one in range(1, 20) for other in range(1, 20)]
    message = read(f"PRP (AND {''.join(parts)})")
    assert isinstance(message, v.Propose)
    assert isinstance(message.what, v.Every)
    assert len({hash(part) for part in message.what.parts}) == len(parts)


@pytest.mark.parametrize("word", ["AND", "ORR", "CHO (1 1)", "NOT AND"])
def test_equal_halves_of_equal_halves_are_compared_in_little_time(word: str) -> None:
    """Twice the work for each half would take longer than the test may."""
    text = "DRW"
    for _ in range(14):
        text = f"NOT (AND ({text}) ({text}))" if word == "NOT AND" else f"{word} ({text}) ({text})"
    one, other = read(f"PRP ({text})"), read(f"PRP ({text})")
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("PRP (XDO ((ENG FLT LON) HLD))", 10, "arrangement of level 10 at most (XDO is of level 20)"),
        ("YES (SUG (DRW))", 30, "press message of level 30 at most (SUG is of level 60)"),
        ("XDO ((ENG FLT LON) HLD)", 10, "press message"),  # on no level
        ("PRP (DMZ (ENG FRA) (ENG))", 60, "province (English Channel is ECH in press)"),
        ("PRP (XDO ((RUS FLT BOT) HLD))", 60, "province (Gulf of Bothnia is GOB in press)"),
        ("PRP (PCE (ENG BOT))", 60, "power"),
    ],
)
def test_error_says_what_a_word_would_need(text: str, level: int, expected: str) -> None:
    with pytest.raises(PressError) as caught:
        read(text, level)
    assert caught.value.expected == expected
