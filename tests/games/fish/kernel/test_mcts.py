"""Tree search: it plays by the rules, follows from its seed, finds what is certain, and is the same from source."""

from __future__ import annotations

import pytest

from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.core.game import Seat
from parlour.games.fish import COLOURS, Board, Position, Side
from parlour.games.fish.kernel.mcts import TreeSearch
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.notation import write_move
from support.fish.kernels import source_kernels
from support.fish.positions import random_game

SourceTreeSearch = source_kernels()["mcts"].TreeSearch


def begun(position: Position, seed: int = 1, kernel: type[TreeSearch] = TreeSearch, reckons: int = 0) -> TreeSearch:
    """Return a search of which nothing is simulated yet; all others reckon with the chance, in percent."""
    fish, places, scores, slots = flat(position)
    size, seats = tables(position.board.height, position.board.width), len(position.sides)
    search = kernel(size, seats, slots, 20_000)
    search.load(fish, places, scores)
    search.believe([0] * seats, [reckons] * seats)
    search.begin(seed)
    return search


def searched(
    position: Position, count: int, seed: int = 1, kernel: type[TreeSearch] = TreeSearch, reckons: int = 0
) -> list[tuple[int, int, int, float]]:
    search = begun(position, seed, kernel, reckons)
    search.simulations(count)
    found: list[tuple[int, int, int, float]] = search.root_actions()
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_root_has_exactly_the_legal_actions(players: int) -> None:
    for position in list(random_game(5, 5, players, 2))[:-1]:
        width = position.board.width
        found = searched(position, 60)
        assert sum(visits for _, _, visits, _ in found) == 60
        if position.stage == "placement":
            actions = [list(divmod(end, width)) for _, end, _, _ in found]
        else:
            actions = [[list(divmod(start, width)), list(divmod(end, width))] for start, end, _, _ in found]
        assert sorted(actions) == sorted(position.legal(position.to_act()[0]))


def test_the_same_seed_gives_the_same_search() -> None:
    position = list(random_game(5, 5, 3, 2))[4]
    assert searched(position, 300, 5) == searched(position, 300, 5) != searched(position, 300, 6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_compiled_search_is_that_of_the_source(players: int) -> None:
    for index in (2, 10):
        position = list(random_game(5, 5, players, 4))[index]
        assert searched(position, 40) == searched(position, 40, kernel=SourceTreeSearch)
        assert searched(position, 40, reckons=50) == searched(position, 40, kernel=SourceTreeSearch, reckons=50)


def test_a_sure_win_is_found() -> None:
    # Red can take the road south with 5, 5, 5, or a step aside to a dead end.
    board = Board.of([[0, 1, 0, 3], [1, 0, 0, 0], [0, 5, 0, 3], [0, 0, 0, 0], [0, 5, 0, 3], [0, 0, 0, 0], [0, 5, 0, 0]])
    position = Position(board, (Side(COLOURS[0], ((0, 1),)), Side(COLOURS[1], ((0, 3),))), 1)
    best = max(searched(position, 400), key=lambda action: action[2])
    assert divmod(best[1], 4) in {(2, 1), (6, 1)}, "along the road, either way, and not to its middle"


def test_a_full_pool_stops_growing_and_goes_on() -> None:
    position = next(random_game(5, 5, 4, 1))
    fish, places, scores, slots = flat(position)
    search = TreeSearch(tables(5, 5), 4, slots, 300)
    search.load(fish, places, scores)
    search.begin(1)
    search.simulations(2000)
    assert search.used <= 300
    assert sum(visits for _, _, visits, _ in search.root_actions()) == 2000


def best_margin(position: Position, me: Seat) -> float:
    """Return the most fish that a seat can be ahead of the only other in the end, if that one looks two turns ahead."""
    to_act = position.to_act()
    if not to_act:
        scores = {side.seat: side.score for side in position.sides}
        return scores.pop(me) - max(scores.values())
    moves = position.moves(me) if to_act[0] == me else [LookAheadPlayer(2).best_move(position)]
    return max(best_margin(position.apply({to_act[0]: write_move(move)})[0], me) for move in moves if move is not None)


def test_who_reckons_is_known_to_do_what_look_ahead_says() -> None:
    told_apart = 0
    for seed in range(5):
        for position in list(random_game(5, 5, 2, seed))[-8:-3]:
            assert position.stage == "move"
            me, width = position.to_act()[0], position.board.width
            ends = {
                (start, end): best_margin(position.apply({me: write_move((start, end))})[0], me)
                for start, end in position.moves(me)
            }
            found = max(searched(position, 400, reckons=100), key=lambda action: action[2])
            chosen = ends[divmod(found[0], width), divmod(found[1], width)]
            assert (chosen > 0) == (max(ends.values()) > 0), "whoever can win does"
            told_apart += len({margin > 0 for margin in ends.values()}) == 2
    assert told_apart >= 2


def test_look_ahead_ends_a_slice_of_simulations() -> None:
    position = list(random_game(5, 5, 4, 1))[8]
    search = begun(position, reckons=100)
    assert search.simulations(1000, 50) < 1000
    assert 50 <= search.looked() < 2000
    before = search.looked()
    assert begun(position).simulations(1000, 50) == 1000, "nobody reckons: nobody looks ahead"
    assert search.simulations(3) == 3
    assert search.looked() > before
