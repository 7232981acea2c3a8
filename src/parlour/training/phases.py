"""Phases of matches to learn from: flat states with the orders played in them, small enough to keep a million."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ORDERS, is_waive
from parlour.deepmind.legal import legal
from parlour.deepmind.network.parameters import whole_file
from parlour.deepmind.network.plan import Ints, shrunk_actions
from parlour.deepmind.network.safetensors import read_safetensors, write_safetensors
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, observe_into
from parlour.deepmind.provinces import BUILD_PHASE_AREA_FLAG, NUM_AREAS, NUM_POWERS
from parlour.deepmind.season import Season
from parlour.deepmind.transformer import CHANNELS, Carried, NetworkInput, ObservationTransformer
from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import States
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering import actions as a

FORMAT = "parlour-phases-1"
Floats = npt.NDArray[np.float32]
_PROVINCE = np.array([area.province for area in standard().areas])
_MOVES = (int(Season.SPRING_MOVES), int(Season.AUTUMN_MOVES))


@dataclass(frozen=True, slots=True)
class PlayedPhases:
    """Phases side by side, those of one match in order."""

    states: States
    """[P, 512]: flat states in the kernel's format."""
    shown: Ints
    """[P]: the phase whose board is shown as that of the last moves phase; -1 for none."""
    acts: npt.NDArray[np.int16]
    """[P, 81, 3]: actions since the last moves phase."""
    actions: npt.NDArray[np.int16]
    """[P, 7, 17]: the index of the action of each step, -1 where none is known."""
    returns: Floats
    """[P, 7]: final return of each power."""
    counts: npt.NDArray[np.uint8]
    """[P, 7]: 1 for the powers whose orders are to be learned from."""
    match: Ints
    """[P]: number of the match of each phase."""

    def __len__(self) -> int:
        return len(self.states)

    def inputs(self, rows: npt.NDArray[np.int64]) -> NetworkInput:
        """Return the network's input for some phases."""
        states = np.ascontiguousarray(self.states[rows])
        boards, builds, seasons = observed(states)
        shown = self.shown[rows]
        last, _, _ = observed(np.ascontiguousarray(self.states[np.maximum(shown, 0)]))
        last[shown < 0] = 0
        acts = self.acts[rows].astype(np.int32)
        return ObservationTransformer().unrolled(boards, last, acts, seasons, builds, legal(states))

    def shrunk(self, rows: npt.NDArray[np.int64]) -> Ints:
        """Return the shrunk actions [rows, 7, 17] of some phases; -1 stands for none."""
        index = self.actions[rows].astype(np.int32)
        return np.where(index < 0, np.int32(-1), shrunk_actions()[index])

    def save(self, path: Path) -> None:
        """Write the phases to a file."""
        with whole_file(path) as file:
            arrays = {field.name: getattr(self, field.name) for field in fields(self)}
            write_safetensors(file, arrays, {"format": FORMAT})

    @classmethod
    def load(cls, path: Path) -> PlayedPhases:
        """Return the phases in a file, mapped into memory."""
        arrays, words = read_safetensors(path)
        names = {field.name for field in fields(cls)}
        if words.get("format") != FORMAT or set(arrays) != names:
            raise NotationError(f"{path.name}: no phases of matches")
        return cls(**arrays)


def observed(states: States) -> tuple[npt.NDArray[np.uint8], Ints, Ints]:
    """Return boards, build numbers and seasons of flat states."""
    count = len(states)
    boards = np.empty((count, NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8)
    builds, seasons = np.empty((count, NUM_POWERS), np.int32), np.empty(count, np.int32)
    observe_into(states, boards, builds, seasons)
    return boards, builds, seasons


def joined(parts: Sequence[PlayedPhases]) -> PlayedPhases:
    """Return the phases of several matches as one; matches are numbered anew."""
    if not parts:
        return no_phases()
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])]).astype(np.int32)
    shown = [np.where(part.shown < 0, -1, part.shown + start) for part, start in zip(parts, starts, strict=True)]
    matches = np.cumsum([0, *(int(part.match.max(initial=-1)) + 1 for part in parts[:-1])]).astype(np.int32)
    numbers = [part.match + first for part, first in zip(parts, matches, strict=True)]
    rest = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("states", "acts", "actions", "returns", "counts")
    }
    return PlayedPhases(
        **rest, shown=np.concatenate(shown).astype(np.int32), match=np.concatenate(numbers).astype(np.int32)
    )


def no_phases() -> PlayedPhases:
    """Return an empty set of phases."""
    return match_phases([], [], np.zeros(NUM_POWERS, np.float32))


def match_phases(states: Sequence[bytes], actions: Sequence[Sequence[Sequence[int]]], returns: Floats) -> PlayedPhases:
    """Return the phases of a match from its flat states and the actions of each power in each."""
    count = len(states)
    rows = np.frombuffer(b"".join(states), np.uint8).reshape(count, k.STATE)
    shown = np.zeros(count, np.int32)
    acts = np.zeros((count, NUM_AREAS, CHANNELS), np.int16)
    played = np.full((count, NUM_POWERS, MAX_ORDERS), -1, np.int16)
    carried, last_moves = Carried.nothing(), 0
    before: list[int] = []
    for phase in range(count):
        state = np.ascontiguousarray(rows[phase : phase + 1])
        boards, builds, seasons = observed(state)
        done = np.array(before, np.int64), np.array([0, len(before)], np.int64)
        given, carried = ObservationTransformer().transform_batch(boards, seasons, builds, done, legal(state), carried)
        shown[phase] = last_moves if phase else 0
        if int(seasons[0]) in _MOVES:
            last_moves = phase
        elif not phase:
            last_moves = -1
        acts[phase] = given.acts[0]
        played[phase] = in_step_order(given, actions[phase])
        before = [action for own in actions[phase] for action in own]
    return PlayedPhases(
        rows, shown, acts, played, np.repeat(returns[None], count, axis=0).astype(np.float32),
        np.ones((count, NUM_POWERS), np.uint8), np.zeros(count, np.int32),
    )  # fmt: skip


def in_step_order(given: NetworkInput, actions: Sequence[Sequence[int]]) -> npt.NDArray[np.int16]:
    """Return [7, 17]: the action index of each step of a batch of one; builds that were not made are waived."""
    found = np.full((NUM_POWERS, MAX_ORDERS), -1, np.int16)
    for power, own in enumerate(actions):
        count = int(given.lengths[0, power])
        places = given.places[0, power, :count].tolist()
        if places and places[0] == BUILD_PHASE_AREA_FLAG:
            listed = [action >> 48 for action in own][:count]
            listed += [_WAIVE] * (count - len(listed)) if _may_waive(given, power) else []
            found[power, : len(listed)] = listed
            continue
        by_province = {a.ordered(action): action >> 48 for action in own if not is_waive(action)}
        for step, place in enumerate(places):
            found[power, step] = by_province.get(int(_PROVINCE[place]), -1)
    return found


_WAIVE = 3


def _may_waive(given: NetworkInput, power: int) -> bool:
    begin, end = given.spans[0, power, 0]
    return _WAIVE in given.indices[begin:end]
