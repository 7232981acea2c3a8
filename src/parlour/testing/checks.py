"""Conformance checks for authors of a game or a player: check_game, check_player, check_press.

Each raises AssertionError with the fault and the expectation. If a check returns, every tried case was correct.
"""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from parlour.agents import make_agent
from parlour.agents.chance import RandomPlayer
from parlour.agents.watched import Crash, Mishap, Undelivered, Watched
from parlour.core.declaration import fetch
from parlour.core.events import Fouled
from parlour.core.game import Action, FoulKind, Game, Plain, Position, Seat
from parlour.core.intents import PlayerType
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, seated_on
from parlour.games import declared, games, load_game
from parlour.referee.clocks import VirtualClock, Watch
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.testing.vandal import Vandal

T = TypeVar("T")

GARBAGE: tuple[Plain, ...] = (
    None, True, -1, 10**30, 1.5, "", "x" * 10_000, [], {}, [[]], [None], {"a": []}, [["A PAR H"]], [1, 2, 3],
    [[0, 0], [10**6, -1]], "skip", [[[[[[]]]]]], ["\x00"],
)  # fmt: skip
"""Plain values of many kinds that every position must handle without an exception."""


LONGEST = 3
"""Factor from a player's patience to the maximum seconds of a match with press."""
MAX_SHOWN = 5
"""Maximum number of refused messages that an error quotes."""


def check_game(game: Game, config: Mapping[str, Plain] | None = None, *, matches: int = 5, turns: int = 300) -> None:
    """Play random matches and check the contract of Game and Position at every step.

    Args:
        game: Rules to check.
        config: Configuration of the game.
        matches: Number of random matches.
        turns: Maximum number of turns per match.
    """
    config = dict(config or {})
    for seed in range(matches):
        rng = random.Random(seed)
        seats = game.seats(config)
        assert len(set(seats)) == len(seats) >= game.fewest(config), "seats are distinct and enough to start"
        position = game.start(config, seats, seed)
        _check_unchangeable(position)
        assert position.encode() == game.start(config, seats, seed).encode(), "the same seed gives the same start"
        for _ in range(turns):
            _check_position(game, position, rng)
            if position.outcome() is not None:
                break
            before = msgspec.json.encode(position.encode())
            actions: dict[Seat, Action] = {seat: position.sample(seat, rng) for seat in position.to_act()}
            following, happened = position.apply(actions)
            assert msgspec.json.encode(position.encode()) == before, "apply does not change the position it is asked of"
            again, happened_again = position.apply(dict(reversed(actions.items())))
            assert again.encode() == following.encode(), "the order in which actions are listed does not matter"
            assert happened == happened_again, "what happened does not depend on the listing either"
            _check_plain(happened, "what happened")
            position = following


def _check_unchangeable(position: Position) -> None:
    """Check that a player cannot change a position through its view."""
    for viewer in (OMNISCIENT, *map(seated_on, position.alive())):
        before = _described(position)
        Vandal(position.alive()).attack(position.view(viewer))
        assert _described(position) == before, "nothing that can be reached from a position can be changed through it"


def _described(position: Position) -> str:
    actions = {seat: (position.legal(seat), position.default(seat)) for seat in position.alive()}
    return repr((position.encode(), position.to_act(), position.alive(), position.outcome(), actions))


def _check_position(game: Game, position: Position, rng: random.Random) -> None:
    encoded = position.encode()
    _check_plain(encoded, "an encoded position")
    assert game.decode(encoded).encode() == encoded, "decode gives back what encode gave"
    seats = position.to_act()
    assert set(seats) <= set(position.alive()), "whoever is to act is still in the game"
    outcome = position.outcome()
    assert (outcome is None) or not seats, "nobody is to act when there is an outcome"
    assert outcome is not None or seats, "somebody is to act while there is no outcome"
    if outcome is not None:
        placed = [seat for place in outcome.places for seat in place]
        assert len(placed) == len(set(placed)), "nobody has two places"
    for seat in seats:
        _check_seat(position, seat, rng)
        position.view(seated_on(seat)).encode()
    for viewer in (SPECTATOR, OMNISCIENT, MODERATOR):
        position.view(viewer).encode()
    assert position.view(OMNISCIENT).encode() == encoded, "nothing is hidden from an omniscient"
    for seat in position.alive():
        assert seat not in position.without(seat).to_act(), "a removed seat is not to act"


def _check_seat(position: Position, seat: Seat, rng: random.Random) -> None:
    sample = position.sample(seat, rng)
    _check_plain(sample, "an action")
    assert position.check(seat, sample) == (), f"a sampled action is legal: {sample!r}"
    default = position.default(seat)
    assert default is None or position.check(seat, default) == (), f"the default action is legal: {default!r}"
    for garbage in GARBAGE:
        violations = position.check(seat, garbage)
        assert isinstance(violations, tuple), "check gives a tuple"
        for violation in violations:
            assert violation.message, "a violation says what is wrong"
            assert violation.foul in (FoulKind.ILLEGAL, FoulKind.GARBLED), "a violation is illegal or garbled"
        repaired = position.repair(seat, garbage)
        assert repaired is None or position.check(seat, repaired) == (), f"a repaired action is legal: {repaired!r}"


def _check_plain(value: Any, what: str) -> None:
    try:
        text = msgspec.json.encode(value)
    except (TypeError, OverflowError) as error:
        raise AssertionError(f"{what} must be a plain value: {error}") from None
    assert msgspec.json.decode(text) == value, f"{what} must survive JSON: use lists and string keys"


def check_player(
    game: Game,
    player: Callable[[], Player],
    config: Mapping[str, Plain] | None = None,
    *,
    matches: int = 3,
    per_turn: float = 10.0,
) -> None:
    """Play matches against random players, with the player on every seat, and check that it never fouls.

    The conduct is strict. For a press bot in a game with press, check_press follows.

    Args:
        game: Rules to play by.
        player: Creates a player.
        config: Configuration of the game.
        matches: Number of matches on each seat.
        per_turn: Seconds per turn.
    """
    config = dict(config or {})
    terms = Terms(conduct=STRICT, clock=Clock(per_turn=per_turn))
    seats = game.seats(config)
    for number in range(matches):
        for own in seats:
            others = {seat: RandomPlayer(number * 100 + i) for i, seat in enumerate(seats)}
            _play_one(Match(game, config, terms, number), own, player(), others)
    if getattr(player(), "player_type", None) == PlayerType.PRESS_BOT and getattr(game, "press_check", ""):
        check_press(player, config, game=game.name, per_turn=per_turn)


def check_press(
    player: Callable[[], Player],
    config: Mapping[str, Plain] | None = None,
    *,
    game: str | None = None,
    per_turn: float = 10.0,
) -> None:
    """Play short matches with press, with the bot on every seat, against the game's trial agents.

    The bot must neither foul nor send a message that the table refuses. Time is virtual, so a bot that never becomes
    ready to talk costs no time. A method that does not return within `per_turn` real seconds fails the check.

    Args:
        player: Creates a press bot.
        config: Configuration of the game.
        game: Name of the game; the first with a press trial if None.
        per_turn: Real seconds that a method may take.
    """
    declaration = declared(game or next(name for name in games() if declared(name).talk_trial))
    rules, talkers = load_game(declaration.name), declaration.talk_trial_agents
    short: dict[str, Plain] = fetch(declaration.talk_trial)(config or {})
    # With a time limit each player has its own thread, which can be abandoned.
    terms = Terms(conduct=STRICT, clock=Clock(per_turn=3600.0), press=PressTerms(PressMode.WINDOW))
    seats = rules.seats(short)
    for number, own in enumerate(seats):
        others = {seat: make_agent(rules.name, talkers[i % len(talkers)], i) for i, seat in enumerate(seats)}
        mishaps = _play_one(Match(rules, short, terms, number), own, player(), others, _Impatient(per_turn))
        refused = list(dict.fromkeys(str(mishap) for mishap in mishaps if isinstance(mishap, Undelivered)))
        more = f"; and {len(refused) - MAX_SHOWN} more" if len(refused) > MAX_SHOWN else ""
        assert not refused, f"in a match with press, on {own}: {'; '.join(refused[:MAX_SHOWN])}{more}"


class _Impatient(VirtualClock):
    """Virtual time that limits the real time of each method and of the whole match."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self._patience = patience
        self._until = time.monotonic() + LONGEST * patience

    def get(self, arrivals: queue.SimpleQueue[T], until: float | None, busy: bool) -> T | None:
        if time.monotonic() > self._until:
            raise AssertionError(f"a match with press was not over within {LONGEST * self._patience:g} seconds")
        if not busy:
            return super().get(arrivals, until, busy)
        try:
            return arrivals.get(timeout=self._patience)
        except queue.Empty:
            raise AssertionError(f"a method did not return within {self._patience:g} seconds") from None


def _play_one(
    match: Match, own: Seat, player: Player, others: Mapping[Seat, Player], clock: Watch | None = None
) -> list[Mishap]:
    """Play one match with the player on a seat, check that it does not foul, and return its mishaps."""
    mishaps: list[Mishap] = []
    play(match, {**others, own: Watched(player, mishaps.append)}, clock=clock)
    place = match.state.places[own]
    talk = " in a match with press" if match.state.terms.press.mode is not PressMode.NONE else ""
    assert not place.removed, f"removed as {place.standing} on {own}{talk}: {_why(match, own, mishaps)}"
    assert not place.notes, f"fouled on {own}{talk}: {_why(match, own, mishaps)}"
    assert replay(match.record, match.game).outcome == match.outcome, "the record replays"
    return mishaps


def _why(match: Match, seat: Seat, mishaps: Iterable[Mishap]) -> str:
    fouls = [event for event in match.record if isinstance(event, Fouled) and event.seat == seat]
    places = dict.fromkeys(mishap.place for mishap in mishaps if isinstance(mishap, Crash))
    told = "; ".join(f"{foul.kind.word} in turn {foul.turn}: {foul.detail}" for foul in fouls)
    return f"{told} ({'; '.join(places)})" if places else told
