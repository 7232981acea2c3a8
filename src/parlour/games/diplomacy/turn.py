"""An adjudicated phase: the orders, their results, and the engine's default orders for units without any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from parlour.core.game import Happened, Seat
from parlour.core.immutable import Immutable
from parlour.core.viewers import seated_on
from parlour.errors import IllegalAction
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table
from parlour.games.diplomacy.ordering.legality import Entry
from parlour.games.diplomacy.ordering.reading import Orders, read_all
from parlour.games.diplomacy.ordering.reasons import Flaw, Reason
from parlour.games.diplomacy.ordering.texts import texts
from parlour.games.diplomacy.variations import Variation

if TYPE_CHECKING:
    from parlour.games.diplomacy.explaining.explain import Explanation
    from parlour.games.diplomacy.position import Position


class Verdict(StrEnum):
    """Result of an order."""

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
    k.VerdictCode.DISBANDED: Verdict.SUCCEEDED,  # a unit removed by default
}
_SUCCEEDED, _WAS_DISLODGED = Verdict.SUCCEEDED, Verdict.DISLODGED
# Plain ints are faster to test against, and every unit of every turn is tested.
_DISLODGED, _DESTROYED = int(k.UnitMark.DISLODGED), int(k.UnitMark.DESTROYED)
_DESTROYED_BYTES = bytes(byte & _DESTROYED for byte in range(256))
_WAIVE, _REMOVE = int(OrderKind.WAIVE), int(OrderKind.REMOVE)
_BY_DEFAULT = {"orders": int(OrderKind.HOLD), "retreats": int(OrderKind.DISBAND), "adjustments": _REMOVE}
"""Order kind for units without an order, by stage; in winter only for surplus units."""


class Ruling(msgspec.Struct, frozen=True):
    """An order and its result."""

    power: str
    text: str
    """The order in strict spelling, or as given if it could not be read."""
    verdict: Verdict
    action: int | None
    """The action that was carried out; None if the order was void."""
    flaw: Flaw | None = None
    """The reason why the order was void before adjudication."""
    default: bool = False
    """True for a default: a hold, a disbandment, a waived build, a removal in civil disorder."""

    def __str__(self) -> str:
        return f"{self.text}: {self.verdict}"


class Turn(Immutable):
    """A phase between two positions. Rulings are in the order of powers, as given, defaults last.

    Args:
        before: Position in which the orders were given.
        after: Position after the orders.
        entries: Orders by power.
        verdicts: The kernel's verdicts by province.
    """

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
        board, moved = self.before.board, self.before.stage == "orders"
        defaults = self._defaults()
        # All strings are made in one call, which costs as much as a call for one power.
        actions = np.array([action for own in defaults for action in own], np.int64)
        spelt = iter(texts(board).of(actions, self.before.state))
        found = []
        for power, own in zip(board.powers, defaults, strict=True):
            name = power.name
            for entry in self._entries.get(power.id, ()):
                if entry.action is None:
                    found.append(Ruling(name, entry.text, Verdict.VOID, None, entry.flaw))
                else:
                    found.append(Ruling(name, entry.text, self._verdict(entry.action, moved), entry.action))
            found += [Ruling(name, next(spelt), self._verdict(action, moved), action, None, True) for action in own]
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
                marked = self.verdicts.translate(_DESTROYED_BYTES)
                lost = [province for province, byte in enumerate(marked) if byte] if any(marked) else []
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

    def leaves(self, ruling: Ruling) -> bool:
        """Return True if the unit of an order left the board in this phase, whatever the order was.

        Args:
            ruling: Order of this turn with its result.
        """
        if ruling.action is None:
            return False
        kind = a.kind_of(ruling.action)
        match self.before.stage:
            case "orders":
                return bool(self.verdicts[a.ordered(ruling.action)] & _DESTROYED)
            case "retreats":
                return kind != OrderKind.RETREAT_TO or ruling.verdict is not Verdict.SUCCEEDED
            case _:
                return kind == OrderKind.REMOVE

    def result_of(self, ruling: Ruling) -> str:
        """Return the result of an order in words.

        The words add that the unit left the board, unless the order itself was to disband.

        Args:
            ruling: Order of this turn with its result.
        """
        disbands = ruling.action is not None and a.kind_of(ruling.action) in (OrderKind.DISBAND, OrderKind.REMOVE)
        gone = self.leaves(ruling) and not disbands
        return f"{ruling.verdict}, disbanded" if gone else str(ruling.verdict)

    def _provinces(self, offset: int) -> list[list[int]]:
        """Return the provinces of each power's units."""
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
        """The reasons for the result of each order, one explanation per ruling."""
        from parlour.games.diplomacy.explaining.explain import explain

        return explain(self)

    def happened(self) -> Happened:
        """Return the turn as a plain value."""
        results: dict[str, dict[str, str]] = {}
        void: dict[str, dict[str, str]] = {}
        defaults: list[str] = []
        for ruling in self.rulings:
            if ruling.default:
                defaults.append(ruling.text)
            else:
                results.setdefault(ruling.power, {}).setdefault(ruling.text, ruling.verdict.value)
                if ruling.flaw is not None:
                    void.setdefault(ruling.power, {})[ruling.text] = ruling.flaw.message
        return {
            "phase": self.before.phase,
            "next": self.after.phase,
            "results": results,
            "void": void,
            "defaults": defaults,
            "disbanded": self.disbanded,
            **({"fog": True} if Variation.FOG in self.before.board.variations else {}),
        }

    def _verdict(self, action: int, moved: bool) -> Verdict:
        """Return the verdict on an action; moved is True in a movement phase."""
        if action & 255 == _WAIVE:
            return _SUCCEEDED
        byte = self.verdicts[action >> 9 & 127]
        return _WAS_DISLODGED if moved and byte & _DISLODGED else _VERDICTS[byte & 15]

    def _defaults(self) -> list[list[int]]:
        """Return the actions that the engine added to the orders of each power."""
        before, board = self.before, self.before.board
        if before.over:
            return [[] for _ in board.powers]
        stage = before.stage
        known, kind = action_table(board).by_low, _BY_DEFAULT[stage]
        builds = list(before.builds.values()) if stage == "adjustments" else []
        found: list[list[int]] = []
        for power, units in enumerate(self._provinces(k.DISLODGED if stage == "retreats" else k.UNITS)):
            done = [entry.action for entry in self._entries.get(power, ()) if entry.action is not None]
            if done:
                ordered = {action >> 9 & 127 for action in done if action & 255 != _WAIVE}
                units = [province for province in units if province not in ordered]
            if builds and builds[power] > 0:
                found.append([known[_WAIVE]] * (builds[power] - len(done)))
                continue
            if builds:
                units = [each for each in units if builds[power] and not self.after.state[k.UNITS + each]]
            found.append([known[kind | province << 9] for province in units])
        return found


def play(position: Position, orders: Orders, *, explicit_via: bool = False) -> Position:
    """Adjudicate a phase from orders as text; return the next position, which has the turn."""
    given = {position.power_of(seat): own for seat, own in orders.items()}
    for seat, own in orders.items():
        if isinstance(own, str):
            raise IllegalAction("expected a list of orders, got a string", seat=seat, part=own[:40])
    variations = position.board.variations
    if variations and Variation.FOG in variations:
        # Each power's orders are read in its own view: reasons from the whole board would reveal hidden units.
        views = {power: position.view(seated_on(Seat(position.board.powers[power].name))) for power in given}
        entries = {p: read_all(views[p], {p: own}, explicit_via=explicit_via)[p] for p, own in given.items()}
    else:
        entries = read_all(position, given, explicit_via=explicit_via)
    _match_shores(position, entries)
    chosen = {power: [entry.action for entry in own if entry.action is not None] for power, own in entries.items()}
    following, verdicts = position.stepped(position.padded(chosen))
    # The turn keeps the position without its own last turn, or every position would keep the whole match.
    return following.led_by(Turn(position.bare(), following, entries, verdicts))


def _match_shores(position: Position, entries: dict[int, list[Entry]]) -> None:
    """Void supports that name another shore than the fleet's own order (DATC 4.B.4)."""
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
                foggy = Variation.FOG in position.board.variations
                told = ("that of the fleet's order", "") if foggy else (f"the coast in {order}", order.target)
                flaw = Flaw(Reason.WRONG_COAST, entry.coast, *told)
                own[at] = Entry(entry.text, None, flaw)
