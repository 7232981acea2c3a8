"""A match of Diplomacy in lines for people: orders and their results, press with its English, promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parlour.core import events as ev
from parlour.core import game as core
from parlour.core.events import Event
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Turn
from parlour.press.reports.verdict_text import Reporter


def diplomacy_news(
    plain: Callable[[Event], str], explain: bool
) -> Callable[[Event, core.Position | None], Sequence[str]]:
    """Return a function that writes the lines of an event, given the position after it.

    Args:
        plain: Writes the line of an event of any game.
        explain: Add the reason why each order failed.
    """
    reporter = Reporter()

    def news(event: Event, position: core.Position | None) -> Sequence[str]:
        after = position if isinstance(position, Position) else None
        told = reporter.lines(event, after)
        if isinstance(event, ev.Said):
            return told
        if isinstance(event, ev.TurnEnded) and after is not None and after.turn:
            return [
                f"turn {event.turn}:",
                *_orders(after.turn),
                *(_reasons(after.turn) if explain else ()),
                *told,
            ]
        return [line, *told] if (line := plain(event)) else told

    return news


def _orders(turn: Turn) -> list[str]:
    """Return each power's orders, with the result of each failed one.

    A unit without an order is listed only if its default failed or if it leaves.
    """
    by_power: dict[str, list[str]] = {}
    for ruling in turn.rulings:
        result = "" if ruling.verdict == "succeeded" else turn.result_of(ruling)
        if ruling.default:
            if not result and not turn.leaves(ruling):
                continue
            result = f"{result}, not ordered" if result else "not ordered"
        by_power.setdefault(ruling.power, []).append(f"{ruling.text} ({result})" if result else ruling.text)
    return [f"  {power}: {'; '.join(orders)}" for power, orders in by_power.items()]


def _reasons(turn: Turn) -> list[str]:
    """Return the reasons why orders failed."""
    failed = [reason for reason in turn.explanations if reason.verdict != "succeeded" and not reason.default]
    return [f"  {reason.power}: {reason.text}: {reason.sentence}" for reason in failed]
