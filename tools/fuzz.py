"""Feeds mutated input, guided by coverage, to every reader of external input: python tools/fuzz.py [SECONDS].

Each target gets the same share of the time and starts from its corpus in tests/fuzz/. A target may raise its
own errors. Any other error, or an input that takes longer than LIMIT seconds, is a finding: it is written to
tests/fuzz/findings/ and the program ends with 1. tests/fuzz/test_corpora.py runs every corpus and finding again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[1] / "tests" / "fuzz"
FINDINGS = ROOT / "findings"
SCRATCH = Path(__file__).parents[1] / "build" / "fuzz"
LIMIT = 5
LONGEST = 1 << 14


def main() -> int:
    """Run all targets, one after the other, each in a program of its own; or (with its name) one of them."""
    if len(sys.argv) > 2 and sys.argv[1] == "--target":
        return _fuzz(sys.argv[2], sys.argv[3:])
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    share = max(1, round(seconds / len(TARGETS)))
    failed = []
    for name in TARGETS:
        print(f"== {name}: {share} s", flush=True)
        FINDINGS.mkdir(exist_ok=True)
        scratch = SCRATCH / name  # inputs that the fuzzer keeps for its next run
        scratch.mkdir(parents=True, exist_ok=True)
        limits = [f"-max_total_time={share}", f"-timeout={LIMIT}", f"-max_len={LONGEST}", "-print_final_stats=1"]
        options = [*limits, f"-artifact_prefix={FINDINGS}/{name}-", str(scratch), str(ROOT / name)]
        done = subprocess.run([sys.executable, __file__, "--target", name, *options], check=False)
        if done.returncode:
            failed.append(name)
    print(f"findings in: {', '.join(failed)}" if failed else "no findings")
    return 1 if failed else 0


def _fuzz(name: str, options: list[str]) -> int:
    import atheris

    with atheris.instrument_imports(include=["parlour"]):
        target = TARGETS[name]()
    atheris.Setup([sys.argv[0], *options], target)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
