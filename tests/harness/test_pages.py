"""The pages of the harnesses show what their commands print: digests, rewards, legality, promises and tokens."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from parlour.harness import Episode
from support.harness.frameworks import diplomacy, fake_models, fish, played_without

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
ROW = re.compile(
    r"^(?:(\S+-\d+) +)?(\w+) +(\d\.\d{3}) +(\d+)% +(\d+) +(\d+) +(\d+)(?:  ([0-9a-f]{12}))?$", re.MULTILINE
)


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


@cache
def played(game: str) -> Episode:
    """Play the match of the pages on the core alone."""
    with fake_models() as fake:
        return played_without({"fish": fish, "diplomacy": diplomacy}[game](), fake)


@pytest.mark.parametrize(
    ("name", "game", "rows"),
    [("use-verifiers", "diplomacy", 3), ("use-inspect", "diplomacy", 2), ("use-openenv", "fish", 3)],
)
def test_rows_and_digests_are_those_of_the_match(name: str, game: str, rows: int) -> None:
    episode, shown = played(game), ROW.findall(page(name))
    assert len(shown) == rows
    for _, seat, reward, legal, kept, broken, tokens, digest in shown:
        own = episode.standing().seats[seat]
        figures = (f"{own.score:.3f}", f"{own.legality:.0%}", str(own.kept), str(own.broken), str(own.tokens))
        assert (reward, f"{legal}%", kept, broken, tokens) == figures, seat
        assert not digest or episode.digest().startswith(digest)
    if game == "fish":
        assert f"record {episode.digest()}\n" in page(name)
    else:
        assert shown[0][-1], "the page shows the digest"
