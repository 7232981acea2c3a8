"""Keeps the libraries of the tests in a file of exact versions and hashes, one for each Python and platform.

python tools/lock.py          write the file for this Python and platform: versions installed here, or the newest
python tools/lock.py --find   print the name of that file; says what to do and fails if there is none

A file has the hash of the archive that this platform installs, and no address: pip asks whichever index it is set to.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

from extras import PROJECT, requirements

FOLDER = Path(__file__).with_name("locks")
LEFT_OUT = {"torch", "parlour", "pip"}
"""Packages that are never locked: torch is too large for every machine, the others are not requirements."""


def lock_file() -> Path:
    """Return the lock file for this Python and platform."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return (
        FOLDER
        / f"test-{platform.python_implementation().lower()}{sys.version_info[0]}{sys.version_info[1]}-{system}.txt"
    )


def lines_of(report: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return the lines of a lock file, from pip's report of an installation."""
    found = {}
    for wanted in report["install"]:
        metadata, download = wanted["metadata"], wanted["download_info"]
        assert isinstance(metadata, dict)
        assert isinstance(download, dict)
        name = re.sub(r"[-_.]+", "-", metadata["name"]).lower()
        if name not in LEFT_OUT:
            digest = download["archive_info"]["hashes"]["sha256"]
            found[name] = f"{name}=={metadata['version']} --hash=sha256:{digest}"
    return [found[name] for name in sorted(found)]


def write() -> Path:
    """Resolve the requirements of the package and its tests, preferring installed versions, and write the lock file."""
    wanted = [*tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"], *requirements(["test"])]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], capture_output=True, text=True, check=True).stdout
    kept = [line for line in frozen.splitlines() if "==" in line]
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "wanted").write_text("\n".join(wanted), encoding="utf-8")
        (here / "kept").write_text("\n".join(kept), encoding="utf-8")
        how = ["install", "--dry-run", "--ignore-installed", "--report", str(here / "report")]
        subprocess.run([*pip, *how, "-r", str(here / "wanted"), "-c", str(here / "kept")], check=True)
        lines = lines_of(json.loads((here / "report").read_text(encoding="utf-8")))
    path = lock_file()
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["# Written by tools/lock.py.", *lines, ""]), encoding="utf-8")
    return path


def main(words: list[str]) -> int:
    """Write the file, or with --find print its path; return the exit code."""
    if words == ["--find"]:
        path = lock_file()
        if not path.is_file():
            print(
                f"note: no lock file for this Python and platform ({path.name}): the newest libraries are installed; "
                "python tools/lock.py writes one",
                file=sys.stderr,
            )
            return 1
        print(path)
        return 0
    print(write())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
