"""Mutation check: changes one thing in a module, runs the tests that reach it, and reports if they noticed.

    python tools/mutants.py [--layers core,net/fish,...] [--sample 40] [--seed 1] [--results FILE] [--json]

Coverage finds once which tests reach which lines, and build/mutants keeps the result. Test files are traced again only
if they are new or changed, or stand beside a changed module. The sample of a seed stays the same when other code
changes. Results are written to a file as they come: after a stop, or with new tests for survivors, the same command
resumes. Everything happens in a copy of the tree. Any folder or file of the package can be a layer; the tests that
mirror it are run.

A mutant that no test kills is a survivor. A test that also fails without the change kills nothing. Accepted survivors
are in tools/mutation/survivors.toml, each with a reason: either no visible change ("equal"), which is not tried again,
or not tested on purpose ("let be"). Neither counts as killed. Entries whose change no longer exists are printed. A test
that takes many times as long as before kills a mutant if it passes in time without the change; the table counts these.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

try:
    import pytest

    from mutation.changes import Mutant, mutants_of
    from mutation.forks import PYTEST, Trial
    from mutation.ground import Changed, Ground, copied
    from mutation.nursery import Nursery
    from mutation.reach import Reach
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is not installed here: make mutants installs what this needs, and runs it")

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("core", "referee", "net", "store", "tournament")
TESTS = (
    "core",
    "referee",
    "net",
    "store",
    "tournament",
    "props",
    "transcripts",
    *(f"cli/{word}.py" for word in ("test_query", "test_store", "display/test_results", "display/test_standings")),
)
ELSEWHERE = (
    *("test_kill.py", "test_strangers.py", "test_original_client.py", "test_cluster_kills.py"),
    *("test_adjudication.py", "test_civil_disorder.py"),
)
"""Tests of other programs, and laws of a game's rules, which reach almost nothing here and take long."""
LARGER = {"net": 2}
"""Factor of the sample for layers with many modules."""
ROUND = 10
"""Number of mutants of a layer before the next layer's turn, so that a stopped run has results of each."""
NEEDED = 0.9
KILLED = ("killed", "timed out")


class Check:
    """One run of the check, over the tree that it was started with."""

    def __init__(self, wanted: argparse.Namespace, folder: Path) -> None:
        self._wanted = wanted
        self._tree = copied(ROOT, folder)
        self._package = self._tree / "src" / "parlour"
        self._reach = Reach(ROOT / "build" / "mutants", self._tree, self._package)
        self._scratch = folder / "tmp"
        self._scratch.mkdir()
        self._known, self._survived = _results(wanted.results)
        self._passing: set[tuple[Ground | Nursery, tuple[str, ...]]] = set()
        listed = tomllib.loads((ROOT / "tools" / "mutation" / "survivors.toml").read_text(encoding="utf-8"))
        self._equal: dict[str, str] = listed.get("equal", {})
        self._let_be: dict[str, str] = listed.get("let be", {})
        self.layers: list[str] = wanted.layers.split(",")
        self.results: list[dict[str, Any]] = []

    def start(self) -> None:
        """Collect the tests, in this process, from the copy."""
        os.chdir(self._tree)
        for folder in (self._tree.parent, self._scratch):
            folder.chmod(0o755)  # A database server in it runs as another user.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        os.environ |= {"PYTHONPATH": str(self._tree / "src"), "TMPDIR": str(self._scratch)}
        tempfile.tempdir = None
        sys.path.insert(0, str(self._tree / "src"))
        tests = self._wanted.tests.split(",") if self._wanted.tests else list(tests_for(self.layers, self._tree))
        options = [f"--basetemp={self._scratch / 'pytest'}", *(f"--ignore-glob=*/{name}" for name in ELSEWHERE)]
        self._reach.watch_collecting()
        code = pytest.main([*PYTEST, *options, *tests], plugins=[Ground(self._work)])
        if code == pytest.ExitCode.INTERRUPTED:
            sys.exit("stopped; the same command goes on")
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            sys.exit(f"the tests could not be collected: {code}")

    def close(self) -> None:
        """End all processes."""
        if "_nursery" in vars(self):
            self._nursery.close()
        self._clean()

    @functools.cached_property
    def _nursery(self) -> Nursery:
        return Nursery(self._tree)

    def _work(self, ground: Ground) -> None:
        self._reach.all_collected()
        # From here on files are changed back and forth within a second, which bytecode would not notice.
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        if not self._wanted.near:
            self._reach.learn(ground, self._say)
        sampled = list(self._sampled())
        for number, (layer, mutant) in enumerate(sampled, 1):
            known = self._known.get((layer, mutant.key))
            result = known or {"layer": layer, **self._tried(ground, mutant)}
            self.results.append(result)
            if result["outcome"] in KILLED:
                self._reach.note_kill(mutant.module, result["by"])
            if not known:
                with self._wanted.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
                by = f"  by {result['by']}" if result["by"] else ""
                at = f"{number} of {len(sampled)}"
                self._say(f"{at}: {result['outcome']:9} {mutant.module}:{mutant.line}: {mutant.change}{by}")

    def _sampled(self) -> Iterator[tuple[str, Mutant]]:
        queues = {layer: self._sample(layer) for layer in self.layers}
        while any(queues.values()):
            for layer, queue in queues.items():
                for mutant in queue[:ROUND]:
                    yield layer, mutant
                del queue[:ROUND]

    def _sample(self, layer: str) -> list[Mutant]:
        """Return the mutants of a layer, sorted by a hash so that one module does not affect others; survivors last."""
        home = self._package / layer
        paths = [home] if home.is_file() else sorted(home.rglob("*.py"))
        modules = [str(path.relative_to(self._package)) for path in paths if "kernel" not in path.parts]
        found = [mutant for module in modules for mutant in mutants_of(self._package, module)]
        found.sort(key=lambda mutant: hashlib.sha256(f"{self._wanted.seed} {mutant.key}".encode()).digest())
        chosen = found[: self._wanted.sample * LARGER.get(layer, 1)]
        return sorted(chosen, key=lambda mutant: (layer, mutant.key) in self._survived)

    def stale(self) -> Iterator[str]:
        """Yield the listed survivors that no change of today's code has as its name."""
        package = ROOT / "src" / "parlour"
        for key in (*self._equal, *self._let_be):
            module = key.partition(": ")[0]
            if not (package / module).is_file() or key not in {mutant.key for mutant in mutants_of(package, module)}:
                yield key

    def _tried(self, ground: Ground, mutant: Mutant) -> dict[str, Any]:
        began = time.monotonic()
        reason = self._equal.get(mutant.key)
        if self._wanted.near and not reason:
            self._reach.learn(ground, self._say, mutant.module)
        tests = [] if reason else self._reach.tests_of(mutant, self._wanted.seconds)
        trial = Trial("equal") if reason else self._trial(ground, mutant, tests)
        if self._wanted.near and trial.outcome == "passed":
            self._reach.learn(ground, self._say, mutant.module, beside=True)
            tried = set(tests)
            if more := [name for name in self._reach.tests_of(mutant, self._wanted.seconds * 4) if name not in tried]:
                tests += more
                trial = self._trial(ground, mutant, more)
        if trial.outcome == "passed":
            reason = self._let_be.get(mutant.key)
        named = {"passed": "survived", "failed": "killed"}
        return {
            "module": mutant.module,
            "line": mutant.line,
            "change": mutant.change,
            "outcome": named.get(trial.outcome, trial.outcome),
            "by": trial.by,
            "reason": reason or "",
            "tests": len(tests),
            "seconds": round(time.monotonic() - began, 1),
        }

    def _trial(self, ground: Ground, mutant: Mutant, tests: list[str]) -> Trial:
        if not tests:
            return Trial("passed", "no test is near it")
        changed = Changed(mutant)
        with self._in_place(mutant, changed.text):
            trial = ground.try_out(changed, tests, self._reach.seconds)
            judge: Ground | Nursery = ground
            if trial.outcome == "unknown" or (trial.outcome == "passed" and self._reach.ran_early(mutant)):
                judge, trial = self._nursery, self._nursery.try_out(tests, self._reach.seconds)
        if trial.outcome == "passed":
            return trial
        if self._pass_unchanged(judge, (trial.by,) if trial.by in tests else tuple(tests), trial.outcome):
            return trial
        if trial.by not in tests:
            return Trial("passed", "its tests fail without it too")
        return self._trial(ground, mutant, [name for name in tests if name != trial.by])

    def _pass_unchanged(self, judge: Ground | Nursery, tests: tuple[str, ...], outcome: str) -> bool:
        """Return True if tests pass in time and in the same place without a change; otherwise they prove nothing.

        They run only once, unless one took too long: the machine may have become slower.
        """
        if (judge, tests) in self._passing and outcome != "timed out":
            return True
        if isinstance(judge, Ground):
            trial = judge.try_out(None, tests, self._reach.seconds)
        else:
            trial = judge.try_out(tests, self._reach.seconds)
        if trial.outcome == "passed":
            self._passing.add((judge, tests))
        return trial.outcome == "passed"

    @contextlib.contextmanager
    def _in_place(self, mutant: Mutant, text: str) -> Iterator[None]:
        target = self._package / mutant.module
        aside = self._tree / "aside.py"
        shutil.copy2(target, aside)
        target.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            shutil.copy2(aside, target)
            self._clean()

    def _clean(self) -> None:
        """Remove all remains of a trial: a stopped test may have left a database server behind."""
        for running in self._scratch.glob("*/*/postmaster.pid"):
            with contextlib.suppress(ProcessLookupError, ValueError, IndexError, FileNotFoundError):
                os.kill(int(running.read_text(encoding="utf-8").splitlines()[0]), signal.SIGQUIT)
        for left in self._scratch.iterdir():
            shutil.rmtree(left, ignore_errors=True)

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr if self._wanted.json else sys.stdout, flush=True)


def tests_for(layers: Iterable[str], tree: Path) -> Iterator[str]:
    """Yield the folders and files of tests to run: TESTS, and those that mirror any other layer."""
    yield from (f"tests/{folder}" for folder in TESTS)
    for layer in layers:
        if layer.partition("/")[0] not in TESTS:
            mirror = Path("tests") / layer
            yield str(mirror if (tree / mirror).is_dir() else mirror.parent)


def _results(path: Path) -> tuple[dict[tuple[str, str], dict[str, Any]], set[tuple[str, str]]]:
    """Return the mutants killed before, and the survivors, which are tried again, since there may be new tests."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    named = {(line["layer"], f"{line['module']}: {line['change']}"): line for line in lines}
    killed = {name: line for name, line in named.items() if line["outcome"] in KILLED}
    return killed, named.keys() - killed.keys()


def summary(layer: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a layer; a survivor counts as a survivor, whatever its reason."""
    own = [result for result in results if result["layer"] == layer]
    killed = sum(result["outcome"] in KILLED for result in own)
    reason = sum(result["outcome"] not in KILLED and bool(result["reason"]) for result in own)
    return {
        "layer": layer,
        "sampled": len(own),
        "killed": killed,
        "by time-out": sum(result["outcome"] == "timed out" for result in own),
        "survived with a reason": reason,
        "survived without": len(own) - killed - reason,
        "rate": round(killed / len(own), 3) if own else 1.0,
    }


def table(figures: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of all layers, with the column names first."""
    widths = {name: max(len(name), *(len(str(row[name])) for row in figures)) for name in figures[0]}
    for row in ({name: name for name in widths}, *figures):
        yield "  ".join(str(row[name]).rjust(width) for name, width in widths.items())


def main() -> None:
    """Sample mutants of some layers, print the result of each, and fail if too many survive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", default=",".join(LAYERS), help="folders or files of the package")
    parser.add_argument("--sample", type=int, default=40, help="mutants of each of them; of net twice as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default="", help="folders or files of tests that are asked, instead of all")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the tests of a mutant took before")
    parser.add_argument("--near", action="store_true", help="trace only tests that mirror or import what is changed")
    parser.add_argument("--results", type=Path, help="where results are written; build/mutants/SEED.jsonl if not given")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    wanted = parser.parse_args()
    wanted.results = (wanted.results or ROOT / "build" / "mutants" / f"{wanted.seed}.jsonl").resolve()
    wanted.results.parent.mkdir(parents=True, exist_ok=True)
    for stop in (signal.SIGTERM, signal.SIGINT):  # So that the fork that is at work ends as well.
        signal.signal(stop, signal.default_int_handler)  # A shell starts background programs without this handler.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        check = Check(wanted, Path(folder))
        try:
            check.start()
        finally:
            check.close()
            os.chdir(ROOT)
    figures = [summary(layer, check.results) for layer in check.layers]
    if wanted.json:
        print(json.dumps({"figures": figures, "mutants": check.results}, indent=1))
    else:
        for result in check.results:
            if result["outcome"] not in KILLED:
                why = f": {result['reason'] or result['by']}".rstrip(": ")
                print(f"survived {result['module']}:{result['line']}: {result['change']}{why}")
        for key in check.stale():
            print(f"survivors.toml has a change that there is not any more: {key}")
        print(*table(figures), sep="\n")
    sys.exit(any(of_layer["rate"] < NEEDED for of_layer in figures))


if __name__ == "__main__":
    main()
