"""Diplomacy for PettingZoo: all powers at once (Parallel), or one unit after another (AEC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from parlour.deepmind.observation import NUM_SEASONS, Observation
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.readable import human_readable_action
from parlour.envs.draft import PASS, Draft, mask_of
from parlour.envs.map_state import LearnerState, MapSizes, sizes_of, state_at
from parlour.errors import ConfigError, IllegalAction, MissingExtra
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.position import Position

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
except ImportError:
    raise MissingExtra("envs", "a PettingZoo environment") from None

Form = Literal["unit", "joint"]
OnIllegal = Literal["raise", "hold"]


class TableForLearners:
    """A game and the draft of its present phase: the part that all environments of Diplomacy share."""

    def __init__(
        self,
        form: Form = "unit",
        *,
        map_name: str = "standard",
        position: Position | None = None,
        last_year: int = 0,
        max_phases: int | None = None,
        on_illegal: OnIllegal = "hold",
        options: Options = DEFAULT,
        render_mode: Literal["human", "ansi", "svg"] | None = None,
    ) -> None:
        """Set up the environment.

        Args:
            form: `unit` to choose for each power's next unit, `joint` for all of its units at once.
            map_name: Map of the games, which determines the sizes of the spaces.
            position: First position of the games; its own map is used.
            last_year: Games end after this year; 0 for no limit.
            max_phases: Games are truncated after this number of phases.
            on_illegal: `raise` raises IllegalAction; with `hold` the unit holds and info["illegal"] counts it.
            options: Options of observations and rewards.
            render_mode: `human` prints the board, `ansi` returns it as text, `svg` as a picture.

        Raises:
            ConfigError: A setting is not valid.
        """
        if form not in ("unit", "joint"):
            raise ConfigError(f"form: expected unit or joint, got {form!r:.40}", field="form")
        if on_illegal not in ("raise", "hold"):
            raise ConfigError(f"on_illegal: expected raise or hold, got {on_illegal!r:.40}", field="on_illegal")
        if max_phases is not None and (type(max_phases) is not int or max_phases < 1):
            raise ConfigError(f"max_phases: expected 1 or more, got {max_phases!r:.40}", field="max_phases")
        if render_mode not in (None, "human", "ansi", "svg"):
            raise ConfigError(f"render_mode: expected human, ansi or svg, got {render_mode!r:.40}", field="render_mode")
        if position is not None and not isinstance(position, Position):
            raise ConfigError(f"position: expected a Position, got {type(position).__name__}", field="position")
        self._position = position or Position.start(named(map_name), last_year=last_year)
        self._sizes = sizes_of(self._position.board)
        self.possible_agents = list(self._sizes.agents)
        self.render_mode = render_mode
        self._form, self._on_illegal, self._options, self._max_phases = form, on_illegal, options, max_phases
        self._action_spaces = {agent: _action_space(form, self._sizes) for agent in self.possible_agents}
        self._observation_spaces = {agent: _observation_space(form, self._sizes) for agent in self.possible_agents}
        self._begin()

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations; see docs/reference/environments.md."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return Discrete(choices), or in the form "joint" a MultiDiscrete with one entry per unit.

        Choice 0 means no action, choice i + 1 the action of index i. On the standard map there are 18585 choices and at
        most seventeen units.
        """
        return self._action_spaces[agent]

    def render(self) -> str | None:
        """Return the position as text or as SVG; in the mode `human` print it and return None."""
        if self.render_mode is None:
            return None
        position = self._state.position
        if self.render_mode == "human":
            print(position)  # noqa: T201 - this is what the mode is for
            return None
        return str(position) if self.render_mode == "ansi" else position._repr_svg_()

    def close(self) -> None:
        """Do nothing, because the environment holds no resources."""

    @property
    def game(self) -> LearnerState:
        """The state of the game; use a copy to play further."""
        return self._state

    # Internals

    def _begin(self) -> None:
        self._state = state_at(self._position, self._options)
        self._phases = 0
        self._take_up()

    def _take_up(self) -> None:
        """Observe a new phase and start its draft."""
        self._seen: Observation = self._state.observation()
        self._draft = Draft(self._state, self._seen, self._sizes)
        self._shown: dict[str, Any] = {
            "observation": self._seen.board,
            "season": np.int64(self._seen.season),
            "build_numbers": np.array(self._seen.build_numbers, np.int8),
            "last_actions": _last_actions(self._seen.last_actions, self._sizes),
        }

    def _play(self) -> None:
        """Play the phase with the actions of a complete draft."""
        self._state.step(self._draft.chosen)
        self._phases += 1
        self._take_up()

    def _look(self, agent: str) -> dict[str, Any]:
        power = self._sizes.power_of[agent]
        area = self._draft.area(power)
        shown = self._shown | {"power": np.int64(power), "area": np.int64(0 if area is None else area + 1)}
        if self._form == "unit":
            return shown | {"action_mask": self._draft.mask(power)}
        slots = self._draft.slots(power)
        room = range(self._sizes.max_orders)
        masks = [mask_of(slots[unit] if unit < len(slots) else [], self._sizes.choices) for unit in room]
        return shown | {"action_mask": tuple(masks)}

    def _choose(self, agent: str, choice: Any) -> int:
        """Apply one choice, or all choices of a joint one; return the number of illegal choices."""
        power, room = self._sizes.power_of[agent], self._sizes.max_orders
        choices = [choice] if self._form == "unit" else choice
        if self._form == "joint" and (not isinstance(choice, (np.ndarray, list, tuple)) or len(choice) != room):
            choices = [None] * max(1, len(self._draft.slots(power)))
        illegal = 0
        for one in choices:
            number = int(one) if isinstance(one, (int, np.integer)) else -1
            if not self._draft.may_choose(power, number):
                if self._on_illegal == "raise":
                    raise self._refused(power, one, number)
                illegal += 1
            self._draft.choose(power, number)
        return illegal

    def _alive(self) -> set[str]:
        alive = self._state.position.alive()
        powers = self._sizes.board.powers
        return {agent for agent, number in self._sizes.power_of.items() if powers[number].name in alive}

    def _ended(self) -> bool:
        return self._state.is_terminal()

    def _cut_off(self) -> bool:
        return self._max_phases is not None and self._phases >= self._max_phases

    def _payoff(self, agent: str) -> float:
        return float(self._state.returns()[self._sizes.power_of[agent]])

    def _refused(self, power: int, choice: Any, number: int) -> IllegalAction:
        who, known = self._sizes.board.powers[power], 1 <= number < self._sizes.choices
        action = int(self._sizes.actions[number - 1]) if known else 0
        spelt = human_readable_action if self._sizes.board == standard() else self._state.position.order_of
        words = str(spelt(action)) if known else f"{choice!r:.40}"
        return IllegalAction(f"{who.title}: {words} may not be chosen now", seat=who.name, part=words)


class DiplomacyParallel(TableForLearners, ParallelEnv):  # type: ignore[misc]
    """All powers choose at once. A phase is played when every unit has its action.

    In the form "unit" each step orders one unit of every power. A phase takes one step for each unit of the largest
    power; powers without further units choose 0. In the form "joint" a step is a phase.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "parlour_diplomacy_v0",
        "render_modes": ["human", "ansi", "svg"],
        "is_parallelizable": True,
    }

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin a game, and return observations and infos by agent.

        Args:
            seed: Not used: the game has no randomness.
            options: Not used; part of the interface.
        """
        self._begin()
        self.agents = [agent for agent in self.possible_agents if agent in self._alive()]
        return {agent: self._look(agent) for agent in self.agents}, {agent: self._told(0) for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Apply a choice of every agent; an agent without a choice passes.

        Returns observations, rewards, terminations, truncations and infos by agent.

        Args:
            actions: Choice of each agent.
        """
        acting = list(self.agents)
        before = self._draft.kept()
        try:
            illegal = {agent: self._choose(agent, actions.get(agent, self._nothing())) for agent in acting}
        except IllegalAction:
            self._draft.restore(before)
            raise
        ended = cut_off = False
        if self._draft.complete():
            self._play()
            ended, cut_off = self._ended(), self._cut_off()
        alive = self._alive()
        terminations = {agent: ended or agent not in alive for agent in acting}
        truncations = {agent: cut_off and not terminations[agent] for agent in acting}
        rewards = {agent: self._payoff(agent) for agent in acting}
        self.agents = [agent for agent in acting if not terminations[agent] and not truncations[agent]]
        observations = {agent: self._look(agent) for agent in acting}
        return observations, rewards, terminations, truncations, {agent: self._told(illegal[agent]) for agent in acting}

    def state(self) -> Any:
        """Return the board, which all agents see."""
        return self._seen.board

    def _nothing(self) -> Any:
        return PASS if self._form == "unit" else [PASS] * self._sizes.max_orders

    def _told(self, illegal: int) -> dict[str, Any]:
        return {"phase": self._state.phase, "illegal": illegal}


class DiplomacyAEC(TableForLearners, AECEnv):  # type: ignore[misc]
    """Powers order one after another, unit by unit and unseen by the others; then the phase is played."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "parlour_diplomacy_aec_v0",
        "render_modes": ["human", "ansi", "svg"],
        "is_parallelizable": False,
    }

    def __init__(self, **options: Any) -> None:
        """Set up the environment in the form "unit".

        Args:
            options: Settings of DiplomacyParallel, without `form`.
        """
        AECEnv.__init__(self)
        TableForLearners.__init__(self, "unit", **options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: Not used: the game has no randomness.
            options: Not used; part of the interface.
        """
        self._begin()
        self.agents = [agent for agent in self.possible_agents if agent in self._alive()]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"phase": self._state.phase, "illegal": 0} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._next()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation; only the mask of the agent to act allows choices other than 0."""
        seen = self._look(agent)
        return seen if agent == self.agent_selection else seen | {"action_mask": mask_of([], self._sizes.choices)}

    def step(self, action: Any) -> None:
        """Order the next unit of the agent to act.

        Args:
            action: Number of the chosen order.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        illegal = self._choose(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._draft.complete():
            self._finish_phase()
        self.infos = {name: {"phase": self._state.phase, "illegal": 0} for name in self.agents}
        self.infos[agent]["illegal"] = illegal
        self.agent_selection = self._next()
        self._accumulate_rewards()
        self._deads_step_first()

    def _finish_phase(self) -> None:
        self._play()
        alive, ended, cut_off = self._alive(), self._ended(), self._cut_off()
        for agent in self.agents:
            self.terminations[agent] = ended or agent not in alive
            self.truncations[agent] = cut_off and not self.terminations[agent]
            self.rewards[agent] = self._payoff(agent)

    def _next(self) -> str:
        """Return the first agent that has a unit to order."""
        for agent, power in self._sizes.power_of.items():
            if agent in self.agents and self._draft.left(power):
                return agent
        return self.agents[0]


def _last_actions(actions: list[int], sizes: MapSizes) -> Any:
    shown = np.zeros(sizes.powers * sizes.max_orders, np.int32)
    shown[: len(actions)] = (np.array(actions[: len(shown)], np.int64) >> 48) + 1
    return shown


def _action_space(form: Form, sizes: MapSizes) -> Any:
    if form == "unit":
        return spaces.Discrete(sizes.choices)
    return spaces.MultiDiscrete([sizes.choices] * sizes.max_orders)


def _observation_space(form: Form, sizes: MapSizes) -> Any:
    mask = spaces.Box(0, 1, (sizes.choices,), np.int8)
    areas, centres = len(sizes.board.areas), sum(province.centre for province in sizes.board.provinces)
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (areas, sizes.columns), np.uint8),
            "season": spaces.Discrete(NUM_SEASONS),
            "build_numbers": spaces.Box(-centres, centres, (sizes.powers,), np.int8),
            "last_actions": spaces.Box(0, sizes.choices - 1, (sizes.powers * sizes.max_orders,), np.int32),
            "power": spaces.Discrete(sizes.powers),
            "area": spaces.Discrete(areas + 1),
            "action_mask": mask if form == "unit" else spaces.Tuple([mask] * sizes.max_orders),
        }
    )
