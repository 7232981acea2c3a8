"""Fish for PettingZoo: players place and move one after another (AEC)."""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain, Seat
from parlour.errors import ConfigError, IllegalAction, MissingExtra
from parlour.games.fish import COLOURS, GAME, Position
from parlour.games.fish.board import MAX_FISH

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv  # type: ignore[import-untyped]
except ImportError:
    raise MissingExtra("envs", "a PettingZoo environment") from None


class FishAEC(AECEnv):  # type: ignore[misc]
    """Penguins on a melting board for two to four players. The winners share a reward of 1.

    With T tiles counted row by row, choice t < T places a penguin on tile t, and choice T + T * from + to moves one.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "parlour_fish_v0",
        "render_modes": ["human", "ansi", "svg"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        players: int = 2,
        *,
        config: dict[str, Plain] | None = None,
        on_illegal: Literal["raise", "random"] = "raise",
        render_mode: Literal["human", "ansi", "svg"] | None = None,
    ) -> None:
        """Set up the environment.

        Args:
            players: Number of players.
            config: Configuration of the game: rows, cols, fish, holes, board, and the switches of the boxed game.
            on_illegal: Effect of an illegal choice: `raise` IllegalAction, or play a `random` legal one.
            render_mode: `human` prints the board, `ansi` returns it as text, `svg` as a picture.
        """
        super().__init__()
        if on_illegal not in ("raise", "random"):
            raise ConfigError(f"on_illegal: expected raise or random, got {on_illegal!r:.40}", field="on_illegal")
        if render_mode not in (None, "human", "ansi", "svg"):
            raise ConfigError(f"render_mode: expected human, ansi or svg, got {render_mode!r:.40}", field="render_mode")
        self.render_mode = render_mode
        self._config: dict[str, Plain] = {**(config or {}), "players": players}
        self._seats = GAME.seats(self._config)
        self._on_illegal = on_illegal
        self.possible_agents = [f"{seat}_{number}" for number, seat in enumerate(self._seats)]
        self._rng = random.Random(0)
        self._position = GAME.start(self._config, self._seats, 0)
        self._height, self._width = self._position.board.height, self._position.board.width
        tiles = self._height * self._width
        seen = spaces.Box(0, MAX_FISH, (self._height, self._width, 1 + players), np.int8)
        mask = spaces.Box(0, 1, (tiles + tiles * tiles,), np.int8)
        self._observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }
        self._action_spaces = {agent: spaces.Discrete(tiles + tiles * tiles) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """Return the space of observations: int8 [rows, columns, 1 + players].

        The layers are the fish, the agent's own penguins, then the penguins of the others in the order of turns.

        Args:
            agent: Name of an agent.
        """
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of choices, Discrete(T + T * T) for T tiles: a placement, or a move from tile to tile.

        Args:
            agent: Name of an agent.
        """
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; the seed determines this board and the boards of later resets without a seed.

        Args:
            seed: Seed of this board and of later ones.
            options: Not used; part of the interface.
        """
        if seed is not None:
            self._rng = random.Random(seed)
        self._position = GAME.start(self._config, self._seats, self._rng.getrandbits(64))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._tell()
        self.agent_selection = self._agent(self._position.to_act()[0])

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """Return an agent's observation; the mask is zero for agents that are not to act."""
        position, seat = self._position, self._seat(agent)
        board = np.zeros((self._height, self._width, 1 + len(self._seats)), np.int8)
        board[:, :, 0] = np.frombuffer(position.board.fish, np.uint8).reshape(self._height, self._width)
        first = self._seats.index(seat)
        for side in position.sides:
            plane = 1 + (self._seats.index(side.seat) - first) % len(self._seats)
            for row, column in side.penguins:
                board[row, column, plane] = 1
        mask = np.zeros(self._action_spaces[agent].n, np.int8)
        if (seat,) == position.to_act():
            mask[[self.choice_of(action) for action in position.legal(seat)]] = 1
        return {"observation": board, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Place or move a penguin of the agent to act.

        Args:
            action: Number of a placement or move; None for an agent that is out.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seat(agent)
        self._position, _ = self._position.apply({seat: self._checked(seat, action)})
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        outcome = self._position.outcome()
        if outcome is None:
            self.agent_selection = self._agent(self._position.to_act()[0])
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            for winner in outcome.winners:
                self.rewards[self._agent(Seat(winner))] = 1 / len(outcome.winners)
        self._tell()
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """Return the position as text or as SVG; in the mode `human` print it and return None."""
        if self.render_mode is None:
            return None
        position = self._position
        if self.render_mode == "human":
            print(position)  # noqa: T201 - this is what the mode is for
            return None
        return str(position) if self.render_mode == "ansi" else position._repr_svg_()

    def close(self) -> None:
        """Do nothing, because the environment holds no resources."""

    @property
    def position(self) -> Position:
        """The current position."""
        return self._position

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in their fixed order."""
        return self._seats

    def scores(self) -> dict[str, int]:
        """Return the number of fish of each agent."""
        return {agent: self._position.side(self._seat(agent)).score for agent in self.possible_agents}

    def choice_of(self, action: Plain) -> int:
        """Return the number of a placement or move.

        Args:
            action: Placement or move.
        """
        tiles = self._height * self._width
        if isinstance(action[0], int):
            return self._tile(action)
        return tiles + tiles * self._tile(action[0]) + self._tile(action[1])

    # Internals

    def _tell(self) -> None:
        self.infos = {agent: {"score": self._position.side(self._seat(agent)).score} for agent in self.agents}

    def _agent(self, seat: Seat) -> str:
        return f"{seat}_{COLOURS.index(seat)}"

    def _seat(self, agent: str) -> Seat:
        return self._seats[self.possible_agents.index(agent)]

    def _tile(self, spot: Plain) -> int:
        return int(spot[0] * self._width + spot[1])

    def _spot(self, tile: int) -> list[int]:
        return list(divmod(tile, self._width))

    def _action(self, choice: int) -> Plain:
        tiles = self._height * self._width
        if choice < tiles:
            return self._spot(choice)
        start, end = divmod(choice - tiles, tiles)
        return [self._spot(start), self._spot(end)]

    def _checked(self, seat: Seat, choice: Any) -> Plain:
        whole = isinstance(choice, (int, np.integer)) and 0 <= choice < self._action_spaces[self._agent(seat)].n
        action = self._action(int(choice)) if whole else None
        violations = self._position.check(seat, action)
        if not violations:
            return action
        if self._on_illegal == "raise":
            raise IllegalAction(f"{seat}: {choice!r:.40}: {violations[0].message}", seat=seat, part=violations[0].part)
        return self._position.sample(seat, self._rng)
