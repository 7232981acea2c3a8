"""The table of a tournament as one page of HTML: dot-and-whisker plots, cross table, seats. It needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core.markup import Html, document, joined, tag
from parlour.tournament.plan import Plan
from parlour.tournament.reports.standings import Line, Standings
from parlour.tournament.statistics.means import Estimate

ROW = 26
LABELS = 220
PLOT = 520
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --faint: #5b6b7c; --line: #d5dde5; --page: #ffffff; --dot: #14639e;
  --good: #d7ecd9; --bad: #f6dcd6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --faint: #9fb0c0; --line: #34414e; --page: #141a20;
  --dot: #6db7ee; --good: #1f4427; --bad: #55291f; } }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { color: var(--faint); margin: .2rem 0 } p.verdict { color: var(--ink); font-weight: 600 }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .6rem; text-align: right }
th { font-weight: 600; border-bottom: 2px solid var(--line) } td { border-bottom: 1px solid var(--line) }
td { white-space: nowrap } th.name, td.name { text-align: left; white-space: normal; overflow-wrap: anywhere;
  min-width: 7rem } td.good { background: var(--good) }
td.bad { background: var(--bad) } tr.first td { font-weight: 600 }
svg { max-width: 100%; height: auto } svg text { fill: var(--ink); font-size: 13px } svg .axis { fill: var(--faint) }
svg .whisker { stroke: var(--dot); stroke-width: 2 } svg .dot { fill: var(--dot) }
svg .grid { stroke: var(--line) } svg .zero { stroke: var(--faint); stroke-dasharray: 3 3 }
a { color: var(--dot) } code { font-size: .9em }
"""


class Replay:
    """A link to the replay of a match."""

    def __init__(self, number: int, address: str, text: str) -> None:
        self.number, self.address, self.text = number, address, text


def page_of(
    plan: Plan, table: Standings, seconds: Mapping[str, float], replays: Sequence[Replay] = (), where: str = ""
) -> str:
    """Return the whole page; where is the command that finds the records of all matches."""
    title = f"{plan.game.capitalize()}: {', '.join(plan.names[:4])}{' and others' if len(plan.names) > 4 else ''}"
    lines = table.lines
    parts = [
        tag("h1", title),
        tag("p", _summary(plan, table)),
        tag("p", table.verdict, class_="verdict") if table.verdict else None,
        _section("Score", _plot([_dot(line.name, line.score) for line in lines], table.score, None)),
        _section(
            "Rating",
            _plot(
                [(line.name, line.rating.points, line.rating.half) for line in lines],
                f"points above {plan.anchor}",
                0.0,
            ),
        ),
        _section("Table", _main_table(table, seconds)),
        _section("By seat", seat_table(table)),
        _section("Against each other", cross_table(table)) if len(lines) > 1 else None,
        _section("Who is stronger", better_table(table)) if len(lines) > 1 else None,
        _section("Differences", difference_table(table)) if table.differences else None,
        _section("Replays", _replays(replays, where)) if replays or where else None,
    ]
    return document(title, _STYLE, joined((part for part in parts if part), "\n"))


def _summary(plan: Plan, table: Standings) -> str:
    void = f", {table.void} void" if table.void else ""
    same = "the same seed gives the same table" if plan.reproducible else "time was limited, so it may differ next time"
    return (
        f"{plan.format}, tables of {plan.seats}, {table.blocks} of {table.cap} blocks, {table.matches} matches{void}. "
        f"Whiskers are 95 % intervals. Seed {plan.seed}, Parlour {plan.version}; {same}. {plan.tournament}"
    )


def _section(heading: str, inside: Html) -> Html:
    return joined((tag("h2", heading), tag("div", inside, class_="wide")), "\n")


def _dot(name: str, estimate: Estimate | None) -> tuple[str, float | None, float | None]:
    return (name, None, None) if estimate is None else (name, estimate.mean, estimate.half)


def _plot(rows: Sequence[tuple[str, float | None, float | None]], label: str, zero: float | None) -> Html:
    """Return a row for each agent: a dot, and a whisker as far as the interval goes."""
    edges = [value + sign * (half or 0.0) for _, value, half in rows if value is not None for sign in (-1, 1)]
    edges += [] if zero is None else [zero]
    low, high = (min(edges), max(edges)) if edges else (0.0, 1.0)
    margin = (high - low or 1.0) * 0.05
    low, high = low - margin, high + margin

    def across(value: float) -> float:
        return round(LABELS + (value - low) / (high - low) * PLOT, 1)

    height = ROW * len(rows) + 40
    width = LABELS + PLOT + 20
    parts = [tag("title", label)]
    for tick in _ticks(low, high):
        x = across(tick)
        parts.append(tag("line", class_="grid", x1=x, x2=x, y1=4, y2=height - 36))
        parts.append(tag("text", f"{tick:g}", class_="axis", x=x, y=height - 20, text_anchor="middle"))
    if zero is not None:
        parts.append(tag("line", class_="zero", x1=across(zero), x2=across(zero), y1=4, y2=height - 36))
    for number, (name, value, half) in enumerate(rows):
        y = ROW * number + ROW // 2 + 4
        shown = name if len(name) <= 30 else f"{name[:14]}…{name[-14:]}"
        parts.append(tag("text", shown, x=LABELS - 10, y=y + 4, text_anchor="end"))
        if value is None:
            continue
        if half is not None:
            parts.append(tag("line", class_="whisker", x1=across(value - half), x2=across(value + half), y1=y, y2=y))
        told = f"{name}: {value:.3g}" + (f" ± {half:.3g}" if interval(half) else "")
        parts.append(tag("circle", tag("title", told), class_="dot", cx=across(value), cy=y, r=5))
    parts.append(tag("text", label, class_="axis", x=LABELS + PLOT // 2, y=height - 3, text_anchor="middle"))
    return tag("svg", *parts, viewBox=f"0 0 {width} {height}", width=width, height=height, role="img")


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between low and high."""
    raw = (high - low) / 5
    power = 10.0 ** int(f"{raw:e}".partition("e")[2])
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = int(low / step) - 1
    return [round(tick * step, 10) for tick in range(first, first + 15) if low <= tick * step <= high]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Html]], first: Sequence[bool] = ()) -> Html:
    """Return a table; the first column is a name."""
    head = (tag("th", text, class_=None if number else "name") for number, text in enumerate(heads))
    firsts = (*first, *[False] * len(rows))
    body = (tag("tr", *row, class_="first" if best else None) for row, best in zip(rows, firsts, strict=False))
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body))


def _name(text: str) -> Html:
    return _cell(text, "name")


def _cell(text: str, kind: str = "") -> Html:
    return tag("td", text, class_=kind or None)


def _main_table(table: Standings, seconds: Mapping[str, float]) -> Html:
    talks = any(line.press for line in table.lines)
    heads = ["agent", "place", "score", "rating", "without fouls", "played", "lost by foul", "void", "time/move"]
    heads += ["pacts kept", "stabs"] if talks else []
    rows = []
    for line in table.lines:
        flag = f" ({line.moved:+d} places)" if line.moved else ""
        thought = seconds.get(line.name)
        row = [
            _name(line.name),
            _cell(str(line.place)),
            _cell(shown(line.score)),
            _cell(f"{line.rating.points:+z.0f} ± {line.rating.half:.0f}"),
            _cell(f"{line.rating_played.points:+z.0f}{flag}", "bad" if flag else ""),
            _cell(str(line.played)),
            _cell(str(line.lost_by_foul), "bad" if line.lost_by_foul else ""),
            _cell(str(line.void)),
            _cell("" if thought is None else brief(thought)),
        ]
        if talks:
            row += [_cell(promises(line)), _cell("" if line.press is None else str(line.press.stabs))]
        rows.append(row)
    return _table(heads, rows, [line.place == 1 for line in table.lines])


def brief(seconds: float) -> str:
    """Return a time in two digits: `39 µs`, `2.5 ms`, `97 ms`, `1.2 s`."""
    units = (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))
    unit, size = next((each for each in units if seconds < 999.5 * each[1]), units[-1])
    return f"{seconds / size:.{1 if seconds < 9.95 * size else 0}f} {unit}"


def promises(line: Line) -> str:
    """Return the share of an agent's pacts that it never broke."""
    if line.press is None or not line.press.pacts:
        return ""
    return f"{line.press.pacts_kept / line.press.pacts:.0%} of {line.press.pacts}"


def seat_table(table: Standings) -> Html:
    """Return the score on each seat, and the rating of each seat, as HTML."""
    seats = list(table.seats)
    rows = [[_name(line.name), *(_cell(shown(line.seats.get(seat))) for seat in seats)] for line in table.lines]
    worth = [_cell(f"{table.seats[seat].points:+z.0f} ± {table.seats[seat].half:.0f}") for seat in seats]
    return _table(["agent", *seats], [*rows, [_name("what the seat is worth, in points"), *worth]])


def cross_table(table: Standings) -> Html:
    """Return the mean score of each agent in matches with each other agent, as HTML."""
    names = [line.name for line in table.lines]
    rows = []
    for one in names:
        cells = [table.against[one].get(other) for other in names]
        rows.append([_name(one), *(_cell("" if mean is None else f"{mean:.3f}") for mean in cells)])
    return _table([f"{table.score} of … with …", *names], rows)


def better_table(table: Standings) -> Html:
    """Return for each pair of agents the probability that the first is stronger, as HTML."""
    names = [line.name for line in table.lines]
    rows = []
    for one in names:
        cells = []
        for other in names:
            chance = table.better[one].get(other)
            kind = "" if chance is None else "good" if chance >= 0.975 else "bad" if chance <= 0.025 else ""
            cells.append(_cell("" if chance is None else f"{chance:.1%}", kind))
        rows.append([_name(one), *cells])
    return _table(["chance that … is stronger than …", *names], rows)


def difference_table(table: Standings) -> Html:
    """Return the differences that were tested, as HTML."""
    rows = [
        [
            _name(f"{pair.one} − {pair.other}"),
            _cell(f"{pair.difference:+.3f}{interval(pair.half)}"),
            _cell("" if pair.chance is None else f"{pair.chance:.3g}"),
            _cell(
                "" if pair.corrected is None else f"{pair.corrected:.3g}",
                "good" if pair.corrected is not None and pair.corrected < 0.05 else "",
            ),
        ]
        for pair in table.differences
    ]
    return _table(["paired by block", f"difference of {table.score}", "p", "p by Holm"], rows)


def _replays(replays: Sequence[Replay], where: str) -> Html:
    items = [tag("li", tag("a", f"match {each.number}", href=each.address), f": {each.text}") for each in replays]
    found = [tag("ul", *items)] if items else []
    return joined([*found, tag("p", tag("code", where))] if where else found)


def shown(estimate: Estimate | None) -> str:
    """Return a mean with its interval."""
    if estimate is None:
        return ""
    return f"{estimate.mean:.3f}{interval(estimate.half)}"


def interval(half: float | None) -> str:
    """Return an interval as text; empty if there was no spread, which does not mean certainty."""
    return "" if half is None or half < 0.0005 else f" ± {half:.3f}"
