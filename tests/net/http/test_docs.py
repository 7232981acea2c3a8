"""The examples of the page on the API run against a server as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.referee.record import read_record

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "http-api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_examples_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    command = [sys.executable, "-m", "parlour", "serve", "--only", "http", "--http-port", "0", "--store", "kept.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = next(line.split()[3].rstrip(":") for line in server.stderr if line.startswith("http listens on"))
        script = "".join(blocks).replace("http://127.0.0.1:8080", address)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        server.send_signal(signal.SIGTERM)
        server.communicate()
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    assert len(read_record(tmp_path / "match.jsonl")) > 5
    assert json.loads((tmp_path / "saved.json").read_bytes())["phases"][0]["name"] == "S1901M"
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")
    assert (tmp_path / "drawn.svg").read_text().startswith("<svg")
