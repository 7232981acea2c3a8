"""Fish as a game of OpenSpiel: pip install open-spiel, then python examples/openspiel_fish.py."""

from __future__ import annotations

import random
import sys

import parlour
from parlour.games.fish import GAME
from parlour.harness import standing
from parlour.testing import ScriptedPlayer

try:
    import pyspiel
except ImportError:
    print("open-spiel is not installed: pip install open-spiel")
    sys.exit(0)

SIDE, PLAYERS = 4, 2
TILES = SIDE * SIDE
CONFIG = {"players": PLAYERS, "rows": SIDE, "cols": SIDE}
TYPE = pyspiel.GameType(
    "parlour_fish", "Fish", pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.ChanceMode.DETERMINISTIC,
    pyspiel.GameType.Information.PERFECT_INFORMATION, pyspiel.GameType.Utility.GENERAL_SUM,
    pyspiel.GameType.RewardModel.TERMINAL, PLAYERS, PLAYERS, False, False, False, False, {},
)  # fmt: skip


class FishState(pyspiel.State):
    """A position; a choice below TILES places a penguin, the others are TILES + TILES * from + to."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game)
        self.seats = GAME.seats(CONFIG)
        self.position = GAME.start(CONFIG, self.seats, 0)

    def current_player(self) -> int:
        acting = self.position.to_act()
        return self.seats.index(acting[0]) if acting else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._number(action) for action in self.position.legal(self.seats[player]))

    def _number(self, action: list) -> int:
        if isinstance(action[0], int):
            return action[0] * SIDE + action[1]
        return TILES + TILES * self._number(action[0]) + self._number(action[1])

    def chosen(self, number: int) -> list:
        """Return the action with that number, in Parlour's form."""
        legal = self.position.legal(self.seats[self.current_player()])
        return next(action for action in legal if self._number(action) == number)

    def _apply_action(self, number: int) -> None:
        self.position, _ = self.position.apply({self.seats[self.current_player()]: self.chosen(number)})

    def _action_to_string(self, player: int, number: int) -> str:
        return f"{self.seats[player]} {number}"

    def is_terminal(self) -> bool:
        return self.position.outcome() is not None

    def returns(self) -> list[float]:
        outcome = self.position.outcome()
        return [float(outcome.scores[seat]) if outcome else 0.0 for seat in self.seats]

    def __str__(self) -> str:
        return str(self.position)


class FishGame(pyspiel.Game):
    """The rules, as OpenSpiel asks for them."""

    def __init__(self, params: dict | None = None) -> None:
        info = pyspiel.GameInfo(TILES + TILES * TILES, 0, PLAYERS, 0.0, 5.0 * TILES, None, TILES * 2)
        super().__init__(TYPE, info, params or {})

    def new_initial_state(self) -> FishState:
        return FishState(self)


def play_at_random(game: pyspiel.Game, seed: int) -> list[list]:
    """Play a game in OpenSpiel; return the actions of each player."""
    chance, state = random.Random(seed), game.new_initial_state()
    actions: list[list] = [[] for _ in range(PLAYERS)]
    while not state.is_terminal():
        number = chance.choice(state.legal_actions())
        actions[state.current_player()].append(state.chosen(number))
        state.apply_action(number)
    return actions


pyspiel.register_game(TYPE, FishGame)
fish = pyspiel.load_game("parlour_fish")
pyspiel.random_sim_test(fish, num_sims=3, serialize=True, verbose=False)
print("OpenSpiel played Fish three times at random, from the start and from copies")
# The same actions under Parlour's referee: the figures come from the record, as in every other framework.
players = [ScriptedPlayer(actions) for actions in play_at_random(fish, 0)]
match = parlour.run("fish", players, rows=SIDE, cols=SIDE).matches[0]
print(standing(match.record).table())
