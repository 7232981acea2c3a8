"""The memory of the course's proxies: the actions since a player's last turn, and the last player to move."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from parlour.core import intents as it
from parlour.core.game import Action, Seat, View
from parlour.core.terms import Terms
from parlour.games.fish import COLOURS, GAME
from parlour.net.fish.dialect import Patience, RemoteMatch
from parlour.net.fish.neu import calls
from parlour.net.fish.neu.dialect import NeuEntrant, NeuPlayer, NeuTable
from parlour.net.fish.peer import Peer
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match

RED, WHITE, BROWN = COLOURS[:3]


class Story:
    """A match, of two if nothing else is said, whose table hears of everything."""

    def __init__(self, board: Any, seats: tuple[Seat, ...] = (RED, WHITE)) -> None:
        self.match = Match(GAME, {"board": board, "players": len(seats)}, Terms(STRICT), 1)
        self.table = NeuTable(RemoteMatch("m1", self.match, dict.fromkeys(seats, ""), {}))
        self.table.reacted(self.match.start(0.0))
        for seat in seats:
            self.table.reacted(self.match.handle(it.Join(str(seat), seat), 0.0))

    def play(self, *actions: Action) -> None:
        for action in actions:
            (seat,) = self.match.position.to_act()
            reaction = self.match.handle(it.Act(seat, action), 0.0)
            assert reaction.refusal is None
            self.table.reacted(reaction)

    def remove(self, seat: Seat) -> None:
        self.table.reacted(self.match.handle(it.Remove("host", seat), 0.0))

    def places(self, seat: str) -> Any:
        players = calls.state(self.match.position, self.table.arrivals)["players"]  # type: ignore[arg-type]
        return next(player["places"] for player in players if player["color"] == seat)


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
    assert story.places("red") == [(0, 3), (0, 2), (0, 1), (0, 0)]
    story.play([[0, 1], [2, 1]])
    assert story.places("red") == [(2, 1), (0, 3), (0, 2), (0, 0)]
    story.play([[5, 0], [3, 0]], [[0, 3], [2, 3]])
    assert story.places("red") == [(2, 3), (2, 1), (0, 2), (0, 0)]
    assert story.places("white") == [(3, 0), (5, 3), (5, 2), (5, 1)]


@pytest.mark.parametrize("first", [1, 2])
def test_so_it_does_where_another_stood_before_that_is_out_of_the_game(first: int) -> None:
    story = Story([[1] * 6 for _ in range(6)], (RED, WHITE, BROWN))
    story.play([0, 1], [5, 0], [2, 1], [0, 2], [5, 1], [2, 2], [0, 3], [5, 2], [3, 0])
    story.remove(BROWN)
    second = 3 - first
    story.play([[0, first], [2, first]], [[5, 0], [3, 0]], [[0, second], [4, second]])
    assert story.places("red") == [(4, second), (2, first), (0, 3)]


def test_a_match_that_goes_on_remembers_the_same() -> None:
    story = Story([[1] * 6 for _ in range(6)])
    for column in range(4):
        story.play([0, column], [5, column])
    story.play([[0, 1], [2, 1]], [[5, 0], [3, 0]], [[0, 3], [2, 3]])
    again = NeuTable(RemoteMatch("m1", Match.resume(story.match.record), {RED: "", WHITE: ""}, {}))
    again.go_on()
    assert again.arrivals == story.table.arrivals
    assert list(again.actions_since()) == list(story.table.actions_since()) == [[[0, 3], [2, 3]]]


class Called:
    """A peer that writes down what it is called with, and answers."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def ask(self, call: bytes, read: Callable[[bytes], Any]) -> Any:
        self.calls.append(json.loads(call)[0])
        return read(b"[0,0]" if self.calls[-1] == "setup" else b'"void"')


def test_a_player_is_introduced_once_also_if_the_match_went_on_without_that() -> None:
    story = Story([[1] * 6 for _ in range(6)])
    view = View(RED, story.match.position, 1)

    async def scenario(*, introduced: bool) -> list[str]:
        peer = Called()
        player = NeuPlayer(cast("Peer", peer), RED, story.table, Patience())
        if introduced:
            await player.on_introduced((RED, WHITE))
        for _ in range(2):
            await player.act(view)
        return peer.calls

    for introduced in (True, False):
        calls_made = asyncio.run(scenario(introduced=introduced))
        assert calls_made == ["playing-as", "playing-with", "setup", "setup"]


class Dismissed:
    """A peer of which one can see whether it is asked any more."""

    def __init__(self) -> None:
        self.dismissed = 0

    def dismiss(self) -> None:
        self.dismissed += 1


def test_who_is_removed_is_dismissed_and_actions_are_counted_anew() -> None:
    story = Story([[1] * 6 for _ in range(6)], (RED, WHITE, BROWN))
    peers = {seat: Dismissed() for seat in (RED, BROWN)}
    story.table._peers.update({seat: cast("Peer", peer) for seat, peer in peers.items()})
    for column in range(3):
        story.play([0, column], [5, column], [2, column])
    story.play([[0, 0], [1, 0]], [[5, 0], [4, 0]], [[2, 0], [3, 0]], [[0, 1], [1, 1]])
    assert len(story.table.actions_since()) == 2
    story.remove(BROWN)
    assert {seat: peer.dismissed for seat, peer in peers.items()} == {RED: 0, BROWN: 1}
    assert list(story.table.actions_since()) == []
    story.remove(WHITE)  # one of the house, who is nobody's peer


def test_the_tournament_is_begun_once_whoever_comes_back() -> None:
    async def scenario() -> list[str]:
        peer = Called()
        entrant = NeuEntrant(cast("Peer", peer), Patience())
        await entrant.tournament_started()
        await entrant.tournament_started()
        await entrant.welcome_back()
        assert not entrant.told
        await entrant.tournament_ended(True)
        assert entrant.told
        return peer.calls

    assert asyncio.run(scenario()) == ["start", "end"]
