"""Finds which tests reach which lines: every test file is run once with coverage, and the result is kept.

The result of a test file is valid until the file changes, or a module that it stands beside. If another module has
changed since, the result still says that a test reaches it, but no longer at which lines.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import coverage

from mutation.changes import Mutant
from mutation.forks import Tell, forked
from mutation.ground import Ground

LAWS = "tests/props/test_frozen.py"
"""A test that checks the classes of every module."""
PATIENCE = 900.0
"""Seconds that one test may take while it is traced."""


class Reach:
    """The lines that each test reaches and its time, kept in a folder, one file per test file."""

    def __init__(self, folder: Path, tree: Path, package: Path) -> None:
        self._folder, self._tree, self._package = folder, tree, package
        self._tests: dict[str, dict[str, list[int]]] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._digests: dict[str, str] = {}
        self._learnt: set[str] = set()
        self._collecting = self._tracer()
        self._kills: Counter[tuple[str, str]] = Counter()
        self.seconds: dict[str, float] = {}

    def watch_collecting(self) -> None:
        """Start tracing the collection of tests."""
        self._collecting.start()

    def all_collected(self) -> None:
        """Stop tracing: all tests are collected."""
        self._collecting.stop()

    def ran_early(self, mutant: Mutant) -> bool:
        """Return True if the changed code already ran, unchanged, while tests were collected."""
        path = str(self._package / mutant.module)
        return mutant.scope is None or not set(mutant.lines).isdisjoint(self._collecting.get_data().lines(path) or ())

    def note_kill(self, module: str, test: str) -> None:
        """Count that a test noticed a change of a module, since it may notice the next."""
        self._kills[module, test] += 1

    def learn(
        self,
        ground: Ground,
        say: Callable[[str], None],
        module: str | None = None,
        *,
        beside: bool = False,
    ) -> None:
        """Trace new or changed test files: all, or those near a module, with beside also those of its folder."""
        files: dict[str, list[str]] = defaultdict(list)
        for name in ground.items:
            files[name.partition("::")[0]].append(name)
        near = self._near(module, files, beside) if module else set(files)
        for file in sorted(set(files) - self._learnt):
            kept = self._folder / (file.replace("/", ".") + ".json")
            digest = digest_of(self._tree / file)
            found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
            if found.get("digest") != digest or self._has_moved(file, found["modules"]):
                if file not in near:
                    continue
                began = time.monotonic()
                found = {"digest": digest, **self._traced(ground, files[file])}
                if found["tests"]:
                    kept.write_text(json.dumps(found), encoding="utf-8")
                say(f"traced {file}: {len(found['tests'])} tests, {time.monotonic() - began:.0f} s")
            self._learnt.add(file)
            for name, test in found["tests"].items():
                if name in ground.items:
                    self._tests[name] = test["lines"]
                    self._known[name] = found["modules"]
                    self.seconds[name] = test["seconds"]

    def _has_moved(self, file: str, modules: dict[str, str]) -> bool:
        """Return True if a module beside a test file has changed since the file was traced."""
        return any(
            _beside(module) == f"{Path(file).parent}/"
            and (self._package / module).exists()
            and self._digest(module) != digest
            for module, digest in modules.items()
        )

    def _near(self, module: str, files: Iterable[str], beside: bool) -> set[str]:
        """Return the test file that mirrors a module, those that import it, and, if needed, those of its folder."""
        naming = naming_tests(self._tree, module)
        near = {file for file in files if Path(file) == _mirror(module) or file in (LAWS, *naming)}
        if near - {LAWS} and not beside:
            return near
        return near | {file for file in files if f"{Path(file).parent}/" == _beside(module)}

    def _traced(self, ground: Ground, names: list[str]) -> dict[str, Any]:
        """Return the lines that the tests of one file reach, without failing tests; nothing if one of them hangs."""
        target = self._folder / f"{os.getpid()}.json"
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with forked(lambda tell: self._trace(ground, names, target, tell)) as lines:
                while lines(PATIENCE):
                    pass
            tests = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
        finally:
            target.unlink(missing_ok=True)
        modules = {module for test in tests.values() for module in test["lines"]}
        return {"tests": tests, "modules": {module: self._digest(module) for module in sorted(modules)}}

    def _trace(self, ground: Ground, names: list[str], target: Path, tell: Tell) -> None:
        """Run tests here, each under its own name, and write the lines they reached to the target."""
        tracer = self._tracer()
        tracer.start()
        took: dict[str, float] = {}
        failing: set[str] = set()
        last, began = "", time.perf_counter()
        for name, failed in ground.run(names):
            if failed:
                failing.add(name)
                continue
            took[last] = time.perf_counter() - began
            tell(name)
            tracer.switch_context(name)
            last, began = name, time.perf_counter()
        took[last] = time.perf_counter() - began
        tracer.stop()
        passing = [name for name in names if name not in failing]
        tests: dict[str, Any] = {name: {"seconds": round(took[name], 3), "lines": {}} for name in passing}
        data = tracer.get_data()
        for path in data.measured_files():
            module = str(Path(path).relative_to(self._package))
            for line, reached in sorted(data.contexts_by_lineno(path).items()):
                for name in tests.keys() & set(reached):
                    tests[name]["lines"].setdefault(module, []).append(line)
        target.write_text(json.dumps(tests), encoding="utf-8")

    def _tracer(self) -> coverage.Coverage:
        include = [str(self._package / "*")]
        tracer = coverage.Coverage(data_file=None, config_file=False, include=include, messages=False)
        tracer.set_option("run:disable_warnings", ["no-data-collected"])
        return tracer

    def _digest(self, module: str) -> str:
        if module not in self._digests:
            self._digests[module] = digest_of(self._package / module)
        return self._digests[module]

    def tests_of(self, mutant: Mutant, most: float) -> list[str]:
        """Return tests that reach a mutant, up to a number of seconds: those that mirror or name its module first.

        Then come the quickest. A test that has noticed changes of the module counts as quicker. Tests of one file stay
        together, since their fixtures are made once. Tests that mirror the module but do not reach it come last, since
        they may start programs that do. If no test reaches it, all tests near the module are returned.
        """
        reaching = {name for name, lines in self._tests.items() if self._reaches(name, lines, mutant)}
        mirror, naming = str(_mirror(mutant.module)), naming_tests(self._tree, mutant.module)
        near = (mirror,) if reaching else (mirror, _beside(mutant.module), *naming)

        def order(name: str) -> tuple[bool, bool, float, str]:
            kills = self._kills[mutant.module, name]
            first = name.startswith((mirror, LAWS, *naming))
            return name not in reaching, not first, self.seconds[name] / (1 + kills), name

        chosen: dict[tuple[bool, str], list[str]] = {}
        total = 0.0
        for name in sorted(reaching.union(name for name in self._tests if name.startswith(near)), key=order):
            if total > most:
                break
            total += self.seconds[name]
            chosen.setdefault((name in reaching, name.partition("::")[0]), []).append(name)
        return [name for names in chosen.values() for name in names]

    def _reaches(self, name: str, lines: dict[str, list[int]], mutant: Mutant) -> bool:
        if mutant.scope is None and name.startswith((_beside(mutant.module), LAWS)):
            return True  # Code that runs on import is noticed by tests that run no line of the module.
        if mutant.module not in lines:
            return False
        moved = self._known[name].get(mutant.module) != self._digest(mutant.module)
        return mutant.scope is None or moved or not set(mutant.lines).isdisjoint(lines[mutant.module])


def _beside(module: str) -> str:
    return f"tests/{Path(module).parent}/"


def _mirror(module: str) -> Path:
    return Path(_beside(module)) / f"test_{Path(module).name}"


@functools.cache
def naming_tests(tree: Path, module: str) -> tuple[str, ...]:
    """Return the test files that import a module, the shortest first."""
    name = "parlour." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, last = name.rpartition(".")
    wanted = (f"from {name} import", f"import {name}", f"from {package} import {last}")
    files = sorted((tree / "tests").rglob("test_*.py"), key=lambda file: file.stat().st_size)
    naming = [file for file in files if any(text in file.read_text(encoding="utf-8") for text in wanted)]
    return tuple(str(file.relative_to(tree)) for file in naming)


def digest_of(path: Path) -> str:
    """Return a short digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
