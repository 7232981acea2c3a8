"""Shows how a tournament goes and how it ended: a progress bar and a table on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from parlour.core.events import Event
from parlour.errors import ParlourError

if TYPE_CHECKING:
    from rich.progress import Progress

    from parlour.tournament.events import TournamentEvent
    from parlour.tournament.values import TournamentResult


class ProgressBar:
    """A spectator that moves a bar on as tables end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("waiting", total=None)

    def told(self, event: TournamentEvent) -> None:
        """Move the bar."""
        from parlour.tournament.events import Decided, RoundDrawn, TableEnded

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

    def told_of_match(self, match: str, event: Event) -> None:
        """Nothing: the bar counts tables."""


@contextmanager
def progress_bars() -> Iterator[Sequence[ProgressBar]]:
    """A spectator with a progress bar on standard error if that is a terminal, otherwise none."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield []
        return
    columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield [ProgressBar(progress)]


@contextmanager
def first_error() -> Iterator[None]:
    """What several tasks at once raised becomes the first error that a user can act on, if there is one."""
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


def agent_age(game: str, wanted: str) -> int | None:
    """The age that an agent gives itself, if any; ConfigError if there is no such agent.

    A command is not asked: it is only known to work when it is run.
    """
    from parlour.agents.fish.ages import age_of
    from parlour.agents.loading import make_player

    if wanted.rpartition(":")[0].endswith(".py") or not (" " in wanted or "/" in wanted):
        return age_of(make_player(game, wanted, 0))
    return None


def as_plain(result: TournamentResult) -> dict[str, Any]:
    """The result for programs to read."""
    return {
        "winners": list(result.winners),
        "losers": list(result.losers),
        "cheaters": [{"name": departure.name, "reason": departure.reason} for departure in result.cheaters],
        "failures": [{"name": departure.name, "reason": departure.reason} for departure in result.failures],
        "rounds": result.rounds,
        "reason": result.reason,
    }


def show_result(result: TournamentResult) -> None:
    """Print the table of everyone and what became of them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from parlour.core.text import printable

    rows = [(name, "won", "") for name in result.winners] + [(name, "lost", "") for name in result.losers]
    for departures in (result.cheaters, result.failures):
        rows += [(departure.name, departure.standing.value, departure.reason) for departure in departures]
    rows = [(printable(name), standing, printable(reason)) for name, standing, reason in rows]
    console = Console()
    if not console.is_terminal:
        for row in rows:
            click.echo("  ".join(row).rstrip())
    else:
        columns = ("player", "result", "reason") if any(reason for _, _, reason in rows) else ("player", "result")
        table = Table(*columns)
        for row in rows:
            # As text, since names and reasons may hold what rich takes for its own markup.
            table.add_row(*map(Text, row[: len(columns)]), style="bold" if row[1] == "won" else "")
        console.print(table)
    click.echo(f"{result.rounds} round{'' if result.rounds == 1 else 's'}, {result.reason}")
