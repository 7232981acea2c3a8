"""Runs the kernels under AddressSanitizer and ThreadSanitizer: their tests, and agents whose turns end too soon.

    python tools/sanitize.py [address] [thread]     (make sanitize: both)

Each sanitizer has a build of its own in build/sanitize, beside the usual one. Python itself is not instrumented: what
is checked is the memory and the threads of the kernels. At last one kernel is used by several threads, which
ThreadSanitizer must find. ThreadSanitizer sees Python's lock, so that what happens with
it held is in order; what a kernel does without it is compared between threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}
OPTIONS = {
    # Python keeps much until its end, and that is no leak of ours.
    "address": {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "PYTHONMALLOC": "malloc"},
    "thread": {"TSAN_OPTIONS": "halt_on_error=1:report_signal_unsafe=0:history_size=4"},
}
TESTS = (
    "tests/games/fish/kernel",
    "tests/games/diplomacy/test_kernel.py",
    "tests/agents/diplomacy/test_rollouts.py",
    "tests/agents/fish",
)
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
"""What a sanitizer must find; if it does not, nothing that it says counts."""
SECONDS = float(os.environ.get("SANITIZE_SECONDS", "20"))


def main(wanted: list[str]) -> int:
    """Build and run; the number of sanitizers that found something."""
    failed = [sanitizer for sanitizer in wanted or list(LIBRARIES) if not passes(sanitizer)]
    print(f"sanitizers that found something: {', '.join(failed) or 'none'}")
    return len(failed)


def passes(sanitizer: str) -> bool:
    """Whether the tests and the scenario run through."""
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
        "the kernel tests": [*plain, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--timeout=0", *TESTS],
    }
    fine = True
    for what, command in runs.items():
        code = subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
        print(f"{sanitizer}: {what}: {'ran through' if code == 0 else f'exit code {code}'}", flush=True)
        fine = fine and code == 0
    shared = subprocess.run([*plain, "-c", SHARED], cwd=ROOT, env=environ, check=False, capture_output=True)
    found = b"Sanitizer" in shared.stderr
    if sanitizer == "address" and not found:  # it depends on when which thread runs
        return fine
    print(
        f"{sanitizer}: one kernel on four threads, which must not be: {'found' if found else 'NOT found'}", flush=True
    )
    return fine and found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
