"""The matches of a tournament: what each player is given follows from the tournament alone; results go with the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from parlour.core import events as ev
from parlour.core.terms import Terms
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.store import SQLiteStore
from parlour.testing import BIDS, RandomPlayer
from parlour.tournament.blocks import derived
from parlour.tournament.course import Fixture
from parlour.tournament.events import Announced, Entrant
from parlour.tournament.tables import MatchFile, player_seed
from parlour.tournament.values import TableResult

NAMES = ("Ann", "Bob", "Cid")


def test_a_tournament_that_an_earlier_version_began_goes_on_with_the_same_seeds() -> None:
    fixture = Fixture("cup.1.2", 1, 1, ("Ann", "Bob"), 20210114)
    assert [player_seed(fixture, name) for name in fixture.players] == [46135117624677218, 47521324552278406]
    assert all(0 <= player_seed(fixture, f"player {n}") < 2**56 for n in range(20))
    assert derived(1, "a", 3) == 4316680685705128704
    assert all(0 <= derived(1, n) < 2**63 for n in range(20))


def test_a_result_is_kept_in_one_write_with_the_end_and_with_nothing_before_it(tmp_path: Path) -> None:
    announced = Announced(0.0, "cup", "bids", {}, Terms(STRICT), "knock-out", 1, tuple(map(Entrant, NAMES)))
    with SQLiteStore(tmp_path / "cup.db") as store:
        file = MatchFile(BIDS, announced, Fixture("cup.1.1", 1, 0, NAMES, 7), store)
        found = []

        def keep(events: Sequence[ev.Event]) -> None:
            file.write(events)
            found.append((any(isinstance(event, ev.Ended) for event in events), store.result("cup.1.1") is not None))

        play(file.match, {seat: RandomPlayer(3) for seat in file.seats}, names=file.seats, keep=keep)
        assert found[-1] == (True, True)
        assert all(ended is kept for ended, kept in found)
        result, head = store.result("cup.1.1"), store.head("cup.1.1")
        assert result is not None
        assert head is not None
        assert (head.status, head.turn) == ("over", file.match.turn)
        assert asyncio.run(file.finish()) == msgspec.json.decode(result, type=TableResult)


def test_a_match_whose_result_an_earlier_version_had_yet_to_keep_has_it_kept(tmp_path: Path) -> None:
    announced = Announced(0.0, "cup", "bids", {}, Terms(STRICT), "knock-out", 1, tuple(map(Entrant, NAMES)))
    fixture = Fixture("cup.1.1", 1, 0, NAMES, 7)
    with SQLiteStore(tmp_path / "cup.db") as store:
        file = MatchFile(BIDS, announced, fixture, store)
        assert file._journal is not None
        play(file.match, {seat: RandomPlayer(3) for seat in file.seats}, names=file.seats, keep=file._journal.write)
        assert store.result("cup.1.1") is None
        result = asyncio.run(MatchFile(BIDS, announced, fixture, store).finish())
        kept = store.result("cup.1.1")
        assert kept is not None
        assert msgspec.json.decode(kept, type=TableResult) == result
