"""The match of a DAIDE client: its clock, its wait flag and its presences are those of the referee."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.games.diplomacy.game import GAME
from parlour.net.daide.attendance import TableTalk
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.history import Past
from parlour.referee.match import Match, Reaction

FRANCE, ENGLAND = Seat("FRANCE"), Seat("ENGLAND")
BOT = PlayerType.PRESS_BOT
SEATS = GAME.seats({})


class Listener:
    """A client that is told of a match, one event after the other."""

    def __init__(self, seat: Seat | None = FRANCE, *, begun: bool = True, **terms: object) -> None:
        self.talk = TableTalk(seat)
        self._viewer = SPECTATOR if seat is None else seated_on(seat)
        self.match = Match(GAME, {}, Terms(DIPLOMACY, **terms), 7)  # type: ignore[arg-type]
        self._hear(self.match.start(0.0))
        if begun:
            for name in SEATS:
                self.do(0.0, it.Join(name.lower(), name, BOT))

    def do(self, now: float, *intents: Intent) -> TableTalk:
        for intent in intents:
            reaction = self.match.handle(intent, now)
            assert reaction.refusal is None, reaction.refusal
            self._hear(reaction)
        return self.talk

    def _hear(self, reaction: Reaction) -> None:
        for event, view in zip(reaction.events, reaction.views, strict=True):
            if (seen := event.seen(self._viewer, GAME)) is not None:
                k = self.talk.k
                self.talk.take(ObservedEvent(k, k, seen, lambda view=view: view.seen(self._viewer)))  # type: ignore[misc]
                assert self.talk.k == k + 1


def minute(**more: object) -> Listener:
    return Listener(clock=Clock(per_turn=60.0), **more)  # type: ignore[arg-type]


def test_the_own_deadline_counts_and_without_one_that_of_all() -> None:
    assert minute().talk.time_left(20.0) == 40.0
    assert Listener(None, clock=Clock(per_turn=60.0)).talk.time_left(20.0) == 40.0
    assert Listener().talk.time_left(5.0) is None


def test_a_pause_stops_the_clock_and_makes_its_length_good() -> None:
    listener = minute()
    talk = listener.do(20.0, it.Pause("host"))
    assert talk.time_left(55.0) == 40.0
    assert listener.do(25.0, it.Downtime("server", 3.0)).time_left(55.0) == 40.0, "the pause makes it good by itself"
    assert listener.do(50.0, it.Resume("host")).time_left(50.0) == 40.0
    assert listener.do(51.0, it.Extend("host", 7.0)).time_left(51.0) == 46.0
    assert listener.do(55.0, it.Downtime("server", 3.0)).time_left(55.0) == 45.0


def test_time_that_is_given_in_a_pause_is_there_in_the_pause_and_after_it() -> None:
    listener = minute()
    assert listener.do(20.0, it.Pause("host"), it.Extend("host", 30.0)).time_left(25.0) == 70.0
    assert listener.do(50.0, it.Resume("host")).time_left(50.0) == 70.0


def test_where_downtime_counts_it_moves_no_deadline() -> None:
    assert minute(downtime_counts=True).do(10.0, it.Downtime("server", 3.0)).time_left(10.0) == 50.0


@pytest.mark.parametrize("vacancy", [Vacancy.AWAITED, Vacancy.DEFAULT])
def test_who_takes_a_power_over_has_its_flag_as_it_was_at_first_where_powers_are_awaited(vacancy: Vacancy) -> None:
    listener = Listener(wait_flags_up=True, vacancy=vacancy)
    assert listener.talk.wait
    assert not listener.do(1.0, it.SetWait(FRANCE, False)).wait
    talk = listener.do(2.0, it.Substitute("host", FRANCE, "ann", BOT))
    assert talk.wait is (vacancy is Vacancy.AWAITED)
    assert not Listener(None, wait_flags_up=True).talk.wait


def test_a_window_is_still_to_open_in_its_stages_until_it_has() -> None:
    def due(press: PressTerms) -> bool:
        return Listener(press=press).talk.view.window_due

    assert due(PressTerms(PressMode.WINDOW, stages=("orders",)))
    assert not due(PressTerms(PressMode.WINDOW, stages=("retreats",)))
    assert not due(PressTerms(PressMode.ANYTIME, stages=("orders",)))
    listener = Listener(press=PressTerms(PressMode.WINDOW))
    talk = listener.do(1.0, *(it.SetCommStatus(seat, it.CommStatus.READY) for seat in SEATS))
    assert not talk.view.window_due
    assert not Listener(press=PressTerms(PressMode.WINDOW)).do(1.0, it.Cancel("host")).view.window_due


def test_who_is_there_and_when_it_is_over() -> None:
    listener = Listener(begun=False, quorum=2, vacancy=Vacancy.AWAITED)
    talk = listener.do(1.0, it.Join("ann", FRANCE, BOT))
    assert (talk.waits_at_first, talk.lacks_players, talk.name(FRANCE), talk.name(ENGLAND)) == (True, True, "ann", "")
    talk = listener.do(2.0, it.Start("host"), it.Join("bo", ENGLAND, BOT))
    assert (talk.lacks_players, talk.is_away(ENGLAND), talk.over) == (False, False, False)
    assert listener.do(3.0, it.Leave(ENGLAND)).is_away(ENGLAND)
    assert talk.name(ENGLAND) == "bo"
    assert not talk.is_away(Seat("ITALY")), "nobody has ever been there"
    assert not listener.do(4.0, it.Join("cy", ENGLAND, BOT)).is_away(ENGLAND)
    assert talk.name(ENGLAND) == "cy"
    assert listener.do(5.0, it.Cancel("host")).over
    assert (talk.view.to_act, talk.time_left(5.0)) == ((), None)
    assert not Listener().talk.waits_at_first


def test_what_was_told_is_the_table_of_the_replayed_record() -> None:
    listener = minute()
    listener.do(5.0, it.Pause("host"), it.Extend("host", 5.0), it.Vote(ENGLAND, it.Ballot.YES), it.Leave(ENGLAND))
    *_, last = Past(GAME, listener.match.record).told(seated_on(FRANCE))
    assert listener.talk.view == last.view
