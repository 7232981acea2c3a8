"""Sampled best responses: legal, of one power a phase, and better by the values that chose them than the play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parlour.deepmind import POSSIBLE_ACTIONS
from parlour.deepmind.legal import RULES
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.network import Floats
from parlour.deepmind.network.parameters import made_parameters
from parlour.deepmind.transformer import NetworkInput
from parlour.games.diplomacy.engine import codes as k
from parlour.training.phases import PlayedPhases, joined, observed
from parlour.training.responses import Sampling, _carried, _values, respond, respond_all
from parlour.training.sources import phases_of_file
from support.matches.training import Standing, standing, write_matches

TINY = NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)
MOVES = (0, 2)


class Counting(Standing):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(TINY, made_parameters(TINY, 3).arrays)
        self.asked: list[NetworkInput] = []

    def values(self, given: NetworkInput) -> Floats:
        self.asked.append(given)
        return super().values(given)


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> PlayedPhases:
    folder = tmp_path_factory.mktemp("matches")
    return joined([phases_of_file(path, "centres") for path in write_matches(folder, 3, "random", 1903)])


def flat(actions: np.ndarray) -> np.ndarray:
    """64-bit actions for the rules, of indices with -1 for none."""
    return np.where(actions < 0, 0, POSSIBLE_ACTIONS[np.maximum(actions, 0)])


def test_one_power_of_each_phase_responds_and_nothing_else_is_changed(phases: PlayedPhases) -> None:
    found = respond_all(Counting(), phases, Sampling(3, 2), 5, 2, lambda done: None)
    assert (found.counts.sum(axis=1) <= 1).all()
    given = phases.inputs(np.arange(len(phases)))
    due = given.lengths > 0
    assert np.array_equal(found.counts.any(axis=1), due.any(axis=1))
    assert due[found.counts > 0].all()
    same = (found.actions == phases.actions).all(axis=2)
    assert same[found.counts == 0].all()
    assert not same[found.counts > 0].all()
    for at, power in np.argwhere(found.counts > 0)[:40].tolist():
        for step in range(int(given.lengths[at, power])):
            begin, end = given.spans[at, power, step]
            action = int(found.actions[at, power, step])
            assert action in given.indices[begin:end] or action == -1
    assert len(np.unique(np.argwhere(found.counts)[:, 1])) == 7


def test_the_seed_decides_and_work_is_told_of(phases: PlayedPhases) -> None:
    told: list[int] = []
    one = respond_all(Counting(), phases, Sampling(3, 2), 5, 1, told.append)
    again = respond_all(Counting(), phases, Sampling(3, 2), 5, 2, lambda done: None)
    other = respond_all(Counting(), phases, Sampling(3, 2), 6, 2, lambda done: None)
    assert np.array_equal(one.actions, again.actions)
    assert not np.array_equal(one.actions, other.actions)
    assert told == sorted(told)
    assert told[-1] == len(phases)


def test_responses_bring_more_than_what_was_played(phases: PlayedPhases) -> None:
    """By the values that chose them, against what the others really did; draws for others are as the network plays."""
    moves = np.isin(phases.inputs(np.arange(len(phases))).season, MOVES)
    rows = np.flatnonzero(moves)
    actions, counts = respond(Counting(), phases, rows, Sampling(24, 4), 1)
    powers = counts.argmax(axis=1)
    before = np.ascontiguousarray(phases.states[rows])
    every = np.arange(len(rows))
    gained = []
    for chosen in (actions, phases.actions[rows]):
        after, _ = RULES.step(before, np.ascontiguousarray(flat(chosen)))
        gained.append(standing(observed(after)[0])[every, powers].mean())
    assert gained[0] > gained[1] + 0.2


def test_fewer_choices_are_worse(phases: PlayedPhases) -> None:
    moves = np.flatnonzero(np.isin(phases.inputs(np.arange(len(phases))).season, MOVES))
    means = []
    for candidates in (1, 24):
        actions, counts = respond(Counting(), phases, moves, Sampling(candidates, 3), 1)
        after, _ = RULES.step(np.ascontiguousarray(phases.states[moves]), np.ascontiguousarray(flat(actions)))
        means.append(standing(observed(after)[0])[np.arange(len(moves)), counts.argmax(axis=1)].mean())
    assert means[1] > means[0] + 0.2


def test_what_follows_is_read_as_if_it_had_been_played(phases: PlayedPhases) -> None:
    """The next state as a network sees it is the transformer's output for the match, phase by phase."""
    network = Counting()
    rows = np.flatnonzero(phases.match[:-1] == phases.match[1:])
    given, following = phases.inputs(rows), phases.inputs(rows + 1)
    done = flat(phases.actions[rows])
    _values(network, np.ascontiguousarray(phases.states[rows + 1]), done, _carried(given), "centres")
    shown = network.asked[-1]
    for name in ("board", "last_moves_board", "acts", "season", "build_numbers"):
        assert np.array_equal(getattr(shown, name), getattr(following, name)), name


def test_what_is_over_pays_what_it_pays(phases: PlayedPhases) -> None:
    states = np.ascontiguousarray(phases.states[:2]).copy()
    states[1, k.STATUS], states[1, k.WINNER] = int(k.Status.SOLO), 3
    given = phases.inputs(np.arange(2))
    network = Counting()
    found = _values(network, states, np.zeros((2, 7, 17), np.int64), _carried(given), "centres")
    assert found[1].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert np.array_equal(found[0], standing(network.asked[-1].board)[0])


def test_draws_are_as_warm_as_asked(phases: PlayedPhases) -> None:
    """At temperature 0 all candidates are the likeliest orders, so that it cannot matter which is the best."""
    rows = np.arange(6)
    cold = respond(Counting(), phases, rows, Sampling(6, 2, 0.0), 1)[0]
    also = respond(Counting(), replace(phases), rows, Sampling(1, 1, 0.0), 1)[0]
    warm = respond(Counting(), phases, rows, Sampling(6, 2, 1.0), 1)[0]
    assert np.array_equal(cold, also)
    assert not np.array_equal(cold, warm)
