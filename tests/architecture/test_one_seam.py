"""The state of a match is worked out once: nobody above the referee folds it again, or keeps lists of event kinds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import parlour
from parlour.core import events as ev

SOURCE = Path(parlour.__file__).parent
BELOW = ("core", "referee")
"""Where the state is worked out."""
KINDS = {kind.__name__ for kind in ev.EVENTS}
CLOCKS = {"Paused", "Extended", "Stalled"}
"""Events that only move clocks, so that who reads them elsewhere works out a clock, or words them."""
NAMED_IN = {
    "cli/display/news.py": "puts a pause into words",
    "net/daide/news.py": "says TME, or NOT ( TME ), when one happens",
    "net/mila/moderating.py": "names the event that a request leads to",
    "net/hosted.py": "looks which downtime it has written down itself",
}
"""Modules that name such events and work no clock out."""


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Return all modules above the referee."""
    names = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    above = [name for name in names if name.partition("/")[0] not in BELOW]
    return [(name, ast.parse((SOURCE / name).read_text(encoding="utf-8"))) for name in above]


def kind_of(node: ast.expr) -> str:
    """Return the name of the event kind that an expression names; empty if it names none."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name if name in KINDS else ""


def sets_of_kinds(tree: ast.Module) -> Iterator[int]:
    """Yield the lines on which a module or class keeps several event kinds together under a name."""
    bodies = [tree.body, *[node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]]
    for statement in (one for body in bodies for one in body if isinstance(one, ast.Assign | ast.AnnAssign)):
        for node in ast.walk(statement):
            if isinstance(node, ast.Tuple | ast.Set | ast.List) and sum(map(bool, map(kind_of, node.elts))) > 1:
                yield node.lineno


def test_no_set_of_event_kinds_is_kept_above_the_referee() -> None:
    found = [f"{name}:{line}" for name, tree in modules() for line in sets_of_kinds(tree)]
    assert found == [], "let each event say it beside its definition, in core/events.py"


def naming_clocks() -> set[str]:
    return {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and kind_of(node) in CLOCKS
    }


def test_clocks_are_read_from_the_view_and_not_from_events() -> None:
    assert naming_clocks() == NAMED_IN.keys(), "TableView has the deadlines, and since when the clocks stand still"


def test_deadlines_of_events_are_read_by_nobody_above_the_referee() -> None:
    found = {
        f"{name}:{node.lineno}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "deadlines"
    }
    assert found == set(), "a SeatRow of TableView has the deadline of its seat"


ELSEWHERE = "net/client/"
"""The other side of the wire: it turns the intents of an agent into words of a protocol."""
WAYS_IN = {
    "net/sessions.py:Session.submit": "the one way in, for whoever comes through a door",
    "net/hall.py:Hall.submit": "the same for the host of the match, whose right it is",
    "net/hosted.py:HostedMatch.submit": "where both meet",
    "net/hosted.py:HostedMatch.refusal": "refuses what is too large, before the match rules on it",
    "net/quotas.py:Quotas.refusal": "knows what is too large",
    "net/http/matches.py:send_intent": "an operation of the API whose body is an intent",
}
"""The functions above the referee that take an intent; what else a module needs for that is its own."""


def takers_of_intents() -> set[str]:
    """Return the functions above the referee that take an intent, by file and name."""
    found = set()
    for name, tree in modules():
        if name.startswith(ELSEWHERE):
            continue
        owners: list[ast.Module | ast.ClassDef] = [tree]
        for owner in owners + [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
            for node in owner.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and takes_an_intent(node):
                    where = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
                    found.add(f"{name}:{where}{node.name}")
    return found


def takes_an_intent(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True if a parameter of a function is an intent, or holds some."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    hints = [ast.unparse(one.annotation) for one in every if one.annotation is not None]
    return any(re.search(r"(?<!Callable\[\[)\b(it\.)?Intent\b", hint) for hint in hints)


def test_an_intent_has_few_ways_into_a_match() -> None:
    takers = takers_of_intents()
    assert {name for name in takers if not name.rpartition(":")[2].rpartition(".")[2].startswith("_")} == set(WAYS_IN)
    assert len(WAYS_IN) <= 6
