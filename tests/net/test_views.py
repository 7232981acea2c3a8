"""A hosted match as it stands: to whom each field is told, and by which name a phase goes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlour.core import intents as it
from parlour.core.game import Position, Seat, phase_of
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, seated_on
from parlour.net.hall import Hall
from parlour.referee.conduct import DIPLOMACY
from parlour.testing import FakeClock
from support.hall.halls import ENGLAND, FRANCE, diplomacy, in_a_hall, seven
from support.hall.people import session_of
from support.waiting import inside

ITALY = Seat("ITALY")


@inside(in_a_hall)
async def test_what_a_seat_has_in_mind_is_told_to_whoever_may_know_and_that_it_has_to_all(hall: Hall) -> None:
    match = await session_of(hall, "host").open(diplomacy())
    sessions = await seven(hall, match)
    await sessions[FRANCE].submit(match, it.Act(FRANCE, ["A PAR - BUR"]))
    await sessions[FRANCE].submit(match, it.Vote(FRANCE, Ballot.YES))
    await sessions[FRANCE].submit(match, it.SetWait(FRANCE, True))
    await sessions[FRANCE].submit(match, it.SetCommStatus(FRANCE, CommStatus.READY))
    for viewer, knows in (
        (seated_on(FRANCE), True),
        (seated_on(ENGLAND, FRANCE), True),
        (OMNISCIENT, True),
        (MODERATOR, True),
        (seated_on(ENGLAND), False),
        (SPECTATOR, False),
    ):
        view = await hall.view(match, viewer)
        france, england = view.seats[FRANCE], view.seats[ENGLAND]
        assert (france.own, france.ballot) == ((["A PAR - BUR"], Ballot.YES) if knows else (None, None)), viewer
        assert (france.acted, france.to_act, france.wait) == (True, True, True)
        assert (england.acted, england.own, england.wait) == (False, None, False)
        assert france.comm_status is CommStatus.READY
        assert view.in_favour == 1


def test_seats_say_who_is_there_and_whoever_has_gone_has_no_name(tmp_path: Path) -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(hall: Hall) -> None:
        terms = Terms(DIPLOMACY, Clock(per_turn=60.0), seats_to_start=0, vacancy=Vacancy.DEFAULT)
        owner, ann = session_of(hall, "owner"), session_of(hall, "ann")
        match = await owner.open(diplomacy(terms=terms))
        await ann.join(match, FRANCE, name="Ann", player_type=PlayerType.PRESS_BOT)
        forming = await hall.view(match, SPECTATOR)
        assert (forming.status, forming.turn, forming.position, forming.due) == ("forming", 0, None, None)
        await owner.submit(match, it.Start("owner"))
        began = clock.now()
        view = await hall.view(match, SPECTATOR)
        france, italy = view.seats[FRANCE], view.seats[ITALY]
        assert (france.name, france.present, france.player_type) == ("Ann", True, PlayerType.PRESS_BOT)
        assert (italy.name, italy.present, italy.removed) == (None, False, False)
        assert (view.status, view.turn, view.stage, view.outcome) == ("running", 1, "orders", None)
        assert view.due == pytest.approx(began + 60.0, abs=0.001)
        assert view.now == clock.now()
        assert view.k == len(await ann.events(match, wanted=SPECTATOR))
        await ann.submit(match, it.Leave(FRANCE))
        gone = (await hall.view(match, SPECTATOR)).seats[FRANCE]
        assert (gone.name, gone.present) == (None, False)
        await owner.submit(match, it.Remove("owner", ITALY, "absent"))
        assert (await hall.view(match, SPECTATOR)).seats[ITALY].removed
        await owner.submit(match, it.Cancel("owner", "rain"))
        over = await hall.view(match, SPECTATOR)
        assert over.status == "over"
        assert over.outcome is not None

    in_a_hall(tmp_path, scenario, clock=clock.now)


def test_a_phase_goes_by_the_name_that_its_game_gives_it_or_else_by_its_stage() -> None:
    def named(**fields: Any) -> str:
        return phase_of(cast(Position, SimpleNamespace(**fields)))

    assert phase_of(None) == ""
    assert named(phase="S1901M", stage="movement") == "S1901M"
    assert named(phase="", stage="placement") == named(stage="placement") == "placement"
