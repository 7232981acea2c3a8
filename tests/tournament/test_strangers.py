"""Tournaments of strangers: knock-outs of Fish in this program, kept, watched, interrupted and resumed."""

# Why real time passes here: players of a tournament meet on a loop, in real time; nothing depends on how long.

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.core.events import Ended, Event, TurnForced
from parlour.core.fouls import Standing
from parlour.core.game import View
from parlour.core.player import Player
from parlour.core.terms import Terms
from parlour.errors import ParlourError, StoreError
from parlour.games.fish import GAME
from parlour.referee.conduct import STRICT
from parlour.store import Filter, SQLiteStore, Write, read_events
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Entrant,
    TableResult,
    TournamentEvent,
    TournamentResult,
)
from parlour.tournament.knock_out.live_state import LiveState
from parlour.tournament.knock_out.tournament import (
    KnockOutTournament,
    open_journal,
    read_result,
    resume,
    unfinished_heads,
)
from parlour.tournament.reports.audience import Audience
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.strangers import hold
from support.fish.local_tables import LocalTables


class Cheater:
    """Always wants the same tile."""

    def act(self, view: View) -> Any:
        return [0, 0] if view.position.stage == "placement" else [[0, 0], [9, 9]]


class Crasher:
    """Raises when it is asked."""

    def act(self, view: View) -> Any:
        raise ValueError("oops")


def make(name: str, seed: int) -> Player:
    """Return a player by the first letter of its name."""
    if name.startswith("C"):
        return Cheater()
    return Crasher() if name.startswith("X") else make_agent("fish", "greedy", seed)


def announced(names: Sequence[str], *, config: dict[str, Any] | None = None, form: str = "knock-out") -> Announced:
    entrants = tuple(Entrant(name) for name in names)
    return Announced(0.0, "t", "fish", config or {"rows": 5, "cols": 5}, Terms(STRICT), form, 7, entrants)


def run(
    announced: Announced,
    *,
    participants: dict[str, object] | None = None,
    store: SQLiteStore | None = None,
    spectators: Sequence[Any] = (),
    silent_become: Standing | None = None,
) -> TournamentResult:
    audience = Audience(spectators)
    tables = LocalTables(GAME, announced, make, store=store, audience=audience)
    journal = None if store is None else open_journal(store, announced)
    tournament = KnockOutTournament(
        LiveState(announced), tables.play, journal=journal, audience=audience, clock=lambda: 1.0
    )
    return asyncio.run(hold(tournament, participants or {}, silent_become=silent_become))


def good(count: int) -> list[str]:
    return [f"g{number}" for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 9, 17])
def test_a_knock_out_of_any_size_has_winners_and_losers(count: int) -> None:
    result = run(announced(good(count)))
    assert (result.winners != ()) == (count > 0)
    assert sorted(result.winners + result.losers) == sorted(good(count))
    assert result.cheaters == result.failures == ()


def test_cheaters_and_failures_are_named_with_their_reasons() -> None:
    result = run(announced(["g0", "C1", "g2", "X3", "g4", "C5"]))
    assert {d.name for d in result.cheaters} == {"C1", "C5"}
    assert "penguin" in result.cheaters[0].reason or "hole" in result.cheaters[0].reason
    assert [(d.name, d.reason) for d in result.failures] == [("X3", "crashed: ValueError: oops")]
    assert set(result.winners) | set(result.losers) == {"g0", "g2", "g4"}


def test_a_tournament_in_which_everyone_cheats_ends_without_winners() -> None:
    result = run(announced([f"C{number}" for number in range(7)]))
    # The first of each table gets its tile, and is caught at its second penguin.
    assert result.winners == result.losers == ()
    assert len(result.cheaters) == 7


def test_a_board_on_which_nobody_can_move_is_a_tie_of_all() -> None:
    # Four players have eight penguins, so that every tile is taken; five need two tables.
    result = run(announced(good(8), config={"rows": 2, "cols": 4, "fish": 1}))
    assert result.winners == tuple(good(8))
    assert result.reason == "same winners in two rounds"
    assert result.rounds == 2


class Late:
    """Fails at the start or at the end."""

    def __init__(self, at: str) -> None:
        self._at = at

    def tournament_started(self) -> None:
        if self._at == "start":
            raise TimeoutError("said nothing")

    async def tournament_ended(self, won: bool) -> None:
        if self._at == "end":
            raise ConnectionResetError("gone")


def test_who_does_not_answer_the_start_is_out_before_the_first_round() -> None:
    result = run(announced(good(5)), participants={"g1": Late("start"), "g2": Late("never")})
    assert [(d.name, d.reason) for d in result.failures] == [("g1", "late: said nothing")]
    assert result.rounds == 1


@pytest.mark.parametrize(("become", "failures"), [(None, 0), (Standing.FAILURE, 1)])
def test_a_winner_who_does_not_take_the_news_has_not_won(become: Standing | None, failures: int) -> None:
    plain = run(announced(good(3)))
    participants: dict[str, object] = {name: Late("end") for name in plain.winners}
    result = run(announced(good(3)), participants=participants, silent_become=become)
    assert len(plain.winners) == 1
    assert result.winners == ()
    assert len(result.failures) == failures
    assert (plain.winners[0] in result.losers) == (failures == 0)


@pytest.mark.parametrize("become", [None, Standing.FAILURE])
def test_whoever_was_told_to_have_won_has_won_though_the_end_was_never_kept(
    become: Standing | None, tmp_path: Path
) -> None:
    expected = run(announced(good(3)))
    told: list[bool] = []

    class Glad:
        def tournament_ended(self, won: bool) -> None:
            told.append(won)
            store.killed = True

    class Mortal:
        """A store whose process ends as soon as the winner is told."""

        killed = False

        def __getattr__(self, name: str) -> Any:
            return getattr(kept, name)

        async def keep(self, *writes: Write) -> None:
            if self.killed:
                raise StoreError("killed")
            await kept.keep(*writes)

    store: Any = Mortal()
    with SQLiteStore(tmp_path / "s.db") as kept:
        with pytest.raises(StoreError, match="killed"):
            run(announced(good(3)), participants=dict.fromkeys(expected.winners, Glad()), store=store)
        assert told == [True]
        course, journal = resume(kept, "t")
        assert course.closed is None
        gone: dict[str, object] = {name: Late("end") for name in good(3)}
        tables = LocalTables(GAME, course.announced, make, store=kept, audience=Audience())
        again = KnockOutTournament(course, tables.play, journal=journal)
        assert asyncio.run(hold(again, gone, silent_become=become)) == expected


class Watcher:
    """Remembers all; fails after so many events."""

    def __init__(self, until: int = 10**9) -> None:
        self.events: list[TournamentEvent] = []
        self.matches: dict[str, list[Event]] = {}
        self._until = until

    def told(self, event: TournamentEvent) -> None:
        self.events.append(event)
        if len(self.events) >= self._until:
            raise RuntimeError("a bad spectator")

    def told_of_match(self, match: str, event: Event) -> None:
        self.matches.setdefault(match, []).append(event)


def test_only_those_who_watch_matches_are_told_of_them() -> None:
    class Glancing:
        def told(self, event: TournamentEvent) -> None:
            pass

    watcher = Watcher()
    audience = Audience([Glancing(), watcher])
    assert audience.of_matches
    audience.told_of_match("m", TurnForced(1.0, "host", 1))
    assert watcher.matches == {"m": [TurnForced(1.0, "host", 1)]}
    audience.dismiss(watcher)
    assert audience
    assert not audience.of_matches


def test_spectators_see_everything_and_a_failing_one_is_dropped(tmp_path: Path) -> None:
    fine, bad = Watcher(), Watcher(until=2)
    with SQLiteStore(tmp_path / "s.db") as store:
        result = run(announced(good(5)), store=store, spectators=[bad, fine])
        records = {head.id: read_events(store, head.id) for head in store.heads(Filter(parent="t"))}
    assert len(bad.events) == 2
    assert bad.matches == {}
    assert fine.events[-1] == Closed(1.0, result)
    assert fine.matches.keys() == records.keys()
    assert all(len(fine.matches[match]) == len(records[match]) for match in records)
    assert all(isinstance(record[-1], Ended) for record in records.values())


def test_a_finished_tournament_is_kept_with_its_result(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "s.db") as store:
        result = run(announced(good(6)), store=store)
        assert unfinished_heads(store, "fish") == []
        assert read_result(store, "t") == result
        assert sorted(head.id for head in store.heads(Filter(parent="t"))) == ["t.1.1", "t.1.2", "t.2.1"]
        with pytest.raises(ParlourError, match="not finished"):
            read_result(store, "other")


class Dying:
    """A store that dies after so many writes, like a program that is killed."""

    def __init__(self, store: SQLiteStore, writes: int) -> None:
        self._store = store
        self._left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoreError("killed")

    def write(self, *writes: Write) -> None:
        self._count()
        self._store.write(*writes)

    async def keep(self, *writes: Write) -> None:
        self._count()
        await self._store.keep(*writes)


@pytest.mark.parametrize("writes", [0, 1, 2, 3, 10, 40, 60, 75, 100])
def test_an_interrupted_tournament_goes_on_to_the_same_result(tmp_path: Path, writes: int) -> None:
    entry = announced([*good(4), "C4", "g5"])
    expected = run(entry)
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        dying: Any = Dying(store, writes)
        try:
            run(entry, store=dying)
        except* StoreError:
            pass
    with SQLiteStore(path) as store:
        if [head.id for head in unfinished_heads(store, "fish")] != ["t"]:
            assert writes in (0, 100)
            return
        before = {head.id: list(store.entries(head.id)) for head in store.heads(Filter(parent="t"))}
        course, journal = resume(store, "t")
        tables = LocalTables(GAME, course.announced, make, store=store, audience=Audience())
        result = asyncio.run(hold(KnockOutTournament(course, tables.play, journal=journal), {}))
        assert result == expected
        assert read_result(store, "t") == expected
        for match, entries in before.items():
            assert list(store.entries(match))[: len(entries)] == entries


def test_tables_of_a_round_are_played_at_the_same_time_up_to_a_limit() -> None:
    running = most = 0

    async def play(sitting: Sitting, name: str) -> TableResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return TableResult((sitting.players[:1], sitting.players[1:]))

    def most_at_once(at_once: int) -> int:
        nonlocal most
        most = 0
        asyncio.run(hold(KnockOutTournament(LiveState(announced(good(40))), play), {}, at_once=at_once))
        return most

    assert most_at_once(1000) == 10
    assert most_at_once(3) == 3
