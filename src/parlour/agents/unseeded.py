"""Finds random draws without a seed in an author's file: calls of the modules random and numpy.random themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from parlour.agents.loading import MAX_SOURCE, class_of
from parlour.errors import ParlourError
from parlour.files import read_regular

_OWN = frozenset({"Random", "SystemRandom", "Generator", "RandomState", "SeedSequence", "default_rng", "PCG64"})
"""Names of generators, which an agent can make from its seed."""


def unseeded_draw(wanted: str) -> str:
    """Return the first draw in the file of a class that no seed sets, with its line; empty if there is none.

    The file is read, not run; drawing in files that it imports is not found.
    """
    found = class_of(wanted)
    if found is None:
        return ""
    try:
        tree = ast.parse(read_regular(found[0], MAX_SOURCE))
    except (OSError, SyntaxError, ValueError, RecursionError, ParlourError):
        return ""
    return next(_draws(tree), "")


def _draws(tree: ast.Module) -> Iterator[str]:
    modules, functions = _imported(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        module, _, function = name.rpartition(".")
        if (module in modules or name in functions) and function not in _OWN:
            yield f"{name}() in line {node.lineno}"


def _imported(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Return the names under which a file has the modules, and under which it has functions of them."""
    modules, functions = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name in ("random", "numpy.random"):
                    modules.add(one.asname or one.name)
                elif one.name == "numpy":
                    modules.add(f"{one.asname or one.name}.random")
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                if node.module == "numpy" and one.name == "random":
                    modules.add(one.asname or one.name)
                elif node.module in ("random", "numpy.random") and one.name not in _OWN:
                    functions.add(one.asname or one.name)
    return modules, functions
