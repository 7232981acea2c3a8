"""One websocket at the door: how much is at work at once, what goes out together, and who is cut off."""

# Why real time passes here: a socket that is slow is so in real time.

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from mila_wire import texts_of
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.kernel.telling import framed
from parlour.net.mila.pump import MAX_AT_WORK, MAX_UNSENT, Pump
from parlour.net.mila.sockets import Socket


class Wire:
    """A carrier that keeps what it is given."""

    def __init__(self) -> None:
        self.writes: list[list[bytes]] = []
        self.calls: list[str] = []
        self.unsent = 0
        self.written = asyncio.Event()

    def listen(self, listener: Callable[[bytes], None], /) -> None:
        self.heard = listener

    def send_frames(self, frames: Sequence[bytes], /) -> None:
        self.writes.append([text for several in frames for text in texts_of(several)])
        self.written.set()

    def pause(self) -> None:
        self.calls.append("pause")

    def go_on(self) -> None:
        self.calls.append("go on")

    def cut(self) -> None:
        self.calls.append("cut")


class SlowDoor:
    """A door that answers when it is let."""

    def __init__(self) -> None:
        self.begun: list[bytes] = []
        self.at_work: list[asyncio.Future[None]] = []
        self.gone: list[Socket] = []
        self.let = asyncio.Event()

    def receive(self, socket: Socket, frame: bytes, answered: Callable[[], None]) -> None:
        self.begun.append(frame)

        async def answer() -> None:
            await self.let.wait()
            socket.answer(frame)
            answered()

        self.at_work.append(asyncio.ensure_future(answer()))

    def hang_up(self, socket: Socket) -> None:
        self.gone.append(socket)


def run(scenario: Callable[[SlowDoor, Wire, Pump], Any]) -> None:
    async def both() -> None:
        door, wire = SlowDoor(), Wire()
        await scenario(door, wire, Pump(cast(MilaDoor, door), wire))

    asyncio.run(both())


def test_so_many_requests_are_at_work_and_the_rest_waits_unread() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
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

    run(scenario)


def test_what_is_told_within_a_step_goes_out_in_one_write_and_in_order() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
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

    run(scenario)


def test_who_does_not_read_is_cut_off() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
        for wire.unsent in (MAX_UNSENT, MAX_UNSENT + 1):
            pump.socket.answer(b"more")
            await asyncio.sleep(0)
        assert wire.calls == ["cut"]

    run(scenario)


def test_what_was_asked_for_is_done_though_the_socket_is_gone() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
        wire.heard(b"request")
        gone = asyncio.ensure_future(pump.gone())
        await asyncio.sleep(0.01)
        assert not door.gone
        door.let.set()
        await gone
        assert door.gone == [pump.socket]

    run(scenario)


def test_what_is_quiet_goes_out_before_what_comes_next_or_after_a_moment() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
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

    run(scenario)


def test_frames_wait_for_those_before_them_though_some_are_answered_at_once() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
        frames = [b"%d" % number for number in range(3 * MAX_AT_WORK)]
        for frame in frames[:-1]:
            wire.heard(frame)
        door.let.set()
        await asyncio.sleep(0)
        wire.heard(frames[-1])
        await pump.gone()
        assert door.begun == frames

    run(scenario)


def test_what_waited_is_begun_though_all_before_it_is_answered_at_once() -> None:
    async def scenario(door: SlowDoor, wire: Wire, pump: Pump) -> None:
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

    run(scenario)
