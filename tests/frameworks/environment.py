"""An environment for each framework, with this project installed in it: made once, then used again.

`python tests/frameworks/environment.py` makes those that are missing; with names, only those.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv" / "harnesses"
FRAMEWORKS: dict[str, tuple[str, ...]] = {
    "verifiers": ("verifiers==0.4.0", "-e", "packages/parlour-diplomacy", "-e", "packages/parlour-fish"),
    "inspect": ("inspect-ai==0.3.285", "openai>=3.4"),
    "openenv": ("openenv==0.10.0",),
    "textarena": ("textarena==0.7.4",),
    "open_spiel": ("open-spiel==2.0.2",),
    "kaggle": ("kaggle-environments==1.33.2",),
}
"""Packages of each environment; Kaggle's takes 1.6 GB."""
USUAL = tuple(name for name in FRAMEWORKS if name != "kaggle")


def python_of(name: str) -> Path | None:
    """Return the Python of a framework's environment; None if it was not made yet."""
    folder = FOLDER / name
    return folder / "bin" / "python" if _is_ready(folder, FRAMEWORKS[name]) else None


def _is_ready(folder: Path, wanted: tuple[str, ...]) -> bool:
    ready = folder / "ready"
    return ready.is_file() and ready.read_text(encoding="utf-8") == " ".join(wanted)


def make(name: str) -> str:
    """Make an environment, if it is missing; return why it could not be made, or nothing."""
    folder, wanted = FOLDER / name, FRAMEWORKS[name]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_ready(folder, wanted):
            return ""
        if not (folder / "bin" / "python").exists():
            venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        # The kernels of this tree are compiled already, or run from their source.
        pure = {**os.environ, "PARLOUR_PURE": "1"}
        done = subprocess.run(
            [*pip, "-e", ".", *wanted], cwd=ROOT, env=pure, capture_output=True, text=True, check=False
        )
        if done.returncode:
            return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"pip failed ({done.returncode})"
        (folder / "ready").write_text(" ".join(wanted), encoding="utf-8")
    return ""


if __name__ == "__main__":
    for framework in sys.argv[1:] or USUAL:
        reason = make(framework)
        sys.stdout.write(f"{framework}: {reason or 'ready'}\n")
