"""The published imitation loss and its figures, on JAX: cross-entropy of the played orders, and of the winner.

Two averages differ from the published code: batch norms use real steps only (the published ones also use padding), and
the entropy counts real steps only. The examples to learn from are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parlour.deepmind.network.arrays import Array, JaxArrays
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.decoder import LOWEST, Decoder, TurnReading
from parlour.deepmind.network.encoder import encode, value_logits
from parlour.deepmind.network.layers import EPSILON, Layers, Weights
from parlour.deepmind.network.names import entries
from parlour.deepmind.network.plan import all_rows
from parlour.deepmind.provinces import NUM_POWERS
from parlour.training.batches import TrainingBatch

DECAY = 0.9
"""Decay of the running averages of batch norms."""


class TrainingLayers(Layers):
    """Layers whose batch norms use, and remember, the statistics of the batch at hand."""

    def __init__(self, arrays: JaxArrays, weights: Weights) -> None:
        super().__init__(arrays, weights)
        self.rows: Array | None = None
        """[rows]: 1 for those that count; None if all do."""
        self.seen: dict[str, tuple[Array, Array]] = {}

    def affine(self, prefix: str, x: Array) -> tuple[Array, Array]:
        """Return the multiplier and the offset that normalize by mean and variance over all nodes and counted rows."""
        if self.rows is None:
            mean, square = x.mean(axis=(0, 1)), (x * x).mean(axis=(0, 1))
        else:
            count = self.xp.maximum(self.rows.sum(), 1) * x.shape[0]
            weighted = x * self.rows[None, :, None]
            mean, square = weighted.sum(axis=(0, 1)) / count, (weighted * x).sum(axis=(0, 1)) / count
        variance = self.xp.maximum(square - mean * mean, 0)
        self.seen[prefix] = mean, variance
        multiplier = self.weights[f"{prefix}/scale"].reshape(-1) / self.xp.sqrt(variance + EPSILON)
        return multiplier, self.weights[f"{prefix}/offset"].reshape(-1) - mean * multiplier


def loss_of(
    weights: Weights, config: NetworkConfig, batch: TrainingBatch, places: int, *, training: bool
) -> tuple[Array, tuple[dict[str, Array], dict[str, tuple[Array, Array]]]]:
    """Return the total loss; the published figures; and, in training, the statistics of each batch norm."""
    arrays = JaxArrays()
    layers = TrainingLayers(arrays, weights) if training else Layers(arrays, weights)
    xp, states = arrays.xp, len(batch.season)
    boards = batch.board, batch.last_moves_board
    encoded = encode(layers, config, boards, batch.acts, batch.season, batch.build_numbers, all_rows(states))
    values = value_logits(layers, config, encoded.mean(states))
    steps = len(batch.legal_counts)
    real = batch.legal_counts > 0
    if isinstance(layers, TrainingLayers):
        layers.rows = real.astype(np.float32)
    reading = TurnReading(*batch.reads, batch.read_sizes, *batch.products)
    decoder = Decoder.over(layers, config, encoded, reading, places)
    logits, allowed = decoder.forced(batch.turn)
    logits = xp.where(allowed, logits, LOWEST)
    found = _figures(arrays, batch, logits, values, steps, real)
    seen = layers.seen if isinstance(layers, TrainingLayers) else {}
    return found["total_loss"], (found, seen)


def _figures(
    arrays: JaxArrays, batch: TrainingBatch, logits: Array, values: Array, steps: int, real: Array
) -> dict[str, Array]:
    """Return all figures that the published loss reports, by their published names."""
    xp, segments = arrays.xp, batch.turn.legal_steps
    largest = arrays.segment_max(logits, segments, steps)
    raised = xp.exp(logits - largest[segments])
    total = arrays.segment_sum(raised, segments, steps)
    log_total = xp.log(xp.maximum(total, 1e-30)) + largest
    likelihood = logits - log_total[segments]
    padded = xp.concatenate([likelihood, xp.zeros(1, np.float32)])
    known = (batch.chosen < len(likelihood)) & real
    weight = xp.concatenate([batch.discounts.reshape(-1), xp.zeros(1, np.float32)])[batch.step_rows]
    rows = batch.discounts.size
    policy = xp.where(known, -padded[xp.minimum(batch.chosen, len(likelihood))], 0)
    share = raised / xp.maximum(total, 1e-30)[segments]
    entropy = arrays.segment_sum(xp.where(share > 0, -share * likelihood, 0), segments, steps)
    counts = xp.log(xp.maximum(batch.legal_counts, 1).astype(np.float32))
    best = xp.concatenate([logits, xp.full(1, LOWEST)])[xp.minimum(batch.chosen, len(logits))] >= largest
    right = (known & best).astype(np.float32)
    found = {
        **_value_figures(xp, batch, values),
        "policy_loss": (policy * weight).sum() / rows,
        "policy_entropy": (xp.where(real, entropy, 0) * weight).sum() / rows,
        "uniform_random_policy_loss": (xp.where(known, counts, 0) * weight).sum() / rows,
        "accuracy": right.sum() / xp.maximum(known.sum(), 1),
        "accuracy_weight": known.sum().astype(np.float32),
        **_whole(arrays, batch, right, known, rows),
    }
    for name in ("", "uniform_random_"):
        found[f"{name}total_loss"] = found[f"{name}policy_loss"] + found[f"{name}value_loss"]
    return found


def _value_figures(xp: Any, batch: TrainingBatch, values: Array) -> dict[str, Array]:
    counted = batch.discounts.max(axis=-1)
    shifted = values - values.max(axis=-1, keepdims=True)
    likelihood = shifted - xp.log(xp.exp(shifted).sum(axis=-1, keepdims=True))
    surprise = -(batch.returns * xp.log(batch.returns + 1e-7)).sum(axis=-1)
    return {
        "value_loss": (-(likelihood * batch.returns).sum(axis=-1) * counted).mean(),
        "returns_entropy": (surprise * counted).mean(),
        "uniform_random_value_loss": (np.log(NUM_POWERS) * batch.returns.sum(axis=-1) * counted).mean(),
    }


def _whole(arrays: JaxArrays, batch: TrainingBatch, right: Array, known: Array, rows: int) -> dict[str, Array]:
    """Return the share of powers whose orders were all the likeliest, and the number of powers with orders."""
    empty = arrays.xp.zeros(rows + 1, np.float32)
    hits = empty.at[batch.step_rows].add(right)
    due = empty.at[batch.step_rows].add(known.astype(np.float32))
    asked = (due > 0)[:rows]
    whole = asked & (hits >= due)[:rows]
    return {
        "whole_accuracy": whole.sum() / arrays.xp.maximum(asked.sum(), 1),
        "whole_accuracy_weight": asked.sum().astype(np.float32),
    }


def averaged(config: NetworkConfig, state: Weights, seen: dict[str, tuple[Array, Array]]) -> Weights:
    """Return the state of the batch norms after another batch: decayed sums, counts, and running averages."""
    after = dict(state)
    shapes = {entry.ours: entry.shape for entry in entries(config)}
    for prefix, pair in seen.items():
        for name, value in zip(("mean", "variance"), pair, strict=True):
            full = f"{prefix}/{name}"
            total = DECAY * state[f"{full}_sum"] + (1 - DECAY) * value.reshape(shapes[full])
            count = state[f"{full}_count"] + 1
            after[f"{full}_sum"], after[f"{full}_count"] = total, count
            after[full] = total / (1 - DECAY ** count.astype(np.float32))
    return after
