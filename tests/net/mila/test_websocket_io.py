"""One websocket at the door: how much is at work at once, what goes out together, and who is cut off."""

# Why real time passes here: a socket that is slow is so in real time.

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from parlour.net.framing.connection import BYTES_AT_ONCE, LINES_AT_ONCE, LineRate
from parlour.net.framing.limiter import Backlog
from parlour.net.framing.websocket import TextSocket
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.kernel.telling import framed
from parlour.net.mila.websocket_io import MAX_AT_WORK, MAX_UNREAD, MAX_UNSENT, Pump, Socket
from support.mila.websocket_io import Wire
from support.waiting import PATIENCE, inside


class SlowDoor:
    """A door that answers when it is let."""

    def __init__(self) -> None:
        self.begun: list[bytes] = []
        self.at_work: list[asyncio.Future[None]] = []
        self.gone: list[Socket] = []
        self.let = asyncio.Event()
        self.backlog = Backlog(2 * MAX_UNSENT)

    def receive(self, socket: Socket, frame: bytes, answered: Callable[[], None]) -> None:
        self.begun.append(frame)

        async def answer() -> None:
            await self.let.wait()
            socket.answer(frame)
            answered()

        self.at_work.append(asyncio.ensure_future(answer()))

    def hang_up(self, socket: Socket) -> None:
        self.gone.append(socket)


def run(scenario: Callable[[SlowDoor, Wire, Pump], Any], lines_at_once: float = LINES_AT_ONCE) -> None:
    async def both() -> None:
        door, wire = SlowDoor(), Wire()
        await scenario(
            door, wire, Pump(cast(MilaDoor, door), cast(TextSocket, wire), rate=LineRate(20.0, lines_at_once))
        )

    asyncio.run(both())


@inside(run)
async def test_so_many_requests_are_at_work_and_the_rest_waits_unread(door: SlowDoor, wire: Wire, pump: Pump) -> None:
    frames = [b"%d" % number for number in range(MAX_AT_WORK + 3)]
    for frame in frames:
        wire.heard(frame)
    await asyncio.sleep(0)
    assert door.begun == frames[:MAX_AT_WORK]
    assert wire.calls == ["pause"]
    door.let.set()
    await pump.gone()
    assert door.begun == frames
    assert wire.calls == ["pause", "go on"]


@inside(run)
async def test_what_is_told_within_a_step_goes_out_in_one_write_and_in_order(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    tell = pump.socket.teller("game")
    tell(framed(b"one") + framed(b"two"), False)
    tell(framed(b"three"), False)
    assert not wire.writes
    await asyncio.sleep(0)
    assert wire.writes == [[b"one", b"two", b"three"]]
    pump.socket.hold("game")
    tell(framed(b"told while a request is at work"), True)
    pump.socket.answer(b"answer")
    pump.socket.release("game")
    await asyncio.sleep(0)
    assert wire.writes[1] == [b"answer", b"told while a request is at work"]


@inside(run)
async def test_who_does_not_read_is_cut_off(door: SlowDoor, wire: Wire, pump: Pump) -> None:
    for wire.unsent in (MAX_UNSENT, MAX_UNSENT + 1):
        pump.socket.answer(b"more")
        await asyncio.sleep(0)
    assert wire.calls == ["cut"]


@inside(run)
async def test_whoever_is_farthest_behind_is_cut_off_when_too_much_waits_for_all(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    others = [Wire(), Wire()]
    for other in others:
        other.unsent = MAX_UNSENT - 1
        door.backlog.note(other)
    wire.unsent = MAX_UNREAD + 1
    pump.socket.answer(b"more")
    await asyncio.sleep(0)
    assert [one.calls for one in (wire, *others)] == [[], ["cut"], []]
    await pump.gone()
    assert len(door.backlog) == 1


@inside(run)
async def test_what_was_asked_for_is_done_though_the_socket_is_gone(door: SlowDoor, wire: Wire, pump: Pump) -> None:
    wire.heard(b"request")
    gone = asyncio.ensure_future(pump.gone())
    await asyncio.sleep(0.01)
    assert not door.gone
    door.let.set()
    await gone
    assert door.gone == [pump.socket]


@inside(run)
async def test_what_is_quiet_goes_out_before_what_comes_next_or_after_a_moment(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    tell = pump.socket.teller("game")
    tell(framed(b"one"), True)
    tell(framed(b"two"), True)
    await asyncio.sleep(0)
    assert not wire.writes
    pump.socket.answer(b"answer")
    tell(framed(b"three"), True)
    await asyncio.sleep(0)
    assert wire.writes == [[b"one", b"two", b"answer", b"three"]]
    wire.written.clear()
    tell(framed(b"four"), True)
    await wire.written.wait()
    assert wire.writes[1] == [b"four"]


@inside(run)
async def test_frames_wait_for_those_before_them_though_some_are_answered_at_once(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    frames = [b"%d" % number for number in range(3 * MAX_AT_WORK)]
    for frame in frames[:-1]:
        wire.heard(frame)
    door.let.set()
    await asyncio.sleep(0)
    wire.heard(frames[-1])
    await pump.gone()
    assert door.begun == frames


@inside(run)
async def test_what_waited_is_begun_though_all_before_it_is_answered_at_once(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    frames = [b"%d" % number for number in range(4 * MAX_AT_WORK)]
    for frame in frames:
        wire.heard(frame)

    def answer_at_once(socket: Socket, frame: bytes, answered: Callable[[], None]) -> None:
        door.begun.append(frame)
        answered()

    door.receive = answer_at_once  # type: ignore[method-assign]
    door.let.set()
    await pump.gone()
    assert door.begun == frames
    assert wire.calls == ["pause", "go on"]


@inside(run, 5.0)
async def test_who_asks_too_fast_is_held_back_and_then_answered(door: SlowDoor, wire: Wire, pump: Pump) -> None:
    door.let.set()
    for number in range(10):
        wire.heard(b"%d" % number)
    assert wire.calls == ["pause"]
    assert len(door.begun) == 5
    while len(door.begun) < 10:  # noqa: ASYNC110 - time passes
        await asyncio.sleep(0.01)
    assert wire.calls == ["pause", "go on"]


@pytest.mark.parametrize("spend", ["answer", "weigh"])
@inside(run)
async def test_who_was_sent_or_looked_for_much_is_held_back(
    door: SlowDoor, wire: Wire, pump: Pump, *, spend: str
) -> None:
    much = int(BYTES_AT_ONCE) + (1 << 20)
    pump.socket.answer(bytes(much)) if spend == "answer" else pump.socket.weigh(much)
    await asyncio.sleep(0)
    wire.heard(b"request")
    assert wire.calls == ["pause"]
    while not door.begun:  # noqa: ASYNC110 - time passes
        await asyncio.sleep(0.01)
    assert wire.calls == ["pause", "go on"]


@inside(run)
async def test_who_does_not_read_is_not_answered_until_it_does(door: SlowDoor, wire: Wire, pump: Pump) -> None:
    wire.unsent = MAX_UNREAD + 1
    wire.heard(b"one")
    wire.heard(b"two")
    await asyncio.sleep(0.1)
    assert not door.begun
    wire.unsent = 0
    door.let.set()
    while len(door.begun) < 2:  # noqa: ASYNC110 - time passes
        await asyncio.sleep(0.01)
    assert wire.calls == ["pause", "go on"]
    wire.unsent = MAX_UNREAD + 1
    wire.heard(b"three")
    await pump.gone()  # it has not begun, and nobody waits for it any more
    assert door.begun == [b"one", b"two"]


@inside(run)
async def test_who_is_gone_before_its_last_request_is_held_back_is_waited_for_by_nobody(
    door: SlowDoor, wire: Wire, pump: Pump
) -> None:
    wire.heard(b"one")
    wire.unsent = MAX_UNREAD + 1
    wire.heard(b"two")  # behind one that is at work
    leaving = asyncio.ensure_future(pump.gone())
    await asyncio.sleep(0)
    door.let.set()
    await asyncio.wait_for(leaving, PATIENCE)
    assert door.begun == [b"one"]
