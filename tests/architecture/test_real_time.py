"""Tests that let real time pass say why; others use clocks of their own, and so hang on no machine's speed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SAYS = ("real time", "simulated")
"""Words of the reason: real time passes because of something, or it is only simulated."""


def lets_time_pass(text: str) -> bool:
    """Whether something sleeps for a while, without a word beside it; one of nothing only lets others go first.

    That a hall puts a match to sleep takes no time.
    """
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0 | 0.0)]):
                continue
            case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio" | "time"), attr="sleep")):
                if "#" not in lines[node.lineno - 1]:
                    return True
    return False


SLEEPING = [path for path in sorted(TESTS.rglob("*.py")) if lets_time_pass(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", SLEEPING, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_a_module_in_which_real_time_passes_says_why(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    assert any(word in text for word in SAYS), "say in a comment why this needs real time, or simulate it"
