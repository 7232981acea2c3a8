"""The lint of the public API, which `make check` runs, finds arguments, results and errors that are not described."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "public_api.py"
MODULE = '''"""A module."""
from dataclasses import dataclass

__all__ = ["Teller", "Made", "cut", "_hidden", "plain", "baked", "sold", "shut", "burnt"]


def cut(cake, knife):
    """Return the cake in pieces."""


def plain():
    pass


def baked() -> int:
    """Count the loaves."""


def sold() -> int:
    """Return the number of loaves."""


def shut() -> None:
    """Close the door."""


def burnt(loaf):
    """Return the loaf."""
    raise ValueError("too late")


def _hidden(self):
    """Return the argument self."""


class Teller:
    """Holds a price.

    Args:
        price: In euros.
    """

    def __init__(self, price):
        self.price = price

    def raise_to(self, limit):
        """Raise it."""

    def _own(self, number):
        pass


@dataclass
class Made:
    """Holds a number."""

    number: int
'''


def test_arguments_results_and_errors_that_no_docstring_describes_are_found(tmp_path: Path) -> None:
    (tmp_path / "bakery.py").write_text(MODULE, encoding="utf-8")
    command = [sys.executable, str(TOOL), "bakery"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)})
    assert done.stdout.splitlines() == [
        "bakery.Teller.raise_to: describe limit",
        "bakery.baked: say what it returns",
        "bakery.burnt: name ValueError",
        "bakery.cut: describe knife",
        "bakery.plain: has no docstring",
    ], done.stderr
    assert done.returncode == 1
