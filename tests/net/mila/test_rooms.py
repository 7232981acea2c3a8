"""Who is told what by a room, and in which order, when what happens together is told together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.games.diplomacy.game import GAME
from parlour.net.mila.listeners import Listening, prefix_of
from parlour.net.mila.notices import notice
from parlour.net.mila.rooms import Expected, Room
from parlour.net.mila.rules import house_rules, terms_of
from parlour.referee.match import Match


class Ear(list[str]):
    """The names of all notifications that a listener was told, in order."""

    def __init__(self, token: str, role: str, *, fork: bool = False) -> None:
        super().__init__()
        self.quiet: list[bool] = []
        prefix = prefix_of(token, b'"g"', json.dumps(role).encode())
        self.listening = Listening(token, token, role, fork, prefix, self._take)

    def _take(self, frames: list[bytes], quiet: bool) -> None:
        self += [json.loads(frame)["name"] for frame in frames]
        self.quiet.append(quiet)


async def room_with(*ears: Ear) -> Room:
    room, _ = await watching(*ears)
    return room


async def watching(*ears: Ear) -> tuple[Room, Callable[[Told], object]]:
    """A room, and what tells it that something happened."""
    board = GAME.start({}, GAME.seats({}), 1).board
    match = Match(GAME, {}, terms_of(house_rules([], None, board), 0), 1, "g", dated=True)
    (opened,) = match.start(1.0).events[:1]

    async def watch(viewer: Viewer, told: Callable[[Told], object]) -> Callable[[], None]:
        told(Told(0, 0, opened, lambda: None))
        if viewer == OMNISCIENT:
            tells.append(told)
        return lambda: None

    tells: list[Callable[[Told], object]] = []
    room = Room("g", watch)
    for ear in ears:
        await room.sight(ear.listening.role)
        room.listen(ear.listening)
    return room, tells[0]


def test_what_waits_is_told_in_order_and_before_what_is_told_to_one() -> None:
    async def scenario() -> None:
        france, england = Ear("a", "FRANCE"), Ear("b", "ENGLAND")
        room = await room_with(france, england)
        room.tell(notice("one"))
        room.tell(notice("two"), but=england.listening)
        assert not france
        room.tell_one(france.listening, notice("three"), notice("four"))
        assert france == ["one", "two", "three", "four"]
        room.tell(notice("five"))
        await asyncio.sleep(0)
        assert france == ["one", "two", "three", "four", "five"]
        assert england == ["one", "five"]
        room.tell(notice("six"))
        await asyncio.sleep(0)
        assert england == ["one", "five", "six"]

    asyncio.run(scenario())


def test_who_comes_hears_nothing_from_before_and_who_goes_nothing_from_after() -> None:
    async def scenario() -> None:
        early, late = Ear("a", "FRANCE"), Ear("b", "FRANCE")
        room = await room_with(early)
        room.tell(notice("before"))
        room.listen(late.listening)
        room.tell(notice("between"))
        room.ignore(early.listening.__eq__)
        room.tell(notice("after"))
        await asyncio.sleep(0)
        assert early == ["before", "between"]
        assert late == ["between", "after"]

    asyncio.run(scenario())


def test_only_clients_of_the_fork_are_told_what_only_they_can_read() -> None:
    async def scenario() -> None:
        plain, fork = Ear("a", "FRANCE"), Ear("b", "ENGLAND", fork=True)
        room = await room_with(plain, fork)
        room.tell(notice("new", fork_only=True))
        room.flush()
        assert (plain, fork) == ([], ["new"])

    asyncio.run(scenario())


def test_orders_and_flags_are_quiet_unless_something_else_is_told_with_them() -> None:
    async def scenario() -> None:
        france, england = Ear("a", "FRANCE"), Ear("b", "ENGLAND")
        room, tell = await watching(france, england)
        tell(Told(1, 1, ev.WaitSet(2.0, Seat("FRANCE"), False), lambda: None))
        tell(Told(2, 2, ev.Acted(3.0, Seat("ENGLAND"), 1, []), lambda: None))
        await asyncio.sleep(0)
        assert (france.quiet, england.quiet) == ([True], [True])
        tell(Told(3, 3, ev.WaitSet(4.0, Seat("FRANCE"), True), lambda: None))
        room.tell(notice("loud"), but=england.listening)
        await asyncio.sleep(0)
        tell(Told(4, 4, ev.WaitSet(5.0, Seat("FRANCE"), False), lambda: None))
        await asyncio.sleep(0)
        assert france == ["power_wait_flag", "power_orders_flag", "power_wait_flag", "loud", "power_wait_flag"]
        assert france.quiet == [True, False, True]

    asyncio.run(scenario())


def test_what_happened_before_something_was_said_goes_out_before_its_answer_and_the_rest_after() -> None:
    async def scenario() -> None:
        france, england = Ear("a", "FRANCE"), Ear("b", "ENGLAND")
        room, tell = await watching(france, england)
        held: list[list[str]] = []
        cause = (ev.Said, "FRANCE")
        expected = [Expected(cause, france.listening, lambda: held.append(list(france)))]
        room.expect(expected)
        tell(Told(1, 1, ev.WaitSet(2.0, Seat("ENGLAND"), False), lambda: None))
        tell(Told(2, 2, ev.Said(3.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), lambda: None))
        tell(Told(3, 3, ev.WaitSet(4.0, Seat("ENGLAND"), True), lambda: None))
        await asyncio.sleep(0)
        assert held == [["power_wait_flag"]]
        assert france == ["power_wait_flag", "power_wait_flag"]
        assert england == ["power_wait_flag", "game_message_received", "power_wait_flag"]
        room.forget(expected)
        tell(Told(4, 4, ev.Said(5.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), lambda: None))
        room.flush()
        assert france[-1] == "game_message_received"
        assert len(held) == 1

    asyncio.run(scenario())


def test_who_caused_something_and_has_moved_to_another_socket_since_is_not_told_of_it_there() -> None:
    async def scenario() -> None:
        before, after, twin = Ear("a", "FRANCE"), Ear("a", "FRANCE"), Ear("a", "ENGLAND")
        room, tell = await watching(before, twin)
        room.expect([Expected((ev.Said, "FRANCE"), before.listening, lambda: None)])
        room.listen(after.listening)
        tell(Told(1, 1, ev.Said(2.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), lambda: None))
        room.flush()
        assert (before, after) == ([], [])
        assert twin == ["game_message_received"]

    asyncio.run(scenario())


def test_two_who_play_one_power_hear_what_the_other_says_and_not_what_they_say_themselves() -> None:
    async def scenario() -> None:
        one, two = Ear("a", "FRANCE"), Ear("b", "FRANCE")
        room, tell = await watching(one, two)
        cause = (ev.Said, "FRANCE")
        expected = [Expected(cause, ear.listening, lambda: None) for ear in (one, two)]
        room.expect(expected)
        for number in (1, 2):
            said = ev.Said(1.0 + number, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1)
            tell(Told(number, number, said, lambda: None))
            room.flush()
            assert (len(one), len(two)) == ((0, 1) if number == 1 else (1, 1))
        room.forget(expected)
        tell(Told(3, 3, ev.Said(4.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), lambda: None))
        room.flush()
        assert (len(one), len(two)) == (2, 2)

    asyncio.run(scenario())
