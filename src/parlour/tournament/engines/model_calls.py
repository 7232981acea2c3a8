"""The calls of language models in a match of a tournament, read from its record."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.agents.llm.answers import GOOD, ReplyClass
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.tournament.results import Calls


def calls_of(record: Sequence[Event]) -> dict[Seat, Calls]:
    """Return the calls of each seat that asked a language model."""
    found: dict[Seat, list[ev.Consulted]] = {}
    for event in record:
        if isinstance(event, ev.Consulted):
            found.setdefault(event.seat, []).append(event)
    return {seat: _counted(events) for seat, events in found.items()}


def _counted(events: Sequence[ev.Consulted]) -> Calls:
    calls = [event.consultation for event in events]
    answers = [call for call in calls if call.verdict != ReplyClass.TRANSPORT]
    return Calls(
        answered=len(answers),
        usable=sum(call.verdict in GOOD for call in answers),
        decisions=sum(call.attempt == 1 for call in answers),
        tokens=sum(call.tokens for call in calls),
        usd=sum(call.usd for call in calls),
        unpriced=sum(not call.priced for call in calls),
    )


def unreachable(record: Sequence[Event]) -> str:
    """Return the reason if a model could not be reached, so that the match does not count; otherwise an empty text."""
    last: dict[tuple[Seat, int, str], ev.Consulted] = {}
    for event in record:
        if isinstance(event, ev.Consulted):
            last[event.seat, event.turn, event.consultation.purpose] = event
    for event in last.values():
        if event.consultation.verdict == ReplyClass.TRANSPORT:
            return f"the model of {event.seat} could not be reached in turn {event.turn}: {event.consultation.fault}"
    return ""
