"""Clients that must go when places are short, at every door alike; unread output has one bound for all clients."""

from __future__ import annotations

import asyncio
from typing import cast

from parlour.net.framing.connection import FAR_BEHIND, Wire
from parlour.net.framing.limiter import CROWDED, Backlog, ConnectionLimiter, Rank
from support.waiting import inside, run_simulated


class Client:
    def __init__(self, unsent: int) -> None:
        self.unsent = unsent
        self.ended = False

    def cut(self) -> None:
        self.ended = True
        self.unsent = 0


def test_whoever_is_farthest_behind_is_cut_off_when_all_are_too_far() -> None:
    backlog, clients = Backlog(100), [Client(40), Client(50), Client(5)]
    for client in clients:
        backlog.note(client)
    assert [client.ended for client in clients] == [False, False, False]
    clients[2].unsent = 20
    backlog.note(clients[2])
    assert [client.ended for client in clients] == [False, True, False]
    assert len(backlog) == 2


def test_who_has_caught_up_does_not_count() -> None:
    backlog, first, second = Backlog(100), Client(90), Client(90)
    backlog.note(first)
    backlog.forget(first)
    backlog.note(second)
    assert [first.ended, second.ended] == [False, False]


class Guest:
    """A connection that only its limiter knows."""

    def __init__(self, rank: Rank = Rank.STAYS) -> None:
        self.rank = rank
        self.out = ""

    def show_out(self, reason: str) -> None:
        self.out = reason

    def late(self) -> None:
        self.out = "late"


@inside(run_simulated)
async def test_the_silent_go_before_the_watching_and_players_never() -> None:
    limiter = ConnectionLimiter(most=4)
    player, watcher, stranger, silent = Guest(), Guest(Rank.WATCHER), Guest(Rank.STRANGER), Guest()
    for guest in (player, watcher, stranger, silent):
        assert limiter.enter(guest)
    limiter.waits(silent, 10.0)
    for leaving in (silent, stranger, watcher):
        newcomer = Guest()
        assert limiter.enter(newcomer)
        assert leaving.out == CROWDED
        limiter.left(leaving)
    late = Guest()
    assert not limiter.enter(late)
    limiter.left(late)
    assert player.out == ""
    assert (len(limiter), limiter.silent) == (4, 0)


def test_too_many_of_one_address_are_refused_and_those_of_a_proxy_are_not() -> None:
    limiter = ConnectionLimiter(most_of_one=2, proxies=("192.0.2.0/28",))
    guests = [Guest() for _ in range(3)]
    assert [limiter.enter(guest, "198.51.100.7") for guest in guests] == [True, True, False]
    assert all(limiter.enter(Guest(), "192.0.2.3") for _ in range(3))
    assert limiter.enter(Guest(), "198.51.100.8")
    limiter.left(guests[2])
    limiter.left(guests[0])
    assert limiter.enter(Guest(), "198.51.100.7")


@inside(run_simulated)
async def test_whoever_says_nothing_is_told_when_its_time_is_over_and_only_so_many_may_be_silent() -> None:
    limiter, guests = ConnectionLimiter(most_silent=2), [Guest() for _ in range(4)]
    for guest in guests:
        limiter.enter(guest)
        limiter.waits(guest, 5.0)
    assert [guest.out for guest in guests] == [CROWDED, CROWDED, "", ""]
    limiter.spoke(guests[2])
    await asyncio.sleep(4.9)
    assert guests[3].out == ""
    await asyncio.sleep(0.2)
    assert (guests[2].out, guests[3].out, limiter.silent) == ("", "late", 0)


def test_a_wire_that_is_far_behind_counts_towards_what_waits_for_all() -> None:
    class Slow:
        """A transport whose peer reads nothing."""

        def __init__(self) -> None:
            self.unread = 0

        def write(self, text: bytes) -> None:
            self.unread += len(text)

        def get_write_buffer_size(self) -> int:
            return self.unread

        def abort(self) -> None:
            self.unread = 0

    class Nobody:
        def received(self, value: bytes) -> None:
            raise AssertionError(value)

        def lost(self, error: Exception) -> None:
            """It was cut off."""

    backlog, wires = Backlog(5 * FAR_BEHIND), [Wire(Nobody()) for _ in range(4)]
    for wire in wires:
        wire.backlog, wire._transport = backlog, cast(asyncio.Transport, Slow())
        wire.send(b"x" * (FAR_BEHIND + 1))
    assert [wire.is_open for wire in wires] == [True] * 4
    wires[2].send(b"x" * FAR_BEHIND)
    assert [wire.is_open for wire in wires] == [True, True, False, True], "the one for which most waits"
