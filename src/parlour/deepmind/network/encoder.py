"""The board encoders and the value head: a representation of each area, and the expected shares of the win."""

from __future__ import annotations

import numpy as np

from parlour.deepmind.network.arrays import Array
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.layers import Layers, Part, area_graph
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS


class Encoded:
    """The outputs of both encoders for each area and row (a state seen by a power), before their last norms.

    A last norm is the same for all areas, so it is applied to sums over areas instead, which costs far less.
    """

    def __init__(self, layers: Layers, halves: list[Array]) -> None:
        self._layers, self.halves = layers, halves
        self._affine = [layers.affine(f"encoder_{number}/last", half) for number, half in enumerate(halves)]

    def summed(self, areas: Array, rows: Array, items: Array, count: int, sizes: Array) -> Array:
        """Return [count, width]: each item's sum over its areas, given as area, row and item, divided by 81."""
        arrays, xp = self._layers.arrays, self._layers.xp
        parts = []
        for half, (multiplier, shift) in zip(self.halves, self._affine, strict=True):
            total = arrays.segment_sum(half[areas, rows], items, count)
            parts.append(total * multiplier + sizes[:, None] * shift)
        return xp.concatenate(parts, axis=-1) / NUM_AREAS

    def mean(self, states: int) -> Array:
        """Return [states, width]: the mean over areas and powers, if the rows are all powers of all states in order."""
        xp = self._layers.xp
        parts = []
        # As a product, since a sum over the first axis takes JAX as long as the decoder.
        share = np.full((1, NUM_AREAS), 1 / NUM_AREAS, np.float32)
        for half, (multiplier, shift) in zip(self.halves, self._affine, strict=True):
            mean = xp.matmul(share, half.reshape(NUM_AREAS, -1)).reshape(states, NUM_POWERS, -1).mean(axis=1)
            parts.append(mean * multiplier + shift)
        return xp.concatenate(parts, axis=-1)

    def whole(self) -> Array:
        """Return [81, rows, width]: the outputs of both encoders after their last norms."""
        pairs = zip(self.halves, self._affine, strict=True)
        return self._layers.xp.concatenate([half * multiplier + shift for half, (multiplier, shift) in pairs], axis=-1)


def encode(
    layers: Layers,
    config: NetworkConfig,
    boards: tuple[Array, Array],
    acts: Array,
    season: Array,
    builds: Array,
    rows: tuple[Array, Array],
) -> Encoded:
    """Return the encoding of boards [B, 81, 35], now and at the last moves phase, for rows of (state, power)."""
    xp, weights = layers.xp, layers.weights
    since = weights["actions"][1 + acts].sum(axis=2)
    last = xp.concatenate([boards[1].astype(np.float32), since], axis=-1)
    halves = []
    for number, board in enumerate((boards[0].astype(np.float32), last)):
        context = xp.concatenate([weights[f"encoder_{number}/season"][season], builds.astype(np.float32)], axis=-1)
        wide = xp.broadcast_to(context[:, None], (*board.shape[:2], context.shape[-1]))
        x = xp.concatenate([board, wide], axis=-1).swapaxes(0, 1)
        halves.append(_encoder(layers, config, f"encoder_{number}", x, rows))
    return Encoded(layers, halves)


def _encoder(layers: Layers, config: NetworkConfig, prefix: str, x: Array, rows: tuple[Array, Array]) -> Array:
    """Return [81, rows, 2 F] for [81, B, inputs]; the part that all powers share is computed once per state."""
    graph, weights = area_graph(), layers.weights
    r = layers.mixed(f"{prefix}/shared_0", layers.product(f"{prefix}/shared_0", x), graph, None)
    r = layers.cores([f"{prefix}/shared_{number}" for number in range(1, config.shared_cores + 1)], r, graph)
    boards, own = player_parts(config)
    states, powers = rows
    xp = layers.xp
    messages = xp.take(layers.product(f"{prefix}/player_0", r, boards), states, axis=1)
    owned = xp.matmul(weights[f"{prefix}/power"], layers.weight_of(f"{prefix}/player_0", own))
    r = layers.mixed(f"{prefix}/player_0", messages + xp.take(owned, powers, axis=1), graph, None)
    return layers.cores([f"{prefix}/player_{number}" for number in range(1, config.player_cores + 1)], r, graph)


def player_parts(config: NetworkConfig) -> tuple[Part, Part]:
    """Return the inputs of the players' first layer that hold the board, and those that hold the player."""
    width = 2 * config.shared_filter
    return (0, width), (width, width + config.player_embedding)


def value_logits(layers: Layers, config: NetworkConfig, mean: Array) -> Array:
    """Return the value logits [B, 7] of the mean [B, width]."""
    x, weights = mean, layers.weights
    for number in range(len(config.value_hidden) + 1):
        x = layers.xp.matmul(x, weights[f"value/{number}/weight"]) + weights[f"value/{number}/bias"]
        if number < len(config.value_hidden):
            x = layers.xp.maximum(x, 0)
    return x


def softmax(layers: Layers, x: Array) -> Array:
    """Return the softmax along the last axis."""
    raised = layers.xp.exp(x - x.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)
