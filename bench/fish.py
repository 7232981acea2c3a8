"""Speed of Fish: look-ahead games and random playouts in the kernel, beside a plain search in Python.

Run: python bench/fish.py        CPU time, one thread, boards of 5 by 5
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

import usage
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.core.kernels import is_compiled
from parlour.core.terms import Terms
from parlour.games.fish import COLOURS, GAME
from parlour.games.fish.kernel import play as play_kernel
from parlour.games.fish.kernel.lookahead import LookAhead
from parlour.games.fish.lookup_tables import tables
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.fish.oracle import OracleGame

SIDE = 5
TILES = SIDE * SIDE
TURNS = 2
TARGETS = {2: 1000, 3: 400, 4: 250}
COURSE = {2: 0.25, 3: 0.18, 4: 0.08}
"""Games a second of the course's reference implementation, as measured with the same strategy."""
PLAYOUTS_TARGET = 200_000


def main() -> None:
    """Print every figure."""
    if not is_compiled(play_kernel):
        print("the kernels are not compiled: these are the figures of plain Python")
    print(f"look-ahead {TURNS} against itself, games a second")
    print("players    kernel   (at least)   with referee   plain search   reference   same moves")
    for players, target in TARGETS.items():
        kernel = lookahead_games(players)
        refereed = refereed_games(players)
        plain, same = plain_games(players)
        print(
            f"{players:>7} {kernel:>9,.0f} {target:>12,} {refereed:>14,.0f} {plain:>14.1f} {COURSE[players]:>11}"
            f"   {'yes' if same else 'NO'}"
        )
    print("random playouts from the empty board, complete games a second in one call")
    for players in TARGETS:
        print(f"{players:>7} {playouts(players):>9,.0f} {PLAYOUTS_TARGET:>12,}")


def boards(count: int, seed: int) -> np.ndarray:
    """Return boards with one to five fish per tile."""
    return np.random.default_rng(seed).integers(1, 6, size=(count, TILES), dtype=np.uint8)


def rate(count: int, run: Callable[[], object]) -> float:
    """Return the number of games per second, in the best of three runs of count games."""
    best = float("inf")
    for _ in range(3):
        start = process_time()
        run()
        best = min(best, process_time() - start)
    return count / best


def lookahead_games(players: int, count: int = 2000) -> float:
    """Return the games per second in one call of the kernel."""
    search = LookAhead(tables(SIDE, SIDE), players, 6 - players, TURNS)
    fish, records = boards(count, 1), np.full((count, TILES, 2), -1, np.int16)
    scores = np.zeros((count, players), np.int32)
    return rate(count, lambda: search.games(fish, scores, records, TURNS))


def refereed_games(players: int, count: int = 10) -> float:
    """Return the whole matches per second under the referee, with the same player on every seat."""

    def run() -> None:
        for seed in range(count):
            match = Match(GAME, {"players": players}, Terms(STRICT), seed)
            play(match, {seat: LookAheadPlayer(TURNS) for seat in COLOURS[:players]})

    return rate(count, run)


def plain_games(players: int, count: int = 2) -> tuple[float, bool]:
    """Return the games per second of a plain Python search without pruning, and True if the kernel moved the same."""
    fish = boards(count, 2)
    records = np.full((count, TILES, 2), -1, np.int16)
    scores = np.zeros((count, players), np.int32)
    LookAhead(tables(SIDE, SIDE), players, 6 - players, TURNS).games(fish, scores, records, TURNS)
    start = process_time()
    games = [plain_game(ice.reshape(SIDE, SIDE).tolist(), players) for ice in fish]
    elapsed = process_time() - start
    same = all(record[: len(moves)].tolist() == moves for record, moves in zip(records, games, strict=True))
    return count / elapsed, same


def plain_game(rows: list[list[int]], players: int) -> list[list[int]]:
    """Return the moves of a game on a board, each as a pair of tiles."""
    spots = [divmod(tile, SIDE) for tile in range(TILES)]
    game = OracleGame(rows, [spots[seat::players][: 6 - players] for seat in range(players)])
    moves, player = [], 0
    while not game.over():
        turned = game.copy()
        turned.penguins = game.penguins[player:] + game.penguins[:player]
        turned.scores = game.scores[player:] + game.scores[:player]
        move = turned.best_move(TURNS)
        if move is not None:
            game.move(player, move)
            moves.append([spots.index(move[0]), spots.index(move[1])])
        player = (player + 1) % players
    return moves


def playouts(players: int, count: int = 100_000) -> float:
    """Return the random games per second in one call of the kernel."""
    kernel = play_kernel.Play(tables(SIDE, SIDE), players, 6 - players)
    fish = boards(count, 3)
    turns = np.zeros(count, np.uint8)

    def run() -> None:
        places = np.full((count, players, 6 - players), -1, np.int16)
        kernel.playouts(fish.copy(), places, np.zeros((count, players), np.int32), turns, 1)

    return rate(count, run)


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
