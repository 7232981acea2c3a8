"""Array operations of the network beyond NumPy's own names, for NumPy and for JAX."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

from parlour.errors import MissingExtra

Array: TypeAlias = Any
"""An array of NumPy or of JAX."""


class Arrays(Protocol):
    """An array library: xp has NumPy's names, and the methods cover the differences between libraries."""

    @property
    def xp(self) -> Any:
        """The module with NumPy's names."""

    def added(self, to: Array, at: tuple[Array, ...], values: Array) -> Array:
        """Return `to` with values added at places, each named once; NumPy's array is changed in place."""

    def gathered(self, to: Array, at: tuple[Array, ...], values: Array) -> Array:
        """Return `to` with values added at places that may be named repeatedly."""

    def marked(self, to: Array, at: tuple[Array, ...]) -> Array:
        """Return `to` with True at places."""

    def segment_sum(self, values: Array, segments: Array, count: int) -> Array:
        """Return the sums of the rows that belong to each segment; segments ascend."""

    def segment_max(self, values: Array, segments: Array, count: int) -> Array:
        """Return the largest values of each segment; segments ascend and none is empty."""


class NumpyArrays:
    """The operations on NumPy."""

    xp = np

    def added(self, to: Array, at: tuple[Array, ...], values: Array) -> Array:
        """Add in place and return the array."""
        to[at] += values
        return to

    def gathered(self, to: Array, at: tuple[Array, ...], values: Array) -> Array:
        """Add in place, by NumPy's unbuffered addition."""
        np.add.at(to, at, values)
        return to

    def marked(self, to: Array, at: tuple[Array, ...]) -> Array:
        """Set in place and return the array."""
        to[at] = True
        return to

    def segment_sum(self, values: Array, segments: Array, count: int) -> Array:
        """Sum by NumPy's unbuffered addition."""
        result = np.zeros((count, *values.shape[1:]), values.dtype)
        np.add.at(result, segments, values)
        return result

    def segment_max(self, values: Array, segments: Array, count: int) -> Array:
        """Return the maxima by reduceat."""
        starts = np.searchsorted(segments, np.arange(count))
        return np.maximum.reduceat(values, starts)


class JaxArrays:
    """The operations on JAX; MissingExtra is raised if JAX is not installed."""

    def __init__(self) -> None:
        try:
            import jax
            import jax.numpy
        except ImportError:
            raise MissingExtra("net", "a network on JAX") from None
        self.xp = jax.numpy
        self._ops = jax.ops

    def added(self, to: Array, at: tuple[Array, ...], values: Array) -> Array:
        """Return a new array; places outside it are ignored."""
        return to.at[at].add(values, mode="drop")

    gathered = added

    def marked(self, to: Array, at: tuple[Array, ...]) -> Array:
        """Return a new array; places outside it are ignored."""
        return to.at[at].set(True, mode="drop")

    def segment_sum(self, values: Array, segments: Array, count: int) -> Array:
        """Sum by JAX's own function."""
        return self._ops.segment_sum(values, segments, count, indices_are_sorted=True)

    def segment_max(self, values: Array, segments: Array, count: int) -> Array:
        """Return the maxima by JAX's own function."""
        return self._ops.segment_max(values, segments, count, indices_are_sorted=True)
