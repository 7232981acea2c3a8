"""The source distribution and the wheel hold all that the program needs, away from this repository."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PURE = {**os.environ, "PARLOUR_PURE": "1", "PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
"""Compiling is tested by every installation; here it would only take long."""


def ran(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=PURE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a source distribution of a copy of this tree, and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    copy = tmp_path_factory.mktemp("copy")
    tracked = ran("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    ran(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, copy, cwd=folder)
    return folder


@pytest.mark.timeout(600)  # real time, because packages are fetched and built
def test_both_hold_the_package_and_nothing_compiled(built: Path) -> None:
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        wheeled = set(archive.namelist())
    for path in (ROOT / "src").rglob("*"):
        if path.is_file() and path.suffix not in (".so", ".c", ".pxd", ".pyc") and ".egg-info" not in str(path):
            assert path.relative_to(ROOT).as_posix() in inside
            assert path.relative_to(ROOT / "src").as_posix() in wheeled
    assert not [name for name in inside | wheeled if name.endswith((".so", ".c", ".pxd", ".pyc"))]


@pytest.mark.timeout(600)  # real time, because packages are fetched and built
def test_the_wheel_runs_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    installs = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile")
    ran(*installs, next(built.glob("*.whl")), cwd=tmp_path)
    program = tmp_path / "empty" / "bin" / "parlour"
    assert "points" in ran(program, "play", "fish", "greedy", "random", "--quiet", cwd=tmp_path)
    assert (tmp_path / "fish.jsonl").exists()
    assert "<svg" in ran(program, "draw", cwd=tmp_path)
    where = ran(python, "-c", "import parlour; print(parlour.__file__)", cwd=tmp_path)
    assert str(tmp_path) in where
