"""Strength of the strong Fish player: win share against look-ahead 2 and greedy, seats rotated, with its interval.

Run: python bench/fish_strength.py [GAMES]        at least 200 games for each number of players
"""

from __future__ import annotations

from math import sqrt
from time import process_time

import usage
from parlour.agents import make_agent
from parlour.core.game import Outcome, Seat, View
from parlour.core.player import Player
from parlour.games.fish import COLOURS, GAME

GAMES = 240  # a multiple of 2, 3 and 4, so that every seat is held equally often
PLAYER = "strong"
OPPONENTS = ("lookahead2", "greedy")


def main(games: int) -> None:
    """Print a line for each opponent and number of players."""
    print(f"{PLAYER} on every seat in turn, boards of 5 by 5; a shared win counts as a part of one")
    print("opponents    players   games   win share   95 % interval   by chance   margin   CPU s per game")
    for opponent in OPPONENTS:
        for players in (2, 3, 4):
            start = process_time()
            shares, margin = [], 0.0
            for game in range(games):
                own = COLOURS[game % players]
                outcome = played(own, opponent, players, game)
                shares.append((own in outcome.winners) / len(outcome.winners))
                margin += outcome.scores[own] - max(s for seat, s in outcome.scores.items() if seat != own)
            share = sum(shares) / games
            low, high = interval(share, games)
            seconds = (process_time() - start) / games
            print(
                f"{opponent:<12} {players:>7} {games:>7} {share:>10.1%}   {low:>6.1%}–{high:.1%}"
                f" {1 / players:>11.1%} {margin / games:>8.1f} {seconds:>12.3f}"
            )


def played(own: Seat, opponent: str, players: int, seed: int) -> Outcome:
    """Return the outcome of a game with the strong player on one seat and the same opponent on all others."""
    table: dict[Seat, Player] = {
        seat: make_agent("fish", PLAYER if seat == own else opponent, 10 * seed + number)
        for number, seat in enumerate(COLOURS[:players])
    }
    position = GAME.start({}, tuple(table), seed // players)  # every seat gets the same boards
    while to_act := position.to_act():
        seat = to_act[0]
        position, _ = position.apply({seat: table[seat].act(View(seat, position, 1))})
    outcome = position.outcome()
    assert outcome is not None
    return outcome


def interval(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share; with shared wins it is a little too wide."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


if __name__ == "__main__":
    main(usage.number(__doc__, "games", GAMES))
