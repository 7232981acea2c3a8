"""Chooses the tests of `make quick`: those near changes since main that fit into a minute, or the fast core.

Prints one test module per line. Nearest are tests that changed, then those that mirror a changed module, then those
that import one, or that name a script, page or table that changed. Their times are those of earlier runs, which
tests/conftest.py writes to pytest's cache.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DURATIONS = ROOT / ".pytest_cache" / "v" / "parlour" / "durations"
SECONDS = 50.0
"""Seconds of tests, on one core, that fit into a minute on two beside lint and types."""
WAITS = re.compile(r"browser: Browser|subprocess|Program\(|PATIENCE|asyncio\.run\(|jax|optax|from_source|played\(")
"""Marks of modules that start browsers, programs or servers, compile, or play whole matches."""
UNKNOWN = (1.0, 6.0)
"""Assumed seconds of a module that has not been run here, without and with such a mark: the means over all modules."""
CORE = ("tests/core", "tests/referee", "tests/games/fish", "tests/datc/test_datc.py", "tests/architecture/test_face.py")
"""Tests that run when nothing has changed."""


def git(*words: str) -> list[str]:
    """Return the lines that git prints; none if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed() -> list[str]:
    """Return the files that differ from main, committed or not."""
    bases = [line for name in ("origin/main", "main") for line in git("merge-base", "HEAD", name)]
    if not bases:
        return []
    found = {*git("diff", "--name-only", bases[0]), *git("ls-files", "--others", "--exclude-standard")}
    return sorted(found)


def near(name: str, tests: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the test modules that are, or mirror, a changed file, and those that import or name it."""
    if name in tests:
        return [name], []
    if not name.endswith(".py"):
        file = Path(name)
        named = (f"/{file.name}", f'"{file.name}', f'"*{file.suffix}"')
        found = [test for test, text in tests.items() if file.suffix and any(one in text for one in named)]
        mirrors = [f"tests/{part}/test_{file.stem}.py" for part in file.parts]  # web/static/board.js: web/test_board.py
        return [mirror for mirror in mirrors if mirror in tests], found
    dotted = name.removeprefix("src/").removeprefix("tests/").removesuffix(".py").removesuffix("/__init__")
    package, _, module = dotted.replace("/", ".").rpartition(".")
    imports = rf"(from|import) {re.escape(f'{package}.{module}'.strip('.'))}\b"
    if package:
        imports += rf"|from {re.escape(package)} import .*\b{module}\b"
    importing = [test for test, text in tests.items() if re.search(imports, text)]
    folder = Path("tests", name.removeprefix("src/parlour/")).parent
    if (mirror := (folder / f"test_{module}.py").as_posix()) in tests:
        return [mirror], importing
    # A part of a package that is tested as a whole, such as a kernel.
    beside = [test for test in tests if Path(test).parent in (folder, folder.parent)] if "src/" in name else []
    whole = folder.with_name(f"test_{folder.name}.py").as_posix()
    return [whole] if whole in tests else [], importing or beside


def chosen(files: list[str], tests: dict[str, str], seconds: dict[str, float]) -> tuple[list[str], int]:
    """Return the tests near changed files that fit, nearest and quickest first, and the number that did not fit."""
    both = [near(name, tests) for name in files]
    nearest = {test for same, _ in both for test in same}
    further = {test for _, importing in both for test in importing} - nearest
    takes = {test: seconds.get(test, UNKNOWN[bool(WAITS.search(tests[test]))]) for test in nearest | further}
    found: list[str] = []
    spent = 0.0
    for test in [test for group in (nearest, further) for test in sorted(group, key=lambda test: (takes[test], test))]:
        if not found or spent + takes[test] <= SECONDS:
            found.append(test)
            spent += takes[test]
    return found, len(takes) - len(found)


def main() -> None:
    """Print the tests to run, and on standard error the number of those left out."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    tests = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    seconds = json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}
    found, left = chosen(changed(), tests, seconds)
    if left:
        print(f"{left} more test modules import what changed: make test runs them", file=sys.stderr)
    print("\n".join(found or CORE))


if __name__ == "__main__":
    main()
