"""The network compiled by JAX, if JAX is installed.

Nothing of the network is written twice: encoders, decoder and noise are those of NumPy over another array library.
Sizes must be known at compilation, so they are rounded up to a few. On a processor, JAX takes twice as long as our
kernel to multiply a few rows by many weights. There the kernel computes the encoders.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.deepmind.network.arrays import Array, JaxArrays
from parlour.deepmind.network.blas import one_thread
from parlour.deepmind.network.compiled import best_kernel, numpy_layers
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.decoder import Decoder, Decoding, StepInput, TurnReading, decoder_parts
from parlour.deepmind.network.encoder import Encoded, encode, player_parts, value_logits
from parlour.deepmind.network.layers import Graph, Layers, Part, Weights
from parlour.deepmind.network.network import Floats, Network, RowNoise, needed_rows, sampled_step
from parlour.deepmind.network.plan import NOWHERE, Ints, TurnPlan, all_rows
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import NetworkInput

Boards = tuple[tuple[Any, Any], Any, Any, Any]
"""Boards now and at the last moves phase, actions, seasons and build numbers of some states."""
LEAST = {"states": 1, "rows": 7, "legal": 64, "nodes": 1, "places": 8, "reads": 32, "items": 32, "products": 32}
"""The smallest value of each size; the others are these times powers of two."""


def rounded(name: str, needed: int) -> int:
    """Return the compiled size for a needed size."""
    size = LEAST[name]
    while size < needed:
        size *= 2
    return size


class JaxNetwork(Network):
    """A network with its parameters, on JAX; MissingExtra is raised without the extra `net`.

    With kernel=False, JAX also computes the encoders on a processor, as it does on any other device.
    """

    def __init__(self, config: NetworkConfig, weights: Weights, *, kernel: bool = True) -> None:
        arrays = JaxArrays()
        import jax

        by_kernel = kernel and jax.default_backend() == "cpu" and best_kernel() is not None
        self._encoders = numpy_layers(weights) if by_kernel else None
        given = parted(config, weights)
        on_jax = {name: jax.numpy.asarray(given[name]) for name in given if not (by_kernel and _only_encodes(name))}
        super().__init__(config, on_jax, CompiledOnceLayers(arrays, on_jax))
        self._encoding: Any = jax.jit(self._halves)
        self._judging: Any = jax.jit(self._judged)
        self._reading: Any = jax.jit(self._products, static_argnums=3)
        self._stepping: Any = jax.jit(self._stepped, static_argnums=5)

    def values(self, given: NetworkInput) -> Floats:
        """Return [B, 7]: each power's expected share of the win."""
        wide = wider(given)
        halves = self._encoded(wide, all_rows(len(wide[2])))
        return self.value_distribution(np.asarray(self._judging(self._layers.weights, halves))[: len(given)])

    def _begin(self, given: NetworkInput, turn: TurnPlan, values: bool) -> tuple[Any, Floats | None]:
        weights, wide = self._layers.weights, wider(given)
        (states, powers), reading = needed_rows(turn, len(wide[2]), values)
        count = rounded("rows", len(states))
        halves = self._encoded(wide, (padded(states, count, 0), padded(powers, count, 0)))
        found = np.asarray(self._judging(weights, halves))[: len(given)] if values else None
        products = self._reading(weights, halves, wider_reading(reading), rounded("places", turn.places))
        return products, found

    def _encode(self, given: NetworkInput, rows: tuple[Any, Any]) -> Encoded:
        exact = (given.board, given.last_moves_board), given.acts, given.season, given.build_numbers
        return Encoded(self._layers, self._encoded(exact, rows))

    def _encoded(self, wide: Boards, rows: tuple[Ints, Ints]) -> list[Array]:
        """Return the outputs of both encoders for some rows."""
        if self._encoders is None:
            halves: list[Array] = self._encoding(self._layers.weights, *wide, rows)
            return halves
        with one_thread():
            return encode(self._encoders, self.config, *wide, rows).halves

    def _fitted(self, step: StepInput) -> StepInput:
        rows = rounded("rows", len(step.forced))
        nodes, legal = rounded("nodes", step.nodes.shape[1]), rounded("legal", step.legal.shape[1])
        return StepInput(
            padded(step.nodes, rows, NOWHERE, nodes), padded(step.places, rows, 0, nodes),
            padded(step.legal, rows, -1, legal), padded(step.forced, rows, -1),
        )  # fmt: skip

    def _step(
        self, products: Any, progress: Decoding, step: StepInput, noise: RowNoise | None, legacy: bool
    ) -> tuple[Decoding, RowNoise | None, Any]:
        found: tuple[Decoding, RowNoise | None, Any] = self._stepping(
            self._layers.weights, products, progress, step, noise, legacy
        )
        return found

    # The compiled function takes weights as arguments, so that they are not compiled into it.

    def _halves(
        self, weights: Weights, boards: tuple[Array, Array], acts: Array, season: Array, builds: Array, rows: Any
    ) -> list[Array]:
        return encode(self._on(weights), self.config, boards, acts, season, builds, rows).halves

    def _judged(self, weights: Weights, halves: list[Array]) -> Array:
        encoded = Encoded(self._on(weights), halves)
        return value_logits(self._on(weights), self.config, encoded.mean(halves[0].shape[1] // NUM_POWERS))

    def _products(self, weights: Weights, halves: list[Array], reading: TurnReading, places: int) -> Array:
        encoded = Encoded(self._on(weights), halves)
        return Decoder.over(self._on(weights), self.config, encoded, reading, places).products

    def _stepped(
        self, weights: Weights, products: Array, progress: Decoding, step: StepInput, noise: RowNoise | None,
        legacy: bool,
    ) -> tuple[Decoding, RowNoise | None, Array]:  # fmt: skip
        decoder = Decoder(self._on(weights), self.config, products)
        return sampled_step(decoder, progress, step, noise, legacy=legacy)

    def _on(self, weights: Weights) -> Layers:
        return CompiledOnceLayers(self._layers.arrays, weights)


class CompiledOnceLayers(Layers):
    """Layers that do less work per call after compilation."""

    def weight_of(self, prefix: str, part: Part | None = None) -> Array:
        """Return the weights, already split into parts; otherwise a part would be copied each time."""
        return super().weight_of(prefix) if part is None else self.weights[_part_name(prefix, part)]

    def spread(self, messages: Array, graph: Graph) -> Array:
        """Return the messages from neighbours, summed neighbour by neighbour, of which there are few."""
        nodes, shares = neighbours_of(graph)
        parts = zip(nodes.T, shares.T, strict=True)
        return sum(share[:, None, None] * messages[node] for node, share in parts)


def neighbours_of(graph: Graph) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return [nodes, most neighbours]: the neighbours of each node and their weights; padding weighs nothing."""
    counts = np.diff(graph.first)
    shape = len(counts), int(counts.max())
    real = np.arange(shape[1]) < counts[:, None]
    nodes, shares = np.zeros(shape, np.int32), np.zeros(shape, np.float32)
    nodes[real], shares[real] = graph.neighbours, graph.weights
    return nodes, shares


def parted(config: NetworkConfig, weights: Weights) -> Weights:
    """Return the weights, split where the network uses parts of them."""
    parts = {f"encoder_{number}/player_0": player_parts(config) for number in (0, 1)}
    parts["decoder/core_0"] = decoder_parts(config)
    found = {name: array for name, array in weights.items() if name.removesuffix("/weight") not in parts}
    for prefix, pair in parts.items():
        for part in pair:
            found[_part_name(prefix, part)] = np.ascontiguousarray(weights[f"{prefix}/weight"][:, slice(*part)])
    return found


def _only_encodes(name: str) -> bool:
    """Return True if only the encoders use an array; readers of the encoding use the encoders' last norms."""
    return name == "actions" or (name.startswith("encoder_") and "/last/" not in name)


def _part_name(prefix: str, part: Part) -> str:
    return f"{prefix}/weight from {part[0]} to {part[1]}"


def wider(given: NetworkInput) -> Boards:
    """Return the input padded with empty states to the compiled size."""
    count = rounded("states", len(given))
    parts = (given.board, given.last_moves_board, given.acts, given.season, given.build_numbers)
    board, last, acts, season, builds = (
        np.concatenate([part, np.zeros((count - len(given), *part.shape[1:]), part.dtype)]) for part in parts
    )
    return (board, last), acts, season, builds


def wider_reading(reading: TurnReading) -> TurnReading:
    """Return the reading padded to the compiled size; padding belongs to an item and a node outside the arrays."""
    reads, items = rounded("reads", len(reading.areas)), rounded("items", len(reading.sizes))
    products = rounded("products", len(reading.nodes))
    return TurnReading(
        padded(reading.areas, reads, 0), padded(reading.rows, reads, 0), padded(reading.items, reads, items),
        padded(reading.sizes, items, 0), padded(reading.nodes, products, NOWHERE), padded(reading.places, products, 0),
        padded(reading.product_items, products, 0),
    )  # fmt: skip


def padded(values: npt.NDArray[Any], rows: int, padding: int, columns: int | None = None) -> npt.NDArray[Any]:
    """Return the values padded to a number of rows, and of columns if they have columns."""
    shape = (rows,) if columns is None else (rows, columns)
    result = np.full(shape, padding, np.int32 if values.dtype.kind == "i" else values.dtype)
    result[tuple(slice(0, size) for size in values.shape)] = values
    return result
