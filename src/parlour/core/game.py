"""What a set of rules promises to the rest of the house: Game, Position, Violation, Outcome.

A game knows nothing of clocks, players or wires. It is asked by the referee (is this allowed, what follows), by
agents and environments (what could I do), and by records (where did this match stand).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NewType, Protocol, Self, TypeAlias

import msgspec

if TYPE_CHECKING:
    from parlour.core.viewers import Viewer

Seat = NewType("Seat", str)
"""A place in a match: FRANCE, red."""

Plain: TypeAlias = Any
"""A value that JSON can carry: None, bool, int, float, str, and lists and string-keyed dicts of these."""

Action: TypeAlias = Plain
"""What a seat does in one turn, as a plain value: all orders of a power, one move of a penguin."""

Happened: TypeAlias = dict[str, Plain]
"""What a turn brought about, in the game's own words, as a plain value."""

Seed: TypeAlias = int
"""The root of all randomness of a match; 64 bits, in the record's first event."""


class FoulKind(StrEnum):
    """How a player can misbehave."""

    LATE = "late"  # no answer before the deadline
    ILLEGAL = "illegal"  # well-formed, against the rules: cheating
    GARBLED = "garbled"  # not of the expected form
    CRASHED = "crashed"  # the player raised an error
    DISCONNECTED = "disconnected"  # the player is gone


class Violation(msgspec.Struct, frozen=True):
    """Why an action is not allowed: a kind from the game's closed list, the offending part, a sentence."""

    kind: str
    part: str
    message: str
    foul: FoulKind = FoulKind.ILLEGAL  # or GARBLED, if it is not even of the right form


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended: points by seat, places from first to last (ties share one), and the reason."""

    scores: dict[str, float]
    places: tuple[tuple[str, ...], ...]
    reason: str

    @property
    def winners(self) -> tuple[str, ...]:
        """All who share the first place; nobody if nobody was ranked."""
        return self.places[0] if self.places else ()


def ranked(scores: Mapping[Seat, float], seats: Iterable[Seat], reason: str) -> Outcome:
    """The outcome in which more points are better and equal points share a place; only seats are ranked."""
    ranking: dict[float, list[str]] = {}
    for seat in seats:
        ranking.setdefault(scores[seat], []).append(seat)
    places = tuple(tuple(ranking[score]) for score in sorted(ranking, reverse=True))
    return Outcome(scores={str(seat): float(score) for seat, score in scores.items()}, places=places, reason=reason)


class Position(Protocol):
    """Where a match stands. Immutable: apply and without give new positions."""

    @property
    def stage(self) -> str:
        """The kind of turn: placement, move, orders, retreats, adjustments. A row of the conduct table."""
        ...

    def to_act(self) -> tuple[Seat, ...]:
        """The seats that are to act now: one or several; none when the game is over, or in a turn that passes by itself
        because there is nothing to do in it.
        """
        ...

    def alive(self) -> tuple[Seat, ...]:
        """The seats still in the game: neither removed nor eliminated."""
        ...

    def legal(self, seat: Seat) -> Sequence[Plain]:
        """What the seat may choose from: whole actions, or in Diplomacy the single orders an action is made of."""
        ...

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        """One legal action at random: what a random player does."""
        ...

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        """Empty if the action is allowed; takes any plain value, however wrong, and never raises."""
        ...

    def mend(self, seat: Seat, action: Action) -> Action | None:
        """The part of the action that is allowed, completed by defaults; None if nothing of it can be kept."""
        ...

    def default(self, seat: Seat) -> Action | None:
        """What an absent seat does (holds, disbands); None where absence is a foul."""
        ...

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Self, Happened]:
        """The next position and what happened. A seat to act that is not in actions passes its turn."""
        ...

    def without(self, seat: Seat) -> Self:
        """The position after the seat was removed from the match."""
        ...

    def view(self, viewer: Viewer) -> Self:
        """The position as that viewer may see it; itself, where it hides nothing."""
        ...

    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        ...

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        """The outcome if these seats agree on a draw now."""
        ...

    def encode(self) -> Plain:
        """All of the position as a plain value; Game.decode gives an equal position back."""
        ...


class Game(Protocol):
    """A set of rules.

    A game that is to be played by name also has a declaration (core.declaration), which says of it what all others
    have to know.

    A game with a language of its own may also have press_check, the name (module:function) of what looks at press
    before it is delivered: given text, level, position, sender and addressees, it gives a Refusal or None.

    A game in which some of a turn stays covered may also have turn_seen: given the actions and what happened of a
    turn that has ended, and a viewer, it gives the two as that viewer may see them.
    """

    @property
    def name(self) -> str:
        """The word for it on the command line and in records."""
        ...

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        """All seats that a match with this configuration can have, in order. ConfigError on a bad one."""
        ...

    def fewest(self, config: Mapping[str, Plain]) -> int:
        """How many seats must be taken before a match can start."""
        ...

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Position:
        """The first position for those seats. All chance is drawn from the seed."""
        ...

    def decode(self, value: Plain) -> Position:
        """The position that encode gave as value; NotationError if it is none."""
        ...


class View(msgspec.Struct, frozen=True):
    """What one seat is shown when it is asked to act."""

    seat: Seat
    position: Position
    turn: int
    deadline: float | None = None
    """When the answer must be there, on the match's clock; None without a limit."""
    remaining: float | None = None
    """Seconds until then, as of the moment of asking."""
