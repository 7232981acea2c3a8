"""DAIDE programs of other authors, Parlance and Parang: fetched once, run unmodified by Jython (Python 2)."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv" / "peers" / "parlance"
PACKAGES = ("Parlance==1.4.1", "Parang==1.4.1", "setuptools==44.1.1")  # the last setuptools for Python 2
LAUNCHER = Path(__file__).with_name("parlance_launcher.py")


def jython() -> str | None:
    """The interpreter, where it is installed: Debian's package jython."""
    return shutil.which("jython")


def fetched() -> Path:
    """The folder with the programs, which is made if it is not there yet."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if not (FOLDER / "ready").exists():
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-deps"]
            subprocess.run([*pip, "--dest", str(FOLDER), *PACKAGES], check=True)
            for archive in FOLDER.glob("*.tar.gz"):
                shutil.unpack_archive(archive, FOLDER, filter="data")
            for wheel in FOLDER.glob("*.whl"):
                zipfile.ZipFile(wheel).extractall(FOLDER / "setuptools")
            (FOLDER / "ready").touch()
    return FOLDER


def command(what: str, port: int, *names: str) -> list[str]:
    """Return the command that starts `bots` by their names, or a `server`."""
    interpreter = jython()
    assert interpreter is not None
    return [interpreter, str(LAUNCHER), str(fetched()), what, str(port), *names]
