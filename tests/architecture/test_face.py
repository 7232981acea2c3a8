"""The public face of the package: its names, its version, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import parlour

ROOT = Path(__file__).parents[2]


def test_the_public_face_is_what_we_promise() -> None:
    functions = ["make_player", "play", "read_record", "replay", "run"]
    assert sorted(parlour.__all__) == sorted(
        ["Match", "Player", "Seat", "Terms", "View", "__version__", "deepmind", "diplomacy", "fish", *functions]
    )
    for name in parlour.__all__:
        assert getattr(parlour, name) is not None
    assert dir(parlour) == sorted(parlour.__all__)


def test_the_games_have_short_names() -> None:
    code = "import parlour.diplomacy; from parlour.fish import start; print(parlour.diplomacy.start().phase, start())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("S1901M")


def test_importing_parlour_imports_no_heavy_library_and_verbs_only_what_they_need() -> None:
    code = """
import sys
import parlour
print(*(name for name in ("numpy", "jax", "ray", "pettingzoo", "rich") if name in sys.modules))
import parlour.cli.joining.fish
print(*(name for name in ("rich", "parlour.referee.match") if name in sys.modules))
import parlour.cli.play
print(*(name for name in ("rich",) if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n\n\n", "libraries that are imported too early"


def test_the_version_is_the_same_everywhere() -> None:
    assert 'version = { attr = "parlour.__version__" }' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## {parlour.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
