"""Layers on NumPy, most of them in a kernel that is compiled for the instructions of this processor."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from parlour.core.kernels import PURE, is_compiled
from parlour.deepmind.network.arrays import Array, NumpyArrays
from parlour.deepmind.network.layers import Graph, Layers, Part, Weights

_FEW = 10
"""Number of rows up to which reading the weights bounds a product; with more, NumPy is faster."""
_KERNEL = "parlour.deepmind.network.kernel.core"
LEVELS = {
    "x86_64_v4": ("AVX2", "FMA3", "AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"),
    "x86_64_v3": ("AVX2", "FMA3"),
}
"""Processor features that each compiled form needs, best form first."""


class CompiledLayers(Layers):
    """Layers on NumPy without intermediate arrays; the factors of batch norms are computed once."""

    def __init__(self, weights: Weights, kernel: ModuleType) -> None:
        super().__init__(NumpyArrays(), weights)
        self._kernel: Any = kernel
        self._affine: dict[str, tuple[Array, Array]] = {}

    def affine(self, prefix: str, x: Array) -> tuple[Array, Array]:
        """Return the factor and the offset of a batch norm, which are computed once."""
        known = self._affine.get(prefix)
        if known is None:
            known = self._affine[prefix] = super().affine(prefix, x)
        return known

    def product(self, prefix: str, x: Array, part: Part | None = None) -> Array:
        """Return the product; the kernel computes products of few rows."""
        if x.shape[1] > _FEW:
            return super().product(prefix, x, part)
        weight = self.weight_of(prefix)
        out = np.empty((*x.shape[:2], weight.shape[2]), np.float32)
        self._kernel.multiply(np.ascontiguousarray(x), weight, 0 if part is None else part[0], out)
        return out

    def mixed(self, prefix: str, messages: Array, graph: Graph, residual: Array | None) -> Array:
        """Return the mixed messages, computed in one pass and written into the residual if there is one."""
        multiplier, shift = self.affine(prefix, messages)
        nodes, rows, width = messages.shape
        out = np.empty((nodes, rows, 2 * width), np.float32) if residual is None else residual
        self._kernel.mix(
            np.ascontiguousarray(messages),
            graph.first,
            graph.neighbours,
            graph.weights,
            multiplier,
            shift,
            out,
            residual is not None,
        )
        return out


def numpy_layers(weights: Weights) -> Layers:
    """Return the fastest layers on NumPy that this processor can run."""
    kernel = best_kernel()
    return Layers(NumpyArrays(), weights) if kernel is None else CompiledLayers(weights, kernel)


@cache
def best_kernel() -> ModuleType | None:
    """Return the kernel for this processor; None if none is compiled, since an uncompiled one is slower than NumPy."""
    if PURE:
        return None
    able = _abilities()
    names = [f"{_KERNEL}_{level}" for level, needed in LEVELS.items() if able.issuperset(needed)]
    for name in (*names, _KERNEL):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if is_compiled(module):
            return module
    return None


def _abilities() -> set[str]:
    """Return the processor features that NumPy found; an empty set if this NumPy does not report them."""
    try:
        found: dict[str, bool] = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):
        return set()
    return {name for name, has in found.items() if has}
