"""The classes of a match's promises as a self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from parlour.press.deception.class_counts import ClassCounts, ValuedPhases, count_rows, lie_rows
from parlour.press.deception.classes import PromiseClass
from parlour.press.deception.value_table import disagreement_rows, value_rows
from parlour.press.ledger import Ledger
from parlour.press.reports.verdict_text import sentence

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
    parts = ["<h1>Promises and plans</h1>", _table(count_rows(counts, names, values=valued is not None))]
    breaches = [
        (verdict.phase, str(kind), sentence(verdict, ledger.lexicon))
        for verdict, kind in ledger.classes()
        if kind not in (PromiseClass.HONEST, PromiseClass.NONE, PromiseClass.UNKNOWN)
    ]
    parts.append("<h2>What was not simply kept</h2>")
    parts.append(_table([("phase", "class", "what happened"), *breaches]) if breaches else "<p>Nothing.</p>")
    lies = [(row["phase"], row["power"], row["kind"], row["english"]) for row in lie_rows(ledger)]
    parts.append("<h2>Lies: what the speaker's own plan contradicted</h2>")
    parts.append(_table([("phase", "power", "kind", "that"), *lies]) if lies else "<p>None is known.</p>")
    if valued is not None and len(worths := value_rows(ledger, valued)) > 1:
        parts += ["<h2>What promises were worth, by the end of the year and of the next (+1)</h2>", _table(worths)]
    if ledger.disagreements:
        parts += ["<h2>Prose that says otherwise than its core</h2>", _table(disagreement_rows(ledger))]
    parts.append(
        "<p>Classes come from sealed plans alone. Without a seal the class is unknown. A row marked ! ordered other "
        "things than it sealed so often that its classes say little. Values describe motive, never a class.</p>"
    )
    head = f'<meta charset="utf-8"><title>Promises and plans</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{"".join(parts)}\n</body></html>\n'


def _table(rows: Sequence[Iterable[str]]) -> str:
    heading, *others = rows
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in heading)]
    lines += ["".join(f"<td{_kind(cell)}>{escape(cell)}</td>" for cell in row) for row in others]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _kind(cell: str) -> str:
    """Return the style attribute of a cell: for a class or for a longer text."""
    if cell in ("premeditated", "opportunistic"):
        return f' class="{cell}"'
    return ' class="text"' if " " in cell else ""
