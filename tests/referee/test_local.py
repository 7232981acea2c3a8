"""The local driver: players of all kinds, and that one who misbehaves hurts only itself."""

# Why real time passes here: players that never return are left behind in real time; nobody waits for their sleep.

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Conduct, Standing
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, PlayerType, Refusal, RefusalCode
from parlour.core.player import LATER, Chair, Player, Told
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.errors import ConfigError, RemoteWireError, RuleError
from parlour.games import load_game
from parlour.referee import driver
from parlour.referee.conduct import DIPLOMACY, LENIENT, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.testing import BIDS, NIM, FakeClock, RandomPlayer, ScriptedPlayer
from tables import EAST, NORTH, SOUTH, begun, it

TIMED = Clock(per_turn=60.0)


def bids(conduct: Conduct = STRICT, clock: Clock | None = None, **more: Any) -> Match:
    return Match(BIDS, {}, Terms(conduct=conduct, clock=clock or Clock(), **more), 7)


def trio(odd: Player) -> dict[Seat, Player]:
    return {NORTH: RandomPlayer(1), EAST: odd, SOUTH: RandomPlayer(3)}


class AsyncPlayer(RandomPlayer):
    async def act(self, view: View) -> Action:
        await asyncio.sleep(0)
        return super().act(view)


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

    def told(self, event: Event) -> None:
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


@pytest.mark.parametrize("clock", [Clock(), TIMED])
def test_sync_and_async_players_sit_at_one_table(clock: Clock) -> None:
    match = bids(clock=clock)
    outcome = play(match, trio(AsyncPlayer(2)))
    assert outcome.reason == "all prizes are gone"
    assert not match.state.standings()


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


def test_a_player_that_raises_while_told_fouls_but_the_match_goes_on() -> None:
    class Deaf(RandomPlayer):
        def told(self, event: Event) -> None:
            raise RuntimeError("too loud")

    match = bids(DIPLOMACY)
    play(match, trio(Deaf(2)))
    assert not match.state.standings()
    assert any(isinstance(event, ev.Fouled) and event.detail.endswith("too loud") for event in match.record)


class Chatty(RandomPlayer):
    """Floods the table with press, votes and flags, and mumbles its moves through the chair."""

    player_type = PlayerType.PRESS_BOT

    def seated(self, chair: Chair) -> None:
        self.chair = chair

    def act(self, view: View) -> Action:
        for number in range(3000):
            self.chair.say(f"buy my fish {number}", [NORTH])
        self.chair.set_comm_status(CommStatus.READY)
        self.chair.vote(Ballot.YES)
        self.chair.act(super().act(view))
        return super().act(view)


def test_a_flood_is_cut_off_and_costs_nobody_else() -> None:
    match = bids(press=PressTerms(PressMode.ANYTIME, max_per_turn=10))
    listener = ScriptedPlayer(seed=1)
    play(match, {NORTH: listener, EAST: Chatty(2), SOUTH: RandomPlayer(3)})
    heard = [event for event in listener.events if isinstance(event, ev.Said)]
    assert 10 <= len(heard) <= 10 * match.turn
    assert not match.state.standings()


def test_so_many_wishes_of_a_player_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "MAX_CHAIR_BACKLOG", 5)
    match = bids(press=PressTerms(PressMode.ANYTIME))
    play(match, {NORTH: RandomPlayer(1), EAST: Chatty(2), SOUTH: RandomPlayer(3)})
    said = [event.text for event in match.record if isinstance(event, ev.Said)]
    assert said[:6] == [*(f"buy my fish {number}" for number in range(5)), "buy my fish 0"]


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
        def told(self, event: Event) -> None:
            assert any(type(event) is type(k) for k in kept)

    match = bids(conduct=STRICT)
    play(match, trio(Checking(2)), keep=kept.extend)
    assert kept == match.record
    assert not match.state.standings()


def test_a_failing_observer_is_dropped_and_the_others_see_all() -> None:
    class Failing:
        calls = 0

        def told(self, told: Told) -> None:
            self.calls += 1
            raise RuntimeError

    class Watching:
        def __init__(self) -> None:
            self.heard: list[Told] = []

        def told(self, told: Told) -> None:
            self.heard.append(told)

    failing, watching = Failing(), Watching()
    match = bids()
    play(match, trio(RandomPlayer(2)), observers=[failing, watching])
    assert failing.calls == 1
    assert (
        [told.number for told in watching.heard] == [told.k for told in watching.heard] == [*range(len(match.record))]
    )
    for told in watching.heard:
        after = replay(match.record, BIDS, at=told.number).position
        assert told.position == (None if after is None else after.view(SPECTATOR))


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
    assert player.chair is not None


def test_a_stranger_to_the_match_gets_no_seat() -> None:
    with pytest.raises(ConfigError, match="no seat 'mars'"):
        play(bids(), {Seat("mars"): RandomPlayer()})


def test_a_hanging_player_does_not_hold_up_the_program() -> None:
    begun = time.monotonic()
    play(bids(clock=Clock(per_turn=0.05)), trio(Sleeping(2)))
    assert time.monotonic() - begun < 30


def test_every_event_of_a_match_survives_both_codecs() -> None:
    match = bids(LENIENT, press=PressTerms(PressMode.ANYTIME))
    play(match, {NORTH: Chatty(1), EAST: ScriptedPlayer([99]), SOUTH: Raising(3)})
    events: Sequence[Event] = match.record
    decode_json = msgspec.json.Decoder(Event)
    decode_pack = msgspec.msgpack.Decoder(Event)
    for event in events:
        assert decode_json.decode(msgspec.json.encode(event)) == event
        assert decode_pack.decode(msgspec.msgpack.encode(event)) == event


class Newcomer(RandomPlayer):
    """Notes what it is told when it sits down late."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.calls: list[str] = []
        self.history: tuple[ev.Event, ...] = ()

    def seated(self, chair: Chair) -> None:
        self.calls.append("seated")

    def resumed(self, events: tuple[ev.Event, ...]) -> None:
        self.calls.append("resumed")
        self.history = events

    def started(self, view: View) -> None:
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

    async def told(self, event: Event) -> None:
        if isinstance(event, ev.PressClosed):
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

    async def ended(self, outcome: Outcome) -> None:
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
        ({EAST: RandomPlayer(1)}, "1 of at least 2 are given; free are north, south"),
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
        self.chair: Any = None

    def seated(self, chair: Any) -> None:
        self.chair = chair

    def act(self, view: View) -> Any:
        call = self.chair.reserve(self.tokens)
        self.answers.append(call)
        if isinstance(call, int):
            spent = Consultation("move", "m", "p", "a", tokens_in=10)
            self.answers.append(self.chair.consult(spent, call))
            self.chair.note("spent")
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
    assert "60 tokens are wanted and 50 are left" in refusals[0].reason
    kinds = [type(event).__name__ for event in match.record if getattr(event, "seat", "") == "red"]
    at = kinds.index("Reserved")
    assert kinds[at : at + 4] == ["Reserved", "Consulted", "Noted", "Acted"]


def test_a_chair_that_is_no_longer_taken_sets_nothing_aside() -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT, Clock(tokens=100)), 1)
    banker = Banker()
    play(match, {Seat("red"): banker, Seat("white"): ScriptedPlayer()})
    answer = banker.chair.reserve(1)
    assert isinstance(answer, Refusal)
    assert answer.code is RefusalCode.OVER


def test_a_player_may_act_later_through_its_chair() -> None:
    class Later:
        def __init__(self) -> None:
            self.chair: Any = None

        def seated(self, chair: Any) -> None:
            self.chair = chair

        def act(self, view: View) -> Any:
            self.chair.act(view.position.legal(view.seat)[0])
            return LATER

    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(STRICT), 1)
    outcome = play(match, {Seat("red"): Later(), Seat("white"): ScriptedPlayer()})
    assert outcome.reason == "nobody can move"
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]
    assert repr(LATER) == "LATER"


def test_what_is_shown_to_other_viewers_is_all_that_they_may_see_and_what_they_raise_ends_the_match() -> None:
    match = bids()
    shown: list[Told] = []
    play(match, {seat: RandomPlayer(1) for seat in (NORTH, EAST, SOUTH)}, shown={OMNISCIENT: shown.append})
    assert [type(told.event) for told in shown] == [type(event) for event in match.record]

    def full(told: Told) -> None:
        raise RuleError("the disk is full")

    with pytest.raises(RuleError, match="the disk is full"):
        play(bids(), {seat: RandomPlayer(1) for seat in (NORTH, EAST, SOUTH)}, shown={OMNISCIENT: full})
