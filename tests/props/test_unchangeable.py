"""Values that a player, an observer or a bot receives can be changed as little as the match itself."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Action, Game, Outcome, Seat, View
from parlour.core.immutable import Immutable
from parlour.core.intents import CommStatus
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, LENIENT, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.referee.record import copied, encode
from parlour.testing import BIDS
from parlour.testing.vandal import Vandal
from support.matches.live_tables import LoneTable
from support.matches.tables import EAST, NORTH, SOUTH, begun, it

FISH, DIPLOMACY_GAME = load_game("fish"), load_game("diplomacy")


class Hooligan:
    """Plays at random, and attacks whatever it is given."""

    player_type = "press_bot"

    def __init__(self, seed: int, vandal: Callable[[Any], None]) -> None:
        self._rng = random.Random(seed)
        self._attack = vandal

    def on_seated(self, handle: SeatHandle) -> None:
        self._attack(handle)
        handle.set_comm_status(CommStatus.READY)
        self._handle = handle

    def on_start(self, view: View) -> None:
        self._attack(view)

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        self._attack(event)
        if isinstance(event, ev.PressOpened):
            self._handle.say("hello")
        if isinstance(event, ev.TurnEnded):
            self._handle.set_comm_status(CommStatus.READY)

    def act(self, view: View) -> Action:
        wanted = "rubbish" if self._rng.random() < 0.1 else view.position.sample(view.seat, self._rng)
        self._attack(view)
        self._attack(self._handle)
        return wanted

    def on_refused(self, reason: object) -> None:
        self._attack(reason)

    def on_end(self, outcome: Outcome) -> None:
        self._attack(outcome)


class Onlooker:
    def __init__(self, vandal: Callable[[Any], None]) -> None:
        self._attack = vandal

    def on_event(self, told: ObservedEvent) -> None:
        self._attack(told)


def attack_by(seats: tuple[Seat, ...], every: int) -> Callable[[Any], None]:
    count = 0

    def attack(thing: Any) -> None:
        nonlocal count
        count += 1
        if count % every == 0:
            Vandal(seats).attack(thing)

    return attack


def evening(game: Game, config: dict[str, Any], terms: Terms, attack: Callable[[Any], None], live: bool) -> Match:
    match = Match(game, config, terms, 7)
    players = {seat: Hooligan(i, attack) for i, seat in enumerate(game.seats(config))}
    if live:
        table = LoneTable(match, players)
        table.table.watch(SPECTATOR, attack)
        asyncio.run(table.play())
    else:
        play(match, players, observers=[Onlooker(attack)])
    return match


@pytest.mark.parametrize("live", [False, True], ids=["local", "live"])
@pytest.mark.parametrize(
    ("game", "config", "terms", "every"),
    [
        (FISH, {"players": 3, "rows": 4, "cols": 4}, Terms(conduct=LENIENT), 1),
        (DIPLOMACY_GAME, {"last_year": 1901}, Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW)), 9),
        (BIDS, {}, Terms(conduct=LENIENT, press=PressTerms(PressMode.WINDOW)), 1),
    ],
    ids=["fish", "diplomacy", "bids"],
)
def test_a_match_goes_on_as_if_nothing_had_been_tried(
    game: Game, config: dict[str, Any], terms: Terms, every: int, live: bool
) -> None:
    quiet = evening(game, config, terms, lambda thing: None, False)
    attacked = evening(game, config, terms, attack_by(game.seats(config), every), live)
    assert quiet.outcome == attacked.outcome
    assert [(event.turn, event.actions) for event in quiet.record if isinstance(event, ev.TurnEnded)] == [
        (event.turn, event.actions) for event in attacked.record if isinstance(event, ev.TurnEnded)
    ]
    if not live:
        assert [encode(event) for event in quiet.record] == [encode(event) for event in attacked.record]
    assert replay(attacked.record, game).outcome == attacked.outcome


@pytest.mark.parametrize("game", [FISH, DIPLOMACY_GAME, BIDS], ids=["fish", "diplomacy", "bids"])
def test_a_view_of_the_middle_of_a_match_is_as_hard(game: Game) -> None:
    match = begun(game, conduct=DIPLOMACY)
    rng = random.Random(3)
    for _ in range(4):
        for seat in match.state.to_act:
            match.handle(it.Act(seat, match.position.sample(seat, rng)), 0.0)
    before, due = match.position.encode(), [match.position.legal(seat) for seat in match.position.alive()]
    for seat in match.position.alive():
        Vandal(game.seats({})).attack(match.view(seat))
    assert match.position.encode() == before
    assert [match.position.legal(seat) for seat in match.position.alive()] == due


def test_a_seat_handle_is_bound_to_its_seat() -> None:
    handles: list[Any] = []

    class Usurper(Hooligan):
        def on_seated(self, handle: Any) -> None:
            handles.append(handle)

        def on_event(self, observed: ObservedEvent) -> None:
            pass

        def act(self, view: View) -> Action:
            for name in ("seat", "_seat"):
                with pytest.raises(AttributeError, match=r"cannot be changed|no setter"):
                    setattr(handles[0], name, EAST)
            handles[0].__dict__["_seat"] = EAST  # behind its back: then it is no handle of anybody
            handles[0].act(1)
            handles[0].__dict__["_seat"] = NORTH
            return view.position.default(view.seat)

    match = Match(BIDS, {}, Terms(conduct=STRICT), 7)
    quiet = [Hooligan(i, lambda thing: None) for i in range(2)]
    for player in quiet:
        player._rng = random.Random(5)
    play(match, {NORTH: Usurper(1, lambda thing: None), EAST: quiet[0], SOUTH: quiet[1]})
    acts = [event for event in match.record if isinstance(event, ev.Acted) and event.seat == EAST]
    assert len(acts) <= 5, "east acted once a turn, and nobody acted for it"


def test_the_outcome_that_a_player_is_told_is_its_own() -> None:
    class Sore(Hooligan):
        def on_end(self, outcome: Outcome) -> None:
            outcome.scores["north"] = 999.0

    match = Match(BIDS, {}, Terms(conduct=LENIENT), 7)
    outcome = play(match, {seat: Sore(i, lambda thing: None) for i, seat in enumerate((NORTH, EAST, SOUTH))})
    assert outcome.scores["north"] < 999.0
    assert match.record[-1].outcome.scores == outcome.scores  # type: ignore[union-attr]


def test_an_event_that_could_be_changed_is_copied_and_no_other() -> None:
    match = begun(BIDS, clock=Clock(per_turn=5.0))
    match.handle(it.Act(NORTH, 99), 1.0)
    for event in match.record:
        shared = any(isinstance(getattr(event, name), (dict, list)) for name in event.__struct_fields__)
        if shared:
            assert copied(event) == event
            assert copied(event) is not event
    said = ev.WaitSet(1.0, NORTH, True)
    assert copied(said) is said


def test_immutable_means_what_it_says() -> None:
    class Stone(Immutable):
        def __init__(self) -> None:
            self.__dict__["weight"] = 3

    stone: Any = Stone()
    with pytest.raises(AttributeError, match="a Stone cannot be changed, so 'weight' cannot be set"):
        stone.weight = 4
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del stone.weight
    assert stone.weight == 3
