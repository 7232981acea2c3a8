"""What all may know of a match so far, in the protocol's form: each phase that is over, and the board as it stands.

Phases are kept as compressed JSON: a long game costs tens of kilobytes, and whoever joins gets them as they are.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from parlour.core.game import Outcome
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.saved import orders_and_results
from parlour.games.diplomacy.states import StateWriter, write_state
from parlour.games.diplomacy.turn import Turn

OVER = "COMPLETED"
_encode = msgspec.json.encode


class PhaseParts(NamedTuple):
    """A phase as JSON, but for what was said in it."""

    name: str
    state: bytes
    orders: bytes
    results: bytes


class _PackedPhase(NamedTuple):
    name: str
    ended: int
    parts: bytes
    """State, orders and results as JSON, one a line, compressed."""


class Chronicle:
    """The public past of one match."""

    def __init__(self) -> None:
        self._phases: dict[str, _PackedPhase] = {}

    @property
    def names(self) -> list[str]:
        """The phases that are over, in order."""
        return list(self._phases)

    def ended(self, phase: str) -> int:
        """When a phase was over, in microseconds."""
        return self._phases[phase].ended

    def add(self, parts: PhaseParts, ended: int) -> None:
        """Keep a phase that is over."""
        text = b"\n".join((parts.state, parts.orders, parts.results))
        self._phases[parts.name] = _PackedPhase(parts.name, ended, _packed(text))

    def parts(self, phase: str) -> PhaseParts:
        """A phase that is over."""
        kept = self._phases[phase]
        state, orders, results = zlib.decompress(kept.parts).split(b"\n")
        return PhaseParts(phase, state, orders, results)

    def cut(self, phase: str) -> list[str]:
        """Forget a phase that is played again, and all after it; gives their names."""
        names = self.names
        gone = names[names.index(phase) :] if phase in names else []
        for name in gone:
            del self._phases[name]
        return gone


def _packed(text: bytes) -> bytes:
    """Compressed, with as little memory as a text of that size needs: to clear what is usual takes longer."""
    packer = zlib.compressobj(1, zlib.DEFLATED, wbits=12, memLevel=5)
    return packer.compress(text) + packer.flush()


def parts_of_turn(turn: Turn, written: WrittenState, ended: int, defaulted: Sequence[str]) -> PhaseParts:
    """A phase that is over, from what became of it; those whose orders the referee put in have ordered nothing."""
    orders, results = orders_and_results(turn)
    orders.update({name: [] for name in defaulted})
    return PhaseParts(turn.before.phase, written.at(turn.before, ended), _encode(orders), _encode(results))


def parts_of_end(position: Position, written: WrittenState, ended: int) -> PhaseParts:
    """A phase in which a match was ended before anything came of the orders."""
    given: dict[str, list[str]] = {power.name: [] for power in position.board.powers}
    return PhaseParts(position.phase, written.at(position, ended), _encode(given), b"{}")


class WrittenState:
    """The state of the board as JSON, written once for each position: it is told when a phase begins, and again, with
    another time, when it is over.
    """

    def __init__(self, board: Map) -> None:
        self._writer = StateWriter(board)
        self._position: Position | None = None
        self._tail = b""

    def at(self, position: Position, time: int) -> bytes:
        """The state at that time, in microseconds."""
        if self._position is not position and self._position != position:
            self._tail = self._writer.write(position)
        self._position = position
        return b'{"timestamp":%d,%s' % (time, self._tail)

    @staticmethod
    def over(position: Position, time: int, outcome: Outcome) -> bytes:
        """The state of a match that is over."""
        return _encode(write_state(position, timestamp=time, note=note_of(position, outcome)) | {"name": OVER})


def winners_of(position: Position, outcome: Outcome) -> list[str]:
    """Who won in the protocol's sense: the one with a solo, or all who share a draw."""
    if position.solo:
        return [position.solo]
    placed = {name for place in outcome.places for name in place}
    return [name for name in position.centers if name in placed and (position.units[name] or position.centers[name])]


def note_of(position: Position, outcome: Outcome | None) -> str:
    """What the protocol writes under a board: who has won."""
    if outcome is None or not outcome.places:
        return ""
    return f"Victory by: {', '.join(name[:3] for name in winners_of(position, outcome))}"
