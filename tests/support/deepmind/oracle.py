"""A slow oracle of published observations, written from their description and from strings, not from flat states."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from parlour.deepmind import RandomPolicy, State
from parlour.games.diplomacy.position import Position

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
SEASONS = {"S-M": 0, "S-R": 1, "F-M": 2, "F-R": 3, "W-A": 4}


def season(position: Position) -> int:
    """Return the number of the season, from the name of the phase."""
    return SEASONS[f"{position.phase[0]}-{position.phase[-1]}"]


def build_numbers(position: Position, last_removals: Sequence[int]) -> list[int]:
    """In winter centres less units, at most the free homes; otherwise the removals of the last winter."""
    if season(position) != 4:
        return [min(0, number) for number in last_removals]
    numbers = []
    for power in POWERS:
        due = len(position.centers[power]) - len(position.units[power])
        numbers.append(min(due, len(_free_homes(position, power))))
    return numbers


def board(position: Position) -> npt.NDArray[np.uint8]:
    """Return the 81 x 35 board, row by row and flag by flag."""
    areas = {area.tag: area.id for area in position.board.areas}
    rows = np.zeros((81, 35), np.uint8)
    for tag, row in areas.items():
        kind = position.board.provinces[position.board.areas[row].province].kind
        rows[row, 26 if "/" in tag else {"land": 24, "sea": 25, "coast": 24}[kind]] = 1
        rows[row, [2, 10, 15, 23]] = 1
        if position.board.provinces[position.board.areas[row].province].centre:
            rows[row, 34] = 1
    for number, power in enumerate(POWERS):
        for centre in position.centers[power]:
            for row in _rows(areas, centre):
                rows[row, 27 + number], rows[row, 34] = 1, 0
        for unit in position.units[power]:
            for row in _shown(areas, unit):
                rows[row, [2, 10]] = 0
                rows[row, [int(unit[0] == "F"), 3 + number]] = 1
        for unit in position.dislodged[power]:
            for row in _shown(areas, unit):
                rows[row, [15, 23]] = 0
                rows[row, [13 + int(unit[0] == "F"), 16 + number]] = 1
        if season(position) == 4:
            due = build_numbers(position, [0] * 7)[number]
            for home in _free_homes(position, power) if due > 0 else []:
                rows[_rows(areas, home), 11] = 1
            for unit in position.units[power] if due < 0 else []:
                rows[areas[unit[2:]], 12] = 1
    return rows


def _rows(areas: dict[str, int], province: str) -> list[int]:
    return [row for tag, row in areas.items() if tag.partition("/")[0] == province]


def _shown(areas: dict[str, int], unit: str) -> set[int]:
    return {areas[unit[2:]], areas[unit[2:].partition("/")[0]]}


def _free_homes(position: Position, power: str) -> list[str]:
    taken = {unit[2:].partition("/")[0] for units in position.units.values() for unit in units}
    return [home for home in position.homes[power] if home in position.centers[power] and home not in taken]


def random_states(seed: int, phases: int) -> Iterator[State]:
    """Yield the states of random play, one after the other; a game that ends is followed by another."""
    policy, state = RandomPolicy(random.Random(seed)), State()
    for _ in range(phases):
        yield state
        actions, _ = policy.actions(range(7), state.observation(), state.legal_actions())
        state = state.copy()
        state.step(actions)
        if state.is_terminal() or state.year > 1912:
            state = State()
