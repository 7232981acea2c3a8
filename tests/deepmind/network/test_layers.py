"""The layer and its kernel: compiled for several processors, uncompiled and plain NumPy give the same."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from parlour.core.kernels import is_compiled, uncompiled
from parlour.deepmind.network import blas, compiled
from parlour.deepmind.network.arrays import JaxArrays, NumpyArrays
from parlour.deepmind.network.compiled import CompiledLayers, numpy_layers
from parlour.deepmind.network.layers import Graph, Layers, area_graph, province_graph
from parlour.errors import MissingExtra
from support.waiting import PATIENCE

KERNEL = "parlour.deepmind.network.kernel.core"


def made(rows: int, width: int, nodes: int = 75) -> tuple[dict[str, Any], npt.NDArray[np.float32]]:
    rng = np.random.default_rng(width)
    weights: dict[str, Any] = {"a/weight": rng.standard_normal((nodes, 2 * width, width), dtype=np.float32)}
    for name in ("scale", "offset", "mean", "variance"):
        weights[f"a/{name}"] = rng.uniform(0.5, 2, (1, 1, 2 * width)).astype(np.float32)
    return weights, rng.standard_normal((nodes, rows, 2 * width), dtype=np.float32)


def kernels() -> list[ModuleType]:
    able = compiled._abilities()
    names = [KERNEL] + [f"{KERNEL}_{level}" for level, need in compiled.LEVELS.items() if able.issuperset(need)]
    return [module for name in names if is_compiled(module := importlib.import_module(name))]


@pytest.mark.parametrize(("rows", "width"), [(1, 64), (3, 8), (7, 70), (8, 160), (20, 64), (2, 600)])
@pytest.mark.parametrize("residual", [False, True])
def test_every_compiled_form_gives_what_plain_numpy_gives(rows: int, width: int, residual: bool) -> None:
    """Rows in one and several blocks, and widths that are no multiples of what a processor takes at a time."""
    weights, x = made(rows, width, nodes=75 if width < 600 else 3)
    graph = province_graph() if width < 600 else triangle()
    expected = whole(Layers(NumpyArrays(), weights), x, graph, residual)
    assert kernels(), "no kernel was compiled"
    for kernel in kernels():
        found = whole(CompiledLayers(weights, kernel), x.copy(), graph, residual)
        assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()


def whole(layers: Layers, x: npt.NDArray[np.float32], graph: Graph, residual: bool) -> npt.NDArray[np.float32]:
    found: npt.NDArray[np.float32]
    found = layers.cores(["a"], x, graph) if residual else layers.mixed("a", layers.product("a", x), graph, None)
    return found


def triangle() -> Graph:
    matrix = (np.eye(3) / 2 + 0.1).astype(np.float32)
    return Graph(matrix, np.arange(0, 10, 3, dtype=np.int32), np.tile(np.arange(3, dtype=np.int32), 3), matrix.ravel())


@pytest.mark.parametrize("part", [None, (0, 13), (5, 16), (15, 16)])
@pytest.mark.parametrize("rows", [1, 10, 11])
def test_a_part_of_the_inputs_is_multiplied_by_its_own_weights(part: tuple[int, int] | None, rows: int) -> None:
    """Parts of any length, though weights are read in four streams."""
    weights, x = made(rows, 8)
    x = x if part is None else x[:, :, slice(*part)]
    expected = np.einsum(
        "nrc,ncf->nrf", x, weights["a/weight"] if part is None else weights["a/weight"][:, slice(*part)]
    )
    every = [*kernels(), uncompiled(KERNEL)] if rows == 1 and part == (5, 16) else kernels()
    for layers in (Layers(NumpyArrays(), weights), *(CompiledLayers(weights, kernel) for kernel in every)):
        assert np.abs(layers.product("a", x, part) - expected).max() < 1e-5


def test_uncompiled_too() -> None:
    weights, x = made(2, 3, nodes=5)
    matrix = (np.eye(5) / 2 + 0.1).astype(np.float32)
    small = Graph(matrix, np.arange(0, 26, 5, dtype=np.int32), np.tile(np.arange(5, dtype=np.int32), 5), matrix.ravel())
    for residual in (False, True):
        expected = whole(Layers(NumpyArrays(), weights), x.copy(), small, residual)
        found = whole(CompiledLayers(weights, uncompiled(KERNEL)), x.copy(), small, residual)
        assert np.abs(found - expected).max() < 1e-4


def test_graphs_are_the_matrices() -> None:
    for graph in (area_graph(), province_graph()):
        rebuilt = np.zeros_like(graph.matrix)
        for node in range(len(graph.matrix)):
            part = slice(graph.first[node], graph.first[node + 1])
            rebuilt[node, graph.neighbours[part]] = graph.weights[part]
        assert np.array_equal(rebuilt, graph.matrix)


def test_the_best_kernel_is_for_this_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled.best_kernel.cache_clear()
    usual = compiled.best_kernel()
    assert usual is not None
    if {"AVX2", "FMA3"} <= compiled._abilities():
        assert usual.__name__.startswith(f"{KERNEL}_x86_64_v")
    for patched, expected in (("_abilities", KERNEL), ("PURE", None)):
        compiled.best_kernel.cache_clear()
        monkeypatch.setattr(compiled, patched, True if patched == "PURE" else set)
        found = compiled.best_kernel()
        assert (found and found.__name__) == expected
    assert type(numpy_layers({})) is Layers
    compiled.best_kernel.cache_clear()


def test_one_thread_while_a_network_runs_whoever_else_does() -> None:
    threads = blas.blas_threads()
    if threads is None:
        pytest.skip("NumPy came with another library here")
    before, inside, leave = threads.number(), threading.Event(), threading.Event()

    def other() -> None:
        with blas.one_thread():
            inside.set()
            leave.wait(PATIENCE)

    thread = threading.Thread(target=other)
    with blas.one_thread():
        thread.start()
        inside.wait(PATIENCE)
        assert threads.number() == 1
    assert threads.number() == 1
    leave.set()
    thread.join()
    assert threads.number() == before


def test_without_jax_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jax", None)
    with pytest.raises(MissingExtra, match=r"a network on JAX needs an optional part.*\[net\]"):
        JaxArrays()
