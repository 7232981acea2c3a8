"""Events of a match in lines for people: seats, turns, fouls, and the game's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from parlour.core import events as ev
from parlour.core.declaration import declaration_of, fetch
from parlour.core.events import Event
from parlour.core.game import Game, Outcome, Position, Seat
from parlour.core.text import printable

News: TypeAlias = Callable[[Event, Position | None], Sequence[str]]
"""Returns the lines for an event and the position after it."""


def news_of(game: Game, *, explain: bool = False) -> News:
    """Return the line writer for a game; explain adds the reason of each failed order."""
    declaration = declaration_of(game)
    if declaration is not None and declaration.news:
        news: News = fetch(declaration.news)(line_of, explain)
        return news
    return lambda event, position: [line] if (line := line_of(event)) else []


def line_of(event: Event) -> str:
    """Return the event in one line; empty if it is of no interest to people."""
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
        case ev.PressOpened():
            return "the press window is open"
        case ev.PressClosed():
            return "the press window is shut"
        case ev.Said():
            return f"{event.seat} to {', '.join(event.to) or 'all'}: {event.text}"
        case ev.Fouled():
            detail = "" if event.detail == event.kind.value else f" ({event.detail})"
            return f"foul of {event.seat}: {event.kind.word}{detail}; {event.does}"
        case ev.Removed():
            return f"{event.seat} is removed: {event.reason_words}"
        case ev.Paused():
            return f"paused by {event.by}" if event.by else "paused: too few are here"
        case ev.Resumed():
            return f"resumed by {event.by}" if event.by else "the match continues"
        case ev.TurnForced():
            return f"turn {event.turn} is forced by {event.by}"
        case ev.PositionSet():
            return f"{event.by} sets the position"
        case ev.Ended():
            return f"the match is over: {event.outcome.reason}"
        case _:
            return ""


def _shown(action: object) -> str:
    text = str(action)
    return text if len(text) <= 60 else text[:57] + "..."


def ranking(outcome: Outcome, names: Mapping[Seat, str], removed: Mapping[Seat, str] = MappingProxyType({})) -> str:
    """Return the final table: places, seats, players, points.

    Players without a place come last. A removed player has the reason.
    """
    if not outcome.places:
        return f"nobody is ranked: {outcome.reason}"
    short = {seat: shortened(name) for seat, name in names.items()}
    width = max([16, *map(len, short.values())]) + 1
    lines = [f"place  seat      {'player':{width}} points"]
    place = 1
    for tied in outcome.places:
        lines += [_row(str(place), Seat(seat), short, width, outcome, removed) for seat in tied]
        place += len(tied)
    ranked = {seat for tied in outcome.places for seat in tied}
    lines += [_row("-", seat, short, width, outcome, removed) for seat in names if seat not in ranked]
    return "\n".join(lines)


def _row(
    place: str, seat: Seat, names: Mapping[Seat, str], width: int, outcome: Outcome, removed: Mapping[Seat, str]
) -> str:
    points = outcome.scores.get(seat)
    shown = "" if points is None else f"{points:.0f}" if points == int(points) else f"{points:.3f}"
    reason = f"  removed: {printable(removed[seat])}" if seat in removed else ""
    return f"{place:>5}  {seat:9} {names.get(seat, ''):{width}} {shown:>6}{reason}".rstrip()


def shortened(name: str, width: int = 28) -> str:
    """Return a name that fits into a column: without its middle, since paths differ at the end."""
    name = printable(name, 1000)
    half = (width - 1) // 2
    return name if len(name) <= width else f"{name[: width - 1 - half]}…{name[-half:]}"
