"""The match of the demo, on a screen or in plain lines: press, failed orders, kept and broken promises."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from parlour.cli.display.event_lines import news_of
from parlour.cli.display.notes import MAX_LINE
from parlour.cli.display.screen import Screen
from parlour.cli.display.show import Display
from parlour.core import events as ev
from parlour.core.game import Game, Seat
from parlour.core.player import ObservedEvent
from parlour.core.text import printable

PACE = 0.8
"""Seconds that a turn stays on the screen."""
BEAT = 0.03
"""Seconds between two messages, so that a person sees them arrive."""
MARGIN = 6
"""Lines of the screen for frames and the line below them."""
SAMPLE = 3
"""Messages of a turn, and reasons of failures, that are shown in plain lines; the others are counted."""


def demo_display(game: Game) -> Display:
    """Return the display that fits the output: in place in a terminal, plain lines elsewhere."""
    return DemoScreen(game) if sys.stdout.isatty() else DemoLines(game)


class DemoLines(Screen):
    """Plain lines: some press, then failed orders with their reasons, and the promises kept and broken."""

    def __init__(self, game: Game) -> None:
        self._news = news_of(game, explain=True)
        self._said = 0

    def on_event(self, told: ObservedEvent) -> None:
        """Show the event if it is interesting."""
        lines = self._news(told.event, told.view.position)
        if isinstance(told.event, ev.TurnBegan):
            self._said = 0
            click.echo(f"\n{_heading(told)}")
        elif isinstance(told.event, ev.Said):
            self._said += 1
            if self._said <= SAMPLE:
                _echo(lines)
        elif isinstance(told.event, ev.PressClosed) and self._said > SAMPLE:
            click.echo(f"and {self._said - SAMPLE} more messages")
        elif isinstance(told.event, ev.TurnEnded):
            _echo(_fewer(_happened(lines)))


class DemoScreen(DemoLines):
    """The position above the last lines of news, in place; broken promises stay at the foot of the screen."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._console = Console()
        self.live: Live = Live(console=self._console, refresh_per_second=20, transient=True)
        self._lines: deque[str] = deque(maxlen=100)
        self._broken: list[str] = []
        self._heading, self._next_heading, self._board = "", "", ""
        self._names: dict[Seat, str] = {}

    def on_event(self, told: ObservedEvent) -> None:
        """Show the event."""
        event = told.event
        if isinstance(event, ev.Joined):
            self._names[event.seat] = event.name
            return
        lines = [printable(line, MAX_LINE) for line in self._news(event, told.view.position)]
        if event.changes_position:
            self._board = str(told.view.position)
        if isinstance(event, ev.TurnBegan):
            self._next_heading = _heading(told)
        elif isinstance(event, ev.Said):
            self._add(lines)
        elif isinstance(event, ev.TurnEnded):
            self._add(_happened(lines))
            self._broken += [line for line in lines if line.startswith("!")]
        self.live.update(self._picture())
        time.sleep(PACE if isinstance(event, ev.TurnEnded) else BEAT if isinstance(event, ev.Said) else 0)

    def _add(self, lines: Iterable[str]) -> None:
        """Add lines; those of the last turn stay until the next turn has some."""
        if self._heading != self._next_heading:
            self._heading = self._next_heading
            self._lines.clear()
        self._lines.extend(lines)

    def _picture(self) -> RenderableType:
        board = self._board.splitlines()
        broken = self._broken[-2:]
        room = max(3, self._console.height - len(board) - 2 * len(broken) - MARGIN)
        news = Text("\n", overflow="fold").join(Text(line, style=_style(line)) for line in list(self._lines)[-room:])
        players = Text("  ".join(f"{seat} {printable(name, 14)}" for seat, name in self._names.items()), style="dim")
        parts: list[RenderableType] = [
            players,
            Text("\n".join(board), no_wrap=True),
            Panel(news, title=self._heading, height=min(room, self._console.height) + 2),
        ]
        return Group(*parts, *(Text(line, style="bold red", no_wrap=True, overflow="ellipsis") for line in broken))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        super().__exit__(kind, error, at)
        _echo(self._broken)


def _heading(told: ObservedEvent) -> str:
    """Return the first line of the position, or the number of the turn if the position has no text."""
    assert isinstance(told.event, ev.TurnBegan)
    first, *_ = str(told.view.position).splitlines() or [f"turn {told.event.turn}"]
    return first


def _happened(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines of a turn without the line that has its number."""
    return (line for line in lines if not line.startswith("turn "))


def _fewer(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines; of those that give an order and its result, the first SAMPLE and the number of the others."""
    explained = 0
    for line in lines:
        if line.count(": ") >= 2 and not line.startswith("!"):
            explained += 1
            if explained > SAMPLE:
                continue
        elif explained > SAMPLE:
            yield f"  and {explained - SAMPLE} more that failed"
            explained = 0
        yield line
    if explained > SAMPLE:
        yield f"  and {explained - SAMPLE} more that failed"


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line, MAX_LINE))


def _style(line: str) -> str:
    return "bold red" if line.startswith("!") else "" if " → " in line or " kept " in line else "dim"
