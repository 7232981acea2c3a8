"""The libraries: where their internals are used there is an upper bound, and the tests' are locked with hashes."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = sorted((ROOT / "tools" / "locks").glob("*.txt"))
INTERNAL = {"uvicorn": ("uvicorn.protocols", "uvicorn._types"), "mcp": ("mcp.server.mcpserver",)}
"""Modules of libraries that are documented nowhere, though their names have no underscore."""
SUSPECT = re.compile(
    rf"^ *(?:from|import) (?!parlour|__future__)(?:.*\b_[a-z]|.*\($|{'|'.join(INTERNAL)})", re.MULTILINE
)
"""An import that can be of such a module; others are not parsed."""


def declared() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(text) for texts in (PROJECT["dependencies"], *extras) for text in texts]


def internals() -> set[str]:
    """Return the libraries of which the package imports what may change with any version."""
    found = set()
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    for text in filter(SUSPECT.search, texts):
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                top, *rest = name.split(".")
                if top == "parlour" or top in sys.stdlib_module_names:
                    continue
                if any(part.startswith("_") for part in rest) or name.startswith(INTERNAL.get(top, ("-",))):
                    found.add(top)
    return found


def test_a_library_whose_internals_are_used_has_an_upper_bound() -> None:
    used = internals()
    assert "uvicorn" in used
    bounded = {
        one.name for one in declared() if any(part.operator in ("<", "<=", "==", "~=") for part in one.specifier)
    }
    assert used <= bounded


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_exact_versions_with_hashes_and_no_address(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[^\s=]+( --hash=sha256:[0-9a-f]{64})+", line) for line in lines)
    assert "://" not in path.read_text(encoding="utf-8")
    versions = dict(line.split(" ")[0].split("==") for line in lines)
    assert "torch" not in versions
    wanted = [one for one in declared() if one.name != "parlour"]
    wrong = [one for one in wanted if one.name in versions and not one.specifier.contains(versions[one.name])]
    assert wrong == [], "make lock"
    needed = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert needed <= versions.keys()


def test_there_is_a_lock() -> None:
    assert LOCKS
