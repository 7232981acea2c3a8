"""The container and the systemd unit that ship. Their commands run here, without a container engine."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD, FINAL = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").split("\nFROM ")[1:]


def said(stage: str, word: str) -> list[str]:
    """Return what stands behind an instruction of a stage, line by line."""
    return re.findall(rf"^{word} (.*)$", stage, flags=re.MULTILINE)


def test_the_image_is_built_from_files_that_are_there_and_not_ignored() -> None:
    ignored = {line.strip() for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()}
    assert {".git", ".venv"} < ignored, "an environment of gigabytes is not sent to the builder"
    copied = said(BUILD, "COPY")
    assert copied
    for line in copied:
        *sources, _target = line.split()
        assert all((ROOT / source).exists() and source.split("/")[0] not in ignored for source in sources), line


def test_an_image_without_compiled_kernels_is_not_built() -> None:
    (check,) = (line for line in said(BUILD, "RUN") if "all_compiled" in line)
    assert subprocess.run([sys.executable, *shlex.split(check)[1:]], check=False).returncode == 0
    without = check.replace("assert ", "assert not ")
    done = subprocess.run([sys.executable, *shlex.split(without)[1:]], capture_output=True, check=False)
    assert b"not compiled" in done.stderr, "the check is not passed by itself"


def test_the_last_stage_runs_as_nobody_special_and_has_no_compiler() -> None:
    assert said(FINAL, "USER") == ["parlour"]
    assert "gcc" not in FINAL


@pytest.fixture
def server(tmp_path: Path) -> Iterator[int]:
    """Yield the port of a server that was started as the image starts it, but for the address."""
    command = json.loads(said(FINAL, "ENTRYPOINT")[0]) + json.loads(said(FINAL, "CMD")[0])
    environment = dict(line.split("=", 1) for line in shlex.split(said(FINAL, "ENV")[0]))
    environment = {**environment, "PATH": os.environ["PATH"], "PARLOUR_STORE": str(tmp_path / "parlour.db")}
    command = [sys.executable, "-m", *command, "--http-port", "0", "--set", "fish-port=0"]
    command[command.index("0.0.0.0")] = "127.0.0.1"
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as run:
        assert run.stdout is not None
        try:
            for line in run.stdout:
                if found := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
                    yield int(found[1])
                    break
            else:
                raise AssertionError("the server did not say where it listens")
        finally:
            run.terminate()


def test_the_health_check_tells_a_server_that_is_ready_from_none(server: int) -> None:
    check = re.search(r"HEALTHCHECK .* CMD (\[.*\])", FINAL)
    assert check is not None
    words = [sys.executable, *json.loads(check[1])[1:]]
    here = [word.replace(":8080", f":{server}") for word in words]
    assert subprocess.run(here, check=False).returncode == 0
    nobody = [word.replace(":8080", ":9") for word in words]
    assert subprocess.run(nobody, stderr=subprocess.DEVNULL, check=False).returncode != 0


def test_the_unit_starts_a_command_that_there_is() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / "parlour.service", encoding="utf-8")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[1:3] == ["serve", "--config"]
    assert int(unit["Service"]["TimeoutStopSec"]) > 5, "the server takes up to five seconds to stop"
    assert unit["Service"]["NoNewPrivileges"] == "true"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    text = (ROOT / "deploy" / "parlour.service").read_text(encoding="utf-8")
    unit = tmp_path / "parlour.service"
    unit.write_text(text.replace("/opt/parlour/bin/parlour", "/bin/true"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert "parlour.service" not in done.stderr, done.stderr
