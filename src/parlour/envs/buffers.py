"""Checks of the arrays that vectors fill for their callers, and of the seed of their random source."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from parlour.errors import ConfigError

B = TypeVar("B", bound=tuple[Any, ...])
Shapes = dict[str, tuple[tuple[int, ...], type[np.generic]]]
"""Shape and type of each array by its name, in the order of the tuple that holds them."""


def made(kind: type[B], shapes: Shapes) -> B:
    """Return new arrays of these shapes in a named tuple."""
    return kind(*(np.empty(shape, dtype) for shape, dtype in shapes.values()))


def fitting(kind: type[B], shapes: Shapes, out: Any) -> B:
    """Return the caller's arrays as a named tuple; raise ConfigError for the first that cannot be filled."""
    if not isinstance(out, tuple) or len(out) != len(shapes):
        raise ConfigError(f"out: expected {kind.__name__}({', '.join(shapes)})", field="out")
    for array, (name, (shape, dtype)) in zip(out, shapes.items(), strict=True):
        fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
        if not fits or not array.flags.c_contiguous or not array.flags.writeable:
            found = f"{array.dtype} {list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
            if fits:
                found = "one that is read-only" if array.flags.c_contiguous else "one with gaps"
            wanted = f"{np.dtype(dtype)} {list(shape)}, C-contiguous"
            raise ConfigError(f"{name}: expected {wanted}, got {found}", field=name)
    return out if isinstance(out, kind) else kind(*out)


def random_source(seed: int) -> np.random.Generator:
    """Return a random generator; raise ConfigError for an invalid seed."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ConfigError(f"seed: expected a whole number from 0 on, got {seed!r:.40}", field="seed")
    return np.random.default_rng(int(seed))
