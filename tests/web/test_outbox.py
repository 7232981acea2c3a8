"""What was entered is sent in order, and once, whatever is cut, reloaded or killed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from parlour.web.packing import STATIC

NODE = shutil.which("node")
RUNS = 1000


@pytest.mark.skipif(NODE is None, reason="node is not installed: pages' modules cannot run outside a browser")
@pytest.mark.timeout(240)
def test_a_queue_under_random_cuts_loses_nothing_and_sends_nothing_twice() -> None:
    assert NODE is not None
    asked = json.dumps({"outbox": (STATIC / "outbox.js").as_uri(), "seeds": list(range(RUNS))})
    script = Path(__file__).with_name("outbox.mjs")
    done = subprocess.run([NODE, script], input=asked, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {}
