"""Stand-ins in hosted matches: an agent plays for who left, who gets the seat back when the next turn begins."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.errors import Denied
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.net.stand_ins import LATER, StandIns
from parlour.referee.conduct import preset
from support.hall.halls import in_a_hall
from support.hall.people import session_of
from support.waiting import inside, until

FRANCE, GERMANY = Seat("FRANCE"), Seat("GERMANY")
REST = ("AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "TURKEY")


def setup(stand_in: str) -> MatchSetup:
    agents = {Seat(power): "hold" for power in REST}
    return MatchSetup(game="diplomacy", terms=Terms(preset("hosted")), agents=agents, stand_in=stand_in)


@inside(in_a_hall)
async def test_an_agent_plays_for_who_left_and_gives_the_seat_back(hall: Hall) -> None:
    ann, bob, eve = (session_of(hall, name) for name in ("ann", "bob", "eve"))
    match = await bob.open(setup("hold"))
    await ann.join(match, FRANCE)
    await bob.join(match, GERMANY)
    hosted = await hall.wake(match)
    await ann.submit(match, it.Leave(FRANCE))
    assert hosted.seating[FRANCE].agent == "hold"
    assert hosted.match.state.places[FRANCE].present
    assert (await eve.join(match, FRANCE)).refusal is not None  # only who left gets it back
    back = await ann.join(match)
    assert back.notes == (LATER,)
    assert hosted.seating[FRANCE].agent == "hold"  # until the turn is over
    turn = hosted.match.turn
    await until(lambda: hosted.match.state.places[FRANCE].acted)
    await bob.submit(match, it.Act(GERMANY, []))
    await until(lambda: not hosted.seating[FRANCE].agent)
    assert hosted.seating[FRANCE].account == "ann"
    assert hosted.match.turn == turn + 1
    answer = (await ann.submit(match, it.Act(FRANCE, ["A PAR H"])))[0]
    assert answer.refusal is None
    names = [event.name for event in await hall.record(match) if isinstance(event, ev.Joined) and event.seat == FRANCE]
    assert names == ["ann", "hold", "ann"]


async def left_and_back(hall: Hall) -> tuple[str, Session, Session]:
    """Return a match that France left and asked twice for its seat, as somebody does who sees nothing happen."""
    ann, bob = session_of(hall, "ann"), session_of(hall, "bob")
    match = await bob.open(setup("hold"))
    await ann.join(match, FRANCE)
    await bob.join(match, GERMANY)
    await ann.submit(match, it.Leave(FRANCE))
    for _ in range(2):
        assert (await ann.join(match)).notes == (LATER,)
    return match, ann, bob


@inside(in_a_hall)
async def test_who_asks_twice_gets_the_seat_once(hall: Hall) -> None:
    match, _, bob = await left_and_back(hall)
    hosted = await hall.wake(match)
    await until(lambda: hosted.match.state.places[FRANCE].acted)
    await bob.submit(match, it.Act(GERMANY, []))
    await until(lambda: not hosted.seating[FRANCE].agent)
    assert hosted.seating[FRANCE].account == "ann"
    await hosted.table.settled()
    joined = [event for event in await hall.record(match) if isinstance(event, ev.Joined)]
    assert [event.name for event in joined if event.seat == FRANCE] == ["ann", "hold", "ann"]


@inside(in_a_hall)
async def test_in_a_match_that_ended_there_is_no_seat_to_be_given_back(hall: Hall) -> None:
    match, _, _ = await left_and_back(hall)
    hosted = await hall.wake(match)
    await session_of(hall, admin=True).submit(match, it.Cancel("admin"))
    assert hall.stand_ins.seat_of(hosted, of_account("ann")) is None
    assert hosted.seating[FRANCE].agent == "hold"


@inside(in_a_hall)
async def test_nobody_stands_in_before_the_match_has_begun(hall: Hall) -> None:
    ann = session_of(hall, "ann")
    match = await ann.open(setup("hold"))
    await ann.join(match, FRANCE)
    await ann.submit(match, it.Leave(FRANCE))
    assert not (await hall.wake(match)).match.state.places[FRANCE].present
    assert hall.stand_ins.seat_of(await hall.wake(match), of_account("ann")) is None


@inside(in_a_hall)
async def test_without_a_stand_in_the_seat_is_vacant(hall: Hall) -> None:
    ann = session_of(hall, "ann")
    match = await ann.open(setup(""))
    await ann.join(match, FRANCE)
    await ann.join(match, GERMANY)
    await ann.submit(match, it.Leave(FRANCE))
    assert not (await hall.wake(match)).match.state.places[FRANCE].present
    with pytest.raises(Denied, match="diplomacy has no 'clever'"):
        await ann.open(setup("clever"))
    with pytest.raises(Denied, match="seats no language models"):
        await ann.open(setup("llm:m@localhost:1/v1"))
    with pytest.raises(Denied, match="seats no language models"):
        await ann.seat_agent(match, FRANCE, "llm:m@localhost:1/v1")


async def france_leaves(hall: Hall) -> None:
    """The match "m", which France left."""
    ann, bob = session_of(hall, "ann"), session_of(hall, "bob")
    await bob.open(msgspec.structs.replace(setup("hold"), match="m", listed=False))
    await ann.join("m", FRANCE)
    await bob.join("m", GERMANY)
    await ann.submit("m", it.Leave(FRANCE))


async def next_turn(hall: Hall) -> HostedMatch:
    """Germany is the last to order."""
    hosted = await hall.wake("m")
    turn = hosted.match.turn
    await until(lambda: hosted.match.state.places[FRANCE].acted)
    await session_of(hall, "bob").submit("m", it.Act(GERMANY, []))
    await until(lambda: hosted.match.turn == turn + 1)
    return hosted


async def asked_in_vain(hall: Hall) -> HostedMatch:
    """The next turn has begun, and the server did not come to giving the seat back."""
    hosted = await hall.wake("m")
    hall.stand_ins.look = lambda hosted: None  # type: ignore[method-assign]
    assert (await session_of(hall, "ann").join("m")).notes == (LATER,)
    await next_turn(hall)
    assert hosted.seating[FRANCE].agent == "hold"
    return hosted


async def is_back(hall: Hall) -> None:
    hosted = await hall.wake("m")
    await until(lambda: not hosted.seating[FRANCE].agent)
    assert hosted.seating[FRANCE].account == "ann"
    assert (await session_of(hall, "ann").submit("m", it.Act(FRANCE, ["A PAR H"])))[0].refusal is None


def test_a_server_that_starts_again_knows_who_left_and_gives_the_seat_back(tmp_path: Path) -> None:
    async def after(hall: Hall) -> None:
        ann, eve = session_of(hall, "ann"), session_of(hall, "eve")
        assert [head.id for head in (await ann.page()).heads] == ["m"]
        assert not (await eve.page()).heads
        assert (await eve.join("m", FRANCE)).refusal is not None
        with pytest.raises(Denied, match="whoever sits on FRANCE"):  # an agent does, for her
            await ann.submit("m", it.Act(FRANCE, ["A PAR H"]))
        assert (await ann.join("m")).notes == (LATER,)
        await next_turn(hall)
        await is_back(hall)

    in_a_hall(tmp_path, france_leaves, after)


def test_who_asked_for_the_seat_before_the_server_stopped_has_it_all_the_same(tmp_path: Path) -> None:
    async def asks(hall: Hall) -> None:
        assert (await session_of(hall, "ann").join("m", name="Ann of Paris")).notes == (LATER,)

    async def after(hall: Hall) -> None:
        await next_turn(hall)
        await is_back(hall)
        assert (await hall.wake("m")).seating[FRANCE].player == "Ann of Paris"

    in_a_hall(tmp_path, france_leaves, asks, after)


def test_a_seat_that_was_to_be_given_back_when_the_server_stopped_is_given_back_when_it_starts(tmp_path: Path) -> None:
    async def stops(hall: Hall) -> None:
        hosted = await asked_in_vain(hall)
        await until(lambda: hosted.match.state.pending == {GERMANY})  # so that nothing else happens when it starts

    in_a_hall(tmp_path, france_leaves, stops, is_back)


@inside(in_a_hall)
async def test_whatever_happens_while_a_seat_is_given_back_it_is_given_back_once(hall: Hall) -> None:
    await france_leaves(hall)
    hosted = await asked_in_vain(hall)
    for _ in range(2):
        StandIns.look(hall.stand_ins, hosted)  # as whenever something happens
    await is_back(hall)
    joined = [event for event in await hall.record("m") if isinstance(event, ev.Joined)]
    assert [event.name for event in joined if event.seat == FRANCE] == ["ann", "hold", "ann"]


def test_who_leaves_a_second_time_has_to_ask_a_second_time(tmp_path: Path) -> None:
    async def comes_and_goes(hall: Hall) -> None:
        ann = session_of(hall, "ann")
        await ann.join("m")
        await next_turn(hall)
        await is_back(hall)
        await ann.submit("m", it.Leave(FRANCE))

    async def after(hall: Hall) -> None:
        hosted = await next_turn(hall)
        assert not hosted.returning
        assert hosted.seating[FRANCE].agent == "hold"

    in_a_hall(tmp_path, france_leaves, comes_and_goes, after)


@inside(in_a_hall)
async def test_who_asks_while_the_seat_is_being_given_back_is_not_given_it_twice(hall: Hall) -> None:
    await france_leaves(hall)
    await session_of(hall, "ann").join("m")
    await next_turn(hall)
    await is_back(hall)
    # As if she had asked once more just before, when an agent played for her.
    await hall.stand_ins.give_back("m", FRANCE, of_account("ann"), "ann", it.PlayerType.HUMAN)
    assert not (await hall.wake("m")).returning
    assert not hall.store.setting(f"return m {FRANCE}")


@inside(in_a_hall)
async def test_the_agent_that_a_moderator_names_takes_the_seat_and_not_the_stand_in(hall: Hall) -> None:
    ann, bob = session_of(hall, "ann"), session_of(hall, "bob")
    match = await bob.open(setup("hold"))
    await ann.join(match, FRANCE)
    await bob.join(match, GERMANY)
    assert (await session_of(hall, admin=True).replace_by_agent(match, FRANCE, "random")).refusal is None
    hosted = await hall.wake(match)
    assert hosted.seating[FRANCE].agent == "random"
    assert hall.stand_ins.seat_of(hosted, of_account("ann")) is None
