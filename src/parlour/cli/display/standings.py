"""Shows a tournament between agents as it goes: a live table in a terminal, lines elsewhere; and its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table as RichTable
from rich.text import Text

from parlour.cli.display.event_lines import shortened
from parlour.cli.display.screen import Screen
from parlour.core.text import printable
from parlour.tournament.reports.page import brief, interval, shown
from parlour.tournament.reports.standings import Line, Standings, standings
from parlour.tournament.results import Kept
from parlour.tournament.statistics.ratings import Rating

if TYPE_CHECKING:
    from parlour.tournament.results import Remark
    from parlour.tournament.results_state import ResultsState

WIDTH = 34
"""Maximum characters of a name; a longer name loses its middle, since ends differ."""
SPARED = ("void", "time/move", "seats", "tokens/decision", "played", "foul", "kept", "usable", "USD/match")
"""Columns that a narrow terminal does without, in this order; --json has them all."""
FEW, MOST_PAIRS = 3, 6
"""Maximum number of agents of which all pairs are compared, and of pairs shown below the table; --json has all."""
GAUGE = 20
BARS = "▁▂▃▄▅▆▇█"
EVERY = 1.0
"""Minimum number of seconds between two updates."""


class Onlook(Screen):
    """Timing that displays share: the next look, the time taken, and the time left."""

    def __init__(self) -> None:
        self._began = self._looked = time.monotonic()
        self._cost = 0.0
        self._first: int | None = None

    def changed(self, series: ResultsState) -> None:
        """Call `look` at most every EVERY seconds, and less often if drawing is slow."""
        if self._first is None:
            self._first = series.finished
        now = time.monotonic()
        # Drawing a table of many matches takes time from the matches themselves.
        if now - self._looked >= max(EVERY, 20 * self._cost):
            self.look(series)
            self._looked = time.monotonic()
            self._cost = self._looked - now

    def look(self, series: ResultsState) -> None:
        """Show the results so far."""
        raise NotImplementedError

    def rest(self, series: ResultsState) -> str:
        """Return the estimated time until all blocks are played, `about 3 min left`; empty if it is not known."""
        expected, played = series.expected(), series.finished - (self._first or 0)
        if expected is None or played <= 0:
            return ""
        seconds = (time.monotonic() - self._began) / played * (expected - series.finished)
        return f"about {duration(seconds)} left{' at most' if series.plan.stop else ''}"

    def remarked(self, remarks: Sequence[Remark]) -> None:
        """Do nothing: fouls and printed lines are for the logs."""


class LineDisplayOfBlocks(Onlook):
    """Prints a line on standard error from time to time, if another match has finished."""

    def __init__(self) -> None:
        super().__init__()
        self._said = 0

    def look(self, series: ResultsState) -> None:
        """Print the number of blocks and matches played, if another match has finished."""
        if series.finished == self._said:
            return
        self._said = series.finished
        stop = "" if series.evidence is None else f", stop rule at {series.evidence.share:+.0%}"
        rest = f", {rest}" if (rest := self.rest(series)) else ""
        click.echo(f"{_blocks(series)}, {series.finished} matches{stop}{rest}", err=True)


class LiveStandings(Onlook):
    """The table, in place, on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self.live: Live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def look(self, series: ResultsState) -> None:
        """Draw the table again."""
        table = standings(series)
        below = [f"{_blocks(series)}, {series.finished} matches", self.rest(series)]
        if series.evidence is not None:
            below.append(f"{gauge(series.evidence.share)} {table.stop}")
        line = Text("   ".join(text for text in below if text), style="dim")
        self.live.update(Group(drawn(table, self.live.console.width, seconds_of(series)), line))


def seconds_of(series: ResultsState) -> dict[str, float]:
    """Return the mean thinking time per decision of each agent."""
    seconds: dict[str, float] = {}
    decisions: dict[str, int] = {}
    for result in series.results():
        for seat, thought in zip(result.seats, result.seconds, strict=False):
            seconds[seat.player] = seconds.get(seat.player, 0.0) + thought
            decisions[seat.player] = decisions.get(seat.player, 0) + seat.decisions
    return {name: seconds[name] / count for name, count in decisions.items() if count}


def drawn(table: Standings, width: int, seconds: dict[str, float]) -> RenderableType:
    """Return the table for a terminal of this width."""
    found = RichTable(box=None, pad_edge=False, header_style="bold")
    rows = fitting(list(_rows(table, seconds)), width)
    for number, heading in enumerate(rows[0]):
        found.add_column(heading, justify="left" if number == 1 or heading == "seats" else "right", no_wrap=True)
    for line, row in zip(table.lines, rows[1:], strict=True):
        found.add_row(*map(Text, row), style="bold" if line.place == 1 else "")
    return found


def fitting(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return the rows without the columns for which there is no room, in the order of SPARED."""
    found = [list(row) for row in rows]
    for heading in SPARED:
        if max(map(len, columns(found).splitlines())) <= width:
            break
        if heading in found[0]:
            at = found[0].index(heading)
            found = [row[:at] + row[at + 1 :] for row in found]
    return found


def show(table: Standings, seconds: dict[str, float]) -> None:
    """Print the table and the lines below it."""
    console = Console()
    if console.is_terminal:
        console.print(drawn(table, console.width, seconds))
    else:
        click.echo(columns(list(_rows(table, seconds))))
    for line in notes(table):
        click.echo(line)


def notes(table: Standings) -> list[str]:
    """Return the remarks below the table."""
    matches = f"{table.matches} match{'' if table.matches == 1 else 'es'}"
    found = [
        f"{table.blocks} of {table.cap} blocks, {matches}; score: {table.score}; "
        f"rating: points above {printable(table.anchor, WIDTH)}; ± is 95 %"
    ]
    found += differences(table)
    if table.verdict:
        found.append(table.verdict)
    if table.void:
        found.append(f"{table.void} void: could not be played, for no fault of a player; their blocks do not count")
    for line in table.lines:
        if line.moved:
            how = "gains" if line.moved > 0 else "loses"
            places = f"{abs(line.moved)} place{'' if abs(line.moved) == 1 else 's'}"
            found.append(f"! {shortened(line.name, WIDTH)} {how} {places} by rating if losses by fouls do not count")
    if table.differing:
        numbers = ", ".join(map(str, table.differing[:10]))
        found.append(f"! not reproducible: played again, these matches ended otherwise: {numbers}")
    return found


def differences(table: Standings) -> list[str]:
    """Return lines on the paired differences by block: the first agent against each other, and all pairs if few."""
    first = table.lines[0].name if table.lines else ""
    pairs = [pair for pair in table.differences if len(table.lines) <= FEW or first in (pair.one, pair.other)]
    found = []
    for pair in pairs[:MOST_PAIRS]:
        better, worse = (pair.one, pair.other) if pair.difference >= 0 else (pair.other, pair.one)
        more = f"{abs(pair.difference):.3f}{interval(pair.half)}"
        p = "" if pair.corrected is None else f", p {pair.corrected:.2g}"
        names = f"{shortened(better, WIDTH)} over {shortened(worse, WIDTH)}"
        found.append(f"{names}: {more} a match in {pair.blocks} block{'' if pair.blocks == 1 else 's'}{p}")
    return found


def _rows(table: Standings, seconds: dict[str, float]) -> Iterable[list[str]]:
    talks = any(line.press for line in table.lines)
    models = any(line.calls for line in table.lines)
    known = [seat.mean for line in table.lines for seat in line.seats.values() if seat is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    yield [
        "",
        "agent",
        "score",
        "rating",
        "seats",
        "played",
        "foul",
        "void",
        "time/move",
        *(["kept"] if talks else []),
        *(_CALLS if models else []),
    ]
    for line in table.lines:
        thought = seconds.get(line.name)
        row = [
            str(line.place),
            shortened(line.name, WIDTH),
            shown(line.score),
            rated(line.rating, line.name == table.anchor),
            bars(line, low, high),
            str(line.played),
            f"{line.lost_by_foul}{'!' if line.moved else ''}",
            str(line.void),
            "" if thought is None else brief(thought),
        ]
        yield [*row, *([_kept(line.press)] if talks else []), *(_called(line) if models else [])]


def rated(rating: Rating, anchor: bool) -> str:
    """Return the points above the anchor with their interval; 0 for the anchor itself."""
    return "0" if anchor else f"{rating.points:+z.0f} ± {rating.half:.0f}"


_CALLS = ["usable", "tokens/decision", "USD/match"]
"""Columns of language models: legality apart from strength, and cost."""


def _called(line: Line) -> list[str]:
    """Return the share of usable answers of a model, tokens per decision, and the cost per match if known."""
    if line.calls is None:
        return ["", "", ""]
    calls = line.calls
    usable = f"{calls.usable / calls.answered:.0%}" if calls.answered else "-"
    tokens = f"{calls.tokens / calls.decisions:.0f}" if calls.decisions else "-"
    return [usable, tokens, "unknown" if calls.unpriced else f"{calls.usd / line.played:.4f}"]


def _kept(press: Kept | None) -> str:
    return "" if press is None or not press.pacts else f"{press.pacts_kept / press.pacts:.0%}"


def bars(line: Line, low: float, high: float) -> str:
    """Return one bar per seat for the mean score on it, scaled from low to high.

    A dot is a seat on which the agent did not play.
    """
    means = [None if seat is None else seat.mean for seat in line.seats.values()]
    step = (high - low or 1.0) / len(BARS)
    return "".join("·" if mean is None else BARS[min(len(BARS) - 1, int((mean - low) / step))] for mean in means)


def gauge(share: float) -> str:
    """Return the progress of a stopping rule between its two answers, as a gauge."""
    at = round((share + 1) / 2 * GAUGE)
    return f"no [{'─' * at}●{'─' * (GAUGE - at)}] yes"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if number == 1 or heading == "seats" else cell.rjust(width)
            for number, (heading, cell, width) in enumerate(zip(rows[0], row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def duration(seconds: float) -> str:
    """Return a time in words: `40 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _blocks(series: ResultsState) -> str:
    return f"block {series.counted} of {series.cap}"
