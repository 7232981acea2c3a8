"""Finds random draws without a seed in an author's file: calls of the modules random and numpy.random themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from parlour.agents.loading import MAX_SOURCE, class_of
from parlour.errors import ParlourError
from parlour.files import read_regular

_OWN = frozenset({"Random", "SystemRandom", "Generator", "RandomState", "SeedSequence", "default_rng", "PCG64"})
"""Names of generators, which an agent can make from its seed."""


def unseeded_draw(wanted: str) -> str:
    """Return the first draw of a class that no seed sets, with its line in the file; empty if there is none.

    The file is read, not run. Drawing is found in the class, in the classes and functions that it names, and where
    the file is imported; not in files that it imports.
    """
    found = class_of(wanted)
    if found is None:
        return ""
    try:
        tree = ast.parse(read_regular(found[0], MAX_SOURCE))
    except (OSError, SyntaxError, ValueError, RecursionError, ParlourError):
        return ""
    return next(_draws(tree, found[1]), "")


def _draws(tree: ast.Module, wanted: str) -> Iterator[str]:
    modules, functions = _imported(tree)
    for node in chain.from_iterable(map(ast.walk, _parts(tree, wanted))):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        module, _, function = name.rpartition(".")
        if (module in modules or name in functions) and function not in _OWN:
            yield f"{name}() in line {node.lineno}"


def _parts(tree: ast.Module, wanted: str) -> list[ast.stmt]:
    """Return the statements that a class may run: all but definitions that it does not name, directly or not."""
    defined = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef | ast.FunctionDef)}
    if wanted not in defined:
        return tree.body
    parts = [one for one in tree.body if one not in defined.values()]
    named = {wanted}.union(*map(_names, parts))
    while new := [defined.pop(name) for name in sorted(named & defined.keys())]:
        parts += new
        named.update(*map(_names, new))
    return parts


def _names(part: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


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
