"""Shows a match as it goes: a live table in a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import click

from parlour.cli.display.event_lines import news_of, ranking
from parlour.cli.display.notes import MAX_LINE
from parlour.cli.display.screen import Screen
from parlour.core import events as ev
from parlour.core.game import Game, Seat
from parlour.core.player import ObservedEvent
from parlour.core.text import printable
from parlour.referee.record import encode

if TYPE_CHECKING:
    from rich.console import RenderableType


class Display(Protocol):
    """Shows the events of a match as they arrive."""

    def on_event(self, told: ObservedEvent) -> None:
        """Show an event."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


def display(
    game: Game,
    *,
    as_json: bool = False,
    quiet: bool = False,
    explain: bool = False,
    pace: float = 0.0,
    person: bool = False,
    names: Mapping[Seat, str] = MappingProxyType({}),
) -> Display:
    """Return the display that fits: JSON or only the result if wanted, live in a terminal, otherwise lines.

    pace is the number of seconds that a turn stays on the screen of a terminal. If a person plays in the terminal,
    lines are printed, and the position is shown only when the person is asked. names has the players who joined before
    the display began.
    """
    if as_json:
        return JsonDisplay()
    if quiet:
        return ResultDisplay(names)
    if sys.stdout.isatty() and not person:
        return LiveDisplay(game, explain=explain, pace=pace, names=names)
    return LineDisplay(game, explain=explain, boards=not person, names=names)


class JsonDisplay(Screen):
    """Prints one JSON object per event."""

    def on_event(self, told: ObservedEvent) -> None:
        click.echo(encode(told.event))


class ResultDisplay(JsonDisplay):
    """Prints only the final table."""

    def __init__(self, names: Mapping[Seat, str] = MappingProxyType({})) -> None:
        self._names: dict[Seat, str] = dict(names)
        self._reasons: dict[Seat, str] = {}

    def on_event(self, told: ObservedEvent) -> None:
        event = told.event
        if isinstance(event, ev.Joined):
            self._names[event.seat] = event.name
        elif isinstance(event, ev.Started):
            self._names = {seat: name for seat, name in self._names.items() if seat in event.seats}
        elif isinstance(event, ev.Removed):
            self._reasons[event.seat] = event.reason_words
        elif isinstance(event, ev.Ended):
            click.echo(ranking(event.outcome, self._names, self._reasons))


class LineDisplay(ResultDisplay):
    """Plain lines of news, and the position after each turn."""

    def __init__(
        self,
        game: Game,
        *,
        explain: bool = False,
        boards: bool = True,
        names: Mapping[Seat, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(names)
        self._boards = boards
        self._news = news_of(game, explain=explain)

    def on_event(self, told: ObservedEvent) -> None:
        super().on_event(told)
        for line in self._news(told.event, told.view.position):
            click.echo(printable(line, MAX_LINE))
        if self._boards and told.event.changes_position:
            click.echo(str(told.view.position))


class LiveDisplay(ResultDisplay):
    """News that scrolls by, above a table that stays in place: who sits where, and the position."""

    def __init__(
        self,
        game: Game,
        *,
        explain: bool = False,
        pace: float = 0.0,
        names: Mapping[Seat, str] = MappingProxyType({}),
    ) -> None:
        from rich.console import Console  # imported late: only a live table needs it
        from rich.live import Live

        super().__init__(names)
        self._news = news_of(game, explain=explain)
        self._pace = pace
        self._turns: Counter[Seat] = Counter()
        self._removed: set[Seat] = set()
        self._board = ""
        self.live: Live = Live(console=Console(), refresh_per_second=12)

    def on_event(self, told: ObservedEvent) -> None:
        from rich.text import Text

        event = told.event
        if isinstance(event, ev.Ended):
            self.live.update(self._picture(), refresh=True)
            self.live.stop()
        super().on_event(told)
        for line in self._news(event, told.view.position):
            self.live.console.print(Text(printable(line, MAX_LINE), style=_style(line)))
        if isinstance(event, ev.TurnBegan):
            self._turns.update(event.to_act)
        elif isinstance(event, ev.Removed):
            self._removed.add(event.seat)
        elif isinstance(event, ev.TurnEnded):
            self._board = str(told.view.position)
            self.live.update(self._picture())
            time.sleep(self._pace)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for heading in ("seat", "player", "turns", ""):
            table.add_column(heading, justify="right" if heading == "turns" else "left")
        for seat, name in self._names.items():
            mark = "removed" if seat in self._removed else ""
            table.add_row(str(seat), Text(printable(name)), str(self._turns[seat]), mark)  # Text ignores markup
        return Group(Text(), table, Text(), Text(self._board))


def _style(line: str) -> str:
    """Return the style of a line: broken promises stand out, messages are plain, the rest is dim."""
    return "bold red" if line.startswith("!") else "" if " → " in line else "dim"
