"""The table: every intent has its own answer, stored first and told in order; whoever watches misses nothing."""

# Why real time passes here: a disk that is slow is slow in real time.

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest

from parlour.core import events as ev
from parlour.core.events import Event, seen_by
from parlour.core.intents import Ballot, Intent, RefusalCode
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.errors import StoreError
from parlour.referee import table as table_module
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.history import Past
from parlour.referee.match import Match, Reaction, replay
from parlour.referee.table import LATE_READ, Answer, Table
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, SOUTH, bids, it, kinds
from support.waiting import inside

T = TypeVar("T")
VIEWERS = (SPECTATOR, OMNISCIENT, MODERATOR, seated_on(NORTH), seated_on(EAST, SOUTH))


class Disk:
    """Stores what it is given when it is let; may fail."""

    def __init__(self, *, slow: bool = False, failure: Exception | None = None) -> None:
        self.events: list[Event] = []
        self.writes: list[int] = []
        self.failure = failure
        self.free = asyncio.Event()
        if not slow:
            self.free.set()

    def keep(self, events: Sequence[Event]) -> asyncio.Future[None]:
        self.writes.append(len(events))
        return asyncio.ensure_future(self._keep(events))

    async def _keep(self, events: Sequence[Event]) -> None:
        await self.free.wait()
        if self.failure is not None:
            raise self.failure
        self.events.extend(events)


class Hands:
    """The clock of a test."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


def table_of(disk: Disk | None = None, *, now: Hands | None = None, **terms: object) -> Table:
    press = PressTerms(PressMode.ANYTIME)
    match = Match(BIDS, {}, Terms(conduct=DIPLOMACY, press=press, **terms), 7)  # type: ignore[arg-type]
    return Table(match, now or Hands(), keep=None if disk is None else disk.keep)


async def sit(table: Table) -> None:
    await table.open()
    for seat in (NORTH, EAST, SOUTH):
        assert (await table.handle(it.Join(f"player {seat}", seat))).refusal is None


def run(evening: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        result = await evening()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, "an idle table holds no task"
        return result

    return asyncio.run(whole())


@inside(run)
async def test_what_is_handed_in_as_a_match_is_opened_is_stored_together_with_it() -> None:
    disk = Disk()
    opened, joined = await table_of(disk).open(it.Join("Ann", NORTH))
    assert kinds((*opened.events, *joined.events)) == ["Opened", "Joined"]
    assert disk.writes == [2]


@inside(run)
async def test_nothing_is_stored_of_a_match_with_whose_opening_something_is_refused() -> None:
    disk = Disk()
    _, _, refused = await table_of(disk).open(it.Join("Ann", NORTH), it.Join("Bob", NORTH))
    assert refused.refusal is not None
    assert disk.writes == []


@inside(run)
async def test_an_intent_is_answered_by_what_followed_or_by_its_own_refusal() -> None:
    table = table_of()
    (opened,) = await table.open()
    assert kinds(opened.events) == ["Opened"]
    joined = await table.handle(it.Join("Ann", NORTH))
    assert kinds(joined.events) == ["Joined"]
    taken = await table.handle(it.Join("Bob", NORTH))
    assert taken.refusal is not None
    assert (taken.events, taken.refusal.code) == ((), RefusalCode.SEAT_TAKEN)


@inside(run)
async def test_intents_at_the_same_time_each_get_their_own_answer_and_share_a_write() -> None:
    disk = Disk(slow=True)
    table = table_of(disk)
    answers: list[asyncio.Task[Answer]] = []
    async with asyncio.TaskGroup() as group:
        intents: list[Intent] = [it.Join("Ann", NORTH), it.Join("Bob", NORTH), it.Join("Cid", EAST)]
        table.open()
        await asyncio.sleep(0)
        answers += [group.create_task(table.handle(intent)) for intent in intents]
        await asyncio.sleep(0.01)
        assert table.busy
        assert not answers[0].done(), "nothing is answered before it is durable"
        assert answers[1].done(), "a refusal changes nothing, so that there is nothing to store"
        disk.free.set()
    assert [kinds(answer.result().events) for answer in answers] == [["Joined"], [], ["Joined"]]
    refusal = answers[1].result().refusal
    assert refusal is not None
    assert refusal.code is RefusalCode.SEAT_TAKEN
    assert disk.writes == [1, 2], "what came in while the first was written went together"
    assert disk.events == table.match.record
    assert not table.busy


@inside(run)
async def test_nobody_is_told_before_it_is_durable_and_all_are_told_in_order() -> None:
    disk = Disk()
    table = table_of(disk)
    heard: list[Event] = []

    def told(told: ObservedEvent) -> None:
        assert told.event in disk.events
        heard.append(told.event)

    table.watch(MODERATOR, told)
    await sit(table)
    async with asyncio.TaskGroup() as group:
        for seat in (NORTH, EAST, SOUTH):
            group.create_task(table.handle(it.Say(seat, f"I am {seat}")))
    assert heard == table.match.record == disk.events


@inside(run)
async def test_what_cannot_be_stored_has_not_happened_and_the_table_is_given_up() -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    heard: list[ObservedEvent] = []
    table.watch(MODERATOR, heard.append)
    disk.failure = StoreError("the disk is full")
    disk.free.clear()
    first = asyncio.create_task(table.handle(it.SetWait(NORTH, True)))
    second = asyncio.create_task(table.handle(it.SetWait(EAST, True)))
    await asyncio.sleep(0)
    third = asyncio.create_task(table.handle(it.SetWait(SOUTH, True)))
    await asyncio.sleep(0)
    disk.free.set()
    for answer in (first, second, third):
        with pytest.raises(StoreError, match="the disk is full"):
            await answer
    assert heard == []
    for later in (table.open, table.tick, lambda: table.handle(it.SetWait(NORTH, True))):
        with pytest.raises(StoreError, match="given up: the disk is full"):
            await later()


@inside(run)
async def test_whoever_gives_up_waiting_changes_nothing() -> None:
    disk = Disk(slow=True)
    table = table_of(disk)
    waiting = asyncio.ensure_future(table.open())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    disk.free.set()
    await table.settled()
    assert kinds(tuple(disk.events)) == ["Opened"]
    assert (await table.handle(it.Join("Ann"))).refusal is None


@inside(run)
async def test_a_table_that_is_cancelled_while_it_stores_leaves_nobody_waiting() -> None:
    disk = Disk(slow=True)
    table = table_of(disk)
    waiting = asyncio.ensure_future(table.open())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    storing = next(iter(asyncio.all_tasks() - {asyncio.current_task(), waiting}))
    await asyncio.sleep(0)
    storing.cancel()
    with pytest.raises(StoreError, match="given up"):
        await waiting


@inside(run)
async def test_a_table_takes_intents_in_every_status() -> None:
    table = table_of()
    early = await table.handle(it.Join("Ann"))
    assert early.refusal is not None
    assert early.refusal.code is RefusalCode.NOT_STARTED
    await sit(table)
    assert table.match.state.status is MatchStatus.RUNNING
    await table.handle(it.Pause("host"))
    assert kinds((await table.handle(it.Leave(NORTH))).events) == ["Left", "Fouled"]
    assert kinds((await table.handle(it.Join("Zoe", NORTH))).events) == ["Joined"]
    await table.handle(it.Resume("host"))
    await table.handle(it.Cancel("host"))
    late = await table.handle(it.Vote(NORTH, Ballot.YES))
    assert late.refusal is not None
    assert late.refusal.code is RefusalCode.OVER


@inside(run)
async def test_time_passes_when_it_is_told_to() -> None:
    now = Hands()
    table = table_of(now=now, clock=Clock(per_turn=5.0))
    await sit(table)
    assert table.due() == 5.0
    assert table.now() == 0.0
    assert (await table.tick()).events == ()
    now.time = 5.0
    assert "TurnEnded" in kinds((await table.tick()).events)


async def play_a_little(table: Table) -> None:
    await sit(table)
    await table.handle(it.Say(NORTH, "psst", (EAST,)))
    await table.handle(it.Say(NORTH, "hello"))
    await table.handle(it.Vote(EAST, Ballot.YES))
    for turn in (1, 2):
        for seat in (NORTH, EAST, SOUTH):
            await table.handle(it.Act(seat, table.match.position.default(seat), turn))
    await table.handle(it.Say(SOUTH, "psst", (NORTH,)))


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
@pytest.mark.parametrize("stored", [False, True])
@inside(run)
async def test_a_watcher_gets_what_it_may_see_numbered_without_gaps_with_the_position_after_it(
    *, viewer: Viewer, stored: bool
) -> None:
    table = table_of(Disk() if stored else None)
    heard: list[ObservedEvent] = []
    late: list[ObservedEvent] = []
    table.watch(viewer, heard.append)
    table.watch(viewer, lambda told: table.watch(viewer, late.append) if told.k == 6 else None)
    await play_a_little(table)
    record = table.match.record
    seen = [(number, seen) for number, event in enumerate(record) if (seen := seen_by(event, viewer, BIDS))]
    assert [(told.number, told.event) for told in heard] == seen
    assert [told.k for told in heard] == [*range(len(seen))]
    assert late == heard[7:], "all who see the same are given the same object"
    for told in heard:
        assert told.view == replay(record, BIDS, at=told.number).view().seen(viewer)
    for since in (0, 5, len(seen), len(seen) + 3):
        caught = past_of(table, viewer, since)
        assert [(told.k, told.number, told.event, told.view) for told in caught] == [
            (told.k, told.number, told.event, told.view) for told in heard[since:]
        ]
        assert [told.view for told in reversed(caught)] == [told.view for told in reversed(heard[since:])]


def past_of(table: Table, viewer: Viewer, since: int = 0) -> list[ObservedEvent]:
    """Return what a viewer has been sent."""
    return list(Past(BIDS, table.told_record()).told(viewer, since))


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
@inside(run)
async def test_what_is_not_durable_yet_is_not_in_the_past(*, viewer: Viewer) -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    told = past_of(table, viewer)
    disk.free.clear()
    saying = asyncio.create_task(table.handle(it.Say(NORTH, "psst", (EAST,))))
    waiting = asyncio.create_task(table.handle(it.SetWait(SOUTH, True)))
    await asyncio.sleep(0)
    assert [event.k for event in past_of(table, viewer)] == [event.k for event in told]
    heard: list[ObservedEvent] = []
    table.watch(viewer, heard.append)
    disk.free.set()
    await saying
    await waiting
    assert [event.k for event in heard] == [*range(len(told), len(told) + len(heard))]
    assert heard[-1].k + 1 == len(past_of(table, viewer)) == table.seen(viewer)


@inside(run)
async def test_a_watcher_that_fails_or_leaves_is_told_no_more_and_hurts_nobody() -> None:
    table = table_of()
    heard: list[ObservedEvent] = []
    calls: list[ObservedEvent] = []

    def failing(told: ObservedEvent) -> None:
        calls.append(told)
        raise RuntimeError

    table.watch(SPECTATOR, failing)
    leave = table.watch(SPECTATOR, calls.append)
    table.watch(SPECTATOR, heard.append)
    await table.open()
    leave()
    leave()
    await table.handle(it.Join("Ann"))
    assert len(calls) == 2
    assert len(heard) == 2


@inside(run)
async def test_a_listener_gets_every_reaction_once_it_is_durable() -> None:
    class Noting:
        def __init__(self) -> None:
            self.reactions: list[Reaction] = []

        def reacted(self, reaction: Reaction) -> None:
            self.reactions.append(reaction)

    disk = Disk()
    table = table_of(disk)
    noting = Noting()
    leave = table.follow(noting)
    await sit(table)
    assert [event for reaction in noting.reactions for event in reaction.events] == disk.events
    assert {ask.seat for reaction in noting.reactions for ask in reaction.asks} == {NORTH, EAST, SOUTH}
    leave()
    leave()
    count = len(noting.reactions)
    await table.handle(it.SetWait(NORTH, True))
    assert len(noting.reactions) == count


@inside(run)
async def test_the_number_of_visible_events_follows_from_the_state_alone() -> None:
    table = table_of()
    await play_a_little(table)
    resumed = Match.resume(table.match.record, BIDS)
    for viewer in VIEWERS:
        seen = [event for event in resumed.record if seen_by(event, viewer, BIDS) is not None]
        assert resumed.state.visible(viewer) == len(seen)
    assert isinstance(resumed.record[-1], ev.Said)


# What nobody waits for


@inside(run)
async def test_what_is_handed_in_without_waiting_is_stored_with_what_comes_next() -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    before = len(disk.writes)
    first = table.submit([it.SetWait(NORTH, True), it.Act(NORTH, 3)])
    assert [kinds(answer.events) for answer in first.answers] == [["WaitSet"], ["Acted"]]
    assert (len(disk.writes), table.busy) == (before, True)
    await table.handle(it.Act(EAST, 3))
    assert first.done is not None
    assert first.done.done()
    assert (disk.writes[before:], table.busy) == ([3], False)


def test_a_turn_that_ends_by_it_is_stored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 1e6)

    async def evening() -> None:
        disk = Disk()
        table = table_of(disk)
        await sit(table)
        before = len(disk.writes)
        for seat in (NORTH, EAST):
            table.submit([it.Act(seat, 3)], leisurely=True)
        ending = table.submit([it.Act(SOUTH, 3)], leisurely=True)
        assert "TurnEnded" in kinds(ending.answers[0].events)
        assert ending.done is not None
        await ending.done
        assert len(disk.writes) == before + 1

    run(evening)


@pytest.mark.parametrize("how", ["by itself", "in a hurry", "settled", "with what comes next"])
def test_what_nobody_is_in_a_hurry_for_does_not_lie_in_memory_for_long(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 0.01 if how == "by itself" else 1e6)

    async def evening() -> None:
        disk = Disk()
        table = table_of(disk)
        await sit(table)
        before = len(disk.writes)
        handed = table.submit([it.Act(NORTH, 3)], leisurely=True)
        if how != "by itself":
            await asyncio.sleep(0)
        assert (len(disk.writes), table.busy) == (before, True)
        urgent = how == "with what comes next"
        also = table.submit([it.Act(EAST, 3)], leisurely=not urgent)
        assert also.done is handed.done, "one for all that is stored together"
        assert handed.done is not None
        if how == "in a hurry":
            table.hurry()
        elif how == "settled":
            await table.settled()
        await handed.done
        await table.settled()
        assert kinds(tuple(disk.events[-2:])) == ["Acted", "Acted"]
        assert (disk.writes[before:], table.busy) == ([2], False)
        table.hurry()  # there is nothing to do
        assert not table.busy

    run(evening)


@inside(run)
async def test_what_is_refused_has_nothing_to_store_and_what_cannot_be_stored_fails() -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    refused = table.submit([it.SetWait(NORTH, False)])
    assert refused.done is None
    assert refused.answers[0].refusal is not None
    disk.failure = StoreError("full")
    handed = table.submit([it.Act(NORTH, 3)])
    assert handed.done is not None
    with pytest.raises(StoreError, match="full"):
        await handed.done
    with pytest.raises(StoreError, match="given up"):
        table.submit([it.Act(NORTH, 3)])


@inside(run)
async def test_whoever_wants_to_be_called_is_called_as_soon_as_it_is_told_and_whoever_fails_then_hurts_nobody(
    *, caplog: pytest.LogCaptureFixture
) -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    heard: list[object] = []
    table.watch(SPECTATOR, lambda told: heard.append(type(told.event).__name__))
    handed = table.submit([it.SetWait(NORTH, True)])

    def fail(error: Exception | None) -> None:
        raise RuntimeError("of a callback")

    def play_on(error: Exception | None) -> None:  # in the middle of it all
        heard.append(error)
        table.submit([it.SetWait(EAST, True)])

    for callback in (fail, play_on):
        handed.then(callback)
    waiting = handed.done
    assert waiting is not None
    waiting.add_done_callback(lambda _: heard.append("a turn later"))
    await waiting
    assert heard == ["WaitSet", None, "a turn later"]
    assert "of a callback" in caplog.text
    handed.then(heard.append)
    assert heard[-1] is None, "it was stored before"
    await table.settled()
    disk.failure = StoreError("full")
    lost = table.submit([it.Act(NORTH, 3)])
    lost.then(heard.append)
    await table.settled()
    assert heard[-2:] == ["WaitSet", disk.failure]


@pytest.mark.parametrize("late", [0.0, 0.5])
@inside(run)
async def test_what_is_said_before_the_table_has_noticed_that_time_is_up_is_in_time(*, late: float) -> None:
    """A player who was asked and answers is not late because the host was: only a tick ends the turn."""
    hands = Hands()
    table = table_of(now=hands, clock=Clock(per_turn=5.0))
    await sit(table)
    assert table.due() == 5.0
    hands.time = 5.0 + late
    answer = await table.handle(it.Act(NORTH, table.match.position.default(NORTH)))
    assert kinds(answer.events) == ["Acted"]
    assert answer.events[0].at == 5.0 - LATE_READ
    await table.tick()
    assert table.match.turn == 2


@inside(run)
async def test_a_crowd_that_is_read_late_is_in_time_as_far_as_there_is_room_before_the_deadline() -> None:
    hands = Hands()
    hands.time = 100.0
    match = Match(BIDS, {}, Terms(conduct=DIPLOMACY, clock=Clock(per_turn=5.0)), 7, dated=True)
    table = Table(match, hands)
    await sit(table)
    due = table.due()
    assert due is not None
    hands.time = due + 0.2
    notes = round(LATE_READ * 1e6)
    answers = table.submit([it.Note(NORTH, str(number)) for number in range(notes + 5)]).answers
    in_time = [answer.refusal is None for answer in answers]
    assert in_time[: notes - 1] == [True] * (notes - 1)
    turns = [event.turn for event in match.record if isinstance(event, ev.Noted)]
    assert turns == sorted(turns)
    assert notes - 2 <= turns.count(1) <= notes
    assert Match.resume(match.record, BIDS).state.count == match.state.count
    await table.settled()


@inside(run)
async def test_a_table_is_sociable_while_those_who_play_there_act_together() -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    for seat in (NORTH, EAST, SOUTH):  # each waits for its answer before the next acts
        await table.handle(it.Act(seat, 3))
        assert not table.sociable
    for seat in (NORTH, EAST):
        table.submit([it.Act(seat, 3)])
    await table.settled()
    assert table.sociable
    await table.handle(it.Act(SOUTH, 3))
    assert not table.sociable


@inside(run)
async def test_who_acts_while_another_is_stored_acts_together_with_it() -> None:
    disk = Disk()
    table = table_of(disk)
    await sit(table)
    before = len(disk.writes)
    disk.free.clear()
    table.submit([it.Act(NORTH, 3)])
    await asyncio.sleep(0.001)
    table.submit([it.Act(EAST, 3)])
    disk.free.set()
    await table.settled()
    assert disk.writes[before:] == [1, 1], "it came too late to be stored with the first"
    assert table.sociable


def test_what_was_left_for_later_and_stored_before_is_not_stored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 0.01)

    async def evening() -> None:
        wrong: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: wrong.append(context))
        disk = Disk()
        table = table_of(disk)
        await sit(table)
        before = len(disk.writes)
        table.submit([it.SetWait(NORTH, True)], leisurely=True)
        await table.handle(it.Vote(NORTH, Ballot.YES))
        assert disk.writes[before:] == [2], "both at once"
        await asyncio.sleep(0.05)
        assert disk.writes[before:] == [2]
        assert wrong == []

    run(evening)


@inside(run)
async def test_intents_are_answered_at_once_and_awaited_until_they_are_durable() -> None:
    disk = Disk(slow=True)
    table = table_of(disk)
    opened = table.open()
    handed = table.submit([it.Join("Ann", NORTH), it.Join("Bob", NORTH)])
    assert [answer.refusal is None for answer in handed.answers] == [True, False]
    assert disk.events == []
    disk.free.set()
    assert [kinds(answer.events) for answer in await handed] == [["Joined"], []]
    assert [kinds(answer.events) for answer in await opened] == [["Opened"]]
    assert kinds(tuple(disk.events)) == ["Opened", "Joined"]
    assert await table.submit([]) == []


@inside(run)
async def test_what_is_owed_comes_before_anything_else_and_what_the_host_refuses_is_not_ruled_on() -> None:
    owed: list[Intent] = []
    no = it.Refusal(it.RefusalCode.TOO_LONG, "no")
    table = Table(
        bids(),
        lambda: 10.0,
        owed=lambda now: owed.pop() if owed else None,
        refuse=lambda intent: no if isinstance(intent, it.Leave) else None,
    )
    await table.open(it.Join("Ann", NORTH))
    owed.append(it.Announce("host", "sorry"))
    await table.submit([it.Join("Bob", EAST)])
    assert kinds(tuple(table.match.record)) == ["Opened", "Joined", "Proclaimed", "Joined"]
    assert (await table.handle(it.Leave(NORTH))).refusal is no
    owed.append(it.Announce("host", "never said"))
    table.close("closed for good")
    with pytest.raises(StoreError, match="closed for good"):
        table.submit([it.Join("Cid", SOUTH)])
    assert len(table.match.record) == 4
