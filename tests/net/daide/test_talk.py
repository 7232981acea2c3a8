"""What a DAIDE client's match has come to: its clock, its wait flag, its own orders, and who is there."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat
from parlour.core.intents import PlayerType
from parlour.core.player import Told
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.net.daide.talk import TableTalk
from parlour.referee.conduct import DIPLOMACY

FRANCE, ENGLAND = Seat("FRANCE"), Seat("ENGLAND")
BOT = PlayerType.PRESS_BOT


class Listener:
    """A client that is told one event after the other."""

    def __init__(self, seat: Seat | None = FRANCE, **terms: object) -> None:
        self.talk = TableTalk(seat)
        self._k = 0
        opened = Terms(DIPLOMACY, **terms)  # type: ignore[arg-type]
        self.hear(ev.Opened(0.0, "diplomacy", {}, opened, 1))

    def hear(self, *events: Event) -> TableTalk:
        for event in events:
            self.talk.take(Told(self._k, self._k, event, lambda: None))
            self._k += 1
        assert self.talk.k == self._k
        return self.talk


def began(turn: int = 1, stage: str = "orders", **deadlines: float) -> ev.TurnBegan:
    return ev.TurnBegan(10.0, turn, stage, (FRANCE, ENGLAND), deadlines)


def test_the_own_deadline_counts_and_without_one_the_last_of_all() -> None:
    assert Listener().hear(began(FRANCE=70.0, ENGLAND=80.0)).deadline == 70.0
    assert Listener().hear(began(ENGLAND=80.0, ITALY=75.0)).deadline == 80.0
    assert Listener(None).hear(began(FRANCE=70.0, ENGLAND=80.0)).deadline == 80.0
    assert Listener().hear(began()).deadline is None
    assert Listener().hear(began()).time_left(5.0) is None
    assert Listener().hear(began(FRANCE=70.0)).time_left(30.0) == 40.0


def test_a_pause_stops_the_clock_and_makes_its_length_good() -> None:
    listener = Listener()
    talk = listener.hear(began(FRANCE=70.0), ev.Paused(20.0, "host"))
    assert (talk.paused, talk.time_left(60.0)) == (20.0, 50.0)
    listener.hear(ev.Stalled(25.0, "server", 3.0), ev.Extended(26.0, "host", 1, 3.0))
    assert talk.deadline == 70.0, "a pause makes its whole length good by itself"
    listener.hear(ev.Resumed(50.0, "host"))
    assert (talk.paused, talk.deadline) == (None, 100.0)
    listener.hear(ev.Extended(51.0, "host", 1, 7.0), ev.Stalled(52.0, "server", 3.0))
    assert talk.deadline == 110.0
    listener.hear(ev.Paused(60.0, "host"), ev.Resumed(65.0, "host", {"FRANCE": 200.0, "ENGLAND": 300.0}))
    assert talk.deadline == 200.0
    untimed = Listener()
    assert untimed.hear(began(), ev.Paused(20.0, "host"), ev.Resumed(50.0, "host")).deadline is None


def test_orders_and_flags_are_the_own_seats_and_end_with_the_turn() -> None:
    listener = Listener()
    talk = listener.hear(
        began(),
        ev.Acted(11.0, FRANCE, 1, ["A PAR H"]),
        ev.Acted(12.0, ENGLAND, 1, ["F LON H"]),
        ev.WaitSet(13.0, FRANCE, True),
        ev.WaitSet(14.0, ENGLAND, False),
    )
    assert (talk.own, talk.wait, talk.turn, talk.to_act) == (["A PAR H"], True, 1, (FRANCE, ENGLAND))
    listener.hear(ev.Retracted(15.0, ENGLAND, 1))
    assert talk.own == ["A PAR H"]
    listener.hear(ev.Retracted(16.0, FRANCE, 1))
    assert talk.own is None
    listener.hear(ev.Acted(17.0, FRANCE, 1, ["A PAR H"]), began(2))
    assert (talk.own, talk.wait, talk.turn) == (None, False, 2)
    assert Listener(wait_flags_up=True).hear(began()).wait


@pytest.mark.parametrize("vacancy", Vacancy)
def test_who_takes_a_power_over_has_its_flag_as_it_was_at_first_where_powers_are_awaited(vacancy: Vacancy) -> None:
    listener = Listener(wait_flags_up=True, vacancy=vacancy)
    listener.hear(began(), ev.WaitSet(11.0, FRANCE, False), ev.Left(12.0, FRANCE), ev.Joined(13.0, ENGLAND, "bo", BOT))
    assert not listener.talk.wait
    assert listener.hear(ev.Joined(14.0, FRANCE, "ann", BOT)).wait is (vacancy is Vacancy.AWAITED)


def test_a_window_is_still_to_open_in_its_stages_until_it_has() -> None:
    windows = PressTerms(PressMode.WINDOW, stages=("orders",))
    assert Listener(press=windows).hear(began()).window
    assert not Listener(press=windows).hear(began(stage="retreats")).window
    assert not Listener(press=PressTerms(PressMode.ANYTIME, stages=("orders",))).hear(began()).window
    assert not Listener(press=windows).hear(began(), ev.PressOpened(11.0, 1, 20.0)).window
    assert not Listener(press=windows).hear(began(), ev.Ended(11.0, Outcome({}, (), "called off"))).window


def test_who_is_there_and_when_it_is_over() -> None:
    listener = Listener(quorum=2)
    talk = listener.hear(ev.Joined(1.0, FRANCE, "ann", BOT), ev.Joined(2.0, ENGLAND, "bo", BOT), ev.Left(3.0, ENGLAND))
    assert (talk.names, talk.away, talk.waits_at_first) == ({FRANCE: "ann", ENGLAND: "bo"}, {ENGLAND}, True)
    listener.hear(ev.Joined(4.0, ENGLAND, "cy", BOT), began(FRANCE=70.0))
    assert (talk.names[ENGLAND], talk.away, talk.over) == ("cy", set(), False)
    listener.hear(ev.Ended(11.0, Outcome({}, (), "called off")))
    assert (talk.over, talk.to_act, talk.deadline) == (True, (), None)
    assert not Listener().talk.waits_at_first
