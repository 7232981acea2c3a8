"""Cost of the published network at full size, on NumPy and on JAX: decisions, samples, memory, loading, training.

Run: python bench/network.py [ROUNDS]        CPU time of all threads, least of 5 rounds; about 3 minutes, 1.2 GB of disk

On a processor the network on JAX leaves its encoders to our kernel; "jax alone" is without it, as on other devices.
The first rows are the time to read all weights once, and the time of all products at the speed of one large product.
Parameters are made up, which costs the same as real ones. The original's figures were measured with the published code,
compiled by JAX, on the same kind of machine (2 cores); the published code always makes 17 steps for each power.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import usage
from parlour.deepmind import RandomPolicy, State
from parlour.deepmind.network.blas import one_thread
from parlour.deepmind.network.config import PUBLISHED, SMALL
from parlour.deepmind.network.layers import Weights
from parlour.deepmind.network.network import Network, copies_of, published_draws
from parlour.deepmind.network.parameters import FileKind, made_parameters, write_parameters
from parlour.deepmind.network.policy import load_network
from parlour.deepmind.network.stream import key_of
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer, stacked
from parlour.errors import MissingExtra

ROUNDS = 5
PHASES = 12
"""Phases of random play before a state is taken; about 30 orders are due in it."""
BATCHES = (1, 4, 16)
ORIGINAL = {1: 379.0, 16: 3575.0}
"""CPU milliseconds of the published code for a batch."""
ORIGINAL_MEMORY = 1.6e9
LIMITS = {("numpy", 1): 95.0, ("numpy", 16): 560.0, ("jax", 1): 70.0, ("jax", 16): 500.0}
MOST_MEMORY = 0.9e9
MOST_LOADING = 2.0
COPIES = 64
PAGE = 4096
LINE = 16
"""Numbers in a line of a cache."""
SQUARE = 1024
"""The size of a matrix product that is large enough for full speed."""
LEARNED_STEPS = 10


def main(rounds: int) -> None:
    """Print a line for each figure."""
    parameters = made_parameters(PUBLISHED)
    states = midgames(max(BATCHES))
    due = [int(state.lengths.sum()) for state in states]
    print(f"full size, made parameters; {len(states)} states of random play with {sum(due) / len(due):.0f} orders due")
    print(f"{'':38} {'original':>9} {'here':>9} {'ratio':>7} {'at most':>8}")
    floor(parameters.arrays, states, rounds)
    decisions("numpy", Network(PUBLISHED, parameters.arrays), states, rounds)
    samples(Network(PUBLISHED, parameters.arrays), states[0], rounds)
    with tempfile.TemporaryDirectory() as folder:
        kinds: tuple[FileKind, ...] = ("safetensors", "published")
        for kind in kinds:
            write_parameters(parameters, Path(folder) / kind, kind)
            memory(Path(folder) / kind, kind)
            loading(Path(folder) / kind, kind, rounds)
    try:
        from parlour.deepmind.network.jax_network import JaxNetwork

        decisions("jax", JaxNetwork(PUBLISHED, parameters.arrays), states, rounds)
        alone = JaxNetwork(PUBLISHED, parameters.arrays, kernel=False)
        del parameters
        decisions("jax alone", alone, states, rounds)
        training()
    except MissingExtra as missing:
        print(f"left out: {missing}")


def midgames(count: int) -> list[NetworkInput]:
    """Return states of random games, all in movement phases."""
    found: list[NetworkInput] = []
    seed = 0
    while len(found) < count:
        state, policy, carried = State(published=False), RandomPolicy(seed), None
        seed += 1
        for number in range(2 * PHASES):
            seen, lists = state.observation(), state.legal_actions()
            given, carried = ObservationTransformer().transform(seen, lists, carried=carried, temperature=0.5)
            if number >= PHASES and int(given.season[0]) in (0, 2):
                found.append(given)
                break
            state.step(policy.actions(range(NUM_POWERS), seen, lists)[0])
    return found


def least(work: Callable[[], object], rounds: int) -> float:
    """Return the CPU milliseconds of the best round."""
    spent = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - began))
    return min(spent)


def decisions(library: str, network: Network, states: list[NetworkInput], rounds: int) -> None:
    """Print the cost of values and sampled orders of all powers for batches of states; on JAX also of compiling."""
    for size in BATCHES:
        work = partial(network.decide, stacked(states[:size]), published_draws(key_of(1), size))
        first = least(work, 1)
        spent = least(work, rounds)
        row(f"batch of {size}, {library}, ms", ORIGINAL.get(size), spent, LIMITS.get((library, size)))
        if library != "numpy":
            row(f"  compiling for it, {library}, s", None, (first - spent) / 1000, None)


def floor(arrays: Weights, states: list[NetworkInput], rounds: int) -> None:
    """Print the least possible cost: to read the layers' weights once, and the arithmetic of their products."""
    layers = [(name.split("/")[1], array) for name, array in arrays.items() if array.ndim == 3 and "/weight" in name]
    size = sum(array.nbytes for _, array in layers) / 1e6
    reading = least(lambda: [array.reshape(-1)[::LINE].sum() for _, array in layers], rounds)
    row(f"{size:.0f} MB of weights read in order, ms", None, reading, None)
    square = np.ones((SQUARE, SQUARE), np.float32)
    with one_thread():
        speed = 2 * SQUARE**3 / least(lambda: square @ square, rounds)
    for batch in BATCHES:
        due = sum(int(state.lengths.sum()) for state in states[:batch])
        rows = {"shared": batch, "player": batch * NUM_POWERS, "core": due}
        # The first layers of players and decoder are computed for the shared part, and only where something is.
        rows |= {"player_0": batch, "core_0": 0}
        work = 2 * sum(array.size * rows.get(layer, rows[layer.split("_")[0]]) for layer, array in layers)
        row(f"{work / 1e9:.1f} GFLOP, for a batch of {batch}, ms", None, work / speed, None)


def samples(network: Network, state: NetworkInput, rounds: int) -> None:
    """Print the speed of many draws of all powers' orders in one state, encoded once."""
    rows = copies_of([COPIES])
    spent = least(lambda: network.decide(state, published_draws(key_of(1), COPIES), rows, values=False), rounds)
    row("samples of all powers a second", None, 1000 * COPIES / spent, None)


def memory(path: Path, kind: str) -> None:
    """Print the peak memory of a program that reads a file and decides one state and sixteen."""
    child = subprocess.run([sys.executable, __file__, "--resident", path], capture_output=True, text=True, check=True)
    row(f"resident memory, {kind}, GB", ORIGINAL_MEMORY / 1e9, float(child.stdout) / 1e9, MOST_MEMORY / 1e9)


def resident(path: Path) -> None:
    """Print the peak number of resident bytes; runs in a program of its own."""
    network, states = load_network(path), midgames(16)
    for batch in (states[0], stacked(states)):
        network.decide(batch, published_draws(key_of(1), len(batch)))
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")))


def loading(path: Path, kind: str, rounds: int) -> None:
    """Print the time to load a network and touch every page, as a multiple of the time to read its file."""
    buffer = bytearray(path.stat().st_size)

    def read() -> None:
        with path.open("rb") as file:
            file.readinto(buffer)

    def ready() -> None:
        network = load_network(path)
        for array in network._layers.weights.values():
            array.reshape(-1)[:: PAGE // 4].sum()

    reading = least(read, rounds)
    row(f"ready, {kind}, by reading the file", None, least(ready, rounds) / reading, MOST_LOADING)


def training() -> None:
    """Print the training steps per second of the small network, with batches of 32 phases of random play."""
    from parlour.training.loader import batch_of, room_for
    from parlour.training.phases import match_phases
    from parlour.training.trainer import Trainer

    state, policy = State(published=False), RandomPolicy(0)
    rows, actions = [], []
    for _ in range(4 * PHASES):
        lists = policy.actions(range(NUM_POWERS), state.observation(), state.legal_actions())[0]
        rows.append(state.row.tobytes())
        actions.append(lists)
        state.step(lists)
    phases = match_phases(rows, actions, np.full(NUM_POWERS, 1 / NUM_POWERS, np.float32))
    every = np.arange(len(phases))
    batch = batch_of(phases, every[:32], room_for(phases, every, 32, 0))
    trainer = Trainer(made_parameters(SMALL), 1e-3)
    first = least(lambda: float(trainer.learn(*batch)["total_loss"]), 1)
    spent = least(lambda: float(trainer.learn(*batch)["total_loss"]), LEARNED_STEPS)
    row("small network, steps a second", None, 1000 / spent, None)
    row("  compiling a step, s", None, (first - spent) / 1000, None)


def row(name: str, original: float | None, here: float, limit: float | None) -> None:
    """Print one figure beside the original's and its limit."""
    others = f"{'' if original is None else f'{original:.1f}':>9}"
    ratio = "" if original is None else f"{original / here:.1f}"
    verdict = "" if limit is None else f"{limit:>8.1f}{'' if here <= limit else '  NOT MET'}"
    print(f"{name:38} {others} {here:>9.1f} {ratio:>7} {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--resident"]:
        resident(Path(sys.argv[2]))
    else:
        main(usage.number(__doc__, "rounds", ROUNDS))
