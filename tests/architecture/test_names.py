"""One class name once: whoever reads a name must not have to ask which of several is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "parlour"

SHARED = {
    "Position",  # a game's own form of what core promises
}  # fmt: skip
"""Names that several classes have; nothing may be added here without a reason."""


@cache
def classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(SOURCE).as_posix())
    return found


def test_no_class_name_is_used_twice() -> None:
    twice = {name: homes for name, homes in classes().items() if len(homes) > 1 and name not in SHARED}
    assert not twice, f"give one of each another name: {twice}"


def test_the_list_of_exceptions_holds_no_name_that_needs_none() -> None:
    found = classes()
    assert not sorted(name for name in SHARED if len(found.get(name, ())) < 2)
