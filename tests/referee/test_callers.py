"""The player boundary: whatever a player is, has, raises or returns, the match goes on and the foul is its own."""

# Why real time passes here: players that never return are left behind in real time; nobody waits for their sleep.

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.game import Action, FoulKind, View
from parlour.core.intents import CommStatus, Consultation, PlayerType, Refusal
from parlour.core.player import LATER, Player, SeatHandle
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.thinking import checkpoint
from parlour.referee import callers
from parlour.referee.callers import (
    MAX_WAITING,
    Caller,
    Crashed,
    DirectCaller,
    Garbled,
    LoopCaller,
    ThreadCaller,
    attribute,
    crashed,
)
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.referee.record import decode, encode
from parlour.testing import BIDS, RandomPlayer
from support.matches.live_tables import LoneTable
from support.matches.tables import EAST, NORTH, SOUTH
from support.waiting import PATIENCE


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Vanish(BaseException):
    """Not even an Exception."""


class Fatal(Exception):
    def __str__(self) -> str:
        raise SystemExit("no words either")


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (RuntimeError("half \ud800"), FoulKind.CRASHED, "RuntimeError: half ?"),
        (RuntimeError("\x1b]0;title\x07\nline"), FoulKind.CRASHED, "RuntimeError: ?]0;title??line"),
        (RuntimeError("x" * 10_000), FoulKind.CRASHED, ("RuntimeError: " + "x" * 300)[:300]),
        (Unspeakable(), FoulKind.CRASHED, "Unspeakable"),
        (Fatal(), FoulKind.CRASHED, "Fatal"),
        (Vanish("gone"), FoulKind.CRASHED, "Vanish: gone"),
        (SystemExit(0), FoulKind.CRASHED, "SystemExit: 0"),
        (TimeoutError(), FoulKind.LATE, "no answer in time"),
        (ConnectionResetError(), FoulKind.DISCONNECTED, "the connection is gone"),
        (EOFError("left"), FoulKind.DISCONNECTED, "left"),
    ],
)
def test_an_exception_becomes_a_foul_that_can_be_written_and_shown(
    error: BaseException, kind: FoulKind, reason: str
) -> None:
    assert crashed(error) == Crashed(kind, reason)


def test_an_answer_may_be_so_long_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "MAX_ANSWER", 10)
    assert callers.plain([1] * 9) == [1] * 9
    assert callers.plain([1] * 10) == Garbled("the answer is longer than 10 bytes")


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**5000], ids=["high", "low", "long"])
def test_a_number_that_no_record_can_hold_is_no_answer(number: int) -> None:
    assert isinstance(callers.plain(number), Garbled)
    assert callers.plain(2**64 - 1) == 2**64 - 1


class Raises(RandomPlayer):
    """Raises this when asked."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(1)
        self.error = error

    def act(self, view: View) -> Action:
        raise self.error


class RaisesLater(Raises):
    async def act(self, view: View) -> Action:
        raise self.error


class Thorny(RandomPlayer):
    """Has nothing else, and is angry when asked whether it has."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class Promising(RandomPlayer):
    """A method that is no coroutine function, but gives something to await."""

    def act(self, view: View) -> Any:
        async def think() -> Action:
            await asyncio.sleep(0)
            return RandomPlayer(1).act(view)

        return think()


class Talker(RandomPlayer):
    """Says what cannot be written down, to what is no seat."""

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    def act(self, view: View) -> Action:
        self.handle.say("half a pair: \ud800")
        self.handle.say("hello", [1, ["x"], None])  # type: ignore[list-item]
        self.handle.say("fine")
        return super().act(view)


def played(player: Player, *, driver: str = "local", clock: Clock | None = None) -> list[ev.Event]:
    """Return the events of a match with that player, all of which can be kept."""
    terms = Terms(conduct=DIPLOMACY, clock=clock or Clock(), press=PressTerms(PressMode.ANYTIME))
    match = Match(BIDS, {}, terms, 7)
    players: dict[Any, Player] = {NORTH: player, EAST: RandomPlayer(2), SOUTH: RandomPlayer(3)}
    if driver == "local":
        play(match, players)
    else:
        asyncio.run(asyncio.wait_for(LoneTable(match, players).play(), PATIENCE))
    for event in match.record:
        encode(event)
    return list(match.record)


ERRORS = [RuntimeError("\ud800"), Unspeakable(), Fatal(), Vanish(), asyncio.CancelledError(), SystemExit(1)]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("driver", ["local", "live"])
@pytest.mark.parametrize("kind", [Raises, RaisesLater])
def test_nobody_else_suffers_from_what_a_player_raises(kind: type[Raises], driver: str, error: BaseException) -> None:
    events = played(kind(error), driver=driver)
    fouls = [event for event in events if isinstance(event, ev.Fouled)]
    assert fouls
    assert {foul.seat for foul in fouls} == {NORTH}
    assert isinstance(events[-1], ev.Ended)


@pytest.mark.parametrize("driver", ["local", "live"])
@pytest.mark.parametrize("kind", [Thorny, Promising])
def test_odd_players_that_do_no_wrong_play_on(kind: type[RandomPlayer], driver: str) -> None:
    events = played(kind(1), driver=driver)
    assert not any(isinstance(event, ev.Fouled) for event in events)


class Actless:
    """Has nothing at all."""


class Trapped:
    """Raises as soon as one looks for what it can do."""

    @property
    def act(self) -> Any:
        raise SystemExit("do not look")

    told = player_type = identify = act


@pytest.mark.parametrize("driver", ["local", "live"])
@pytest.mark.parametrize("kind", [Actless, Trapped])
def test_who_cannot_act_fouls_and_the_others_play_on(kind: type, driver: str) -> None:
    events = played(kind(), driver=driver)
    assert {event.seat for event in events if isinstance(event, ev.Fouled)} == {NORTH}
    assert isinstance(events[-1], ev.Ended)


def test_an_interrupt_that_a_player_raises_on_its_own_thread_is_its_own() -> None:
    """A person's Ctrl-C arrives on the main thread; anywhere else it is the player's doing."""
    fouls = [event for event in played(RaisesLater(KeyboardInterrupt())) if isinstance(event, ev.Fouled)]
    assert {foul.seat for foul in fouls} == {NORTH}
    with pytest.raises(KeyboardInterrupt):
        played(Raises(KeyboardInterrupt()))


def test_looking_at_a_player_cannot_hurt() -> None:
    assert attribute(Thorny(1), "on_event") is None
    assert attribute(RandomPlayer(1), "act") is not None


class Immense(RandomPlayer):
    """Answers, acts, sets aside and writes down what no record can hold."""

    slow = True

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle: Any = handle

    def act(self, view: View) -> Action:
        self.handle.act(10**5000)
        said: Any = Consultation("move", "m", "p", "a", tokens_in=2**70)
        assert isinstance(self.handle.reserve(2**70), Refusal)
        for consultation in (said, msgspec.structs.replace(said, tokens_in=self), "nothing of the kind", None):
            assert isinstance(self.handle.consult(consultation), Refusal)
        call = self.handle.reserve(1)
        assert self.handle.consult(msgspec.structs.replace(said, tokens_in=1), True if call == 1 else call) is None
        return 10**5000


@pytest.mark.parametrize("clock", [Clock(), Clock(per_turn=60.0)], ids=["untimed", "timed"])
def test_numbers_beyond_measure_are_the_fouls_of_who_gives_them(clock: Clock) -> None:
    events = played(Immense(1), clock=clock)
    assert isinstance(events[-1], ev.Ended)
    fouls = [event for event in events if isinstance(event, ev.Fouled)]
    assert {(foul.seat, foul.kind) for foul in fouls} == {(NORTH, FoulKind.GARBLED)}
    assert [decode(encode(event), 0) for event in events] == events
    assert replay(events, BIDS).outcome is not None


@pytest.mark.parametrize("driver", ["local", "live"])
def test_what_cannot_be_written_is_not_said(driver: str) -> None:
    said = {event.text for event in played(Talker(1), driver=driver) if isinstance(event, ev.Said)}
    assert said == {"fine"}


@pytest.mark.parametrize(("claimed", "expected"), [("press_bot", PlayerType.PRESS_BOT), (PlayerType.HUMAN,) * 2])
def test_a_player_may_say_its_type_as_a_word(claimed: str, expected: PlayerType) -> None:
    player = RandomPlayer(1)
    player.player_type = claimed  # type: ignore[attr-defined]
    joined = next(event for event in played(player) if isinstance(event, ev.Joined) and event.seat == NORTH)
    assert joined.player_type is expected


def test_a_type_that_is_none_is_the_players_own_foul() -> None:
    player = RandomPlayer(1)
    player.player_type = "wizard"  # type: ignore[attr-defined]
    fouls = [event for event in played(player) if isinstance(event, ev.Fouled)]
    assert [(foul.seat, foul.kind) for foul in fouls] == [(NORTH, FoulKind.GARBLED)]
    assert "expected human, no_press_bot, press_bot" in fouls[0].detail


@pytest.fixture(params=[ThreadCaller, LoopCaller])
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    made: Caller = request.param()
    yield made
    made.close()


def test_only_so_many_calls_wait_for_a_player(caller: Caller) -> None:
    """The bound holds, nothing is answered in the player's name, and there is room again when it is done."""
    go = threading.Event()
    results: list[Any] = []
    taken = sum(caller.call(go.wait, (), results.append) for _ in range(MAX_WAITING + 10))
    assert MAX_WAITING <= taken <= MAX_WAITING + 1, "the one that runs may be taken off the queue already"
    assert not results
    go.set()


@pytest.mark.parametrize("kind", [ThreadCaller, LoopCaller])
def test_the_thread_of_a_player_ends_when_the_table_has_done_with_it(kind: type[Caller]) -> None:
    caller = kind()
    called: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
    assert caller.call(lambda: called.put(threading.current_thread()), (), lambda result: None)
    thread = called.get(timeout=PATIENCE)
    caller.close()
    thread.join(timeout=PATIENCE)
    assert not thread.is_alive()


def test_a_call_that_does_not_end_in_time_is_ended_and_may_clean_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "LAST_CALLS", 0.01)
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()

    async def endless() -> None:
        heard.put("called")
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            heard.put("cleaned up")

    caller = LoopCaller()
    assert caller.call(endless, (), lambda result: None)
    assert heard.get(timeout=PATIENCE) == "called"
    caller.close()
    assert heard.get(timeout=PATIENCE) == "cleaned up"


class Impatient(RandomPlayer):
    """Does something illegal through its seat handle while it still thinks about the first question."""

    asked = 0

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    async def act(self, view: View) -> Action:
        self.asked += 1
        if self.asked == 1:
            self.handle.act("nonsense")
            await asyncio.sleep(3600)
        return super().act(view)


def test_a_second_question_ends_the_first() -> None:
    match = Match(BIDS, {}, Terms(conduct=LENIENT), 7)
    players: dict[Any, Player] = {NORTH: Impatient(1), EAST: RandomPlayer(2), SOUTH: RandomPlayer(3)}
    outcome = asyncio.run(asyncio.wait_for(LoneTable(match, players).play(), PATIENCE))
    assert outcome.reason == "all prizes are gone"


class Threaded(RandomPlayer):
    """Thinks on a thread of its own and answers through its seat handle."""

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    async def act(self, view: View) -> Action:
        threading.Timer(0.01, lambda: self.handle.act(RandomPlayer(1).act(view))).start()
        await asyncio.sleep(3600)


def test_a_seat_handle_may_be_used_from_any_thread() -> None:
    events = played(Threaded(1), driver="live", clock=Clock(per_turn=10.0))
    assert not any(isinstance(event, ev.Fouled) for event in events)


def test_comm_status_may_be_a_word_too() -> None:
    class Ready(RandomPlayer):
        player_type = "press_bot"

        def on_seated(self, handle: SeatHandle) -> None:
            handle.set_comm_status("ready")  # type: ignore[arg-type]

    statuses = [event.status for event in played(Ready(1)) if isinstance(event, ev.CommStatusSet)]
    assert statuses == [CommStatus.READY]


class Fragile:
    """A player that notices if two threads use it at once."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.entered, self.gate = threading.Event(), threading.Event()

    def act(self, _: object = None) -> str:
        """Think until the gate opens, and no longer than somebody waits for it."""
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        try:
            while not self.gate.wait(0.001):
                checkpoint()
        finally:
            self.inside -= 1
        return "done"


def test_one_player_on_two_seats_is_called_by_one_thread_at_a_time() -> None:
    player, answers = Fragile(), queue.SimpleQueue[Any]()
    made = [ThreadCaller(player), ThreadCaller(player), ThreadCaller(player)]
    for caller in made:
        assert caller.call(player.act, (None,), answers.put, ask=True)
    assert player.entered.wait(PATIENCE)
    player.gate.set()
    assert [answers.get(timeout=PATIENCE) for _ in made] == ["done"] * 3
    assert player.most == 1
    for caller in made:
        caller.close()


def test_a_player_that_still_thinks_about_a_match_that_is_over_is_not_called_by_the_next() -> None:
    player, answers = Fragile(), queue.SimpleQueue[Any]()
    before = ThreadCaller(player)
    thinks = threading.Event()

    def think() -> None:
        thinks.set()
        player.gate.wait(PATIENCE)  # it passes no checkpoint

    before.call(think, (), answers.put)
    assert thinks.wait(PATIENCE)
    before.close()
    after = DirectCaller(player)
    begun = threading.Event()
    threading.Thread(target=lambda: after.call(begun.set, (), answers.put), daemon=True).start()
    assert not begun.wait(0.02)
    player.gate.set()
    assert begun.wait(PATIENCE)
    after.close()


def test_a_question_that_was_given_up_ends_and_the_next_is_put() -> None:
    player, answers = Fragile(), queue.SimpleQueue[Any]()
    caller = ThreadCaller(player)
    caller.call(player.act, (None,), answers.put, ask=True)
    assert player.entered.wait(PATIENCE)
    caller.give_up()
    assert answers.get(timeout=PATIENCE) is LATER
    player.gate.set()
    caller.call(player.act, (None,), answers.put, ask=True)
    assert answers.get(timeout=PATIENCE) == "done"
    caller.close()


def test_nothing_is_kept_of_players_that_nobody_calls() -> None:
    before = len(callers._guards)
    player = Fragile()
    made = [DirectCaller(player), DirectCaller(player)]
    assert len(callers._guards) == before + 1
    for caller in made:
        caller.close()
        caller.close()
    assert len(callers._guards) == before
