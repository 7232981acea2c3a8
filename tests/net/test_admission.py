"""Who may sit down and watch besides what a password decides, and how a seat is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halls import in_a_hall
from parlour.core import intents as it
from parlour.core.fouls import Conduct, Consequence, Rule
from parlour.core.game import FoulKind, Seat
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT, SPECTATOR, seated_on
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.testing import FakeClock

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")


async def opened(hall: Hall, **admission: Any) -> str:
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT)
    setup = MatchSetup(game="diplomacy", terms=terms, admission=Admission(**admission))
    return await Session(hall, "owner").open(setup)


def test_an_account_gets_so_many_seats(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match = await opened(hall, seats_each=1)
        ann = Session(hall, "ann")
        await ann.join(match, FRANCE)
        with pytest.raises(Denied, match="seats of yours"):
            await ann.join(match, ITALY)
        assert (await Session(hall, "bob").join(match, ITALY)).refusal is None

    in_a_hall(tmp_path, scenario)


def test_a_match_takes_so_many_players_and_a_moderator_besides(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match = await opened(hall, seats=1)
        await Session(hall, "ann").join(match, FRANCE)
        with pytest.raises(Denied, match="too many players"):
            await Session(hall, "bob").join(match, ITALY)
        assert (await Session(hall, "owner").join(match, ITALY)).refusal is None

    in_a_hall(tmp_path, scenario)


def test_chance_decides_who_gets_which_seat(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match = await opened(hall, by_lot=True)
        seats = set()
        for number in range(7):
            session = Session(hall, f"player {number}")
            assert (await session.join(match, FRANCE)).refusal is None
            seats |= set((await session.rights(match)).seats)
        assert len(seats) == 7
        assert (await Session(hall, "eighth").join(match, FRANCE)).refusal is not None

    in_a_hall(tmp_path, scenario)


def test_a_match_that_is_not_watched_is_seen_by_players_and_moderators_only(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match = await opened(hall, watched=False)
        ann = Session(hall, "ann")
        with pytest.raises(Denied, match="watch this match"):
            await ann.view(match)
        await ann.join(match, FRANCE)
        assert (await ann.view(match)).seats[FRANCE].name == "ann"
        assert (await Session(hall, "owner").view(match)).seats[FRANCE].name == "ann"

    in_a_hall(tmp_path, scenario)


def test_a_moderator_takes_a_seat_away_and_nobody_else_does(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        match = await opened(hall)
        await Session(hall, "ann").join(match, FRANCE)
        with pytest.raises(Denied, match="whoever sits on FRANCE"):
            await Session(hall, "bob").handle(match, it.Leave(FRANCE))
        assert (await Session(hall, "owner").handle(match, it.Leave(FRANCE))).refusal is None
        assert (await Session(hall, "ann").rights(match)).seats == ()

    in_a_hall(tmp_path, scenario)


def test_whoever_loses_the_seat_for_being_late_has_no_right_to_it(tmp_path: Path) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        vacating = Conduct("vacating", {"*": {FoulKind.LATE: Rule(Consequence.VACATE)}})
        terms = Terms(vacating, Clock(per_turn=60.0), vacancy=Vacancy.DEFAULT, seats_to_start=1)
        match = await Session(hall, "owner").open(MatchSetup(game="diplomacy", terms=terms))
        ann = Session(hall, "ann")
        await ann.join(match, FRANCE)
        clock.advance(61.0)
        hosted = await hall.wake(match)
        await hosted.table.tick()
        assert (await ann.rights(match)).seats == ()
        with pytest.raises(Denied):
            await ann.handle(match, it.Act(FRANCE, []))

    in_a_hall(tmp_path, scenario, clock=clock.now)


def test_who_watches_an_unveiled_match_sees_all_while_only_the_house_plays(tmp_path: Path) -> None:
    async def scenario(hall: Hall) -> None:
        terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT)
        for unveiled in (True, False):
            setup = MatchSetup(game="diplomacy", terms=terms, agents={ITALY: "hold"}, unveiled=unveiled)
            match = await Session(hall, "owner").open(setup)
            for account in ("", "stranger"):
                watcher = Session(hall, account)
                assert (await watcher.rights(match)).omniscient is unveiled
                assert await watcher.viewer(match) == (OMNISCIENT if unveiled else SPECTATOR)
                assert not (await watcher.rights(match)).moderator
            await Session(hall, "ann").join(match, FRANCE)
            for account in ("", "stranger"):
                assert await Session(hall, account).viewer(match) == SPECTATOR
            assert await Session(hall, "ann").viewer(match) == seated_on(FRANCE)

    in_a_hall(tmp_path, scenario)
