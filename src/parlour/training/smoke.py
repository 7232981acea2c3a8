"""The smoke test of a network: shapes and formats of its outputs, play, files, and a dummy parameter update."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parlour.deepmind.network.network import Network, copies_of, published_draws
from parlour.deepmind.network.parameters import FileKind, Parameters, read_parameters, write_parameters
from parlour.deepmind.network.policy import Policy
from parlour.deepmind.network.stream import key_of
from parlour.deepmind.outputs import SHAPES, step_output_difference
from parlour.deepmind.state import State
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer
from parlour.errors import MissingExtra, ParlourError

LARGE = 50_000_000
"""Maximum number of parameters of a network that is written to files and updated here."""
PHASES = 3
LOSSES = (
    "policy_loss", "policy_entropy", "value_loss", "total_loss", "returns_entropy", "uniform_random_policy_loss",
    "uniform_random_value_loss", "uniform_random_total_loss", "accuracy", "accuracy_weight", "whole_accuracy",
    "whole_accuracy_weight",
)  # fmt: skip


class SmokeFinding(NamedTuple):
    """The result of one part of the test."""

    part: str
    fine: bool
    words: str


class _Wrong(Exception):
    """A failed check; never leaves this module."""


def smoke_test(parameters: Parameters) -> Iterator[SmokeFinding]:
    """Run every part of the test and yield each result; after a failure the other parts still run."""
    network = Network(parameters.config, parameters.arrays)
    parts: dict[str, Callable[[], str]] = {
        "parameters": lambda: _parameters(parameters),
        "transformer": _transformer,
        "inference": lambda: _inference(network),
        "copies": lambda: _copies(network),
        "play": lambda: _play(network),
        "files": lambda: _files(parameters),
        "update": lambda: _update(parameters),
    }
    for name, part in parts.items():
        try:
            yield SmokeFinding(name, True, part())
        except MissingExtra as missing:
            yield SmokeFinding(name, True, f"left out: {missing}")
        except (_Wrong, ParlourError) as wrong:
            yield SmokeFinding(name, False, str(wrong))


def _demand(fine: bool, words: str) -> None:
    if not fine:
        raise _Wrong(words)


def _start() -> NetworkInput:
    state = State(published=False)
    given, _ = ObservationTransformer().transform(state.observation(), state.legal_actions(), temperature=0.5)
    return given


def _count(parameters: Parameters) -> int:
    return sum(array.size for array in parameters.arrays.values())


def _parameters(parameters: Parameters) -> str:
    wrong = [name for name, array in parameters.arrays.items() if not np.isfinite(array).all()]
    _demand(not wrong, f"{len(wrong)} arrays have numbers that are not finite, {wrong[0] if wrong else ''} among them")
    return f"{len(parameters.arrays)} arrays, {_count(parameters):,} numbers, all finite; step {parameters.step:,}"


def _transformer() -> str:
    given = _start()
    shapes = {
        name: array.shape[1:] for name, array in (given.initial_observation() | given.step_observations()).items()
    }
    expected = {
        "board_state": (81, 35), "last_moves_phase_board_state": (81, 35), "actions_since_last_moves_phase": (81, 3),
        "season": (), "build_numbers": (7,), "areas": (7, 17, 81), "last_action": (7, 17),
        "legal_actions_mask": (7, 17, 18584), "temperature": (7, 17, 1),
    }  # fmt: skip
    _demand(shapes == expected, f"expected {expected}, got {shapes}")
    return f"{len(expected)} inputs have the published shapes"


def _inference(network: Network) -> str:
    state = State(published=False)
    legal = state.legal_actions()
    _, outputs = Policy(network, 0.5).actions(range(7), state.observation(), legal)
    shapes = {name: array.shape for name, array in outputs.items()}
    _demand(shapes == SHAPES, f"expected {SHAPES}, got {shapes}")
    found = step_output_difference(outputs, None, legal, "network")
    _demand(found is None, "" if found is None else f"{found[0]}: expected {found[1]}, found {found[2]}")
    return "values and policies are distributions of the published shapes, over legal actions alone"


def _copies(network: Network) -> str:
    given = _start()
    rows = copies_of([5])
    found = network.decide(given, published_draws(key_of(0), 5), rows, values=False).shrunk(35)
    _demand(found.shape == (35, 17), f"expected 5 copies of 7 powers and 17 orders, got {found.shape}")
    return "five samples of one state from one look at it"


def _play(network: Network) -> str:
    state, policy = State(published=False), Policy(network, 0.1, outputs=False)
    for _ in range(PHASES):
        actions, _ = policy.actions(range(7), state.observation(), state.legal_actions())
        state.step(actions)
    return f"its orders are legal in {PHASES} phases"


def _files(parameters: Parameters) -> str:
    if _count(parameters) > LARGE:
        return "left out: the network is large"
    kinds: tuple[FileKind, ...] = ("safetensors", "npz", "published")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder) / kind
            write_parameters(parameters, path, kind)
            found = read_parameters(path)
            same = all(np.array_equal(found.arrays[name], array) for name, array in parameters.arrays.items())
            _demand(same, f"what is written as {kind} is not what is read")
    return f"comes back from {', '.join(kinds[:-1])} and {kinds[-1]} files as it was"


def _update(parameters: Parameters) -> str:
    if _count(parameters) > LARGE:
        return "left out: the network is large"
    from parlour.training.batches import BatchRoom, training_batch
    from parlour.training.trainer import Trainer

    trainer = Trainer(parameters, 1e-3)
    given = _start()
    played = Network(parameters.config, parameters.arrays).decide(given, values=False).shrunk(7)[None]
    won = np.eye(1, 7, dtype=np.float32)  # equal results would leave a new network no value to learn
    actions = np.where(played == 0, -1, played).astype(np.int32)
    batch, places = training_batch(given, actions, won, np.ones((1, 7), np.float32), BatchRoom.none())
    figures = {name: float(value) for name, value in trainer.learn(batch, places).items()}
    _demand(set(figures) == set(LOSSES), f"expected the figures {', '.join(LOSSES)}, got {', '.join(figures)}")
    _demand(all(map(np.isfinite, figures.values())), f"a figure is not finite: {figures}")
    after = trainer.parameters.arrays
    moved = sum(not np.array_equal(after[name], array) for name, array in parameters.arrays.items())
    _demand(moved > 0, "nothing changed by it")
    return f"a step with loss {figures['total_loss']:.3f} changes {moved} of {len(after)} arrays; all figures are there"
