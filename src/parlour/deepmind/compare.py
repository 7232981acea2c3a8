"""Replays a published trajectory through our environment and describes the first difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.deepmind.actions import MAX_LEGAL_ACTIONS, MAX_ORDERS, TABLE
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, Observation
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.outputs import network_difference, step_output_difference
from parlour.deepmind.pickle_parts import shown
from parlour.deepmind.policies import AnyPolicy
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS, POWER_NAMES, area_name
from parlour.deepmind.readable import human_readable_action
from parlour.deepmind.season import SEASONS
from parlour.deepmind.state import State
from parlour.errors import IllegalAction, NotationError
from parlour.games.diplomacy.ordering.actions import Actions

MAX_PHASES = 10_000
COLUMNS = (
    "army here", "fleet here", "no unit here",
    *(f"unit of {power}" for power in POWER_NAMES), "unit of nobody",
    "may be built in", "may be removed",
    "dislodged army", "dislodged fleet", "no dislodged unit",
    *(f"dislodged unit of {power}" for power in POWER_NAMES), "dislodged unit of nobody",
    "land area", "sea area", "coast of a split province",
    *(f"centre of {power}" for power in POWER_NAMES), "centre of nobody",
)  # fmt: skip
"""Meanings of a board's columns."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where a trajectory and our environment differ."""

    step: int
    """The phase, counted from 0."""
    phase: str
    where: str
    """The differing part: area and column of the board, a build number, or the legal actions of a power."""
    expected: str
    """The value in the file."""
    found: str
    """The value in our environment."""

    def __str__(self) -> str:
        return f"step {self.step} ({self.phase}), {self.where}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a replay: number of equal phases, and the first difference if there is one."""

    phases: int
    difference: Difference | None


class _Differs(Exception):
    """Carries a difference out of the comparison; never leaves this module."""

    def __init__(self, where: str, expected: object, found: object) -> None:
        super().__init__(where)
        self.where, self.expected, self.found = where, str(expected), str(found)


def compare_trajectory(
    observations: Plain,
    legal_actions: Plain,
    actions_outputs: Plain,
    step_outputs: Plain = None,
    *,
    options: Options = DEFAULT,
    policy: AnyPolicy | None = None,
) -> Comparison:
    """Replay the contents of the published files; raise NotationError if their structure is not the published one.

    A policy acts in every phase, as in the published test. Its outputs must equal those recorded under its name.
    """
    parts = {"observations": observations, "legal actions": legal_actions, "actions": actions_outputs}
    if step_outputs is not None:
        parts["step outputs"] = step_outputs
    count = _phases_in_all(parts)
    state = State(options=options, published=False)
    if policy is not None:
        policy.reset()
    for step in range(count):
        phase = state.phase
        try:
            _compare_step(state, _observation(observations[step], step), _legal(legal_actions[step], step))
            actions = _actions(actions_outputs[step], step)
            if step_outputs is not None:
                _compare_outputs(step_outputs[step], actions_outputs[step], state.legal_actions(), step)
                if policy is not None:
                    _compare_network(step_outputs[step], policy, state)
            _play(state, actions)
        except _Differs as differs:
            return Comparison(step, Difference(step, phase, differs.where, differs.expected, differs.found))
    return Comparison(count, None)


def _phases_in_all(parts: dict[str, Plain]) -> int:
    for name, part in parts.items():
        if not isinstance(part, (list, tuple)) and not (isinstance(part, np.ndarray) and part.ndim):
            raise NotationError(f"{name}: expected a sequence with one entry a phase, got {type(part).__name__}")
    lengths = {name: len(part) for name, part in parts.items()}
    if len(set(lengths.values())) > 1:
        raise NotationError(f"lengths differ: {', '.join(f'{name} {size}' for name, size in lengths.items())}")
    count = next(iter(lengths.values()))
    if count > MAX_PHASES:
        raise NotationError(f"at most {MAX_PHASES:,} phases are replayed, got {count:,}")
    return count


def _compare_step(state: State, expected: Observation, legal: Actions) -> None:
    if state.is_terminal():
        raise _Differs("end", "another phase", "the game is over")
    found = state.observation()
    if found.season != expected.season:
        raise _Differs("season", expected.season.name, found.season.name)
    differing = np.argwhere(found.board != expected.board)
    if len(differing):
        area, column = differing[0].tolist()
        where = f"board, area {area} {area_name(area)}, column {column} ({COLUMNS[column]})"
        raise _Differs(where, expected.board[area, column], found.board[area, column])
    for power, name in enumerate(POWER_NAMES):
        if found.build_numbers[power] != expected.build_numbers[power]:
            numbers = expected.build_numbers[power], found.build_numbers[power]
            raise _Differs(f"build number of {name}", *numbers)
    if sorted(found.last_actions) != sorted(expected.last_actions):
        raise _Differs("last actions", *_words_apart(expected.last_actions, found.last_actions))
    for power, own in enumerate(state.legal_actions()):
        _compare_legal(f"legal actions of {POWER_NAMES[power]}", legal[power], own)


def _compare_legal(where: str, row: npt.NDArray[np.int64], own: list[int]) -> None:
    expected = row[: int(np.flatnonzero(row)[-1]) + 1].tolist() if row.any() else []
    if expected == own:
        return
    if sorted(expected) != sorted(own):
        raise _Differs(where, *_words_apart(expected, own))
    at = next(i for i, pair in enumerate(zip(expected, own, strict=True)) if pair[0] != pair[1])
    raise _Differs(f"{where}, order from entry {at} on", _words(expected[at]), _words(own[at]))


def _words_apart(expected: Sequence[int], found: Sequence[int]) -> tuple[str, str]:
    """Return the first few actions that only one side has."""
    missing, extra = (sorted(set(x) - set(y)) for x, y in ((expected, found), (found, expected)))
    if not missing and not extra:
        return f"{len(expected)} actions", f"{len(found)}, some of them twice or once"
    return tuple(  # type: ignore[return-value]
        (", ".join(map(_words, part[:3])) + (f" and {len(part) - 3} more" if len(part) > 3 else ""))
        or "nothing besides what both have"
        for part in (missing, extra)
    )


def _words(action: int) -> str:
    return repr(human_readable_action(action)) if action in TABLE else f"{action} (no possible action)"


def _play(state: State, actions: list[list[int]]) -> None:
    try:
        state.step(actions)
    except IllegalAction as error:
        raise _Differs("actions", "legal ones", f"refused: {error}") from None


def _compare_outputs(outputs: Plain, pair: Plain, legal: list[list[int]], step: int) -> None:
    if not isinstance(outputs, dict):
        raise NotationError(f"step outputs, step {step}: expected a dict by policy, got {type(outputs).__name__}")
    for policy, output in outputs.items():
        found = step_output_difference(output, pair[1], legal, str(policy))
        if found is not None:
            name = str(policy)[:40]
            name = name if name.isprintable() else ascii(name)
            raise _Differs(f"step output of {name}, {found[0]}", found[1], found[2])


def _compare_network(outputs: dict[str, Plain], policy: AnyPolicy, state: State) -> None:
    """Compare a network's output in a state with the recorded one."""
    name = str(policy)
    _, found = policy.actions([], state.observation(), state.legal_actions())
    if name not in outputs:
        raise NotationError(f"step outputs: nothing was recorded of {name}")
    difference = network_difference(outputs[name], found)
    if difference is not None:
        raise _Differs(f"step output of {name}, {difference[0]}", difference[1], difference[2])


# Structure of the files


def _observation(value: Plain, step: int) -> Observation:
    names = Observation._fields
    if not isinstance(value, dict) or set(value) != set(names):
        raise NotationError(f"observations, step {step}: expected a dict with {', '.join(names)}")
    season = value["season"]
    if type(season) is not int or season not in range(len(SEASONS)):
        expected = f"expected 0 to {len(SEASONS) - 1}"
        raise NotationError(f"observations, step {step}: season: {expected}, got {shown(season)}")
    board = numbers(value["board"], (NUM_AREAS, PROVINCE_VECTOR_LENGTH), f"observations, step {step}: board")
    builds = numbers(value["build_numbers"], (NUM_POWERS,), f"observations, step {step}: build_numbers")
    last = numbers(value["last_actions"], (None,), f"observations, step {step}: last_actions")
    return Observation(SEASONS[season], board, builds.astype(np.int64).tolist(), last.astype(np.int64).tolist())


def _legal(value: Plain, step: int) -> Actions:
    rows = numbers(value, (NUM_POWERS, MAX_LEGAL_ACTIONS), f"legal actions, step {step}")
    return rows.astype(np.int64)


def _actions(value: Plain, step: int) -> list[list[int]]:
    name = f"actions, step {step}"
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise NotationError(f"{name}: expected a pair of seven action lists and a step output")
    lists = value[0]
    rows = isinstance(lists, np.ndarray) and lists.ndim == 2
    if not (rows or isinstance(lists, (list, tuple))) or len(lists) != NUM_POWERS:
        raise NotationError(f"{name}: expected seven lists of actions")
    return [
        [
            x
            for x in numbers(own, (None,), f"{name}, {POWER_NAMES[power]}").astype(np.int64).tolist()
            if x not in (-1, 0)
        ]
        for power, own in enumerate(lists)
    ]


def numbers(value: Plain, shape: tuple[int | None, ...], name: str) -> npt.NDArray[Any]:
    """Return an array of whole numbers of that shape, None for any size; raise NotationError otherwise."""
    if isinstance(value, (list, tuple)):
        if not all(type(part) in (int, float) and abs(part) < 1 << 63 for part in value):
            raise NotationError(f"{name}: expected numbers")
        value = np.array(value, dtype=np.int64 if all(type(part) is int for part in value) else np.float64)
    if not isinstance(value, np.ndarray):
        raise NotationError(f"{name}: expected an array, got {type(value).__name__}")
    sizes = ["any" if size is None else str(size) for size in shape]
    if value.ndim != len(shape) or any(s is not None and s != n for s, n in zip(shape, value.shape, strict=True)):
        raise NotationError(f"{name}: expected shape ({', '.join(sizes)}), got {value.shape}")
    if len(shape) == 1 and shape[0] is None and value.size > NUM_POWERS * MAX_ORDERS * 2:
        raise NotationError(f"{name}: too long, got {value.size:,} entries")
    if value.dtype.kind not in "iuf":
        raise NotationError(f"{name}: expected numbers, got {value.dtype}")
    if value.dtype.kind == "f" and not (np.isfinite(value).all() and (value == np.trunc(value)).all()):
        raise NotationError(f"{name}: expected whole numbers")
    if value.size and not -(1 << 63) <= value.min() <= value.max() < 1 << 63:
        raise NotationError(f"{name}: expected numbers of 64 bits")
    return value
