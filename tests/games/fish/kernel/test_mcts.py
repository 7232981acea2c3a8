"""Tree search: it plays by the rules, follows from its seed, finds what is certain, and is the same from source."""

from __future__ import annotations

import pytest

from fish_kernels import source_kernels
from fish_positions import random_game
from parlour.games.fish import COLOURS, Board, Position, Side
from parlour.games.fish.kernel.mcts import TreeSearch
from parlour.games.fish.tables import flat, tables

SourceTreeSearch = source_kernels()["mcts"].TreeSearch


def searched(
    position: Position, count: int, seed: int = 1, kernel: type[TreeSearch] = TreeSearch
) -> list[tuple[int, int, int, float]]:
    fish, places, scores, slots = flat(position)
    size = tables(position.board.height, position.board.width)
    search = kernel(size, len(position.sides), slots, 20_000)
    search.load(fish, places, scores)
    search.begin(seed)
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
