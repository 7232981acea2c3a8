"""The local driver: players of all kinds, what they are told and when, and how they take part."""

# Why real time passes here: a person's press window shuts by the clock, and an async player needs a moment.

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Conduct, Standing
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.intents import Consultation, PlayerType, Refusal, RefusalCode
from parlour.core.player import LATER, ObservedEvent, SeatHandle
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT
from parlour.errors import ConfigError, RuleError
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, HOSTED, LENIENT, STRICT, VACATING
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.testing import BIDS, NIM, FakeClock, RandomPlayer, ScriptedPlayer
from support.matches.tables import EAST, NORTH, SOUTH, begun, bids, it, trio
from support.waiting import PATIENCE

TIMED = Clock(per_turn=60.0)


class AsyncPlayer(RandomPlayer):
    async def act(self, view: View) -> Action:
        await asyncio.sleep(0)
        return super().act(view)


@pytest.mark.parametrize("clock", [Clock(), TIMED])
def test_sync_and_async_players_sit_at_one_table(clock: Clock) -> None:
    match = bids(clock=clock)
    outcome = play(match, trio(AsyncPlayer(2)))
    assert outcome.reason == "all prizes are gone"
    assert not match.state.standings()


def test_players_hear_only_what_they_may() -> None:
    players = {seat: ScriptedPlayer(seed=i) for i, seat in enumerate((NORTH, EAST, SOUTH))}
    play(bids(), players)
    for seat, player in players.items():
        others = [e for e in player.events if isinstance(e, ev.Acted) and e.seat != seat]
        assert others
        assert all(event.action is None for event in others)
        assert isinstance(player.events[-1], ev.Ended)
        assert player.outcome is not None


def test_a_match_without_limits_has_the_same_record_every_time() -> None:
    first, second = bids(), bids()
    for match in (first, second):
        play(match, trio(RandomPlayer(2)))
    assert first.record == second.record


def test_events_are_kept_before_anyone_is_told() -> None:
    kept: list[Event] = []

    class Checking(RandomPlayer):
        def on_event(self, observed: ObservedEvent) -> None:
            assert any(type(observed.event) is type(k) for k in kept)

    match = bids(conduct=STRICT)
    play(match, trio(Checking(2)), keep=kept.extend)
    assert kept == match.record
    assert not match.state.standings()


class Named(RandomPlayer):
    def __init__(self, answer: object) -> None:
        super().__init__(2)
        self._answer = answer

    def identify(self) -> object:
        if isinstance(self._answer, Exception):
            raise self._answer
        if callable(self._answer):
            self._answer()
        return self._answer


def test_a_player_that_says_who_it_is_goes_by_that_name() -> None:
    match = bids()
    play(match, trio(Named({"Name": "Ada", "Age": "20"})))
    assert match.state.places[EAST].name == "Ada"


@pytest.mark.parametrize("answer", ["Ada", {"Name": 3}, RuntimeError("who?"), lambda: threading.Event().wait(60)])
def test_a_player_that_does_not_say_who_it_is_is_out_before_play_begins(answer: object) -> None:
    match = bids(LENIENT, clock=TIMED)
    play(match, trio(Named(answer)), clock=FakeClock())
    started = next(event for event in match.record if isinstance(event, ev.Started))
    assert started.seats == (NORTH, SOUTH)
    assert match.state.standings() == {EAST: Standing.FAILURE}


def test_if_too_few_are_left_before_play_whoever_is_left_has_won() -> None:
    match = Match(NIM, {}, Terms(conduct=STRICT), 7)
    outcome = play(match, {NORTH: RandomPlayer(), EAST: Named(RuntimeError("who?"))})
    assert outcome.places == ((NORTH,),)


def test_a_player_that_fails_at_the_very_end_keeps_its_place() -> None:
    class FailingAtEnd(RandomPlayer):
        calls = 0

        def identify(self) -> object:
            self.calls += 1
            return {"Name": "Bo"} if self.calls == 1 else 1 / 0

    match = bids()
    outcome = play(match, trio(FailingAtEnd(2)))
    assert any("east" in place for place in outcome.places)
    assert isinstance(match.record[-1], ev.Fouled)


def test_wait_flags_that_nobody_lowers_do_not_hold_up_a_match_without_limits() -> None:
    match = bids(wait_flags_up=True)
    assert play(match, trio(RandomPlayer(2))).places


def test_a_resumed_match_goes_on_with_new_players() -> None:
    whole = bids()
    play(whole, trio(RandomPlayer(2)))
    cut = next(i for i, event in enumerate(whole.record) if isinstance(event, ev.TurnEnded))
    match = Match.resume(whole.record[: cut + 1], BIDS)
    kept: list[Event] = []
    player = ScriptedPlayer()
    outcome = play(match, trio(player), keep=kept.extend)
    assert isinstance(outcome, Outcome)
    assert match.record == whole.record[: cut + 1] + kept
    assert player.handle is not None


def test_a_stranger_to_the_match_gets_no_seat() -> None:
    with pytest.raises(ConfigError, match="expected the seats north, east, south, got 'mars'"):
        play(bids(), {Seat("mars"): RandomPlayer()})


class Newcomer(RandomPlayer):
    """Notes what it is told when it sits down late."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.calls: list[str] = []
        self.history: tuple[ev.Event, ...] = ()

    def on_seated(self, handle: SeatHandle) -> None:
        self.calls.append("seated")

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        self.calls.append("resumed")
        self.history = tuple(observed.event for observed in past)

    def on_start(self, view: View) -> None:
        self.calls.append("started")


def test_who_sits_down_late_learns_what_its_seat_may_know() -> None:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME))
    match = begun(BIDS, conduct=terms.conduct, press=terms.press)
    match.handle(it.Say(EAST, "for north only", (NORTH,)), 0.0)
    match.handle(it.Say(EAST, "for south only", (SOUTH,)), 0.0)
    match.handle(it.Act(EAST, match.position.legal(EAST)[0]), 0.0)
    late = Newcomer(1)
    play(Match.resume(match.record, BIDS), {NORTH: late, EAST: RandomPlayer(2), SOUTH: RandomPlayer(3)})
    assert late.calls == ["seated", "resumed", "started"]
    assert [event.text for event in late.history if isinstance(event, ev.Said)] == ["for north only"]
    assert [event.action for event in late.history if isinstance(event, ev.Acted)] == [None], "still a secret"


def test_who_is_there_from_the_start_has_nothing_to_catch_up_with() -> None:
    early = Newcomer(1)
    play(Match(BIDS, {}, Terms(conduct=DIPLOMACY), 1), {NORTH: early, EAST: RandomPlayer(2), SOUTH: RandomPlayer(3)})
    assert early.calls == ["seated", "started"]


class Pondering(RandomPlayer):
    """A person who says nothing and acts only once the window is shut."""

    player_type = PlayerType.HUMAN
    real_time = True

    def __init__(self) -> None:
        super().__init__(1)
        self.shut = asyncio.Event()

    async def on_event(self, observed: ObservedEvent) -> None:
        if isinstance(observed.event, ev.PressClosed):
            self.shut.set()

    async def act(self, view: View) -> Action:
        await self.shut.wait()
        self.shut.clear()
        return super().act(view)


def test_a_press_window_with_a_person_shuts_in_real_time_though_turns_have_no_limit() -> None:
    window = 0.05
    match = bids(press=PressTerms(PressMode.WINDOW, window=window))
    play(match, trio(Pondering()))
    opened = [event for event in match.record if isinstance(event, ev.PressOpened)]
    shut = [event for event in match.record if isinstance(event, ev.PressClosed)]
    assert len(opened) == len(shut) > 1
    assert all(late.at >= early.until for early, late in zip(opened, shut, strict=True))
    assert opened[1].at > window, "the clock went on"


class Slow(RandomPlayer):
    """Needs a moment to take in how it ended."""

    outcome: Outcome | None = None

    async def on_end(self, outcome: Outcome) -> None:
        await asyncio.sleep(0.01)
        self.outcome = outcome


def test_an_async_player_hears_how_it_ended() -> None:
    player = Slow(1)
    assert play(bids(), trio(player)) == player.outcome


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ({NORTH: "greedy", EAST: RandomPlayer(1)}, "north is 'greedy', expected an object with act"),
        ({NORTH: RandomPlayer, EAST: RandomPlayer(1)}, "north is a class, expected an object with act"),
        ({NORTH: None, EAST: RandomPlayer(1)}, "north is None, expected an object with act"),
        ({EAST: RandomPlayer(1)}, "expected 2 or more, got 1; free are north, south"),
        ([RandomPlayer(1)], "expected a mapping of seats to players"),
    ],
)
def test_what_can_be_no_player_is_refused_before_anything_is_played(players: Any, message: str) -> None:
    match = bids()
    with pytest.raises(ConfigError, match=message):
        play(match, players)
    assert match.record == []


def test_a_match_that_has_not_started_has_no_position() -> None:
    with pytest.raises(RuleError, match="has not started"):
        _ = bids().position


class Banker:
    """Sets something aside, from wherever it is called, and writes down what it was told."""

    def __init__(self, tokens: int = 60, *, slow: bool = False) -> None:
        self.tokens, self.slow = tokens, slow
        self.answers: list[Any] = []
        self.handle: Any = None

    def on_seated(self, handle: Any) -> None:
        self.handle = handle

    def act(self, view: View) -> Any:
        call = self.handle.reserve(self.tokens)
        self.answers.append(call)
        if isinstance(call, int):
            spent = Consultation("move", "m", "p", "a", tokens_in=10)
            self.answers.append(self.handle.consult(spent, call))
            self.handle.note("spent")
        return view.position.legal(view.seat)[0]


@pytest.mark.parametrize("slow", [False, True])
def test_what_a_player_sets_aside_is_answered_while_it_acts(slow: bool) -> None:
    """On the driver's own thread and on another."""
    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT, Clock(tokens=100)), 1)
    banker = Banker(slow=slow)
    play(match, {Seat("red"): banker, Seat("white"): ScriptedPlayer()})
    assert banker.answers[:4] == [1, None, 2, None]
    refusals = [answer for answer in banker.answers if isinstance(answer, Refusal)]
    assert "expected at most 50, got 60" in refusals[0].reason
    kinds = [type(event).__name__ for event in match.record if getattr(event, "seat", "") == "red"]
    at = kinds.index("Reserved")
    assert kinds[at : at + 4] == ["Reserved", "Consulted", "Noted", "Acted"]


def test_a_seat_handle_that_is_no_longer_taken_sets_nothing_aside() -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT, Clock(tokens=100)), 1)
    banker = Banker()
    play(match, {Seat("red"): banker, Seat("white"): ScriptedPlayer()})
    with ThreadPoolExecutor() as elsewhere:
        for answer in (banker.handle.reserve(1), elsewhere.submit(banker.handle.reserve, 1).result(timeout=PATIENCE)):
            assert isinstance(answer, Refusal)
            assert answer.code is RefusalCode.OVER


def test_what_a_player_makes_happen_while_it_is_told_is_told_after_it() -> None:
    class Saver(ScriptedPlayer):
        def on_event(self, observed: ObservedEvent) -> None:
            event = observed.event
            if isinstance(event, ev.TurnBegan):
                assert self.handle is not None
                assert self.handle.reserve(1) == event.turn
            super().on_event(observed)

    saver = Saver()
    match = bids(clock=Clock(tokens=100))
    play(match, trio(saver))
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]
    began = [number for number, event in enumerate(saver.events) if isinstance(event, ev.TurnBegan)]
    assert len(began) == 5
    assert all(isinstance(saver.events[number + 1], ev.Reserved) for number in began)


def test_a_player_may_act_later_through_its_seat_handle() -> None:
    class Later:
        def __init__(self) -> None:
            self.handle: Any = None

        def on_seated(self, handle: Any) -> None:
            self.handle = handle

        def act(self, view: View) -> Any:
            self.handle.act(view.position.legal(view.seat)[0])
            return LATER

    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT), 1)
    outcome = play(match, {Seat("red"): Later(), Seat("white"): ScriptedPlayer()})
    assert outcome.reason == "nobody can move"
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]
    assert repr(LATER) == "LATER"


def test_who_says_later_and_never_acts_is_late_where_nobody_is_timed() -> None:
    """In Fish nobody does something for an absent seat: the turn had passed for ever, and nothing else happened."""

    class Never:
        def act(self, view: View) -> Any:
            return LATER

    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT), 1)
    play(match, {Seat("red"): Never(), Seat("white"): ScriptedPlayer()})
    fouled = next(event for event in match.record if isinstance(event, ev.Fouled))
    assert (fouled.seat, fouled.kind, fouled.detail) == ("red", "late", "no answer, though all others wait")
    assert match.outcome is not None
    assert match.outcome.winners == ("white",)


@pytest.mark.parametrize("conduct", [DIPLOMACY, HOSTED, VACATING], ids=lambda conduct: conduct.name)
@pytest.mark.parametrize("answer", [object(), LATER, "no move"], ids=["garbled", "later", "illegal"])
def test_a_match_ends_whatever_one_player_does_and_by_whatever_table(conduct: Conduct, answer: object) -> None:
    class Useless:
        def act(self, view: View) -> Any:
            return answer

    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(conduct), 1)
    play(match, {Seat("red"): Useless(), Seat("white"): ScriptedPlayer()})
    assert match.over
    assert match.state.turn < 300
    replay(match.record, game)


def test_a_seat_that_is_waited_for_though_nobody_has_it_does_not_hold_up_a_match_without_limits() -> None:
    match = Match(BIDS, {}, Terms(STRICT, vacancy=Vacancy.AWAITED, seats_to_start=2), 7)
    outcome = play(match, {NORTH: RandomPlayer(1), EAST: RandomPlayer(2)})
    assert outcome.reason == "all prizes are gone"
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]


def test_what_is_shown_to_other_viewers_is_all_that_they_may_see_and_what_they_raise_ends_the_match() -> None:
    match = bids()
    shown: list[ObservedEvent] = []
    play(match, {seat: RandomPlayer(1) for seat in (NORTH, EAST, SOUTH)}, shown={OMNISCIENT: shown.append})
    assert [type(told.event) for told in shown] == [type(event) for event in match.record]

    def full(told: ObservedEvent) -> None:
        raise RuleError("the disk is full")

    with pytest.raises(RuleError, match="the disk is full"):
        play(bids(), {seat: RandomPlayer(1) for seat in (NORTH, EAST, SOUTH)}, shown={OMNISCIENT: full})
