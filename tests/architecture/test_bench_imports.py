"""Benches import only what exists: no other test runs them, so a rename would break one unseen."""

from __future__ import annotations

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

BENCHES = sorted((Path(__file__).parents[2] / "bench").glob("*.py"))


def _missing(path: Path) -> list[str]:
    """Return the names that a file imports from this project and that are not there."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(("parlour", "support")):
            continue
        try:
            module = importlib.import_module(str(node.module))
        except ModuleNotFoundError as error:
            if str(error.name).startswith(("parlour", "support")):
                found.append(str(error.name))
            continue  # a library of an extra that is not installed here
        names = [alias.name for alias in node.names]
        found += [f"{node.module}.{name}" for name in names if not _has(module, name)]
    return found


def _has(module: ModuleType, name: str) -> bool:
    return hasattr(module, name) or (hasattr(module, "__path__") and find_spec(f"{module.__name__}.{name}") is not None)


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_a_bench_imports_what_exists(path: Path) -> None:
    assert _missing(path) == []


def test_a_name_that_is_gone_is_found(tmp_path: Path) -> None:
    file = tmp_path / "bench.py"
    lines = ("from parlour.press.ledger import Ledger, Nobody", "from parlour.nowhere import x")
    file.write_text("\n".join(lines), encoding="utf-8")
    assert _missing(file) == ["parlour.press.ledger.Nobody", "parlour.nowhere"]
