"""Tries mutants: all tests are collected once, and each trial runs some of them in a fork.

A change of a function's body is made in the fork, in the function itself, and takes no time. Programs that tests start
find it in the file. A change of code that runs on import needs a process that has not imported it: see `nursery`.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from mutation.changes import Mutant, Scope
from mutation.forks import Tell, Trial, watched


class Ground:
    """A pytest plugin that passes the collected tests to a function instead of running them."""

    def __init__(self, work: Callable[[Ground], None]) -> None:
        self._work = work
        self._failed = ""
        self.items: dict[str, pytest.Item] = {}
        self._functions: dict[tuple[str, Scope], list[FunctionType]] = defaultdict(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Call the work function with the collected tests."""
        self._session = session
        self.items = {item.nodeid: item for item in session.items}
        for found in gc.get_objects():
            if isinstance(found, FunctionType):
                code = found.__code__
                self._functions[code.co_filename, Scope(code.co_qualname, code.co_firstlineno)].append(found)
        gc.freeze()  # So that a fork need not copy the objects it shares.
        self._work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a failed test, in any of its parts."""
        if report.failed:
            self._failed = report.nodeid

    def run(self, names: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """Run tests here; yield each name and False before it runs, and again with True if it failed."""
        chosen = [self.items[name] for name in names]
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            self._failed = ""
            yield item.nodeid, False
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                yield item.nodeid, True

    def try_out(self, changed: Changed | None, names: Sequence[str], seconds: dict[str, float]) -> Trial:
        """Run tests in a fork, with a mutant or without one, until one of them fails."""

        def body(tell: Tell) -> None:
            if changed and not changed.put_in(self._functions):
                return tell("unknown")
            for name, failed in self.run(names):
                tell(f"{'failed' if failed else 'began'} {name}")
                if failed:
                    break
            else:
                tell("passed")
            with contextlib.suppress(BaseException):
                self._session._setupstate.teardown_exact(None)

        return watched(body, seconds)


class Changed:
    """A mutant that is ready to be put into a process; made while its module is still unchanged."""

    def __init__(self, mutant: Mutant) -> None:
        self._path = str(mutant.package / mutant.module)
        self._scope = mutant.scope
        inside = mutant.module.removesuffix(".py").removesuffix("/__init__")
        self._name = f"{mutant.package.name}.{inside}".replace("/", ".")
        tree = mutant.tree
        self.text = ast.unparse(tree)
        self._code = _code_of(compile(tree, self._path, "exec"), self._scope) if self._scope else None

    def put_in(self, functions: Mapping[tuple[str, Scope], Sequence[FunctionType]]) -> bool:
        """Give the functions of this process that contain the change their changed code; return True if that worked."""
        if self._name not in sys.modules:
            return True
        if self._code is None or self._scope is None:
            return False
        held = functions.get((self._path, self._scope), ())
        try:
            for function in held:
                function.__code__ = self._code
        except ValueError:  # The change has dropped the only use of an outer variable.
            return False
        return bool(held)


def _code_of(code: CodeType, scope: Scope) -> CodeType:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if (const.co_qualname, const.co_firstlineno) == scope:
                return const
            if scope.name.startswith(const.co_qualname + "."):
                with contextlib.suppress(LookupError):
                    return _code_of(const, scope)
    raise LookupError(scope)


def copied(root: Path, folder: Path) -> Path:
    """Return a copy of the tree in which files may be changed without disturbing an editor or another run."""
    left_out = shutil.ignore_patterns(".venv", ".git", ".*_cache", ".hypothesis", "node_modules", "build")
    tree = Path(shutil.copytree(root, folder / root.name, ignore=left_out))
    (tree / ".venv").symlink_to(root / ".venv")
    return tree
