"""Diplomacy for Gymnasium: one learner plays one power, house agents the other six."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from parlour.core.game import Seat
from parlour.deepmind.conversions import actions_of
from parlour.deepmind.options import DEFAULT, Options
from parlour.envs.diplomacy import Form, OnIllegal, TableForLearners
from parlour.envs.opponents import HouseOpponents, Wanted, checked_opponents, checked_seat
from parlour.errors import MissingExtra
from parlour.games.diplomacy.game import in_time
from parlour.games.diplomacy.position import Position

try:
    import gymnasium
except ImportError:
    raise MissingExtra("envs", "a Gymnasium environment") from None

Seen = dict[str, Any]


class _PowerTable(TableForLearners):
    """A game in which the learner orders one power, and house agents order the others."""

    def __init__(self, form: Form, **settings: Any) -> None:
        super().__init__(form, **settings)
        self.agent = self.possible_agents[0]
        self.seats = [power.name for power in self._sizes.board.players]

    @property
    def power(self) -> int:
        """The number of the learner's power."""
        return self._sizes.power_of[self.agent]

    def begin(self, place: int, house: HouseOpponents) -> None:
        """Start a game, and play it up to the first phase in which the power has orders to give."""
        self.agent, self._house = self.possible_agents[place], house
        self._begin()
        self._pass_idle_phases()

    def choose(self, choice: Any) -> int:
        """Apply a choice, and play the phase after the last one; return the number of illegal choices."""
        illegal = self._choose(self.agent, choice)
        if not self._draft.left(self.power):
            self._play_phase()
            self._pass_idle_phases()
        return illegal

    def seen(self) -> Seen:
        """Return an observation that shares no array with another observation."""
        return {name: _copied(value) for name, value in self._look(self.agent).items()}

    def ended(self) -> bool:
        """Return True if the game is over or the power is eliminated."""
        return self._ended() or self.agent not in self._alive()

    def truncated(self) -> bool:
        """Return True if the game was truncated after `max_phases`."""
        return self._cut_off() and not self.ended()

    def payoff(self) -> float:
        """Return the power's reward."""
        return self._payoff(self.agent)

    def _pass_idle_phases(self) -> None:
        """Play phases while the power has no orders to give."""
        while not (self.ended() or self._cut_off() or self._draft.left(self.power)):
            self._play_phase()

    def _play_phase(self) -> None:
        position = self._state.position
        found = self._house.actions(position, self._phases + 1)
        chosen = actions_of(position, {str(seat): list(orders) for seat, orders in found.items()})
        chosen[self.power] = self._draft.chosen[self.power]
        self._state.step(chosen)
        self._phases += 1
        self._take_up()


class DiplomacySingle(gymnasium.Env[Seen, Any]):
    """One power against house agents. Choices, observations and rewards are those of DiplomacyParallel.

    In the form "unit" a step orders the power's next unit, and the phase is played after its last unit. In the form
    "joint" a step is a phase. Phases in which the power has no orders to give pass without a step.
    """

    metadata = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        opponents: Wanted = "dumbbot",
        *,
        seat: str | None = None,
        form: Form = "unit",
        map_name: str = "standard",
        position: Position | None = None,
        last_year: int | None = None,
        max_phases: int | None = None,
        on_illegal: OnIllegal = "hold",
        options: Options = DEFAULT,
        render_mode: Literal["human", "ansi"] | None = None,
    ) -> None:
        """Set up the environment; for form, position, max_phases, on_illegal and options see DiplomacyParallel.

        Args:
            opponents: A house agent for all other powers, or one for each of them.
            seat: The learner's power, for example `FRANCE`; random for each game if None.
            form: `unit` if a step orders one unit, `joint` if a step orders all units.
            map_name: Map of the games.
            position: First position of the games.
            last_year: Games end after this year; 0 for no limit. The default is ten years of play.
            max_phases: Games are truncated after this number of phases.
            on_illegal: `raise` raises IllegalAction for an illegal choice, `hold` lets its unit hold.
            options: Options of observations and rewards.
            render_mode: `ansi` returns the board as text, `human` prints it.
        """
        self._table = _PowerTable(
            form,
            map_name=map_name,
            position=position,
            last_year=_usual_end(map_name) if last_year is None else last_year,
            max_phases=max_phases,
            on_illegal=on_illegal,
            options=options,
        )
        self._form = form
        self._seat = checked_seat(seat, self._table.seats)
        self._names = checked_opponents("diplomacy", opponents, len(self._table.seats) - 1, {"map": map_name})
        self.render_mode = render_mode
        self.observation_space = self._table.observation_space(self._table.agent)
        self.action_space = self._table.action_space(self._table.agent)

    @property
    def agent(self) -> str:
        """Agent name of the learner's power in this game, as in DiplomacyParallel."""
        return self._table.agent

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a game, and return the observation and the info.

        Args:
            seed: Seed of the learner's power and of the opponents.
            options: Not used; part of the interface.
        """
        super().reset(seed=seed)
        chance, place = (int(number) for number in self.np_random.integers(0, 2**31, 2))
        seats = self._table.seats
        mine = place % len(seats) if self._seat is None else seats.index(self._seat)
        others = [Seat(name) for number, name in enumerate(seats) if number != mine]
        self._table.begin(mine, HouseOpponents("diplomacy", dict(zip(others, self._names, strict=True)), chance))
        return self._table.seen(), self._told(0)

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Order the next unit, or all units; after the last unit the phase is played.

        Returns observation, reward, terminated, truncated and info.

        Args:
            action: Number of the chosen order, or all orders.
        """
        illegal = self._table.choose(action)
        if self.render_mode == "human":
            self.render()
        over = self._table.ended()
        reward = self._table.payoff() if over else 0.0
        return self._table.seen(), reward, over, self._table.truncated(), self._told(illegal)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return True for each choice that is legal now, for masked learners; joint masks are concatenated."""
        mask = self._table.seen()["action_mask"]
        return np.asarray(mask if self._form == "unit" else np.concatenate(mask), np.bool_)

    def render(self) -> Any:
        """Return the position as text, or print it."""
        text = str(self._table.game.position)
        if self.render_mode == "human":
            print(text)  # noqa: T201 - this is what the mode is for
        return text if self.render_mode == "ansi" else None

    def _told(self, illegal: int) -> dict[str, Any]:
        return {"agent": self.agent, "phase": self._table.game.phase, "illegal": illegal}


def _copied(value: Any) -> Any:
    return tuple(map(np.copy, value)) if isinstance(value, tuple) else np.copy(value) if np.ndim(value) else value


def _usual_end(map_name: str) -> int:
    """Return the default last year, so that an episode has an end: 1910 on the standard map."""
    year = in_time({"map": map_name})["last_year"]
    assert isinstance(year, int)
    return year
