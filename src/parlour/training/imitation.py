"""Imitation: learns to play like recorded matches, and measures the result on held-out matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from parlour.training.loader import Loader, Rows, batch_of, room_for
from parlour.training.phases import PlayedPhases
from parlour.training.trainer import Figures, Run, Trainer

SHOWN = ("total_loss", "policy_loss", "value_loss", "accuracy", "whole_accuracy")
PANELS = {
    "policy loss": ("policy_loss", "held_policy_loss", "held_uniform_random_policy_loss"),
    "value loss": ("value_loss", "held_value_loss", "held_uniform_random_value_loss"),
    "accuracy, by order": ("accuracy", "held_accuracy"),
    "accuracy, all orders of a power": ("whole_accuracy", "held_whole_accuracy"),
}
HELD_BATCHES = 8
"""Maximum number of batches in each evaluation."""


@dataclass(frozen=True)
class Pace:
    """The number of steps, the batch size, and the number of steps between two evaluations."""

    steps: int
    """Total number of steps, including earlier ones."""
    batch: int = 32
    note_every: int = 10
    judge_every: int = 100
    save_every: int = 100


StepReport = Callable[[int, Mapping[str, float]], None]
"""Called with the number of the step and the figures so far."""


def imitate(
    trainer: Trainer, run: Run, phases: PlayedPhases, rows: tuple[Rows, Rows], pace: Pace, seed: int, report: StepReport
) -> Figures:
    """Learn from the first rows, judge by the second, and return the figures of the last judgement."""
    learning, held = rows
    room = room_for(phases, learning, pace.batch, seed)
    judged = np.random.default_rng(seed).permutation(held)[: pace.batch * HELD_BATCHES]
    judged = np.resize(judged, max(1, len(judged) // pace.batch) * pace.batch)
    batches = [batch_of(phases, part, room) for part in judged.reshape(-1, pace.batch)]
    held_figures = trainer.judge(batches)
    if trainer.step == 0:
        run.note({"step": 0, **_held(held_figures)})
    began, first = time.monotonic(), trainer.step
    with Loader(phases, learning, pace.batch, seed, first, pace.steps, room) as loader:
        for made in loader:
            figures = trainer.learn(*made)
            done = trainer.step == pace.steps
            if trainer.step % pace.note_every == 0 or done:
                shown = {name: float(value) for name, value in figures.items()}
                speed = (trainer.step - first) / max(time.monotonic() - began, 1e-9)
                report(trainer.step, {**shown, "steps_per_second": speed})
                note: dict[str, Any] = {"step": trainer.step, **{name: shown[name] for name in SHOWN}}
                if trainer.step % pace.judge_every < pace.note_every or done:
                    held_figures = trainer.judge(batches)
                    note |= _held(held_figures)
                run.note(note)
            if trainer.step % pace.save_every == 0 or done:
                trainer.save(run.folder)
    return held_figures


def _held(figures: Figures) -> Figures:
    return {f"held_{name}": value for name, value in figures.items()}
