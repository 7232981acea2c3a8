"""The hall: matches of any game are opened, found, played, watched, put to sleep and woken; nothing is lost."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from parlour.agents.house_specs import HouseSpec
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Action, Seat, View
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import MODERATOR, SPECTATOR, seated_on
from parlour.errors import Denied, StoreError
from parlour.games.fish import GAME as FISH
from parlour.net.awake import AwakeMatches
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.match_roles import MatchRole
from parlour.net.schedule import AHEAD
from parlour.net.sessions import Session
from parlour.net.setup import HallLimits
from parlour.net.waking import read_stored
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.match import Match
from parlour.referee.table import Table
from parlour.store import (
    Entries,
    Filter,
    Journal,
    RecordHead,
    RecordKind,
    Seating,
    Setting,
    Snapshot,
    Store,
)
from support.hall.halls import ENGLAND, FRANCE, POWERS, diplomacy, in_a_hall, seven
from support.hall.people import appointed, opening, session_of, submitted
from support.simulation.world import SimulatedDisk, SimulatedLoop, SimulatedStore
from support.store.rows import spread
from support.waiting import PATIENCE, inside, run_simulated, until


def test_a_match_is_opened_found_played_and_comes_back_after_a_restart(tmp_path: Path) -> None:
    async def first(hall: Hall) -> str:
        owner = session_of(hall, "ann")
        match = await owner.open(diplomacy(title="Friday"))
        sessions = await seven(hall, match)
        answer = (await sessions[FRANCE].submit(match, it.Act(FRANCE, ["A PAR - BUR"])))[0]
        assert [type(event) for event in answer.events] == [ev.Acted]
        page = await owner.page(Filter(owner="ann"))
        (head,) = page.heads
        assert (head.id, head.title, head.status, head.turn, head.phase) == (match, "Friday", "running", 1, "S1901M")
        assert head.players["FRANCE"] == "france"
        return match

    async def second(hall: Hall, match: str) -> None:
        assert hall.awake == 0
        france = session_of(hall, "france")
        view = await france.view(match)
        assert hall.awake == 1
        assert view.seats[FRANCE].own == ["A PAR - BUR"]
        for power in POWERS:
            if power != "FRANCE":
                await session_of(hall, power.lower()).submit(match, it.Act(Seat(power), []))
        view = await france.view(match)
        assert (view.turn, view.head.phase) == (2, "F1901M")
        assert view.position is not None
        assert "A BUR" in str(view.position.encode()) or "BUR" in view.position.fen  # type: ignore[attr-defined]

    match = in_a_hall(tmp_path, first)
    in_a_hall(tmp_path, lambda hall: second(hall, match))


@inside(in_a_hall)
async def test_a_match_is_opened_in_one_write_with_its_agents_and_what_is_handed_in(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, kept = hall.store.keep, list[Any]()

    async def counted(*writes: Any) -> None:
        kept.append(writes)
        await keep(*writes)

    monkeypatch.setattr(hall.store, "keep", counted)
    terms = Terms(DIPLOMACY, seats_to_start=0, vacancy=Vacancy.AWAITED)
    setup = diplomacy(match="m", terms=terms, agents={FRANCE: "hold", ENGLAND: "hold"})
    await session_of(hall, "ann").open(opening(setup, it.Start("")), besides=[Setting("k", b"v")])
    first, *later = kept
    assert [type(write).__name__ for write in first].count("Seating") == 2
    assert not any(isinstance(write, Seating) for writes in later for write in writes)
    assert hall.store.setting("k") == b"v"
    assert any(isinstance(event, ev.Started) for event in await hall.record("m"))
    async with asyncio.timeout(PATIENCE):
        while not (await hall.view("m", MODERATOR)).seats[FRANCE].acted:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@inside(in_a_hall, limits=HallLimits(snapshot_every=1))
async def test_a_snapshot_covers_just_what_is_stored_with_it_whatever_happens_meanwhile(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that covered more would let a match that is woken after a crash go on beyond a gap in its record."""
    terms = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME, max_per_turn=1000))
    match = await session_of(hall, "ann").open(diplomacy(match="m", terms=terms))
    sessions = await seven(hall, match)
    keep, snapshots = hall.store.keep, list[tuple[int, ...]]()

    def watched(*writes: Any) -> Awaitable[None]:
        ends = [write.first + len(write.bodies) for write in writes if isinstance(write, Entries)]
        snapshots.extend((write.length, *ends) for write in writes if isinstance(write, Snapshot))
        return keep(*writes)

    monkeypatch.setattr(hall.store, "keep", watched)
    for turns in range(12):
        asking = [asyncio.create_task(submitted(sessions[FRANCE], match, it.Say(FRANCE, f"{turns} first")))]
        for _ in range(turns):
            await asyncio.sleep(0)
        asking.append(asyncio.create_task(submitted(sessions[ENGLAND], match, it.Say(ENGLAND, f"{turns} second"))))
        for answer in await asyncio.gather(*asking):
            assert answer.refusal is None
    assert len(snapshots) >= 12
    assert [covered for covered, _ in snapshots] == [stored for _, stored in snapshots]


def test_a_snapshot_that_covers_more_than_was_kept_is_not_believed(tmp_path: Path) -> None:
    async def first(hall: Hall) -> list[ev.Event]:
        match = await session_of(hall, "ann").open(diplomacy(match="m"))
        await seven(hall, match)
        return await hall.record(match)

    async def second(hall: Hall) -> list[ev.Event]:
        answer = (await session_of(hall, "france").submit("m", it.SetWait(FRANCE, True)))[0]
        assert answer.refusal is None
        return await hall.record("m")

    before = in_a_hall(tmp_path, first, limits=HallLimits(snapshot_every=1))
    (last,) = [number for number, event in enumerate(before) if isinstance(event, ev.Started)]
    spread(tmp_path / "hall.db")
    with closing(sqlite3.connect(tmp_path / "hall.db")) as connection:
        connection.execute("DELETE FROM entry WHERE number > ?", (last,))
        connection.commit()
    after = in_a_hall(tmp_path, second)
    assert after[: last + 1] == before[: last + 1]
    assert any(isinstance(event, ev.WaitSet) for event in after)


@inside(in_a_hall)
async def test_a_match_whose_agents_cannot_sit_down_is_not_opened(hall: Hall) -> None:
    with pytest.raises(Denied, match=r"^agents: NOWHERE: "):
        await hall.open(diplomacy(match="m", agents={Seat("NOWHERE"): "hold"}))
    with pytest.raises(Denied, match="there is no match"):
        await hall.head("m")
    await hall.open(diplomacy(match="m"))


@inside(in_a_hall)
async def test_a_match_that_is_wanted_while_it_is_being_opened_is_that_very_one(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, said = asyncio.Event(), asyncio.Event()
    keep = hall.store.keep

    async def slow_to_say(*writes: Any) -> None:
        await keep(*writes)
        stored.set()
        await said.wait()

    monkeypatch.setattr(hall.store, "keep", slow_to_say)
    opening = asyncio.create_task(hall.open(diplomacy(match="m")))
    await stored.wait()
    again = asyncio.create_task(hall.open(diplomacy(match="m")))
    waking = asyncio.create_task(hall.wake("m"))
    impatient = asyncio.create_task(hall.wake("m"))
    for _ in range(5):
        await asyncio.sleep(0)
    impatient.cancel()
    said.set()
    await opening
    assert await waking is await hall.wake("m")
    with pytest.raises(Denied, match="there is a match 'm' already"):
        await again
    assert (hall.counts["opened"], hall.counts["woken"]) == (1, 0)


@inside(in_a_hall)
async def test_whoever_opens_a_match_that_is_being_looked_for_waits_until_it_was_not_found(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Event()
    fetch = hall.store.fetch

    async def slow(read: Any, *given: Any, **named: Any) -> Any:
        found = await fetch(read, *given, **named)
        if read is read_stored:
            await looked.wait()
        return found

    monkeypatch.setattr(hall.store, "fetch", slow)
    waking = asyncio.create_task(hall.wake("m"))
    opening = asyncio.create_task(hall.open(diplomacy(match="m")))
    await asyncio.wait([opening], timeout=0.05)  # long enough to go wrong, if it does; how long does not matter
    assert not opening.done()
    looked.set()
    with pytest.raises(Denied, match="there is no match 'm' here"):
        await waking
    assert await opening == "m"


@inside(in_a_hall)
async def test_the_head_of_a_match_says_how_it_ended_while_the_match_is_still_awake(hall: Hall) -> None:
    owner = session_of(hall, "ann")
    match = await owner.open(diplomacy())
    await owner.submit(match, it.Cancel("ann", "rain"))
    assert hall.at_hand(match) is not None
    awake, (kept,) = await hall.head(match), (await owner.page()).heads
    assert (awake.status, awake.result) == (kept.status, kept.result)
    assert awake.result is not None
    assert b"rain" in awake.result


@inside(in_a_hall)
async def test_whoever_watches_hears_all_without_gaps_from_wherever_it_left_off(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    early: list[ObservedEvent] = []
    end = await hall.watch(match, SPECTATOR, early.append, 0)
    sessions = await seven(hall, match)
    late: list[ObservedEvent] = []
    end_late = await hall.watch(match, SPECTATOR, late.append, 3)
    await sessions[FRANCE].submit(match, it.Act(FRANCE, ["A PAR - BUR"]))
    end()
    await sessions[ENGLAND].submit(match, it.Act(ENGLAND, []))
    end_late()
    assert [told.k for told in early] == list(range(len(early)))
    assert [told.k for told in late] == list(range(3, 3 + len(late)))
    assert len(late) == len(early) - 3 + 1
    assert [told.event for told in late[:-1]] == [told.event for told in early[3:]]
    acted = [told.event for told in early if isinstance(told.event, ev.Acted)]
    assert [event.action for event in acted] == [None]


@inside(in_a_hall)
async def test_a_match_that_nobody_uses_sleeps_and_an_intent_wakes_it(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    end = await hall.watch(match, SPECTATOR, lambda told: None)
    assert not hall.sleep(match)
    end()
    assert hall.sleep(match)
    assert hall.awake == 0
    await seven(hall, match)
    assert hall.awake == 1
    assert (await hall.view(match, SPECTATOR)).status == "running"


@inside(in_a_hall, limits=HallLimits(awake=3))
async def test_of_too_many_that_are_awake_the_one_that_was_not_used_for_longest_sleeps(hall: Hall) -> None:
    for name in ("first", "second", "third"):
        await hall.open(diplomacy(match=name))
    end = await hall.watch("first", SPECTATOR, lambda told: None)
    assert hall.awake == 3
    await hall.open(diplomacy(match="fourth"))
    assert {hosted.name for hosted in hall._awake} == {"first", "third", "fourth"}, "who is watched does not sleep"
    end()
    await hall.wake("third")
    await hall.wake("second")
    assert {hosted.name for hosted in hall._awake} == {"second", "third", "fourth"}


@inside(in_a_hall, limits=HallLimits(awake=2))
async def test_beside_many_busy_matches_few_are_looked_at_to_put_one_to_sleep(hall: Hall) -> None:
    for number in range(9):
        match = await hall.open(diplomacy(match=f"busy {number}"))
        await hall.watch(match, SPECTATOR, lambda told: None)
    await hall.open(diplomacy(match="unused"))
    awake, looked = hall._awake, list[str]()

    def sleep(match: str) -> bool:
        looked.append(match)
        return AwakeMatches.sleep(awake, match)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parlour.net.awake.LOOKED_AT", 4)
        patch.setattr(awake, "sleep", sleep)
        for number in range(3):
            await hall.open(diplomacy(match=f"another {number}"))
            assert len(looked) <= 4 * (number + 1)
    assert "unused" in looked
    assert "unused" not in {hosted.name for hosted in awake}, "those that are in use were looked at once each"


@inside(in_a_hall)
async def test_an_agent_that_was_refused_its_seat_does_not_sit_there(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    await seven(hall, match)
    refused = await hall.seat_agent(match, FRANCE, "random")
    assert refused.refusal is not None
    hosted = await hall.wake(match)
    assert hosted.seating[FRANCE].account == "france"
    assert FRANCE not in hosted.agents.seats
    assert len(hosted.match.record) == 0, "what it was to be told is forgotten"
    with pytest.raises(Denied, match="diplomacy has no 'clever'"):
        await hall.seat_agent(match, FRANCE, "clever")


@inside(in_a_hall)
async def test_a_deadline_wakes_a_match_and_passes(hall: Hall) -> None:
    match = await hall.open(diplomacy(per_turn=0.2))
    await seven(hall, match)
    await until(lambda: hall.sleep(match))  # between two deadlines, however late this comes
    turn = (await hall.head(match)).turn
    async with asyncio.timeout(PATIENCE):
        while (await hall.head(match)).turn == turn:  # noqa: ASYNC110 - it is the hall that must do it by itself
            await asyncio.sleep(0.02)


def test_agents_of_the_house_play_and_are_made_again(tmp_path: Path) -> None:
    async def first(hall: Hall) -> str:
        agents = {Seat(power): "random" for power in POWERS if power != "FRANCE"}
        match = await hall.open(diplomacy(agents=agents))
        assert (await session_of(hall, "france").join(match, FRANCE)).refusal is None
        await until_turn(hall, match, 1)
        return match

    async def until_turn(hall: Hall, match: str, turn: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                view = await hall.view(match, MODERATOR)
                if view.turn == turn and all(view.seats[Seat(p)].acted for p in POWERS if p != "FRANCE"):
                    return
                await asyncio.sleep(0.01)

    async def second(hall: Hall, match: str) -> None:
        await session_of(hall, "france").submit(match, it.Act(FRANCE, []))
        await until_turn(hall, match, 2)

    match = in_a_hall(tmp_path, first)
    in_a_hall(tmp_path, lambda hall: second(hall, match))


class Newcomer:
    """Remembers what it was told when it sat down."""

    told: ClassVar[list[int]] = []

    def act(self, view: View) -> Action:
        return []

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        self.told.append(len(past))


def test_an_agent_that_sits_down_late_is_told_all_and_the_record_does_not_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HouseSpec, "make", lambda spec, seed: Newcomer())

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        sessions = await seven(hall, match)
        for turn in range(30):
            await sessions[FRANCE].submit(match, it.SetWait(FRANCE, turn % 2 == 0))
        await sessions[ENGLAND].submit(match, it.Leave(ENGLAND))
        for again in range(2):
            hosted = await hall.wake(match)
            if not again:
                await hall.seat_agent(match, ENGLAND, "random")
            await hosted.table.settled()
            assert len(hosted.match.record) == 0
            async with asyncio.timeout(PATIENCE):
                while len(Newcomer.told) <= again or not hall.sleep(match):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        assert Newcomer.told[0] > 40
        assert Newcomer.told[1] > 40

    in_a_hall(tmp_path, scenario)


@inside(in_a_hall)
async def test_who_may_do_what_is_said_in_the_same_words_everywhere(hall: Hall) -> None:
    owner, france, stranger, nobody = (session_of(hall, name) for name in ("ann", "france", "bob", ""))
    match = await owner.open(diplomacy(), password="open sesame")

    async def denied(deed: Awaitable[Any]) -> str:
        with pytest.raises(Denied) as raised:
            await deed
        return f"{raised.value.code}: {raised.value}"

    assert await denied(nobody.open(diplomacy())) == "not signed in: to open a match, sign in first"
    assert await denied(nobody.join(match)) == "not signed in: to take a seat, sign in first"
    assert await denied(france.join("nowhere")) == "unknown match: there is no match 'nowhere' here"
    assert (await denied(france.join(match))).startswith("wrong password: ")
    assert (await france.join(match, FRANCE, password="open sesame")).refusal is None
    said = "not allowed: only whoever sits on FRANCE may act there"
    assert await denied(submitted(stranger, match, it.Act(FRANCE, []))) == said
    assert (await denied(submitted(nobody, match, it.Act(FRANCE, [])))) == "not signed in: to do that, sign in first"
    lapsed = await denied(submitted(Session(hall, lapsed=True), match, it.Act(FRANCE, [])))
    assert lapsed == "bad token: the token is unknown, expired or revoked: sign in again"
    said = "not allowed: only a moderator of the match may pause"
    assert (await denied(submitted(france, match, it.Pause("ann")))) == said
    said = "not allowed: only whoever sits there may see what FRANCE may see"
    assert await denied(stranger.view(match, seated_on(FRANCE))) == said
    assert (await denied(appointed(stranger, match, "bob", MatchRole.OMNISCIENT))).startswith("not allowed: ")
    await appointed(owner, match, "bob", MatchRole.OMNISCIENT)
    assert (await stranger.rights(match)).omniscient
    assert (await denied(france.open(diplomacy(match="a/b")))).startswith("bad value: match: expected")
    assert (await denied(france.open(diplomacy(match=match)))).startswith("match exists: ")


@inside(in_a_hall, limits=HallLimits(matches=3, matches_of_one=2))
async def test_one_account_cannot_open_more_than_its_share(hall: Hall) -> None:
    ann = session_of(hall, "ann")
    await ann.open(diplomacy())
    await ann.open(diplomacy())
    with pytest.raises(Denied, match="too many matches that you opened"):
        await ann.open(diplomacy())
    await session_of(hall, "bob").open(diplomacy())
    with pytest.raises(Denied, match="too many matches: at most 3"):
        await session_of(hall, "bob").open(diplomacy())


def test_whoever_is_put_to_sleep_with_time_to_make_good_writes_nothing_any_more(tmp_path: Path) -> None:
    now = [1_000_000.0]

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy(per_turn=60.0, match="m"))
        await seven(hall, match)
        now[0] += 600.0  # the clock is set: everybody gets ten minutes back
        await hall.wake(match)
        assert hall.sleep(match)
        for _ in range(3):
            assert (await session_of(hall, "france").submit(match, it.SetWait(FRANCE, True)))[0].refusal is None
            assert (await session_of(hall, "france").submit(match, it.SetWait(FRANCE, False)))[0].refusal is None
        stalled = [event for event in await hall.record(match) if isinstance(event, ev.Stalled)]
        assert [round(event.seconds) for event in stalled] == [600]

    in_a_hall(tmp_path, scenario, clock=lambda: now[0])


def test_what_an_agent_does_comes_after_the_time_that_is_made_good(tmp_path: Path) -> None:
    now = [1_000_000.0]

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy(per_turn=60.0, match="m"))
        await seven(hall, match)
        hosted = await hall.wake(match)
        now[0] += 30.0  # the loop stood still
        assert hosted.table.submit([it.Act(FRANCE, ["A PAR H"])]).answers[0].refusal is None
        await hosted.table.settled()
        *_, stalled, acted = await hall.record(match)
        assert isinstance(stalled, ev.Stalled)
        assert round(stalled.seconds) == 30
        assert isinstance(acted, ev.Acted)
        assert hall.sleep(match)
        with pytest.raises(StoreError, match="has just been put to sleep"):
            hosted.table.submit([it.Act(FRANCE, [])])

    in_a_hall(tmp_path, scenario, clock=lambda: now[0])


@inside(in_a_hall)
async def test_an_intent_for_a_match_that_was_put_to_sleep_meanwhile_wakes_it_again(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    hosted = await hall.wake(match)
    assert hall.sleep(match)
    with pytest.raises(StoreError, match="has just been put to sleep"):
        hosted.submit([it.Join("f", FRANCE)])
    assert (await submitted(hall, match, it.Join("f", FRANCE))).refusal is None
    assert (await hall.wake(match)) is not hosted


def test_deadlines_beyond_those_in_memory_are_read_in_their_time_even_if_the_disk_fails_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.net.schedule.MOST", 2)

    async def scenario() -> None:
        disk, chance = SimulatedDisk(), random.Random(1)
        store = SimulatedStore(disk, chance, slow=0.001)
        loop = asyncio.get_running_loop()
        names = ["m0", "m1", "m2", "m3", "m4"]
        hall = Hall(cast(Store, store), clock=loop.time)
        await hall.start()
        for number, name in enumerate(names):
            await hall.open(diplomacy(per_turn=10.0 + number, match=name))
            await seven(hall, name)
        await hall.close()
        failing = SimulatedStore(disk, chance, slow=0.001)
        again = Hall(cast(Store, failing), clock=loop.time)
        await again.start()
        failing.failing = 1.0
        await asyncio.sleep(20.0)
        failing.failing = 0.0
        await asyncio.sleep(60.0)
        assert all(disk.heads[name].turn >= 2 for name in names)
        await again.close()

    loop = SimulatedLoop()
    loop.run_until_complete(scenario())
    loop.close()


def test_a_far_deadline_of_a_match_that_is_only_looked_at_passes_in_its_time() -> None:
    async def scenario() -> None:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        hall = Hall(cast(Store, store), clock=asyncio.get_running_loop().time)
        await hall.start()
        match = await hall.open(diplomacy(per_turn=5 * AHEAD))
        await seven(hall, match)
        assert hall.sleep(match)
        await hall.watch(match, SPECTATOR, lambda told: None)
        await asyncio.sleep(5 * AHEAD + 1)
        assert (await hall.head(match)).turn == 2
        await hall.close()

    loop = SimulatedLoop()
    loop.run_until_complete(scenario())
    loop.close()


@inside(in_a_hall)
async def test_agents_whose_match_cannot_be_read_whole_are_made_again_when_it_can(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def unreadable(_: object) -> list[ev.Event]:
        raise StoreError("not now")

    match = await hall.open(diplomacy(agents={FRANCE: "hold"}))
    for seat in POWERS:
        if seat != FRANCE:
            await session_of(hall, seat.lower()).join(match, Seat(seat))
    async with asyncio.timeout(PATIENCE):
        while not (await hall.view(match, MODERATOR)).seats[FRANCE].acted or not hall.sleep(match):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    with monkeypatch.context() as broken:
        broken.setattr(hall._awake, "_stored_record", unreadable)
        with pytest.raises(StoreError, match="not now"):
            await hall.wake(match)
    assert hall.awake == 0
    for seat in POWERS:
        if seat != FRANCE:
            await session_of(hall, seat.lower()).submit(match, it.Act(Seat(seat), []))
    async with asyncio.timeout(PATIENCE):
        while (await hall.view(match, MODERATOR)).turn < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@inside(in_a_hall)
async def test_a_match_of_a_tournament_can_be_watched_and_not_touched(hall: Hall) -> None:

    def store_length(hall: Hall) -> int:
        return hall.store.length("t-1")

    head = RecordHead("t-1", RecordKind.MATCH, "fish", "t", status="running")
    match = Match(FISH, {}, Terms(STRICT, Clock(per_turn=60.0)), 7, "t-1")
    hosted = await hall.attend(match, head)
    with pytest.raises(Denied, match="there is no match 't-1' here"):
        await hall.head("t-1")
    looking = asyncio.ensure_future(hall.wake("t-1"))
    await asyncio.sleep(0)
    table = hosted.table
    await table.open()
    assert await looking is hosted, "whoever looks for it waits until it is stored"
    seen: list[ObservedEvent] = []
    end = await hall.watch("t-1", SPECTATOR, seen.append, 0)
    before = len(seen)
    assert before > 0
    for number, seat in enumerate(FISH.seats({})):
        await table.handle(it.Join(f"p{number}", seat))
    assert len(seen) > before
    assert [told.k for told in seen] == list(range(len(seen)))
    view = await hall.view("t-1", SPECTATOR)
    assert (view.status, view.due) == ("running", None)
    admin = session_of(hall, "admin", admin=True)
    for intent in (it.Pause("x"), it.Leave(FISH.seats({})[0])):
        with pytest.raises(Denied, match="only the tournament that it belongs to may change this match"):
            await admin.submit("t-1", intent)
    with pytest.raises(Denied, match="only the tournament"):
        await admin.seat_agent("t-1", FISH.seats({})[0], "random")
    assert match.state.count == store_length(hall)
    end()
    assert not hall.sleep("t-1"), "its tournament plays it"
    hall.leave(hosted)
    left = await hall.wake("t-1")
    assert left is not hosted
    assert (await hall.view("t-1", SPECTATOR)).status == "running"  # as it lies in the store
    again = await hall.attend(Match(FISH, {}, match.terms, 7, "t-1"), head, again=True)
    assert (again.match.state.count, len(again.match.record)) == (match.state.count, match.state.count)
    assert left.closed, "whoever looks from now on looks at the one that is played"
    assert await hall.wake("t-1") is again
    hall.leave(again)
    assert hall._schedule._deadlines.due("t-1") == float("inf"), "its deadlines are not the hall's to keep"
    assert match.state.count == store_length(hall)  # nobody else lets time pass in it


@pytest.mark.parametrize("restarted", [False, True])
def test_a_clock_that_is_set_back_holds_nobody_up(restarted: bool) -> None:
    async def scenario() -> None:
        disk, loop, set_back = SimulatedDisk(), asyncio.get_running_loop(), [0.0]

        async def begun() -> Hall:
            store = SimulatedStore(disk, random.Random(1), slow=0.001)
            hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time() - set_back[0])
            await hall.start()
            return hall

        hall = await begun()
        match = await hall.open(diplomacy(per_turn=60.0, match="m"))
        await seven(hall, match)
        await asyncio.sleep(10.0)
        set_back[0] = 3600.0
        if restarted:
            await hall.close()
            hall = await begun()
        await asyncio.sleep(70.0)
        ended = [event for event in await hall.record(match) if isinstance(event, ev.TurnEnded)]
        assert len(ended) == 1, "those who did not order in time have held"
        await hall.close()

    loop = SimulatedLoop()
    loop.run_until_complete(scenario())
    loop.close()


def test_a_slow_disk_that_holds_up_a_match_while_it_wakes_is_held_against_nobody() -> None:
    async def scenario() -> None:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
        await hall.start()
        match = await hall.open(diplomacy(per_turn=60.0, match="m"))
        await seven(hall, match)
        due = (await hall.view(match, MODERATOR)).due
        assert due is not None
        await asyncio.sleep(20.0)
        assert hall.sleep(match)
        store.hanging = 1.0
        waking = asyncio.ensure_future(hall.wake(match))
        for _ in range(5):
            await asyncio.sleep(0.0)  # until it reads
        store.hanging = 0.0
        await waking
        (stalled,) = [event for event in await hall.record(match) if isinstance(event, ev.Stalled)]
        assert 2.0 < stalled.seconds < 21.0
        assert (await hall.view(match, MODERATOR)).due == pytest.approx(due + stalled.seconds)
        await hall.close()

    loop = SimulatedLoop()
    loop.run_until_complete(scenario())
    loop.close()


def test_a_disk_that_is_always_slow_comes_to_rest_when_nobody_does_anything() -> None:
    """That time is made good is stored, too, which takes time."""

    async def scenario() -> list[float]:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
        await hall.start()
        match = await hall.open(diplomacy(per_turn=30.0, match="m"))
        await seven(hall, match)
        await asyncio.sleep(20.0)
        found = [event.seconds for event in await hall.record(match) if isinstance(event, ev.Stalled)]
        await hall.close()
        return found

    with closing(SimulatedLoop(grain=0.5)) as loop:  # so that each write takes half a second
        (stalled,) = loop.run_until_complete(scenario())
    assert stalled == pytest.approx(0.5, abs=0.001)


def test_a_slow_disk_makes_no_work_for_a_match_without_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    made_good: list[float] = []

    async def compensate_downtime(hosted: HostedMatch, seconds: float = 0.0) -> None:
        if seconds:  # without any it is called before each arrival
            made_good.append(seconds)

    monkeypatch.setattr(HostedMatch, "compensate_downtime", compensate_downtime)

    async def scenario() -> None:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
        await hall.start()
        await seven(hall, await hall.open(diplomacy(match="m")))
        await hall.close()

    with closing(SimulatedLoop(grain=0.5)) as loop:  # so that each write takes half a second
        loop.run_until_complete(scenario())
    assert made_good == []


def test_a_write_that_hangs_is_made_good_whatever_others_do_meanwhile() -> None:
    async def scenario() -> tuple[float, float]:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
        await hall.start()
        terms = Terms(DIPLOMACY, Clock(per_turn=60.0), PressTerms(PressMode.ANYTIME))
        match = await hall.open(diplomacy(match="m", terms=terms))
        sessions = await seven(hall, match)
        before = (await hall.view(match, MODERATOR)).due
        store.hanging = 1.0
        began = loop.time()
        acting = asyncio.ensure_future(submitted(sessions[FRANCE], match, it.Act(FRANCE, ["A PAR - BUR"])))
        await asyncio.sleep(1.0)
        store.hanging = 0.0
        saying = asyncio.ensure_future(submitted(sessions[ENGLAND], match, it.Say(ENGLAND, "hello?")))
        await acting
        hung = loop.time() - began
        await saying
        await asyncio.sleep(1.0)
        after = (await hall.view(match, MODERATOR)).due
        assert before is not None
        assert after is not None
        await hall.close()
        return hung, after - before

    hung, moved = run_simulated(scenario)
    assert hung > 2.0
    assert moved == pytest.approx(hung, abs=0.1)


@inside(in_a_hall, limits=HallLimits(idle=0.001))
async def test_a_match_of_a_tournament_that_nobody_looks_at_any_more_is_let_go(hall: Hall) -> None:
    match = Match(FISH, {}, Terms(STRICT, Clock(per_turn=60.0)), 7, "t-1")
    journal: Journal[ev.Event] = Journal(hall.store, RecordHead("t-1", RecordKind.MATCH, "fish", "t"))
    table = Table(match, asyncio.get_running_loop().time, keep=journal.keep)
    await table.open()
    for number, seat in enumerate(FISH.seats({})):
        await table.handle(it.Join(f"p{number}", seat))
    await hall.view("t-1", SPECTATOR)
    assert hall.awake == 1
    await asyncio.sleep(0.01)
    hall._awake.sweep()  # its deadline is near, but it is not the hall's to keep
    assert hall.awake == 0


@inside(in_a_hall)
async def test_a_head_says_when_a_match_will_be_due_that_slept_through_a_downtime(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await session_of(hall, "ann").open(diplomacy(per_turn=3600.0))
    await seven(hall, match)
    due = (await hall.head(match)).due
    assert due is not None
    assert hall.sleep(match)
    monkeypatch.setattr(hall.heartbeat, "between", lambda begin, end: 100.0)
    (listed,) = (await hall.page()).heads
    assert (await hall.head(match)).due == listed.due == due + 100.0


# What is handed in without waiting


def test_a_match_is_at_hand_if_something_may_be_done_in_it_at_this_moment(tmp_path: Path) -> None:
    now = [1_000_000.0]

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy(per_turn=60.0))
        await seven(hall, match)
        assert hall.at_hand("nowhere") is None
        hosted = hall.at_hand(match)
        assert hosted is await hall.wake(match)
        hosted.used = 0.0
        assert hall.at_hand(match) is hosted
        assert hosted.used > 0.0, "that is a use of it"
        hosted.owing = 30.0
        now[0] += 40.0
        hall.submit(match, it.SetWait(FRANCE, True))
        assert hosted.owing == 0.0, "nobody could act for a while, which is made good first"
        kinds = [type(event) for event in hosted.match.record]
        assert kinds.index(ev.Stalled) < kinds.index(ev.WaitSet)
        hosted.owing = 30.0
        await hall.ready(match)
        assert hosted.owing == 0.0
        await hosted.table.settled()
        assert hall.sleep(match)
        assert hall.at_hand(match) is None
        await hall.ready(match)
        assert hall.at_hand(match) is not None
        with pytest.raises(Denied, match="there is no match 'nowhere' here"):
            await hall.ready("nowhere")

    in_a_hall(tmp_path, scenario, clock=lambda: now[0])


@inside(in_a_hall)
async def test_what_is_handed_in_is_answered_at_once_and_durable_later(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    await seven(hall, match)
    hosted = hall.at_hand(match)
    assert hosted is not None
    before = hall.counts.copy()
    handed = hall.submit(match, it.Act(FRANCE, ["A PAR - BUR"]), it.Join("x", FRANCE))
    assert [answer.refusal is None for answer in handed.answers] == [True, False]
    assert hall.counts - before == {"intents taken": 1, "intents refused": 1}
    assert handed.done is not None
    length = hall.store.length(match)
    await handed.done
    assert hall.store.length(match) > length


def test_what_is_leisurely_is_stored_when_somebody_is_in_a_hurry_or_a_moment_later() -> None:
    async def scenario() -> list[float]:
        store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.0001)
        loop = asyncio.get_running_loop()
        hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
        await hall.start()
        match = await hall.open(diplomacy())
        await seven(hall, match)
        took = []
        for number, way in enumerate(("at once", "leisurely", "hurried")):
            await asyncio.sleep(1.0)
            hosted = hall.at_hand(match)
            assert hosted is not None
            began = loop.time()
            orders = [it.Act(FRANCE, [f"A PAR - {('BUR', 'PIC', 'GAS')[number]}"])]
            handed = hosted.submit(orders, leisurely=number > 0)
            if way == "hurried":
                hall.hurry("nowhere")
                hall.hurry(match)
            assert handed.done is not None
            await handed.done
            took.append(loop.time() - began)
        await hall.close()
        return took

    at_once, leisurely, hurried = run_simulated(scenario)
    assert leisurely > 2 * max(at_once, hurried)


@inside(run_simulated)
async def test_what_was_handed_in_and_could_not_be_stored_has_not_happened() -> None:
    store = SimulatedStore(SimulatedDisk(), random.Random(1), slow=0.001)
    loop = asyncio.get_running_loop()
    hall = Hall(cast(Store, store), clock=lambda: 1_000_000.0 + loop.time())
    await hall.start()
    match = await hall.open(diplomacy())
    await seven(hall, match)
    hosted = hall.at_hand(match)
    assert hosted is not None
    store.failing = 1.0
    handed = hall.submit(match, it.SetWait(FRANCE, True))
    assert handed.done is not None
    with pytest.raises(StoreError):
        await handed.done
    await asyncio.sleep(0)
    assert (hosted.closed, hall.awake, hall.counts["given up"]) == (True, 0, 1)
    with pytest.raises(StoreError):
        hosted.submit([it.SetWait(FRANCE, True)])
    store.failing = 0.0
    assert not (await hall.view(match, MODERATOR)).seats[FRANCE].wait
    await hall.close()


# What a hall has, and how much of it


@inside(in_a_hall)
async def test_only_records_of_matches_are_matches(hall: Hall) -> None:
    journal: Journal[ev.Event] = Journal(hall.store, RecordHead("t", RecordKind.TOURNAMENT, "fish"))
    await journal.keep([ev.Opened(0.0, "fish", {}, Terms(STRICT), 1, "t", None, ev.VERSION)])
    for deed in (hall.head("t"), hall.wake("t"), hall.view("t", SPECTATOR)):
        with pytest.raises(Denied, match="there is no match 't' here"):
            await deed
    assert (await hall.page()).heads == ()


@inside(in_a_hall)
async def test_heads_come_a_hundred_at_a_time_and_the_newest_first(hall: Hall) -> None:
    for number in range(103):
        await hall.open(diplomacy(match=f"m{number}"))
        assert hall.sleep(f"m{number}")
    page = await hall.page()
    assert [head.id for head in page.heads] == [f"m{number}" for number in range(102, 2, -1)]
    rest = await hall.page(after=page.more)
    assert ([head.id for head in rest.heads], rest.more) == (["m2", "m1", "m0"], None)
    assert [head.id for head in (await session_of(hall, "ann").page()).heads] == [head.id for head in page.heads]


@inside(in_a_hall, limits=HallLimits(watchers=2))
async def test_one_match_has_so_many_watchers(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    ends = [await hall.watch(match, SPECTATOR, lambda told: None) for _ in range(2)]
    with pytest.raises(Denied, match="too many watchers of this match: at most 2"):
        await hall.watch(match, SPECTATOR, lambda told: None)
    ends[0]()
    await hall.watch(match, SPECTATOR, lambda told: None)


@inside(in_a_hall, limits=HallLimits(matches=1, matches_of_one=1))
async def test_matches_that_are_over_do_not_count_against_those_that_may_be_open(hall: Hall) -> None:
    owner = session_of(hall, "ann")
    first = await owner.open(diplomacy())
    with pytest.raises(Denied, match="too many matches: at most 1"):
        await hall.open(diplomacy())
    await owner.submit(first, it.Cancel("ann", "rain"))
    await owner.open(diplomacy())


def test_what_is_usual_in_a_hall() -> None:
    usual = HallLimits()
    assert (usual.idle, usual.snapshot_every) == (60.0, 100)
    assert 1 <= usual.thinking_of_one < usual.thinking <= 7, "one account never has all places"


def test_work_that_fails_is_told_in_the_log_and_hurts_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ZeroDivisionError("odd")

    async def scenario(hall: Hall) -> None:
        await asyncio.wait([hall.spawn(fails())])
        await asyncio.sleep(0)
        assert not hall._tasks
        waiting = hall.spawn(asyncio.Event().wait())  # type: ignore[arg-type]
        await hall.close()
        assert waiting.cancelled()

    in_a_hall(tmp_path, scenario)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "a task of the hall failed: ZeroDivisionError('odd')"
    ]


def test_whichever_read_of_its_start_fails_a_hall_that_did_not_start_lets_no_deadline_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    due: list[str] = []
    monkeypatch.setattr(Hall, "_due", lambda hall, match: due.append(match))

    async def start(reads: int) -> bool:
        """Start a hall on a disk that can be read so many times; return True if it did."""
        disk = SimulatedDisk()
        disk.apply((RecordHead("m", RecordKind.MATCH, "diplomacy", status="running", due=1.0),))
        store = SimulatedStore(disk, random.Random(1), slow=0.001)
        fetch = store.fetch

        async def failing(*given: Any, **more: Any) -> Any:
            nonlocal reads
            reads -= 1
            store.failing = 1.0 if reads < 0 else 0.0
            return await fetch(*given, **more)

        monkeypatch.setattr(store, "fetch", failing)
        hall = Hall(cast(Store, store), clock=lambda: 100.0 + asyncio.get_running_loop().time())
        try:
            await hall.start()
        except StoreError:
            store.failing = 0.0
            await asyncio.sleep(100)
            return False
        await asyncio.sleep(100)
        await hall.close()
        return True

    reads = 0
    while not run_simulated(partial(start, reads)):
        assert due == [], f"after {reads} reads"
        reads += 1
    assert reads > 2
    assert due == ["m"]
