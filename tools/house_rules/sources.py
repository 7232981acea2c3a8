"""The modules that the rules check, each read once, and parsed once if a rule needs its tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """One Python file: its path below the folder that was read, and its text."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))


def sources(folder: Path) -> list[Source]:
    """Return all modules below a folder, in the order of their names."""
    paths = sorted(folder.rglob("*.py"))
    return [Source(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
