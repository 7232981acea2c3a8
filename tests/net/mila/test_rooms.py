"""Recipients and order of a room's notifications, for events that happen and are sent together."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Outcome, Seat
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus, TableView
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.errors import StoreError
from parlour.games.diplomacy.game import GAME
from parlour.net.mila import rooms
from parlour.net.mila.notices import Listening, notice, prefix_of
from parlour.net.mila.rooms import Expected, Room
from parlour.net.mila.rules import house_rules, terms_of
from parlour.referee.match import Match
from support.hall.people import listener
from support.mila.wire import texts_of
from support.waiting import settled


class Ear(list[str]):
    """The names of all notifications that a listener was told, in order."""

    def __init__(self, token: str, role: str, *, fork: bool = False) -> None:
        super().__init__()
        self.quiet: list[bool] = []
        prefix = prefix_of(token, b'"g"', json.dumps(role).encode())
        self.listening = Listening(token, listener(token), role, fork, prefix, self._take)

    def _take(self, frames: bytes, quiet: bool) -> None:
        self += [json.loads(text)["name"] for text in texts_of(frames)]
        self.quiet.append(quiet)


def test_a_room_that_is_closed_is_gone_though_the_collector_does_not_look() -> None:
    async def scenario() -> weakref.ref[Room]:
        watched: list[Callable[[], None]] = []

        async def watch(
            viewer: Viewer, told: Callable[[ObservedEvent], object], eyes: Any = None
        ) -> Callable[[], None]:
            def leave() -> None:
                watched.append(lambda: None)
                assert told is not None  # as whoever ends a watch knows whose it is

            return leave

        room = Room("g", watch)
        await room._begin()
        room.close()
        room.close()
        assert len(watched) == 1
        return weakref.ref(room)

    gc.disable()
    try:
        assert asyncio.run(scenario())() is None
    finally:
        gc.enable()


async def room_with(*ears: Ear) -> Room:
    room, _ = await watching(*ears)
    return room


async def watching(*ears: Ear) -> tuple[Room, Callable[[ObservedEvent], object]]:
    """Return a room, and what tells it that something happened."""
    board = GAME.start({}, GAME.seats({}), 1).board
    match = Match(GAME, {}, terms_of(house_rules([], None, board), 0), 1, "g", dated=True)
    (opened,) = match.start(1.0).events[:1]

    async def watch(viewer: Viewer, told: Callable[[ObservedEvent], object], **_: Any) -> Callable[[], None]:
        told(ObservedEvent(0, 0, opened, TableView))
        if viewer == OMNISCIENT:
            tells.append(told)
        return lambda: None

    tells: list[Callable[[ObservedEvent], object]] = []
    room = Room("g", watch)
    for ear in ears:
        await room.sight(ear.listening.role)
        room.listen(ear.listening)
    return room, tells[0]


async def test_what_waits_is_told_in_order_and_before_what_is_told_to_one() -> None:
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


async def test_who_comes_hears_nothing_from_before_and_who_goes_nothing_from_after() -> None:
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


async def test_only_clients_of_the_fork_are_told_what_only_they_can_read() -> None:
    plain, fork = Ear("a", "FRANCE"), Ear("b", "ENGLAND", fork=True)
    room = await room_with(plain, fork)
    room.tell(notice("new", fork_only=True))
    room.flush()
    assert (plain, fork) == ([], ["new"])


async def test_orders_and_flags_are_quiet_unless_something_else_is_told_with_them() -> None:
    france, england = Ear("a", "FRANCE"), Ear("b", "ENGLAND")
    room, tell = await watching(france, england)
    tell(ObservedEvent(1, 1, ev.WaitSet(2.0, Seat("FRANCE"), False), TableView))
    tell(ObservedEvent(2, 2, ev.Acted(3.0, Seat("ENGLAND"), 1, []), TableView))
    await asyncio.sleep(0)
    assert (france.quiet, england.quiet) == ([True], [True])
    tell(ObservedEvent(3, 3, ev.WaitSet(4.0, Seat("FRANCE"), True), TableView))
    room.tell(notice("loud"), but=england.listening)
    await asyncio.sleep(0)
    tell(ObservedEvent(4, 4, ev.WaitSet(5.0, Seat("FRANCE"), False), TableView))
    await asyncio.sleep(0)
    assert france == ["power_wait_flag", "power_orders_flag", "power_wait_flag", "loud", "power_wait_flag"]
    assert france.quiet == [True, False, True]


async def test_what_happened_before_something_was_said_goes_out_before_its_answer_and_the_rest_after() -> None:
    france, england = Ear("a", "FRANCE"), Ear("b", "ENGLAND")
    room, tell = await watching(france, england)
    held: list[list[str]] = []
    cause = (ev.Said, "FRANCE")
    expected = Expected([cause], france.listening, lambda _: held.append(list(france)))
    room.expect(expected)
    tell(ObservedEvent(1, 1, ev.WaitSet(2.0, Seat("ENGLAND"), False), TableView))
    tell(ObservedEvent(2, 2, ev.Said(3.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), TableView))
    tell(ObservedEvent(3, 3, ev.WaitSet(4.0, Seat("ENGLAND"), True), TableView))
    await asyncio.sleep(0)
    assert held == [["power_wait_flag"]]
    assert france == ["power_wait_flag", "power_wait_flag"]
    assert england == ["power_wait_flag", "game_message_received", "power_wait_flag"]
    room.forget(expected)
    tell(ObservedEvent(4, 4, ev.Said(5.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), TableView))
    room.flush()
    assert france[-1] == "game_message_received"
    assert len(held) == 1


async def test_who_caused_something_and_has_moved_to_another_socket_since_is_not_told_of_it_there() -> None:
    before, after, twin = Ear("a", "FRANCE"), Ear("a", "FRANCE"), Ear("a", "ENGLAND")
    room, tell = await watching(before, twin)
    room.expect(Expected([(ev.Said, "FRANCE")], before.listening, lambda _: None))
    room.listen(after.listening)
    tell(ObservedEvent(1, 1, ev.Said(2.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), TableView))
    room.flush()
    assert (before, after) == ([], [])
    assert twin == ["game_message_received"]


@pytest.mark.parametrize("draw", [False, True])
async def test_who_cancels_a_match_knows_of_it_and_is_told_if_it_comes_to_another_end(draw: bool) -> None:
    master, france = Ear("a", "omniscient_type"), Ear("b", "FRANCE")
    room, tell = await watching(master, france)
    room.expect(Expected([(ev.Ended, "")], master.listening, lambda _: None))
    outcome = Outcome({}, (("FRANCE",),) if draw else (), "over")
    tell(
        ObservedEvent(
            1,
            1,
            ev.Ended(2.0, outcome),
            lambda: TableView(MatchStatus.OVER, outcome=outcome, position=room.state.position),
        )
    )
    room.flush()
    assert france[-1] == "game_status_update"
    assert master == (france if draw else [])


async def test_the_end_of_a_match_that_is_deleted_is_told_to_nobody() -> None:
    france = Ear("b", "FRANCE")
    room, tell = await watching(france)
    room.vanishing = True
    tell(ObservedEvent(1, 1, ev.Proclaimed(2.0, "host", "goodbye"), TableView))
    tell(ObservedEvent(2, 2, ev.Ended(3.0, Outcome({}, (), "deleted")), TableView))
    room.flush()
    assert france == ["game_message_received"]


async def test_two_who_play_one_power_hear_what_the_other_says_and_not_what_they_say_themselves() -> None:
    one, two = Ear("a", "FRANCE"), Ear("b", "FRANCE")
    room, tell = await watching(one, two)
    cause = (ev.Said, "FRANCE")
    expected = [Expected([cause], ear.listening, lambda _: None) for ear in (one, two)]
    for one_expected in expected:
        room.expect(one_expected)
    for number in (1, 2):
        said = ev.Said(1.0 + number, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1)
        tell(ObservedEvent(number, number, said, TableView))
        room.flush()
        assert (len(one), len(two)) == ((0, 1) if number == 1 else (1, 1))
    for one_expected in expected:
        room.forget(one_expected)
    tell(ObservedEvent(3, 3, ev.Said(4.0, Seat("FRANCE"), (Seat("ENGLAND"),), "psst", 1), TableView))
    room.flush()
    assert (len(one), len(two)) == (2, 2)


class Watched:
    """A match that can be watched, or not, and how often it was."""

    def __init__(self) -> None:
        board = GAME.start({}, GAME.seats({}), 1).board
        match = Match(GAME, {}, terms_of(house_rules([], None, board), 0), 1, "g", dated=True)
        (self.opened,) = match.start(1.0).events[:1]
        self.failures: list[Exception] = []
        self.tells: list[Callable[[ObservedEvent], object]] = []
        self.left = 0
        self.gate: Callable[[], Awaitable[object]] | None = None

    async def watch(
        self, viewer: Viewer, told: Callable[[ObservedEvent], object], eyes: Any = None
    ) -> Callable[[], None]:
        if self.gate is not None:
            await self.gate()
        if self.failures:
            raise self.failures.pop()
        told(ObservedEvent(0, 0, self.opened, TableView))
        self.tells.append(told)
        watching = [told]

        def leave() -> None:
            self.left += len(watching)
            watching.clear()  # to leave twice is to leave, as it is in a hall

        return leave


def flag(number: int, seat: str = "ENGLAND") -> ObservedEvent:
    return ObservedEvent(number, number, ev.WaitSet(1.0 + number, Seat(seat), False), TableView)


async def test_a_match_is_watched_once_for_all_and_no_more_when_the_room_is_closed() -> None:
    match = Watched()
    room = Room("g", match.watch)
    assert room.empty
    for role in ("FRANCE", "ENGLAND"):
        await room.sight(role)
        room.listen(Ear(role, role).listening)
    await room.sight("FRANCE")
    assert (len(match.tells), match.left) == (3, 2), "once for all, and each role once for what was before"
    assert not room.empty
    room.ignore(lambda listening: True)
    assert room.empty
    assert room.known_sight("FRANCE") is None
    await room.sight("FRANCE")
    assert len(match.tells) == 4, "a role that nobody was in is looked at anew"
    room.close()
    assert (match.left, room.known_sight("FRANCE")) == (4, None)


async def test_while_a_request_is_at_work_nothing_of_a_room_is_forgotten() -> None:
    match = Watched()
    room = Room("g", match.watch)
    room.visits = 1
    await room.sight("FRANCE")
    room.ignore(lambda listening: True)
    assert room.known_sight("FRANCE") is not None
    assert not room.empty
    room.visits = 0
    room.tidy()
    assert room.known_sight("FRANCE") is None


async def test_two_who_come_in_one_role_at_once_look_once_and_if_that_fails_both_learn_of_it() -> None:
    match = Watched()
    room, go_on = Room("g", match.watch), asyncio.Event()
    match.gate = go_on.wait
    both = [asyncio.ensure_future(room.sight("FRANCE")) for _ in range(2)]
    await asyncio.sleep(0)
    assert room.known_sight("FRANCE") is None
    go_on.set()
    first, second = await asyncio.gather(*both)
    assert first is second is room.known_sight("FRANCE")
    assert len(match.tells) == 2
    match.failures = [StoreError("cannot be read")]
    go_on.clear()
    both = [asyncio.ensure_future(room.sight("ITALY")) for _ in range(2)]
    await asyncio.sleep(0)
    go_on.set()
    found = await asyncio.gather(*both, return_exceptions=True)
    assert [type(one) for one in found] == [StoreError, StoreError]
    assert (await room.sight("ITALY")).role == "ITALY", "whoever comes next tries again"


async def test_a_match_that_could_not_be_watched_is_watched_for_whoever_comes_next() -> None:
    match = Watched()
    match.failures = [StoreError("cannot be read")]
    room, ear = Room("g", match.watch), Ear("a", "FRANCE")
    with pytest.raises(StoreError):
        await room.sight("FRANCE")
    await room.sight("FRANCE")
    room.listen(ear.listening)
    match.tells[0](flag(1))
    room.flush()
    assert ear == ["power_wait_flag"]


def test_that_a_match_cannot_be_watched_for_somebody_who_went_is_no_complaint_of_the_loop() -> None:
    said: list[str] = []

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(str(context["message"])))
        match, go_on = Watched(), asyncio.Event()
        match.gate, match.failures = go_on.wait, [StoreError("cannot be read")]
        room = Room("g", match.watch)
        coming = asyncio.ensure_future(room.sight("FRANCE"))
        await asyncio.sleep(0)
        coming.cancel()
        await asyncio.wait([coming])
        go_on.set()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not match.failures, "it was tried to the end"
        assert (await room.sight("FRANCE")).role == "FRANCE", "whoever comes next tries again"

    asyncio.run(scenario())
    gc.collect()
    assert said == []


async def test_a_match_that_was_given_up_is_watched_again_until_it_can_be_and_nothing_is_told_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rooms, "RETRY", 0.0)
    match = Watched()
    room, ear = Room("g", match.watch), Ear("a", "FRANCE")
    await room.sight("FRANCE")
    room.listen(ear.listening)
    match.tells[0](flag(1))
    match.failures = [StoreError("not yet"), StoreError("cannot be read")]
    room.watch_again()
    assert match.left == 2, "the old watch is over"
    while len(match.tells) < 3:  # noqa: ASYNC110 - it tries when the loop comes to it
        await asyncio.sleep(0)
    for number in (1, 2):
        match.tells[-1](flag(number))
    room.flush()
    assert ear == ["power_wait_flag"] * 2


async def test_a_match_that_was_given_up_and_that_nobody_is_left_to_watch_is_watched_by_who_comes_next() -> None:
    match = Watched()
    room = Room("g", match.watch)
    await room.sight("FRANCE")
    room.ignore(lambda listening: True)
    room.watch_again()
    await asyncio.sleep(0)
    assert len(match.tells) == 2, "not for nobody"
    await room.sight("ITALY")
    assert len(match.tells) == 4


async def test_until_a_match_that_was_given_up_is_read_again_whoever_asks_waits_and_learns_if_it_cannot_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or else press that is sent again would be taken for new, if it was stored and the room has not heard of it."""
    monkeypatch.setattr(rooms, "RETRY", 0.0)
    match = Watched()
    room, go_on = Room("g", match.watch), asyncio.Event()
    sight = await room.sight("FRANCE")
    assert room.known_sight("FRANCE") is sight
    match.gate, match.failures = go_on.wait, [StoreError("cannot be read")]
    room.watch_again()
    assert room.known_sight("FRANCE") is None
    asking = asyncio.ensure_future(room.sight("FRANCE"))
    await settled()
    assert not asking.done()
    go_on.set()
    with pytest.raises(StoreError, match="cannot be read"):
        await asking
    go_on.clear()
    asking = asyncio.ensure_future(room.sight("FRANCE"))
    await settled()
    go_on.set()
    assert await asking is sight is room.known_sight("FRANCE")


async def test_a_match_that_is_given_up_once_more_while_it_is_read_again_is_read_once_more_and_watched_once() -> None:
    match = Watched()
    room, go_on = Room("g", match.watch), asyncio.Event()
    await room.sight("FRANCE")
    begun = len(match.tells)
    match.gate = go_on.wait
    for _ in range(2):
        room.watch_again()
        await settled()
    asking = asyncio.ensure_future(room.sight("FRANCE"))
    go_on.set()
    await asking
    assert len(match.tells) - begun == 2
    assert len(match.tells) - match.left == 1, "all watches but the last are over"


def test_one_event_that_cannot_be_told_keeps_nobody_from_what_follows(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> TableView:
        raise ZeroDivisionError

    async def scenario() -> None:
        ear = Ear("a", "FRANCE")
        room, tell = await watching(ear)
        tell(ObservedEvent(1, 1, ev.Paused(2.0, "host"), broken))
        tell(flag(2))
        room.flush()
        assert ear == ["power_wait_flag"]

    asyncio.run(scenario())
    assert "an event could not be told" in caplog.text


async def test_what_a_power_ordered_is_told_to_all_who_play_it_and_who_see_all_but_for_who_did() -> None:
    own, twin, rival = Ear("a", "FRANCE"), Ear("b", "FRANCE"), Ear("c", "ENGLAND")
    seeing, watcher = Ear("d", "omniscient_type"), Ear("e", "observer_type")
    room, tell = await watching(own, twin, rival, seeing, watcher)
    cause = Expected([(ev.Acted, "FRANCE")], own.listening, lambda _: None)
    room.expect(cause)
    tell(ObservedEvent(1, 1, ev.Acted(2.0, Seat("FRANCE"), 1, ["A PAR H"]), TableView))
    room.flush()
    assert (own, twin, rival) == ([], ["power_orders_update"], ["power_orders_flag"])
    assert (seeing, watcher) == (["power_orders_update"], [])
    tell(ObservedEvent(2, 2, ev.Acted(3.0, Seat("FRANCE"), 1, ["A PAR H"], given=False), TableView))
    room.flush()
    assert (len(twin), len(rival), len(seeing)) == (1, 1, 1), "what the referee put in is nobody's order"


async def test_what_was_to_be_caused_and_was_not_is_news_when_somebody_else_causes_it() -> None:
    one, two = Ear("a", "FRANCE"), Ear("b", "FRANCE")
    room, tell = await watching(one, two)
    first, second = [Expected([(ev.WaitSet, "FRANCE")], ear.listening, lambda _: None) for ear in (one, two)]
    room.expect(first)
    room.expect(second)
    room.forget(first)
    tell(flag(1, "FRANCE"))
    room.flush()
    assert (one, two) == (["power_wait_flag"], [])
    room.expect(first)
    room.expect(second)
    for expected in (first, second, first, second):
        room.forget(expected)
    tell(flag(2, "FRANCE"))
    room.flush()
    assert (len(one), len(two)) == (2, 1)
