"""Rights between a request and its storage: checked and used without a wait between, and lost at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Terms, Vacancy
from parlour.errors import Denied
from parlour.net.accounts.principals import NOBODY
from parlour.net.arrivals import Arrivals
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.net.stand_ins import Sitter
from parlour.referee.conduct import DIPLOMACY
from support.hall.halls import POWERS, in_a_hall
from support.hall.people import credential_of, known, session_of
from support.waiting import inside, settled

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")


async def opened(hall: Hall, password: str = "", **admission: Any) -> str:
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT, seats_to_start=0)
    setup = MatchSetup(game="diplomacy", terms=terms, admission=Admission(**admission))
    return await session_of(hall, "owner").open(setup, password=password)


async def at_once(*joins: Any) -> list[Any]:
    return await asyncio.gather(*joins, return_exceptions=True)


@inside(in_a_hall)
async def test_requests_at_once_give_one_account_one_seat(hall: Hall) -> None:
    match, ann = await opened(hall, seats_each=1), session_of(hall, "ann")
    found = await at_once(*(ann.join(match, Seat(power)) for power in POWERS))
    assert sum(isinstance(one, Denied) for one in found) == 6
    assert len((await ann.rights(match)).seats) == 1


@inside(in_a_hall)
async def test_requests_at_once_do_not_fill_more_seats_than_may_be_taken(hall: Hall) -> None:
    match = await opened(hall, seats=2)
    found = await at_once(*(session_of(hall, power).join(match, Seat(power)) for power in POWERS))
    assert sum(isinstance(one, Denied) for one in found) == 5


@inside(in_a_hall)
async def test_a_player_who_left_cannot_act_for_the_next_before_that_is_stored(hall: Hall) -> None:
    match = await opened(hall)
    ann, bob = session_of(hall, "ann"), session_of(hall, "bob")
    await ann.join(match, FRANCE)
    hosted = await hall.wake(match)
    left = ann.submit(match, it.Leave(FRANCE))
    joining = asyncio.ensure_future(bob.join(match, FRANCE))
    while hosted.match.state.places[FRANCE].name != "bob":  # noqa: ASYNC110 - one turn of the loop at a time
        await asyncio.sleep(0)
    assert hosted.seating[FRANCE].player != "bob", "the arrival is stored already"
    with pytest.raises(Denied, match="whoever sits on FRANCE"):
        ann.submit(match, it.Say(FRANCE, "I am bob", ()))
    await left
    await joining
    assert hosted.seats_of(bob.who) == (FRANCE,)


@inside(in_a_hall)
async def test_who_signs_out_while_a_password_is_checked_gets_nothing(hall: Hall) -> None:
    match = await opened(hall, "secret", guarded=True)
    credential = credential_of("ann")
    ann = Session(hall, credential)
    asked = [
        asyncio.ensure_future(work)
        for work in (
            ann.say_password(match, "secret"),
            ann.join(match, FRANCE, password="secret"),
            ann.open(MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY)), password="another"),
        )
    ]
    await settled()
    credential.end()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [Denied] * 3
    assert (match, NOBODY) not in hall.let_in
    assert (await hall.wake(match)).seating.get(FRANCE) is None
    assert [head.owner for head in (await hall.page()).heads] == ["owner"]
    with pytest.raises(Denied, match="watch this match"):
        await Session(hall).view(match)


@inside(in_a_hall)
async def test_a_moderator_who_was_demoted_meanwhile_appoints_nobody(hall: Hall) -> None:
    match = await opened(hall)
    known(hall.store, "moe", "eve")
    owner, moe = session_of(hall, "owner"), session_of(hall, "moe")
    await owner.appoint(match, "moe", MatchRole.MODERATOR)
    hosted = await hall.wake(match)
    fetch = hall.store.fetch

    async def slow(*given: Any, **named: Any) -> Any:
        found = await fetch(*given, **named)
        hosted.appoint(moe.who, "")
        return found

    hall.store.fetch = slow  # type: ignore[method-assign]
    with pytest.raises(Denied, match="only a moderator"):
        await moe.appoint(match, "eve", MatchRole.OMNISCIENT)


@pytest.mark.parametrize("name", ["\ufdfa" * 300_000, "Ann\u3164", "Ann\u200b", "Аnn", "x" * 101])
def test_an_unreadable_name_is_refused_before_much_is_computed(name: str, tmp_path: Any) -> None:
    async def story(hall: Hall) -> None:
        known(hall.store, "Ann")
        match = await opened(hall)
        with pytest.raises(Denied, match="name: expected a readable one"):
            await session_of(hall, "bob").join(match, FRANCE, name=name)

    in_a_hall(tmp_path, story)


def test_two_arrivals_at_a_seat_are_counted() -> None:
    arrivals = Arrivals()
    one, two = Sitter("one"), Sitter("two")
    joined = [ev.Joined(1.0, FRANCE, sitter.name, PlayerType.HUMAN) for sitter in (one, two)]
    for sitter, event in zip((one, two), joined, strict=True):
        arrivals.add(sitter, [event])
    assert arrivals.stored(joined[0]) is one
    assert FRANCE in arrivals
    assert arrivals.stored(joined[1]) is two
    assert FRANCE not in arrivals
