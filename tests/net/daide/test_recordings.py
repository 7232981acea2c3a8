"""Sessions of real clients that were recorded at another server: all that they say is understood here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parlour.games.diplomacy.maps.map import standard
from parlour.net.daide.client_messages import ClientMessage, Naming, Submitting, read
from parlour.net.daide.tokens import Numbering, codec, unknown
from parlour.net.framing.frames import FrameReader
from parlour.press.language.tokens import standard_lexicon

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.rec"))
CODEC = codec(standard(), Numbering.DOCUMENT)


def bodies(path: Path, who: str) -> list[bytes]:
    """Return the bodies of the diplomacy messages of one side, as its frames have them."""
    reader, found = FrameReader(max_body=1 << 16), []
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] == who and re.fullmatch(r"(?:[0-9a-f]{2})+", parts[2]):
            found += [frame[4:] for frame in reader.feed(bytes.fromhex(parts[2])) if frame[0] == 2]
    return found


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_whatever_a_real_client_says_is_understood(path: Path) -> None:
    said: list[ClientMessage] = [read(CODEC.decode(body), standard_lexicon()) for body in bodies(path, "C")]
    assert isinstance(said[0], Naming)
    assert any(isinstance(phrase, Submitting) for phrase in said)
    for phrase in said:
        if isinstance(phrase, Submitting):
            assert all(order is not None for _, order in phrase.orders)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_whatever_a_real_server_says_is_made_of_words_that_are_known(path: Path) -> None:
    for body in bodies(path, "S"):
        tokens = CODEC.decode(body)
        assert not any(unknown(token) for token in tokens)
        assert CODEC.encode(tokens) == body
