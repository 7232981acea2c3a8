"""The contract of a set of rules: Game, Position, Violation, Outcome.

A game has no clocks, players or wires. The referee asks it for legality and results, agents and environments for
choices, records for the position of a match.
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
"""The action of a seat in one turn, as a plain value: all orders of a power, one move of a penguin."""

Happened: TypeAlias = dict[str, Plain]
"""The results of a turn, in the game's own words, as a plain value."""

Seed: TypeAlias = int
"""The root of all randomness of a match: a whole number of 64 bits, stored in the record's first event."""


class FoulKind(StrEnum):
    """The kinds of a player's misbehaviour."""

    LATE = "late"  # no answer before the deadline
    ILLEGAL = "illegal"  # an action of the right form that breaks the rules: cheating
    GARBLED = "garbled"  # an answer that does not have the expected form
    CRASHED = "crashed"  # the player raised an error
    DISCONNECTED = "disconnected"  # the player is gone

    @property
    def word(self) -> str:
        """The word for people; records and programs have the value of the member."""
        return "gone" if self is FoulKind.DISCONNECTED else self.value


class Violation(msgspec.Struct, frozen=True):
    """The reason an action is not allowed: a kind from the game's closed list, the offending part, a sentence."""

    kind: str
    part: str
    message: str
    foul: FoulKind = FoulKind.ILLEGAL  # or GARBLED, if it is not even of the right form


class Outcome(msgspec.Struct, frozen=True):
    """The end of a match: points by seat, places from first to last (ties share one), and the reason."""

    scores: dict[str, float]
    places: tuple[tuple[str, ...], ...]
    reason: str

    @property
    def winners(self) -> tuple[str, ...]:
        """Seats that share the first place; empty if there is no ranking."""
        return self.places[0] if self.places else ()


def ranked(scores: Mapping[Seat, float], seats: Iterable[Seat], reason: str) -> Outcome:
    """Return the outcome that ranks `seats` by points, the most first; equal points share a place."""
    ranking: dict[float, list[str]] = {}
    for seat in seats:
        ranking.setdefault(scores[seat], []).append(seat)
    places = tuple(tuple(ranking[score]) for score in sorted(ranking, reverse=True))
    return Outcome(scores={str(seat): float(score) for seat, score in scores.items()}, places=places, reason=reason)


class Position(Protocol):
    """The state of a match. Immutable: `apply` and `without` return new positions."""

    @property
    def stage(self) -> str:
        """The kind of turn: placement, move, orders, retreats or adjustments. Conduct tables have rows for it."""

    def to_act(self) -> tuple[Seat, ...]:
        """Return the seats that are to act now.

        There are none when the game is over, or in a turn that passes automatically because nothing can be done in it.
        """

    def alive(self) -> tuple[Seat, ...]:
        """Return the seats still in the game: neither removed nor eliminated."""

    def legal(self, seat: Seat) -> Sequence[Plain]:
        """Return the seat's choices: whole actions, or in Diplomacy the single orders that an action consists of."""

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        """Return one legal action, drawn at random."""

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        """Return the violations of an action; none if it is allowed. Accepts any plain value and never raises."""

    def repair(self, seat: Seat, action: Action) -> Action | None:
        """Return the allowed part of the action, completed by defaults; None if no part of it can be kept."""

    def default(self, seat: Seat) -> Action | None:
        """Return the action of an absent seat (holds, disbands); None where absence is a foul."""

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Self, Happened]:
        """Return the next position and the results. A seat to act that is not in `actions` passes its turn."""

    def without(self, seat: Seat) -> Self:
        """Return the position after the seat was removed from the match."""

    def view(self, viewer: Viewer) -> Self:
        """Return the position as that viewer may see it; the position itself if it hides nothing."""

    def outcome(self) -> Outcome | None:
        """Return the outcome; None while the game continues."""

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        """Return the outcome if these seats agree on a draw now."""

    def encode(self) -> Plain:
        """Return the whole position as a plain value, from which `Game.decode` makes an equal position."""


class Game(Protocol):
    """A set of rules.

    A game that is to be played by name also has a declaration (core.declaration), which all other layers read.

    A game with a language of its own may also have press_check, the name (module:function) of the check of press before
    it is delivered. It takes text, level, position, sender and addressees, and returns a Refusal or None.

    A game in which a part of a turn stays secret may also have turn_seen. It takes the actions and the results of an
    ended turn, and a viewer, and returns both as that viewer may see them.
    """

    @property
    def name(self) -> str:
        """The game's name on the command line and in records."""

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        """Return all seats of a match with this configuration, in order; raise ConfigError if it is invalid."""

    def fewest(self, config: Mapping[str, Plain]) -> int:
        """Return the number of seats that must be taken before a match can start."""

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Position:
        """Return the first position for those seats. All randomness is drawn from the seed."""

    def decode(self, value: Plain) -> Position:
        """Return the position that `encode` turned into `value`; raise NotationError if it is not a position."""


class View(msgspec.Struct, frozen=True):
    """The match as one seat sees it when it is asked to act."""

    seat: Seat
    position: Position
    turn: int
    deadline: float | None = None
    """Time by which the answer must arrive, on the match's clock; None without a limit."""
    remaining: float | None = None
    """Seconds until then, as of the moment of asking."""


def phase_of(position: Position | None) -> str:
    """Return the position's phase if the game names one, else its stage; empty without a position."""
    return "" if position is None else str(getattr(position, "phase", "") or position.stage)
