"""Improves a network by learning its own sampled best responses, round by round, and measures the gain."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parlour.core import seeds
from parlour.deepmind.network.network import Network
from parlour.deepmind.network.parameters import read_parameters, write_parameters
from parlour.errors import ConfigError
from parlour.tournament.engines.base import EngineName, open_engine
from parlour.tournament.statistics.means import Estimate, mean_of
from parlour.training.games import (
    agent_of,
    events_of,
    one_against_the_rest,
    plan_of,
    play_all,
    same_on_all_seats,
    scores_of,
)
from parlour.training.loader import Loader, room_for
from parlour.training.phases import PlayedPhases, joined
from parlour.training.responses import Sampling, respond_all
from parlour.training.sources import phases_of_record
from parlour.training.trainer import Run, Trainer

PANELS = {"policy loss": ("policy_loss",), "value loss": ("value_loss",), "accuracy, by order": ("accuracy",)}
SHOWN = ("total_loss", "policy_loss", "value_loss", "accuracy")


@dataclass(frozen=True)
class Rounds:
    """The number of rounds, matches and steps."""

    rounds: int = 2
    matches: int = 28
    """Number of matches that the network plays with itself in each round."""
    steps: int = 150
    """Number of training steps in each round."""
    batch: int = 32
    last_year: int = 1905
    temperature: float = 1.0
    """Sampling temperature of the games."""
    engine: EngineName = "local"
    jobs: int | None = None


ProgressReport = Callable[[str, int, int, Mapping[str, float]], None]
"""Called with the current step of the round, the work done, the total, and figures such as losses."""


def improve(trainer: Trainer, run: Run, rounds: Rounds, how: Sampling, seed: int, report: ProgressReport) -> None:
    """Play, respond and learn until all rounds are done. Rounds of an earlier run are not repeated."""
    for number in range(trainer.step // rounds.steps, rounds.rounds):
        own = seeds.training_round(seed, number)
        targets = _targets(trainer, run, number, rounds, how, own, report)
        _learn(trainer, run, targets, (number + 1) * rounds.steps, rounds, own, report)


def _targets(
    trainer: Trainer, run: Run, number: int, rounds: Rounds, how: Sampling, seed: int, report: ProgressReport
) -> PlayedPhases:
    """Return phases of the network's matches with itself, with best responses in place of the played orders."""
    kept, base = run.folder / f"responses-{number}.safetensors", run.folder / f"round-{number}.safetensors"
    if kept.is_file():
        return PlayedPhases.load(kept)
    if not base.is_file():
        write_parameters(trainer.parameters, base)
    plan = plan_of({"self": agent_of(base, rounds.temperature)}, rounds.last_year, seed, records=True)
    sittings = same_on_all_seats("self", rounds.matches, plan.seed)
    with open_engine(plan, rounds.engine, rounds.jobs) as engine:
        played = play_all(engine, sittings, lambda done: report("playing", done, rounds.matches, {}))
    phases = joined([phases_of_record(events_of(delivery), how.returns) for delivery in played])
    parameters = read_parameters(base)
    network = Network(parameters.config, parameters.arrays)
    found = respond_all(
        network, phases, how, seed, rounds.jobs or os.cpu_count() or 1,
        lambda done: report("responding", done, len(phases), {}),
    )  # fmt: skip
    found.save(kept)
    return found


def _learn(
    trainer: Trainer, run: Run, targets: PlayedPhases, until: int, rounds: Rounds, seed: int, report: ProgressReport
) -> None:
    rows = np.flatnonzero(targets.counts.any(axis=1))
    if len(rows) == 0:
        raise ConfigError("matches: nothing was played that could be learned from", field="matches")
    room = room_for(targets, rows, rounds.batch, seed)
    began, first = time.monotonic(), trainer.step
    with Loader(targets, rows, rounds.batch, seed, first, until, room) as loader:
        for made in loader:
            figures = trainer.learn(*made)
            if trainer.step % 10 == 0 or trainer.step == until:
                shown = {name: float(figures[name]) for name in SHOWN}
                run.note({"step": trainer.step, **shown})
                speed = (trainer.step - first) / max(time.monotonic() - began, 1e-9)
                report("learning", trainer.step, rounds.rounds * rounds.steps, {**shown, "steps_per_second": speed})
            if trainer.step % 100 == 0 or trainer.step == until:
                trainer.save(run.folder)


def compare(
    improved: Path, base: Path, blocks: int, rounds: Rounds, temperature: float, seed: int, report: ProgressReport
) -> dict[str, Estimate]:
    """Return the scores of one network on one seat among six of another, by all systems.

    In a system that shares out one point per match, one seventh means equal strength.
    """
    agents = {"improved": agent_of(improved, temperature), "base": agent_of(base, temperature)}
    plan = plan_of(agents, rounds.last_year, seed, records=False)
    sittings = one_against_the_rest(plan, "improved", "base", blocks)
    with open_engine(plan, rounds.engine, rounds.jobs) as engine:
        played = play_all(engine, sittings, lambda done: report("comparing", done, len(sittings), {}))
    found = {}
    for system in played[0].played.seats[0].scores:
        scores = np.array([scores_of(delivery, "improved", system) for delivery in played])
        estimate = mean_of(scores.reshape(blocks, -1).mean(axis=1))
        assert estimate is not None
        found[system] = estimate
    return found
