"""One adjudicated phase: what was ordered, what became of it, and what the engine did where nothing was ordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from parlour.core.game import Happened
from parlour.core.immutable import Immutable
from parlour.errors import IllegalAction
from parlour.games.diplomacy import actions as a
from parlour.games.diplomacy import codes as k
from parlour.games.diplomacy import state as s
from parlour.games.diplomacy.actions import OrderKind, action_table
from parlour.games.diplomacy.legality import Entry
from parlour.games.diplomacy.reading import Orders, read_all
from parlour.games.diplomacy.reasons import Flaw, Reason
from parlour.games.diplomacy.texts import texts

if TYPE_CHECKING:
    from parlour.games.diplomacy.explain import Explanation
    from parlour.games.diplomacy.position import Position


class Verdict(StrEnum):
    """What became of an order."""

    SUCCEEDED = "succeeded"
    BOUNCED = "bounced"
    CUT = "cut"
    DISLODGED = "dislodged"
    VOID = "void"
    NO_CONVOY = "no convoy"
    DISRUPTED = "disrupted"


_VERDICTS: dict[int, Verdict] = {
    k.VerdictCode.SUCCEEDED: Verdict.SUCCEEDED,
    k.VerdictCode.BOUNCED: Verdict.BOUNCED,
    k.VerdictCode.CUT: Verdict.CUT,
    k.VerdictCode.VOID: Verdict.VOID,
    k.VerdictCode.NO_CONVOY: Verdict.NO_CONVOY,
    k.VerdictCode.DISRUPTED: Verdict.DISRUPTED,
    k.VerdictCode.DISBANDED: Verdict.SUCCEEDED,  # what nobody ordered otherwise was done
}
_DISLODGED, _DESTROYED = int(k.UnitMark.DISLODGED), int(k.UnitMark.DESTROYED)  # plain ints are quicker to test against


class Ruling(msgspec.Struct, frozen=True):
    """What became of one order."""

    power: str
    text: str
    """The order in strict spelling, or as given if it could not be read."""
    verdict: Verdict
    action: int | None
    """What was carried out; None if the order was void."""
    flaw: Flaw | None = None
    """Why it was void before anything was adjudicated."""
    default: bool = False
    """Nobody ordered it: a hold, a disbandment, a waived build, a removal in civil disorder."""

    def __str__(self) -> str:
        return f"{self.text}: {self.verdict}"


class Turn(Immutable):
    """A phase between two positions. Rulings are in the order of powers, as given, defaults last."""

    before: Position
    after: Position
    verdicts: bytes
    _entries: Mapping[int, Sequence[Entry]]

    def __init__(
        self, before: Position, after: Position, entries: Mapping[int, Sequence[Entry]], verdicts: bytes
    ) -> None:
        self.__dict__.update(before=before, after=after, verdicts=verdicts, _entries=entries)

    @cached_property
    def rulings(self) -> tuple[Ruling, ...]:
        """All orders of the phase with their verdicts."""
        found = []
        moved = self.before.stage == "orders"
        units = self._provinces(k.DISLODGED if self.before.stage == "retreats" else k.UNITS)
        for power in self.before.board.powers:
            entries = self._entries.get(power.id, ())
            found += [self._ruling(power.name, entry, moved) for entry in entries]
            done = [entry.action for entry in entries if entry.action is not None]
            defaults = self._defaults(power.id, done, units[power.id])
            found += self._by_default(power.name, defaults, moved)
        return tuple(found)

    @property
    def results(self) -> dict[str, dict[str, Verdict]]:
        """The verdict on each order that was given, by power; of two orders with one text the first counts."""
        found: dict[str, dict[str, Verdict]] = {}
        for ruling in self.rulings:
            if not ruling.default:
                found.setdefault(ruling.power, {}).setdefault(ruling.text, ruling.verdict)
        return found

    @property
    def defaults(self) -> list[str]:
        """The orders that nobody gave and the engine carried out."""
        return [ruling.text for ruling in self.rulings if ruling.default]

    @property
    def disbanded(self) -> dict[str, list[str]]:
        """The units that left the board: dislodged with nowhere to go, or disbanded instead of retreating."""
        found: dict[str, list[str]] = {}
        match self.before.stage:
            case "orders":
                lost = [province for province, byte in enumerate(self.verdicts) if byte & _DESTROYED]
                gone = [u for province in lost if (u := s.unit_at(self.before.state, k.UNITS, province)) is not None]
            case "retreats":
                safe = {
                    a.ordered(ruling.action)
                    for ruling in self.rulings
                    if ruling.action is not None
                    and a.kind_of(ruling.action) == OrderKind.RETREAT_TO
                    and ruling.verdict is Verdict.SUCCEEDED
                }
                gone = [u for u in self._units(k.DISLODGED) if u.province not in safe]
            case _:
                gone = []
        for unit in gone:
            name = self.before.board.powers[unit.power].name
            found.setdefault(name, []).append(s.write_unit(unit, self.before.board))
        return found

    def _provinces(self, offset: int) -> list[list[int]]:
        """Where the units of each power are."""
        board = self.before.board
        found: list[list[int]] = [[] for _ in board.powers]
        for province, byte in enumerate(self.before.state[offset : offset + len(board.provinces)]):
            if byte & k.POWER_MASK:
                found[(byte & k.POWER_MASK) - 1].append(province)
        return found

    def _units(self, offset: int) -> Iterator[s.BoardUnit]:
        return s.units_in(self.before.state, offset, self.before.board)

    @cached_property
    def explanations(self) -> tuple[Explanation, ...]:
        """Why each order fared as it did, one for each ruling."""
        from parlour.games.diplomacy.explain import explain

        return explain(self)

    def happened(self) -> Happened:
        """The turn as a plain value."""
        void: dict[str, dict[str, str]] = {}
        for ruling in self.rulings:
            if ruling.flaw is not None:
                void.setdefault(ruling.power, {})[ruling.text] = ruling.flaw.message
        return {
            "phase": self.before.phase,
            "next": self.after.phase,
            "results": {name: {text: str(v) for text, v in own.items()} for name, own in self.results.items()},
            "void": void,
            "defaults": self.defaults,
            "disbanded": self.disbanded,
        }

    def _ruling(self, name: str, entry: Entry, moved: bool) -> Ruling:
        if entry.action is None:
            return Ruling(name, entry.text, Verdict.VOID, None, entry.flaw)
        return Ruling(name, entry.text, self._verdict(entry.action, moved), entry.action)

    def _by_default(self, name: str, actions: Sequence[int], moved: bool) -> list[Ruling]:
        if not actions:
            return []
        spelt = texts(self.before.board).of(np.array(actions, np.int64), self.before.state)
        return [
            Ruling(name, text, self._verdict(action, moved), action, default=True)
            for text, action in zip(spelt, actions, strict=True)
        ]

    def _verdict(self, action: int, moved: bool) -> Verdict:
        """The verdict on an action of a phase in which units moved, or of another."""
        if a.kind_of(action) == OrderKind.WAIVE:
            return Verdict.SUCCEEDED
        byte = self.verdicts[a.ordered(action)]
        return Verdict.DISLODGED if moved and byte & _DISLODGED else _VERDICTS[byte & 15]

    def _defaults(self, power: int, done: Sequence[int], units: Sequence[int]) -> list[int]:
        """What the engine did beyond the orders of a power with units in these provinces, as actions."""
        if self.before.over:
            return []
        ordered = {a.ordered(action) for action in done if a.kind_of(action) != OrderKind.WAIVE}
        idle = [province for province in units if province not in ordered]
        find = action_table(self.before.board).find
        match self.before.stage:
            case "orders" | "retreats" if not idle:
                return []
            case "orders":
                kind = OrderKind.HOLD
            case "retreats":
                kind = OrderKind.DISBAND
            case _:
                kind, due = OrderKind.REMOVE, self.before.builds[self.before.board.powers[power].name]
                if due > 0:
                    return [action for action in [find(OrderKind.WAIVE)] * (due - len(done)) if action is not None]
                idle = [province for province in idle if not self.after.state[k.UNITS + province]] if due else []
        return [action for province in idle if (action := find(kind, province)) is not None]


def play(position: Position, orders: Orders, *, explicit_via: bool = False) -> Position:
    """Adjudicate a phase from orders as text; the position that follows has the turn."""
    given = {position.power_of(seat): own for seat, own in orders.items()}
    for seat, own in orders.items():
        if isinstance(own, str):
            raise IllegalAction("expected a list of orders, got a string", seat=seat, part=own[:40])
    entries = read_all(position, given, explicit_via=explicit_via)
    _match_shores(position, entries)
    chosen = {power: [entry.action for entry in own if entry.action is not None] for power, own in entries.items()}
    following, verdicts = position.stepped(position.padded(chosen))
    # Bare, so that a match does not drag its whole past along.
    return following.led_by(Turn(position.bare(), following, entries, verdicts))


def _match_shores(position: Position, entries: dict[int, list[Entry]]) -> None:
    """DATC 4.B.4: a support that names another shore than the fleet's own order does not count."""
    if not any(entry.coast for own in entries.values() for entry in own):
        return
    moves = {
        a.ordered(entry.action): entry.action
        for own in entries.values()
        for entry in own
        if entry.action is not None and a.kind_of(entry.action) == OrderKind.MOVE_TO
    }
    for own in entries.values():
        for at, entry in enumerate(own):
            if entry.action is None or not entry.coast:
                continue
            move = moves.get(a.third(entry.action))
            if move is None or a.target(move) != a.target(entry.action):
                continue
            order = position.order_of(move)
            if order.unit.startswith("F") and order.target.partition("/")[2] not in ("", entry.coast):
                flaw = Flaw(Reason.WRONG_COAST, entry.coast, f"the coast in {order}", order.target)
                own[at] = Entry(entry.text, None, flaw)
