"""The lazy tree: one turn an edge, skips included."""

from __future__ import annotations

import pytest

from parlour.games.fish import COLOURS, Board, Position, Side
from parlour.games.fish.tree import Node
from support.fish.positions import random_game

RED, WHITE = COLOURS[:2]


def test_a_stuck_player_has_the_single_action_skip() -> None:
    board = Board.of([[1, 0, 1], [0, 0, 0], [0, 0, 1]])
    node = Node(Position(board, (Side(RED, ((0, 0),)), Side(WHITE, ((0, 2),))), 1))
    assert node.actions() == ["skip"]
    after = node.after("skip")
    assert after.position.sides[0].seat == WHITE
    assert after.actions() == [((0, 2), (2, 2))]
    assert after.after(((0, 2), (2, 2))).actions() == []


def test_children_are_made_once() -> None:
    node = Node(list(random_game(5, 5, 2, 1))[8])
    assert dict(node.children()) == dict(node.children())
    action = node.actions()[0]
    assert node.after(action) is node.after(action)


def test_the_tree_and_the_referee_agree() -> None:
    for position in random_game(5, 5, 3, 4):
        if position.stage != "move" or not position.to_act():
            continue
        seat = position.to_act()[0]
        for action, child in Node(position).children():
            applied, happened = position.apply({seat: action})
            for _ in happened["skips"]:
                assert child.actions() == ["skip"]
                child = child.after("skip")
            assert child.position == applied


def test_what_cannot_be_done_leads_nowhere() -> None:
    node = Node(list(random_game(5, 5, 2, 1))[8])
    with pytest.raises(KeyError):
        node.after("skip")
