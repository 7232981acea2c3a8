"""The random stream is JAX's own, in both ways of counting, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from parlour.deepmind.network.stream import bits, gumbel, key_of, split

jax = pytest.importorskip("jax")


@pytest.fixture(params=[False, True], ids=["current", "legacy"])
def legacy(request: pytest.FixtureRequest) -> Iterator[bool]:
    jax.config.update("jax_threefry_partitionable", not request.param)
    yield request.param
    jax.config.update("jax_threefry_partitionable", True)


@pytest.mark.parametrize("seed", [0, 42, 2**32 - 1, 2**40 + 7])
def test_keys_and_their_splits(seed: int, legacy: bool) -> None:
    theirs, ours = jax.random.PRNGKey(seed), key_of(seed)
    for _ in range(4):
        assert np.array_equal(np.asarray(theirs), ours[:, 0])
        (theirs, other), (ours, another) = jax.random.split(theirs), split(np, ours, legacy=legacy)
        assert np.array_equal(np.asarray(other), another[:, 0])


@pytest.mark.parametrize("shape", [(7, 18584), (5, 5)])
def test_bits_and_noise_at_any_place(shape: tuple[int, int], legacy: bool) -> None:
    theirs, ours = jax.random.PRNGKey(9), key_of(9)
    size = shape[0] * shape[1]
    places = np.unique(np.random.default_rng(0).integers(0, size, 4000)).astype(np.uint32)
    expected = np.asarray(jax.random.bits(theirs, shape)).ravel()[places]
    assert np.array_equal(bits(np, ours, places, np.uint32(size), legacy=legacy), expected)
    noise = np.asarray(jax.random.gumbel(theirs, shape, np.float32)).ravel()[places]
    # What differs is the last bit of a logarithm.
    found = gumbel(np, ours, places, np.uint32(size), legacy=legacy)
    assert np.abs(found - noise).max() < 2e-6


def test_many_keys_at_once(legacy: bool) -> None:
    keys = np.concatenate([key_of(seed) for seed in range(5)], axis=1)
    first, second = split(np, keys, legacy=legacy)
    places = np.arange(35, dtype=np.uint32).reshape(5, 7)
    found = bits(np, second[:, :, None], places, np.full((5, 1), 35, np.uint32), legacy=legacy)
    for seed in range(5):
        alone, own = split(np, key_of(seed), legacy=legacy)
        assert np.array_equal(alone[:, 0], first[:, seed])
        assert np.array_equal(bits(np, own, places[seed], np.uint32(35), legacy=legacy), found[seed])
