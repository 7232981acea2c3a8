"""The classes of a match's promises as a self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlour.core.markup import Html, document, joined, tag
from parlour.press.deception.class_counts import ClassCounts, ValuedPhases, count_rows, lie_rows
from parlour.press.deception.classes import PromiseClass
from parlour.press.deception.value_table import disagreement_rows, value_rows
from parlour.press.ledger import Ledger
from parlour.press.reports.verdict_text import sentence

TITLE = "Promises and plans"
_STYLE = """
:root { color-scheme: light dark }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; font: 15px/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse } th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884 }
th:first-child, td:first-child, td:nth-child(2) { text-align: left } td.text { text-align: left }
.premeditated { color: #b3261e } .opportunistic { color: #a15c00 }
"""


def class_page(
    ledger: Ledger, counts: Mapping[str, ClassCounts], names: Mapping[str, str], *, valued: ValuedPhases | None = None
) -> str:
    """Return the page: a table of powers, every promise not simply kept, every lie, and the limits of the classes."""
    parts = [tag("h1", TITLE), _table(count_rows(counts, names, values=valued is not None))]
    breaches = [
        (verdict.phase, str(kind), sentence(verdict, ledger.lexicon))
        for verdict, kind in ledger.classes()
        if kind not in (PromiseClass.HONEST, PromiseClass.NONE, PromiseClass.UNKNOWN)
    ]
    parts.append(tag("h2", "What was not simply kept"))
    parts.append(_table([("phase", "class", "what happened"), *breaches]) if breaches else tag("p", "Nothing."))
    lies = [(row["phase"], row["power"], row["kind"], row["english"]) for row in lie_rows(ledger)]
    parts.append(tag("h2", "Lies: what the speaker's own plan contradicted"))
    parts.append(_table([("phase", "power", "kind", "that"), *lies]) if lies else tag("p", "None is known."))
    if valued is not None and len(worths := value_rows(ledger, valued)) > 1:
        parts += [tag("h2", "What promises were worth, by the end of the year and of the next (+1)"), _table(worths)]
    if ledger.disagreements:
        parts += [tag("h2", "Prose that says otherwise than its core"), _table(disagreement_rows(ledger))]
    limits = (
        "Classes come from sealed plans alone. Without a seal the class is unknown. A row marked ! ordered other "
        "things than it sealed so often that its classes say little. Values describe motive, never a class."
    )
    return document(TITLE, _STYLE, joined((*parts, tag("p", limits))))


def _table(rows: Sequence[Iterable[str]]) -> Html:
    heading, *others = rows
    lines = [tag("tr", *(tag("td", cell, class_=_kind(cell)) for cell in row)) for row in others]
    return tag("table", tag("tr", *(tag("th", cell) for cell in heading)), *lines)


def _kind(cell: str) -> str | None:
    """Return the style of a cell: for a class or for a longer text."""
    return cell if cell in ("premeditated", "opportunistic") else "text" if " " in cell else None
