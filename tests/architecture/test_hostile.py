"""The table of attacks that `make hostile` runs: each point of what is promised to strangers has a row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "hostile"
POINTS = 25
LISTED = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib.util
spec = importlib.util.spec_from_file_location("hostile", sys.argv[1] + "/__main__.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(*(one.point for one in module.wanted([])))
"""


def test_each_point_has_an_attack() -> None:
    listed = subprocess.run(
        [sys.executable, "-c", LISTED, str(TOOL)], check=True, capture_output=True, text=True
    ).stdout.split()
    assert sorted(set(map(int, listed))) == list(range(1, POINTS + 1))
