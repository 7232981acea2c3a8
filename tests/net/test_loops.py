"""What a server asks of the loop and of the collector of its process."""

from __future__ import annotations

import subprocess
import sys

from parlour.net.loops import COLLECT_AFTER

WHAT = """
import gc
from parlour.net.loops import settle_down
settle_down()
print(gc.get_freeze_count() > 0, gc.get_threshold()[0], gc.isenabled())
"""


def test_a_server_that_has_settled_down_seldom_looks_for_cycles() -> None:
    # In a process of its own, for this one is to stay as it is.
    found = subprocess.run([sys.executable, "-c", WHAT], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", str(COLLECT_AFTER), "True"]
