"""The classes and the worth of promises as tables of plain text, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlour.core.text import printable
from parlour.press.deception.class_counts import COLUMNS, ClassCounts, ValuedPhases, fidelity_text, rate_text
from parlour.press.deception.value_table import listed
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger
from parlour.press.reports.summary import columns

WIDTH = 80
_NAME = 11
"""Maximum characters of a player's name beside a power."""
_NAME_ALONE = 16
_MIDDLE = 33
"""Maximum characters of a promise beside its values."""

LEGEND = """\
premed   planned when it was promised   opport   planned afterwards
slip     the plan kept it               misread  the plan was meant to keep it
forced   by the referee or another,     insinc   planned to break it, then kept
         or no way to keep all          unknown  no seal says what was meant
lies     promises against the own plan  false    statements against the own plan
!        too few orders were as sealed to rely on the row"""


def class_tables(
    counts: Mapping[str, ClassCounts], names: Mapping[str, str] | None = None, *, values: bool = False
) -> str:
    """Return two tables with a row for each power or player: the classes, then lies, fidelity and breaches.

    Args:
        counts: Counts by power, or by player.
        names: Players by power; None if the counts are by player.
        values: True if promises were valued.
    """
    if names is None:
        who: list[tuple[str, ...]] = [(name,) for name in shortened(counts, _NAME_ALONE)]
        head: tuple[str, ...] = ("player",)
    else:
        who = list(zip(counts, shortened([names.get(power, "") for power in counts], _NAME), strict=True))
        head = ("", "player")
    classes = [(*head, *(name.rstrip(".") for name, _ in COLUMNS))]
    others = [(*head, "lies", "false", "as sealed", *(("breaches/opportunities", "claimed") if values else ()))]
    for row, count in zip(who, counts.values(), strict=True):
        classes.append((*row, *(_number(count.of(*kinds)) for _, kinds in COLUMNS)))
        worth = (rate_text(count), _number(count.claimed_mistakes)) if values else ()
        others.append((*row, _number(count.lies), _number(count.false_statements), fidelity_text(count), *worth))
    left = len(head)
    return f"{columns(classes, left)}\n\n{columns(others, left)}"


def shortened(names: Iterable[str], most: int) -> list[str]:
    """Return names cut to a number of characters; all names whole if two different ones would look alike."""
    whole = [printable(name, 200) for name in names]
    cut = [name if len(name) <= most else f"{name[: most - 1]}…" for name in whole]
    return cut if len(set(cut)) == len(set(whole)) else whole


def value_table(ledger: Ledger, valued: ValuedPhases, *, every: bool = False) -> str:
    """Return two lines for each promise: its class with this year's values, and its words with next year's values."""
    rows: list[Sequence[str]] = [("phase", "power", "class, and pact", "bait", "switch", "edge", "gain")]
    for verdict, kind, year, later in listed(ledger, valued, every=every):
        what = write(verdict.clause.what).replace("( ", "(").replace(" )", ")")
        rows.append((verdict.phase, verdict.performer, str(kind), *year))
        rows.append(("", "+1", _cut(f"{verdict.pact.number}: {what}", _MIDDLE), *later))
    return columns(rows, left=3)


def disagreement_lines(ledger: Ledger) -> str:
    """Return the messages whose prose disagrees with their core, with the finding above each."""
    return "\n".join(
        f"turn {one.turn}, {one.power}, by {one.by}: {_cut(one.finding, 50)}\n"
        f"  {_cut(' '.join(one.text.split()), WIDTH - 2)}"
        for one in ledger.disagreements
    )


def _cut(text: str, most: int) -> str:
    shown = printable(text, 400)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _number(count: int) -> str:
    return str(count) if count else "."
