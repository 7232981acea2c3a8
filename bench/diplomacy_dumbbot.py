"""DumbBot against copies of itself, beside its known figures: the share of each power, and the share of solos.

Run: python bench/diplomacy_dumbbot.py [GAMES]        all games at once in the kernel, about 3 ms of CPU each

Then one of them among six that hold or play at random, and the reverse, 70 games each until 1935.

The known figures are of another simulator, over 1,400 games; shares are those of squared centres, all to a solo. The
share of solos depends on one line of the bot. In its author's code an even chance keeps a unit from removal; in the
ports its value counts too, and then fewer games are won.
"""

from __future__ import annotations

from math import sqrt
from time import process_time

import msgspec
import numpy as np
import numpy.typing as npt

import usage
from diplomacy_strength import Row, stratified, wilson
from diplomacy_strength import played as one_among_six
from parlour.agents.diplomacy.dumbbot import ORIGINAL, DumbBotOptions, new_draws
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position

GAMES = 2000
BOARD = standard()
POWERS = len(BOARD.powers)
KNOWN = {
    1920: ("0.07 0.28 0.17 0.04 0.14 0.09 0.20", "3.5 % (± 1.0)"),
    1935: ("0.08 0.39 0.17 0.02 0.14 0.08 0.19", "16 % (± 1.9)"),
}

FIELDS = (
    ("dumbbot", "random", "1.000", "100 %"),
    ("dumbbot", "hold", "0.990", "94 %"),
    ("random", "dumbbot", "0.007", "0 %"),
)
"""One agent, the other six, and the known shares of squared centres and of solos."""
FIELD_GAMES = 70

States = npt.NDArray[np.uint8]


def main(games: int) -> None:
    """Print both figures for both ways of removal and both last years."""
    print(f"{'until':<6} {'a unit is kept':<16} {'AUS  ENG  FRA  GER  ITA  RUS  TUR':<36} won alone")
    for year, (shares, solos) in KNOWN.items():
        print(f"{year:<6} {'as it is known':<16} {shares:<36} {solos}")
        for name, removal in (("by even chance", "half"), ("by worth", "gap")):
            began = process_time()
            states = played(games, year, msgspec.structs.replace(ORIGINAL, removal=removal))
            ms = (process_time() - began) / games * 1e3
            won = states[:, k.STATUS] == k.Status.SOLO
            half = 1.96 * sqrt(won.mean() * (1 - won.mean()) / games)
            found = " ".join(f"{share:.2f}" for share in shares_of(states).mean(axis=0))
            print(f"{year:<6} {name:<16} {found:<36} {won.mean():.1%} (± {100 * half:.1f})   {ms:.1f} ms per game")


def meet_others(games: int) -> None:
    """Print the scores of one agent among six of another kind, beside the known figures."""
    print(f"\n{'one':<8} {'six':<8} {'SOS':>5} {'95 %':>7} {'known':>6} {'solos':>7} {'95 %':>10} {'known':>6}")
    for one, six, share, solos in FIELDS:
        scores: list[list[float]] = [[] for _ in range(POWERS)]
        won = 0
        for game in range(games):
            result = one_among_six(Row(one, six, "SOS", 0.0), game % POWERS, game // POWERS)
            scores[game % POWERS].append(result.score)
            won += result.solo
        mean, half = stratified(scores)
        low, high = wilson(won / games, games)
        print(
            f"{one:<8} {six:<8} {mean:>5.3f} {half:>6.3f}± {share:>6} {won / games:>7.1%} {low:>4.0%} to {high:<4.0%}"
            f"{solos:>6}"
        )


def played(games: int, last_year: int, options: DumbBotOptions) -> States:
    """Return the last states of games of seven bots."""
    desk, rules, rng = new_draws(BOARD, options), rules_of(BOARD), np.random.default_rng(1)
    states: States = np.repeat(Position.start(last_year=last_year).row, games, axis=0)
    while len(going := np.flatnonzero(states[:, k.STATUS] == k.Status.RUNNING)):
        now = np.ascontiguousarray(states[going])
        actions = np.zeros((len(going), POWERS, len(BOARD.provinces)), np.int64)
        seeds = rng.integers(0, 1 << 63, len(going), np.uint64)
        desk.draw_all(now.data, seeds.data, (1 << POWERS) - 1, actions.data)
        states[going] = rules.step(now, actions)[0]
    return states


def shares_of(states: States) -> npt.NDArray[np.float64]:
    """Return each power's share of the squared centres; a winner has all."""
    owners = states[:, k.OWNERS : k.DISLODGED]
    squares = np.stack([(owners == power + 1).sum(axis=1) ** 2 for power in range(POWERS)], axis=1)
    shares = squares / squares.sum(axis=1, keepdims=True)
    won = states[:, k.STATUS] == k.Status.SOLO
    shares[won] = np.arange(1, POWERS + 1) == states[won, k.WINNER][:, None]
    return shares


if __name__ == "__main__":
    main(usage.number(__doc__, "games", GAMES))
    meet_others(FIELD_GAMES)
