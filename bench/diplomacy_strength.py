"""How strong the Diplomacy agents are: one against six, powers rotated, common seeds, with intervals and CPU time.

Run: python bench/diplomacy_strength.py [GAMES] [ROW...]        140 games a row or more; a row by its number

A match ends after 1935. SOS is the share of the squared centres, all to a solo; its interval is that of the mean of
the seven powers' means. A target that is not met says so.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import sqrt
from time import process_time

import numpy as np

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Seat, View
from parlour.games.diplomacy.position import Position

GAMES = 140
CAP = 1935
POWERS = 7


@dataclass(frozen=True)
class Row:
    """A match-up and what it should bring."""

    one: str
    six: str
    figure: str
    """solo or SOS"""
    target: float
    at_most: bool = False


ROWS = (
    Row("search", "dumbbot", "solo", 0.90),
    Row("search", "sbr", "SOS", 0.40),
    Row("search", "search:ascent=off", "SOS", 0.20),
    Row("search", "search:repair=off", "SOS", 0.20),
    Row("search", "search:rollout=off", "SOS", 0.20),
    Row("search", "search:mixture=off", "SOS", 0.20),
    Row("dumbbot", "search", "SOS", 0.02, at_most=True),
    Row("search", "hold", "solo", 0.95),
    Row("search", "greedy", "solo", 0.95),
    Row("search", "random", "solo", 0.95),
    Row("search", "dumbbot:port=parlance", "solo", 0.95),
    Row("search", "dumbbot:port=dipnet", "solo", 0.95),
    Row("search", "dumbbot:stray=70,gap=300,attack=800", "solo", 0.95),
    Row("search:budget=16000", "search", "SOS", 0.20),
)


def main(games: int, numbers: list[int]) -> None:
    """Print a line for each row."""
    print(f"one against six, {games} games a row, until {CAP}; CPU time of one core a decision of the one")
    print(f"{'':3} {'one':<22} {'six':<36} {'SOS':>5} {'95 %':>8} {'solo':>6} {'95 %':>11} {'target':>12}  {'ms':>5}")
    for number, row in enumerate(ROWS, 1):
        if not numbers or number in numbers:
            print(f"{number:>2}. {line(row, games)}", flush=True)


def line(row: Row, games: int) -> str:
    """The result of a row in words."""
    scores: list[list[float]] = [[] for _ in range(POWERS)]
    solos, spent, decisions = 0, 0.0, 0
    for game in range(games):
        score, solo, seconds, asked = played(row, game % POWERS, game // POWERS)
        scores[game % POWERS].append(score)
        solos, spent, decisions = solos + solo, spent + seconds, decisions + asked
    mean, half = stratified(scores)
    low, high = wilson(solos / games, games)
    figure = solos / games if row.figure == "solo" else mean
    sign = "<=" if row.at_most else ">="
    met = figure <= row.target if row.at_most else figure >= row.target
    target = f"{row.figure} {sign} {row.target:.2f}{'' if met else ' NOT MET'}"
    return (
        f"{row.one:<22} {row.six:<36} {mean:>5.3f} {half:>7.3f}± {solos / games:>6.1%} {low:>5.0%}-{high:<5.0%}"
        f" {target:>12}  {1000 * spent / decisions:>5.0f}"
    )


def played(row: Row, power: int, seed: int) -> tuple[float, bool, float, int]:
    """One match: the score of the one, whether it won alone, its CPU time, and how often it was asked."""
    position = Position.start(last_year=CAP)
    seats = position.alive()
    players = {
        seat: make_agent("diplomacy", row.one if number == power else row.six, 100 * seed + number)
        for number, seat in enumerate(seats)
    }
    own, spent, asked = seats[power], 0.0, 0
    while not position.over and (to_act := position.to_act()):
        actions = {}
        for seat in to_act:
            began = process_time()
            actions[seat] = players[seat].act(View(seat, position, 0))
            if seat == own:
                spent, asked = spent + process_time() - began, asked + 1
        tell(players, actions)
        position, _ = position.apply(actions)
    outcome = position.outcome()
    assert outcome is not None
    return outcome.scores[own], outcome.scores[own] == 1.0, spent, asked


def tell(players: dict[Seat, object], actions: dict[Seat, object]) -> None:
    """Let everybody who listens know what was ordered, as a referee does."""
    event = ev.TurnEnded(at=0.0, turn=0, actions={str(s): a for s, a in actions.items()}, happened={})  # type: ignore[misc]
    for player in players.values():
        if (told := getattr(player, "told", None)) is not None:
            told(event)


def stratified(scores: list[list[float]]) -> tuple[float, float]:
    """The mean of the powers' means, and half its 95 % interval from the spread within each power."""
    held = [own for own in scores if own]
    mean = float(np.mean([np.mean(own) for own in held]))
    error = sqrt(sum(np.var(own, ddof=1) / len(own) for own in held if len(own) > 1)) / len(held)
    return mean, 1.96 * float(error)


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES, [int(number) for number in sys.argv[2:]])
