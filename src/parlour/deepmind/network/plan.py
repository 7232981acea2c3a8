"""Lays out a turn for the decoder: its rows, the input of each of their steps, and the choices.

A row is a state seen by a power, which may be decoded several times; a step is one order due; an item is the input
of a step. Steps of builds read the same item, as do copies of a row, so it is computed only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ORDERS, POSSIBLE_ACTIONS, WAIVE
from parlour.deepmind.provinces import BUILD_PHASE_AREA_FLAG, NUM_POWERS, NUM_PROVINCES
from parlour.deepmind.transformer import NetworkInput

Ints = npt.NDArray[np.int32]
NOWHERE = NUM_PROVINCES
"""In place of a province: for padding, and for a waived build, which blocks nothing."""


@cache
def ordered_provinces() -> Ints:
    """Return the province that each action orders; as published that of a waived build is BOH."""
    provinces: Ints = (POSSIBLE_ACTIONS >> 9 & 127).astype(np.int32)
    return provinces


@cache
def blocking_provinces() -> Ints:
    """Return the province that each action blocks for later orders; NOWHERE for a waived build."""
    return np.where(POSSIBLE_ACTIONS & 255 == WAIVE, np.int32(NOWHERE), ordered_provinces())


@cache
def shrunk_actions() -> Ints:
    """Return the shrunk form of each action."""
    index = np.arange(len(POSSIBLE_ACTIONS), dtype=np.int64)
    return (index << 16 | POSSIBLE_ACTIONS & 0xFFFF).astype(np.int32)


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """A turn of some rows; steps of one number lie side by side, those of longer rows first."""

    states: Ints
    """[R]: the state of each row; rows with more steps come first."""
    powers: Ints
    order: Ints
    """[R]: the requested row that each row belongs to."""
    reads: tuple[Ints, Ints, Ints, Ints]
    """Areas, states, powers and items: every area that an item reads; items ascend."""
    items: int
    sizes: npt.NDArray[np.float32]
    """[items]: the number of areas that each item reads."""
    node_items: tuple[Ints, Ints, Ints]
    """The node, the place at the node and the item of each needed product."""
    places: int
    """Number of places at each node."""
    active: tuple[int, ...]
    """Number of rows that have a step of each number."""
    nodes: Ints
    """[steps, most nodes]: the provinces that may be ordered, NOWHERE for none."""
    node_places: Ints
    """[steps, most nodes]: the place of each node's product."""
    legal: Ints
    """The actions that may be chosen, those of a step side by side."""
    bounds: npt.NDArray[np.int64]
    """[steps + 1]: the start of each step's actions in legal, and the end."""
    forced: Ints
    """[steps]: the shrunk action of the step before if it is forced, 0 if it is the sampled one, -1 for none."""
    step_rows: Ints
    """[steps]: the row of each step."""

    def step_slice(self, number: int) -> slice:
        """Return the slice of the steps of a number."""
        before = sum(self.active[:number])
        return slice(before, before + self.active[number])


def plan(given: NetworkInput, rows: tuple[Ints, Ints] | None = None) -> TurnPlan:
    """Return the plan for all rows in order, or for some rows (states, powers), which may be named repeatedly."""
    states, powers = all_rows(len(given)) if rows is None else rows
    lengths = given.lengths[states, powers]
    longest_first = np.argsort(-lengths, kind="stable")
    states, powers, lengths = states[longest_first], powers[longest_first], lengths[longest_first]
    longest = int(lengths[0]) if len(lengths) else 0
    active = tuple(int((lengths > number).sum()) for number in range(longest))
    step_rows = np.concatenate([np.arange(n, dtype=np.int32) for n in active] or [np.zeros(0, np.int32)])
    step_numbers = np.repeat(np.arange(longest, dtype=np.int32), active)
    at = states[step_rows], powers[step_rows], step_numbers
    begins, ends = given.spans[at].T if len(step_rows) else np.zeros((2, 0), np.int32)
    sizes = ends - begins
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    legal = given.indices[np.repeat(begins - bounds[:-1], sizes) + np.arange(bounds[-1])]
    items, firsts = _items(given, at)
    reads = _reads(given, (at[0][firsts], at[1][firsts], at[2][firsts]))
    nodes = _nodes(legal, bounds)
    node_items, places, node_places = _node_items(nodes, items, firsts)
    counts = np.bincount(reads[3], minlength=len(firsts)).astype(np.float32)
    return TurnPlan(
        states, powers, longest_first.astype(np.int32), reads, len(firsts), counts, node_items, places, active, nodes,
        node_places, legal, bounds, given.last_action[at], step_rows,
    )  # fmt: skip


def all_rows(states: int) -> tuple[Ints, Ints]:
    """Return every power of every state, in order."""
    return (
        np.repeat(np.arange(states, dtype=np.int32), NUM_POWERS),
        np.tile(np.arange(NUM_POWERS, dtype=np.int32), states),
    )


def _items(given: NetworkInput, at: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the item of each step, and for each item a step that reads it."""
    states, powers, numbers = at
    own = np.where(given.places[at] == BUILD_PHASE_AREA_FLAG, 0, numbers)
    _, firsts, items = np.unique(
        (states * NUM_POWERS + powers) * MAX_ORDERS + own, return_index=True, return_inverse=True
    )
    return items.astype(np.int32), firsts.astype(np.int32)


def _reads(given: NetworkInput, firsts: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints, Ints]:
    items, areas = (part.astype(np.int32) for part in np.nonzero(given.areas[firsts]))
    return areas, firsts[0][items], firsts[1][items], items


def _nodes(legal: Ints, bounds: npt.NDArray[np.int64]) -> Ints:
    """Return [steps, most nodes]: the provinces that the legal actions of each step order."""
    steps = len(bounds) - 1
    seen = np.zeros((steps, NUM_PROVINCES), bool)
    seen[np.repeat(np.arange(steps), np.diff(bounds)), ordered_provinces()[legal]] = True
    counts = seen.sum(axis=1)
    nodes = np.full((steps, int(counts.max(initial=1))), NOWHERE, np.int32)
    rows, provinces = np.nonzero(seen)
    starts = np.cumsum(counts) - counts
    nodes[rows, np.arange(len(rows)) - starts[rows]] = provinces
    return nodes


def _node_items(nodes: Ints, items: Ints, firsts: Ints) -> tuple[tuple[Ints, Ints, Ints], int, Ints]:
    """Return each needed product once with its place at its node, and the place for each node of each step."""
    first_nodes = nodes[firsts]
    which, column = np.nonzero(first_nodes != NOWHERE)
    node = first_nodes[which, column]
    by_node = np.argsort(node, kind="stable")
    counts = np.bincount(node, minlength=NUM_PROVINCES + 1)
    starts = np.cumsum(counts) - counts
    place = np.empty(len(node), np.int32)
    place[by_node] = np.arange(len(node)) - starts[node[by_node]]
    table = np.zeros(first_nodes.shape, np.int32)
    table[which, column] = place
    most = int(counts[:NUM_PROVINCES].max(initial=1))
    return (node.astype(np.int32), place, which.astype(np.int32)), most, table[items]
