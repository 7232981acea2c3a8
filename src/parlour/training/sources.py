"""Reads sources to learn from: records, saved games of the `diplomacy` package, published trajectories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from parlour.core.events import Event, PositionSet, Started, TurnEnded
from parlour.deepmind.compare import numbers
from parlour.deepmind.container import read_pickle
from parlour.deepmind.conversions import actions_of, actions_of_turn, steps_of_record
from parlour.deepmind.options import Options
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.state import State
from parlour.errors import ConfigError, NotationError, ParlourError
from parlour.files import read_regular
from parlour.games.diplomacy.formats.saved import SavedGame, read_saved
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.referee.record import is_record, read_record
from parlour.training.phases import PlayedPhases, joined, match_phases

ReturnsRule = Literal["centres", "squares", "draw"]
RULES: tuple[ReturnsRule, ...] = ("centres", "squares", "draw")
ACTIONS_FILE = "actions_outputs.npz"
MAX_FILE = 1 << 30


def returns_of(position: Position, rule: ReturnsRule) -> npt.NDArray[np.float32]:
    """Return each power's payment at the end of a match: all for a solo, else by centres, squares, or equally."""
    state = State(position, options=Options(draw_by_centres=rule != "draw"), published=False)
    if not position.over:
        state = State(position.stopped(), options=state.options, published=False)
    returns = state.returns()
    if rule == "squares":
        returns = returns**2
        returns /= max(float(returns.sum()), 1e-9)
    return returns.astype(np.float32)


def phases_of_record(events: Sequence[Event], rule: ReturnsRule) -> PlayedPhases:
    """Return the phases of a recorded match; raise NotationError if it is not Diplomacy on the standard map."""
    final: Position | None = None
    states: list[bytes] = []
    actions: list[list[list[int]]] = []
    for event, before, final in steps_of_record(GAME, events):
        if isinstance(event, Started | PositionSet):
            _standard(final)
            states, actions = [], []
        elif isinstance(event, TurnEnded) and before is not None:
            assert final.turn is not None
            states.append(before.state)
            actions.append(actions_of_turn(final.turn))
    if final is None or not states:
        raise NotationError("nothing was played in it")
    return match_phases(states, actions, returns_of(final, rule))


def _standard(position: object) -> Position:
    if not isinstance(position, Position) or position.board != standard():
        raise NotationError("no match of Diplomacy on the standard map")
    return position


def phases_of_saved(game: SavedGame, rule: ReturnsRule) -> PlayedPhases:
    """Return the phases of a game saved by the `diplomacy` package; its last phase is the current position."""
    positions = [_standard(phase.position) for phase in game.phases]
    if len(positions) < 2:
        raise NotationError("nothing was played in it")
    played = zip(positions[:-1], game.phases, strict=False)
    actions = [actions_of(position, phase.orders, explicit_via=True) for position, phase in played]
    return match_phases([position.state for position in positions[:-1]], actions, returns_of(positions[-1], rule))


def phases_of_trajectory(folder: Path, rule: ReturnsRule) -> PlayedPhases:
    """Return the phases of a published trajectory, whose actions are played again from the start."""
    pairs = read_pickle(folder / ACTIONS_FILE)
    if not isinstance(pairs, (list, tuple)):
        raise NotationError(f"{ACTIONS_FILE}: expected a sequence with one entry a phase")
    state = State(published=False)
    states: list[bytes] = []
    actions: list[list[list[int]]] = []
    for step, pair in enumerate(pairs):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or len(pair[0]) != NUM_POWERS:
            raise NotationError(f"{ACTIONS_FILE}, step {step}: expected seven action lists and a step output")
        lists = [[int(x) for x in numbers(own, (None,), f"step {step}") if x not in (0, -1)] for own in pair[0]]
        states.append(state.row.tobytes())
        actions.append(lists)
        state.step(lists)
    if not states:
        raise NotationError("nothing was played in it")
    return match_phases(states, actions, returns_of(state.position, rule))


def phases_of_file(path: Path, rule: ReturnsRule) -> PlayedPhases:
    """Return all phases in a file or, for a trajectory, in a folder."""
    if path.is_dir():
        return phases_of_trajectory(path, rule)
    if path.stat().st_size > MAX_FILE:
        raise NotationError(f"larger than {MAX_FILE:,} bytes")
    if is_record(path):
        return phases_of_record(read_record(path), rule)
    return joined([phases_of_saved(game, rule) for game in read_saved(read_regular(path))])


def find_sources(places: Sequence[Path]) -> list[Path]:
    """Return every record, saved game and folder of a trajectory in files and folders, in order."""
    found: list[Path] = []
    for place in places:
        if place.is_file():
            found.append(place)
            continue
        if not place.is_dir():
            raise ConfigError(f"matches: there is no {str(place)!r:.200}", field="matches")
        entries = sorted([place, *place.rglob("*")])
        found += [entry for entry in entries if entry.is_dir() and (entry / ACTIONS_FILE).is_file()]
        found += [entry for entry in entries if entry.suffix in (".json", ".jsonl") and entry.is_file()]
    if not found:
        where = ", ".join(map(str, places))
        raise ConfigError(f"matches: no record, saved game or trajectory in {where:.200}", field="matches")
    return found


SourceReport = Callable[[Path, str | None], None]
"""Called with each source that was read, and its error or None."""


def gather(sources: Sequence[Path], rule: ReturnsRule, report: SourceReport, workers: int) -> PlayedPhases:
    """Return the phases of all sources, read by several processes at once.

    Sources that cannot be read are reported and left out.
    """
    parts: dict[Path, PlayedPhases] = {}
    with _executor(workers) as pool:
        waiting: dict[Future[PlayedPhases], Path] = {pool.submit(phases_of_file, path, rule): path for path in sources}
        for done in as_completed(waiting):
            path, why = waiting[done], None
            try:
                parts[path] = done.result()
            except (ParlourError, OSError) as error:
                why = str(error)
            report(path, why)
    if not parts:
        raise ConfigError("matches: none of them could be read", field="matches")
    return joined([parts[path] for path in sources if path in parts])


def _executor(workers: int) -> Executor:
    # Spawned: a fork of a program with threads, such as those of JAX, may hang.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def split_matches(
    phases: PlayedPhases, held_out: float, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the rows to learn from and the rows held out, by whole matches; at least one match on either side."""
    matches = np.unique(phases.match)
    if len(matches) < 2:
        raise ConfigError("matches: at least two are needed, so that one can be held out", field="matches")
    count = min(len(matches) - 1, max(1, round(len(matches) * held_out)))
    chosen = np.random.default_rng(seed).permutation(matches)[:count]
    out = np.isin(phases.match, chosen)
    return np.flatnonzero(~out), np.flatnonzero(out)
