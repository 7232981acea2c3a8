"""A viewer whose rights shrink sees less from that moment on, however long it has watched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.player import ObservedEvent
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore
from parlour.store.copies import copy_lines, restore
from support.hall.halls import in_a_hall
from support.hall.people import appointed, session_of
from support.waiting import PATIENCE, inside

FRANCE, ITALY, TURKEY = Seat("FRANCE"), Seat("ITALY"), Seat("TURKEY")
SECRET = "between us"
TERMS = Terms(
    DIPLOMACY, press=PressTerms(PressMode.ANYTIME), vacancy=Vacancy.AWAITED, seats_to_start=2, wait_flags_up=True
)


async def exhibition(hall: Hall) -> str:
    """Return a match of the house that is shown to all, under way."""
    setup = MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold", TURKEY: "hold"}, unveiled=True, paced=True)
    match = await session_of(hall, "owner").open(setup)
    async with asyncio.timeout(PATIENCE):
        while not (await hall.view(match, MODERATOR)).seats[ITALY].acted:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # until the agents have ordered
    return match


async def whispered(hall: Hall, match: str, account: str = "ann", seat: Seat = FRANCE) -> None:
    """Somebody says something in secret, and orders something."""
    session = session_of(hall, account)
    assert (await session.submit(match, it.Say(seat, SECRET, (ITALY,))))[0].refusal is None
    assert (await session.submit(match, it.Act(seat, [])))[0].refusal is None


def said(told: list[ObservedEvent]) -> list[str]:
    return [one.event.text for one in told if isinstance(one.event, ev.Said)]


def acted(told: list[ObservedEvent], seat: Seat = FRANCE) -> list[Any]:
    return [one.event.action for one in told if isinstance(one.event, ev.Acted) and one.event.seat == seat]


@inside(in_a_hall)
async def test_who_watched_an_exhibition_before_somebody_sat_down_sees_no_more_than_others_then(hall: Hall) -> None:
    match = await exhibition(hall)
    await appointed(session_of(hall, "owner"), match, "trusted", MatchRole.OMNISCIENT)
    heard: dict[str, list[ObservedEvent]] = {name: [] for name in ("", "bob", "asked", "trusted", "plain")}
    for name in ("", "bob", "trusted"):
        await session_of(hall, name).watch(match, heard[name].append, since=0)
    await session_of(hall, "asked").watch(match, heard["asked"].append, since=0, wanted=OMNISCIENT)
    await session_of(hall, "plain").watch(match, heard["plain"].append, since=0, wanted=SPECTATOR)
    assert None not in acted(heard["bob"], ITALY), "while the house alone plays all is shown"
    assert acted(heard["bob"], ITALY)
    before = {name: len(told) for name, told in heard.items()}
    assert (await session_of(hall, "ann").join(match, FRANCE)).refusal is None
    await whispered(hall, match)
    plain = [one.event for one in heard["plain"][before["plain"] :]]
    assert plain, "that somebody acted is told to all"
    for name in ("", "bob", "asked"):
        assert [one.event for one in heard[name][before[name] :]] == plain
        assert said(heard[name]) == []
        assert acted(heard[name]) == [None]
    assert said(heard["trusted"]) == [SECRET]
    assert acted(heard["trusted"]) == [[]]


def test_an_exhibition_stays_veiled_when_the_house_plays_alone_again_and_after_a_restart(tmp_path: Path) -> None:
    async def first(hall: Hall) -> str:
        match, bob = await exhibition(hall), session_of(hall, "bob")
        assert await bob.viewer(match) == OMNISCIENT
        await session_of(hall, "ann").join(match, FRANCE)
        await whispered(hall, match)
        assert (await session_of(hall, "ann").submit(match, it.Leave(FRANCE)))[0].refusal is None
        assert (await session_of(hall, "owner").seat_agent(match, FRANCE, "hold")).refusal is None
        assert await bob.viewer(match) == SPECTATOR
        return match

    async def second(hall: Hall, match: str) -> None:
        assert await session_of(hall, "bob").viewer(match) == SPECTATOR
        assert said(await session_of(hall, "bob").events(match)) == []

    match = in_a_hall(tmp_path, first)
    in_a_hall(tmp_path, lambda hall: second(hall, match))
    # A copy without accounts says so, too.
    (tmp_path / "copy").mkdir()
    with SQLiteStore(tmp_path / "hall.db") as store, SQLiteStore(tmp_path / "copy" / "hall.db") as copy:
        restore(copy, list(copy_lines(store, accounts=False)))
    in_a_hall(tmp_path / "copy", lambda hall: second(hall, match))


@inside(in_a_hall)
async def test_who_is_an_omniscient_no_more_hears_nothing_more_in_secret(hall: Hall) -> None:
    match = await session_of(hall, "owner").open(MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold"}))
    await session_of(hall, "ann").join(match, FRANCE)
    await appointed(session_of(hall, "owner"), match, "bob", MatchRole.OMNISCIENT)
    told: list[ObservedEvent] = []
    await session_of(hall, "bob").watch(match, told.append, since=0)
    await whispered(hall, match)
    assert said(told) == [SECRET]
    await appointed(session_of(hall, "owner"), match, "bob", None)
    await whispered(hall, match)
    assert said(told) == [SECRET]
    assert acted(told) == [[], None]


@inside(in_a_hall)
async def test_who_has_lost_a_seat_does_not_hear_what_is_said_to_its_next_player(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    match = await owner.open(MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold"}))
    for name, seat in (("ann", FRANCE), ("cat", TURKEY)):
        await session_of(hall, name).join(match, seat)
    told: list[ObservedEvent] = []
    await session_of(hall, "ann").watch(match, told.append, since=0)
    assert (await owner.submit(match, it.Leave(FRANCE)))[0].refusal is None
    assert any(isinstance(one.event, ev.Left) for one in told), "that they lost it they hear"
    await session_of(hall, "bob").join(match, FRANCE)
    assert (await session_of(hall, "cat").submit(match, it.Say(TURKEY, SECRET, (FRANCE,))))[0].refusal is None
    await whispered(hall, match, "bob")
    assert said(told) == []
    assert {*map(str, acted(told))} == {"None"}


@inside(in_a_hall)
async def test_whoever_may_not_look_at_all_any_more_is_told_nothing_and_counts_no_more(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    setup = MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold"}, delay=60.0)
    match = await owner.open(setup)
    await session_of(hall, "ann").join(match, FRANCE)
    await appointed(owner, match, "bob", MatchRole.OMNISCIENT)
    told: list[ObservedEvent] = []
    end = await session_of(hall, "bob").watch(match, told.append, since=0)
    hosted = await hall.wake(match)
    assert hosted.watchers == 1
    await appointed(owner, match, "bob", None)
    before = len(told)
    await whispered(hall, match)
    assert len(told) == before, "spectators of it hear everything a minute later"
    assert hosted.watchers == 0
    end()
    assert hosted.watchers == 0


@pytest.mark.parametrize("look", [Session.view, Session.events], ids=["view", "events"])
@inside(in_a_hall)
async def test_what_is_read_while_somebody_sits_down_is_read_again(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch, look: Callable[..., Any]
) -> None:
    match = await exhibition(hall)
    seen: list[Viewer] = []
    for name in ("past", "view"):
        read = getattr(hall, name)

        async def slow(match: str, viewer: Viewer, read: Any = read) -> Any:
            seen.append(viewer)
            if len(seen) == 1:
                await session_of(hall, "ann").join(match, FRANCE)
                await whispered(hall, match)
            return await read(match, viewer)

        monkeypatch.setattr(hall, name, slow)
    found = await look(session_of(hall, "bob"), match)
    assert seen == [OMNISCIENT, SPECTATOR]
    if look is Session.view:
        assert found.seats[FRANCE].own is None
    else:
        assert said(found) == []


@inside(in_a_hall)
async def test_who_begins_to_watch_while_somebody_sits_down_is_told_nothing(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, past = await exhibition(hall), hall.past

    async def slow(*asked: Any) -> Any:
        await session_of(hall, "ann").join(match, FRANCE)
        await whispered(hall, match)
        return await past(*asked)

    monkeypatch.setattr(hall, "past", slow)
    told: list[ObservedEvent] = []
    with pytest.raises(Denied, match="look at it as omniscient"):
        await session_of(hall, "bob").watch(match, told.append, since=0)
    assert told == []
    assert (await hall.wake(match)).watchers == 0
    assert await session_of(hall, "owner").viewer(match, MODERATOR) == MODERATOR


@inside(in_a_hall)
async def test_a_seat_is_given_to_the_house_by_moderators_and_only_to_an_agent_that_there_is(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    match = await owner.open(MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold"}))
    await session_of(hall, "ann").join(match, FRANCE)
    with pytest.raises(Denied, match="only a moderator"):
        await session_of(hall, "ann").replace_by_agent(match, ITALY, "hold")
    for spec, why in (("nobody-at-all", "nobody-at-all"), ("llm:model=x", "seats no language models")):
        with pytest.raises(Denied, match=why):
            await owner.replace_by_agent(match, FRANCE, spec)
        assert (await session_of(hall, "ann").rights(match)).seats == (FRANCE,)
    for seat in (FRANCE, TURKEY):  # one with somebody on it, and one without
        assert (await owner.replace_by_agent(match, seat, "hold")).refusal is None
        assert (await hall.head(match)).players[seat] == "hold"
    assert (await session_of(hall, "ann").rights(match)).seats == ()
