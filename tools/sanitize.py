"""Runs the kernels under AddressSanitizer and ThreadSanitizer: their tests, and agents whose turns end too soon.

    python tools/sanitize.py [address] [thread]     (make sanitize: both)

Each sanitizer has a build of its own in build/sanitize, beside the usual one. Python itself is not instrumented: only
the memory and the threads of the kernels are checked. At the end several threads use one kernel, which ThreadSanitizer
must find. ThreadSanitizer sees Python's lock, so work under the lock is in order; work without it is compared between
threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}
OPTIONS = {
    # Python keeps much memory until its end, which is not a leak of the kernels.
    "address": {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "PYTHONMALLOC": "malloc"},
    "thread": {"TSAN_OPTIONS": "halt_on_error=1:report_signal_unsafe=0:history_size=4"},
}
TESTS = {
    "address": (
        "tests/games/fish/kernel",
        "tests/games/diplomacy/test_kernel.py",
        "tests/agents/diplomacy/test_rollouts.py",
        "tests/agents/fish",
    ),
    # Only tests in which kernels run on several threads: others cannot find anything, and take an hour.
    "thread": (
        "tests/games/diplomacy/test_kernel.py::test_threads_do_not_disturb_each_other",
        "tests/agents/diplomacy/test_dumbbot_variants.py::test_an_agent_that_thinks_is_not_asked_on_a_second_thread",
        "tests/net/test_thought_lane.py",
        "tests/net/test_house_agents.py",
    ),
}
SHARED = """
import threading
import numpy as np
from parlour.agents.diplomacy.dumbbot_variants import new_rollouts
from parlour.agents.diplomacy.position_study import Study
from parlour.games.diplomacy.position import Position
position = Position.start()
desk = new_rollouts(position.board)
study = Study(desk, position, np.random.default_rng(1))
threads = [threading.Thread(target=study.drawn, args=(study.seeds(100_000),)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
"""A fault that ThreadSanitizer must find; otherwise its other results do not count."""
SECONDS = float(os.environ.get("SANITIZE_SECONDS", "20"))


def main(wanted: list[str]) -> int:
    """Build and run; return the number of sanitizers that found something."""
    failed = [sanitizer for sanitizer in wanted or list(LIBRARIES) if not passes(sanitizer)]
    print(f"sanitizers that found something: {', '.join(failed) or 'none'}")
    return len(failed)


def passes(sanitizer: str) -> bool:
    """Return True if the tests and the scenario pass, and the known fault is found."""
    folder = ROOT / "build" / "sanitize" / sanitizer
    library = subprocess.run(
        ["gcc", f"-print-file-name={LIBRARIES[sanitizer]}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(library).is_file():
        print(f"{sanitizer}: {LIBRARIES[sanitizer]} is not installed")
        return False
    into = ("--build-base", f"{folder}/base", "--build-lib", f"{folder}/lib")
    build = [sys.executable, "setup.py", "-q", "build", *into]
    subprocess.run(build, cwd=ROOT, check=True, env={**os.environ, "PARLOUR_SANITIZE": sanitizer})
    environ = {**os.environ, **OPTIONS[sanitizer], "LD_PRELOAD": library, "PYTHONPATH": f"{folder}/lib"}
    # Address randomization with many bits leaves no room for the shadow memory.
    plain = ["setarch", "-R", sys.executable]
    runs = {
        "the scenario": [*plain, str(ROOT / "tools" / "hurried_agents.py"), str(SECONDS), str(folder / "lib")],
        "the kernel tests": [*plain, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--timeout=0"],
    }
    runs["the kernel tests"] += TESTS[sanitizer]
    fine = True
    for what, command in runs.items():
        code = subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
        print(f"{sanitizer}: {what}: {'ran through' if code == 0 else f'exit code {code}'}", flush=True)
        fine = fine and code == 0
    shared = subprocess.run([*plain, "-c", SHARED], cwd=ROOT, env=environ, check=False, capture_output=True)
    found = b"Sanitizer" in shared.stderr
    if sanitizer == "address" and not found:  # it depends on the timing of the threads
        return fine
    print(
        f"{sanitizer}: one kernel on four threads, which must not be: {'found' if found else 'NOT found'}", flush=True
    )
    return fine and found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
