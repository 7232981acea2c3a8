"""Conformance checks for those who write a game or a player: check_game, check_player.

Each raises AssertionError with what was wrong and what was expected; if it returns, the law held on all that it tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from parlour.agents.chance import RandomPlayer
from parlour.core.game import Action, FoulKind, Game, Plain, Position, Seat
from parlour.core.player import Player
from parlour.core.terms import Clock, Terms
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match, replay

GARBAGE: tuple[Plain, ...] = (
    None, True, -1, 10**30, 1.5, "", "x" * 10_000, [], {}, [[]], [None], {"a": []}, [["A PAR H"]], [1, 2, 3],
    [[0, 0], [10**6, -1]], "skip", [[[[[[]]]]]], ["\x00"],
)  # fmt: skip
"""Plain values of all kinds that no position should choke on."""


def check_game(game: Game, config: Mapping[str, Plain] | None = None, *, matches: int = 5, turns: int = 300) -> None:
    """Play random matches and check the contract of Game and Position at every step."""
    config = dict(config or {})
    for seed in range(matches):
        rng = random.Random(seed)
        seats = game.seats(config)
        assert len(set(seats)) == len(seats) >= game.fewest(config), "seats are distinct and enough to start"
        position = game.start(config, seats, seed)
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
        position.view(seat).encode()
    position.view(None).encode()
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
        mended = position.mend(seat, garbage)
        assert mended is None or position.check(seat, mended) == (), f"a mended action is legal: {mended!r}"


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
    """Let the player meet random ones on every seat under strict conduct; it must not foul, whatever it meets."""
    config = dict(config or {})
    seats = game.seats(config)
    for number in range(matches):
        for own in seats:
            players: dict[Seat, Player] = {seat: RandomPlayer(number * 100 + i) for i, seat in enumerate(seats)}
            players[own] = player()
            match = Match(game, config, Terms(conduct=STRICT, clock=Clock(per_turn=per_turn)), number)
            play(match, players)
            place = match.state.places[own]
            assert not place.removed, f"removed as {place.standing} on {own}: {_why(match, own)}"
            assert not place.notes, f"fouled on {own}: {_why(match, own)}"
            assert replay(match.record, game).outcome == match.outcome, "the record replays"


def _why(match: Match, seat: Seat) -> str:
    fouls = [event for event in match.record if getattr(event, "kind", None) is not None]
    return "; ".join(f"{e.kind} in turn {e.turn}: {e.detail}" for e in fouls if e.seat == seat)  # type: ignore[union-attr]
