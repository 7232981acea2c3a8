"""Tokens: the byte vectors of the protocol, both numberings of press, numbers, strings, and maps of one's own."""

from __future__ import annotations

import pytest

from parlour.errors import RemoteWireError
from parlour.games.diplomacy.maps.map import named, standard
from parlour.net.daide.tokens import LEAST, MOST, Letter, Numbering, Token, codec, unknown, written
from support.daide.wire import CODEC, tokens

VECTORS = [
    ("OBS", "480f"),
    ("NME ( 'Bot' ) ( '1' )", "480c 4000 4b42 4b6f 4b74 4001 4000 4b31 4001"),
    ("YES ( OBS )", "481c 4000 480f 4001"),
    ("MAP ( 'standard' )", "4809 4000 4b73 4b74 4b61 4b6e 4b64 4b61 4b72 4b64 4001"),
    (
        "HLO ( ENG ) ( 1234 ) ( ( LVL 20 ) ( MTL 1200 ) )",
        "4804 4000 4101 4001 4000 04d2 4001 4000 4000 4903 0014 4001 4000 4905 04b0 4001 4001",
    ),
    ("MIS ( -1 )", "480b 4000 3fff 4001"),
    ("SUB ( ( ENG FLT LON ) MTO NTH )", "4818 4000 4000 4101 4201 553a 4001 4323 521c 4001"),
    (
        "THX ( ( ENG FLT LON ) MTO NTH ) ( MBV )",
        "481a 4000 4000 4101 4201 553a 4001 4323 521c 4001 4000 4400 4001",
    ),
    (
        "SND ( FRA ) ( PRP ( PCE ( ENG FRA ) ) )",
        "4817 4000 4102 4001 4000 4a13 4000 4a10 4000 4101 4102 4001 4001 4001",
    ),
    ("RUS FLT ( STP SCS )", "4105 4201 4000 574a 4608 4001"),
    ("BOH RUH MUN", "5000 5003 5109"),
    ("0 1 1901 8191 -1 -8192", "0000 0001 076d 1fff 3fff 2000"),
    ("WVE CTO YSC NVR SMR DSD UNT NWC WIN", "4382 4320 4413 4411 481e 490d 4a24 460e 4704"),
]


@pytest.mark.parametrize(("text", "code"), VECTORS)
def test_vectors_of_the_protocol(text: str, code: str) -> None:
    raw = bytes.fromhex(code.replace(" ", ""))
    assert CODEC.encode(tokens(text)) == raw
    assert CODEC.decode(raw) == tokens(text)
    assert written(CODEC.decode(raw)) == text


@pytest.mark.parametrize(
    ("numbering", "codes"),
    [
        (Numbering.CLIENTS, {"FCT": 0x06, "FOR": 0x07, "FWD": 0x08, "NAR": 0x25, "CCL": 0x26}),
        (Numbering.DOCUMENT, {"FWD": 0x06, "FCT": 0x07, "FOR": 0x08, "CCL": 0x25, "NAR": 0x26}),
    ],
)
def test_five_words_of_press_have_two_numberings(numbering: Numbering, codes: dict[str, int]) -> None:
    made = codec(standard(), numbering)
    assert {word: made.encode([word])[1] for word in codes} == codes
    assert {made.decode(bytes((0x4A, code)))[0] for code in codes.values()} == set(codes)


def test_no_two_words_have_one_code() -> None:
    assert len(CODEC.codes) == len(set(CODEC.codes.values()))


def test_what_nobody_knows_comes_back_as_it_was() -> None:
    raw = bytes.fromhex("4c0158ff50ff41074499")
    found = CODEC.decode(raw)
    assert all(unknown(token) for token in found)
    assert CODEC.encode(found) == raw


def test_every_byte_of_a_name_comes_back() -> None:
    raw = b"".join(bytes((0x4B, sign)) for sign in range(256))
    found = CODEC.decode(raw)
    assert all(isinstance(token, Letter) for token in found)
    assert CODEC.encode(found) == raw


@pytest.mark.parametrize("number", [-8193, 8192])
def test_numbers_that_do_not_fit_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        CODEC.encode([number])


def test_half_of_a_token_is_refused() -> None:
    with pytest.raises(RemoteWireError, match="half of a token"):
        CODEC.decode(b"\x48\x0f\x48")


def test_only_maps_of_ones_own_are_represented() -> None:
    assert CODEC.representation() == b""
    lagoon = named("lagoon")
    table = codec(lagoon).representation()
    assert len(table) == 6 * (len(lagoon.powers) + len(lagoon.provinces))
    rows = [table[at : at + 6] for at in range(0, len(table), 6)]
    assert all(row[5] == 0 and row[2:5].isalnum() for row in rows)
    assert {row[2:5].decode() for row in rows} == {
        *(power.tag for power in lagoon.powers), *(province.daide for province in lagoon.provinces),
    }  # fmt: skip


def test_words_of_no_map_have_no_bytes_and_cannot_be_said() -> None:
    with pytest.raises(KeyError, match="XYZ"):
        CODEC.encode(["XYZ"])
    said: dict[Token, bool] = {
        "XYZ": False,
        "?58ff": True,
        "?480f": False,
        "?58f": False,
        "OBS": True,
        MOST: True,
        MOST + 1: False,
    }
    assert {token: CODEC.can_say([token]) for token in said} == said
    assert not CODEC.can_say([LEAST - 1])
    assert CODEC.can_say([LEAST, "OBS"])
    assert not CODEC.can_say(["OBS", "XYZ"])


def test_noise_is_not_remembered() -> None:
    words = codec(standard()).renumbered({})
    noise = bytes(byte for pair in range(1 << 16) for byte in pair.to_bytes(2, "big"))
    meant = words.decode(noise)
    strange = [token for token in meant if not isinstance(token, Letter) and unknown(token)]
    assert len(strange) > 40_000
    assert len(words._meanings) == (1 << 16) - len(strange)
    assert words.decode(words.encode(strange)) == strange
    assert not any(unknown(token) for token in words._spelled)
