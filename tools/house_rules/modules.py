"""Rules for single modules: first line, sizes, names, caught errors, and real time in tests."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from sources import Source

MAX_LINES = 500
MAX_FUNCTION = 85
BANNED = re.compile(r"(^|_)(manager|handler|helper|utils?|common|misc)(_|$)|^do_")
VAGUE = re.compile(r"(^|_)(data|info)(_|$)")
OTHERS = ("net/client/", "net/mila/")
"""Folders whose names are those of the `diplomacy` package, because its users look for them."""
DICTATED = {"data_received", "get_extra_info", "do_get", "do_post"}
"""Names that asyncio and http.server require."""
SHARED = {"Position"}  # a game's own form of core's protocol
"""Names that several classes have; nothing may be added here without a reason."""
REASONS = ("real time", "simulated")
"""Words that explain a sleep in a test: it needs real time, or time is simulated."""

Found = Iterator[tuple[int, str]]


def first_line(source: Source) -> Found:
    """Check that line 1 is the docstring's first line, ends a sentence, and is at most 120 characters long."""
    first, *_ = (ast.get_docstring(source.tree) or "").splitlines() or [""]
    if not first or not source.text.startswith('"""' + first):
        yield 1, "line 1 is not the docstring's first line"
    elif len(first) > 120 or not first.endswith((".", ":")):
        yield 1, "line 1 is longer than 120 characters, or does not end with a full stop or a colon"


ASKS = re.compile(r'^ *r?"""(What|Who|Whoever|Whether|How|Which)\b', re.MULTILINE)
"""Matches docstrings that begin like a question."""


def answers(source: Source) -> Found:
    """Check that docstrings begin with a verb or a noun, not with a question word."""
    for asked in ASKS.finditer(source.text):
        line = source.text.count("\n", 0, asked.start()) + 1
        yield line, f"a docstring begins with a verb or a noun, not with {asked[1]}"


def sizes(source: Source) -> Found:
    """Check that modules and functions stay small."""
    if (lines := source.text.count("\n")) > MAX_LINES:
        yield MAX_LINES, f"{lines} lines, at most {MAX_LINES}"
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (length := (node.end_lineno or 0) - node.lineno) >= MAX_FUNCTION:
                yield node.lineno, f"{node.name} has {length} lines, at most {MAX_FUNCTION}"


def names(source: Source) -> Found:
    """Check that no name has a vague or banned word."""
    found = {source.name.rpartition("/")[2].removesuffix(".py"): 1}
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower()] = node.lineno
    for name, line in found.items():
        vague = not source.name.startswith(OTHERS) and VAGUE.search(name.strip("_"))
        if name not in DICTATED and (vague or BANNED.search(name.strip("_"))):
            yield line, f"{name} does not say what it is"


def _caught(tried: ast.Try) -> set[str]:
    """Return the last names of all exceptions that a try statement catches."""
    kinds = [clause.type for clause in tried.handlers if clause.type is not None]
    exceptions = [name for kind in kinds for name in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    return {ast.unparse(name).split(".")[-1] for name in exceptions}


def readers(source: Source) -> Found:
    """Check that code that reads external JSON also catches bad UTF-8 and endless brackets."""
    for node in (node for node in source.nodes if isinstance(node, ast.Try)):
        caught = _caught(node)
        if "DecodeError" not in caught or "JSONDecodeError" in caught:
            continue
        if "RecursionError" not in caught or not caught & {"UnicodeDecodeError", "UnicodeError", "ValueError"}:
            yield node.lineno, "bad UTF-8 and endless brackets raise something else too: see core/decoding.py"


def sleeping(source: Source) -> Found:
    """Check that a test that sleeps explains why; a sleep of 0 is allowed."""
    lines = source.text.splitlines()
    if ".sleep(" not in source.text or any(word in source.text.lower() for word in REASONS):
        return
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0 | 0.0)]):
                continue
            case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio" | "time"), attr="sleep")):
                if "#" not in lines[node.lineno - 1]:
                    yield node.lineno, "say in a comment why this needs real time, or simulate it"


IMPORTS_A_TEST = re.compile(r"^\s*from [\w.]*\btest_[\w.]* import", re.MULTILINE)
"""Matches texts that may break the next rule, so that few trees of tests need to be built."""


def borrowing(source: Source) -> Found:
    """Check that no module of the tests imports a test; shared code lies in tests/support."""
    for node in source.nodes if IMPORTS_A_TEST.search(source.text) else ():
        match node:
            case ast.ImportFrom(module=str(module)) if ".test_" in f".{module}":
                yield node.lineno, f"{module}: move what is shared to tests/support"


def flat(source: Source) -> Found:
    """Check that support code lies in a package of tests/support."""
    if "/" not in source.name and not source.name.startswith(("test_", "conftest")):
        yield 1, "support code lies in a package of tests/support"


def repeated(sources: list[Source]) -> Iterator[tuple[str, int, str]]:
    """Yield class names that are used twice, since a reader could confuse them."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for source in sources:
        for node in source.nodes:
            if isinstance(node, ast.ClassDef):
                found[node.name].append((source.name, node.lineno))
    for name, homes in found.items():
        if len(homes) > 1 and name not in SHARED:
            yield *homes[1], f"{homes[0][0]} has a class {name} too: give one of them another name"
    for name in SHARED:
        if len(found[name]) < 2:
            yield "tools/house_rules/modules.py", 0, f"{name} is not shared and needs no exception"


OF_SOURCES = (first_line, answers, sizes, names, readers)
"""Rules for each module of the package."""
OF_TESTS = (answers, sleeping, borrowing, flat)
"""Rules for each module of the tests."""
