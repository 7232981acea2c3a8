"""The worth of promises, and prose that disagrees with its core, as rows of text for tables and pages."""

from __future__ import annotations

from collections.abc import Iterator

from parlour.press.agreements.pacts import PactVerdict
from parlour.press.deception.class_counts import ValuedPhases
from parlour.press.deception.classes import PromiseClass
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger

_PLAIN = (PromiseClass.HONEST, PromiseClass.UNKNOWN, PromiseClass.NONE)
"""Classes that are listed on request only."""
Rows = list[tuple[str, ...]]


def value_rows(ledger: Ledger, valued: ValuedPhases) -> Rows:
    """Return bait, switch, edge and gain of each promise that was not simply kept, at both horizons.

    A value of 0 cannot be distinguished from chance. Without a promise to list, only the heading is returned.
    """
    names = ("bait", "switch", "edge", "gain")
    rows: Rows = [("phase", "power", "promise", "class", *names, *(f"{name}+1" for name in names))]
    for verdict, kind, year, later in listed(ledger, valued):
        rows.append((verdict.phase, verdict.performer, write(verdict.clause.what)[:40], str(kind), *year, *later))
    return rows


def listed(
    ledger: Ledger, valued: ValuedPhases, *, every: bool = False
) -> Iterator[tuple[PactVerdict, PromiseClass, list[str], list[str]]]:
    """Yield each valued promise that was not simply kept, with the values of this year and the next as text.

    `every` includes the other valued promises.
    """
    for place, (verdict, kind) in enumerate(ledger.classes()):
        if place in valued.worths and (every or kind not in _PLAIN):
            year, later = ([f"{value:+.3f}" if value else "0" for value in part] for part in valued.worths[place])
            yield verdict, kind, year, later


def disagreement_rows(ledger: Ledger) -> Rows:
    """Return a heading, then the messages whose prose disagrees with their core."""
    found = [
        (str(one.turn), one.power, one.by, one.finding, " ".join(one.text.split())[:80]) for one in ledger.disagreements
    ]
    return [("turn", "power", "by", "finding", "message"), *found]
