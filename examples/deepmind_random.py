"""Plays a game of Diplomacy until 1915 through the published agents' protocol, with your own policy in one seat.

Run: python examples/deepmind_random.py [SEED]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from parlour import deepmind
from parlour.games.diplomacy import Position


class Cautious:
    """Holds wherever possible; a policy has a string, reset and actions."""

    def __str__(self) -> str:
        return "Cautious"

    def reset(self) -> None:
        """Do nothing: this policy has no memory."""

    def actions(
        self, slots: Sequence[int], seen: deepmind.Observation, legal: Sequence[Sequence[int]]
    ) -> tuple[list[list[int]], None]:
        """Return a hold for every unit; in winter the first possible action."""
        if seen.season == deepmind.Season.BUILDS:
            return [list(legal[slot][:1]) for slot in slots], None
        return [[action for action in legal[slot] if action & 255 == 3] for slot in slots], None


def main() -> None:
    """Let a cautious Austria play against six random powers."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    state = deepmind.State(Position.start(last_year=1915))
    game = deepmind.run_game(state, [Cautious(), deepmind.RandomPolicy(seed)], [0, 1, 1, 1, 1, 1, 1])
    first = game.action_lists(0)[2]
    print("France opens:", ", ".join(deepmind.human_readable_action(action) for action in first))
    print(f"{len(game)} phases; the next would be in {state.year}")
    assert game.returns is not None
    for power, share in zip(("AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR"), game.returns.tolist(), strict=True):
        print(f"{power} {share:.2f}")


if __name__ == "__main__":
    main()
