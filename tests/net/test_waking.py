"""A match as it lies in the store: read from its last snapshot on, or as it stood at some time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.terms import Terms
from parlour.games.diplomacy.game import GAME
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole
from parlour.net.setup import HallLimits
from parlour.net.waking import StateBehind, read_stored
from parlour.referee.conduct import STRICT
from parlour.referee.match import replay
from parlour.store import Journal, RecordHead, RecordKind
from parlour.testing import FakeClock
from support.hall.halls import ENGLAND, FRANCE, diplomacy, in_a_hall, seven
from support.hall.people import appointed, session_of
from support.waiting import inside


@inside(in_a_hall)
async def test_what_is_no_match_is_not_read(hall: Hall) -> None:
    journal: Journal[ev.Event] = Journal(hall.store, RecordHead("t", RecordKind.TOURNAMENT, "fish"))
    await journal.keep([ev.Opened(0.0, "fish", {}, Terms(STRICT), 1, "t", None, ev.VERSION)])
    assert read_stored(hall.store, "t") is None
    assert read_stored(hall.store, "nowhere") is None


@pytest.mark.parametrize(("every", "covers"), [(1000, False), (5, True)])
def test_a_match_is_read_as_it_was_with_and_without_a_snapshot(tmp_path: Path, every: int, covers: bool) -> None:
    async def scenario(hall: Hall) -> None:
        owner = session_of(hall, "ann")
        match = await owner.open(diplomacy())
        sessions = await seven(hall, match)
        await appointed(owner, match, "moe", MatchRole.MODERATOR)
        for up in (True, False, True):
            await sessions[FRANCE].submit(match, it.SetWait(FRANCE, up))
        await sessions[ENGLAND].submit(match, it.Act(ENGLAND, ["F LON - NTH"]))
        awake = await hall.wake(match)
        stored = read_stored(hall.store, match)
        assert stored is not None
        assert (stored.snapshot > 0) is covers
        assert stored.snapshot <= stored.match.state.count == awake.match.state.count
        assert stored.head.id == match
        assert {seat: sitting.account for seat, sitting in stored.seating.items()} == {
            seat: seat.lower() for seat in sessions
        }
        assert stored.roles == {of_account("moe"): "moderator"}
        assert stored.match.state.places == awake.match.state.places
        assert stored.match.position == awake.match.position

    in_a_hall(tmp_path, scenario, limits=HallLimits(snapshot_every=every))


def test_a_match_stood_at_a_time_as_after_the_last_event_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        await seven(hall, match)
        for up in (True, False, True):
            clock.advance(10.0)
            await session_of(hall, "france").submit(match, it.SetWait(FRANCE, up))
        record, head = await hall.record(match), await hall.head(match)
        behind = StateBehind(head)
        for count, event in enumerate(record, 1):
            state = behind.at(hall.store, event.at)
            assert (state.count, state.now) == (count, event.at)
            assert state.places == replay(record[:count], GAME).places
        between = (record[-1].at + record[-2].at) / 2
        assert StateBehind(head).at(hall.store, between).count == len(record) - 1
        early = StateBehind(head).at(hall.store, record[0].at - 100.0)
        assert early.count == 1, "that it was opened is always known"
        read: list[int] = []

        def entries(_: str, start: int) -> Iterator[bytes]:
            read.append(start)
            return iter(())

        monkeypatch.setattr(hall.store, "entries", entries)
        behind.at(hall.store, record[-1].at + 1.0)
        assert read == [len(record)], "nothing is read twice"

    in_a_hall(tmp_path, scenario, clock=clock.now)
