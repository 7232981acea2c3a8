"""Learns Fish by playing against itself: a linear policy over features of a move, in NumPy alone."""

import numpy as np

from parlour.envs import VectorFish
from parlour.games.fish.lookup_tables import tables

Array = np.ndarray
GAMES, SIDE, STEPS, RATE = 256, 5, 400, 0.02
BESIDE = np.array(tables(SIDE, SIDE).beside).reshape(SIDE * SIDE, 6)  # the six neighbours of a tile, -1 for none


def features(games: VectorFish, choices: Array, game: Array) -> Array:
    """Return the features of each choice: fish left and gained, free fish and tiles beside it; moves are kept apart."""
    free = games.fish.copy()
    taken, seat, penguin = np.nonzero(games.places >= 0)
    free[taken, games.places[taken, seat, penguin]] = 0
    start, end = np.divmod(choices - games.tiles, games.tiles)
    moving = choices >= games.tiles
    around = np.where(BESIDE[end] >= 0, free[game[:, None], BESIDE[end]], 0)
    left = games.fish[game, start] * moving
    seen = np.stack([left, games.fish[game, end], around.sum(1) / 5, (around > 0).sum(1)], 1)
    return np.concatenate([seen * moving[:, None], seen * ~moving[:, None]], 1)


def choose(games: VectorFish, weights: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return a choice for each game, drawn by softmax of the values, and the gradient of its log-probability."""
    choices, offsets = games.legal()
    game = np.repeat(np.arange(games.n), np.diff(offsets))
    seen = features(games, choices, game)
    worth = seen @ weights
    worth -= np.maximum.reduceat(worth, offsets[:-1])[game]
    chance = np.exp(worth) / np.add.reduceat(np.exp(worth), offsets[:-1])[game]
    drawn = worth + rng.gumbel(size=len(worth))
    picked = np.flatnonzero(drawn == np.maximum.reduceat(drawn, offsets[:-1])[game])
    return choices[picked], seen[picked] - np.add.reduceat(chance[:, None] * seen, offsets[:-1])


def play(weights: Array, steps: int, seed: int, learn: bool) -> float:
    """Play against itself and learn from wins, or play one seat against `random`. Return the share of games won."""
    games, rng = VectorFish(GAMES, rows=SIDE, cols=SIDE, seed=seed), np.random.default_rng(seed)
    me = np.arange(GAMES) % 2
    blame, ended, won = np.zeros((GAMES, 2, len(weights))), 0, 0.0
    for _ in range(steps):
        picked, gradient = choose(games, weights, rng)
        blame[np.arange(GAMES), games.turns] += gradient
        rewards, done = games.step(picked if learn else np.where(games.turns == me, picked, games.sample()))
        if learn:  # what led to a win is made likelier, what led to a loss less likely
            weights += RATE * ((rewards[done] - 0.5)[:, :, None] * blame[done]).sum((0, 1)) / max(1, done.sum())
        blame[done] = 0
        ended, won = ended + int(done.sum()), won + float(rewards[done, me[done]].sum())
    return won / ended


if __name__ == "__main__":
    weights = np.zeros(8)
    print(f"wins against random before: {play(weights, 100, 7, learn=False):.0%}")
    play(weights, STEPS, 1, learn=True)
    print(f"wins against random after:  {play(weights, 100, 7, learn=False):.0%}")
