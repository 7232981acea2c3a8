"""News for an assistant: what concerns it in lines, and nothing of what does not."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Outcome, Seat
from parlour.net.mcp.event_text import news_of

NORTH, SOUTH = Seat("NORTH"), Seat("SOUTH")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ev.TurnBegan(1.0, 3, "orders", (NORTH,), {}), "turn 3 (orders) begins: you are to act"),
        (ev.TurnBegan(1.0, 3, "orders", (SOUTH,), {}), "turn 3 (orders) begins: you have nothing to do"),
        (ev.Said(1.0, SOUTH, (), "hello", 3), "SOUTH to all: hello"),
        (ev.Said(1.0, SOUTH, (NORTH,), "hello", 3), "SOUTH to NORTH: hello"),
        (ev.Said(1.0, NORTH, (), "hello", 3), ""),
        (ev.Fouled(1.0, NORTH, FoulKind.LATE, "orders", 3, "too late", Consequence.SKIP), "a foul of yours: too late"),
        (ev.Fouled(1.0, SOUTH, FoulKind.LATE, "orders", 3, "too late", Consequence.SKIP), ""),
        (ev.Removed(1.0, NORTH, "late"), "you are removed: late"),
        (ev.Removed(1.0, SOUTH, "late"), "SOUTH is removed: late"),
        (ev.Proclaimed(1.0, "host", "tea"), "the host says: tea"),
        (
            ev.Ended(1.0, Outcome({}, (("NORTH", "SOUTH"), ("WEST",)), "solo")),
            "is over (solo): NORTH and SOUTH, then WEST",
        ),
        (ev.Ended(1.0, Outcome({}, (), "called off")), "is over (called off): nobody is ranked"),
    ],
)
def test_each_is_told_what_concerns_it(event: Event, line: str) -> None:
    found = news_of(event, NORTH)
    assert line in found
    assert bool(line) is bool(found)
