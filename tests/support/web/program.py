"""`parlour serve` as a program of its own, for tests that kill it or play on it as people do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self


class Program:
    """`parlour serve` in a program of its own, that can be killed and started again on its port."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.store = folder / "parlour.db"
        command = [sys.executable, "-m", "parlour", "serve", "--only", "http", "--http-port", str(port)]
        command += ["--store", str(self.store)]
        environment = {**os.environ, "PARLOUR_LOG_LEVEL": "error"}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        lines = iter(self.process.stderr.readline, "")
        self.port = next(int(found[1]) for line in lines if (found := re.search(r"http listens on \S+:(\d+)", line)))
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def kill(self) -> None:
        """As if the power had failed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()
