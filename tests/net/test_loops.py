"""A server's requests to its process: open files, and few collections of garbage."""

from __future__ import annotations

import subprocess
import sys

import pytest

from parlour.net.loops import COLLECT_AFTER, COLLECTIONS, FULL_COLLECTIONS

WHAT = """
import gc
from parlour.net.loops import settle_down
settle_down()
print(gc.get_freeze_count() > 0, *gc.get_threshold(), gc.isenabled())
"""


def test_a_server_that_has_settled_down_seldom_looks_for_cycles() -> None:
    # In a process of its own, for this one is to stay as it is.
    found = subprocess.run([sys.executable, "-c", WHAT], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", str(COLLECT_AFTER), str(COLLECTIONS), str(FULL_COLLECTIONS), "True"]


FILES = """
import resource
from parlour.net.framing.limiter import ConnectionLimiter
from parlour.net.loops import ask_for_files
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
few = ConnectionLimiter().most
ask_for_files()
soft, hard_still = resource.getrlimit(resource.RLIMIT_NOFILE)
ask_for_files()
print(few, ConnectionLimiter().most > few, soft > 100, hard_still == hard)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sets no such limit")
def test_a_server_asks_for_the_files_that_its_doors_need() -> None:
    found = subprocess.run([sys.executable, "-c", FILES], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["50", "True", "True", "True"]
