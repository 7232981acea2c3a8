"""A network that plays: values, and orders that are sampled, greedy or given, for a batch of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ACTION_INDEX, MAX_ORDERS, POSSIBLE_ACTIONS, WAIVE
from parlour.deepmind.network.blas import one_thread
from parlour.deepmind.network.compiled import numpy_layers
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.decoder import (
    LOWEST,
    Decoder,
    Decoding,
    StepInput,
    TurnReading,
    forced_input,
    start,
    step_input,
)
from parlour.deepmind.network.encoder import Encoded, encode, softmax, value_logits
from parlour.deepmind.network.layers import Layers, Weights
from parlour.deepmind.network.plan import Ints, TurnPlan, all_rows, plan, shrunk_actions
from parlour.deepmind.network.stream import gumbel, split
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import NetworkInput

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class NoiseKeys:
    """The random numbers of some rows: a key for each, and its place in the published arrays of noise."""

    keys: Words
    """[2, R]: the key of each row."""
    places: Words
    """[R]: the row of the array of noise that each row uses."""
    rows: Words
    """[R]: the number of rows of that array."""
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Decisions:
    """The orders, logits and values that a network gave for some rows."""

    turn: TurnPlan
    chosen: Ints
    """[steps]: the index of the chosen action, -1 where nothing was allowed."""
    logits: Floats
    """A logit for each of the plan's legal actions; the float32 minimum for actions that earlier orders rule out."""
    value_logits: Floats | None
    """[B, 7]; None if values were not requested."""

    def shrunk(self, rows: int) -> Ints:
        """Return [rows, 17]: the shrunk actions of the requested rows, 0 where there is no step."""
        result = np.zeros((rows, MAX_ORDERS), np.int32)
        numbers = np.repeat(np.arange(len(self.turn.active)), self.turn.active)
        found = np.where(self.chosen < 0, 0, shrunk_actions()[self.chosen])
        result[self.turn.order[self.turn.step_rows], numbers] = found
        return result

    def policies(self, rows: int) -> Floats:
        """Return [rows, 17, 18584]: the distribution over actions at each step, without temperature, as published."""
        result = np.zeros((rows, MAX_ORDERS, MAX_ACTION_INDEX), np.float32)
        numbers = np.repeat(np.arange(len(self.turn.active)), self.turn.active)
        order = self.turn.order[self.turn.step_rows]
        for step, (begin, end) in enumerate(zip(self.turn.bounds[:-1], self.turn.bounds[1:], strict=True)):
            logits = self.logits[begin:end]
            raised = np.exp(logits - logits.max())
            result[order[step], numbers[step], self.turn.legal[begin:end]] = raised / raised.sum()
        return result

    def actions(self, rows: int) -> list[list[int]]:
        """Return the 64-bit actions of the requested rows, in order; only one waived build, at the end."""
        return [listed_actions(row) for row in self.shrunk(rows)]


def listed_actions(shrunk: npt.NDArray[np.int32]) -> list[int]:
    """Return the 64-bit actions of a row of shrunk ones, without padding; only one waived build, at the end."""
    found: list[int] = POSSIBLE_ACTIONS[shrunk[shrunk > 0] >> 16].tolist()
    waives = [action for action in found if action & 255 == WAIVE]
    return [action for action in found if action & 255 != WAIVE] + waives[:1]


class Network:
    """A network with its parameters, on NumPy. It never changes, so threads may share it. load_network returns one.

    Args:
        config: Sizes of the network.
        weights: Parameters of the network.
        layers: Functions that compute the layers; those on NumPy if None.
    """

    def __init__(self, config: NetworkConfig, weights: Weights, layers: Layers | None = None) -> None:
        self.config = config
        self._layers = layers or numpy_layers(weights)

    def values(self, given: NetworkInput) -> Floats:
        """Return [B, 7]: each power's expected share of the win.

        Args:
            given: Observations, as ObservationTransformer makes them.
        """
        with one_thread():
            encoded = self._encode(given, all_rows(len(given)))
        return self.value_distribution(value_logits(self._layers, self.config, encoded.mean(len(given))))

    def value_distribution(self, logits: Floats) -> Floats:
        """Return each power's expected share of the win, from value logits."""
        result: Floats = softmax(self._layers, logits)
        return result

    def representation(self, given: NetworkInput) -> Floats:
        """Return [B, 7, 81, width]: each area's representation for each power, as the published network shares it.

        Args:
            given: Observations, as ObservationTransformer makes them.
        """
        whole = self._encode(given, all_rows(len(given))).whole()
        result: Floats = whole.reshape(whole.shape[0], len(given), NUM_POWERS, -1).transpose(1, 2, 0, 3)
        return result

    def decide(
        self,
        given: NetworkInput,
        draws: NoiseKeys | None = None,
        rows: tuple[Ints, Ints] | None = None,
        *,
        values: bool = True,
    ) -> Decisions:
        """Choose orders step by step, and return them for rows (states, powers), or for all powers of all states.

        Without draws the likeliest order is chosen, whatever the temperature. Rows may be named repeatedly. Without
        values, only these rows are encoded.

        Args:
            given: Observations, as ObservationTransformer makes them.
        """
        with one_thread():
            return self._decide(given, draws, plan(given, rows), values)

    def _decide(self, given: NetworkInput, draws: NoiseKeys | None, turn: TurnPlan, values: bool) -> Decisions:
        products, found = self._begin(given, turn, values)
        noise = None if draws is None else _row_noise(draws, turn, given)
        progress: Decoding | None = None
        done: list[tuple[Any, Any, Ints]] = []
        for number in range(len(turn.active)):
            step = self._fitted(step_input(turn, number))
            progress = progress or start(self._layers.xp, self.config, len(step.forced))
            progress, noise, logits = self._step(products, progress, step, noise, draws is not None and draws.legacy)
            done.append((progress.chosen, logits, step.legal))
        chosen, logits = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
        for active, (picked, scores, legal) in zip(turn.active, done, strict=True):
            chosen.append(np.asarray(picked)[:active])
            logits.append(np.asarray(scores)[legal >= 0])
        return Decisions(turn, np.concatenate(chosen), np.concatenate(logits), found)

    def _begin(self, given: NetworkInput, turn: TurnPlan, values: bool) -> tuple[Any, Floats | None]:
        """Return the products of the decoder's first layer, and the value logits if they are wanted."""
        encoded, decoder = self._prepare(given, turn, values)
        return decoder.products, value_logits(self._layers, self.config, encoded.mean(len(given))) if values else None

    def _fitted(self, step: StepInput) -> StepInput:
        """Return a step padded to the sizes that the array library needs; NumPy takes any."""
        return step

    def _step(
        self, products: Any, progress: Decoding, step: StepInput, noise: RowNoise | None, legacy: bool
    ) -> tuple[Decoding, RowNoise | None, Any]:
        return sampled_step(Decoder(self._layers, self.config, products), progress, step, noise, legacy=legacy)

    def score(self, given: NetworkInput, *, values: bool = True) -> Decisions:
        """Return the logits of all steps if every order before is forced; chosen is the likeliest action.

        Args:
            given: Observations, as ObservationTransformer makes them.
            values: True to compute values as well.
        """
        turn = plan(given)
        with one_thread():
            encoded, decoder = self._prepare(given, turn, values)
            logits, allowed = decoder.forced(forced_input(turn))
        logits = np.where(allowed, logits, LOWEST)
        pairs = zip(turn.bounds[:-1], turn.bounds[1:], strict=True)
        best = [turn.legal[begin + logits[begin:end].argmax()] for begin, end in pairs]
        found = value_logits(self._layers, self.config, encoded.mean(len(given))) if values else None
        return Decisions(turn, np.array(best, np.int32), logits, found)

    def _prepare(self, given: NetworkInput, turn: TurnPlan, values: bool) -> tuple[Encoded, Decoder]:
        """Return encoding and decoder of a turn: all rows if values are wanted, otherwise those that are read."""
        rows, reading = needed_rows(turn, len(given), values)
        encoded = self._encode(given, rows)
        return encoded, Decoder.over(self._layers, self.config, encoded, reading, turn.places)

    def _encode(self, given: NetworkInput, rows: tuple[Any, Any]) -> Encoded:
        boards = given.board, given.last_moves_board
        return encode(self._layers, self.config, boards, given.acts, given.season, given.build_numbers, rows)


def needed_rows(turn: TurnPlan, states: int, values: bool) -> tuple[tuple[Ints, Ints], TurnReading]:
    """Return the rows (states, powers) to be encoded, all if values are wanted, and the parts that the turn reads."""
    areas, read_states, read_powers, items = turn.reads
    at = read_states * NUM_POWERS + read_powers
    rows = all_rows(states)
    if not values:
        needed, at = np.unique(at, return_inverse=True)
        rows = (needed // NUM_POWERS, needed % NUM_POWERS)
    return rows, TurnReading(areas, at, items, turn.sizes, *turn.node_items)


def sampled_step(
    decoder: Decoder, before: Decoding, step: StepInput, noise: RowNoise | None, *, legacy: bool
) -> tuple[Decoding, RowNoise | None, Any]:
    """Return the state of the first rows after their next order, their noise, and the logits [R, W].

    Only the first rows have another order.
    """
    xp, rows = decoder.layers.xp, len(step.forced)
    after, scores, allowed = decoder.step(before.first(rows), step)
    logits = xp.where(allowed, scores, LOWEST)
    noisy = logits
    if noise is not None:
        noise = noise.first(rows)
        keys, now = split(xp, noise.keys, legacy=legacy)
        noisy = xp.where(allowed, _warmed(xp, scores, step.legal, noise._replace(keys=now), legacy=legacy), LOWEST)
        noise = noise._replace(keys=keys)
    picked = xp.take_along_axis(step.legal, noisy.argmax(axis=1)[:, None], axis=1)[:, 0]
    chosen = xp.where(allowed.any(axis=1), picked, np.int32(-1))
    return after._replace(chosen=chosen), noise, logits


def _warmed(xp: Any, scores: Any, legal: Any, noise: RowNoise, *, legacy: bool) -> Any:
    """Return scores over temperature with noise, whose largest is a sample; at temperature 0 the scores themselves."""
    places = noise.places[:, None] * np.uint32(MAX_ACTION_INDEX) + xp.maximum(legal, 0).astype(np.uint32)
    size = noise.rows[:, None] * np.uint32(MAX_ACTION_INDEX)
    drawn = gumbel(xp, noise.keys[:, :, None], places, size, legacy=legacy)
    cold = (noise.temperature == 0)[:, None]
    with np.errstate(over="ignore"):
        warm = scores / xp.where(cold, np.float32(1), noise.temperature[:, None]) + drawn
    return xp.where(cold, scores, warm)


class RowNoise(NamedTuple):
    """The random numbers of the rows of a plan, in its order."""

    keys: Any
    places: Any
    rows: Any
    temperature: Any
    """[R]: the temperature of each row's state."""

    def first(self, rows: int) -> RowNoise:
        """Return the noise of the first rows; rows of padding have the noise of the last row."""
        at = np.minimum(np.arange(rows), len(self.places) - 1)
        return RowNoise(self.keys[:, at], self.places[at], self.rows[at], self.temperature[at])


def _row_noise(draws: NoiseKeys, turn: TurnPlan, given: NetworkInput) -> RowNoise:
    order = turn.order
    return RowNoise(draws.keys[:, order], draws.places[order], draws.rows[order], given.temperature[turn.states])


def published_draws(key: Words, states: int, *, legacy: bool = False) -> NoiseKeys:
    """Return the draws of one published call for all powers of some states, in order."""
    count = states * NUM_POWERS
    places = np.arange(count, dtype=np.uint32)
    return NoiseKeys(np.repeat(key, count, axis=1), places, np.full(count, count, np.uint32), legacy)


def copies_of(copies: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the rows of states, each repeated copies times for all powers, in the published order."""
    states = np.repeat(np.arange(len(copies), dtype=np.int32), copies)
    return np.repeat(states, NUM_POWERS), np.tile(np.arange(NUM_POWERS, dtype=np.int32), len(states))
