"""Positions of Fish: placement, moves, skips, removal, end, and actions of every wrong kind."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.game import FoulKind, Seat
from parlour.errors import IllegalAction, NotYourTurn
from parlour.games.fish import COLOURS, GAME, Board, Position, Rules, Side
from parlour.testing import check_game
from support.fish.oracle import step
from support.fish.positions import oracle_of, random_game

RED, WHITE, BROWN, BLACK = COLOURS


def start(players: int, **config: Any) -> Position:
    return GAME.start({"rows": 5, "cols": 5, "fish": 2, **config}, COLOURS[:players], 0)


def played(position: Position, *actions: Any) -> Position:
    for action in actions:
        position, _ = position.apply({position.to_act()[0]: action})
    return position


def placed(position: Position) -> Position:
    """Return all penguins on the first free tiles."""
    while position.stage == "placement":
        position = played(position, list(position.placements()[0]))
    return position


def narrow() -> Position:
    """Red between its own tile and the edge; white free: red can move once, then only white can."""
    board = Board.of([[1, 0, 0], [0, 0, 0], [2, 0, 3], [0, 0, 0], [0, 0, 4], [0, 0, 0], [0, 0, 5]])
    return Position(board, (Side(RED, ((0, 0),)), Side(WHITE, ((2, 2),))), 1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_game_keeps_the_contract_of_games(players: int) -> None:
    check_game(GAME, {"players": players, "holes": 3}, matches=2)


@pytest.mark.parametrize(("players", "each"), [(2, 4), (3, 3), (4, 2)])
def test_penguins_are_placed_one_at_a_time_in_turn(players: int, each: int) -> None:
    position, order = start(players), []
    while position.stage == "placement":
        order.append(position.to_act()[0])
        position = played(position, list(position.placements()[0]))
    assert order == list(COLOURS[:players]) * each
    assert position.to_act() == (RED,)


def test_a_move_takes_the_tile_that_is_left() -> None:
    position = placed(start(2))
    after, happened = position.apply({RED: [[0, 2], [2, 2]]})
    assert happened == {"stage": "move", "seat": "red", "action": [[0, 2], [2, 2]], "fish": 2, "skips": []}
    assert after.board[0, 2] == 0
    assert after.side(RED).score == 2
    assert after.side(RED).penguins == ((0, 0), (2, 2), (0, 4), (1, 1))
    assert after.to_act() == (WHITE,)


def test_who_is_stuck_is_passed_over_and_the_skip_is_told() -> None:
    position, happened = narrow().apply({RED: [[0, 0], [2, 0]]})
    assert position.to_act() == (WHITE,)
    position, happened = position.apply({WHITE: [[2, 2], [4, 2]]})
    assert happened["skips"] == ["red"]
    assert position.to_act() == (WHITE,)
    position, happened = position.apply({WHITE: [[4, 2], [6, 2]]})
    assert happened["skips"] == []
    outcome = position.outcome()
    assert outcome is not None
    # White collected 3 and 4; the 5 under it never counts.
    assert outcome.scores == {"red": 1.0, "white": 7.0}
    assert outcome.places == (("white",), ("red",))
    assert outcome.reason == "nobody can move"


def test_the_referee_can_pass_a_turn() -> None:
    position, happened = placed(start(2)).apply({})
    assert happened == {"stage": "move", "seat": "red", "action": "skip", "fish": 0, "skips": []}
    assert position.to_act() == (WHITE,)
    assert position.board == placed(start(2)).board


def test_equal_scores_share_a_place() -> None:
    position = Position(Board.of([[1, 0, 1]]), (Side(WHITE, ((0, 0),), 3), Side(BLACK, ((0, 2),), 3), Side(RED)), 0)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.places == (("white", "black"), ("red",))


# Violations, with the error types of the player interface


@pytest.mark.parametrize(
    ("action", "kind", "foul"),
    [
        ([0, 0], "placement", FoulKind.ILLEGAL),
        ([4, 4], "placement", FoulKind.ILLEGAL),
        ([5, 0], "placement", FoulKind.ILLEGAL),
        ([-1, 0], "placement", FoulKind.ILLEGAL),
        ([10**40, 0], "placement", FoulKind.ILLEGAL),
        ([1.0, 0], "garbled", FoulKind.GARBLED),
        ([True, False], "garbled", FoulKind.GARBLED),
        ([[0, 1], [0, 2]], "garbled", FoulKind.GARBLED),
        ("skip", "garbled", FoulKind.GARBLED),
        (None, "garbled", FoulKind.GARBLED),
    ],
)
def test_a_wrong_placement_is_named(action: Any, kind: str, foul: FoulKind) -> None:
    board = [[2] * 5] * 4 + [[2, 2, 2, 2]]
    position = played(GAME.start({"board": board}, (RED, WHITE), 0), [0, 0])
    (violation,) = position.check(WHITE, action)
    assert (violation.kind, violation.foul) == (kind, foul)
    with pytest.raises(IllegalAction):
        position.apply({WHITE: action})


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ([[0, 1], [2, 1]], "move from location"),
        ([[3, 3], [4, 3]], "move from location"),
        ([[9, 9], [4, 3]], "move from location"),
        ([[0, 0], [0, 0]], "move to location"),
        ([[0, 0], [0, 2]], "move to location"),
        ([[0, 0], [3, 3]], "move to location"),
        ([[0, 0], [-2, 0]], "move to location"),
        ("skip", "move to location"),
        ("Skip", "move to location"),
        ([0, 0], "garbled"),
        ([[0, 0], [2, 0], [4, 0]], "garbled"),
        ({"from": [0, 0]}, "garbled"),
    ],
)
def test_a_wrong_move_is_named(action: Any, kind: str) -> None:
    (violation,) = placed(start(2)).check(RED, action)
    assert violation.kind == kind
    assert violation.foul is (FoulKind.GARBLED if kind == "garbled" else FoulKind.ILLEGAL)


def test_whoever_is_not_to_act_is_out_of_turn() -> None:
    (violation,) = start(2).check(WHITE, [0, 0])
    assert violation.kind == "out of turn"
    assert start(2).legal(WHITE) == []
    with pytest.raises(NotYourTurn):
        start(2).apply({WHITE: [0, 0]})
    with pytest.raises(NotYourTurn):
        start(2).sample(WHITE, random.Random(0))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(plain)
def test_check_takes_any_value(action: Any) -> None:
    for position in (start(3), placed(start(3))):
        violations = position.check(RED, action)
        assert bool(violations) == (repr(action) not in {repr(legal) for legal in position.legal(RED)})
        assert all(len(v.message) < 200 for v in violations)


def test_check_survives_a_list_that_contains_itself() -> None:
    endless: list[Any] = []
    endless.extend([endless, endless])
    assert placed(start(2)).check(RED, endless)[0].kind == "garbled"


# Removal


def test_removal_takes_the_penguins_and_leaves_the_tiles() -> None:
    position = placed(start(3))
    before = position.side(WHITE).penguins
    after = position.without(WHITE)
    assert after.board == position.board
    assert not set(before) & set(after.occupied())
    assert after.alive() == (RED, BROWN)
    assert after.to_act() == (RED,)


def test_removal_while_placing_costs_nobody_a_turn() -> None:
    position = start(4).without(RED)
    order = []
    while position.stage == "placement":
        order.append(position.to_act()[0])
        position = played(position, list(position.placements()[0]))
    # The reference would ask brown before white, and go on so for the whole game.
    assert order == [WHITE, BROWN, BLACK] * 2
    assert position.to_act() == (WHITE,)


def test_removal_in_the_middle_of_placing_keeps_the_number_of_penguins() -> None:
    position = played(start(4), [0, 0], [0, 1]).without(BROWN)
    assert position.to_act() == (BLACK,)
    position = placed(position)
    assert [len(side.penguins) for side in position.sides] == [2, 2, 2]
    assert position.to_act() == (RED,)


def test_removal_of_another_leaves_the_turn_alone() -> None:
    assert placed(start(3)).without(BROWN).to_act() == (RED,)


def test_removal_can_free_who_was_stuck() -> None:
    board = Board.of([[1], [0], [1], [0], [1]])
    position = Position(board, (Side(RED, ((0, 0),)), Side(WHITE, ((2, 0),))), 1)
    assert position.moves(RED) == []
    assert position.without(WHITE).moves(RED) == [((0, 0), (2, 0)), ((0, 0), (4, 0))]


def test_the_last_player_plays_on_to_the_end() -> None:
    position = placed(start(2)).without(WHITE)
    assert position.to_act() == (RED,)
    while position.to_act():
        position = played(position, position.legal(RED)[0])
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.places == (("red",),)


def test_without_anybody_there_is_no_winner() -> None:
    outcome = start(2).without(RED).without(WHITE).outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((), "no players remain")


# Rule switches


def test_penguins_only_on_single_fish_if_so_agreed() -> None:
    position = GAME.start({"one_fish_placement": True}, (RED, WHITE), 5)
    assert position.board.fish.count(1) >= 8
    assert all(position.board[spot] == 1 for spot in position.placements())
    rich = next(spot for spot in position.board.tiles() if position.board[spot] > 1)
    assert position.check(RED, list(rich))[0].kind == "placement"
    assert placed(position).stage == "move"


def test_the_last_tile_counts_if_so_agreed() -> None:
    end = Position(Board.of([[4, 0, 1]]), (Side(RED, ((0, 0),), 1), Side(WHITE, ((0, 2),), 2)), 1)
    assert end.outcome().winners == ("white",)  # type: ignore[union-attr]
    cashed = Position(end.board, end.sides, 1, Rules(cash_last_tile=True))
    assert cashed.outcome().scores == {"red": 5.0, "white": 3.0}  # type: ignore[union-attr]


def test_tiles_break_ties_if_so_agreed() -> None:
    sides = (Side(RED, (), 5, 2), Side(WHITE, (), 5, 3), Side(BROWN, (), 5, 3))
    end = Position(Board.of([[1]]), sides, 0, Rules(tiles_break_ties=True))
    assert end.outcome().places == (("white", "brown"), ("red",))  # type: ignore[union-attr]


def test_the_game_ends_with_the_last_opponent_if_so_agreed() -> None:
    position = placed(GAME.start({"end_when_alone": True}, (RED, WHITE), 1)).without(WHITE)
    assert position.to_act() == ()
    assert position.outcome().reason == "one player remains"  # type: ignore[union-attr]


def test_a_draw_shares_the_first_place() -> None:
    sides = (Side(RED, (), 1), Side(WHITE, (), 5), Side(BROWN, (), 3))
    outcome = Position(Board.of([[1]]), sides, 0).drawn([RED, BROWN])
    assert outcome.places == (("red", "brown"), ("white",))


# Properties


@given(st.integers(2, 4), st.integers(3, 7), st.integers(3, 7), st.integers(0, 2**32))
def test_random_games_keep_the_laws(players: int, rows: int, cols: int, seed: int) -> None:
    positions = list(random_game(rows, cols, players, seed))
    total = sum(positions[0].board.fish)
    for before, after in itertools.pairwise(positions):
        collected = sum(side.score for side in after.sides)
        assert sum(after.board.fish) + collected == total, "fish are neither made nor lost"
        assert all(after.board[spot] for spot in after.occupied()), "penguins stand on tiles"
        if before.stage == "move":
            oracle = oracle_of(before)
            assert before.moves(before.sides[0].seat) == oracle.moves(0)
    assert oracle_of(positions[-1]).over()


@given(st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 25))
def test_removed_players_take_along_only_what_they_collected(players: int, seed: int, at: int) -> None:
    rng = random.Random(seed)
    position = start(players)
    total, gone = sum(position.board.fish), 0
    for turn in itertools.count():
        if not position.to_act():
            break
        if turn == at:
            leaver = rng.choice(position.alive())
            gone += position.side(leaver).score
            position = position.without(leaver)
        else:
            position = played(position, position.sample(position.to_act()[0], rng))
        collected = sum(side.score for side in position.sides)
        assert sum(position.board.fish) + collected + gone == total


@given(st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 8))
def test_a_move_crosses_neither_hole_nor_penguin(players: int, seed: int, holes: int) -> None:
    for position in random_game(5, 5, players, seed, holes):
        if position.stage != "move" or not position.to_act():
            continue
        occupied = position.occupied()
        for start_spot, end in position.moves(position.to_act()[0]):
            paths = []
            for direction in ("N", "NE", "SE", "S", "SW", "NW"):
                path, there = [], start_spot
                while there in position.board and there != end:
                    there = step(there, direction)
                    path.append(there)
                if there == end:
                    paths.append(path)
            assert any(all(position.board[spot] and spot not in occupied for spot in path) for path in paths)


@given(st.integers(2, 4), st.integers(0, 2**32))
def test_repr_and_encoding_give_the_position_back(players: int, seed: int) -> None:
    for position in random_game(4, 4, players, seed):
        assert eval(repr(position)) == position
        assert GAME.decode(position.encode()) == position


def test_a_position_can_be_sent_to_another_process() -> None:
    position = placed(start(3))
    assert position.to_act()
    assert pickle.loads(pickle.dumps(position)) == position


def test_side_of_a_stranger_is_an_error() -> None:
    with pytest.raises(NotYourTurn, match="black is not in this game"):
        start(2).side(Seat("black"))
