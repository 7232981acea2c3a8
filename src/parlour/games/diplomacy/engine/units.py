"""Units and centres of a position: the readable side of the kernel's flat state."""

from __future__ import annotations

from functools import cache, cached_property

from parlour.errors import IllegalAction
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering.legality import build_count, build_sites
from parlour.games.diplomacy.variations import Variation

_RUNNING = int(k.Status.RUNNING)  # a plain int compares faster than an enum member, and `over` is read often
_SHAPE = 0xFF & ~(k.POWER_MASK | k.CONTESTED)
"""The bits of a unit's byte that its text depends on: type and coast."""


@cache
def _spelt(board: Map) -> tuple[tuple[int, str, dict[int, str]], ...]:
    """Return the number, the tag and the unit texts of each province, sorted by tag.

    The texts are keyed by the _SHAPE bits of a unit's byte.
    """
    found = []
    for province in sorted(board.provinces, key=lambda province: province.tag):
        units = [
            s.BoardUnit(0, fleet, province.id, coast) for fleet in (False, True) for coast in range(len(province.areas))
        ]
        texts = {unit.byte & _SHAPE: s.write_unit(unit, board) for unit in units}
        found.append((province.id, province.tag, texts))
    return tuple(found)


@cache
def _names(board: Map) -> tuple[str, ...]:
    return tuple(power.name for power in board.powers)


@cache
def _homes(board: Map) -> dict[str, tuple[str, ...]]:
    provinces = board.provinces
    return {power.name: tuple(sorted(provinces[home].tag for home in power.homes)) for power in board.powers}


class Footing:
    """The board and the state of a position, in the words and spellings of the `diplomacy` package.

    Every dictionary has all powers, in the map's order; every list is sorted by province tag.
    """

    _board: Map
    _state: bytes

    @property
    def board(self) -> Map:
        """The map of the position."""
        return self._board

    @property
    def state(self) -> bytes:
        """The kernel's flat state."""
        return self._state

    def power_of(self, seat: str) -> int:
        """Return the number of the seat's power; raise IllegalAction if the map does not have the seat."""
        number = self._board.power_spellings.get(seat)
        if number is not None and self._board.powers[number].name == seat:
            return number
        known = ", ".join(power.name for power in self._board.powers)
        raise IllegalAction(f"no such seat {seat!r:.40}, expected one of {known}", seat=seat[:40])

    @property
    def over(self) -> bool:
        """True if the match has ended on the board."""
        return self._state[k.STATUS] != _RUNNING

    @property
    def solo(self) -> str:
        """The power that has won alone; empty if none has."""
        won = self._state[k.STATUS] == k.Status.SOLO
        return self._board.powers[self._state[k.WINNER] - 1].name if won else ""

    @property
    def year(self) -> int:
        """The year on the board."""
        return s.word(self._state, k.YEAR)

    @property
    def last_year(self) -> int | None:
        """The last year that is played; None without a limit."""
        return s.word(self._state, k.LAST_YEAR) or None

    @cached_property
    def phase(self) -> str:
        """The phase, for example S1901M, F1901R or W1901A; COMPLETED after the end of the match."""
        return s.COMPLETED if self.over else s.PHASES[self._state[k.SEASON]].format(self.year)

    @property
    def phase_name(self) -> str:
        """The phase in words, for example Spring 1901, movement."""
        if self.over:
            return "Completed"
        return self._board.calendar.phase_name(self._state[k.SEASON], self.year)

    @property
    def stage(self) -> str:
        """The kind of the phase: orders, retreats or adjustments."""
        return s.STAGES[self._state[k.SEASON]]

    @property
    def takes_anything(self) -> bool:
        """True if orders are accepted unchecked, and void orders are found only when the phase is resolved."""
        board = self._board
        return bool(board.variations) and Variation.UNCHECKED in board.variations and self.stage == "orders"

    @property
    def units(self) -> dict[str, list[str]]:
        """The units of each power that are not dislodged."""
        return self._units(k.UNITS)

    @property
    def dislodged(self) -> dict[str, list[str]]:
        """The dislodged units of each power, which must retreat."""
        if not any(self._state[k.DISLODGED : k.ORIGINS]):  # in most positions no unit is dislodged
            return {name: [] for name in _names(self._board)}
        return self._units(k.DISLODGED)

    @property
    def centers(self) -> dict[str, list[str]]:
        """The supply centres that each power owns."""
        return self._owned(k.OWNERS)

    @property
    def influence(self) -> dict[str, list[str]]:
        """The provinces where each power was last."""
        return self._owned(k.INFLUENCE)

    @property
    def homes(self) -> dict[str, list[str]]:
        """The home centres of each power."""
        return {name: list(tags) for name, tags in _homes(self._board).items()}

    @property
    def builds(self) -> dict[str, int]:
        """Number of units that each power may build or, if negative, must remove; all 0 outside winter."""
        if self.stage != "adjustments" or self.over:
            return dict.fromkeys(_names(self._board), 0)
        return {p.name: build_count(self._board, self._state, p.id) for p in self._board.powers}

    @property
    def build_sites(self) -> dict[str, list[str]]:
        """The free centres that each power owns and where it may build."""
        powers = self._board.powers
        return {p.name: sorted(self._tags(build_sites(self._board, self._state, p.id))) for p in powers}

    def _units(self, offset: int) -> dict[str, list[str]]:
        names, state, mask = _names(self._board), self._state, k.POWER_MASK
        found: list[list[str]] = [[] for _ in names]
        for province, _, texts in _spelt(self._board):
            byte = state[offset + province]
            if byte & mask:
                found[(byte & mask) - 1].append(texts[byte & _SHAPE])
        return dict(zip(names, found, strict=True))

    def _owned(self, offset: int) -> dict[str, list[str]]:
        names, state = _names(self._board), self._state
        found: list[list[str]] = [[] for _ in names]
        for province, tag, _ in _spelt(self._board):
            if owner := state[offset + province]:
                found[owner - 1].append(tag)
        return dict(zip(names, found, strict=True))

    def _tags(self, provinces: list[int] | tuple[int, ...]) -> list[str]:
        known = self._board.provinces
        return [known[number].tag for number in provinces]
