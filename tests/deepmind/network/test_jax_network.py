"""The network on JAX: golden numbers, the same samples as on NumPy, and what is padded changes nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.deepmind import Network, write_parameters
from parlour.deepmind.network.compiled import best_kernel
from parlour.deepmind.network.layers import area_graph, province_graph
from parlour.deepmind.network.network import copies_of, published_draws
from parlour.deepmind.network.policy import load_network
from parlour.deepmind.network.stream import key_of
from parlour.deepmind.network.worker import worker_of
from parlour.deepmind.transformer import stacked
from parlour.errors import ConfigError, MissingExtra
from support.deepmind import golden as golden

pytest.importorskip("jax")
from parlour.deepmind.network.jax_network import JaxNetwork, neighbours_of, padded, rounded

TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def network() -> JaxNetwork:
    parameters = golden.parameters()
    return JaxNetwork(parameters.config, parameters.arrays)


@pytest.fixture(scope="module")
def alone() -> JaxNetwork:
    """With the encoders on JAX, too, as they are on a device that is no processor; the rest is the same."""
    parameters = golden.parameters()
    return JaxNetwork(parameters.config, parameters.arrays, kernel=False)


@pytest.mark.timeout(300)  # most of it is compiling
def test_values_and_greedy_orders_are_the_golden_ones(network: JaxNetwork) -> None:
    """Six states are computed as eight, and 42 rows as 56."""
    given = golden.batch(forced=False)
    found = network.decide(given)
    assert found.value_logits is not None
    assert found.value_logits.shape == (6, 7)
    assert np.abs(found.value_logits - golden.OUTPUTS["value_logits"]).max() < TOLERANCE
    assert np.abs(network.values(given) - golden.OUTPUTS["values"]).max() < TOLERANCE
    assert np.array_equal(found.shrunk(42).reshape(6, 7, 17), golden.OUTPUTS["greedy_actions"])
    plain = Network(golden.parameters().config, golden.parameters().arrays).decide(given)
    ruled_out = plain.logits == np.finfo(np.float32).min
    assert np.array_equal(found.logits == np.finfo(np.float32).min, ruled_out)
    assert np.abs(found.logits - plain.logits)[~ruled_out].max() < TOLERANCE


@pytest.mark.timeout(300)
def test_values_are_the_golden_ones_without_the_kernel(alone: JaxNetwork) -> None:
    assert np.abs(alone.values(golden.batch(forced=False)) - golden.OUTPUTS["values"]).max() < TOLERANCE


@pytest.mark.timeout(300)
def test_samples_are_those_of_numpy(network: JaxNetwork) -> None:
    states = golden.transformed(forced=False)
    given = replace(stacked(states[:2]), temperature=np.array([0.7, 0.0], np.float32))
    draws, rows = published_draws(key_of(11), 3), copies_of([2, 1])
    plain = Network(golden.parameters().config, golden.parameters().arrays)
    expected = plain.decide(given, draws, rows, values=False).shrunk(21)
    found = network.decide(given, draws, rows, values=False)
    assert found.value_logits is None
    assert np.array_equal(found.shrunk(21), expected)
    assert np.array_equal(expected[14:], golden.OUTPUTS["greedy_actions"][1])
    assert not np.array_equal(expected[:7], expected[7:14])


@pytest.mark.timeout(300)
def test_samples_of_the_legacy_stream_too(network: JaxNetwork) -> None:
    given = replace(golden.transformed(forced=False, slots=range(5, 6))[0], temperature=np.array([9], np.float32))
    plain = Network(golden.parameters().config, golden.parameters().arrays)
    draws = published_draws(key_of(11), 1, legacy=True)
    expected = plain.decide(given, draws, values=False).shrunk(7)
    assert np.array_equal(network.decide(given, draws, values=False).shrunk(7), expected)
    assert not np.array_equal(plain.decide(given, published_draws(key_of(11), 1), values=False).shrunk(7), expected)


@pytest.mark.timeout(300)
def test_what_is_shared_is_that_of_numpy(network: JaxNetwork) -> None:
    given = golden.transformed(forced=False)[0]
    expected = Network(golden.parameters().config, golden.parameters().arrays).representation(given)
    assert np.abs(network.representation(given) - expected).max() < TOLERANCE


def test_what_the_kernel_encodes_is_not_held_twice(network: JaxNetwork, alone: JaxNetwork) -> None:
    """The two encoders' weights are most of a network."""
    held = [
        [name for name in made._layers.weights if name.startswith("encoder_") and "/last/" not in name]
        for made in (network, alone)
    ]
    assert [bool(names) for names in held] == [not best_kernel(), True]


def test_nothing_to_do_is_nothing(network: JaxNetwork) -> None:
    given = golden.transformed(forced=False, slots=range(0))[0]
    assert network.decide(given, values=False).actions(7) == [[]] * 7


def test_sizes_are_rounded_up_to_few() -> None:
    assert [rounded("rows", needed) for needed in (0, 7, 8, 14, 15, 113)] == [7, 7, 14, 14, 28, 224]
    assert padded(np.array([[1, 2]], np.int64), 2, -1, 3).tolist() == [[1, 2, -1], [-1, -1, -1]]
    assert padded(np.array([0.5], np.float32), 2, 0).tolist() == [0.5, 0.0]


def test_neighbours_are_those_of_the_matrix() -> None:
    for graph in (area_graph(), province_graph()):
        nodes, shares = neighbours_of(graph)
        matrix = np.zeros_like(graph.matrix)
        np.add.at(matrix, (np.arange(len(nodes))[:, None], nodes), shares)
        assert np.array_equal(matrix, graph.matrix)


def test_an_agent_takes_the_library_that_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    write_parameters(golden.parameters(), path)
    assert isinstance(load_network(path, "jax"), JaxNetwork)
    assert worker_of(path, "jax") is worker_of(path, "jax")
    assert worker_of(path, "jax") is not worker_of(path)
    make_agent("diplomacy", f"deepmind:{path},library=jax", 0)
    with pytest.raises(ConfigError, match="library: expected numpy or jax"):
        make_agent("diplomacy", f"deepmind:{path},library=torch", 0)


def test_without_jax_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.safetensors"
    write_parameters(golden.parameters(), path)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingExtra, match="net"):
        load_network(path, "jax")
    load_network(path)
