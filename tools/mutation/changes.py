"""Mutants: one change of one module each, of the kinds that a careless programmer makes.

Code without visible effect is left out: annotations, docstrings, logging, `__repr__`, `TYPE_CHECKING`, and the keywords
in UNSEEN, which only guard against mistakes of the programmer or save memory. Also left out are a module's numbers in
capitals from TEN on: tests check that a limit exists, not that it is 10,000 instead of 10,001.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

UNSEEN = {"slots", "strict", "repr", "weakref_slot", "exc_info", "daemon", "kw_only", "maxsize", "gc", "cache_hash"}
TEN = 10
LOGS = {"debug", "info", "warning", "error", "exception", "log"}

_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_COMPARED |= {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}
_Functions = ast.FunctionDef | ast.AsyncFunctionDef


class Scope(NamedTuple):
    """The outermost function whose body contains a change, by the name and line of its code object."""

    name: str
    line: int


class Site(NamedTuple):
    """A node that can be changed."""

    node: ast.AST
    scope: Scope | None
    """None for code that runs when the module is imported."""
    lines: range
    """Lines of the statement that contains the node, without its body: a part may have no line of its own."""


class Mutant(NamedTuple):
    """One change of one module."""

    package: Path
    module: str
    """The path of the module in the package."""
    at: int
    """Number of the change among those of its module."""
    line: int
    change: str
    """The change as text; the second, third ... change with the same text carries its number."""
    scope: Scope | None
    lines: range
    """Lines of which a test must run one to run the change."""

    @property
    def key(self) -> str:
        """The name of the mutant, which does not depend on the lines above it."""
        return f"{self.module}: {self.change}"

    @property
    def tree(self) -> ast.Module:
        """The module with the change; its lines keep their numbers."""
        tree = ast.parse((self.package / self.module).read_text(encoding="utf-8"))
        site, _, new = next(itertools.islice(changes(tree), self.at, None))
        _Swap(site.node, ast.copy_location(new, site.node)).visit(tree)
        return ast.fix_missing_locations(tree)


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def mutants_of(package: Path, module: str) -> list[Mutant]:
    """Return all mutants of a module, which is read once; each is made when it is tried."""
    seen: Counter[str] = Counter()
    found = []
    for at, (site, change, _) in enumerate(changes(ast.parse((package / module).read_text(encoding="utf-8")))):
        seen[change] += 1
        numbered = change if seen[change] == 1 else f"{change} (no. {seen[change]})"
        found.append(Mutant(package, module, at, getattr(site.node, "lineno", 0), numbered, site.scope, site.lines))
    return found


def changes(tree: ast.Module) -> Iterator[tuple[Site, str, ast.AST]]:
    """Yield every node that can be changed, the name of the change, and the new node."""
    for site in _sites(tree, (), None, range(0)):
        for change, new in _changes(site.node):
            yield site, change, new


def _sites(node: ast.AST, classes: tuple[str, ...], scope: Scope | None, lines: range) -> Iterator[Site]:
    if _is_unseen(node):
        return
    if isinstance(node, ast.stmt):
        body: list[ast.stmt] = getattr(node, "body", [])
        lines = range(node.lineno, max(node.lineno, body[0].lineno - 1 if body else node.end_lineno or 0) + 1)
    if isinstance(node, _Functions):
        for part in (*node.decorator_list, node.args):
            yield from _sites(part, classes, scope, lines)
        first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
        inside = scope or Scope(".".join((*classes, node.name)), first)
        for part in node.body:
            yield from _sites(part, classes, inside, lines)
        return
    yield Site(node, scope, lines)
    if isinstance(node, ast.ClassDef) and scope is None:
        classes = (*classes, node.name)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _sites(part, classes, scope, lines)


def _is_unseen(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.If(body=body, orelse=[]) if all(map(_is_unseen, body)):
            return True
        case ast.FunctionDef(name="__repr__"):
            return True
        case ast.keyword(arg=name) if name in UNSEEN:
            return True
        case ast.FormattedValue(value=ast.Subscript(slice=ast.Slice())):
            return True  # How much of a text is quoted.
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name))) if name in LOGS:
            return "log" in owner.lower()
        case ast.Assign(targets=[ast.Name(id="__slots__" | "__all__")]) | ast.Call(func=ast.Name(id="lru_cache")):
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper():
            parts = [part for part in ast.walk(value) if isinstance(part, ast.expr)]
            numbers = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int)]
            return all(isinstance(part, ast.Constant | ast.BinOp) for part in parts) and max(numbers, default=0) >= TEN
    return False


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            other = copy.deepcopy(node)
            other.ops = [_COMPARED[type(operator)]()]
            yield f"{_text(node)} -> {_text(other)}", other
        case ast.BoolOp():
            flipped = copy.deepcopy(node)
            flipped.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"{_text(node)}: and <-> or", flipped
        case ast.UnaryOp(op=ast.Not()):
            yield f"{_text(node)}: not is dropped", node.operand
        case ast.BinOp() if type(node.op) in _COUNTED and not _is_text(node):
            counted = copy.deepcopy(node)
            counted.op = _COUNTED[type(node.op)]()
            yield f"{_text(node)} -> {_text(counted)}", counted
        case ast.Constant(value=bool() as value):
            yield f"{value} -> {not value}", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield f"{value} -> {value + 1}", ast.Constant(value + 1)
        case ast.If() if not node.orelse:
            yield f"if {_text(node.test)}: never", ast.Pass()
        case ast.If() | ast.IfExp() if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            turned = copy.deepcopy(node)
            turned.test = ast.UnaryOp(ast.Not(), turned.test)
            yield f"if {_text(node.test)}: the other way round", turned
        case ast.Expr(value=ast.Call()):
            yield f"{_text(node)}: dropped", ast.Pass()


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("\n", " ")[:80]


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) for side in (node.left, node.right)) or any(
        isinstance(side, ast.Constant) and isinstance(side.value, str | bytes) for side in (node.left, node.right)
    )
