"""Sampled best responses: better orders for a power, by a network's own samples and its values of the results.

The network draws the candidates, and also the orders of the other powers. Each candidate is judged by the mean value,
to its power, of the states to which it leads over all drawn orders of the others (Anthony et al. 2020).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from parlour.core import seeds
from parlour.deepmind.actions import MAX_ORDERS, POSSIBLE_ACTIONS
from parlour.deepmind.legal import RULES
from parlour.deepmind.network.network import Network, NoiseKeys
from parlour.deepmind.network.plan import Ints
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import Carried, NetworkInput, ObservationTransformer
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import States
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.training.phases import PlayedPhases, observed
from parlour.training.sources import ReturnsRule, returns_of

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
_MOVES = (0, 2)
TOGETHER = 16
"""Number of phases per batch."""


@dataclass(frozen=True)
class Sampling:
    """The parameters of the search for a best response."""

    candidates: int = 8
    """Number of order sets of the power that are drawn to choose from."""
    profiles: int = 4
    """Number of samples of the others' orders, against which each candidate is judged."""
    temperature: float = 1.0
    """Sampling temperature of candidates and profiles."""
    returns: ReturnsRule = "centres"


def respond_all(
    network: Network, phases: PlayedPhases, how: Sampling, seed: int, workers: int, told: Callable[[int], None]
) -> PlayedPhases:
    """Return the phases with the sampled best response of one random power in each.

    Only these responses are learned from.
    """
    parts = np.array_split(np.arange(len(phases)), max(1, -(-len(phases) // TOGETHER)))
    actions, counts = phases.actions.copy(), np.zeros_like(phases.counts)
    with ThreadPoolExecutor(workers) as pool:
        # The network and the kernels release the GIL, so threads keep all processors busy.
        answers = pool.map(lambda rows: respond(network, phases, rows, how, seed), parts)
        for rows, (chosen, counted) in zip(parts, answers, strict=True):
            actions[rows], counts[rows] = chosen, counted
            told(int(rows[-1]) + 1)
    return replace(phases, actions=actions, counts=counts)


def respond(
    network: Network, phases: PlayedPhases, rows: Rows, how: Sampling, seed: int
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.uint8]]:
    """Return the actions [B, 7, 17] with the best response of one power per phase, and that power as a mask [B, 7]."""
    rng = np.random.default_rng(seeds.training_draws(seed, int(rows[0])))
    given = phases.inputs(rows)
    given = replace(given, temperature=np.full(len(rows), how.temperature, np.float32))
    powers = _chosen_powers(given, rng)
    drawn = _drawn(network, given, powers, how, rng)
    best = _worth(network, phases, rows, given, powers, drawn, how).argmax(axis=1)
    actions = phases.actions[rows].copy()
    counts = np.zeros((len(rows), NUM_POWERS), np.uint8)
    for at, power in enumerate(powers.tolist()):
        actions[at, power] = _indices(drawn[at, best[at], power])
        counts[at, power] = given.lengths[at, power] > 0
    return actions, counts


def _chosen_powers(given: NetworkInput, rng: np.random.Generator) -> Ints:
    """Return for each state a random power that has something to order."""
    weights = (given.lengths > 0) * rng.random(given.lengths.shape)
    chosen: Ints = weights.argmax(axis=1).astype(np.int32)
    return chosen


def _drawn(
    network: Network, given: NetworkInput, powers: Ints, how: Sampling, rng: np.random.Generator
) -> npt.NDArray[np.int32]:
    """Return shrunk actions [B, draws, 7, 17]: the power's own draws are the candidates, the others' the profiles."""
    count = len(given)
    draws = max(how.candidates, how.profiles)
    wanted = np.full((count, NUM_POWERS), how.profiles)
    wanted[np.arange(count), powers] = how.candidates
    wanted *= given.lengths > 0
    states, seats, copies = np.nonzero(np.arange(draws) < wanted[..., None])
    keys = rng.integers(0, 1 << 32, (2, len(states)), dtype=np.uint32)
    noise = NoiseKeys(keys, np.zeros(len(states), np.uint32), np.ones(len(states), np.uint32))
    found = network.decide(given, noise, (states.astype(np.int32), seats.astype(np.int32)), values=False)
    result = np.zeros((count, draws, NUM_POWERS, MAX_ORDERS), np.int32)
    result[states, copies, seats] = found.shrunk(len(states))
    return result


def _worth(
    network: Network,
    phases: PlayedPhases,
    rows: Rows,
    given: NetworkInput,
    powers: Ints,
    drawn: npt.NDArray[np.int32],
    how: Sampling,
) -> Floats:
    """Return the mean value [B, candidates], to the power, of the states that each candidate leads to."""
    count, tries = len(rows), how.candidates * how.profiles
    every = np.arange(count)
    candidate, profile = np.divmod(np.arange(tries), how.profiles)
    joint = drawn[:, profile]
    joint[every[:, None], np.arange(tries), powers[:, None]] = drawn[every[:, None], candidate, powers[:, None]]
    flat = joint.reshape(count * tries, NUM_POWERS, MAX_ORDERS)
    actions = np.where(flat > 0, POSSIBLE_ACTIONS[np.maximum(flat, 0) >> 16], 0)
    before = np.repeat(every, tries)
    after, _ = RULES.step(np.ascontiguousarray(phases.states[rows][before]), actions)
    carried = _carried(given).take(before)
    values = _values(network, after, actions, carried, how.returns)
    own = values[np.arange(len(after)), powers[before]].reshape(count, how.candidates, how.profiles)
    mean: Floats = own.mean(axis=2)
    return mean


def _carried(given: NetworkInput) -> Carried:
    """Return the values that the next phases need from the input of these phases."""
    moves = np.isin(given.season, _MOVES)
    previous = np.where(moves[:, None, None], given.board, given.last_moves_board)
    return Carried(previous, given.board, given.acts, np.where(moves, 2, 1).astype(np.uint8))


def _values(
    network: Network, states: States, actions: npt.NDArray[np.int64], carried: Carried, rule: ReturnsRule
) -> Floats:
    """Return the expected returns [B, 7] of states that actions led to; a finished match pays its result."""
    boards, builds, seasons = observed(states)
    done = actions.reshape(len(states), -1)
    bounds = np.concatenate([[0], np.cumsum((done != 0).sum(axis=1))]).astype(np.int64)
    nothing = np.zeros(0, np.int64), np.zeros((len(states), NUM_POWERS + 1), np.int64)
    nobody = np.zeros((len(states), NUM_POWERS), np.uint8)
    given, _ = ObservationTransformer().transform_batch(
        boards, seasons, builds, (done[done != 0], bounds), nothing, carried, nobody
    )
    values = network.values(given)
    for at in np.flatnonzero(states[:, k.STATUS] != k.Status.RUNNING):
        values[at] = returns_of(Position(standard(), states[at].tobytes()), rule)
    return values


def _indices(shrunk: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
    return np.where(shrunk > 0, shrunk >> 16, -1).astype(np.int16)
