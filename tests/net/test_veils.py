"""Lists of matches that spectators hear of later, and places in lists that tell nothing."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.veils import Cursors
from parlour.referee.conduct import DIPLOMACY
from parlour.store import Filter
from support.hall.halls import FRANCE, diplomacy, in_a_hall
from support.hall.people import known, session_of
from support.waiting import inside


@pytest.mark.parametrize("ended", [False, True])
@inside(in_a_hall)
async def test_a_list_tells_strangers_of_no_phase_and_no_end_before_its_time(hall: Hall, *, ended: bool) -> None:
    owner = session_of(hall, "owner")
    terms = Terms(DIPLOMACY, vacancy=Vacancy.AWAITED, seats_to_start=1, wait_flags_up=True)
    await owner.open(diplomacy(match="m", delay=600.0, terms=terms))
    await session_of(hall, "ann").join("m", FRANCE)
    if ended:
        await owner.submit("m", it.Cancel("", "rain"))
    running = ("running", "paused", "forming")
    lists = [Filter(), Filter(status=running), Filter(unfinished=True), Filter(status=running, account="ann")]
    for wanted in lists:
        (head,) = (await Session(hall).page(wanted)).heads
        assert (head.status, head.phase, head.turn, head.result) == ("running", "", 0, None)
    assert (await Session(hall).page(Filter(status=("over",)))).heads == ()
    assert (await Session(hall).page(Filter(status=running, account="ben"))).heads == ()
    (own,) = (await session_of(hall, "ann").page()).heads
    assert (own.status, own.phase) == ("over" if ended else "running", "S1901M")


@inside(in_a_hall)
async def test_a_place_in_a_list_leads_back_to_its_number_and_hides_it(hall: Hall) -> None:
    places = [await hall.cursors.sealed(number) for number in range(200)]
    assert [await Cursors(hall.store).opened(place) for place in places] == list(range(200))
    assert len(set(places)) == 200
    assert sorted(places) != places


@inside(in_a_hall)
async def test_wrong_passwords_of_a_match_are_counted_for_who_says_them_alone(hall: Hall) -> None:
    await session_of(hall, "owner").open(diplomacy(match="m"), password="please")
    told = []
    for number in range(12):
        with pytest.raises(Denied) as denied:
            await session_of(hall, "eve").join("m", FRANCE, password=f"guess {number}")
        told.append(str(denied.value.code))
    assert told[0] == "wrong password"
    assert told[-1] == "too often"
    assert (await session_of(hall, "ann").join("m", FRANCE, password="please")).refusal is None


@inside(in_a_hall)
async def test_nobody_sits_under_the_name_of_another_account_or_of_the_house(hall: Hall) -> None:
    known(hall.store, "bob")
    await session_of(hall, "owner").open(diplomacy(match="m"))
    for name in ("bob", "B0b", "dumbbot", "server"):
        with pytest.raises(Denied, match="name: "):
            await session_of(hall, "eve").join("m", FRANCE, name=name)
    await session_of(hall, "eve").join("m", FRANCE, name="bob", renamed=True)
    assert (await hall.wake("m")).seating[FRANCE].player == "bob (eve)"
