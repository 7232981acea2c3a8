"""The audit of a record: every event must follow from the events before it, or from an intent that was possible there.

Consequences are computed again and compared. Intents cannot be computed; instead the audit checks that some
intent could have led to the event at that point. A record cannot prove more, since it is not signed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from parlour.core import events as ev
from parlour.core.events import VERSION, Event
from parlour.core.table_view import MatchStatus
from parlour.errors import ParlourError, RecordError
from parlour.referee.consequences import next_event
from parlour.referee.rulings import MustBe, inferred, rule
from parlour.referee.state import MatchState

_MISFITS = (ParlourError, LookupError, TypeError, ValueError, AssertionError, AttributeError, ArithmeticError)
"""Exceptions that folding or ruling may raise for invalid values."""
_exactly = msgspec.json.Encoder(order="deterministic").encode
"""Encodes a value for an exact comparison: in Python True equals 1 and 3 equals 3.0, in a record not. The order of keys
does not matter."""


def audit(state: MatchState, event: Event) -> None:
    """Fold a stored event; raise RecordError with its number if it cannot follow there."""
    with _numbered(state, event):
        if isinstance(event, ev.Opened):
            _audit_opening(state, event)
        else:
            _audit_event(state, event)
        state.fold(event)


@contextmanager
def _numbered(state: MatchState, event: Event) -> Iterator[None]:
    """Turn exceptions from checking an event into a RecordError with its number."""
    number = state.count
    try:
        yield
    except RecordError:
        raise
    except _MISFITS as error:
        because = f": {error}" if str(error) else ""
        raise RecordError(f"{_kind(event)!r} does not follow from what came before{because}", number=number) from error


def _audit_opening(state: MatchState, event: ev.Opened) -> None:
    if state.status is not MatchStatus.UNOPENED:
        raise RecordError("a record opens with one opened event", number=state.count)
    if event.game != state.game.name:
        raise RecordError(f"this is a match of {event.game[:40]!r}, not of {state.game.name}", number=0)
    if not 1 <= event.version <= VERSION:
        raise RecordError(f"version: expected 1 to {VERSION}, got {event.version}", number=0)
    if not (math.isfinite(event.at) and math.isfinite(event.date or 0.0)):
        raise RecordError("at and date: expected finite numbers", number=0)
    if not -(2**63) <= event.seed < 2**64:
        raise RecordError("seed: expected a whole number of 64 bits", number=0)
    event.terms.check()


def _audit_event(state: MatchState, event: Event) -> None:
    if state.status is MatchStatus.UNOPENED:
        raise RecordError("a record opens with one opened event", number=state.count)
    if not math.isfinite(event.at) or event.at != state.stamp(event.at):
        raise RecordError(f"{_kind(event)!r} at {event.at} cannot follow on {state.now}", number=state.count)
    due = next_event(state, state.stamp(state.now))
    if due is None and not isinstance(
        event, ev.Stalled
    ):  # a Stalled event explains why a due consequence did not happen
        due = next_event(state, event.at)
    if due is not None:
        if _exactly(due) != _exactly(event):
            raise RecordError(_difference(due, event), number=state.count)
        return
    for cause in inferred(state, event):
        found = cause.event if isinstance(cause, MustBe) else rule(state, cause, event.at)
        if _exactly(found) == _exactly(event):
            return
    raise RecordError(f"{_kind(event)!r} follows from neither the events before nor an intent", number=state.count)


def _kind(event: Event) -> str:
    return str(event.__struct_config__.tag)


def _difference(due: Event, event: Event) -> str:
    if type(due) is not type(event):
        return f"the rules give {_kind(due)!r} next, the record {_kind(event)!r}"
    fields = [name for name in due.__struct_fields__ if _exactly(getattr(due, name)) != _exactly(getattr(event, name))]
    return f"{_kind(event)!r}: the rules give another {' and '.join(fields)}"
