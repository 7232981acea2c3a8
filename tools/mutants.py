"""Mutation check: changes one thing in a module, runs the tests that mirror it, and says whether they noticed.

    python tools/mutants.py [--layers core,net/fish,...] [--sample 40] [--seed 1] [--module PATH]

A mutant that no test kills is a survivor; those that change nothing that can be seen are listed in EQUAL with a reason.
Modules are changed in a copy of the package, never in place.
"""

from __future__ import annotations

import argparse
import ast
import copy
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("core", "referee", "net", "store", "tournament")
SECONDS = 300
NEEDED = 0.9
WIDER = {"core": ("core", "referee"), "referee": ("referee", "props/test_match_laws.py")}
"""The tests that are asked when those of a module's own name notice nothing; else those of its folder."""
EQUAL: dict[str, str] = {
    "core/kernels.py: if spec is None or spec.loader is None: never": "every path that ends in .py has a loader",
    "net/deadlines.py: FEW + 2 * len(self._due) -> FEW - 2 * len(self._due)": "moved deadlines are swept more often",
}
"""Mutants that change nothing that can be seen, by `module: change`, with the reason."""

_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_COMPARED |= {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


class Mutant(NamedTuple):
    """One change of one module."""

    module: Path
    at: int
    """Which of the changes of its module it is."""
    line: int
    change: str

    @property
    def text(self) -> str:
        """The module with the change."""
        tree = ast.parse(self.module.read_text(encoding="utf-8"))
        old, _, new = next(itertools.islice(changes(tree), self.at, None))
        return ast.unparse(ast.fix_missing_locations(_Swap(old, ast.copy_location(new, old)).visit(tree)))

    @property
    def home(self) -> str:
        return str(self.module.relative_to(ROOT / "src" / "parlour"))

    @property
    def name(self) -> str:
        return f"{self.home}:{self.line}: {self.change}"

    @property
    def key(self) -> str:
        """Its name in EQUAL, which does not change with every line above it."""
        return f"{self.home}: {self.change}"


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """Every node that can be changed, what the change is called, and the node in its place."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
                other = copy.deepcopy(node)
                other.ops = [_COMPARED[type(operator)]()]
                yield node, f"{ast.unparse(node)} -> {ast.unparse(other)}", other
            case ast.BoolOp():
                other = copy.deepcopy(node)
                other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                yield node, f"{ast.unparse(node)[:60]}: and <-> or", other
            case ast.UnaryOp(op=ast.Not()):
                yield node, f"{ast.unparse(node)[:60]}: not is dropped", node.operand
            case ast.BinOp() if type(node.op) in _COUNTED and not _is_text(node):
                other = copy.deepcopy(node)
                other.op = _COUNTED[type(node.op)]()
                yield node, f"{ast.unparse(node)[:60]} -> {ast.unparse(other)[:60]}", other
            case ast.Constant(value=bool() as value):
                yield node, f"{value} -> {not value}", ast.Constant(not value)
            case ast.Constant(value=int() as value):
                yield node, f"{value} -> {value + 1}", ast.Constant(value + 1)
            case ast.If() if not node.orelse:
                yield node, f"if {ast.unparse(node.test)[:60]}: never", ast.Pass()
            case ast.Expr(value=ast.Call()):
                yield node, f"{ast.unparse(node)[:60]}: dropped", ast.Pass()


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr | ast.Constant) for side in (node.left, node.right)
    ) and "'" in ast.unparse(node)


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def mutants_of(module: Path) -> list[Mutant]:
    """All mutants of a module, which is read once; each is made when it is tried."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return [
        Mutant(module, at, getattr(node, "lineno", 0), change) for at, (node, change, _) in enumerate(changes(tree))
    ]


def tests_of(module: Path) -> list[Path]:
    """The tests that mirror a module: of its own name, of its folder, and of its layer if there is nothing nearer."""
    inside = module.relative_to(ROOT / "src" / "parlour")
    own = ROOT / "tests" / inside.parent / f"test_{inside.name}"
    folder = ROOT / "tests" / inside.parent
    return [own] if own.is_file() else [folder if folder.is_dir() else ROOT / "tests" / inside.parts[0]]


def wider_tests(module: Path) -> list[Path]:
    """The tests that are asked when the nearest ones notice nothing: those of the module's folder, or of its layer."""
    inside = module.relative_to(ROOT / "src" / "parlour")
    if inside.parts[0] in WIDER:
        return [ROOT / "tests" / name for name in WIDER[inside.parts[0]]]
    return sorted((ROOT / "tests" / inside.parent).glob("test_*.py")) or [ROOT / "tests" / inside.parts[0]]


def survives(mutant: Mutant, package: Path) -> bool:
    """Whether the tests pass with the mutant in place of its module; one that hangs is killed."""
    target = package / mutant.module.relative_to(ROOT / "src")
    before = target.read_text(encoding="utf-8")
    target.write_text(mutant.text, encoding="utf-8")
    try:
        return all(_pass(tests, package) for tests in (tests_of(mutant.module), wider_tests(mutant.module)))
    finally:
        target.write_text(before, encoding="utf-8")


def _pass(tests: list[Path], package: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *map(str, tests)]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    """Sample mutants of some layers and print what became of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", default=",".join(LAYERS), help="folders or files of the package")
    parser.add_argument("--sample", type=int, default=40, help="mutants of each of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", type=Path, help="only this file")
    wanted = parser.parse_args()
    rng, failed = random.Random(wanted.seed), False
    with tempfile.TemporaryDirectory() as folder:
        package = Path(shutil.copytree(ROOT / "src", Path(folder) / "src"))
        for layer in [""] if wanted.module else wanted.layers.split(","):
            home = wanted.module.resolve() if wanted.module else ROOT / "src" / "parlour" / layer
            modules = [home] if home.is_file() else sorted(home.rglob("*.py"))
            found = [mutant for module in modules if "kernel" not in module.parts for mutant in mutants_of(module)]
            failed |= not _report(
                layer or str(wanted.module), rng.sample(found, min(wanted.sample, len(found))), package
            )
    sys.exit(failed)


def _report(layer: str, sample: list[Mutant], package: Path) -> bool:
    killed, survivors = 0, []
    if sample and not _pass(tests_of(sample[0].module), package):
        sys.exit(f"{layer}: the tests fail though nothing was changed, so that they would kill anything")
    for mutant in sample:
        if mutant.key in EQUAL:
            print(f"  equal     {mutant.name}: {EQUAL[mutant.key]}", flush=True)
        elif survives(mutant, package):
            survivors.append(mutant)
            print(f"  SURVIVED  {mutant.name}", flush=True)
        else:
            killed += 1
            print(f"  killed    {mutant.name}", flush=True)
    tried = killed + len(survivors)
    print(
        f"{layer}: {killed} of {tried} killed ({killed / max(1, tried):.0%}, at least {NEEDED:.0%} wanted)", flush=True
    )
    return killed >= NEEDED * tried


if __name__ == "__main__":
    main()
