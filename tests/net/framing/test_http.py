"""The bounds of HTTP connections, on a simulated clock: how many, how slow, how much of a head, and who has to go."""

from __future__ import annotations

import asyncio
import logging

import pytest

from parlour.net.framing.http import (
    BODY_TIME,
    HEAD_TIME,
    MAX_AROUND,
    MAX_HEAD,
    MAX_UNWANTED,
    MOST_AHEAD,
    PIECE,
    PIECES,
    BoundedHttp,
)
from support.framing.streets import Street, a_moment, simulated
from support.waiting import inside

ASK = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


@inside(simulated, most_of_one=2)
async def test_of_one_address_so_many_get_in_and_when_one_leaves_the_next(street: Street) -> None:
    first, second, third = street.knock(), street.knock(), street.knock()
    other = street.knock("192.0.2.2")
    assert [caller.ended for caller in (first, second, third, other)] == ["", "", "cut off", ""]
    await a_moment()
    assert len(street.limiter) == 3
    assert street.knock().ended == "cut off"
    first.close()
    await a_moment()
    assert street.knock().ended == ""


@inside(simulated)
async def test_whoever_has_left_is_not_remembered(street: Street) -> None:
    callers = [street.knock(f"192.0.2.{number}") for number in range(5)]
    for caller in callers:
        caller.close()
    await a_moment()
    assert (len(street.limiter), street.limiter.silent, dict(street.limiter._of_one)) == (0, 0, {})


@inside(simulated, most=2)
async def test_when_all_places_are_taken_the_silent_make_room_and_the_busy_do_not(street: Street) -> None:
    silent, busy = street.knock(), street.knock()
    busy.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
    newcomer = street.knock()
    assert [caller.ended for caller in (silent, busy, newcomer)] == ["cut off", "", ""]
    await a_moment()
    newcomer.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
    assert street.limiter.silent == 0
    assert street.knock().ended == "cut off", "of those who are there nobody is silent"
    await a_moment()
    for caller in (busy, newcomer):
        caller.say(b"abc")
        await a_moment()
        assert caller.heard.endswith(b"hello 3")


@inside(simulated, most_silent=2)
async def test_only_so_many_may_be_silent_at_once(street: Street) -> None:
    first, second = street.knock(), street.knock()
    assert (first.ended, street.limiter.silent) == ("", 2)
    third = street.knock()
    assert [caller.ended for caller in (first, second, third)] == ["cut off", "", ""]
    assert street.limiter.silent == 2


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nx"])
@inside(simulated)
async def test_a_head_must_have_come_in_its_time(street: Street, *, begun: bytes) -> None:
    caller = street.knock()
    if begun:
        caller.say(begun)
    await asyncio.sleep(HEAD_TIME - 0.1)
    assert (caller.ended, street.limiter.silent) == ("", 1)
    await asyncio.sleep(0.2)
    assert (caller.ended, street.limiter.silent, len(street.limiter)) == ("cut off", 0, 0)


@inside(simulated)
async def test_who_has_asked_may_be_silent_for_a_while_and_ask_again(street: Street) -> None:
    caller = street.knock()
    for number in range(1, 4):
        caller.say(ASK)
        assert street.limiter.silent == 0
        await a_moment()
        assert caller.heard.count(b"hello 0") == number
        await asyncio.sleep(2.0)
        assert caller.ended == ""
    caller.say(b"GET")
    assert street.limiter.silent == 1, "it has begun to say what it wants"
    await asyncio.sleep(HEAD_TIME + 0.1)
    assert caller.ended == "cut off"


@inside(simulated)
async def test_a_body_must_have_come_in_its_time_whatever_comes_meanwhile(street: Street) -> None:
    caller = street.knock()
    caller.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n")
    for _ in range(2):
        await asyncio.sleep(BODY_TIME / 2 - 0.1)
        assert caller.ended == ""
        caller.say(b"x")
    await asyncio.sleep(0.3)
    assert caller.ended == "cut off"
    quick = street.knock()
    quick.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\na")
    quick.say(b"bc")
    await a_moment()
    assert quick.heard.endswith(b"hello 3")
    assert quick.protocol._body_timer is None


@inside(simulated)
async def test_a_head_may_be_so_long_and_no_longer(street: Street) -> None:
    def head(length: int) -> list[bytes]:
        whole = b"GET / HTTP/1.1\r\nhost: x\r\n"
        while len(whole) < length:
            whole += b"a: " + b"x" * min(1000, max(1, length - len(whole) - 5)) + b"\r\n"
        return [whole[at : at + 4096] for at in range(0, len(whole), 4096)]

    for length, answer in ((MAX_HEAD - 2000, b"HTTP/1.1 200"), (MAX_HEAD + 8192, b"HTTP/1.1 400")):
        for _ in range(2):  # each request has as much as the first
            caller = street.knock()
            for piece in head(length):
                caller.say(piece)
            caller.say(b"\r\n")
            await a_moment()
            assert caller.heard.startswith(answer)


@inside(simulated)
async def test_what_was_said_of_one_request_does_not_count_for_the_next(street: Street) -> None:
    caller = street.knock()
    for _ in range(3):
        caller.say(b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: " + b"x" * (MAX_HEAD // 2) + b"\r\n\r\n")
        await a_moment()
    assert caller.heard.count(b"HTTP/1.1 200") == 3


@inside(simulated, body_time=5.0)
async def test_a_websocket_counts_until_it_ends_and_is_under_no_time_of_a_request(street: Street) -> None:
    caller = await street.shake_hands()
    assert not isinstance(caller.protocol, BoundedHttp)
    assert (len(street.limiter), street.limiter.silent) == (1, 0)
    await asyncio.sleep(HEAD_TIME + 1.0)
    assert (len(street.limiter), caller.ended) == (1, "")
    caller.abort()
    await a_moment()
    assert (len(street.limiter), dict(street.limiter._of_one)) == (0, {})


@pytest.mark.parametrize("begun", [b"", b"GET", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n"])
@inside(simulated)
async def test_who_leaves_in_the_middle_leaves_no_timer_behind(street: Street, *, begun: bytes) -> None:
    caller = street.knock()
    if begun:
        caller.say(begun)
    timers = street.limiter._silent.get(caller.protocol), caller.protocol._body_timer
    assert any(timer is not None for timer in timers)
    caller.abort()
    await a_moment()
    assert all(timer is None or timer.cancelled() for timer in timers)
    assert (len(street.limiter), street.limiter.silent) == (0, 0)


@inside(simulated)
async def test_a_server_that_stops_waits_for_answers_and_not_for_what_has_not_come(street: Street) -> None:
    idle, waiting = street.knock(), street.knock()
    waiting.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
    for caller in (idle, waiting):
        caller.protocol.shutdown()
    assert (idle.ended, waiting.ended) == ("closed", "cut off")


@pytest.mark.parametrize("last", [b"", b"no request at all\r\n\r\n", ASK * MOST_AHEAD])
def test_who_leaves_with_requests_one_behind_the_other_leaves_no_traceback(
    last: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        caller.say(ASK.replace(b"/ ", b"/muse ") + ASK * 2 + last)
        await a_moment()
        caller.abort()
        assert caller.ended == ("closed" if last else "cut off")
        await asyncio.sleep(10.0)

    simulated(scenario)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] in (
        [],
        ["Invalid HTTP request received."],
    )


CHUNKED = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        pytest.param(b"", b"1\r\na\r\n" * (PIECES + 1), id="tiny pieces"),
        pytest.param(b"1;", b"x" * 5000, id="an extension without end"),
        pytest.param(b"0\r\n", b"a: b\r\n" * 10, id="headers behind the body"),
    ],
)
@inside(simulated)
async def test_what_is_around_a_body_has_an_end(street: Street, *, begun: bytes, more: bytes) -> None:
    caller = street.knock()
    caller.say(CHUNKED + begun)
    for _ in range(1 + MAX_AROUND // len(more)):
        if not caller.ended:
            caller.say(more)
        await a_moment()
    assert caller.ended
    assert b"hello" not in caller.heard


@inside(simulated)
async def test_a_body_for_which_nobody_waits_has_an_end(street: Street) -> None:
    caller = street.knock()
    caller.say(b"GET /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
    await a_moment()
    assert caller.heard.startswith(b"HTTP/1.1 404")
    for _ in range(MAX_UNWANTED // 0x8000 + 1):
        if not caller.ended:
            caller.say(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
    assert caller.ended


@inside(simulated)
async def test_a_body_in_many_pieces_of_a_fair_size_comes_whole(street: Street) -> None:
    caller = street.knock()
    caller.say(CHUNKED + (b"40\r\n" + b"x" * PIECE + b"\r\n") * (PIECES + 500) + b"0\r\nsum: 1\r\n\r\n")
    await a_moment()
    assert caller.heard.endswith(b"hello %d" % (PIECE * (PIECES + 500)))
