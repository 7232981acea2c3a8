"""The local driver and those who fail: who crashes, hangs, floods or cheats hurts only itself."""

# Why real time passes here: players that never return are left behind in real time; nobody waits for their sleep.

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Action, FoulKind, View
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.terms import Clock, PressMode, PressTerms
from parlour.core.viewers import SPECTATOR
from parlour.errors import RemoteWireError
from parlour.referee import callers, driver
from parlour.referee.callers import Crashed
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.referee.local import play
from parlour.referee.match import replay
from parlour.testing import BIDS, FakeClock, RandomPlayer, ScriptedPlayer
from support.matches.tables import EAST, NORTH, SOUTH, bids, trio
from support.waiting import PATIENCE

TIMED = Clock(per_turn=60.0)


class Raising(RandomPlayer):
    def act(self, view: View) -> Action:
        raise ValueError("no idea")


class Sleeping(RandomPlayer):
    def act(self, view: View) -> Action:
        threading.Event().wait(60)
        return super().act(view)


class SleepingAsync(RandomPlayer):
    async def act(self, view: View) -> Action:
        await asyncio.sleep(60)
        return None


class BlockingAsync(RandomPlayer):
    async def act(self, view: View) -> Action:
        threading.Event().wait(2)
        return None


class Vandal(RandomPlayer):
    """Changes what it is given."""

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        if isinstance(event, ev.Started):
            event.position["prizes"].clear()
        if isinstance(event, ev.TurnEnded):
            event.actions.clear()
            event.happened.clear()


class Garbage(RandomPlayer):
    def act(self, view: View) -> Action:
        return object()


class Giant(RandomPlayer):
    def act(self, view: View) -> Action:
        return ["x" * 1000] * 2000


class Knot(RandomPlayer):
    def act(self, view: View) -> Action:
        knot: list[Any] = []
        knot.append(knot)
        return knot


@pytest.mark.parametrize("odd", [Raising, Sleeping, SleepingAsync, BlockingAsync, Garbage, Giant, Knot])
def test_a_player_that_fails_in_any_way_hurts_only_itself(odd: type[RandomPlayer]) -> None:
    match = bids(clock=TIMED)
    outcome = play(match, trio(odd(2)), clock=FakeClock())
    assert match.state.standings() == {EAST: Standing.FAILURE}
    assert {seat for place in outcome.places for seat in place} == {NORTH, SOUTH}


def test_what_a_player_changes_in_what_it_is_told_changes_nothing_for_others() -> None:
    changed, honest = bids(), bids()
    play(changed, trio(Vandal(2)))
    play(honest, trio(RandomPlayer(2)))
    assert changed.record[4:] == honest.record[4:]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("slow"), "late"),
        (ConnectionResetError("gone"), "disconnected"),
        (RemoteWireError("not JSON"), "garbled"),
        (KeyError("bug"), "crashed"),
    ],
)
def test_what_a_player_raises_says_which_foul_it_is(error: Exception, kind: str) -> None:
    match = bids()
    play(match, trio(ScriptedPlayer([error])))
    [foul] = [event for event in match.record if isinstance(event, ev.Fouled)]
    assert foul.kind == kind


def test_a_player_that_wants_to_end_the_program_ends_only_its_own_part() -> None:
    class Exiting(RandomPlayer):
        def act(self, view: View) -> Action:
            raise SystemExit(3)

    match = bids()
    play(match, trio(Exiting(0)))
    [foul] = [event for event in match.record if isinstance(event, ev.Fouled)]
    assert foul.kind == "crashed"


def test_a_player_is_told_why_and_asked_again_under_lenient_conduct() -> None:
    player = ScriptedPlayer([99, "five"])
    match = bids(LENIENT)
    play(match, trio(player))
    assert [refusal.kind for refusal in player.refusals] == ["hand", "garbled"]
    assert not match.state.standings()


def test_a_player_whose_action_was_mended_is_told_what_was_wrong_with_it() -> None:
    player = ScriptedPlayer([99])
    play(bids(DIPLOMACY), trio(player))
    assert [refusal.kind for refusal in player.refusals] == ["hand"]


def test_a_player_that_raises_while_told_fouls_but_the_match_goes_on() -> None:
    class Deaf(RandomPlayer):
        def on_event(self, observed: ObservedEvent) -> None:
            raise RuntimeError("too loud")

    match = bids(DIPLOMACY)
    play(match, trio(Deaf(2)))
    assert not match.state.standings()
    fouls = [event for event in match.record if isinstance(event, ev.Fouled)]
    assert all(event.detail.endswith("too loud") for event in fouls)
    turns = [event.turn for event in fouls]
    assert turns == sorted(set(turns))  # once in each turn: news of a foul is not the next one
    assert len(turns) > match.turn // 2


def test_each_way_to_fail_while_told_counts_and_so_does_each_player_on_the_seat() -> None:
    table = driver.Driver(bids(DIPLOMACY), trio(RandomPlayer(2)), None)

    def comes_back(kind: FoulKind, call: str = "on_event") -> bool:
        return table.intent_of(driver.CallDone(EAST, call, None, Crashed(kind, "loud"))) is not None

    crashed, gone = FoulKind.CRASHED, FoulKind.DISCONNECTED
    assert [comes_back(crashed), comes_back(crashed), comes_back(gone), comes_back(gone)] == [True, False, True, False]
    assert comes_back(crashed, "on_start")
    table.place(NORTH, RandomPlayer(3))
    assert not comes_back(crashed)
    table.place(EAST, RandomPlayer(3))
    assert comes_back(crashed)


class Chatty(RandomPlayer):
    """Floods the table with press, votes and flags, and mumbles its moves through the seat handle."""

    player_type = PlayerType.PRESS_BOT

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    def act(self, view: View) -> Action:
        for number in range(3000):
            self.handle.say(f"buy my fish {number}", [NORTH])
        self.handle.set_comm_status(CommStatus.READY)
        self.handle.vote(Ballot.YES)
        self.handle.act(super().act(view))
        return super().act(view)


def test_a_flood_is_cut_off_and_costs_nobody_else() -> None:
    match = bids(press=PressTerms(PressMode.ANYTIME, max_per_turn=10))
    listener = ScriptedPlayer(seed=1)
    play(match, {NORTH: listener, EAST: Chatty(2), SOUTH: RandomPlayer(3)})
    heard = [event for event in listener.events if isinstance(event, ev.Said)]
    assert 10 <= len(heard) <= 10 * match.turn
    assert not match.state.standings()


def test_so_many_wishes_of_a_player_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "MAX_HANDLE_BACKLOG", 5)
    match = bids(press=PressTerms(PressMode.ANYTIME))
    play(match, {NORTH: RandomPlayer(1), EAST: Chatty(2), SOUTH: RandomPlayer(3)})
    said = [event.text for event in match.record if isinstance(event, ev.Said)]
    assert said[:6] == [*(f"buy my fish {number}" for number in range(5)), "buy my fish 0"]


def test_who_has_no_room_for_a_question_is_late_and_for_news_only_misses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "MAX_WAITING", 2)
    over = threading.Event()

    class Stuck(RandomPlayer):
        def on_event(self, observed: ObservedEvent) -> None:
            over.wait(PATIENCE)

    match = bids(clock=Clock(per_turn=3600.0))
    play(match, trio(Stuck(2)))
    over.set()
    fouls = [(event.seat, event.kind, event.detail) for event in match.record if isinstance(event, ev.Fouled)]
    assert fouls == [(EAST, FoulKind.LATE, "too many calls wait for it")]


def test_a_hanging_player_does_not_hold_up_the_program() -> None:
    over = threading.Event()
    acted: list[bool] = []

    class Hanging(RandomPlayer):
        def act(self, view: View) -> Action:
            acted.append(over.wait(600))  # a program that waited for it would not come to the end before
            return super().act(view)

    match = bids(clock=Clock(per_turn=0.05))
    play(match, trio(Hanging(2)))
    assert match.over
    assert acted == []
    over.set()


def test_a_failing_observer_is_dropped_and_the_others_see_all() -> None:
    class Failing:
        calls = 0

        def on_event(self, told: ObservedEvent) -> None:
            self.calls += 1
            raise RuntimeError

    class Watching:
        def __init__(self) -> None:
            self.heard: list[ObservedEvent] = []

        def on_event(self, told: ObservedEvent) -> None:
            self.heard.append(told)

    failing, watching = Failing(), Watching()
    match = bids()
    play(match, trio(RandomPlayer(2)), observers=[failing, watching])
    assert failing.calls == 1
    assert (
        [told.number for told in watching.heard] == [told.k for told in watching.heard] == [*range(len(match.record))]
    )
    for told in watching.heard:
        assert told.view == replay(match.record, BIDS, at=told.number).view().seen(SPECTATOR)


def test_every_event_of_a_match_survives_both_codecs() -> None:
    match = bids(LENIENT, press=PressTerms(PressMode.ANYTIME))
    play(match, {NORTH: Chatty(1), EAST: ScriptedPlayer([99]), SOUTH: Raising(3)})
    events: Sequence[Event] = match.record
    decode_json = msgspec.json.Decoder(Event)
    decode_pack = msgspec.msgpack.Decoder(Event)
    for event in events:
        assert decode_json.decode(msgspec.json.encode(event)) == event
        assert decode_pack.decode(msgspec.msgpack.encode(event)) == event
