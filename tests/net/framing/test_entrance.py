"""The entrance on a simulated clock: who says something in time is handed on, who does not makes room."""

from __future__ import annotations

import asyncio

import pytest

from parlour.net.framing.connection import Wire
from parlour.net.framing.entrance import Entrance
from parlour.net.framing.json_stream import ValueReader
from parlour.net.framing.limiter import ConnectionLimiter
from support.framing.lines import Line, simulated
from support.waiting import inside


class Hallway:
    """An entrance, who was handed on, and who was refused."""

    def __init__(self, *, patience: float = 10.0, most: int = 2) -> None:
        self.greeted: list[tuple[Wire, bytes]] = []
        self.refused: list[str] = []
        self.later: list[bytes] = []
        self.lost_later: list[str] = []
        self.entrance = Entrance(
            self._greeted, self._refused, ValueReader, patience=patience, limiter=ConnectionLimiter(most_silent=most)
        )

    def _greeted(self, wire: Wire, value: bytes) -> None:
        wire.receiver = self
        self.greeted.append((wire, value))

    def _refused(self, wire: Wire, reason: str) -> None:
        self.refused.append(reason)
        wire.send(b"no")
        wire.close()

    def received(self, value: bytes) -> None:
        self.later.append(value)

    def lost(self, error: Exception) -> None:
        self.lost_later.append(str(error))

    def knock(self) -> Line:
        """Somebody who is in and has said nothing."""
        line = Line(self.entrance.accept())
        line.wire.connection_made(line)
        return line


@inside(simulated)
async def test_who_says_something_is_handed_on_with_it_and_counts_no_longer() -> None:
    hall = Hallway()
    line = hall.knock()
    assert len(hall.entrance) == 1
    line.say(b'"hello" "again"')
    assert (hall.greeted, hall.later) == ([(line.wire, b'"hello"')], [b'"again"'])
    assert len(hall.entrance) == 0
    await asyncio.sleep(100.0)
    assert line.ended == "", "nobody waits for it here any more"


@pytest.mark.parametrize(("begun", "seconds"), [(b"", 10.0), (b'"hel', 20.0)])
@inside(simulated)
async def test_who_says_nothing_has_so_long_and_who_has_begun_as_long_again_but_not_for_ever(
    *, begun: bytes, seconds: float
) -> None:
    hall = Hallway(patience=10.0)
    line = hall.knock()
    if begun:
        line.say(begun)
    await asyncio.sleep(seconds - 0.1)
    assert (line.ended, len(hall.entrance)) == ("", 1)
    await asyncio.sleep(0.2)
    assert (line.ended, len(hall.entrance)) == ("cut off", 0)
    assert not hall.greeted
    assert not hall.refused


@inside(simulated)
async def test_who_finishes_in_the_second_time_is_heard() -> None:
    hall = Hallway(patience=10.0)
    line = hall.knock()
    line.say(b'"hel')
    await asyncio.sleep(15.0)
    line.say(b'lo"')
    assert [value for _, value in hall.greeted] == [b'"hello"']


@inside(simulated)
async def test_one_too_many_sends_away_who_has_been_silent_for_longest() -> None:
    hall = Hallway(most=2)
    first, second, third = hall.knock(), hall.knock(), hall.knock()
    assert [line.ended for line in (first, second, third)] == ["cut off", "", ""]
    assert len(hall.entrance) == 2
    hall.entrance.limiter.make_room()
    assert [line.ended for line in (second, third)] == ["cut off", ""]
    hall.entrance.close()
    assert (third.ended, len(hall.entrance)) == ("cut off", 0)
    hall.entrance.limiter.make_room()  # there is nobody to send away


@inside(simulated)
async def test_who_is_not_understood_is_told_why_and_hung_up_on() -> None:
    hall = Hallway()
    line = hall.knock()
    line.say(b"]")
    assert hall.refused == ["a bracket closes that was never opened"]
    assert (line.sent, line.ended, len(hall.entrance)) == (b"no", "closed", 0)
    assert not hall.greeted


@inside(simulated)
async def test_who_was_handed_on_is_for_others_to_refuse() -> None:
    hall = Hallway()
    line = hall.knock()
    line.say(b"[] ]")
    assert hall.refused == []
    assert hall.lost_later == ["a bracket closes that was never opened"]
    assert line.ended == "cut off"


@inside(simulated)
async def test_who_leaves_before_it_said_anything_takes_no_place_any_more() -> None:
    hall = Hallway()
    line = hall.knock()
    line.wire.connection_lost(None)
    assert (len(hall.entrance), hall.refused) == (0, [])
    await asyncio.sleep(100.0)
    assert hall.refused == []
