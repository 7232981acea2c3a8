"""The watchers of a match: who leaves leaves nothing behind, and nobody is told for whom there is no watcher."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import OMNISCIENT, SPECTATOR, seated_on
from parlour.referee.spectators import QuietWatcher, Spectators
from parlour.testing import NIM


def test_when_the_last_has_left_nobody_watches() -> None:
    spectators = Spectators(NIM)
    heard: list[ObservedEvent] = []
    assert not spectators
    leaves = [spectators.watch(viewer, heard.append, 0) for viewer in (SPECTATOR, SPECTATOR, OMNISCIENT)]
    for leave in leaves:
        assert spectators
        leave()
        leave()
    assert not spectators


@pytest.mark.parametrize("strangers", [True, False])
def test_strangers_are_shown_a_copy_and_the_house_the_event_itself(strangers: bool) -> None:
    spectators = Spectators(NIM, strangers=strangers)
    heard: list[ObservedEvent] = []
    for _ in range(2):
        spectators.watch(OMNISCIENT, heard.append, 0)
    event = ev.Acted(1.0, Seat("first"), 1, [1])
    spectators.tell(0, event, TableView())
    one, other = (told.event for told in heard)
    assert one == event
    assert (one is event, one is other) == (not strangers, True)


FIRST, SECOND = Seat("first"), Seat("second")
HANDED_IN: tuple[ev.Event, ...] = (
    ev.Acted(1.0, FIRST, 1, [1]),
    ev.Acted(1.0, SECOND, 1, [2]),
    ev.WaitSet(1.0, FIRST, True),
    ev.WaitSet(1.0, SECOND, True),
    ev.Retracted(1.0, SECOND, 1),
)


def test_the_incurious_are_told_of_all_but_what_seats_do_one_after_the_other() -> None:
    spectators = Spectators(NIM)
    heard: list[ObservedEvent] = []
    spectators.watch(seated_on(FIRST), QuietWatcher(heard.append), 7)
    for number, event in enumerate(HANDED_IN):
        spectators.tell(number, event, TableView())
    assert [(told.k, told.event) for told in heard] == [(11, HANDED_IN[4])]


def test_whoever_is_curious_is_told_everything_though_somebody_beside_is_not() -> None:
    spectators = Spectators(NIM)
    heard: list[ObservedEvent] = []
    spectators.watch(seated_on(FIRST), QuietWatcher(lambda told: None), 0)
    spectators.watch(seated_on(FIRST), heard.append, 0)
    for number, event in enumerate(HANDED_IN):
        spectators.tell(number, event, TableView())
    assert [told.k for told in heard] == [0, 1, 2, 3, 4]
