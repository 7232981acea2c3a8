"""Rights to sit down and watch besides those of a password, and the loss of a seat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.fouls import Conduct, Consequence, Rule
from parlour.core.game import FoulKind, Seat
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT, SPECTATOR, seated_on
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.testing import FakeClock
from support.hall.halls import in_a_hall
from support.hall.people import session_of
from support.waiting import inside

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")


async def opened(hall: Hall, **admission: Any) -> str:
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT)
    setup = MatchSetup(game="diplomacy", terms=terms, admission=Admission(**admission))
    return await session_of(hall, "owner").open(setup)


@inside(in_a_hall)
async def test_an_account_gets_so_many_seats(hall: Hall) -> None:
    match = await opened(hall, seats_each=1)
    ann = session_of(hall, "ann")
    await ann.join(match, FRANCE)
    with pytest.raises(Denied, match="seats of yours"):
        await ann.join(match, ITALY)
    assert (await session_of(hall, "bob").join(match, ITALY)).refusal is None


@inside(in_a_hall)
async def test_a_match_takes_so_many_players_and_a_moderator_besides(hall: Hall) -> None:
    match = await opened(hall, seats=1)
    await session_of(hall, "ann").join(match, FRANCE)
    with pytest.raises(Denied, match="too many players"):
        await session_of(hall, "bob").join(match, ITALY)
    assert (await session_of(hall, "owner").join(match, ITALY)).refusal is None


@inside(in_a_hall)
async def test_chance_decides_who_gets_which_seat(hall: Hall) -> None:
    match = await opened(hall, by_lot=True)
    seats = set()
    for number in range(7):
        session = session_of(hall, f"player {number}")
        assert (await session.join(match, FRANCE)).refusal is None
        seats |= set((await session.rights(match)).seats)
    assert len(seats) == 7
    assert (await session_of(hall, "eighth").join(match, FRANCE)).refusal is not None


@inside(in_a_hall)
async def test_a_match_that_is_not_watched_is_seen_by_players_and_moderators_only(hall: Hall) -> None:
    match = await opened(hall, watched=False)
    ann = session_of(hall, "ann")
    with pytest.raises(Denied, match="watch this match"):
        await ann.view(match)
    await ann.join(match, FRANCE)
    assert (await ann.view(match)).seats[FRANCE].name == "ann"
    assert (await session_of(hall, "owner").view(match)).seats[FRANCE].name == "ann"


@inside(in_a_hall)
async def test_a_moderator_takes_a_seat_away_and_nobody_else_does(hall: Hall) -> None:
    match = await opened(hall)
    await session_of(hall, "ann").join(match, FRANCE)
    with pytest.raises(Denied, match="whoever sits on FRANCE"):
        await session_of(hall, "bob").submit(match, it.Leave(FRANCE))
    assert (await session_of(hall, "owner").submit(match, it.Leave(FRANCE)))[0].refusal is None
    assert (await session_of(hall, "ann").rights(match)).seats == ()


def test_whoever_loses_the_seat_for_being_late_has_no_right_to_it(tmp_path: Path) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        vacating = Conduct("vacating", {"*": {FoulKind.LATE: Rule(Consequence.VACATE)}})
        terms = Terms(vacating, Clock(per_turn=60.0), vacancy=Vacancy.DEFAULT, seats_to_start=1)
        match = await session_of(hall, "owner").open(MatchSetup(game="diplomacy", terms=terms))
        ann = session_of(hall, "ann")
        await ann.join(match, FRANCE)
        clock.advance(61.0)
        hosted = await hall.wake(match)
        await hosted.table.tick()
        assert (await ann.rights(match)).seats == ()
        with pytest.raises(Denied):
            await ann.submit(match, it.Act(FRANCE, []))

    in_a_hall(tmp_path, scenario, clock=clock.now)


@inside(in_a_hall)
async def test_who_watches_an_unveiled_match_sees_all_while_only_the_house_plays(hall: Hall) -> None:
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT)
    for unveiled in (True, False):
        setup = MatchSetup(game="diplomacy", terms=terms, agents={ITALY: "hold"}, unveiled=unveiled)
        match = await session_of(hall, "owner").open(setup)
        for account in ("", "stranger"):
            watcher = session_of(hall, account)
            assert (await watcher.rights(match)).omniscient is unveiled
            assert await watcher.viewer(match) == (OMNISCIENT if unveiled else SPECTATOR)
            assert not (await watcher.rights(match)).moderator
        await session_of(hall, "ann").join(match, FRANCE)
        for account in ("", "stranger"):
            assert await session_of(hall, account).viewer(match) == SPECTATOR
        assert await session_of(hall, "ann").viewer(match) == seated_on(FRANCE)


@inside(in_a_hall)
async def test_who_watches_a_guarded_match_says_its_password_once(hall: Hall) -> None:
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT)
    setup = MatchSetup(game="diplomacy", terms=terms, admission=Admission(guarded=True))
    match = await session_of(hall, "owner").open(setup, password="sesame")
    watcher = session_of(hall, "watcher")
    assert await watcher.needs_password(match)
    for look in (watcher.view, watcher.events, watcher.viewer):
        with pytest.raises(Denied, match="watch this match"):
            await look(match)
    for wrong in ("", "simsim"):
        with pytest.raises(Denied, match="wants a password"):
            await watcher.ask_to_watch(match, wrong)
    await watcher.ask_to_watch(match, "sesame")
    assert await session_of(hall, "watcher").viewer(match) == SPECTATOR
    assert await session_of(hall, "stranger").needs_password(match)
    await session_of(hall, "ann").join(match, FRANCE, password="sesame")
    assert await session_of(hall, "ann").viewer(match) == seated_on(FRANCE)
    assert not await session_of(hall, "owner").needs_password(match)


@inside(in_a_hall)
async def test_what_nobody_in_particular_says_lets_nobody_in(hall: Hall) -> None:
    setup = MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY), admission=Admission(guarded=True))
    match = await session_of(hall, "owner").open(setup, password="sesame")
    with pytest.raises(Denied, match="sign in first"):
        await session_of(hall, "").say_password(match, "sesame")
    with pytest.raises(Denied, match="watch this match"):
        await session_of(hall, "").view(match)


@inside(in_a_hall)
async def test_who_says_nothing_has_not_guessed(hall: Hall) -> None:
    setup = MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY), admission=Admission(guarded=True))
    match = await session_of(hall, "owner").open(setup, password="sesame")
    watcher = session_of(hall, "watcher")
    for _ in range(200):
        with pytest.raises(Denied, match="wants a password"):
            await watcher.ask_to_watch(match)
    await watcher.ask_to_watch(match, "sesame")
