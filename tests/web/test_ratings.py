"""Ratings of players: from matches that everybody may know of, and by account, never by a name that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from parlour.core.game import Outcome, Seat
from parlour.net.setup import About
from parlour.store import Finished, Progress, RecordHead, RecordKind, Seating, SQLiteStore
from parlour.web.ratings import ranked_matches, rated

ONE, TWO = Seat("ONE"), Seat("TWO")
ENDED = 1000.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(tmp_path / "kept.db") as made:
        yield made


def played(store: SQLiteStore, match: str, about: About, *sitting: Seating) -> None:
    """Store a match that the first seat has won."""
    outcome = Outcome({ONE: 1.0, TWO: 0.0}, ((ONE,), (TWO,)), "won")
    store.write(
        RecordHead(match, RecordKind.MATCH, "fish", opened=1.0, about=msgspec.json.encode(about)),
        *sitting,
        Progress(match, "over", updated=ENDED),
        Finished(match, msgspec.json.encode(outcome)),
    )


def test_matches_that_others_do_not_know_of_yet_are_not_rated(store: SQLiteStore) -> None:
    for match, about in {"m": About(), "hidden": About(listed=False), "late": About(delay=60.0)}.items():
        played(store, match, about, Seating(match, ONE, "x", "ann"), Seating(match, TWO, "greedy", agent="greedy"))
    assert len(ranked_matches(store, "fish", ENDED + 1)) == 1
    found = ranked_matches(store, "fish", ENDED + 61)
    assert found == [{ONE: ("ann", 0), TWO: ("greedy", 1)}] * 2
    assert set(rated(found, "greedy").players) == {"ann", "greedy"}


def test_a_shown_name_is_not_rated(store: SQLiteStore) -> None:
    played(store, "m", About(), Seating("m", ONE, "ann", "eve"), Seating("m", TWO, "ann"))
    assert ranked_matches(store, "fish", ENDED + 1) == [{ONE: ("eve", 0)}]
