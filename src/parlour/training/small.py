"""Trains the small network on matches of `search`: the orders, and the final result of each power."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.area_network import SmallNetwork, features, made_small, scores, seen, worths
from parlour.core import seeds
from parlour.deepmind.network.parameters import whole_file
from parlour.deepmind.network.safetensors import read_safetensors, write_safetensors
from parlour.deepmind.provinces import NUM_POWERS
from parlour.errors import NotationError
from parlour.referee.record import RecordWriter
from parlour.tournament.engines.base import open_engine
from parlour.training.games import events_of, plan_of, play_all, same_on_all_seats
from parlour.training.phases import PlayedPhases
from parlour.training.trainer import Figures, Run, optimizer_of

NETWORK, MEMORY = "net.safetensors", "optimizer.safetensors"
PANELS = {
    "policy loss": ("policy_loss", "held_policy_loss", "held_uniform_policy_loss"),
    "value loss": ("value_loss", "held_value_loss", "held_uniform_value_loss"),
    "accuracy, by order": ("accuracy", "held_accuracy"),
}
PAD = 4096
"""Legal actions are padded to multiples of this, so that little is compiled."""
Rows = npt.NDArray[np.int64]


class SmallBatch(NamedTuple):
    """Phases as the small network learns from them."""

    board: Any
    season: Any
    builds: Any
    returns: Any
    """[B, 7]: final return of each power."""
    rows: Any
    """[T]: the row (7 phase + power) of each legal action; padding belongs to the last step."""
    actions: Any
    steps: Any
    """[T]: the step of each legal action, ascending."""
    chosen: Any
    """[steps]: index of the legal action that was ordered."""
    counts: Any
    """[steps]: number of legal actions; 0 for padding."""


def small_batch(phases: PlayedPhases, rows: Rows) -> SmallBatch:
    """Return a batch of some phases; steps whose order is not known are left out."""
    given, played = phases.inputs(rows), phases.actions[rows]
    states, powers, numbers = np.nonzero(np.arange(played.shape[2]) < given.lengths[..., None])
    action_lists, chosen, counts, owners = [], [], [], []
    total = 0
    for state, power, number in zip(states.tolist(), powers.tolist(), numbers.tolist(), strict=True):
        begin, end = given.spans[state, power, number].tolist()
        legal = given.indices[begin:end]
        place = np.flatnonzero(legal == played[state, power, number])
        if len(place):
            action_lists.append(legal)
            chosen.append(total + int(place[0]))
            counts.append(len(legal))
            owners.append(state * NUM_POWERS + power)
            total += len(legal)
    steps = 128 * -(-(len(chosen) + 1) // 128)
    size = PAD * -(-(total + 1) // PAD)
    padding = size - total
    return SmallBatch(
        given.board, given.season, given.build_numbers, phases.returns[rows],
        np.concatenate([np.repeat(owners, counts), np.zeros(padding)]).astype(np.int32),
        np.concatenate([*action_lists, np.zeros(padding)]).astype(np.int32),
        np.concatenate([np.repeat(np.arange(len(counts)), counts), np.full(padding, steps - 1)]).astype(np.int32),
        np.array(chosen + [size - 1] * (steps - len(chosen)), np.int32),
        np.array(counts + [0] * (steps - len(counts)), np.int32),
    )  # fmt: skip


def small_loss(weights: Mapping[str, Any], batch: SmallBatch) -> tuple[Any, dict[str, Any]]:
    """Return the total loss, and its figures: cross-entropy of the orders and of the results; on JAX."""
    import jax
    import jax.numpy as xp

    parts = (batch.board, batch.season, batch.builds)
    board, season, builds = (xp.repeat(xp.asarray(part), NUM_POWERS, axis=0) for part in parts)
    powers = xp.tile(xp.arange(NUM_POWERS), len(batch.season))
    known = seen(xp, weights, features(xp, board, season, builds, powers))
    logits = scores(xp, weights, known, batch.rows, batch.actions)
    steps = len(batch.counts)
    top = jax.ops.segment_max(logits, batch.steps, steps, indices_are_sorted=True)
    total = jax.ops.segment_sum(xp.exp(logits - top[batch.steps]), batch.steps, steps, indices_are_sorted=True)
    real = batch.counts > 0
    count = xp.maximum(real.sum(), 1)
    surprise = xp.where(real, xp.log(total) + top - logits[batch.chosen], 0)
    values = jax.nn.log_softmax(worths(xp, weights, known).reshape(-1, NUM_POWERS))
    figures = {
        "policy_loss": surprise.sum() / count,
        "uniform_policy_loss": xp.where(real, xp.log(xp.maximum(batch.counts, 1)), 0).sum() / count,
        "value_loss": -(values * batch.returns).sum(axis=-1).mean(),
        "uniform_value_loss": xp.log(NUM_POWERS) * batch.returns.sum(axis=-1).mean(),
        "accuracy": (real & (logits[batch.chosen] >= top)).sum() / count,
    }
    return figures["policy_loss"] + NUM_POWERS * figures["value_loss"], figures


@cache
def _compiled(rate: float) -> tuple[Any, Any, Any]:
    optimizer = optimizer_of(rate)
    import jax

    def learn(weights: Any, memory: Any, batch: SmallBatch) -> Any:
        (_, figures), slopes = jax.value_and_grad(small_loss, has_aux=True)(weights, batch)
        changes, memory = optimizer.update(slopes, memory, weights)
        return {name: weights[name] + changes[name] for name in weights}, memory, figures

    return optimizer, jax.jit(learn), jax.jit(lambda weights, batch: small_loss(weights, batch)[1])


class SmallTrainer:
    """A small network that learns."""

    def __init__(self, network: SmallNetwork, rate: float) -> None:
        optimizer, self._learn, self._look = _compiled(rate)
        import jax

        self._jax = jax
        self.step = network.step
        self._weights = {name: jax.numpy.asarray(array) for name, array in network.arrays.items()}
        self._memory = optimizer.init(self._weights)

    def learn(self, batch: SmallBatch) -> Figures:
        """Learn one step. Return the figures of the batch before it."""
        self._weights, self._memory, figures = self._learn(self._weights, self._memory, batch)
        self.step += 1
        return {name: float(value) for name, value in figures.items()}

    def judge(self, batches: list[SmallBatch]) -> Figures:
        """Return the mean figures over batches."""
        found = [self._look(self._weights, batch) for batch in batches]
        return {name: float(np.mean([each[name] for each in found])) for name in found[0]}

    @property
    def network(self) -> SmallNetwork:
        """The network with all that was learned so far."""
        return SmallNetwork({name: np.asarray(array) for name, array in self._weights.items()}, self.step)

    def save(self, folder: Path) -> None:
        """Write the checkpoint, with optimizer and weights, and then the network."""
        leaves = {str(at): np.asarray(leaf) for at, leaf in enumerate(self._jax.tree.leaves(self._memory))}
        arrays = {name: np.asarray(array) for name, array in self._weights.items()}
        with whole_file(folder / MEMORY) as file:
            write_safetensors(file, {**leaves, **arrays}, {"step": str(self.step)})
        self.network.save(folder / NETWORK)

    def restore(self, folder: Path) -> None:
        """Continue from the last checkpoint, if there is one."""
        if not (folder / MEMORY).is_file():
            return
        arrays, words = read_safetensors(folder / MEMORY)
        leaves, shape = self._jax.tree.flatten(self._memory)
        found = [arrays.get(str(at)) for at in range(len(leaves))]
        pairs = zip(found, leaves, strict=True)
        if any(array is None or array.shape != np.shape(leaf) for array, leaf in pairs):
            raise NotationError(f"{MEMORY}: is of another network")
        self._memory = self._jax.tree.unflatten(shape, [self._jax.numpy.asarray(array) for array in found])
        self._weights = {name: self._jax.numpy.asarray(arrays[name]) for name in self._weights}
        self.step = int(words["step"])


SmallStepReport = Callable[[int, Mapping[str, float]], None]


def learn_small(
    run: Run,
    phases: PlayedPhases,
    rows: tuple[Rows, Rows],
    steps: int,
    size: int,
    rate: float,
    seed: int,
    report: SmallStepReport,
) -> tuple[SmallNetwork, Figures]:
    """Learn from the first rows until the steps are done, judged by the second; return network and last figures."""
    trainer = SmallTrainer(SmallNetwork(made_small(seed)), rate)
    trainer.restore(run.folder)
    run.drop_after(trainer.step)
    learning, held = rows
    judged = np.random.default_rng(seed).permutation(held)[: 16 * size]
    parts = np.array_split(judged, max(1, len(judged) // size))
    batches = [small_batch(phases, part) for part in parts]
    began, first = time.monotonic(), trainer.step
    while trainer.step < steps:
        chosen = np.random.default_rng(seeds.training_draws(seed, trainer.step)).choice(learning, size)
        figures = trainer.learn(small_batch(phases, chosen))
        done = trainer.step == steps
        if trainer.step % 20 == 0 or done:
            speed = (trainer.step - first) / max(time.monotonic() - began, 1e-9)
            total = figures["policy_loss"] + figures["value_loss"]
            report(trainer.step, {**figures, "total_loss": total, "steps_per_second": speed})
            held_figures = trainer.judge(batches) if trainer.step % 100 == 0 or done else {}
            run.note({"step": trainer.step, **figures, **{f"held_{name}": x for name, x in held_figures.items()}})
            trainer.save(run.folder)
    return trainer.network, trainer.judge(batches)


def play_for_small(
    folder: Path, games: int, budget: int, last_year: int, seed: int, jobs: int | None, report: Callable[[int], None]
) -> None:
    """Play matches of `search` with itself, each a record in a folder; existing ones are not played again."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = plan_of({"search": f"search:budget={budget}"}, last_year, seed, records=True)
    left = [each for each in same_on_all_seats("search", games, seed) if not _place(folder, each.number).is_file()]
    with open_engine(plan, "local", jobs) as engine:
        for first in range(0, len(left), 8):
            group = left[first : first + 8]
            done = games - len(left) + first
            for delivery in play_all(engine, group, lambda count, done=done: report(done + count)):  # type: ignore[misc]
                part = folder / f"{delivery.played.number}.part"
                part.unlink(missing_ok=True)
                with RecordWriter(part) as writer:
                    for event in events_of(delivery):
                        writer.write([event])
                part.replace(_place(folder, delivery.played.number))


def _place(folder: Path, number: int) -> Path:
    return folder / f"match-{number}.jsonl"
