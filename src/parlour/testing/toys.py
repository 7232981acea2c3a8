"""Two toy games: Nim, in which seats act in turn, and Bids, in which they act at once and hide their hands.

Both are complete games in the sense of core.Game. They are small, and serve as examples for authors of games.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from parlour.core.game import Action, FoulKind, Game, Happened, Outcome, Plain, Seat, Seed, Violation, ranked
from parlour.core.viewers import Viewer
from parlour.errors import ConfigError, NotationError

SEATS = tuple(Seat(name) for name in ("north", "east", "south", "west"))


def _number(config: Mapping[str, Plain], field: str, default: int, low: int, high: int) -> int:
    value = config.get(field, default)
    if type(value) is not int or not low <= value <= high:
        raise ConfigError(f"{field} is {value!r}, expected a whole number from {low} to {high}", field=field)
    return value


def _plain_form(value: Plain, *fields: str) -> dict[str, Plain]:
    if not isinstance(value, dict) or set(value) != set(fields):
        raise NotationError(f"not a position, expected an object with {', '.join(fields)}")
    return value


@dataclass(frozen=True, slots=True)
class NimPosition:
    """A heap and the seats in the order of turns; the seat that takes the last stone wins."""

    heap: int
    order: tuple[Seat, ...]
    last: Seat | None = None
    stage: str = "move"

    def __str__(self) -> str:
        return f"{'●' * self.heap or 'empty'}  ({self.order[0]} to take)" if self.order else "nobody left"

    def to_act(self) -> tuple[Seat, ...]:
        return self.order[:1] if self.heap and self.order else ()

    def alive(self) -> tuple[Seat, ...]:
        return self.order

    def legal(self, seat: Seat) -> Sequence[int]:
        return range(1, min(3, self.heap) + 1) if seat in self.to_act() else ()

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        return rng.choice(self.legal(seat))

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        if type(action) is not int:
            return (Violation("garbled", "", "expected a number of stones", FoulKind.GARBLED),)
        if action not in self.legal(seat):
            return (Violation("heap", str(action)[:20], f"expected 1 to {min(3, self.heap)} stones"),)
        return ()

    def repair(self, seat: Seat, action: Action) -> Action | None:
        return None

    def default(self, seat: Seat) -> Action | None:
        return None

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[NimPosition, Happened]:
        seat = self.order[0]
        taken = actions.get(seat, 0)
        position = replace(self, heap=self.heap - taken, order=(*self.order[1:], seat), last=seat)
        return position, {"seat": seat, "taken": taken}

    def without(self, seat: Seat) -> NimPosition:
        return replace(self, order=tuple(s for s in self.order if s != seat))

    def view(self, viewer: Viewer) -> NimPosition:
        return self

    def outcome(self) -> Outcome | None:
        if not self.order:
            return ranked({}, (), "nobody is left")
        if self.heap:
            return None
        return ranked({s: float(s == self.last) for s in self.order}, self.order, "the heap is empty")

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        return ranked(dict.fromkeys(among, 0.5), among, "draw")

    def encode(self) -> Plain:
        return {"heap": self.heap, "order": list(self.order), "last": self.last}


class NimGame:
    """The rules of Nim: seats take one to three stones in turn."""

    name = "nim"

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        _number(config, "stones", 12, 1, 1000)
        return SEATS[: _number(config, "seats", 2, 2, 4)]

    def fewest(self, config: Mapping[str, Plain]) -> int:
        return 2

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> NimPosition:
        return NimPosition(_number(config, "stones", 12, 1, 1000), tuple(seats))

    def decode(self, value: Plain) -> NimPosition:
        fields = _plain_form(value, "heap", "order", "last")
        if type(fields["heap"]) is not int or fields["heap"] < 0 or not isinstance(fields["order"], list):
            raise NotationError("not a position of nim")
        return NimPosition(fields["heap"], tuple(map(Seat, fields["order"])), fields["last"])


@dataclass(frozen=True, slots=True)
class BidsPosition:
    """Hidden hands, and prizes to bid for. The highest bid takes the prize if no other seat made the same bid.

    If bids are covered, only the winning bid is revealed.
    """

    hands: dict[Seat, tuple[int, ...]]
    scores: dict[Seat, int]
    prizes: tuple[int, ...]
    out: tuple[Seat, ...] = ()
    covered: bool = False
    stage: str = "orders"

    def __str__(self) -> str:
        rows = [f"{seat:6} {self.scores[seat]:3} points  hand {self._hand(seat)}" for seat in self.hands]
        return "\n".join([f"prizes to come: {' '.join(map(str, self.prizes)) or 'none'}", *rows])

    def _hand(self, seat: Seat) -> str:
        return " ".join("?" if card == 0 else str(card) for card in self.hands[seat])

    def to_act(self) -> tuple[Seat, ...]:
        return self.alive() if self.prizes else ()

    def alive(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.hands if seat not in self.out)

    def legal(self, seat: Seat) -> Sequence[int]:
        return self.hands[seat] if seat in self.to_act() else ()

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        return rng.choice(self.legal(seat))

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        if type(action) is not int:
            return (Violation("garbled", "", "expected a card of your hand", FoulKind.GARBLED),)
        if action not in self.legal(seat):
            return (Violation("hand", str(action)[:20], f"{str(action)[:20]} is not in your hand"),)
        return ()

    def repair(self, seat: Seat, action: Action) -> Action | None:
        return self.default(seat)

    def default(self, seat: Seat) -> Action | None:
        return min(self.hands[seat]) if seat in self.to_act() else None

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[BidsPosition, Happened]:
        bids = sorted(actions.values(), reverse=True)
        best = bids[0] if bids and bids[1:2] != bids[:1] else None
        winner = next((seat for seat, bid in actions.items() if bid == best), None)
        hands = {s: _without_card(hand, actions.get(s)) for s, hand in self.hands.items()}
        scores = {s: score + (self.prizes[0] if s == winner else 0) for s, score in self.scores.items()}
        position = replace(self, hands=hands, scores=scores, prizes=self.prizes[1:])
        return position, {"prize": self.prizes[0], "winner": winner, "covered": self.covered}

    def without(self, seat: Seat) -> BidsPosition:
        return replace(self, out=(*self.out, seat)) if seat in self.alive() else self

    def view(self, viewer: Viewer) -> BidsPosition:
        hands = {seat: hand if viewer.knows(seat) else (0,) * len(hand) for seat, hand in self.hands.items()}
        return replace(self, hands=hands, scores=dict(self.scores))

    def outcome(self) -> Outcome | None:
        if self.prizes and self.alive():
            return None
        return ranked({s: float(self.scores[s]) for s in self.alive()}, self.alive(), "all prizes are gone")

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        return ranked(dict.fromkeys(among, 1.0), among, "draw")

    def encode(self) -> Plain:
        return {
            "hands": {seat: list(hand) for seat, hand in self.hands.items()},
            "scores": dict(self.scores),
            "prizes": list(self.prizes),
            "out": list(self.out),
            "covered": self.covered,
        }


def _without_card(hand: tuple[int, ...], card: int | None) -> tuple[int, ...]:
    if card is None:
        return hand[1:] if hand else hand
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]


class BidsGame:
    """The rules of Bids: seats bid a hidden card for each prize."""

    name = "bids"

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        _number(config, "cards", 5, 1, 20)
        return SEATS[: _number(config, "seats", 3, 2, 4)]

    def fewest(self, config: Mapping[str, Plain]) -> int:
        return 2

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> BidsPosition:
        rng = random.Random(seed)
        cards = _number(config, "cards", 5, 1, 20)
        hands = {seat: tuple(sorted(rng.sample(range(1, 2 * cards + 1), cards))) for seat in seats}
        prizes = tuple(rng.sample(range(1, cards + 1), cards))
        return BidsPosition(hands, dict.fromkeys(seats, 0), prizes, covered=config.get("covered") is True)

    def decode(self, value: Plain) -> BidsPosition:
        fields = _plain_form(value, "hands", "scores", "prizes", "out", "covered")
        try:
            hands = {Seat(seat): tuple(map(int, hand)) for seat, hand in fields["hands"].items()}
            scores = {Seat(seat): int(fields["scores"][seat]) for seat in hands}
            prizes, out = tuple(map(int, fields["prizes"])), tuple(map(Seat, fields["out"]))
            return BidsPosition(hands, scores, prizes, out, fields["covered"] is True)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise NotationError("not a position of bids") from None

    def turn_seen(
        self, actions: Mapping[str, Action], happened: Happened, viewer: Viewer
    ) -> tuple[dict[str, Action], Happened]:
        """Return a turn as a viewer may see it; of covered bids only the viewer's own and the winning one."""
        if not happened["covered"]:
            return dict(actions), happened
        shown = {seat: bid for seat, bid in actions.items() if seat == happened["winner"] or viewer.knows(Seat(seat))}
        return shown, happened


NIM: Game = NimGame()
BIDS: Game = BidsGame()
TOYS = {game.name: game for game in (NIM, BIDS)}
