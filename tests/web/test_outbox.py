"""Entries are sent in order and once, whatever is cut, reloaded or killed; and the connection comes back soon."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from parlour.web.packing import STATIC

NODE = shutil.which("node")
RUNS = 1000
OUTAGES = [*range(0, 12_000, 97), *range(12_000, 600_000, 9_973)]
"""Milliseconds: all stages of the growing waits, and long after."""

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed: pages' modules cannot run outside a browser"),
    pytest.mark.timeout(240),
]


def failures(script: str, **asked: object) -> object:
    """Return the problems that a script finds."""
    assert NODE is not None
    path = Path(__file__).with_name(script)
    done = subprocess.run([NODE, path], input=json.dumps(asked), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_queue_under_random_cuts_loses_nothing_and_sends_nothing_twice() -> None:
    assert failures("outbox.mjs", outbox=(STATIC / "outbox.js").as_uri(), seeds=list(range(RUNS))) == {}


def test_after_any_outage_the_line_is_back_within_three_seconds_of_the_server() -> None:
    assert failures("reconnect.mjs", wire=(STATIC / "wire.js").as_uri(), outages=OUTAGES, seeds=list(range(6))) == {}
