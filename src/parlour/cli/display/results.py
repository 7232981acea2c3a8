"""Shows how a tournament goes and how it ended: a progress bar and a table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from parlour.errors import ParlourError

if TYPE_CHECKING:
    from rich.progress import Progress

    from parlour.tournament.knock_out.events import Departure, TournamentEvent, TournamentResult


class ProgressBar:
    """A spectator that moves a bar on as tables end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("waiting", total=None)

    def told(self, event: TournamentEvent) -> None:
        """Move the bar."""
        from parlour.tournament.knock_out.events import Decided, RoundDrawn, TableEnded

        match event:
            case RoundDrawn():
                text = f"round {event.number}: {len(event.tables)} table{'' if len(event.tables) == 1 else 's'}"
                self._progress.reset(self._bar, description=text, total=len(event.tables))
            case TableEnded():
                self._progress.advance(self._bar)
            case Decided():
                self._progress.update(self._bar, description="decided")
            case _:
                pass


class TournamentNews:
    """A spectator that prints lines: number of players, rounds, tables, and removals with their reasons."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def told(self, event: TournamentEvent) -> None:
        """Print the event."""
        from parlour.core.text import printable
        from parlour.tournament.knock_out.events import Announced, FieldSet, RoundDrawn, TableEnded

        match event:
            case Announced():
                self._say(printable(f"{event.tournament} begins with {len(event.entrants)} players", 400))
            case FieldSet():
                self._out(event.departed)
            case RoundDrawn():
                tables = f"{len(event.tables)} table{'' if len(event.tables) == 1 else 's'}"
                self._say(f"round {event.number}: {tables}")
            case TableEnded():
                winners = ", ".join(event.result.winners) or "nobody"
                self._say(printable(f"round {event.round}, table {event.table + 1}: won by {winners}", 400))
                self._out(event.result.departed)
            case _:
                pass

    def _out(self, departed: Iterable[Departure]) -> None:
        from parlour.core.text import printable

        for departure in departed:
            self._say(printable(f"{departure.name} is out as a {departure.standing}: {departure.reason}", 400))


def say(line: str) -> None:
    """Print a line of news on standard error, without click, which examines the stream for each line."""
    sys.stderr.write(f"{line}\n")


@contextmanager
def progress_bars() -> Iterator[tuple[Sequence[ProgressBar], Callable[[str], None]]]:
    """Yield a spectator with a progress bar if standard error is a terminal, and a function that prints a line.

    Lines go above the bar, which stays in place.
    """
    if not sys.stderr.isatty() and "FORCE_COLOR" not in os.environ:  # lines need no import of rich
        yield [], say
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.text import Text

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        # As Text: a name may contain characters that rich would read as markup.
        yield [ProgressBar(progress)], lambda line: progress.console.print(Text(line))


@contextmanager
def first_error() -> Iterator[None]:
    """Raise the first error that a user can act on, of several that tasks raised at once."""
    try:
        yield
    except ExceptionGroup as group:
        errors = group.subgroup(ParlourError)
        if errors is None:
            raise
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


def as_plain(result: TournamentResult) -> dict[str, Any]:
    """Return the result as plain values for JSON."""
    return {
        "winners": list(result.winners),
        "losers": list(result.losers),
        "cheaters": [{"name": departure.name, "reason": departure.reason} for departure in result.cheaters],
        "failures": [{"name": departure.name, "reason": departure.reason} for departure in result.failures],
        "rounds": result.rounds,
        "reason": result.reason,
    }


def show_result(result: TournamentResult) -> None:
    """Print all players with their results, the number of rounds, and the reason why the tournament ended."""
    from parlour.core.text import printable

    rows = [(name, "won", "") for name in result.winners] + [(name, "lost", "") for name in result.losers]
    for departures in (result.cheaters, result.failures):
        rows += [(departure.name, departure.standing.value, departure.reason) for departure in departures]
    rows = [(printable(name), standing, printable(reason)) for name, standing, reason in rows]
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
        _show_table(rows)
    else:
        for row in rows:
            click.echo("  ".join(row).rstrip())
    click.echo(f"{result.rounds} round{'' if result.rounds == 1 else 's'}, {result.reason}")


def _show_table(rows: Sequence[tuple[str, str, str]]) -> None:
    """Print the table for a terminal; importing the library that draws it takes longer than many tournaments."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = ("player", "result", "reason") if any(reason for _, _, reason in rows) else ("player", "result")
    table = Table(*columns)
    for row in rows:
        # As Text: a name or a reason may contain characters that rich would read as markup.
        table.add_row(*map(Text, row[: len(columns)]), style="bold" if row[1] == "won" else "")
    Console().print(table)
