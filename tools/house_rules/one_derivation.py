"""Checks that a seed follows from another in core/seeds.py alone, where each purpose has a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sources import Source

GENERATORS = {"Random", "default_rng", "SeedSequence"}
ELSEWHERE = ("core/seeds.py", "deepmind/network/stream.py")
"""The derivations, and the published network's generator, which takes its key apart."""


def _is_seed(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lstrip("_") == "seed"


def _derives(node: ast.AST) -> bool:
    """Return True if a seed is reckoned with, or if a generator is made of several values."""
    if isinstance(node, ast.BinOp):
        union = isinstance(node.op, ast.BitOr)  # of types, as in `seed: Seed | None`
        return not union and (_is_seed(node.left) or _is_seed(node.right))
    if isinstance(node, ast.Call) and node.args:
        made = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return made in GENERATORS and isinstance(node.args[0], ast.List | ast.Tuple | ast.JoinedStr)
    return False


def offences(source: Source) -> Iterator[tuple[int, str]]:
    """Yield each place that derives a seed; kernels, which mix words, are left out."""
    if "seed" not in source.text or source.name in ELSEWHERE or "/kernel/" in source.name:
        return
    for node in source.nodes:
        if _derives(node):
            yield getattr(node, "lineno", 0), "derives a seed: give its purpose a function in core/seeds.py"
