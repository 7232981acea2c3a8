"""Diplomacy for PettingZoo: all powers at once (Parallel), or one unit after the other (AEC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from parlour.deepmind.actions import MAX_ORDERS, POSSIBLE_ACTIONS
from parlour.deepmind.observation import NUM_SEASONS, PROVINCE_VECTOR_LENGTH, Observation
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS, POWER_NAMES
from parlour.deepmind.readable import human_readable_action
from parlour.deepmind.state import State
from parlour.envs.draft import CHOICES, PASS, Draft, mask_of
from parlour.errors import ConfigError, IllegalAction, MissingExtra
from parlour.games.diplomacy.position import Position

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
except ImportError:
    raise MissingExtra("envs", "a PettingZoo environment") from None

Form = Literal["unit", "joint"]
OnIllegal = Literal["raise", "hold"]
AGENTS = [f"{name.lower()}_{number}" for number, name in enumerate(POWER_NAMES)]
"""austria_0 to turkey_6, as PettingZoo likes names."""


class _TableForLearners:
    """A game with the phase being ordered; what both environments share."""

    def __init__(
        self,
        form: Form = "unit",
        *,
        position: Position | None = None,
        last_year: int = 0,
        max_phases: int | None = None,
        on_illegal: OnIllegal = "hold",
        options: Options = DEFAULT,
        render_mode: Literal["ansi", "svg"] | None = None,
    ) -> None:
        """Set up the environment.

        form: a choice for each power's next unit, or for all of its units jointly. position: where games begin.
        last_year: games end after it; 0 for no limit. max_phases: games are cut off after so many. on_illegal: an
        illegal choice raises IllegalAction, or its unit holds and info["illegal"] counts it.
        """
        if form not in ("unit", "joint"):
            raise ConfigError(f"form: expected unit or joint, got {form!r:.40}", field="form")
        if on_illegal not in ("raise", "hold"):
            raise ConfigError(f"on_illegal: expected raise or hold, got {on_illegal!r:.40}", field="on_illegal")
        if max_phases is not None and (type(max_phases) is not int or max_phases < 1):
            raise ConfigError(f"max_phases: expected 1 or more, got {max_phases!r:.40}", field="max_phases")
        if render_mode not in (None, "ansi", "svg"):
            raise ConfigError(f"render_mode: expected ansi or svg, got {render_mode!r:.40}", field="render_mode")
        self.possible_agents = list(AGENTS)
        self.render_mode = render_mode
        self._form, self._on_illegal, self._options, self._max_phases = form, on_illegal, options, max_phases
        self._position = position or Position.start(last_year=last_year)
        self._action_spaces = {agent: _action_space(form) for agent in AGENTS}
        self._observation_spaces = {agent: _observation_space(form) for agent in AGENTS}
        self._begin()

    def observation_space(self, agent: str) -> Any:
        """What an agent sees; see docs/reference/environments.md."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Discrete(18585), or MultiDiscrete of seventeen of them; 0 is no action, i + 1 the action of index i."""
        return self._action_spaces[agent]

    def render(self) -> str | None:
        """The position as text or as SVG."""
        if self.render_mode is None:
            return None
        position = self._state.position
        return str(position) if self.render_mode == "ansi" else position._repr_svg_()

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def game(self) -> State:
        """The state of the game; a copy of it may be played on."""
        return self._state

    # Inside

    def _begin(self) -> None:
        self._state = State(self._position, options=self._options)
        self._phases = 0
        self._take_up()

    def _take_up(self) -> None:
        """Look at a new phase."""
        self._seen: Observation = self._state.observation()
        self._draft = Draft(self._state, self._seen)
        self._shown: dict[str, Any] = {
            "observation": self._seen.board,
            "season": np.int64(self._seen.season),
            "build_numbers": np.array(self._seen.build_numbers, np.int8),
            "last_actions": _last_actions(self._seen.last_actions),
        }

    def _play(self) -> None:
        """Carry out a complete draft."""
        self._state.step(self._draft.chosen)
        self._phases += 1
        self._take_up()

    def _look(self, agent: str) -> dict[str, Any]:
        power = AGENTS.index(agent)
        area = self._draft.area(power)
        shown = self._shown | {"power": np.int64(power), "area": np.int64(0 if area is None else area + 1)}
        if self._form == "unit":
            return shown | {"action_mask": self._draft.mask(power)}
        slots = self._draft.slots(power)
        masks = [mask_of(slots[unit] if unit < len(slots) else []) for unit in range(MAX_ORDERS)]
        return shown | {"action_mask": tuple(masks)}

    def _choose(self, agent: str, choice: Any) -> int:
        """Take one choice, or all of a joint one; how many of them were illegal."""
        power = AGENTS.index(agent)
        choices = [choice] if self._form == "unit" else choice
        if self._form == "joint" and (not isinstance(choice, (np.ndarray, list, tuple)) or len(choice) != MAX_ORDERS):
            choices = [None] * max(1, len(self._draft.slots(power)))
        illegal = 0
        for one in choices:
            number = int(one) if isinstance(one, (int, np.integer)) else -1
            if not self._draft.may_choose(power, number):
                if self._on_illegal == "raise":
                    raise _refused(power, one, number)
                illegal += 1
            self._draft.choose(power, number)
        return illegal

    def _alive(self) -> set[str]:
        alive = self._state.position.alive()
        return {agent for agent, name in zip(AGENTS, POWER_NAMES, strict=True) if name.upper() in alive}

    def _ended(self) -> bool:
        return self._state.is_terminal()

    def _cut_off(self) -> bool:
        return self._max_phases is not None and self._phases >= self._max_phases

    def _payoff(self, agent: str) -> float:
        return float(self._state.returns()[AGENTS.index(agent)])


class DiplomacyParallel(_TableForLearners, ParallelEnv):  # type: ignore[misc]
    """All powers choose at once. A phase is played when every unit has its action.

    In the form "unit" each step is one unit of every power, so a phase takes as many steps as the largest power has
    units; powers that are done choose 0. In the form "joint" a step is a phase.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "parlour_diplomacy_v0",
        "render_modes": ["ansi", "svg"],
        "is_parallelizable": True,
    }

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin a game; nothing in Diplomacy is left to chance, so the seed changes nothing."""
        self._begin()
        self.agents = [agent for agent in AGENTS if agent in self._alive()]
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
        """Take a choice of every agent; one that gives none passes."""
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
        """The board that everyone sees."""
        return self._seen.board

    def _nothing(self) -> Any:
        return PASS if self._form == "unit" else [PASS] * MAX_ORDERS

    def _told(self, illegal: int) -> dict[str, Any]:
        return {"phase": self._state.phase, "illegal": illegal}


class DiplomacyAEC(_TableForLearners, AECEnv):  # type: ignore[misc]
    """One power after the other orders its units one by one, unseen by the rest; then the phase is played."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "parlour_diplomacy_aec_v0",
        "render_modes": ["ansi", "svg"],
        "is_parallelizable": False,
    }

    def __init__(self, **options: Any) -> None:
        """As DiplomacyParallel, in the form "unit"."""
        AECEnv.__init__(self)
        _TableForLearners.__init__(self, "unit", **options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; nothing in Diplomacy is left to chance, so the seed changes nothing."""
        self._begin()
        self.agents = [agent for agent in AGENTS if agent in self._alive()]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"phase": self._state.phase, "illegal": 0} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._next()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees; only the one to act may choose other than 0."""
        seen = self._look(agent)
        return seen if agent == self.agent_selection else seen | {"action_mask": mask_of([])}

    def step(self, action: Any) -> None:
        """Order the next unit of the agent to act."""
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
        """The first power that has something to order."""
        for power, agent in enumerate(AGENTS):
            if agent in self.agents and self._draft.left(power):
                return agent
        return self.agents[0]


def _last_actions(actions: list[int]) -> Any:
    shown = np.zeros(NUM_POWERS * MAX_ORDERS, np.int32)
    shown[: len(actions)] = (np.array(actions[: len(shown)], np.int64) >> 48) + 1
    return shown


def _action_space(form: Form) -> Any:
    return spaces.Discrete(CHOICES) if form == "unit" else spaces.MultiDiscrete([CHOICES] * MAX_ORDERS)


def _observation_space(form: Form) -> Any:
    mask = spaces.Box(0, 1, (CHOICES,), np.int8)
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8),
            "season": spaces.Discrete(NUM_SEASONS),
            "build_numbers": spaces.Box(-34, 34, (NUM_POWERS,), np.int8),
            "last_actions": spaces.Box(0, CHOICES - 1, (NUM_POWERS * MAX_ORDERS,), np.int32),
            "power": spaces.Discrete(NUM_POWERS),
            "area": spaces.Discrete(NUM_AREAS + 1),
            "action_mask": mask if form == "unit" else spaces.Tuple([mask] * MAX_ORDERS),
        }
    )


def _refused(power: int, choice: Any, number: int) -> IllegalAction:
    name = POWER_NAMES[power]
    known = 1 <= number < CHOICES
    words = human_readable_action(int(POSSIBLE_ACTIONS[number - 1])) if known else f"{choice!r:.40}"
    return IllegalAction(f"{name}: {words} may not be chosen now", seat=name.upper(), part=words)
