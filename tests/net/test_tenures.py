"""A player who takes a seat that was left sees no earlier secrets; a player who returns finds their own."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot, Consultation
from parlour.core.player import ObservedEvent
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import seated_on
from parlour.net.hall import Hall
from parlour.net.mcp.seat_tools import SeatTools
from parlour.net.mila.saving import saved_for
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.net.tenures import MOST
from parlour.referee.conduct import HOSTED
from support.hall.halls import in_a_hall
from support.hall.people import session_of
from support.waiting import inside

ENGLAND, FRANCE, ITALY = Seat("ENGLAND"), Seat("FRANCE"), Seat("ITALY")
SECRET, OPEN, ORDER = "for you alone", "for all", "A PAR - GAS"
TERMS = Terms(
    HOSTED, press=PressTerms(PressMode.ANYTIME), vacancy=Vacancy.AWAITED, seats_to_start=2, wait_flags_up=True
)
Scenario = Callable[[Hall, str], Awaitable[None]]


def left_by_ann(path: Path, scenario: Scenario, terms: Terms = TERMS, stand_in: str = "") -> None:
    """Play a scenario at a match in which ann had France, with secrets of all kinds, and has left."""

    async def begun(hall: Hall) -> None:
        setup = MatchSetup(game="diplomacy", terms=terms, match="m", stand_in=stand_in)
        match = await session_of(hall, "owner").open(setup)
        ann, bea = session_of(hall, "ann"), session_of(hall, "bea")
        await taken(ann, FRANCE)
        await taken(bea, ITALY)
        await done(bea, it.Say(ITALY, SECRET, (FRANCE,)))
        await done(bea, it.Say(ITALY, OPEN))
        for intent in (
            it.Say(FRANCE, SECRET, (ITALY,)),
            it.Note(FRANCE, SECRET),
            it.Act(FRANCE, [ORDER]),
            it.Vote(FRANCE, Ballot.YES),
            it.RecordModelCall(FRANCE, Consultation("talk", "model", SECRET, SECRET)),
            it.Leave(FRANCE),
        ):
            await done(ann, intent)
        await scenario(hall, match)

    in_a_hall(path, begun)


async def taken(session: Session, seat: Seat) -> None:
    assert (await session.join("m", seat)).refusal is None


async def done(session: Session, intent: it.Intent) -> None:
    answer = (await session.submit("m", intent))[0]
    assert answer.refusal is None, answer.refusal


async def shown(session: Session, seat: Seat = FRANCE) -> str:
    """Return all that a session is shown as the holder of a seat, whichever way it asks."""
    wanted, heard = seated_on(seat), list[ObservedEvent]()
    (await session.watch("m", heard.append, since=0, wanted=wanted))()
    told = await session.events("m", wanted=wanted)
    pages = [one.event for one in await session.page_of_events("m", limit=1000, wanted=wanted)]
    view = await session.view("m", wanted)
    assert [one.event for one in told] == pages == [one.event for one in heard]
    assert view.k == len(told)
    saved = await saved_for(session, "m", wanted)
    rows = [one.view.seats for one in told]
    return f"{told} {view} {saved} {rows}"


@inside(left_by_ann)
async def test_a_new_holder_sees_no_secrets_of_the_last(hall: Hall, match: str) -> None:
    eve, bea = session_of(hall, "eve"), session_of(hall, "bea")
    await taken(eve, FRANCE)
    told = await shown(eve)
    assert OPEN in told
    assert SECRET not in told
    assert ORDER not in told
    assert Ballot.YES not in told
    state = (await hall.wake(match)).match.state
    assert state.places[FRANCE].action == [ORDER], "what was ordered stands until it is replaced"
    assert state.places[FRANCE].ballot is Ballot.NEUTRAL, "a vote is a promise of whoever gave it"
    assert (await eve.submit(match, it.Vote(FRANCE, Ballot.YES)))[0].refusal is None
    await done(bea, it.Say(ITALY, "welcome", (FRANCE,)))
    await done(eve, it.Act(FRANCE, ["A PAR - PIC"]))
    for _ in range(2):
        told = await shown(eve)
        assert "welcome" in told
        assert "A PAR - PIC" in told
        assert SECRET not in told
        assert hall.sleep(match), "the store has all that it takes"
    assert (await shown(bea, ITALY)).count(SECRET) >= 2, "what bea said and heard stays hers"


@inside(left_by_ann)
async def test_whoever_returns_sees_their_own_time_and_not_that_of_others(hall: Hall, match: str) -> None:
    ann, eve, bea = (session_of(hall, name) for name in ("ann", "eve", "bea"))
    await done(bea, it.Say(ITALY, "to nobody", (FRANCE,)))
    await taken(ann, FRANCE)
    told = await shown(ann)
    assert all(text in told for text in (SECRET, ORDER, "to nobody")), "as if they had never left"
    await done(ann, it.Leave(FRANCE))
    await done(bea, it.Say(ITALY, "to whoever comes", (FRANCE,)))
    await taken(eve, FRANCE)
    assert "to whoever comes" in await shown(eve), "nobody else was told"
    await done(bea, it.Say(ITALY, "to eve", (FRANCE,)))
    await done(eve, it.Leave(FRANCE))
    await taken(ann, FRANCE)
    told = await shown(ann)
    assert SECRET in told
    assert "to eve" not in told
    assert "to whoever comes" not in told
    assert hall.sleep(match)
    assert await shown(ann) != ""


@inside(left_by_ann, stand_in="hold")
async def test_a_stand_in_plays_for_whoever_left_and_hides_nothing_from_them(hall: Hall, match: str) -> None:
    ann, bea = session_of(hall, "ann"), session_of(hall, "bea")
    await done(bea, it.Say(ITALY, "to the stand-in", (FRANCE,)))
    stood_in = (await hall.wake(match)).seating[FRANCE].agent
    assert stood_in == "hold"
    assert (await ann.join(match, FRANCE, patient=False)).refusal is None
    told = await shown(ann)
    assert SECRET in told
    assert "to the stand-in" in told


@inside(left_by_ann)
async def test_a_seat_of_the_house_keeps_what_it_was_told(hall: Hall, match: str) -> None:
    owner, bea, eve = (session_of(hall, name) for name in ("owner", "bea", "eve"))
    assert (await owner.seat_agent(match, FRANCE, "hold")).refusal is None
    await done(bea, it.Say(ITALY, "to the house", (FRANCE,)))
    await done(owner, it.Leave(FRANCE))
    await taken(eve, FRANCE)
    told = await shown(eve)
    assert SECRET not in told
    assert "to the house" not in told


@inside(left_by_ann)
async def test_an_assistant_that_takes_the_seat_is_told_nothing_from_before(hall: Hall, match: str) -> None:
    tools = SeatTools(hall)
    token = (await tools.sit(match=match, seat=FRANCE))["token"]
    told = f"{await tools.view(token)} {await tools.wait(token, seconds=0.0)}"
    assert OPEN in told
    assert SECRET not in told
    assert ORDER not in told


@inside(left_by_ann)
async def test_what_the_end_discloses_is_counted_as_it_is_shown(hall: Hall, match: str) -> None:
    eve, owner = session_of(hall, "eve"), session_of(hall, "owner")
    await taken(eve, FRANCE)
    await done(owner, it.Cancel("", "enough"))
    told = await shown(eve)
    assert any(kind in told for kind in ("Consulted(",)), "what was asked of models is told when it is over"
    assert "Noted(" not in told


@inside(left_by_ann)
async def test_one_who_holds_several_seats_sees_what_any_of_them_was_told_in_their_time(hall: Hall, match: str) -> None:
    eve, bea, cat = (session_of(hall, name) for name in ("eve", "bea", "cat"))
    await taken(cat, ENGLAND)
    await taken(eve, FRANCE)
    await done(bea, it.Say(ITALY, "to eve and cat", (FRANCE, ENGLAND)))
    await done(bea, it.Say(ITALY, "to cat", (ENGLAND,)))
    await done(cat, it.Leave(ENGLAND))
    await taken(eve, ENGLAND)
    told = await eve.events(match)
    texts = [one.event.text for one in told if isinstance(one.event, ev.Said)]
    assert texts == [OPEN, "to eve and cat"]
    assert (await eve.view(match)).k == len(told)


@inside(left_by_ann)
async def test_only_the_latest_holders_are_remembered(hall: Hall, match: str) -> None:
    for number in range(MOST + 3):
        other = session_of(hall, f"p{number}")
        await taken(other, FRANCE)
        await done(other, it.Note(FRANCE, f"note of p{number}."))
        told = await shown(other)
        assert f"note of p{number}." in told
        assert told.count("note of p") == told.count(f"note of p{number}."), "and none of others"
        await done(other, it.Leave(FRANCE))
    kept = hall.store.setting(f"tenures {match}")
    assert kept is not None
    assert kept.count(b"p1") <= 2, "those of long ago are forgotten"
    ann = session_of(hall, "ann")
    await taken(ann, FRANCE)
    assert SECRET not in await shown(ann), "and are as new"


@pytest.mark.parametrize("seed", range(4))
def test_numbers_in_a_view_have_no_gaps_whoever_sits_where(tmp_path: Path, seed: int) -> None:
    """Seats change hands at random, one holder may have several, and all who watch are told as if they had read it."""
    chance = random.Random(seed)

    async def scenario(hall: Hall) -> None:
        setup = MatchSetup(game="diplomacy", terms=TERMS, match="m", admission=Admission())
        await session_of(hall, "owner").open(setup)
        people = {name: session_of(hall, name) for name in ("ann", "bea", "cat")}
        held: dict[Seat, str] = {}
        heard: dict[str, list[ObservedEvent]] = {}
        for _ in range(60):
            seat, name = chance.choice((ENGLAND, FRANCE, ITALY)), chance.choice(list(people))
            holder = held.get(seat)
            if holder is None:
                await taken(people[name], seat)
                held[seat] = name
            elif chance.random() < 0.3:
                await done(people[holder], it.Leave(seat))
                del held[seat]
            else:
                others = [other for other in held if other != seat]
                to = tuple(chance.sample(others, chance.randint(0, len(others))))
                text = f"{holder} {seat}"
                await done(people[holder], it.Say(seat, text, to) if chance.random() < 0.7 else it.Note(seat, text))
            if chance.random() < 0.1 and not heard:
                assert hall.sleep("m")
            watcher = chance.choice(list(people))
            if watcher not in heard:
                await people[watcher].watch("m", heard.setdefault(watcher, []).append, since=0)
            for session in people.values():
                told = await session.events("m")
                assert [one.k for one in told] == list(range((await session.view("m")).k))
        for told in heard.values():
            assert [one.number for one in told] == sorted({one.number for one in told}), "nothing twice"

    in_a_hall(tmp_path, scenario)
