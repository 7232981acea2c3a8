"""The public history of a match in the protocol's form: the past phases, and the current board.

Phases are stored as JSON, compressed several at a time, because they are much alike: a long game takes tens of
kilobytes, and a joining client receives the JSON unchanged.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from parlour.core.game import Outcome
from parlour.games.diplomacy.engine.state import COMPLETED as OVER
from parlour.games.diplomacy.formats.saved import orders_and_results
from parlour.games.diplomacy.formats.states import StateWriter, write_state
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Turn

TOGETHER = 8
"""Number of phases that are compressed together: alone each takes two to five times the time and space."""
_encode = msgspec.json.encode


class PhaseParts(NamedTuple):
    """A phase as JSON, without its messages."""

    name: str
    state: bytes
    orders: bytes
    results: bytes


class Chronicle:
    """The public past of one match."""

    def __init__(self) -> None:
        self._ended: dict[str, int] = {}
        self._loose: dict[str, PhaseParts] = {}
        """The latest phases, which are not compressed yet."""
        self._packed: dict[str, tuple[bytes, int]] = {}
        """The earlier phases: the compressed bytes that hold each, and its place in them."""

    def copied(self) -> Chronicle:
        """Return a copy that does not change with further phases."""
        copy = Chronicle()
        copy._ended, copy._loose, copy._packed = self._ended.copy(), self._loose.copy(), self._packed.copy()
        return copy

    @property
    def names(self) -> list[str]:
        """The names of the past phases, in order."""
        return list(self._ended)

    def ended(self, phase: str) -> int:
        """Return the time at which a phase ended, in microseconds."""
        return self._ended[phase]

    def add(self, parts: PhaseParts, ended: int) -> None:
        """Add a past phase, with the time of its end in microseconds."""
        self._ended[parts.name] = ended
        self._loose[parts.name] = parts
        if len(self._loose) == TOGETHER:
            text = b"\n".join([part for loose in self._loose.values() for part in loose[1:]])
            packed = zlib.compress(text, 1)
            self._packed.update({name: (packed, place) for place, name in enumerate(self._loose)})
            self._loose.clear()

    def parts(self, phase: str) -> PhaseParts:
        """Return a past phase."""
        if phase in self._loose:
            return self._loose[phase]
        packed, place = self._packed[phase]
        return PhaseParts(phase, *_lines(packed)[3 * place : 3 * place + 3])

    def cut(self, phase: str) -> list[str]:
        """Remove a phase that is played again, and all after it; return their names."""
        names = self.names
        gone = names[names.index(phase) :] if phase in names else []
        for name in gone:
            del self._ended[name]
            self._loose.pop(name, None)
            self._packed.pop(name, None)
        return gone


@lru_cache(maxsize=2)
def _lines(packed: bytes) -> list[bytes]:
    """Return the lines of phases that were compressed together; cached, because the next phase is often needed too."""
    return zlib.decompress(packed).split(b"\n")


def parts_of_turn(turn: Turn, written: WrittenState, ended: int, defaulted: Sequence[str]) -> PhaseParts:
    """Return a past phase from its turn; powers with default orders are listed without orders."""
    orders, results = orders_and_results(turn)
    orders.update({name: [] for name in defaulted})
    return PhaseParts(turn.before.phase, written.at(turn.before, ended), _encode(orders), _encode(results))


def parts_of_end(position: Position, written: WrittenState, ended: int) -> PhaseParts:
    """Return a phase in which a match ended before its orders were resolved."""
    given: dict[str, list[str]] = {power.name: [] for power in position.board.powers}
    return PhaseParts(position.phase, written.at(position, ended), _encode(given), b"{}")


class WrittenState:
    """The state of the board as JSON, written once per position: it is sent when a phase begins, and again, with
    another time, when it is over.
    """

    def __init__(self, board: Map) -> None:
        self._writer = StateWriter(board)
        self._position: Position | None = None
        self._tail = b""

    def at(self, position: Position, time: int) -> bytes:
        """Return the state at a time in microseconds."""
        if self._position is not position and self._position != position:
            self._tail = self._writer.write(position)
        self._position = position
        return b'{"timestamp":%d,%s' % (time, self._tail)

    @staticmethod
    def over(position: Position, time: int, outcome: Outcome) -> bytes:
        """Return the state of a finished match."""
        return _encode(write_state(position, timestamp=time, note=note_of(position, outcome)) | {"name": OVER})


def winners_of(position: Position, outcome: Outcome) -> list[str]:
    """Return the winners in the protocol's sense: the power with a solo, or all that share a draw."""
    if position.solo:
        return [position.solo]
    placed = {name for place in outcome.places for name in place}
    return [name for name in position.centers if name in placed and (position.units[name] or position.centers[name])]


def note_of(position: Position, outcome: Outcome | None) -> str:
    """Return the protocol's note under a board: the winners."""
    if outcome is None or not outcome.places:
        return ""
    return f"Victory by: {', '.join(name[:3] for name in winners_of(position, outcome))}"
