"""One socket: requests about a game in turn, what is told of it after the answer, and a memory that forgets."""

from __future__ import annotations

import asyncio

from parlour.net.mila.websocket_io import Recent, Socket


def test_the_oldest_is_forgotten_and_what_comes_again_is_the_latest() -> None:
    recent: Recent[str] = Recent(2)
    for one in ("a", "b", "a", "c"):
        recent.add(one)
    assert [one in recent for one in "abc"] == [True, False, True]


def test_those_who_came_later_have_higher_numbers() -> None:
    first, second = (Socket(lambda frames, quiet: None) for _ in range(2))
    assert first.number < second.number


def test_what_is_told_of_a_game_waits_until_its_request_is_answered() -> None:
    written: list[tuple[bytes, bool]] = []
    socket = Socket(lambda frames, quiet: written.append((frames, quiet)))
    tell, tell_of_another = socket.teller("g"), socket.teller("h")
    tell(b"before", True)
    socket.hold("g")
    tell(b"first", True)
    socket.hold("g")  # by a second request, which drops nothing
    tell(b"second", False)
    tell_of_another(b"elsewhere", True)
    socket.answer(b"answer")
    socket.release("g")
    socket.release("g")
    tell(b"after", True)
    assert written == [
        (b"before", True),
        (b"elsewhere", True),
        (b"\x81\x06answer", False),
        (b"first", False),
        (b"second", False),
        (b"after", True),
    ]


async def test_requests_about_one_game_begin_one_after_the_other() -> None:
    socket = Socket(lambda frames, quiet: None)
    begun: list[str] = []
    for game, name in (("g", "first"), ("g", "second"), ("g", "third"), ("h", "elsewhere")):
        socket.in_turn(game, lambda name=name: begun.append(name))  # type: ignore[misc]
    assert begun == ["first", "elsewhere"]
    for following in (["second"], ["second", "third"]):
        socket.done("g")
        await asyncio.sleep(0)
        assert begun == ["first", "elsewhere", *following]
    socket.done("g")
    socket.in_turn("g", lambda: begun.append("fourth"))
    assert begun[-1] == "fourth", "nobody was before it any more"
