"""Beliefs at a Fish table: who plays in a simple manner is found out, and what cannot be told is let be."""

from __future__ import annotations

import pytest

from parlour.agents import make_agent
from parlour.agents.fish.beliefs import PRIOR, Beliefs, FishManner, favourite, percent
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.agents.fish.simple import Greedy
from parlour.core.game import Seat, View
from parlour.core.player import Player
from parlour.games.fish import COLOURS, GAME, Board, Position, Side

RED, WHITE = COLOURS[:2]


def follow(others: dict[Seat, Player], seed: int) -> Beliefs:
    """Beliefs of red after a match in which it plays at random."""
    beliefs, red = Beliefs(), make_agent("fish", "random", seed)
    position = GAME.start({}, (RED, *others), seed)
    while to_act := position.to_act():
        seat = to_act[0]
        if seat == RED:
            beliefs.observe(position, RED)
        action = (red if seat == RED else others[seat]).act(View(seat, position, 1))
        if seat == RED:
            beliefs.acted(position, RED, action)
        position, _ = position.apply({seat: action})
    return beliefs


@pytest.mark.parametrize("seed", range(4))
def test_simple_manners_are_found_out(seed: int) -> None:
    beliefs = follow({COLOURS[1]: Greedy(), COLOURS[2]: LookAheadPlayer(2)}, seed)
    assert beliefs.weights(COLOURS[1])[FishManner.GRABS] > 0.9
    assert beliefs.weights(COLOURS[2])[FishManner.RECKONS] > 0.9


def test_who_does_neither_is_taken_for_a_searcher() -> None:
    found = [
        follow({COLOURS[1]: make_agent("fish", "random", seed)}, seed).weights(COLOURS[1])[FishManner.SEARCHES]
        for seed in range(6)
    ]
    assert sum(weight > 0.8 for weight in found) >= 4


@pytest.mark.parametrize(("manner", "player"), [(FishManner.GRABS, Greedy()), (FishManner.RECKONS, LookAheadPlayer(2))])
def test_simple_players_do_what_their_manner_likes(manner: FishManner, player: Player) -> None:
    position = GAME.start({}, COLOURS[:3], 2)
    while to_act := position.to_act():
        seat = to_act[0]
        liked = favourite(manner, position, seat)
        action = player.act(View(seat, position, 1))
        assert action == (list(liked[0]) if len(liked) == 1 else [list(spot) for spot in liked])
        position, _ = position.apply({seat: action})


def test_nothing_is_believed_of_what_was_not_seen() -> None:
    beliefs = Beliefs()
    position = GAME.start({}, COLOURS[:2], 1)
    beliefs.observe(position, RED)
    assert beliefs.weights(WHITE) == PRIOR
    beliefs.acted(position, RED, [0, 0])
    other = GAME.start({"rows": 3, "cols": 5}, COLOURS[:2], 1)
    beliefs.observe(other, RED)
    assert beliefs.weights(WHITE) == PRIOR
    assert percent([PRIOR, beliefs.weights(WHITE)], FishManner.GRABS) == [25, 25]


def test_who_had_no_choice_showed_nothing() -> None:
    # White can only go one way, which any manner would.
    board = Board.of([[1, 0], [0, 0], [1, 0], [0, 0], [1, 0], [0, 0], [0, 0], [0, 2], [0, 0], [0, 3]])
    before = Position(board, (Side(RED, ((0, 0),)), Side(WHITE, ((7, 1),))), 1)
    beliefs = Beliefs()
    beliefs.acted(before, RED, [[0, 0], [2, 0]])
    following, _ = before.apply({RED: [[0, 0], [2, 0]]})
    assert following.legal(WHITE) == [[[7, 1], [9, 1]]]
    last, _ = following.apply({WHITE: [[7, 1], [9, 1]]})
    beliefs.observe(last, RED)
    assert beliefs.weights(WHITE) == PRIOR
