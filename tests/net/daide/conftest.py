"""Fixtures of tests that set the time of DAIDE tables by hand."""

from __future__ import annotations

import pytest

from parlour.net import heartbeat
from parlour.net.daide import guest as guest_module


@pytest.fixture
def time_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let wrong passcodes cost no time, and leaps of the clock count as no downtime."""
    monkeypatch.setattr(guest_module, "WRONG_CODE_DELAY", 0.0)
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)
