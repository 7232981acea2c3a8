"""Rules of the seam: only core and referee compute the state of a match; no module above them computes it again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sources import Source

BELOW = ("core/", "referee/")
"""Folders that compute the state."""
EVENTS = "core/events.py"
"""The module whose classes are the event kinds."""
CLOCKS = {"Paused", "Extended", "Stalled"}
"""Events that only move clocks; a module above that reads them computes a clock, or describes them."""
NAMED_IN = {
    "cli/display/event_lines.py": "puts a pause into words",
    "net/daide/match_messages.py": "says TME, or NOT ( TME ), when one happens",
    "net/mila/moderating.py": "names the event that a request leads to",
    "net/hosted.py": "looks which downtime it has written down itself",
}
"""Modules that name events of clocks and do not compute a clock."""
ELSEWHERE = "net/client/"
"""The other side of the wire: it turns the intents of an agent into words of a protocol."""
WAYS_IN = {
    "net/sessions.py:submit": "the one way in, for whoever comes through a door",
    "net/hall.py:submit": "the same for the host of the match, whose right it is",
    "net/hosted.py:submit": "where both meet",
    "net/hosted.py:refusal": "refuses what is too large, before the match rules on it",
    "net/quotas.py:refusal": "knows what is too large",
    "net/http/matches.py:send_intent": "an operation of the API whose body is an intent",
}
"""The functions above the referee that take an intent; a private function belongs to its module."""
TOP = ("net", "web", "cli")
"""The layers of doors, pages and verbs, from below; what lies below one of them does not know it, not even by name."""
NAMED_ABOVE = re.compile(rf"parlour\.({'|'.join(TOP)})\.[\w.]+(:\w+)?")
INTENT = re.compile(r"(?<!Callable\[\[)\b(it\.)?Intent\b")

Breaches = Iterator[tuple[str, int, str]]


def kinds_of_events(package: list[Source]) -> set[str]:
    """Return the names of all event kinds."""
    trees = [source.tree for source in package if source.name == EVENTS]
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


def name_of(node: ast.AST) -> str:
    """Return the last name of an expression; empty if it has none."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def members(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a tuple, set, list or union of types; none of anything else."""
    match node:
        case ast.Tuple() | ast.Set() | ast.List():
            return node.elts
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*(members(left) or [left]), *(members(right) or [right])]
    return []


def sets_of_kinds(source: Source, kinds: set[str]) -> Iterator[int]:
    """Yield the lines that assign several event kinds to a name, or list more than two of them anywhere."""
    bodies = [source.tree.body, *[node.body for node in source.nodes if isinstance(node, ast.ClassDef)]]
    named = [one for body in bodies for one in body if isinstance(one, ast.Assign | ast.AnnAssign)]
    kept = {node for statement in named for node in ast.walk(statement)}
    for node in source.nodes:
        if sum(name_of(one) in kinds for one in members(node)) > (1 if node in kept else 2):
            yield node.lineno


def takers_of_intents(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the functions and methods of a module that take an intent, without private ones."""
    for owner in [source.tree, *[node for node in source.nodes if isinstance(node, ast.ClassDef)]]:
        for node in owner.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                hints = [ast.unparse(one.annotation) for one in ast.walk(node.args) if getattr(one, "annotation", None)]
                if any(map(INTENT.search, hints)):
                    yield node.lineno, node.name


def named_above(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the texts that name a module of a higher layer, which layers below it would import unseen."""
    folder = source.name.partition("/")[0]
    height = TOP.index(folder) if folder in TOP else -1
    for node in source.nodes if any(f"parlour.{layer}." in source.text for layer in TOP[height + 1 :]) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = NAMED_ABOVE.fullmatch(node.value)
            if found is not None and TOP.index(found[1]) > height:
                yield node.lineno, node.value


def offences(package: list[Source]) -> Breaches:
    """Yield each place that goes around the seam, and each exception that is not needed."""
    kinds, needed = kinds_of_events(package), set[str]()
    for source in package:
        for line, text in named_above(source):
            yield source.name, line, f"names {text}, which lies above: what lies above names what lies below"
        if source.name.startswith(BELOW):
            continue
        for line in sets_of_kinds(source, kinds) if any(kind in source.text for kind in kinds) else ():
            yield (
                source.name,
                line,
                "keeps a set of event kinds: let each say it beside its definition, in core/events.py",
            )
        for node in source.nodes if "deadlines" in source.text or any(name in source.text for name in CLOCKS) else ():
            if isinstance(node, ast.Attribute) and node.attr == "deadlines":
                yield source.name, node.lineno, "reads deadlines of events: a SeatRow of TableView has that of its seat"
            if name_of(node) in CLOCKS & kinds:
                needed.add(source.name)
                if source.name not in NAMED_IN:
                    yield (
                        source.name,
                        getattr(node, "lineno", 0),
                        "reads an event of clocks: TableView has the deadlines",
                    )
        if "Intent" in source.text and not source.name.startswith(ELSEWHERE):
            for line, name in takers_of_intents(source):
                needed.add(f"{source.name}:{name}")
                if f"{source.name}:{name}" not in WAYS_IN:
                    yield source.name, line, f"{name} takes an intent: a session's submit is the way in"
    for place in (NAMED_IN.keys() | WAYS_IN.keys()) - needed:
        yield "tools/house_rules/one_seam.py", 0, f"{place} needs no exception"
