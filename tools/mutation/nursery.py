"""A process that has imported every library but not Parlour, and runs tests in forks, which import Parlour anew."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mutation.forks import PYTEST, Tell, Trial, watched


class Nursery:
    """The client of this process, in the process of the check."""

    def __init__(self, tree: Path) -> None:
        libraries = sorted(
            name
            for name, module in sys.modules.items()
            if "site-packages" in (getattr(module, "__file__", None) or "") and not name.startswith("coverage")
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from mutation.nursery import main; main()"],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": f"{tree / 'src'}:{Path(__file__).parents[1]}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._ask(libraries)

    def try_out(self, names: Sequence[str], seconds: dict[str, float]) -> Trial:
        """Run tests in a process that has yet to import the package."""
        return Trial(*json.loads(self._ask([list(names), {name: seconds.get(name, 60.0) for name in names}])))

    def _ask(self, question: object) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        """End the process and its tests."""
        self._process.terminate()
        self._process.communicate()


class _Reporter:
    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.failed = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tell(f"began {nodeid}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def main() -> None:
    """Import the libraries named in the first line, then run the tests named in each further line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # So that the fork that is at work ends as well.
    for name in json.loads(sys.stdin.readline()):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        names, seconds = json.loads(line)

        def body(tell: Tell, names: list[str] = names) -> None:
            reporter = _Reporter(tell)
            code = pytest.main([*PYTEST, *names], plugins=[reporter])
            tell(f"failed {reporter.failed or code}" if code else "passed")

        print(json.dumps(watched(body, seconds)), flush=True)
