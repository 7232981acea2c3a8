"""House agents vote for a draw that all people at the table want, and one that is about to win does not."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot
from parlour.core.terms import Terms, Vacancy
from parlour.net.hall import Hall
from parlour.net.house_agents import votes_to_follow
from parlour.referee.conduct import DIPLOMACY
from support.hall.halls import ENGLAND, FRANCE, POWERS, diplomacy, in_a_hall
from support.hall.people import session_of, submitted
from support.waiting import inside, until

RUSSIA = Seat("RUSSIA")
AHEAD = (
    "standard F1905M ENG=FLON;FRA=APAR;RUS=AMOS "
    "ENG=EDI,LON,LVP;FRA=PAR,BRE,MAR;RUS=MOS,WAR,SEV,STP,BUD,VIE,TRI,MUN,BER,KIE,ANK,CON,SMY,RUM,BUL"
)
"""Russia has most points."""


async def opened(hall: Hall, *, draw_votes: bool = True) -> str:
    """Open a match in which two people play, and the house holds still."""
    agents = {Seat(power): "hold" for power in POWERS if power not in (FRANCE, ENGLAND)}
    terms = Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT, draw_votes=draw_votes)
    match = await session_of(hall, "host").open(diplomacy(terms=terms, agents=agents))
    for name, seat in (("ann", FRANCE), ("ben", ENGLAND)):
        assert (await session_of(hall, name).join(match, seat)).refusal is None
    return match


async def vote(hall: Hall, match: str, name: str, seat: Seat, ballot: Ballot = Ballot.YES) -> None:
    assert (await submitted(session_of(hall, name), match, it.Vote(seat, ballot))).refusal is None


@inside(in_a_hall)
async def test_a_draw_passes_once_all_people_want_it(hall: Hall) -> None:
    match = await opened(hall)
    await vote(hall, match, "ann", FRANCE)
    state = (await hall.wake(match)).match.state
    assert votes_to_follow(state, state.places) == []  # ben does not want it, and is not asked to
    await vote(hall, match, "ann", FRANCE, Ballot.NEUTRAL)
    await vote(hall, match, "ben", ENGLAND)
    await vote(hall, match, "ann", FRANCE)
    await until(lambda: state.outcome is not None)
    assert state.outcome is not None
    assert state.outcome.reason.startswith("draw")


@inside(in_a_hall)
async def test_an_agent_that_is_about_to_win_does_not_vote_for_a_draw(hall: Hall) -> None:
    match = await opened(hall)
    assert (await submitted(hall, match, it.SetPosition("host", AHEAD))).refusal is None
    state = (await hall.wake(match)).match.state
    await vote(hall, match, "ann", FRANCE)
    await vote(hall, match, "ben", ENGLAND)
    assert votes_to_follow(state, (RUSSIA,)) == []
    assert state.outcome is None


@pytest.mark.parametrize("people", [0, 2])
@inside(in_a_hall)
async def test_without_people_or_without_votes_nobody_votes(hall: Hall, *, people: int) -> None:
    match = await opened(hall, draw_votes=not people)
    state = (await hall.wake(match)).match.state
    house = [seat for seat in state.places if seat not in (FRANCE, ENGLAND)] if people else list(state.places)
    state.in_favour.update((FRANCE, ENGLAND))
    assert votes_to_follow(state, house) == []
    state.in_favour.clear()
