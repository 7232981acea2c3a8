"""The layer that the network is built of: a linear map for each node, then a sum over neighbours.

Arrays are node-major, [nodes, rows, width], so that a layer is one product for each node over all rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.network.arrays import Array, Arrays
from parlour.deepmind.provinces import area_adjacency, province_adjacency

EPSILON = 1e-5
Weights = dict[str, Array]
"""Arrays by our names."""
Part = tuple[int, int]
"""Some adjacent inputs of a layer: the first, and one beyond the last."""


class Graph(NamedTuple):
    """A normalised graph: as a matrix, and as lists of neighbours."""

    matrix: npt.NDArray[np.float32]
    first: npt.NDArray[np.int32]
    """Start of each node's neighbours in the next two arrays; one more entry for the end."""
    neighbours: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]


@cache
def area_graph() -> Graph:
    """Return the graph of the 81 areas."""
    return _graph(area_adjacency())


@cache
def province_graph() -> Graph:
    """Return the graph of the 75 provinces."""
    return _graph(province_adjacency())


def _graph(matrix: npt.NDArray[np.float32]) -> Graph:
    rows, columns = np.nonzero(matrix)
    first = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int32)
    return Graph(matrix, first, columns.astype(np.int32), matrix[rows, columns])


class Layers:
    """The layers of a network that plays: its batch norms use the running averages of training."""

    def __init__(self, arrays: Arrays, weights: Weights) -> None:
        self.arrays, self.weights, self.xp = arrays, weights, arrays.xp

    def affine(self, prefix: str, x: Array) -> tuple[Array, Array]:
        """Return the factor and the offset that a batch norm applies to the last axis of x."""
        weights = self.weights
        multiplier = weights[f"{prefix}/scale"] / self.xp.sqrt(weights[f"{prefix}/variance"] + EPSILON)
        shift = weights[f"{prefix}/offset"] - weights[f"{prefix}/mean"] * multiplier
        return multiplier.reshape(-1), shift.reshape(-1)

    def weight_of(self, prefix: str, part: Part | None = None) -> Array:
        """Return the weights of a layer, or those for some of its inputs."""
        weight = self.weights[f"{prefix}/weight"]
        return weight if part is None else weight[:, slice(*part)]

    def cores(self, prefixes: Sequence[str], x: Array, graph: Graph) -> Array:
        """Return the output of residual layers in turn, [nodes, rows, 2 F]; x may be overwritten."""
        for prefix in prefixes:
            x = self.mixed(prefix, self.product(prefix, x), graph, x)
        return x

    def product(self, prefix: str, x: Array, part: Part | None = None) -> Array:
        """Return [nodes, rows, c] multiplied by the layer's weights, or those of some inputs, [nodes, c, F]."""
        return self.xp.matmul(x, self.weight_of(prefix, part))

    def mixed(self, prefix: str, messages: Array, graph: Graph, residual: Array | None) -> Array:
        """Return each node's messages from its neighbours beside its own, normalised and cut off below zero."""
        both = self.xp.concatenate([self.spread(messages, graph), messages], axis=-1)
        multiplier, shift = self.affine(prefix, both)
        active = self.xp.maximum(both * multiplier + shift, 0)
        return active if residual is None else residual + active

    def spread(self, messages: Array, graph: Graph) -> Array:
        """Return the messages that each node receives from its neighbours."""
        nodes, rows, width = messages.shape
        return self.xp.matmul(graph.matrix, messages.reshape(nodes, rows * width)).reshape(messages.shape)
