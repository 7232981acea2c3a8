"""The desk where players sign up: what it takes from them at most. Who comes and goes is in test_server."""

from __future__ import annotations

import asyncio
from typing import cast

import msgspec
import pytest

from parlour.core.terms import Terms
from parlour.errors import RemoteWireError
from parlour.net.fish.desk import Seated, SignUpDesk
from parlour.net.fish.dialect import Patience
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.dialect import JsonDialect
from parlour.net.fish.lobby import MAX_WAITING
from parlour.net.fish.neu.dialect import NeuDialect
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import Settings
from parlour.net.framing.connection import Wire
from parlour.net.framing.values import encode_line
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


def say(desk: SignUpDesk, message: msgspec.Struct) -> Cable:
    """Somebody comes and says something in JSON."""
    cable = Cable()
    desk._greeted(cast(Wire, cable), encode_line(message))
    return cable


def refusals(cable: Cable) -> list[str]:
    """Why somebody was sent away; nothing if it was not."""
    answers = [msgspec.json.decode(text) for text in cable.sent]
    assert cable.is_open is not any("reason" in answer for answer in answers)
    return [answer["reason"] for answer in answers if "reason" in answer]


def test_so_many_wait_and_watch_and_who_comes_then_is_sent_away_with_the_reason() -> None:
    async def scene() -> None:
        desk = SignUpDesk(JsonDialect(), Settings(Terms(STRICT), most_spectators=2))
        watching = [say(desk, ms.SpectateRequest(True)) for _ in range(3)]
        assert [refusals(cable) for cable in watching] == [[], [], ["too many spectators"]]
        watching[0].cut()
        assert refusals(say(desk, ms.SpectateRequest(True))) == [], "there is room again"
        waiting = [say(desk, ms.SignupRequest(f"p{number}")) for number in range(MAX_WAITING)]
        assert not any(refusals(cable) for cable in waiting)
        assert refusals(say(desk, ms.SignupRequest("late"))) == ["the wait-list is full"]
        assert refusals(say(desk, ms.SignupRequest("p1"))) == ["the name is taken"]
        assert refusals(say(desk, ms.SignupRequest("p1", token="guessed"))) == [
            "no place is kept for this name and token"
        ]

    asyncio.run(scene())


def test_who_speaks_the_courses_protocol_and_is_refused_sees_the_line_close() -> None:
    async def scene() -> None:
        desk = SignUpDesk(NeuDialect(), Settings(Terms(STRICT)))
        assert greet(desk, "ann").is_open
        cable = Cable()
        desk._greeted(cast(Wire, cable), b"17")
        assert (cable.is_open, cable.sent) == (False, [])

    asyncio.run(scene())
