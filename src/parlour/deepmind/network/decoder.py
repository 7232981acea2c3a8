"""The relational order decoder: one order after another, each given those before it, or all at once if forced.

The first layer reads, at each province, the orders given so far and the encoding of the areas to be ordered. At most
provinces both are zero. Its messages are kept from step to step, and only those that change are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parlour.deepmind.network.arrays import Array
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.encoder import Encoded
from parlour.deepmind.network.layers import Layers, Part, province_graph
from parlour.deepmind.network.plan import NOWHERE, TurnPlan, blocking_provinces, shrunk_actions
from parlour.deepmind.provinces import NUM_PROVINCES

LOWEST = np.finfo(np.float32).min
"""The published logit of an action that is not allowed."""


class Decoding(NamedTuple):
    """The state of decoding some rows."""

    messages: Array
    """[76, R, F]: messages of the orders so far in the first layer; the last node is nowhere."""
    blocked: Array
    """[R, 76]: the provinces that have their order."""
    chosen: Array
    """[R]: the action chosen last."""

    def first(self, rows: int) -> Decoding:
        """Return the state of the first rows, which are the only ones to continue."""
        return Decoding(self.messages[:, :rows], self.blocked[:rows], self.chosen[:rows])


class TurnReading(NamedTuple):
    """The parts of the encoding that the steps of a turn read, and their nodes."""

    areas: Array
    """The areas that items read; `rows` has the encoded row of each, and `items` its item, ascending."""
    rows: Array
    items: Array
    sizes: Array
    """[items]: the number of areas that each item reads."""
    nodes: Array
    """The node of each needed product; `places` has its place at the node, and `product_items` its item."""
    places: Array
    product_items: Array


class StepInput(NamedTuple):
    """The input of the next step of some rows."""

    nodes: Array
    """[R, most nodes]: the provinces that may be ordered; `places` has the place of the product of each."""
    places: Array
    legal: Array
    """[R, W]: the actions that may be chosen; -1 for padding."""
    forced: Array
    """[R]: the shrunk action before if it is forced, 0 if it is the sampled one, -1 for none."""


@dataclass(frozen=True)
class Decoder:
    """The decoder over some rows: the products of its first layer with the encoding are computed once."""

    layers: Layers
    config: NetworkConfig
    products: Array
    """[76, places, F]: the products at each node."""

    @classmethod
    def over(
        cls, layers: Layers, config: NetworkConfig, encoded: Encoded, reading: TurnReading, places: int
    ) -> Decoder:
        """Return a decoder for `reading`, with that number of places for products at each node."""
        known = encoded.summed(reading.areas, reading.rows, reading.items, len(reading.sizes), reading.sizes)
        xp = layers.xp
        x = xp.zeros((NUM_PROVINCES, places, known.shape[-1]), np.float32)
        x = layers.arrays.added(x, (reading.nodes, reading.places), known[reading.product_items])
        made = layers.product("decoder/core_0", x, decoder_parts(config)[1])
        nowhere = xp.zeros((1, *made.shape[1:]), np.float32)
        return cls(layers, config, xp.concatenate([made, nowhere]))

    def step(self, before: Decoding, given: StepInput) -> tuple[Decoding, Array, Array]:
        """Return the new state, the logits [R, W] of the next order, and the mask of allowed actions."""
        xp = self.layers.xp
        sampled = xp.where(before.chosen < 0, -1, xp.asarray(shrunk_actions())[before.chosen])
        previous = xp.where(given.forced != 0, given.forced, sampled)
        rows = xp.arange(len(previous))
        messages = self.layers.arrays.added(before.messages, (self._node(previous), rows), self.sent(previous))
        index = xp.maximum(previous >> 16, 0)
        block = xp.where(previous > 0, xp.asarray(blocking_provinces())[index], NOWHERE)
        blocked = before.blocked | (xp.arange(NUM_PROVINCES + 1) == block[:, None]) & (block != NOWHERE)[:, None]
        known = self.represented(messages, given.nodes, given.places, rows)
        legal = xp.maximum(given.legal, 0)
        projection = self.layers.weights["decoder/projection"]
        logits = xp.matmul(projection[legal], known[..., None])[..., 0]
        taken = xp.take_along_axis(blocked, xp.asarray(blocking_provinces())[legal], axis=1)
        return before._replace(messages=messages, blocked=blocked), logits, (given.legal >= 0) & ~taken

    def _node(self, shrunk: Array) -> Array:
        """Return the node of an order (BOH for a waived build), NOWHERE for none."""
        return self.layers.xp.where(shrunk > 0, shrunk >> 9 & 127, NOWHERE)

    def sent(self, shrunk: Array) -> Array:
        """Return [N, F]: the messages of orders in the first layer."""
        xp, weights = self.layers.xp, self.layers.weights
        weight = self.layers.weight_of("decoder/core_0", decoder_parts(self.config)[0])
        node = xp.minimum(self._node(shrunk), NUM_PROVINCES - 1)
        order = weights["decoder/projection"][xp.maximum(shrunk >> 16, 0)]
        made = xp.matmul(order[:, None], weight[node])[:, 0]
        return xp.where((shrunk > 0)[:, None], made, np.float32(0))

    def represented(self, messages: Array, nodes: Array, places: Array, rows: Array) -> Array:
        """Return [N, 2 F]: the summed representation, after all layers, of the provinces to be ordered."""
        xp, layers, graph = self.layers.xp, self.layers, province_graph()
        at = nodes, xp.broadcast_to(rows[:, None], nodes.shape)
        first = layers.arrays.added(messages.copy(), at, self.products[nodes, places])
        r = layers.mixed("decoder/core_0", first[:NUM_PROVINCES], graph, None)
        r = layers.cores([f"decoder/core_{number}" for number in range(1, self.config.decoder_cores + 1)], r, graph)
        multiplier, shift = layers.affine("decoder/last", r)
        real = nodes < NOWHERE
        picked = r[xp.minimum(nodes, NUM_PROVINCES - 1), at[1]]
        total = xp.where(real[..., None], picked, np.float32(0)).sum(axis=1)
        return total * multiplier + real.sum(axis=1)[:, None].astype(np.float32) * shift

    def forced(self, turn: ForcedInput) -> tuple[Array, Array]:
        """Return the logits of all legal actions of all steps at once, and the mask of allowed ones.

        The orders before each step are given.
        """
        xp, arrays = self.layers.xp, self.layers.arrays
        steps = len(turn.previous)
        node, sent = self._node(turn.previous), self.sent(turn.previous)
        empty = xp.zeros((NUM_PROVINCES + 1, steps, self.config.decoder_filter), np.float32)
        messages = arrays.gathered(empty, (node[turn.earlier], turn.later), sent[turn.earlier])
        known = self.represented(messages, turn.nodes, turn.places, xp.arange(steps))
        projection = self.layers.weights["decoder/projection"]
        logits = (projection[turn.legal] * known[turn.legal_steps]).sum(axis=-1)
        blocking = xp.asarray(blocking_provinces())
        block = xp.where(turn.previous > 0, blocking[xp.maximum(turn.previous >> 16, 0)], NOWHERE)
        blocked = arrays.marked(xp.zeros((NUM_PROVINCES + 1, steps), bool), (block[turn.earlier], turn.later))
        province = blocking[turn.legal]
        return logits, ~blocked[province, turn.legal_steps] | (province == NOWHERE)


def decoder_parts(config: NetworkConfig) -> tuple[Part, Part]:
    """Return the inputs of the decoder's first layer that hold an order, and those that hold areas."""
    return (0, config.order_width), (config.order_width, config.order_width + config.area_width)


def start(xp: Any, config: NetworkConfig, rows: int) -> Decoding:
    """Return the state before the first order of some rows."""
    messages = xp.zeros((NUM_PROVINCES + 1, rows, config.decoder_filter), np.float32)
    return Decoding(messages, xp.zeros((rows, NUM_PROVINCES + 1), bool), xp.full(rows, -1, np.int32))


class ForcedInput(NamedTuple):
    """The input of a turn whose orders are all given."""

    previous: Array
    """[steps]: the shrunk action before, -1 for none."""
    earlier: Array
    """[pairs]: with later, all pairs of steps of one row of which the first is not after the second."""
    later: Array
    nodes: Array
    """[steps, most nodes]: the provinces that may be ordered; `places` has the place of the product of each."""
    places: Array
    legal: Array
    """[T]: the legal actions of all steps."""
    legal_steps: Array
    """[T]: the step of each legal action."""


def forced_input(turn: TurnPlan) -> ForcedInput:
    """Return the input of a plan whose previous orders are all forced."""
    starts = np.cumsum([0, *turn.active])
    none = np.zeros(0, np.int32)
    earlier, later = [none], [none]
    for number, active in enumerate(turn.active):
        rows = np.arange(active, dtype=np.int32)
        for before in range(number + 1):
            earlier.append(rows + np.int32(starts[before]))
            later.append(rows + np.int32(starts[number]))
    steps = np.repeat(np.arange(len(turn.step_rows), dtype=np.int32), np.diff(turn.bounds))
    return ForcedInput(
        turn.forced, np.concatenate(earlier), np.concatenate(later), turn.nodes, turn.node_places, turn.legal, steps
    )


def step_input(turn: TurnPlan, number: int) -> StepInput:
    """Return the input of the steps of one number; legal actions are padded to one length."""
    part = turn.step_slice(number)
    begin, end = turn.bounds[part.start], turn.bounds[part.stop]
    sizes = np.diff(turn.bounds[part.start : part.stop + 1])
    legal = np.full((len(sizes), int(sizes.max(initial=1))), -1, np.int32)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    legal[rows, np.arange(end - begin) - np.repeat(turn.bounds[part] - begin, sizes)] = turn.legal[begin:end]
    return StepInput(turn.nodes[part], turn.node_places[part], legal, turn.forced[part])
