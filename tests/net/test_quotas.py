"""Quotas: what is too large is refused before it is ruled on, and whoever has had too much kept is refused alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent, RefusalCode
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole
from parlour.net.quotas import DAY, LEAST, MAX_ACTIONS, MAX_INTENT, Quotas, Volume, read_volume
from parlour.net.schedule import TickPace
from parlour.net.sessions import Session
from parlour.net.setup import HallLimits
from parlour.referee.conduct import DIPLOMACY
from parlour.store import Account, read_events
from parlour.store.entries import MAX_BODY
from parlour.testing import FakeClock
from support.hall.halls import ENGLAND, FRANCE, diplomacy, in_a_hall, seven
from support.hall.people import session_of
from support.waiting import inside

LOUD = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=8000, max_length=150_000, max_per_turn=100_000))


@inside(in_a_hall)
async def test_orders_beyond_all_measure_are_refused_and_nobody_else_notices(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    sessions = await seven(hall, match)
    told: list[object] = []
    await hall.watch(match, SPECTATOR, told.append)
    hosted = await hall.wake(match)
    actions: list[Plain] = [["A PAR H"] * 60_000, ["x" * 200_000], {"a": ["b" * 40_000]}]
    for action in actions:
        answer = (await sessions[FRANCE].submit(match, it.Act(FRANCE, action)))[0]
        assert answer.refusal is not None
        assert answer.refusal.code is RefusalCode.TOO_LONG
        assert answer.events == ()
    answer = (await sessions[ENGLAND].submit(match, it.Act(ENGLAND, ["F LON H"])))[0]
    assert answer.refusal is None
    assert (hosted.closed, hall.counts["given up"], len(told)) == (False, 0, 1)


@inside(in_a_hall)
async def test_what_is_taken_can_always_be_kept(hall: Hall) -> None:
    match = await hall.open(diplomacy(terms=LOUD))
    sessions = await seven(hall, match)
    worst = "\x01" * 149_999 + "x"  # of which each character takes six bytes
    largest = ["F EDI H" + " " * (MAX_ACTIONS // 7 - 80)]
    said = (await sessions[FRANCE].submit(match, it.Say(FRANCE, worst)))[0]
    assert said.refusal is None
    consulted = it.Consultation("talk", "m", "p" * (MAX_INTENT - 400), "a")
    answer = (await sessions[FRANCE].submit(match, it.RecordModelCall(FRANCE, consulted)))[0]
    assert answer.refusal is None
    for seat, session in sessions.items():
        await session.submit(match, it.Act(seat, largest))
    sizes = [len(body) for body in hall.store.entries(match)]
    assert max(sizes) <= MAX_BODY
    assert hall.counts["given up"] == 0


def test_a_seat_that_has_used_up_its_share_is_refused_and_the_others_are_not(tmp_path: Path) -> None:
    limits = HallLimits(match_bytes=700_000, snapshot_every=3)

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy(terms=LOUD, match="m"))
        sessions = await seven(hall, match)
        refusals = []
        for _ in range(15):
            answer = (await sessions[FRANCE].submit(match, it.Say(FRANCE, "x" * 10_000)))[0]
            refusals.append(answer.refusal)
        taken = refusals.index(next(one for one in refusals if one is not None))
        assert 8 <= taken <= 9
        assert all(one is not None and one.code is RefusalCode.TOO_MUCH for one in refusals[taken:])
        assert "FRANCE in this match: at most 100,000 bytes" in str(refusals[-1])
        assert (await sessions[ENGLAND].submit(match, it.Say(ENGLAND, "y" * 10_000)))[0].refusal is None

    async def again(hall: Hall) -> None:
        assert await full(session_of(hall, "france"), FRANCE), (
            "as the store knows, from a snapshot and what came after it"
        )
        assert not await full(session_of(hall, "england"), ENGLAND)
        left = (await session_of(hall, "france").submit("m", it.Leave(FRANCE)))[0]
        assert left.refusal is None, "whoever has had too much kept may go"

    async def full(session: Session, seat: Seat) -> bool:
        return (await session.submit("m", it.Say(seat, "z" * 15_000)))[0].refusal is not None

    in_a_hall(tmp_path, scenario, again, limits=limits)


@inside(in_a_hall, limits=HallLimits(snapshot_every=4))
async def test_a_volume_that_was_not_kept_is_counted_from_the_record(hall: Hall) -> None:
    match = await hall.open(diplomacy(terms=LOUD, match="m"))
    sessions = await seven(hall, match)
    for _ in range(10):
        await sessions[FRANCE].submit(match, it.Say(FRANCE, "x" * 1000))
    sizes = sum(max(LEAST, len(body)) for body in hall.store.entries(match))
    hosted = await hall.wake(match)
    assert hosted.volume.total == sizes
    assert 10_000 < hosted.volume.of(FRANCE, 7) < 13_000
    assert hall.sleep(match)
    assert (await hall.wake(match)).volume.total == sizes
    hall.store.write(Volume().kept("other"))
    assert hall.sleep(match)
    kept = hall.store.setting("volume m")
    assert kept is not None
    hall.store.write(type(Volume().kept("m"))("volume m", b""))
    assert (await hall.wake(match)).volume.total == sizes


def test_an_account_has_so_much_kept_in_a_day_wherever_it_sits_and_gets_more_the_next(tmp_path: Path) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        matches = [await hall.open(diplomacy(terms=LOUD)) for _ in range(2)]
        for match in matches:
            await seven(hall, match)
        france, england = session_of(hall, "france"), session_of(hall, "england")
        answers = [(await france.submit(matches[n % 2], it.Say(FRANCE, "x" * 10_000)))[0] for n in range(15)]
        refused = [answer.refusal for answer in answers if answer.refusal is not None]
        assert 5 <= len(refused) <= 7
        assert "at most 100,000 bytes are kept of you in a day; try again in" in refused[0].reason
        assert (await england.submit(matches[0], it.Say(ENGLAND, "y" * 10_000)))[0].refusal is None
        clock.advance(DAY)
        assert (await france.submit(matches[0], it.Say(FRANCE, "x" * 10_000)))[0].refusal is None

    in_a_hall(tmp_path, scenario, clock=clock.now, limits=HallLimits(account_bytes=100_000))


def test_who_opens_matches_that_play_by_themselves_pays_for_them(tmp_path: Path) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        owner = session_of(hall, "owner")
        hall.quotas.spend("owner", 99_000)
        with pytest.raises(Denied, match="too many bytes kept of you today: try again in"):
            await owner.open(diplomacy())
        clock.advance(DAY / 10)
        match = await owner.open(diplomacy())
        assert match

    in_a_hall(tmp_path, scenario, clock=clock.now, limits=HallLimits(account_bytes=100_000))


@inside(in_a_hall, limits=HallLimits(match_bytes=20_000))
async def test_a_match_that_has_used_up_its_bytes_by_itself_ends(hall: Hall) -> None:
    match = await hall.open(diplomacy(terms=Terms(DIPLOMACY, Clock(per_turn=0.05))))
    over = asyncio.Event()
    await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, ev.Ended) else None)
    await seven(hall, match)
    await over.wait()
    last = read_events(hall.store, match)[-1]
    assert isinstance(last, ev.Ended)
    assert "used up all the bytes" in last.outcome.reason
    assert sum(len(body) for body in hall.store.entries(match)) < 40_000


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (Terms(DIPLOMACY, Clock(per_turn=1e-9)), "clock.per_turn"),
        (Terms(DIPLOMACY, Clock(first_turn=0.001)), "clock.first_turn"),
        (Terms(DIPLOMACY, Clock(per_stage={"orders": 1e-300})), "clock.per_stage.orders"),
        (Terms(DIPLOMACY, press=PressTerms(PressMode.WINDOW, window=1e-9)), "press.window"),
    ],
)
@inside(in_a_hall)
async def test_turns_too_short_for_a_clock_are_refused(hall: Hall, *, terms: Terms, field: str) -> None:
    with pytest.raises(Denied, match=f"{field}: expected at least 0.01 seconds on this server"):
        await session_of(hall, "ann").open(diplomacy(terms=terms))


@inside(in_a_hall)
async def test_an_owner_whose_clocks_run_out_too_often_waits_alone(hall: Hall) -> None:
    hall._pace = TickPace(hall.now, per_second=1e-6, at_once=1.0)  # ann has one deadline, and then none for days
    ended: Counter[str] = Counter()
    terms = Terms(DIPLOMACY, Clock(per_turn=0.05))
    ann = await session_of(hall, "ann").open(diplomacy(terms=terms))
    await seven(hall, ann)
    await hall.watch(ann, SPECTATOR, lambda told: ended.update(["ann"] * isinstance(told.event, ev.TurnEnded)))
    for owner in ("bob", "carol", "dave"):
        over = asyncio.Event()

        def note(told: ObservedEvent, over: asyncio.Event = over) -> None:
            if isinstance(told.event, ev.TurnEnded):
                over.set()

        match = await session_of(hall, owner).open(diplomacy(terms=terms))
        await hall.watch(match, SPECTATOR, note)
        await seven(hall, match)
        await over.wait()
    assert ended["ann"] == 1


@pytest.mark.parametrize(
    ("press", "told"),
    [
        (PressTerms(max_length=1_000_000), "press.max_length: expected at most 150,000 on this server, got 1,000,000"),
        (PressTerms(max_per_turn=10**9), "press.max_per_turn: expected at most 100,000 on this server, got"),
    ],
)
@inside(in_a_hall)
async def test_terms_that_allow_more_than_the_server_does_are_refused(
    hall: Hall, *, press: PressTerms, told: str
) -> None:
    with pytest.raises(Denied, match=told):
        await session_of(hall, "ann").open(diplomacy(terms=Terms(DIPLOMACY, press=press)))
    most = PressTerms(max_length=150_000, max_per_turn=100_000)
    assert await session_of(hall, "ann").open(diplomacy(terms=Terms(DIPLOMACY, press=most)))
    with pytest.raises(Denied, match="config, terms: expected at most 262,144 bytes, got"):
        await session_of(hall, "ann").open(diplomacy(config={"position": "x" * 300_000}))


def test_appointments_are_bounded_in_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.hall.MAX_ROLES", 3)

    async def scenario(hall: Hall) -> None:
        owner = session_of(hall, "ann")
        match = await owner.open(diplomacy())
        hall.store.write(*(Account(name, "") for name in "bcde"))
        for name in ("b", "c", "d"):
            await owner.appoint(match, name, MatchRole.OMNISCIENT)
        with pytest.raises(Denied, match="too many roles in this match: at most 3"):
            await owner.appoint(match, "e", MatchRole.OMNISCIENT)
        await owner.appoint(match, "b", MatchRole.MODERATOR)

    in_a_hall(tmp_path, scenario)


def test_what_is_forgotten_of_accounts_is_what_was_touched_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.quotas.MAX_ACCOUNTS", 2)
    quotas = Quotas(HallLimits(account_bytes=1000), lambda: 5.0)
    for account in ("a", "b", "a", "c"):
        quotas.spend(account, 1000)
    assert [bool(quotas.wait(account, 1)) for account in "abc"] == [True, False, True]


def test_many_accounts_of_one_network_have_ten_times_as_much_kept_as_one() -> None:
    now = [5.0]
    quotas = Quotas(HallLimits(account_bytes=10_000), lambda: now[0])
    for number in range(11):
        quotas.signed_in(f"mallory {number}", "192.0.2.7")
    quotas.signed_in("ann", "192.0.2.8")
    for number in range(10):
        assert not quotas.wait(f"mallory {number}", 10_000)
        quotas.spend(f"mallory {number}", 10_000)
    assert quotas.wait("mallory 10", 1000) == pytest.approx(DAY / 100)
    refusal = quotas.refusal(it.Say(FRANCE, "x" * 1000), Volume(), 7, "mallory 10")
    assert refusal is not None
    assert refusal.code is RefusalCode.TOO_MUCH
    assert quotas.refusal(it.Say(FRANCE, "x" * 1000), Volume(), 7, "ann") is None
    now[0] += DAY
    assert not quotas.wait("mallory 10", 10_000)


def test_accounts_of_one_network_do_not_open_all_matches_that_a_server_has() -> None:
    now = [5.0]
    quotas = Quotas(HallLimits(matches_of_one=2), lambda: now[0])
    for number in range(30):
        quotas.signed_in(f"mallory {number}", "192.0.2.7")
    for number in range(20):
        quotas.demand(f"mallory {number}", {}, ())
    with pytest.raises(Denied, match="too many new matches"):
        quotas.demand("mallory 20", {}, ())
    quotas.signed_in("ann", "192.0.2.8")
    quotas.demand("ann", {}, ())
    now[0] += DAY / 20
    quotas.demand("mallory 20", {}, ())


def test_a_volume_is_read_as_it_was_kept() -> None:
    volume = Volume()
    said: list[Event] = [ev.Said(1.0, FRANCE, (), "x", 1), ev.Said(1.0, ENGLAND, (), "x", 1), ev.PressClosed(1.0, 1)]
    assert [volume.add(event, 1000 * size) for size, event in enumerate(said, 1)] == ["FRANCE", "ENGLAND", ""]
    again = read_volume(volume.kept("m").value)
    assert again is not None
    assert (again.total, again.common, again.of(FRANCE, 3)) == (6000, 3000, 2000)
    assert read_volume(b"") is read_volume(None) is None


def test_small_things_are_never_refused() -> None:
    quotas, full = Quotas(HallLimits(), lambda: 5.0), Volume(1 << 40)
    ends: list[Intent] = [it.Leave(FRANCE), it.Cancel("ann"), it.Downtime("server", 5.0), it.Remove("ann", FRANCE)]
    assert [quotas.refusal(intent, full, 7, "ann") for intent in ends] == [None] * 4
    assert quotas.refusal(it.SetWait(FRANCE, True), full, 7, "ann") is not None


def test_short_events_count_as_longer_ones_so_that_a_record_has_not_too_many(tmp_path: Path) -> None:
    limits = HallLimits(match_bytes=7 * 100 * LEAST)

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        sessions = await seven(hall, match)
        refused = None
        for number in range(200):
            answer = (await sessions[FRANCE].submit(match, it.SetWait(FRANCE, number % 2 == 0)))[0]
            if (refused := answer.refusal) is not None:
                break
        assert refused is not None
        assert refused.code is RefusalCode.TOO_MUCH
        assert len(read_events(hall.store, match)) <= 120
        assert (await sessions[ENGLAND].submit(match, it.SetWait(ENGLAND, True)))[0].refusal is None

    in_a_hall(tmp_path, scenario, limits=limits)
