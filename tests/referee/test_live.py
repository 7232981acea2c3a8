"""The driver for connected seats: lanes, deadlines, newcomers, and the store that comes first."""

# Why real time passes here: players on a loop think in real time; nobody waits for the long sleeps.

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Action, View
from parlour.core.intents import Intent
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, Terms
from parlour.errors import StoreError
from parlour.games.fish import COLOURS, GAME
from parlour.referee import live
from parlour.referee.conduct import DIPLOMACY, LENIENT, STRICT
from parlour.referee.live import LiveDriver
from parlour.referee.match import Match, Reaction
from parlour.referee.table import Table
from parlour.testing import BIDS, RandomPlayer, ScriptedPlayer
from support.matches.live_tables import LoneTable
from support.matches.tables import EAST, NORTH, SOUTH
from support.waiting import PATIENCE


class Remote(RandomPlayer):
    """Answers after a pause, as if over a wire."""

    def __init__(self, seed: int, pause: float = 0.0) -> None:
        super().__init__(seed)
        self.pause = pause
        self.heard: list[Event] = []
        self.cancelled = 0

    async def act(self, view: View) -> Action:
        try:
            await asyncio.sleep(self.pause)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return super().act(view)

    async def on_event(self, observed: ObservedEvent) -> None:
        await asyncio.sleep(0)
        self.heard.append(observed.event)


def match_of(clock: Clock | None = None) -> Match:
    return Match(BIDS, {}, Terms(conduct=STRICT, clock=clock or Clock()), 7)


def test_connected_and_local_players_play_to_the_end() -> None:
    match = match_of()
    outcome = asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: Remote(2), SOUTH: RandomPlayer(3)}).play())
    assert outcome.reason == "all prizes are gone"


def test_news_arrives_in_order_and_before_the_question_that_follows_it() -> None:
    asked: list[int] = []

    class Careful(Remote):
        async def act(self, view: View) -> Action:
            began = [event.turn for event in self.heard if isinstance(event, ev.TurnBegan)]
            asked.append(began[-1] - view.turn)
            return await super().act(view)

    player = Careful(2)
    match = match_of()
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: player, SOUTH: Remote(3)}).play())
    assert set(asked) == {0}
    assert [type(event) for event in player.heard] == [type(event) for event in match.record]


def test_a_player_begins_to_think_before_it_is_told_anything_that_came_after_the_question() -> None:
    calls: list[str] = []
    others_acted = asyncio.Event()

    class Slow(Remote):
        async def act(self, view: View) -> Action:
            calls.append(f"act {view.turn}")
            return await super().act(view)

        async def on_event(self, observed: ObservedEvent) -> None:
            event = observed.event
            if isinstance(event, ev.TurnBegan):
                calls.append(f"began {event.turn}")
                if event.turn == 1:
                    await others_acted.wait()
            elif isinstance(event, ev.Acted):
                calls.append(f"acted {event.turn}")

    class Watching(Remote):
        async def on_event(self, observed: ObservedEvent) -> None:
            event = observed.event
            if isinstance(event, ev.Acted) and event.seat == SOUTH:
                others_acted.set()

    asyncio.run(LoneTable(match_of(), {NORTH: Watching(1), EAST: Slow(2), SOUTH: Remote(3)}).play())
    assert calls[:3] == ["began 1", "act 1", "acted 1"]


def test_a_silent_player_is_removed_at_its_deadline_and_its_question_cancelled() -> None:
    silent = Remote(2, pause=60)
    match = match_of(Clock(per_turn=0.5))
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: silent, SOUTH: Remote(3)}).play())
    assert match.state.standings() == {EAST: Standing.FAILURE}
    assert silent.cancelled == 1


def test_a_turn_that_is_shorter_than_the_one_before_ends_in_its_own_time() -> None:
    class Tiring(Remote):
        async def act(self, view: View) -> Action:
            self.pause = 0 if view.turn == 1 else 3600
            return await super().act(view)

    tiring = Tiring(2)
    match = match_of(Clock(per_turn=0.3, first_turn=3600))
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: tiring, SOUTH: Remote(3)}).play())
    assert match.is_removed(EAST)
    assert tiring.cancelled == 1


def test_a_silent_player_is_late_though_all_is_stored_and_nobody_is_because_the_disk_is_slow() -> None:
    def slowly(events: Sequence[Event]) -> asyncio.Future[None]:
        return asyncio.ensure_future(asyncio.sleep(0.3))

    async def evening(match: Match) -> None:
        async with asyncio.timeout(PATIENCE):
            await LoneTable(match, {NORTH: Remote(1), EAST: Remote(2, pause=60), SOUTH: Remote(3)}, keep=slowly).play()

    match = match_of(Clock(per_turn=0.2))
    asyncio.run(evening(match))
    assert match.state.standings() == {EAST: Standing.FAILURE}


def test_deadlines_that_are_put_off_are_kept() -> None:
    class Slow(Remote):
        async def act(self, view: View) -> Action:
            self.pause = 0.4 if view.turn == 2 else 0
            return await super().act(view)

    slow = Slow(2)
    match = match_of(Clock(per_turn=3600, first_turn=0.3))
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: slow, SOUTH: Remote(3)}).play())
    assert not any(isinstance(event, ev.Fouled) for event in match.record)


def test_a_player_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_LANE", 16)

    class Clogged(Remote):
        async def on_event(self, observed: ObservedEvent) -> None:
            await asyncio.sleep(60)

    left: list[Intent] = []

    class Watched(Match):
        def handle(self, intent: Intent, now: float) -> Reaction:
            if isinstance(intent, it.Leave):
                left.append(intent)
            return super().handle(intent, now)

    match = Watched(BIDS, {"cards": 20}, Terms(conduct=DIPLOMACY, clock=Clock(per_turn=1.0)), 7)
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: Clogged(2), SOUTH: Remote(3)}).play())
    assert left == [it.Leave(EAST)], "what follows from it is news as well, which does not fit in either"
    assert [event.seat for event in match.record if isinstance(event, ev.Left)] == [EAST]
    assert {event.seat for event in match.record if isinstance(event, ev.Fouled)} == {EAST}


def test_nobody_is_told_before_events_are_kept() -> None:
    kept: list[Event] = []

    async def slowly(events: Sequence[Event]) -> None:
        await asyncio.sleep(0.001)
        kept.extend(events)

    def keep(events: Sequence[Event]) -> asyncio.Future[None]:
        return asyncio.ensure_future(slowly(events))

    class Checking(Remote):
        async def on_event(self, observed: ObservedEvent) -> None:
            assert any(type(k) is type(observed.event) for k in kept)

    match = match_of()
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: Checking(2), SOUTH: Remote(3)}, keep=keep).play())
    assert kept == match.record
    assert not match.state.standings()


def full_from(*kinds: type[Event]) -> Callable[[Sequence[Event]], asyncio.Future[None]]:
    """Return a disk on which there is no room for events of these kinds."""

    def keep(events: Sequence[Event]) -> asyncio.Future[None]:
        kept = asyncio.get_running_loop().create_future()
        if any(type(event) in kinds for event in events):
            kept.set_exception(StoreError("the disk is full"))
        else:
            kept.set_result(None)
        return kept

    return keep


def test_what_cannot_be_kept_ends_the_table_with_the_reason() -> None:
    async def evening() -> None:
        async with asyncio.timeout(PATIENCE):
            players = {seat: Remote(1) for seat in (NORTH, EAST, SOUTH)}
            await LoneTable(match_of(), players, keep=full_from(ev.Acted)).play()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(evening())
    assert raised.group_contains(StoreError, match="the disk is full")


class Noting(Remote):
    """Writes something down for itself while it thinks."""

    handle: Any = None

    def on_seated(self, handle: Any) -> None:
        self.handle = handle

    async def act(self, view: View) -> Action:
        for number in range(3):
            self.handle.note(f"{view.turn}.{number}")
        return await super().act(view)


def test_what_a_player_does_by_itself_and_cannot_be_kept_ends_the_table_too() -> None:
    async def evening() -> None:
        async with asyncio.timeout(PATIENCE):
            players = {NORTH: Remote(1), EAST: Noting(2, pause=3600), SOUTH: Remote(3)}
            await LoneTable(match_of(), players, keep=full_from(ev.Noted)).play()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(evening())
    assert raised.group_contains(StoreError, match="the disk is full")


def test_what_a_player_did_before_it_answered_counts_before_the_answer() -> None:
    match = match_of()

    def slowly(events: Sequence[Event]) -> asyncio.Future[None]:
        return asyncio.ensure_future(asyncio.sleep(0.001))

    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: Noting(2), SOUTH: Remote(3)}, keep=slowly).play())
    own = [event for event in match.record if isinstance(event, ev.Noted | ev.Acted) and event.seat == EAST]
    assert [type(event) for event in own] == [ev.Noted, ev.Noted, ev.Noted, ev.Acted] * 5


class Posted(RandomPlayer):
    """Gives a promise of its answer, as proxies do, and keeps it, or not, when that is due."""

    def __init__(self, seed: int, keep: Callable[[asyncio.Future[Action], Action], None]) -> None:
        super().__init__(seed)
        self.promises: list[asyncio.Future[Action]] = []
        self._keep = keep

    def act(self, view: View) -> asyncio.Future[Action]:
        promise = asyncio.get_running_loop().create_future()
        self.promises.append(promise)
        asyncio.get_running_loop().call_soon(self._keep, promise, super().act(view))
        return promise


def answer(promise: asyncio.Future[Action], action: Action) -> None:
    promise.set_result(action)


async def test_an_answer_that_comes_by_itself_needs_no_task() -> None:
    tasks = 0

    match, seats = match_of(), (NORTH, EAST, SOUTH)

    def count(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        nonlocal tasks
        tasks += 1
        return asyncio.Task(work, loop=loop, **more)

    asyncio.get_running_loop().set_task_factory(count)
    await LoneTable(match, {seat: Posted(number, answer) for number, seat in enumerate(seats)}).play()
    asyncio.get_running_loop().set_task_factory(None)
    assert match.outcome is not None
    assert match.outcome.reason == "all prizes are gone"
    assert not any(isinstance(event, ev.Fouled) for event in match.record)
    assert tasks == 0


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        (lambda promise, action: promise.set_exception(ConnectionResetError("gone")), "disconnected: gone"),
        (lambda promise, action: promise.set_result(object()), "garbled: the answer is no plain value"),
        (lambda promise, action: promise.cancel(), "crashed: CancelledError"),
    ],
)
def test_an_answer_that_never_comes_is_a_foul_of_its_kind(
    keep: Callable[[asyncio.Future[Action], Action], None], reason: str
) -> None:
    match = match_of()
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: Posted(2, keep), SOUTH: Remote(3)}).play())
    (removed,) = (event for event in match.record if isinstance(event, ev.Removed))
    assert (removed.seat, removed.reason.startswith(reason)) == (EAST, True)


def test_an_answer_that_is_of_no_interest_any_more_is_given_up_on() -> None:
    silent = Posted(2, lambda promise, action: None)
    match = match_of(Clock(per_turn=0.3))
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: silent, SOUTH: Remote(3)}).play())
    assert match.state.standings() == {EAST: Standing.FAILURE}
    assert [promise.cancelled() for promise in silent.promises] == [True]


def test_a_promise_of_another_loop_is_a_foul_and_nothing_of_it_reaches_the_table() -> None:
    class NotFoundRoute(RandomPlayer):
        def act(self, view: View) -> asyncio.Future[Action]:
            return other.create_future()

    match, other = match_of(Clock(per_turn=5.0)), asyncio.new_event_loop()
    asyncio.run(LoneTable(match, {NORTH: Remote(1), EAST: NotFoundRoute(2), SOUTH: Remote(3)}).play())
    other.close()
    (removed,) = (event for event in match.record if isinstance(event, ev.Removed))
    assert (removed.seat, removed.reason.startswith("crashed: RuntimeError")) == (EAST, True)


def test_an_answer_that_cannot_be_handed_in_for_a_fault_of_ours_ends_the_table() -> None:
    class Broken(Match):
        def handle(self, intent: Intent, now: float) -> Reaction:
            if isinstance(intent, it.Act):
                raise RuntimeError("ours")
            return super().handle(intent, now)

    async def evening() -> None:
        async with asyncio.timeout(PATIENCE):
            players = {seat: Posted(1, answer) for seat in (NORTH, EAST, SOUTH)}
            await LoneTable(Broken(BIDS, {}, Terms(conduct=STRICT), 7), players).play()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(evening())
    assert raised.group_contains(RuntimeError, match="ours")


def test_who_is_asked_and_gets_up_before_it_begins_to_think_leaves_nothing_open() -> None:
    async def story() -> LiveDriver:
        table = Table(match_of(), lambda: 0.0)
        await table.open(*(it.Join(str(seat), seat) for seat in (NORTH, EAST, SOUTH)))
        async with asyncio.TaskGroup() as group:
            driver = LiveDriver(table, {NORTH: Remote(1)}, group.create_task)
            await driver.run(driver.sit_down())
            driver.rise(NORTH)  # before the loop has had a turn
            driver.close()
        return driver

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        driver = asyncio.run(story())
        gc.collect()
    assert not driver.players


class Stubborn(RandomPlayer):
    """Makes something of being stopped."""

    async def act(self, view: View) -> Action:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return super().act(view)

    async def on_event(self, observed: ObservedEvent) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ConnectionResetError from None


class Pensive(RandomPlayer):
    """Thinks for ever, and takes as long to hear anything."""

    async def act(self, view: View) -> Action:
        return await asyncio.get_running_loop().create_future()

    async def on_event(self, observed: ObservedEvent) -> None:
        await asyncio.get_running_loop().create_future()


class Promising(RandomPlayer):
    """Promises an answer that never comes."""

    def act(self, view: View) -> asyncio.Future[Action]:
        return asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("kind", [Stubborn, Pensive, Promising])
@pytest.mark.parametrize("asked", [True, False])
def test_whoever_gets_up_is_waited_for_no_more_and_does_nothing_for_who_sits_there_next(
    kind: type[RandomPlayer], asked: bool
) -> None:
    async def story() -> tuple[int, int]:
        table = Table(match_of(), lambda: 0.0)
        await table.open(*(it.Join(str(seat), seat) for seat in (NORTH, EAST, SOUTH)))
        async with asyncio.TaskGroup() as group:
            driver = LiveDriver(table, {NORTH: kind(1)}, group.create_task)
            if asked:
                await driver.run(driver.sit_down())
            else:
                driver.tell_past(NORTH)
            await asyncio.sleep(0)
            before = driver.thinking
            count = table.match.state.count
            driver.rise(NORTH)
            for _ in range(5):
                await asyncio.sleep(0)
            assert table.match.state.count == count
            after = driver.thinking
            driver.close()
        return before, after

    before, after = asyncio.run(story())
    assert (before > 0) == (asked or kind is not Promising)
    assert after == 0


def test_who_sits_down_on_a_seat_that_is_taken_is_told_so() -> None:
    async def story() -> tuple[ScriptedPlayer, Match]:
        match = match_of()
        table = Table(match, lambda: 0.0)
        await table.open()
        await table.handle(it.Join("somebody", NORTH))
        late = ScriptedPlayer()
        async with asyncio.TaskGroup() as group:
            driver = LiveDriver(table, {NORTH: late}, group.create_task, names={NORTH: "late"})
            await driver.run(driver.sit_down())
            await driver.drain()
            driver.close()
        return late, match

    late, match = asyncio.run(story())
    assert [refusal.code for refusal in late.refusals] == [it.RefusalCode.SEAT_TAKEN]
    assert match.state.places[NORTH].name == "somebody"


def test_an_end_that_cannot_be_kept_is_no_end() -> None:
    players = {seat: Remote(1) for seat in (NORTH, EAST, SOUTH)}

    async def evening() -> None:
        await LoneTable(match_of(), players, keep=full_from(ev.Ended)).play()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(evening())
    assert raised.group_contains(StoreError, match="the disk is full")


def test_whoever_follows_and_fails_ends_the_table_at_once() -> None:
    class Failing:
        def reacted(self, reaction: Reaction) -> None:
            if any(isinstance(event, ev.Acted) for event in reaction.events):
                raise ValueError("a bug")

    async def evening() -> None:
        players = {seat: Remote(1) for seat in (NORTH, EAST, SOUTH)}
        table = LoneTable(match_of(), players, keep=full_from())
        table.table.follow(Failing())
        async with asyncio.timeout(PATIENCE):
            await table.play()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(evening())
    assert raised.group_contains(ValueError, match="a bug")


def test_sitting_down_is_one_write_and_whoever_sat_down_is_told_no_past() -> None:
    writes: list[list[type[Event]]] = []

    def keep(events: Sequence[Event]) -> asyncio.Future[None]:
        writes.append([type(event) for event in events])
        return full_from()(events)

    class Historian(Remote):
        def on_resume(self, past: Sequence[ObservedEvent]) -> None:
            raise AssertionError("nothing had happened before")

    match = match_of()
    players = {seat: Historian(1) for seat in (NORTH, EAST, SOUTH)}
    asyncio.run(LoneTable(match, players, keep=keep).play())
    assert writes[0] == [ev.Opened, ev.Joined, ev.Joined, ev.Joined, ev.Started, ev.TurnBegan]
    assert not match.state.standings()


def test_whoever_was_skipped_need_not_think_on_while_another_is_asked() -> None:
    class Silent(Remote):
        async def act(self, view: View) -> Action:
            self.pause = 3600 if view.position.stage == "move" else 0
            return await super().act(view)

    class Looking(Remote):
        async def act(self, view: View) -> Action:
            await asyncio.sleep(0.01)
            if view.position.stage == "move":
                found.append(silent.cancelled)
            return await super().act(view)

    found: list[int] = []
    silent = Silent(1)
    red, white = COLOURS[:2]
    terms = Terms(conduct=LENIENT, clock=Clock(per_turn=0.3))
    match = Match(GAME, {"players": 2, "rows": 4, "cols": 4}, terms, 3)
    asyncio.run(LoneTable(match, {red: silent, white: Looking(2)}).play())
    assert found[0] == 1


async def test_a_newcomer_takes_over_a_seat_while_the_match_runs() -> None:
    match = Match(BIDS, {}, Terms(conduct=DIPLOMACY), 7)
    newcomer = ScriptedPlayer(seed=9)
    table = LoneTable(match, {NORTH: Remote(1), EAST: Remote(2, pause=60), SOUTH: Remote(3)})

    async def replace() -> None:
        await asyncio.sleep(0.05)
        assert (await table.table.handle(it.Leave(EAST))).refusal is None
        table.sit(EAST, newcomer)
        assert (await table.table.handle(it.Join("newcomer", EAST))).refusal is None

    async with asyncio.TaskGroup() as group:
        group.create_task(replace())
        group.create_task(table.play())
    assert match.over
    assert match.state.places[EAST].name == "newcomer"
    assert newcomer.views


async def test_a_moderator_can_end_a_match_that_waits() -> None:
    match = match_of()
    table = LoneTable(match, {seat: Remote(1, pause=60) for seat in (NORTH, EAST, SOUTH)})

    async def close() -> None:
        await asyncio.sleep(0.05)
        await table.table.handle(it.Cancel("host", "closing time"))

    async with asyncio.TaskGroup() as group:
        group.create_task(close())
        group.create_task(table.play())
    assert match.outcome is not None
    assert match.outcome.reason == "closing time"


async def test_a_cancelled_table_leaves_a_record_that_goes_on() -> None:
    match = match_of()
    players = {NORTH: Remote(1, 0.02), EAST: Remote(2, 0.02), SOUTH: Remote(3, 0.02)}
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(LoneTable(match, players).play(), 0.05)
    again = Match.resume(match.record, BIDS)
    await LoneTable(again, {NORTH: Remote(1), EAST: Remote(2), SOUTH: Remote(3)}).play()
    assert again.over


def test_who_is_seated_after_the_opening_learns_the_terms() -> None:
    """A player of the house that joins a match which is open, and has not begun."""

    class Learner(ScriptedPlayer):
        def __init__(self) -> None:
            super().__init__()
            self.past: list[Any] = []

        def on_resume(self, past: Sequence[ObservedEvent]) -> None:
            self.past += [observed.event for observed in past]

    async def story() -> Learner:
        match = Match(BIDS, {}, Terms(STRICT), 1)
        table = Table(match, lambda: 0.0)
        await table.open()
        learner = Learner()
        async with asyncio.TaskGroup() as group:
            driver = LiveDriver(table, {}, group.create_task)
            seat = match.game.seats({})[0]
            driver.sit(seat, learner)
            await table.handle(it.Join("learner", seat))
            await driver.drain()
            driver.close()
        return learner

    learner = asyncio.run(story())
    assert [type(event).__name__ for event in learner.past] == ["Opened", "Joined"]


def test_a_player_off_the_loop_waits_for_the_tables_word_and_one_on_it_cannot() -> None:
    async def story() -> list[Any]:
        match = Match(BIDS, {}, Terms(STRICT, Clock(tokens=100)), 1)
        table = Table(match, lambda: 0.0)
        await table.open()
        seats = match.game.seats({})
        found: list[Any] = []
        async with asyncio.TaskGroup() as group:
            driver = LiveDriver(table, {}, group.create_task)
            handle = driver.sit(seats[0], ScriptedPlayer([lambda view: asyncio.sleep(3600)]))
            for seat in seats:
                await table.handle(it.Join("somebody", seat))
            found.append(await asyncio.to_thread(handle.reserve, 60))
            found.append(await asyncio.to_thread(handle.reserve, 60))
            with pytest.raises(RuntimeError, match="on the table's own loop"):
                handle.reserve(1)
            driver.rise(seats[0])
            found.append(await asyncio.to_thread(handle.reserve, 1))
            driver.close()
        return found

    first, second, third = asyncio.run(story())
    assert first == 1
    assert "expected at most 40, got 60" in second.reason
    assert "no longer has the seat" in third.reason
