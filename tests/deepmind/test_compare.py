"""Replaying trajectories: what agrees, and the first difference in words."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.deepmind import (
    Options,
    RandomPolicy,
    State,
    mila_action_to_action,
    run_game,
    save_trajectory,
    shrink_actions,
)
from parlour.deepmind.compare import compare_trajectory
from parlour.deepmind.container import read_pickle
from parlour.deepmind.outputs import network_difference, step_output_difference
from parlour.deepmind.trajectory import FILES
from parlour.errors import NotationError

Files = dict[str, Any]
PHASES = 40
WIDE: Any = []
for _ in range(30):
    WIDE = [WIDE, WIDE]  # two to the power of thirty parts when written out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trajectory")
    save_trajectory(run_game(State(), [RandomPolicy(8)], [0] * 7, max_length=PHASES), folder)
    return folder


@pytest.fixture
def files(folder: Path) -> Files:
    return {name: copy.deepcopy(read_pickle(folder / f"{name}.npz")) for name in FILES}


def difference(files: Files, **options: Any) -> str:
    found = compare_trajectory(*(files[name] for name in FILES), **options).difference
    return "" if found is None else str(found)


def board(files: Files, step: int) -> Any:
    changed = files["observations"][step]["board"].copy()
    files["observations"][step]["board"] = changed
    return changed


def winter(files: Files) -> int:
    return next(step for step, seen in enumerate(files["observations"]) if seen["season"] == 4)


def test_our_own_trajectory_agrees(files: Files) -> None:
    found = compare_trajectory(*(files[name] for name in FILES))
    assert (found.phases, found.difference) == (PHASES, None)
    assert {seen["season"] for seen in files["observations"]} == {0, 1, 2, 3, 4}


def test_sequences_may_be_arrays(files: Files) -> None:
    files["legal_actions"] = np.stack(files["legal_actions"])
    padded = np.full((7, 17), -1, np.int64)
    for power, own in enumerate(files["actions_outputs"][0][0]):
        padded[power, : len(own)] = own
    files["actions_outputs"][0] = (padded, None)
    assert difference(files) == ""


def test_files_have_the_published_structure(folder: Path) -> None:
    observations, legal, pairs, outputs = (pickle.loads((folder / f"{name}.npz").read_bytes()) for name in FILES)
    assert list(observations[0]) == ["season", "board", "build_numbers", "last_actions"]
    assert type(observations[0]["season"]) is int
    assert legal[0].shape == (7, 11900)
    assert len(pairs[0][0]) == 7
    assert type(pairs[0][0][0]) is list
    assert outputs[0] == {"RandomPolicy": {}}


def test_a_wrong_flag_names_phase_area_and_column(files: Files) -> None:
    board(files, 1)[80, 12] = 1
    assert difference(files) == (
        "step 1 (F1901M), board, area 80 STP/SC, column 12 (may be removed): expected 1, found 0"
    )


def test_the_comparison_stops_at_the_first_difference(files: Files) -> None:
    board(files, 3)[0, 0] ^= 1
    board(files, 1)[10, 2] ^= 1
    found = compare_trajectory(*(files[name] for name in FILES))
    assert found.phases == 1
    assert found.difference is not None
    assert (found.difference.step, found.difference.phase) == (1, "F1901M")
    assert "area 10 PAR, column 2 (no unit here)" in found.difference.where


def test_a_wrong_season(files: Files) -> None:
    files["observations"][0]["season"] = 2
    assert difference(files) == "step 0 (S1901M), season: expected AUTUMN_MOVES, found SPRING_MOVES"


def test_a_wrong_build_number(files: Files) -> None:
    step = winter(files)
    files["observations"][step]["build_numbers"][6] += 5
    assert "W1901A), build number of Turkey: expected" in difference(files)


def test_last_actions_may_come_in_any_order_but_none_may_be_missing(files: Files) -> None:
    files["observations"][1]["last_actions"].reverse()
    assert difference(files) == ""
    gone = files["observations"][1]["last_actions"].pop()
    assert "step 1 (F1901M), last actions: expected nothing besides what both have, found '" in difference(files)
    files["observations"][1]["last_actions"] += [gone, gone]
    assert "twice or once" in difference(files)


def test_a_missing_legal_action_is_in_words(files: Files) -> None:
    rows = files["legal_actions"][0] = files["legal_actions"][0].copy()
    action = mila_action_to_action("A PAR - BUR", 0)
    own = rows[2][(rows[2] != action) & (rows[2] != 0)]
    rows[2] = 0
    rows[2, : len(own)] = own
    assert difference(files) == (
        "step 0 (S1901M), legal actions of France: expected nothing besides what both have, found 'PAR - BUR'"
    )


def test_another_order_of_legal_actions_is_told_as_such(files: Files) -> None:
    rows = files["legal_actions"][0] = files["legal_actions"][0].copy()
    rows[0, [4, 5]] = rows[0, [5, 4]]
    assert "legal actions of Austria, order from entry 4 on: expected '" in difference(files)


def test_an_illegal_recorded_action(files: Files) -> None:
    files["actions_outputs"][0][0][2][0] = mila_action_to_action("A BUR H", 0)
    assert difference(files) == (
        "step 0 (S1901M), actions: expected legal ones, found refused: France: BUR H: no unit stands there"
    )


def test_other_actions_lead_elsewhere(files: Files) -> None:
    files["actions_outputs"][0] = ([[]] * 7, None)
    assert difference(files).startswith("step 1 (F1901M), board, area ")


def test_more_phases_than_the_game_has(files: Files) -> None:
    result = run_game(State(), [RandomPolicy(1)], [0] * 7)
    recorded: Files = {
        "observations": [seen._asdict() | {"season": int(seen.season)} for seen in result.observations],
        "legal_actions": result.legal_actions,
        "actions_outputs": [(result.action_lists(step), None) for step in range(len(result))],
        "step_outputs": result.step_outputs,
    }
    assert difference(recorded) == ""
    for part in recorded.values():
        part.append(part[-1])
    assert difference(recorded).endswith("end: expected another phase, found the game is over")


def test_an_option_may_explain_a_difference(files: Files) -> None:
    said = difference(files, options=Options(removals_persist=False))
    assert "build number of" in said


# Step outputs


def network_output(files: Files, step: int) -> dict[str, Any]:
    """Return the output of a network that certainly plays the recorded actions."""
    actions = np.zeros((7, 17), np.int32)
    policy = np.zeros((7, 17, 18584), np.float32)
    for power, own in enumerate(files["actions_outputs"][step][0]):
        for unit, action in enumerate(own):
            actions[power, unit] = shrink_actions(action)
            policy[power, unit, action >> 48] = 1
    return {"values": np.full(7, 1 / 7, np.float32), "policy": policy, "actions": actions}


def with_output(files: Files, step: int, **changes: Any) -> Files:
    output = network_output(files, step)
    for name, change in changes.items():
        change(output[name]) if callable(change) else output.__setitem__(name, change)
    files["step_outputs"][step] = {"OnPolicy(t=0.2)": output}
    return files


def test_plausible_outputs_agree(files: Files) -> None:
    with_output(files, 0)
    with_output(files, 1)
    assert difference(files) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"values": np.full(7, 0.2, np.float32)}, "values: expected a sum of 1, found 1.40000"),
        ({"values": np.full(7, np.nan, np.float32)}, "values: expected finite numbers"),
        ({"values": np.zeros(6, np.float32)}, "values: expected shape (7,), found shape (6,)"),
        (
            {"actions": lambda a: a.__setitem__((2, 0), 3 << 16 | 13)},
            "unit 0: expected a legal action, found W",
        ),
        ({"actions": lambda a: a.__setitem__((2, 0), 12345)}, "unit 0: expected a shrunk action, found 12345"),
        ({"policy": lambda p: p.__setitem__((0, 0), 0)}, "policy, Austria, unit 0: expected all weight on legal"),
    ],
)
def test_implausible_outputs_are_named(files: Files, changes: dict[str, Any], said: str) -> None:
    assert said in difference(with_output(files, 1, **changes))


def test_fixed_play_must_give_the_recorded_output(files: Files) -> None:
    value = {"x": [np.arange(3), 1]}
    files["actions_outputs"][0] = (files["actions_outputs"][0][0], value)
    files["step_outputs"][0] = {"FixedPlayPolicy": copy.deepcopy(value)}
    assert difference(files) == ""
    files["step_outputs"][0]["FixedPlayPolicy"]["x"][0] = np.arange(3) + 1e-6
    assert difference(files) == ""
    files["step_outputs"][0]["FixedPlayPolicy"]["x"][0][1] = 9
    assert "step output of FixedPlayPolicy, output" in difference(files)


def test_outputs_of_shared_parts_are_compared_once() -> None:
    def wide() -> Any:
        value: Any = [1.5]
        for _ in range(30):
            value = (value, value)
        return value

    assert step_output_difference(wide(), wide(), [], "FixedPlayPolicy") is None
    assert step_output_difference(wide(), wide()[0], [], "FixedPlayPolicy") is not None
    # Beside an array, which would otherwise be compared with all that is written out.
    assert step_output_difference(np.zeros(3), wide(), [], "FixedPlayPolicy") is not None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.zeros(2), [[1], [2, 3]], False),
        (np.zeros(2), [0.0, 0.0], False),
        (0.5, np.array(0.5), True),
        (0.5, 0.500001, True),
        (0.5, "0.5", False),
        ({"a": 1}, [1], False),
        ([1, None], (1, None), True),
        (None, {"a": 1}, False),
    ],
)
def test_which_outputs_are_equal(one: Any, other: Any, same: bool) -> None:
    for pair in ((one, other), (other, one)):
        assert (step_output_difference(*pair, [], "FixedPlayPolicy") is None) == same


def test_of_a_policy_the_action_that_differs_most_is_named() -> None:
    policy = np.zeros((7, 17, 18584), np.float32)
    recorded: dict[str, Any] = {"values": np.full(7, 1 / 7), "policy": policy, "actions": np.zeros((7, 17), np.int32)}
    recorded["policy"][1, 2, [46, 286, 276]] = 0.8, 0.1, 0.1
    found = {**recorded, "policy": recorded["policy"].copy()}
    assert network_difference(recorded, found) is None
    found["policy"][1, 2, [46, 286, 276]] = 0.79, 0.08, 0.13
    assert network_difference(recorded, found) == ("policy, England, unit 2, 'B A STP'", "0.100000", "0.130000")


def test_the_name_of_a_policy_does_not_paint_the_terminal(files: Files) -> None:
    files["step_outputs"][0] = {"\x1b[31m\n": 5}
    assert difference(files).isprintable()


# Structure


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("observations", {}, "observations: expected a sequence"),
        ("observations", [{}] * PHASES, "observations, step 0: expected a dict with season"),
        ("legal_actions", [], "lengths differ: observations 40, legal actions 0"),
        ("legal_actions", [np.zeros((7, 3))] * PHASES, r"legal actions, step 0: expected shape \(7, 11900\)"),
        ("legal_actions", ["x"] * PHASES, "legal actions, step 0: expected an array, got str"),
        ("actions_outputs", [[]] * PHASES, "actions, step 0: expected a pair"),
        ("actions_outputs", [([[]] * 6, None)] * PHASES, "actions, step 0: expected seven lists"),
        ("actions_outputs", [([["x"]] * 7, None)] * PHASES, "actions, step 0, Austria: expected numbers"),
        ("actions_outputs", [([[1 << 99]] * 7, None)] * PHASES, "actions, step 0, Austria: expected numbers"),
        ("actions_outputs", [([[0.5]] * 7, None)] * PHASES, "actions, step 0, Austria: expected whole numbers"),
        ("actions_outputs", [([[5] * 999] * 7, None)] * PHASES, "actions, step 0, Austria: too long"),
        ("step_outputs", [[]] * PHASES, "step outputs, step 0: expected a dict by policy"),
    ],
)
def test_files_of_another_structure_are_refused(files: Files, name: str, value: Any, said: str) -> None:
    files[name] = value
    with pytest.raises(NotationError, match=said):
        difference(files)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("season", 5, "season: expected 0 to 4"),
        ("season", "0", "season: expected 0 to 4"),
        ("season", WIDE, "season: expected 0 to 4, got a list"),
        ("board", np.full((81, 35), 1e300), "board: expected numbers of 64 bits"),
        ("board", np.full((81, 35), -1.5e19), "board: expected numbers of 64 bits"),
        ("last_actions", np.array([1 << 63], np.uint64), "last_actions: expected numbers of 64 bits"),
        ("board", np.zeros((81, 34)), r"board: expected shape \(81, 35\)"),
        ("build_numbers", [0] * 6, r"build_numbers: expected shape \(7\)"),
        ("last_actions", [None], "last_actions: expected numbers"),
        ("last_actions", [True], "last_actions: expected numbers"),
        ("last_actions", np.array([True]), "last_actions: expected numbers, got bool"),
        ("board", np.ones((81, 35), bool), "board: expected numbers, got bool"),
        ("last_actions", [float("nan")], "last_actions: expected numbers"),
    ],
)
def test_a_wrong_field_is_named(files: Files, field: str, value: Any, said: str) -> None:
    files["observations"][0][field] = value
    with pytest.raises(NotationError, match=f"observations, step 0: {said}"):
        difference(files)
