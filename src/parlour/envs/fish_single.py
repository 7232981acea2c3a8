"""Fish for Gymnasium: one learner on one seat, house agents on the others."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.envs.fish import FishAEC
from parlour.envs.opponents import HouseOpponents, Wanted, checked_opponents, checked_seat
from parlour.errors import MissingExtra

try:
    import gymnasium
except ImportError:
    raise MissingExtra("envs", "a Gymnasium environment") from None

Seen = dict[str, npt.NDArray[np.int8]]


class FishSingle(gymnasium.Env[Seen, np.int64]):
    """One seat of Fish. Choices, observations and rewards are those of FishAEC; a step is the learner's next choice."""

    metadata = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        opponents: Wanted = "greedy",
        *,
        players: int = 2,
        seat: str | None = None,
        config: dict[str, Plain] | None = None,
        on_illegal: Literal["raise", "random"] = "random",
        render_mode: Literal["human", "ansi"] | None = None,
    ) -> None:
        """Set up the environment.

        Args:
            opponents: A house agent for all other seats, or one for each of them.
            players: Number of seats.
            seat: Seat of the learner, for example `red`; random for each game if None.
            config: Configuration of the game: rows, cols, fish, holes, board.
            on_illegal: Effect of an illegal choice: `raise` IllegalAction, or play a `random` legal one.
            render_mode: `ansi` returns the board as text, `human` prints it.
        """
        self._table = FishAEC(players, config=config, on_illegal=on_illegal, render_mode="ansi")
        self._seat = checked_seat(seat, self._table.seats)
        self._names = checked_opponents("fish", opponents, players - 1, {})
        self.render_mode = render_mode
        self.agent = self._table.possible_agents[0]
        """Agent name of the learner in this game, as in FishAEC."""
        self.observation_space = self._table.observation_space(self.agent)
        self.action_space = self._table.action_space(self.agent)
        self._turn = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a game, and return the observation and the info.

        Args:
            seed: Seed of the board, the seat and the opponents.
            options: Not used; part of the interface.
        """
        super().reset(seed=seed)
        board, chance, place = (int(number) for number in self.np_random.integers(0, 2**31, 3))
        self._table.reset(board)
        seats = self._table.seats
        mine = place % len(seats) if self._seat is None else seats.index(self._seat)
        self.agent = self._table.possible_agents[mine]
        others = [seat for number, seat in enumerate(seats) if number != mine]
        self._house = HouseOpponents("fish", dict(zip(others, self._names, strict=True)), chance)
        self._turn = 0
        self._others_move()
        return self._table.observe(self.agent), self._told()

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Place or move a penguin, then let the others play until the learner's next turn.

        Returns observation, reward, terminated, truncated and info.

        Args:
            action: Number of a placement or move.
        """
        self._table.step(action)
        self._others_move()
        over = bool(self._table.terminations[self.agent])
        reward = float(self._table.rewards[self.agent]) if over else 0.0
        if self.render_mode == "human":
            self.render()
        return self._table.observe(self.agent), reward, over, False, self._told()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return True for each choice that is legal now, for masked learners."""
        return self._table.observe(self.agent)["action_mask"].astype(np.bool_)

    def render(self) -> Any:
        """Return the board as text, or print it."""
        text = self._table.render()
        if self.render_mode == "human":
            print(text)  # noqa: T201 - this is what the mode is for
        return text if self.render_mode == "ansi" else None

    def _others_move(self) -> None:
        position = self._table.position
        while position.outcome() is None and self._table.agent_selection != self.agent:
            self._turn += 1
            for action in self._house.actions(position, self._turn).values():
                self._table.step(self._table.choice_of(action))
            position = self._table.position

    def _told(self) -> dict[str, Any]:
        return {"agent": self.agent, "score": self._table.scores()[self.agent]}
