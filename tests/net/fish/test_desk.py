"""The desk where players sign up: what it takes from them at most. Who comes and goes is in test_server."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from parlour.core.terms import Terms
from parlour.errors import RemoteWireError
from parlour.net.fish.desk import Seated, SignUpDesk
from parlour.net.fish.dialect import Patience
from parlour.net.fish.neu.dialect import NeuDialect
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import Settings
from parlour.net.framing.connection import Wire
from parlour.referee.conduct import STRICT

from .test_peer import Cable


def test_whoever_signs_up_or_plays_may_send_a_few_kilobytes_in_one_value() -> None:
    async def scene() -> None:
        wire = SignUpDesk(NeuDialect(), Settings(Terms(STRICT))).door.accept()
        with pytest.raises(RemoteWireError, match="at most 4,096 bytes"):
            list(wire._framing.feed(b'"' + b"x" * 5000))

    asyncio.run(scene())


def greet(desk: SignUpDesk, name: str) -> Cable:
    """Somebody comes and says a name."""
    cable = Cable()
    desk._greeted(cast(Wire, cable), f'"{name}"'.encode())
    return cable


def test_where_names_need_not_differ_each_gets_one_of_its_own_and_comes_back_to_any_of_that_name() -> None:
    async def scene() -> None:
        dialect = NeuDialect()
        desk = SignUpDesk(dialect, Settings(Terms(STRICT), fewest=3, most=4, wait=0.0))
        for name in ("ann", "ann", "bo"):
            greet(desk, name)
        tickets = await desk.gather()
        assert tickets is not None
        assert [ticket.name for ticket in tickets] == ["ann", "ann2", "bo"]
        away = {ticket.name: dialect.entrant(Peer(ticket.name), Patience()) for ticket in tickets}
        desk.seated = Seated({**away}, {})
        greet(desk, "ann")
        assert not any(entrant.peer.present for entrant in away.values()), "nobody is waited for"
        desk.seated.returning = True
        for name in ("ann", "ann", "ann", "cy"):
            greet(desk, name)
        assert [name for name, entrant in away.items() if entrant.peer.present] == ["ann", "ann2"]
        assert not desk.seated.all_here
        away["bo"].peer.close()
        greet(desk, "bo")
        assert not away["bo"].peer.present, "who was given up is not taken back"

    asyncio.run(scene())
