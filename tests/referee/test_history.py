"""The past shown again: in the numbers of a view, with positions that can be asked for in any order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.player import ObservedEvent
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.referee.history import Past, PastEvents
from parlour.referee.match import Match, replay
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, begun


@pytest.fixture
def match() -> Match:
    """Return a whole match, with something that only one seat knows of."""
    match = begun(BIDS)
    match.handle(it.Note(NORTH, "a secret"), 0.5)
    while not match.over:
        for seat in match.state.to_act:
            match.handle(it.Act(seat, match.position.legal(seat)[0]), match.state.now + 1.0)
    return match


def test_what_a_viewer_may_not_see_is_left_out_and_not_counted(match: Match) -> None:
    past = Past(BIDS, match.record)
    own = list(past.told(seated_on(NORTH)))
    others = list(past.told(seated_on(EAST)))
    assert [told.k for told in own] == list(range(len(own)))
    assert [told.k for told in others] == list(range(len(others)))
    assert len(others) < len(own)
    assert any(isinstance(told.event, ev.Noted) for told in own)
    assert not any(isinstance(told.event, ev.Noted) for told in others)
    assert [told.number for told in past.told(OMNISCIENT)] == list(range(len(match.record)))


def test_it_is_told_from_any_number_of_the_view_on(match: Match) -> None:
    past = Past(BIDS, match.record)
    whole = [(told.k, told.number, told.event) for told in past.told(SPECTATOR)]
    for since in range(len(whole) + 2):
        assert [(told.k, told.number, told.event) for told in past.told(SPECTATOR, since)] == whole[since:]


@pytest.mark.parametrize("order", [1, -1], ids=["forward", "looking back"])
def test_with_each_event_comes_the_table_after_it(match: Match, order: int) -> None:
    found = list(Past(BIDS, match.record).told(OMNISCIENT))[::order]
    for told in found:
        assert told.view == replay(match.record[: told.number + 1], BIDS).view().seen(OMNISCIENT)
    assert found[0].view != found[-1].view


def test_past_events_are_worked_out_once_and_when_they_are_looked_at(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, looks = Past.told, list[Viewer]()

    def counted(past: Past, viewer: Viewer, since: int = 0) -> Iterator[ObservedEvent]:
        looks.append(viewer)
        return told(past, viewer, since)

    monkeypatch.setattr(Past, "told", counted)
    past = PastEvents(Past(BIDS, match.record), seated_on(NORTH))
    assert looks == []
    whole = [each.event for each in past]
    assert len(past) == len(whole)
    assert past[-1].event == whole[-1]
    assert [each.event for each in past[2:4]] == whole[2:4]
    assert looks == [seated_on(NORTH)]
    assert whole == [each.event for each in told(Past(BIDS, match.record), seated_on(NORTH))]
