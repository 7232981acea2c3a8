"""Strength of the Diplomacy agents: one against six, powers rotated, common seeds, with intervals and CPU time.

Run: python bench/diplomacy_strength.py [--games 140] [--rows 1,5] [--results FILE]

A match ends after 1935. SOS is the share of the squared centres, all to a solo; its interval is that of the mean of
the seven powers' means. A target that is not met says so. With --results every game is added to the file as it ends,
and games in the file are not played again, so a long table can be stopped and resumed; --games 0 only prints the file.
Results so far are in bench/diplomacy_strength.jsonl; begin it anew when an agent has changed.
Where all seven agents search, each has a quarter of the default budget, because the cost is seven times that of one.
The mixture, which is expected to gain with the budget, is played once more with the whole budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

import usage
from parlour.agents import make_agent
from parlour.core.game import Action, Seat, View
from parlour.core.player import ObservedEvent, Player
from parlour.core.terms import Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match

GAMES = 140
CAP = 1935
POWERS = 7
GAME = Diplomacy()


@dataclass(frozen=True)
class Row:
    """A match-up and its target."""

    one: str
    six: str
    figure: str
    """The figure with the target: solo or SOS."""
    target: float
    at_most: bool = False


ROWS = (
    Row("search", "dumbbot", "solo", 0.90),
    Row("search", "sbr", "SOS", 0.40),
    Row("search:budget=1000", "search:budget=1000,ascent=off", "SOS", 0.20),
    Row("search:budget=1000", "search:budget=1000,repair=off", "SOS", 0.20),
    Row("search:budget=1000", "search:budget=1000,rollout=off", "SOS", 0.20),
    Row("search:budget=1000", "search:budget=1000,mixture=off", "SOS", 0.20),
    Row("dumbbot", "search:budget=1000", "SOS", 0.02, at_most=True),
    Row("search", "hold", "solo", 0.95),
    Row("search", "greedy", "solo", 0.95),
    Row("search", "random", "solo", 0.95),
    Row("search", "dumbbot:port=parlance", "solo", 0.95),
    Row("search", "dumbbot:port=dipnet", "solo", 0.95),
    Row("search", "dumbbot:stray=70,gap=300,attack=800", "solo", 0.95),
    Row("search", "search:budget=1000", "SOS", 0.20),
    Row("search", "search:mixture=off", "SOS", 0.20),
    Row("search:budget=1000,net=1", "search:budget=1000", "SOS", 1 / 7),
)


class Result(NamedTuple):
    """The result of a game for the one agent: score, solo, CPU seconds, and number of decisions."""

    score: float
    solo: bool
    seconds: float
    asked: int


class Results:
    """Games by row and number, kept in a file of JSON lines if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[tuple[str, str, int], Result] = {}
        for line in path.read_text().splitlines() if path is not None and path.exists() else ():
            one, six, game, *result = json.loads(line)
            self._known[one, six, game] = Result(*result)

    def of(self, row: Row, games: int) -> Iterator[tuple[int, Result]]:
        """Yield the games of a row by number, and play those that are missing; with 0 games, yield all in the file."""
        if not games:
            yield from ((key[2], result) for key, result in self._known.items() if key[:2] == (row.one, row.six))
        for game in range(games):
            key = row.one, row.six, game
            if key not in self._known:
                self._known[key] = played(row, game % POWERS, game // POWERS)
                if self._path is not None:
                    with self._path.open("a") as file:
                        file.write(json.dumps([*key, *self._known[key]]) + "\n")
            yield game, self._known[key]


def main(games: int, numbers: list[int], results: Results) -> None:
    """Print a line for each row."""
    print(f"one against six until {CAP}; CPU time of one core a decision of the one")
    print(
        f"{'':3} {'one':<18} {'six':<36} {'games':>5} {'SOS':>5} {'95 %':>8} {'solo':>6} {'95 %':>9}"
        f" {'ms':>4}  {'target':>12}"
    )
    for number, row in enumerate(ROWS, 1):
        if (not numbers or number in numbers) and (found := list(results.of(row, games))):
            print(f"{number:>2}. {line(row, found)}", flush=True)


def line(row: Row, games: list[tuple[int, Result]]) -> str:
    """Return the result of a row as a line."""
    scores: list[list[float]] = [[] for _ in range(POWERS)]
    for game, result in games:
        scores[game % POWERS].append(result.score)
    mean, half = stratified(scores)
    solos = sum(result.solo for _, result in games) / len(games)
    low, high = wilson(solos, len(games))
    spent = sum(result.seconds for _, result in games) / sum(result.asked for _, result in games)
    figure = solos if row.figure == "solo" else mean
    met = figure <= row.target if row.at_most else figure >= row.target
    target = f"{row.figure} {'<=' if row.at_most else '>='} {row.target:.2f}{'' if met else ' NOT MET'}"
    return (
        f"{row.one:<18} {row.six:<36} {len(games):>5} {mean:>5.3f} {half:>7.3f}± {solos:>6.1%} {low:>4.0%}-{high:<4.0%}"
        f" {1000 * spent:>4.0f}  {target}"
    )


class Timed:
    """A player whose processor time is measured while it decides."""

    def __init__(self, player: Player) -> None:
        self._player, self.seconds, self.asked = player, 0.0, 0

    def act(self, view: View) -> Action:
        """Return the player's action, and count its time."""
        began = process_time()
        action = self._player.act(view)
        self.seconds, self.asked = self.seconds + process_time() - began, self.asked + 1
        return action

    def on_event(self, observed: ObservedEvent) -> None:
        """Pass an event to the player, if it takes events."""
        if (told := getattr(self._player, "on_event", None)) is not None:
            told(observed)


def played(row: Row, power: int, seed: int) -> Result:
    """Play one match, and return its result."""
    seats = GAME.seats({})
    players: dict[Seat, Player] = {
        seat: make_agent("diplomacy", row.one if number == power else row.six, 100 * seed + number)
        for number, seat in enumerate(seats)
    }
    own = seats[power]
    one = players[own] = Timed(players[own])
    outcome = play(Match(GAME, {"last_year": CAP}, Terms(DIPLOMACY), seed), players)
    return Result(outcome.scores[own], outcome.scores[own] == 1.0, one.seconds, one.asked)


def stratified(scores: list[list[float]]) -> tuple[float, float]:
    """Return the mean of the powers' means, and half its 95 % interval from the spread within each power.

    As long as a power has a single game, the spread is that of all games.
    """
    held = [own for own in scores if own]
    mean = float(np.mean([np.mean(own) for own in held]))
    if min(map(len, held)) < 2:
        played = [score for own in held for score in own]
        return mean, 1.96 * float(np.std(played, ddof=1)) / sqrt(len(played)) if len(played) > 1 else 1.0
    error = sqrt(sum(np.var(own, ddof=1) / len(own) for own in held if len(own) > 1)) / len(held)
    return mean, 1.96 * float(error)


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


if __name__ == "__main__":
    parser = usage.parser(__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--rows", default="", help="their numbers, as in 1,5")
    parser.add_argument("--results", type=Path, help="a file that games are added to")
    wanted = parser.parse_args()
    main(wanted.games, [int(number) for number in wanted.rows.split(",") if number], Results(wanted.results))
