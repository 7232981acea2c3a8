"""What the course's proxies remember of a match: the actions since a player's last turn, and who moved last."""

from __future__ import annotations

from typing import Any

from parlour.core import intents as it
from parlour.core.game import Action
from parlour.core.player import Told
from parlour.core.terms import Terms
from parlour.games.fish import COLOURS, GAME
from parlour.net.fish.dialect import Patience
from parlour.net.fish.neu import calls
from parlour.net.fish.neu.proxies import NeuTable
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match

RED, WHITE = COLOURS[:2]


class Story:
    """A match of two whose table hears of everything."""

    def __init__(self, board: Any) -> None:
        self.match = Match(GAME, {"board": board, "players": 2}, Terms(STRICT), 1)
        self.table = NeuTable(self.match, (RED, WHITE), {}, Patience())
        self._take(self.match.start(0.0))
        for seat in (RED, WHITE):
            self._take(self.match.handle(it.Join(str(seat), seat), 0.0))

    def play(self, *actions: Action) -> None:
        for action in actions:
            (seat,) = self.match.position.to_act()
            reaction = self.match.handle(it.Act(seat, action), 0.0)
            assert reaction.refusal is None
            self._take(reaction)

    def places(self, seat: str) -> Any:
        players = calls.state(self.match.position, self.table.arrivals)["players"]  # type: ignore[arg-type]
        return next(player["places"] for player in players if player["color"] == seat)

    def _take(self, reaction: Any) -> None:
        for number, (event, after) in enumerate(zip(reaction.events, reaction.after, strict=True)):
            self.table.told(Told(number, number, event, lambda after=after: after))  # type: ignore[misc]


def test_a_skip_before_the_first_move_is_in_the_list_of_actions() -> None:
    story = Story([[2, 2, 2, 1], [3, 0, 2, 2], [4, 5, 3, 4]])
    # Red stands in the corner at the right, where white shuts it in.
    story.play([1, 3], [2, 2], [2, 3], [0, 1], [0, 2], [1, 2], [0, 3], [2, 0])
    assert list(story.table.actions_since()) == []
    story.play([[0, 1], [1, 0]])
    assert story.match.position.to_act() == (WHITE,)
    assert list(story.table.actions_since()) == ["skip"]


def test_the_penguin_that_moved_last_comes_first() -> None:
    story = Story([[1] * 6 for _ in range(6)])
    for column in range(4):
        story.play([0, column], [5, column])
    assert story.places("red") == ((0, 3), (0, 2), (0, 1), (0, 0))
    story.play([[0, 1], [2, 1]])
    assert story.places("red") == ((2, 1), (0, 3), (0, 2), (0, 0))
    story.play([[5, 0], [3, 0]], [[0, 3], [2, 3]])
    assert story.places("red") == ((2, 3), (2, 1), (0, 2), (0, 0))
    assert story.places("white") == ((3, 0), (5, 3), (5, 2), (5, 1))


def test_a_match_that_goes_on_remembers_the_same() -> None:
    story = Story([[1] * 6 for _ in range(6)])
    for column in range(4):
        story.play([0, column], [5, column])
    story.play([[0, 1], [2, 1]], [[5, 0], [3, 0]], [[0, 3], [2, 3]])
    again = NeuTable(Match.resume(story.match.record), (RED, WHITE), {}, Patience())
    again.go_on()
    assert again.arrivals == story.table.arrivals
    assert list(again.actions_since()) == list(story.table.actions_since()) == [[[0, 3], [2, 3]]]
