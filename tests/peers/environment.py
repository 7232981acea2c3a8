"""An environment of its own with nothing but the `diplomacy` package: made once, then used again."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "diplomacy==1.1.2"
FOLDER = ROOT / ".venv" / "peers" / PACKAGE


def peer_python() -> Path:
    """The Python of that environment, which is made if it is not there yet."""
    python, ready = FOLDER / "bin" / "python", FOLDER / "ready"
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with (FOLDER.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if not ready.exists():
            venv.create(FOLDER, with_pip=True, clear=True)
            pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", PACKAGE]
            subprocess.run(pip, check=True)
            ready.touch()
    return python


if __name__ == "__main__":
    sys.stdout.write(f"{peer_python()}\n")
