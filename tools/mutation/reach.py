"""Which tests reach which lines: every test file is run once with coverage, and what it reached is kept.

What is kept of a test file holds until the file changes, or a module that it stands beside. Of another module that has
changed since, only that a test reaches it is still believed, not where.
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
"""What looks at the classes of every module."""
PATIENCE = 900.0
"""Seconds that one test may take while it is traced."""


class Reach:
    """What each test reaches and how long it takes, kept in a folder, one file for each file of tests."""

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
        """From here on tests are collected."""
        self._collecting.start()

    def all_collected(self) -> None:
        """From here on tests are run."""
        self._collecting.stop()

    def ran_early(self, mutant: Mutant) -> bool:
        """Whether what is changed was run, as it was, while tests were collected."""
        path = str(self._package / mutant.module)
        return mutant.scope is None or not set(mutant.lines).isdisjoint(self._collecting.get_data().lines(path) or ())

    def note_kill(self, module: str, test: str) -> None:
        """A test has noticed a change of a module, and may notice the next."""
        self._kills[module, test] += 1

    def learn(
        self,
        ground: Ground,
        say: Callable[[str], None],
        module: str | None = None,
        *,
        beside: bool = False,
    ) -> None:
        """Trace the files of tests that are new or have changed: all, or those near a module, or beside it too."""
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
        """Whether a module beside which a file of tests stands has changed since it was traced."""
        return any(
            _beside(module) == f"{Path(file).parent}/"
            and (self._package / module).exists()
            and self._digest(module) != digest
            for module, digest in modules.items()
        )

    def _near(self, module: str, files: Iterable[str], beside: bool) -> set[str]:
        """The file that mirrors a module and those that import it, and if need be those of its folder."""
        naming = naming_tests(self._tree, module)
        near = {file for file in files if Path(file) == _mirror(module) or file in (LAWS, *naming)}
        if near - {LAWS} and not beside:
            return near
        return near | {file for file in files if f"{Path(file).parent}/" == _beside(module)}

    def _traced(self, ground: Ground, names: list[str]) -> dict[str, Any]:
        """What the tests of one file reach, without those that fail; nothing at all if one of them hangs."""
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
        """Run tests here, each under its own name, and write down what they reached."""
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
        """The tests that reach a mutant, in so many seconds: what mirrors or names its module first, then the quickest.

        One that has noticed changes of the module before counts as so many times quicker. Tests of one file stay
        together, as what they share is made once. Tests that mirror the module come last, though they are not seen to
        reach it, for they may start programs that do; if no test reaches it, all that are near.
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
            return True  # What runs on import is noticed by tests that run no line of the module.
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
    """The files of tests that name a module, the shortest first."""
    name = "parlour." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, last = name.rpartition(".")
    wanted = (f"from {name} import", f"import {name}", f"from {package} import {last}")
    files = sorted((tree / "tests").rglob("test_*.py"), key=lambda file: file.stat().st_size)
    naming = [file for file in files if any(text in file.read_text(encoding="utf-8") for text in wanted)]
    return tuple(str(file.relative_to(tree)) for file in naming)


def digest_of(path: Path) -> str:
    """A short name for what a file holds."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
