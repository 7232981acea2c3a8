"""Shows a match as it goes: a live table in a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Game, Outcome, Seat
from parlour.referee.record import encode
from parlour.referee.state import State

RECENT = 8
"""Lines of news below a live table."""


class Display(Protocol):
    """Shows events as they are kept."""

    def show(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


def display(game: Game, *, as_json: bool, quiet: bool = False) -> Display:
    """The display that fits: JSON if asked for, live in a terminal, otherwise lines."""
    if as_json:
        return JsonDisplay()
    if quiet:
        return ResultDisplay(game)
    return LiveDisplay(game) if sys.stdout.isatty() else LineDisplay(game)


class _Display:
    """What displays share: they need no setting up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


class JsonDisplay(_Display):
    """One JSON object per event."""

    def show(self, events: Sequence[Event]) -> None:
        for event in events:
            click.echo(encode(event))


class ResultDisplay(_Display):
    """Only how it ended."""

    def __init__(self, game: Game) -> None:
        self.state = State(game)

    def show(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state.fold(event)
            if isinstance(event, ev.Ended):
                click.echo(ranking(event.outcome, names(self.state)))


class LineDisplay(_Display):
    """A few plain lines per event, and the position after each turn."""

    def __init__(self, game: Game) -> None:
        self.state = State(game)

    def show(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state.fold(event)
            if line := line_of(event):
                click.echo(line)
            if isinstance(event, ev.Started | ev.TurnEnded | ev.PositionSet | ev.Removed):
                click.echo(str(self.state.position))
            if isinstance(event, ev.Ended):
                click.echo(ranking(event.outcome, names(self.state)))


class LiveDisplay(LineDisplay):
    """A table that stays in place: the position, who sits where, and the last news."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._news: list[str] = []
        self._console = Console()
        self._live = Live(console=self._console, refresh_per_second=12, transient=True)

    def show(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state.fold(event)
            if line := line_of(event):
                self._news.append(line)
        self._live.update(self._picture())
        last = events[-1] if events else None
        if isinstance(last, ev.Ended):
            self._live.stop()
            self._console.print(self._picture())
            click.echo(ranking(last.outcome, names(self.state)))

    def _picture(self) -> RenderableType:
        table = Table(box=None, pad_edge=False)
        for heading in ("seat", "player", "turns", ""):
            table.add_column(heading, justify="right" if heading == "turns" else "left")
        for seat, place in self.state.places.items():
            mark = "removed" if place.removed else "thinking" if seat in self.state.pending else ""
            table.add_row(str(seat), place.name or "", str(place.turns), mark)
        parts: list[RenderableType] = [table]
        if self.state.position is not None:
            parts += [Text(), Text(str(self.state.position))]
        return Group(*parts, Text(), Text("\n".join(self._news[-RECENT:]), style="dim"))

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()


def names(state: State) -> dict[Seat, str]:
    """Who sat on each seat."""
    return {seat: place.name or "" for seat, place in state.places.items()}


def line_of(event: Event) -> str:
    """The event in one line for people; empty if it is of no interest to them."""
    match event:
        case ev.Joined():
            return f"{event.name} sits down as {event.seat}"
        case ev.Left():
            return f"{event.seat} leaves"
        case ev.TurnBegan():
            return f"turn {event.turn} ({event.stage}): {', '.join(event.to_act)}"
        case ev.TurnEnded() if len(event.actions) == 1:
            [(seat, action)] = event.actions.items()
            return f"turn {event.turn}: {seat} plays {_shown(action)}"
        case ev.TurnEnded() if event.passed:
            return f"turn {event.turn}: {', '.join(event.passed)} passes"
        case ev.Said():
            return f"{event.seat} to {', '.join(event.to) or 'all'}: {event.text}"
        case ev.Fouled():
            return f"foul of {event.seat}: {event.kind} ({event.detail}); {event.does}"
        case ev.Removed():
            return f"{event.seat} is removed: {event.reason}"
        case ev.Paused() | ev.Resumed() | ev.TurnForced() | ev.PositionSet():
            return f"{event.by}: {type(event).__name__}"
        case ev.Ended():
            return f"the match is over: {event.outcome.reason}"
        case _:
            return ""


def _shown(action: object) -> str:
    text = str(action)
    return text if len(text) <= 60 else text[:57] + "..."


def ranking(outcome: Outcome, names: dict[Seat, str]) -> str:
    """The final table: places, seats, players, points."""
    lines = ["place  seat      player            points"]
    place = 1
    for tied in outcome.places:
        for seat in tied:
            points = outcome.scores.get(seat)
            shown = "" if points is None else f"{points:g}"
            lines.append(f"{place:>5}  {seat:9} {names.get(Seat(seat), '')[:16]:17} {shown:>6}")
        place += len(tied)
    return "\n".join(lines) if outcome.places else f"nobody is ranked: {outcome.reason}"
