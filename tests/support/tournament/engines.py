"""The worker processes of an engine."""

# Why real time passes here: workers are processes, which live in real time.

from __future__ import annotations

import os
from pathlib import Path

from parlour.agents import proc


def workers() -> list[int]:
    return [pid for pid, parent in proc.parents().items() if parent == os.getpid() and _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    try:
        return b"parlour.tournament.engines.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
