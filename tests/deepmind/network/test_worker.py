"""The inference worker: one batch for all who ask at the same time, the same answers as alone, errors for who asked."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.deepmind import Network, write_parameters
from parlour.deepmind.network import worker as module
from parlour.deepmind.network.network import Decisions
from parlour.deepmind.network.stream import key_of
from parlour.deepmind.network.worker import InferenceWorker, Question, decide_all, worker_of
from parlour.errors import NotationError
from support.deepmind import golden as golden
from support.waiting import PATIENCE


class Held(Network):
    """Waits before each pass until it may go on, and counts what is in it."""

    def __init__(self) -> None:
        super().__init__(golden.parameters().config, golden.parameters().arrays)
        self.go = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)
        self.batches: list[tuple[int, int]] = []

    def decide(self, given: Any, draws: Any = None, rows: Any = None, *, values: bool = True) -> Decisions:
        self.begun.release()
        self.go.acquire()
        self.batches.append((len(given), len(rows[0])))
        return super().decide(given, draws, rows, values=values)


def test_what_waits_is_one_batch_in_which_each_state_is_looked_at_once() -> None:
    network, states = Held(), golden.transformed(forced=False)
    worker = InferenceWorker(network)
    first = worker.ask(states[0], 0, key_of(1))
    assert network.begun.acquire(timeout=PATIENCE)
    others = [worker.ask(states[number], power, key_of(9)) for number in (0, 1) for power in (2, 3, 4)]
    network.go.release(2)
    wait([first, *others], 20)
    assert network.batches == [(1, 1), (2, 6)]
    assert worker.batches == 2
    alone = Network(golden.parameters().config, golden.parameters().arrays)
    pairs = [(number, power) for number in (0, 1) for power in (2, 3, 4)]
    for answer, (number, power) in zip(others, pairs, strict=True):
        assert answer.result() == decide_all(alone, [Question(states[number], power, key_of(9))])[0]
        assert [action for action in answer.result() if action >> 48] == answer.result()


def test_a_batch_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STATES", 1)
    network, state = Held(), golden.transformed(forced=False)[0]
    worker = InferenceWorker(network)
    asked = [worker.ask(state, 0, key_of(0))]
    assert network.begun.acquire(timeout=PATIENCE)
    asked += [worker.ask(state, number % 7, key_of(number)) for number in range(10)]
    network.go.release(3)
    wait(asked, 20)
    assert network.batches == [(1, 1), (1, 7), (1, 3)]


def test_who_asked_is_told_of_an_error_and_the_worker_goes_on() -> None:
    network = Network(golden.parameters().config, golden.parameters().arrays)
    worker, state = InferenceWorker(network), golden.transformed(forced=False)[0]
    with pytest.raises(IndexError):
        worker.ask(state, 9, key_of(0)).result(120)
    assert len(worker.ask(state, 5, key_of(0)).result(120)) == 4


def test_one_worker_for_one_file_until_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    write_parameters(golden.parameters(), path)
    first = worker_of(path)
    assert worker_of(str(path)) is first
    assert worker_of(tmp_path / "." / "small.safetensors") is first
    os.utime(path, ns=(time.time_ns(), time.time_ns() + 1000))
    assert worker_of(path) is not first
    with pytest.raises(NotationError, match="gone: cannot be read"):
        worker_of(tmp_path / "gone")


def test_draws_are_each_seats_own() -> None:
    network = Network(golden.parameters().config, golden.parameters().arrays)
    state = golden.transformed(forced=False)[0]
    free = replace(state, temperature=np.ones(1, np.float32))
    questions = [Question(free, power, key_of(seed)) for seed in range(12) for power in (0, 1)]
    answers = decide_all(network, questions)
    assert len({str(answer) for answer in answers[::2]}) > 1
    assert answers[4:6] == decide_all(network, questions[4:6])
