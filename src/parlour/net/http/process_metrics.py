"""What the process itself takes, under the names that Prometheus has for it everywhere."""

from __future__ import annotations

import contextlib
import resource
import time
from pathlib import Path

from parlour.net.http.metrics import Numbers

STATUS = Path("/proc/self/statm")
FILES = Path("/proc/self/fd")


def show_vitals(numbers: Numbers) -> None:
    """Let processor time, memory and open files be among the numbers; memory and files where the system tells."""
    begun = time.time()
    numbers.gauge("process_start_time_seconds", "When the server was started, in Unix seconds.", lambda: begun)
    numbers.gauge("process_cpu_seconds_total", "Processor time that was taken.", _seconds, rising=True)
    if _resident():
        numbers.gauge("process_resident_memory_bytes", "Memory that is taken.", _resident)
        numbers.gauge("process_open_fds", "Files and connections that are open.", _open_files)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(STATUS.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return 0


def _open_files() -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in FILES.iterdir())
    return 0
