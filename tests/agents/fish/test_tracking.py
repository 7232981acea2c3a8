"""Following a match by its events: the position is always that of the referee, removals and set positions included."""

from __future__ import annotations

from parlour.agents.chance import RandomPlayer
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.agents.fish.tracking import Tracker
from parlour.core.events import Event, PositionSet, Removed
from parlour.core.game import Action, View
from parlour.core.terms import Terms
from parlour.games.fish import COLOURS, GAME
from parlour.referee.conduct import LENIENT, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match, replay

RED, WHITE, BROWN = COLOURS[:3]


class Cheat(RandomPlayer):
    """Plays at random until it moves; then it skips."""

    def act(self, view: View) -> Action:
        return super().act(view) if view.position.stage == "placement" else "skip"


def test_the_tracked_position_is_that_of_the_referee_after_every_event() -> None:
    for conduct in (STRICT, LENIENT):
        match = Match(GAME, {"players": 3}, Terms(conduct), seed=4)
        play(match, {RED: Cheat(1), WHITE: RandomPlayer(2), BROWN: LookAheadPlayer(1)})
        tracker = Tracker()
        for number, event in enumerate(match.record):
            tracker.follow(event)
            assert tracker.position == replay(match.record, GAME, number).position


def test_nothing_changes_before_the_start() -> None:
    tracker = Tracker()
    before: Event = Removed(0.0, RED, "gone")
    assert not tracker.follow(before)
    assert tracker.position is None


def test_a_position_that_a_moderator_sets_is_taken_over() -> None:
    tracker = Tracker()
    position = GAME.start({}, COLOURS, 3)
    assert tracker.follow(PositionSet(0.0, "moderator", position.encode()))
    assert tracker.position == position
