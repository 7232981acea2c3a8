"""Learns from batches on JAX, step by step, with checkpoints on disk.

A folder holds a run: `network.safetensors`, which plays; beside it the optimizer's state of the same step;
`progress.jsonl` with the figures; `settings.json`, which must be the same when the run is continued.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.names import entries
from parlour.deepmind.network.parameters import Parameters, read_parameters, whole_file, write_parameters
from parlour.deepmind.network.safetensors import read_safetensors, write_safetensors
from parlour.errors import ConfigError, MissingExtra, NotationError
from parlour.training.batches import TrainingBatch
from parlour.training.loss import averaged, loss_of

NETWORK, PROGRESS, SETTINGS = "network.safetensors", "progress.jsonl", "settings.json"
Figures = dict[str, float]


def optimizer_of(rate: float) -> Any:
    """Return Adam with gradients clipped at a norm of 1. Raise MissingExtra without the extra `net`."""
    try:
        import optax  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("net", "training") from None
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))


class Compiled(NamedTuple):
    """The compiled functions for networks of one size, shared by all trainers with the same learning rate."""

    optimizer: Any
    learn: Callable[..., Any]
    look: Callable[..., Any]


@lru_cache(maxsize=8)
def compiled(config: NetworkConfig, rate: float) -> Compiled:
    """Return the optimizer, a compiled training step, and a compiled evaluation."""
    optimizer = optimizer_of(rate)
    import jax

    def learn(weights: Any, state: Any, memory: Any, batch: TrainingBatch, places: int) -> Any:
        def loss(weights: Any) -> Any:
            return loss_of({**state, **weights}, config, batch, places, training=True)

        (_, (figures, seen)), slopes = jax.value_and_grad(loss, has_aux=True)(weights)
        changes, memory = optimizer.update(slopes, memory, weights)
        weights = {name: weights[name] + changes[name] for name in weights}
        return weights, averaged(config, state, seen), memory, figures

    def look(weights: Any, state: Any, batch: TrainingBatch, places: int) -> Any:
        return loss_of({**state, **weights}, config, batch, places, training=False)[1][0]

    return Compiled(optimizer, jax.jit(learn, static_argnums=4), jax.jit(look, static_argnums=3))


class Trainer:
    """A network that learns."""

    def __init__(self, parameters: Parameters, rate: float) -> None:
        self._compiled = compiled(parameters.config, rate)
        import jax

        self._jax = jax
        self.config: NetworkConfig = parameters.config
        self.step = parameters.step
        learned = {entry.ours for entry in entries(self.config) if not entry.state}
        arrays = {name: jax.numpy.asarray(array) for name, array in parameters.arrays.items()}
        self._weights = {name: array for name, array in arrays.items() if name in learned}
        self._state = {name: array for name, array in arrays.items() if name not in learned}
        self._memory = self._compiled.optimizer.init(self._weights)

    def learn(self, batch: TrainingBatch, places: int) -> Any:
        """Learn one step. Return the figures of the batch before it, which are computed when they are read."""
        self._weights, self._state, self._memory, figures = self._compiled.learn(
            self._weights, self._state, self._memory, batch, places
        )
        self.step += 1
        return figures

    def judge(self, batches: Iterable[tuple[TrainingBatch, int]]) -> Figures:
        """Return the mean figures over batches, with the averages that a network plays with."""
        found = [self._compiled.look(self._weights, self._state, *made) for made in batches]
        return {name: float(np.mean([each[name] for each in found])) for name in found[0]}

    @property
    def parameters(self) -> Parameters:
        """The parameters learned so far."""
        arrays = {name: np.asarray(array) for name, array in {**self._weights, **self._state}.items()}
        return Parameters(self.config, {entry.ours: arrays[entry.ours] for entry in entries(self.config)}, self.step)

    def save(self, folder: Path) -> None:
        """Write optimizer and network; the network on disk always has the optimizer of its step beside it."""
        memory = {str(at): np.asarray(leaf) for at, leaf in enumerate(self._jax.tree.leaves(self._memory))}
        with whole_file(folder / _memory_name(self.step)) as file:
            write_safetensors(file, memory, {"step": str(self.step)})
        write_parameters(self.parameters, folder / NETWORK)
        for other in folder.glob(_memory_name("*")):
            if other.name != _memory_name(self.step):
                other.unlink(missing_ok=True)

    def restore(self, folder: Path) -> None:
        """Read the optimizer's state of this step from the folder."""
        path = folder / _memory_name(self.step)
        if not path.is_file():
            raise NotationError(f"{path.name}: is missing; the run cannot be continued")
        arrays, _ = read_safetensors(path)
        leaves, shape = self._jax.tree.flatten(self._memory)
        found = [arrays.get(str(at)) for at in range(len(leaves))]
        pairs = zip(found, leaves, strict=True)
        if len(arrays) != len(leaves) or any(a is None or a.shape != np.shape(leaf) for a, leaf in pairs):
            raise NotationError(f"{path.name}: is of another network")
        self._memory = self._jax.tree.unflatten(shape, [self._jax.numpy.asarray(array) for array in found])


def _memory_name(step: int | str) -> str:
    return f"optimizer-{step}.safetensors"


@dataclass(frozen=True)
class Run:
    """The folder of a training run."""

    folder: Path

    def begin(self, settings: Mapping[str, Any], fresh: Callable[[], Parameters], rate: float) -> Trainer:
        """Return a trainer that begins, or continues a stopped run with the same settings."""
        if not (self.folder / NETWORK).is_file():
            trainer = Trainer(fresh(), rate)  # report unusable parameters before the folder is claimed
            self.claim(settings)
            return trainer
        self.claim(settings)
        trainer = Trainer(read_parameters(self.folder / NETWORK), rate)
        trainer.restore(self.folder)
        self.drop_after(trainer.step)
        return trainer

    def claim(self, settings: Mapping[str, Any]) -> None:
        """Claim the folder for a run with these settings; raise ConfigError if it holds anything else."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for cut_off in self.folder.glob("*.part*"):
            cut_off.unlink()
        known = self.folder / SETTINGS
        wanted = json.loads(json.dumps(dict(settings)))
        if known.is_file():
            before = json.loads(known.read_text(encoding="utf-8"))
            if before != wanted:
                other = sorted(name for name in {*before, *wanted} if before.get(name) != wanted.get(name))
                raise ConfigError(
                    f"{str(self.folder)!r:.200} holds a run with another {', '.join(other)}: take another folder",
                    field="to",
                )
        elif any(self.folder.iterdir()):
            raise ConfigError(
                f"{str(self.folder)!r:.200} is not empty and holds no run: take another folder", field="to"
            )
        else:
            with whole_file(known) as file:
                file.write(json.dumps(wanted, indent=1).encode())

    def note(self, figures: Mapping[str, float | int | str]) -> None:
        """Add a line to the figures."""
        with (self.folder / PROGRESS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(dict(figures)) + "\n")

    def notes(self) -> list[dict[str, Any]]:
        """Return the figures so far; a line that was cut off is left out."""
        path = self.folder / PROGRESS
        found = []
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return [note for note in found if isinstance(note, dict)]

    def drop_after(self, step: int) -> None:
        """Remove the figures of steps that are trained again."""
        kept = [note for note in self.notes() if note.get("step", 0) <= step]
        with whole_file(self.folder / PROGRESS) as file:
            file.write("".join(json.dumps(note) + "\n" for note in kept).encode())
