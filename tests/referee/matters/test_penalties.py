"""Fouls that are reported, and fouls that a record says there were."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import FoulKind
from parlour.core.intents import RefusalCode
from parlour.errors import RecordError
from parlour.referee.conduct import LENIENT
from parlour.referee.match import replay
from parlour.referee.matters import penalties
from parlour.testing import BIDS
from tables import EAST, NORTH, begun, last


def test_so_many_fouls_of_a_seat_are_written_down_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "MAX_NOTES", 3)
    match = begun(BIDS, conduct=LENIENT)
    for moment in range(3):
        assert match.handle(it.Report(NORTH, FoulKind.CRASHED, "in told", "told"), float(moment)).refusal is None
    refusal = match.handle(it.Report(NORTH, FoulKind.CRASHED, "in told", "told"), 3.0).refusal
    assert refusal is not None
    assert (refusal.code, refusal.reason) == (RefusalCode.TOO_MUCH, "3 fouls of north are on record already")
    assert match.handle(it.Report(EAST, FoulKind.CRASHED, "in told", "told"), 4.0).refusal is None


def test_a_record_in_which_somebody_plays_badly_who_was_not_to_play_is_refused() -> None:
    """An action that was not allowed is not in the record, only why it was not."""
    honest, other = begun(BIDS), begun(BIDS)
    other.handle(it.Act(NORTH, "no bid at all"), 1.0)
    fouled = last(other, ev.Fouled)
    assert fouled.violation is not None
    replay([*honest.record, fouled], BIDS)
    honest.handle(it.Act(NORTH, honest.position.default(NORTH)), 1.0)
    with pytest.raises(RecordError):
        replay([*honest.record, msgspec.structs.replace(fouled, at=2.0)], BIDS)
