"""A network that plays: values, and orders that are sampled, greedy or given, for a batch of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ACTION_INDEX, MAX_ORDERS, POSSIBLE_ACTIONS, WAIVE
from parlour.deepmind.network.blas import one_thread
from parlour.deepmind.network.compiled import numpy_layers
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.decoder import LOWEST, Decoder, Decoding, forced_input, step_input
from parlour.deepmind.network.encoder import Encoded, encode, softmax, value_logits
from parlour.deepmind.network.layers import Weights
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
    """[2, R]."""
    places: Words
    """[R]: which row of the array of noise a row has."""
    rows: Words
    """[R]: how many rows that array has."""
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a network made of some rows."""

    turn: TurnPlan
    chosen: Ints
    """[steps]: the index of the chosen action, -1 where nothing was allowed."""
    logits: Floats
    """One for each of the plan's legal actions; the float32 minimum for those that orders before rule out."""
    value_logits: Floats | None
    """[B, 7], if they were asked for."""

    def shrunk(self, rows: int) -> Ints:
        """[rows, 17]: the shrunk actions of the rows asked for, 0 where there is no step."""
        result = np.zeros((rows, MAX_ORDERS), np.int32)
        numbers = np.repeat(np.arange(len(self.turn.active)), self.turn.active)
        found = np.where(self.chosen < 0, 0, shrunk_actions()[self.chosen])
        result[self.turn.order[self.turn.step_rows], numbers] = found
        return result

    def policies(self, rows: int) -> Floats:
        """[rows, 17, 18584]: the distribution over actions at each step, without temperature, as published."""
        result = np.zeros((rows, MAX_ORDERS, MAX_ACTION_INDEX), np.float32)
        numbers = np.repeat(np.arange(len(self.turn.active)), self.turn.active)
        order = self.turn.order[self.turn.step_rows]
        for step, (begin, end) in enumerate(zip(self.turn.bounds[:-1], self.turn.bounds[1:], strict=True)):
            logits = self.logits[begin:end]
            raised = np.exp(logits - logits.max())
            result[order[step], numbers[step], self.turn.legal[begin:end]] = raised / raised.sum()
        return result

    def actions(self, rows: int) -> list[list[int]]:
        """The 64-bit actions of the rows asked for, in order; of waived builds one, at the end."""
        return [listed_actions(row) for row in self.shrunk(rows)]


def listed_actions(shrunk: npt.NDArray[np.int32]) -> list[int]:
    """The 64-bit actions of a row of shrunk ones without padding; of waived builds one, at the end."""
    found: list[int] = POSSIBLE_ACTIONS[shrunk[shrunk > 0] >> 16].tolist()
    waives = [action for action in found if action & 255 == WAIVE]
    return [action for action in found if action & 255 != WAIVE] + waives[:1]


class Network:
    """A network with its parameters, on NumPy; nothing of it changes, so threads may share it."""

    def __init__(self, config: NetworkConfig, weights: Weights) -> None:
        self.config = config
        self._layers = numpy_layers(weights)

    def values(self, given: NetworkInput) -> Floats:
        """[B, 7]: who is expected to win."""
        with one_thread():
            encoded = self._encode(given, all_rows(len(given)))
        return self.value_distribution(value_logits(self._layers, self.config, encoded.mean(len(given))))

    def value_distribution(self, logits: Floats) -> Floats:
        """The values of value logits."""
        result: Floats = softmax(self._layers, logits)
        return result

    def representation(self, given: NetworkInput) -> Floats:
        """[B, 7, 81, width]: what is known of each area to each power, as the published network shares it."""
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
        """Choose orders, step by step, for rows (states, powers), or for all powers of all states in order.

        Without draws the likeliest order is chosen, whatever the temperature. Rows may be named repeatedly. Without
        values only what concerns the rows is computed.
        """
        with one_thread():
            return self._decide(given, draws, plan(given, rows), values)

    def _decide(self, given: NetworkInput, draws: NoiseKeys | None, turn: TurnPlan, values: bool) -> Decisions:
        encoded, decoder = self._prepare(given, turn, values)
        progress = decoder.start(len(turn.states))
        keys = None if draws is None else draws.keys[:, turn.order]
        chosen: list[Ints] = []
        logits: list[Floats] = []
        for number, active in enumerate(turn.active):
            step = step_input(turn, number)
            before = Decoding(progress.messages[:, :active], progress.blocked[:active], progress.chosen[:active])
            after, scores, allowed = decoder.step(before, step)
            progress.blocked[:active] = after.blocked
            noisy = np.where(allowed, scores, LOWEST)
            if keys is not None and draws is not None:
                keys, now = split(np, keys, legacy=draws.legacy)
                order = turn.order[:active]
                noisy = _noisy(scores, allowed, step.legal, draws, now[:, :active], order, given, turn.states[:active])
            best = noisy.argmax(axis=1)
            picked = np.where(allowed.any(axis=1), step.legal[np.arange(active), best], -1)
            progress.chosen[:active] = picked
            chosen.append(picked)
            logits.append(np.where(allowed, scores, LOWEST)[step.legal >= 0])
        return Decisions(
            turn,
            np.concatenate(chosen or [np.zeros(0, np.int32)]).astype(np.int32),
            np.concatenate(logits or [np.zeros(0, np.float32)]).astype(np.float32),
            value_logits(self._layers, self.config, encoded.mean(len(given))) if values else None,
        )

    def score(self, given: NetworkInput, *, values: bool = True) -> Decisions:
        """The logits of all steps when every order before is forced; chosen is the likeliest one."""
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
        """What is encoded for a turn: all rows if values are wanted, otherwise those that are read."""
        _, states, powers, _ = turn.reads
        flat = states * NUM_POWERS + powers
        if values:
            rows, at = all_rows(len(given)), flat
        else:
            needed, at = np.unique(flat, return_inverse=True)
            rows = (needed // NUM_POWERS, needed % NUM_POWERS)
        encoded = self._encode(given, rows)
        return encoded, Decoder.over(self._layers, self.config, encoded, at, turn)

    def _encode(self, given: NetworkInput, rows: tuple[Any, Any]) -> Encoded:
        boards = given.board, given.last_moves_board
        return encode(self._layers, self.config, boards, given.acts, given.season, given.build_numbers, rows)


def _noisy(
    scores: Floats, allowed: npt.NDArray[np.bool_], legal: Ints, draws: NoiseKeys, keys: Words, order: Ints,
    given: NetworkInput, states: Ints,
) -> Floats:  # fmt: skip
    """Scores over temperature with noise: the largest of them is a sample. At temperature 0 the scores themselves."""
    places = draws.places[order][:, None] * np.uint32(MAX_ACTION_INDEX) + np.maximum(legal, 0).astype(np.uint32)
    size = draws.rows[order][:, None] * np.uint32(MAX_ACTION_INDEX)
    noise = gumbel(np, keys[:, :, None], places, size, legacy=draws.legacy)
    temperature = given.temperature[states][:, None]
    cold = temperature == 0
    with np.errstate(over="ignore"):
        warm = scores / np.where(cold, np.float32(1), temperature) + noise
    return np.where(allowed, np.where(cold, scores, warm), LOWEST)


def published_draws(key: Words, states: int, *, legacy: bool = False) -> NoiseKeys:
    """The draws of one published call for all powers of some states, in order."""
    count = states * NUM_POWERS
    places = np.arange(count, dtype=np.uint32)
    return NoiseKeys(np.repeat(key, count, axis=1), places, np.full(count, count, np.uint32), legacy)


def copies_of(copies: Sequence[int]) -> tuple[Ints, Ints]:
    """The rows of states each of which is decoded so many times, for all powers, in the published order."""
    states = np.repeat(np.arange(len(copies), dtype=np.int32), copies)
    return np.repeat(states, NUM_POWERS), np.tile(np.arange(NUM_POWERS, dtype=np.int32), len(states))
