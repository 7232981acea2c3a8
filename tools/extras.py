"""Prints the requirements of this project's extras, one per line, to install them without building the project.

python tools/extras.py test bench
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requirements(extras: list[str]) -> list[str]:
    """Return all requirements of the extras, also of further extras that they name."""
    known = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    found: dict[str, None] = {}
    for extra in extras:
        for requirement in known[extra]:
            own = re.fullmatch(r"parlour\[(.*)\]", requirement)
            found.update(dict.fromkeys(requirements(own[1].split(",")) if own else [requirement]))
    return list(found)


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
