"""Names of accounts: which are refused because they cannot be seen, read, or told apart."""

from __future__ import annotations

import pytest

from parlour.errors import Denied
from parlour.net.accounts.names import checked_name, is_of_house, skeletons

CYRILLIC_A, FILLER, NO_WIDTH = chr(0x430), chr(0x3164), chr(0x200B)
ALIKE = [
    ("alice", "Alice"),
    ("alice", f"{CYRILLIC_A}lice"),
    ("alice", "aIice"),
    ("bob", "b0b"),
    ("modern", "modem"),
    ("paul", "\N{LISU LETTER PA}aul"),
    ("olga", "\N{HEBREW LETTER SAMEKH}lga"),
    ("\N{ARABIC LETTER FARSI YEH}", "\N{ARABIC LETTER ALEF MAKSURA}"),
    ("\N{CJK UNIFIED IDEOGRAPH-571F}", "\N{CJK UNIFIED IDEOGRAPH-58EB}"),
    ("\N{KATAKANA LETTER NI}", "\N{CJK UNIFIED IDEOGRAPH-4E8C}"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_have_a_skeleton_in_common(one: str, other: str) -> None:
    assert skeletons(one) & skeletons(other)


def test_names_that_differ_to_the_eye_do_not() -> None:
    names = ["ann", "anna", "zoe", chr(0x7A) + "o" + chr(0xEB), "user 1", "user 2", "bot_1", "bot_10"]
    assert all(not skeletons(one) & skeletons(other) for one in names for other in names if one != other)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ann",
        f"ann{FILLER}",
        f"a{NO_WIDTH}nn",
        f"{CYRILLIC_A}nn",
        "ann\N{MUSICAL SYMBOL NULL NOTEHEAD}",
        "ann\N{KHITAN SMALL SCRIPT FILLER}",
        "ann\N{OBJECT REPLACEMENT CHARACTER}",
        "a\N{COMBINING ENCLOSING CIRCLE}nn",
        "a" + 4 * "\N{THAI CHARACTER MAI HAN-AKAT}",
        "a" + 4 * "\N{COMBINING OVERLINE}",
        "\N{NEGATIVE SQUARED LATIN CAPITAL LETTER A}dmin",
        "\N{REGIONAL INDICATOR SYMBOL LETTER A}dmin",
        "dumbbot",
        "DumbBot:seed=3",
        "SERVER",
        "daide m X",
    ],
)
def test_nobody_can_register_what_is_invisible_mixed_or_the_houses(name: str) -> None:
    with pytest.raises(Denied):
        checked_name(name)


def test_others_can() -> None:
    for name in (
        "\u0e2d\u0e31\u0e19\u0e49",
        "\u0915\u093c\u0948\u0902",
        "ann",
        "france player",
        chr(0x430) + chr(0x43D) + chr(0x43D),
        "host",
    ):
        assert checked_name(name) == name
        assert not is_of_house(name)
