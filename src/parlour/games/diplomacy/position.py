"""A position of Diplomacy. It is immutable, prints itself, draws itself, and its repr reads back.

The kernel's flat state describes the whole board. Strings, lists and reasons are made on request.
"""

from __future__ import annotations

import random
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.core.game import Action, FoulKind, Happened, Outcome, Plain, Seat, Violation
from parlour.core.immutable import Immutable
from parlour.core.viewers import Viewer, seated_on
from parlour.errors import ConfigError, IllegalAction, NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.engine.rules import Bytes, MapRules, rules_of
from parlour.games.diplomacy.engine.units import Footing
from parlour.games.diplomacy.formats import fen
from parlour.games.diplomacy.maps.map import SHIPPED, Map, named, standard
from parlour.games.diplomacy.ordering.actions import Actions
from parlour.games.diplomacy.ordering.legality import Entry, OrderParser
from parlour.games.diplomacy.ordering.notation import MAX_LENGTH
from parlour.games.diplomacy.ordering.orders import Order
from parlour.games.diplomacy.ordering.reading import MAX_ORDERS, Orders, read_all
from parlour.games.diplomacy.ordering.reasons import Reason
from parlour.games.diplomacy.ordering.texts import texts
from parlour.games.diplomacy.scoring import Scoring, read_scoring, scored
from parlour.games.diplomacy.variations import Variation

if TYPE_CHECKING:
    from parlour.games.diplomacy.turn import Turn

AGREED = "draw agreed by "
"""Beginning of the reason for an agreed draw; the powers that share in it follow, separated by commas."""
_POWER_OF_BYTE = bytes(byte & k.POWER_MASK for byte in range(256))
MAX_IDLE = 10
"""Number of phases without anything to order for any player after which the match is stopped."""


class Position(Immutable, Footing):
    """A position: the board, the kernel's state, its scoring, the powers removed, and the turn that led here.

    >>> Position.start().resolve({"FRANCE": ["A PAR - BUR"]}).phase
    'F1901M'
    """

    _scoring: Scoring
    _removed: frozenset[int]
    _turn: Turn | None

    def __init__(
        self,
        board: Map,
        state: bytes,
        scoring: Scoring = Scoring.SUM_OF_SQUARES,
        removed: frozenset[int] = frozenset(),
        turn: Turn | None = None,
    ) -> None:
        if board.unplayed:
            removed |= board.unplayed
        self.__dict__.update(_board=board, _state=state, _scoring=scoring, _removed=removed, _turn=turn)

    @staticmethod
    def start(board: Map | None = None, *, last_year: int = 0, scoring: Scoring = Scoring.SUM_OF_SQUARES) -> Position:
        """Return the first position of a board, with a scoring and the last_year of the match, 0 for none."""
        board = board or standard()
        return Position(board, s.first_state(board)).on_terms(last_year, scoring)

    def on_terms(self, last_year: int, scoring: Scoring) -> Position:
        """Return the same position with another last_year (0 for none; ConfigError out of range) and scoring."""
        if not 0 <= last_year <= s.MAX_YEAR:
            raise ConfigError(f"last_year: expected 0 to {s.MAX_YEAR}, got {last_year}", field="last_year")
        state = bytearray(self._state)
        state[k.LAST_YEAR : k.LAST_YEAR + 2] = last_year.to_bytes(2, "little")
        return Position(self._board, bytes(state), scoring, self._removed)

    def under(self, variations: Iterable[Variation]) -> Position:
        """Return the same position played by these variations of the rules and no others."""
        return Position(self._board.under(variations), self._state, self._scoring, self._removed, self._turn)

    @staticmethod
    def read(text: str, board: Map | None = None) -> Position:
        """Return the position of a compact text on a board; raise NotationError for another text."""
        parts = fen.read(text, board)
        scoring = read_scoring(parts.more.pop("scoring", Scoring.SUM_OF_SQUARES))
        tags = [tag for tag in parts.more.pop("removed", "").split(",") if tag]
        if parts.more:
            known = "expected rules, scoring or removed"
            raise NotationError(f"position: unknown {next(iter(parts.more))!r:.40}, {known}")
        removed = frozenset(power.id for power in parts.board.powers if power.tag in tags)
        if len(removed) != len(tags):
            raise NotationError(f"removed: expected tags of powers, got {','.join(tags)!r:.60}")
        return Position(parts.board, parts.state, scoring, removed)

    @property
    def scoring(self) -> Scoring:
        """The scoring system for an end without a solo."""
        return self._scoring

    @property
    def turn(self) -> Turn | None:
        """The turn that led here, with the results of its orders; not part of the position's value."""
        return self._turn

    def led_by(self, turn: Turn) -> Position:
        """Return an equal position that remembers the turn that led here."""
        return Position(self._board, self._state, self._scoring, self._removed, turn)

    def bare(self) -> Position:
        """Return an equal position without the turn that led here."""
        return Position(self._board, self._state, self._scoring, self._removed)

    @property
    def fen(self) -> str:
        """The compact text; Position.read gives the position back."""
        more = {}
        if self._scoring is not Scoring.SUM_OF_SQUARES:
            more["scoring"] = self._scoring.replace(" ", "-")
        if removed := self._removed - self._board.unplayed:
            more["removed"] = ",".join(self._board.powers[number].tag for number in sorted(removed))
        return fen.write(self._board, self._state, more)

    @property
    def retreats(self) -> dict[str, dict[str, list[str]]]:
        """The possible retreats of each dislodged unit."""
        found = {name: {unit: list[str]() for unit in units} for name, units in self.dislodged.items()}
        if any(found.values()):
            for power, name in enumerate(found):
                for text in (text for here in self._by_place(power) for text in here):
                    unit, leads, place = text.partition(" R ")
                    if leads:
                        found[name][unit].append(place)
            for flights in found.values():
                for places in flights.values():
                    places.sort()
        return found

    # Integer actions

    @cached_property
    def row(self) -> Bytes:
        """The state as the kernel takes it: a batch of one, which cannot be written to."""
        return np.frombuffer(self._state, np.uint8).reshape(1, k.STATE)

    @cached_property
    def _rules(self) -> MapRules:
        return rules_of(self._board)

    @cached_property
    def _legal(self) -> tuple[Actions, list[int]]:
        found, offsets = self._rules.legal(self.row)
        actions = found.copy()  # the kernel's array has unused entries at its end
        actions.flags.writeable = False
        return actions, offsets[0].tolist()

    def legal_actions(self, seat: Seat | None = None) -> Actions:
        """Return the legal orders as integer actions: those of one seat, or of all powers."""
        actions, offsets = self._legal
        if seat is None:
            return actions
        power = self.power_of(seat)
        return actions[offsets[power] : offsets[power + 1]]

    def step(self, actions: Actions | Mapping[Seat, Sequence[int]]) -> Position:
        """Return the next position by integer actions: an array [powers, any], padded with 0, or a list for each seat.

        Impossible actions are ignored, and results are not explained.
        """
        if isinstance(actions, Mapping):
            actions = self.padded({self.power_of(seat): chosen for seat, chosen in actions.items()})
        return self.stepped(actions)[0]

    def stepped(self, actions: Actions) -> tuple[Position, bytes]:
        """Return the next position by actions [powers, any], and the kernel's verdicts by province."""
        states, verdicts = self._rules.step(self.row, actions[None])
        return Position(self._board, states[0].tobytes(), self._scoring, self._removed), verdicts[0].tobytes()

    def padded(self, chosen: Mapping[int, Sequence[int]]) -> Actions:
        """Return actions, chosen by power, as an array that step takes."""
        width = max(map(len, chosen.values()), default=0) or 1
        flat = [0] * (width * len(self._board.powers))
        for power, row in chosen.items():
            flat[power * width : power * width + len(row)] = row
        return np.frombuffer(array("q", flat), np.int64).reshape(-1, width)

    def order_of(self, action: int) -> Order:
        """Return the order that an integer action means here."""
        return texts(self._board).order(action, self._state)

    # Orders as text

    @cached_property
    def _listing(self) -> dict[int, list[str]]:
        """The strings of all orders but waived builds, by the province they are for."""
        actions, offsets = self._rules.legal_by_province(self.row)
        return texts(self._board).by_province(actions, offsets[0], self._state)

    @cached_property
    def _places(self) -> list[list[int]]:
        """The provinces for which each power can order something."""
        places: list[list[int]] = [[] for _ in self._board.powers]
        offset = k.DISLODGED if self.stage == "retreats" else k.UNITS
        for place in self._listing:
            owner = self._state[offset + place] & k.POWER_MASK or self._state[k.OWNERS + place]
            places[owner - 1].append(place)
        return places

    @cached_property
    def order_parser(self) -> OrderParser:
        """The reader of orders that are not in strict spelling."""
        return OrderParser(self._board, self._state, self._legal[0].tolist())

    def orders(self) -> dict[str, list[str]]:
        """Return all possible orders by the province of their unit or build."""
        provinces = self._board.provinces
        if self.stage == "adjustments":
            return {
                provinces[place].tag: [*here, "WAIVE"] if here[0].endswith(" B") else list(here)
                for place, here in self._listing.items()
            }
        return {provinces[place].tag: list(here) for place, here in self._listing.items()}

    def orders_at(self, province: int) -> Sequence[str]:
        """Return all possible orders for the unit of a province, or to build one there, without waived builds."""
        return tuple(self._listing.get(province, ()))

    def orderable(self) -> dict[str, list[str]]:
        """Return the provinces for which each power can order something."""
        return {
            power.name: sorted(self._tags(own)) for power, own in zip(self._board.powers, self._places, strict=True)
        }

    def resolve(self, orders: Orders, *, explicit_via: bool = False) -> Position:
        """Return the next position after orders by power; its turn has the result of each order.

        Between neighbours an army goes by sea if the order says VIA. Unless explicit_via, it also goes by sea if a
        fleet of its own power was ordered to convoy it (DATC 4.A.3).
        """
        from parlour.games.diplomacy.turn import play

        return play(self, orders, explicit_via=explicit_via)

    def understand(self, seat: Seat, orders: Sequence[str], *, explicit_via: bool = False) -> list[Entry]:
        """Return the meaning of each of the orders of a seat, or its flaw; explicit_via as in `parlour adjudicate`."""
        power = self.power_of(seat)
        return read_all(self, {power: orders}, explicit_via=explicit_via)[power]

    def listed(self, orders: Mapping[int, Sequence[str]]) -> dict[int, list[Entry]]:
        """Return the orders of powers whose orders are all in the list of possible orders, at most one per unit.

        The result is empty if the list was not made, and in winter, which needs the kernel's checks.
        """
        listing: dict[int, list[str]] | None = self.__dict__.get("_listing")
        if listing is None or self.stage == "adjustments":
            return {}
        known, all_found = texts(self._board).known(self._state), {}
        for power, given in orders.items():
            left, found = set(self._places[power]), []
            for text in given:
                meaning = known.get(text)
                if meaning is None or meaning[1] not in left or text not in listing[meaning[1]]:
                    break
                left.remove(meaning[1])
                found.append(meaning[0])
            else:
                all_found[power] = found
        return all_found

    def reasons(self, chosen: Mapping[int, Sequence[int]]) -> Bytes:
        """Return the kernel's reasons against actions chosen by power: [powers, any], 0 for legal ones."""
        reasons: Bytes = self._rules.check(self.row, self.padded(chosen)[None])[0]
        return reasons

    # The contract of a position

    def to_act(self) -> tuple[Seat, ...]:
        """Return the powers that have something to order and are in the match."""
        return self._acting

    @cached_property
    def _acting(self) -> tuple[Seat, ...]:
        if self.over:
            return ()
        match self.stage:
            case "adjustments":
                return tuple(Seat(name) for name, count in self.builds.items() if count and self._in_match(name))
            case "retreats":
                bytes_of = self._state[k.DISLODGED : k.ORIGINS]
            case _:
                bytes_of = self._state[k.UNITS : k.OWNERS]
        return self._seats_in(bytes_of)

    def alive(self) -> tuple[Seat, ...]:
        """Return the powers that have a unit or a centre and are in the match."""
        return self._living

    @cached_property
    def _living(self) -> tuple[Seat, ...]:
        return self._seats_in(self._state[k.UNITS : k.ORIGINS])

    def _seats_in(self, bytes_of: bytes) -> tuple[Seat, ...]:
        """Return the powers that occur in some bytes of the state and are in the match."""
        powers, found = self._board.powers, set(bytes_of.translate(_POWER_OF_BYTE))
        return tuple(
            [Seat(powers[number - 1].name) for number in sorted(found) if number and number - 1 not in self._removed]
        )

    def legal(self, seat: Seat) -> list[str]:
        """Return all single orders that a seat can give."""
        power = self.power_of(seat)
        found = [text for here in self._by_place(power) for text in here]
        return [*found, "WAIVE"] if found and found[0].endswith(" B") else found

    def _by_place(self, power: int) -> list[list[str]]:
        return [self._listing[place] for place in self._places[power]]

    def sample(self, seat: Seat, rng: random.Random) -> list[str]:
        """Return one random order for each unit of a seat, drawn from rng; in winter the due number of orders."""
        places = self._by_place(self.power_of(seat))
        if self.stage == "adjustments":
            places = rng.sample(places, abs(self.builds[seat]))
        return [rng.choice(here) for here in places]

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        """Return one violation for each bad order in a seat's action, which may have fewer orders than units.

        Where moves are unchecked, any list of texts within the limits is accepted.
        """
        if not isinstance(action, (list, tuple)) or not all(isinstance(text, str) for text in action):
            message = "expected a list of orders such as ['A PAR - BUR']"
            return (Violation(Reason.UNREADABLE, f"{action!r:.40}", message, FoulKind.GARBLED),)
        if self.takes_anything and len(action) <= MAX_ORDERS and max(map(len, action), default=0) <= MAX_LENGTH:
            return ()
        entries = self.view(seated_on(seat)).understand(seat, action) if action else ()
        return tuple([Violation(e.flaw.reason, e.text[:80], e.flaw.message) for e in entries if e.flaw])

    def repair(self, seat: Seat, action: Action) -> list[str] | None:
        """Return the good orders of a seat's action, completed by the defaults of an absent power."""
        if not isinstance(action, (list, tuple)):
            return None
        texts = [text for text in action[: MAX_ORDERS + 1] if isinstance(text, str)]
        good = [entry.text for entry in self.view(seated_on(seat)).understand(seat, texts) if entry.flaw is None]
        return good + self._rest(seat, good)

    def default(self, seat: Seat) -> list[str]:
        """Return the orders of an absent seat: it holds, disbands, waives, or removes units as in civil disorder."""
        return self._rest(seat, [])

    def _rest(self, seat: Seat, good: Sequence[str]) -> list[str]:
        turn = self.resolve({seat: good}).turn
        assert turn is not None
        return [ruling.text for ruling in turn.rulings if ruling.default and ruling.power == seat]

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Position, Happened]:
        """Return the next position after actions by power, and results by power and order; bad orders are void."""
        following = self.following(actions)
        assert following.turn is not None
        return following, following.turn.happened()

    def following(self, actions: Mapping[Seat, Action]) -> Position:
        """Return the position that apply gives for these actions, without results; IllegalAction for a non-list."""
        for seat, action in actions.items():
            if not isinstance(action, (list, tuple)) or not all(isinstance(text, str) for text in action):
                raise IllegalAction("expected a list of orders", seat=seat, part=f"{action!r:.40}")
        return self.resolve(actions)._onward()

    def without(self, seat: Seat) -> Position:
        """Return the position without a seat: its power stays in civil disorder and is not asked again."""
        removed = self._removed | {self.power_of(seat)}
        return Position(self._board, self._state, self._scoring, removed, self._turn)._onward()

    def _onward(self) -> Position:
        """Return the position after default play through phases in which only removed powers can order something.

        MAX_IDLE of these phases end the match. With EVERY_PHASE, they are turns in which nobody is to act.
        """
        position = self
        if Variation.EVERY_PHASE in self._board.variations and not self._deserted:
            return self
        for _ in range(MAX_IDLE):
            if position.over or (position.to_act() and not position._deserted):
                break
            if position._deserted:
                position = position.stopped()
            else:
                position = position.stepped(position.padded({}))[0]
        else:
            position = position.stopped()
        return position if position is self or self._turn is None else position.led_by(self._turn)

    @property
    def _deserted(self) -> bool:
        return bool(self._removed) and len(self.alive()) < 2

    def stopped(self) -> Position:
        """Return the position with the match ended here, by agreement or for lack of players; itself if it was over."""
        if self._state[k.STATUS] != k.Status.RUNNING:
            return self
        state = bytearray(self._state)
        state[k.STATUS] = k.Status.STOPPED
        return Position(self._board, bytes(state), self._scoring, self._removed)

    def view(self, viewer: Viewer) -> Position:
        """Return the position as a viewer may see it: the whole board or, in fog, a part.

        In fog, until the match is over, the part is that which the viewer's units and centres see.
        """
        variations = self._board.variations
        if not variations or Variation.FOG not in variations or viewer.sees_all or viewer.hindsight or self.over:
            return self
        return self._in_fog(viewer)

    def _in_fog(self, viewer: Viewer) -> Position:
        from parlour.games.diplomacy.fog import veiled

        return veiled(self._board, self._state, self._scoring, self._removed, map(self.power_of, viewer.seats))

    def outcome(self) -> Outcome | None:
        """Return the outcome of a solo, a stop or the year limit; None until the match is over."""
        match self._state[k.STATUS]:
            case k.Status.RUNNING:
                return None
            case k.Status.SOLO:
                winner = Seat(self._board.powers[self._state[k.WINNER] - 1].name)
                count = self._counts()[winner]
                return scored(self._scoring, self._counts(), (), f"solo of {winner} with {count} centres", winner)
        alive = self.alive()
        if self._deserted:
            return scored(self._scoring, self._counts(), alive, f"{' '.join(alive) or 'nobody'} is left at the table")
        limit = self.last_year
        when = f"after {limit}, the last year" if limit and self.year > limit else f"in {self.year}"
        return scored(self._scoring, self._counts(), alive, f"stopped {when}")

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        """Return the outcome of a draw now among the given powers."""
        return scored(self._scoring, self._counts(), among, f"{AGREED}{', '.join(among)}")

    def encode(self) -> Plain:
        """Return the compact text."""
        return self.fen

    def _counts(self) -> dict[Seat, int]:
        return {Seat(name): len(owned) for name, owned in self.centers.items()}

    def _in_match(self, name: str) -> bool:
        return self.power_of(Seat(name)) not in self._removed

    # Copies and comparison

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash((self._board.name, self._state))

    def _value(self) -> tuple[Map, bytes, Scoring, frozenset[int]]:
        return self._board, self._state, self._scoring, self._removed

    def __reduce__(self) -> tuple[Any, ...]:
        # A user's own map may have the name of a shipped one.
        varied = self._board.variations
        shipped = self._board.name in SHIPPED and self._board.under(()) == named(self._board.name)
        board = self._board.name if shipped else self._board
        return _restored, (board, self._state, self._scoring, self._removed, varied)

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def __repr__(self) -> str:
        return f"Position.read({self.fen!r})"

    def __str__(self) -> str:
        from parlour.games.diplomacy.display.board_text import write_board

        return write_board(self)

    def _repr_svg_(self) -> str:
        from parlour.games.diplomacy.display.pictures import draw_position

        # Pictures that share a notebook page must not share element ids.
        return draw_position(self, ids=f"p{zlib.crc32(self._state):08x}-")


def _restored(
    board: Map | str, state: bytes, scoring: Scoring, removed: frozenset[int], varied: tuple[Variation, ...] = ()
) -> Position:
    board = named(board) if isinstance(board, str) else board
    return Position(board.under(varied), state, scoring, removed)
