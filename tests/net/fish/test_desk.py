"""The desk where players sign up: what it takes from them at most. Who comes and goes is in test_server."""

from __future__ import annotations

import asyncio

import pytest

from parlour.core.terms import Terms
from parlour.errors import RemoteWireError
from parlour.net.fish.desk import SignUpDesk
from parlour.net.fish.neu.dialect import NeuDialect
from parlour.net.fish.settings import Settings
from parlour.referee.conduct import STRICT


def test_whoever_signs_up_or_plays_may_send_a_few_kilobytes_in_one_value() -> None:
    async def scene() -> None:
        wire = SignUpDesk(NeuDialect(), Settings(Terms(STRICT))).door.accept()
        with pytest.raises(RemoteWireError, match="longer than 4,096 bytes"):
            list(wire._framing.feed(b'"' + b"x" * 5000))

    asyncio.run(scene())
