"""Batches the calls of all players that use the same network in this program at the same time."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from parlour.deepmind.network.network import Network, NoiseKeys, Words
from parlour.deepmind.network.policy import Library, load_network
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.transformer import NetworkInput, stacked
from parlour.errors import NotationError

MOST_STATES = 32
"""Maximum number of states in a batch; more would only delay the first callers."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request for the orders of one power in one state."""

    given: NetworkInput
    """A batch of one, with the steps of all powers, so that seats of one match share it."""
    power: int
    key: Words
    answer: Future[list[int]] = field(default_factory=Future)


Waiting: TypeAlias = "queue.SimpleQueue[Question]"


class InferenceWorker:
    """A thread that takes all waiting questions at once and answers them by one pass of the network."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._waiting: Waiting = queue.SimpleQueue()
        self.batches = 0
        """Number of passes so far."""
        # A daemon, because it waits forever and must not keep the program from ending.
        threading.Thread(target=self._run, daemon=True, name="parlour network").start()

    def ask(self, given: NetworkInput, power: int, key: Words) -> Future[list[int]]:
        """Return a future for the orders of a power, as 64-bit actions."""
        question = Question(given, power, key)
        self._waiting.put(question)
        return question.answer

    def _run(self) -> None:
        while True:
            self._answer(self._take())

    def _take(self) -> list[Question]:
        """Wait for a question, and return it with all others that wait, up to a full batch."""
        found = [self._waiting.get()]
        while len(found) < MOST_STATES * NUM_POWERS and not self._waiting.empty():
            found.append(self._waiting.get())
        return found

    def _answer(self, questions: Sequence[Question]) -> None:
        self.batches += 1
        try:
            answers = decide_all(self._network, questions)
        except Exception as error:  # any error must reach the caller, who would otherwise wait forever
            for question in questions:
                question.answer.set_exception(error)
            return
        for question, answer in zip(questions, answers, strict=True):
            question.answer.set_result(answer)


def decide_all(network: Network, questions: Sequence[Question]) -> list[list[int]]:
    """Return the orders of each question; a state of several questions is encoded once."""
    states: dict[tuple[bytes, ...], int] = {}
    different: list[NetworkInput] = []
    rows = []
    for question in questions:
        place = states.setdefault(_content(question.given), len(different))
        if place == len(different):
            different.append(question.given)
        rows.append(place)
    powers = np.array([question.power for question in questions], np.int32)
    keys = np.concatenate([question.key for question in questions], axis=1)
    draws = NoiseKeys(keys, powers.astype(np.uint32), np.full(len(questions), NUM_POWERS, np.uint32))
    at = np.array(rows, np.int32), powers
    return network.decide(stacked(different), draws, at, values=False).actions(len(questions))


def _content(given: NetworkInput) -> tuple[bytes, ...]:
    """Return the bytes that identify a state to the network, and its sampling temperature."""
    parts = (given.board, given.last_moves_board, given.acts, given.season, given.build_numbers, given.indices)
    return *(part.tobytes() for part in parts), given.temperature.tobytes()


_lock = threading.Lock()
_workers: dict[tuple[int, Path, Library, int, int], InferenceWorker] = {}


def worker_of(path: Path | str, library: Library = "numpy") -> InferenceWorker:
    """Return the worker for a file of parameters; all callers share it until the file changes."""
    path = Path(path).resolve()
    try:
        file = path.stat()
    except OSError as error:
        raise NotationError(f"{path.name}: cannot be read: {error.strerror}") from None
    # After a fork the threads of the parent do not exist.
    key = os.getpid(), path, library, file.st_mtime_ns, file.st_size
    with _lock:
        for other in [other for other in _workers if other[:3] == key[:3] and other != key]:
            del _workers[other]
        if key not in _workers:
            _workers[key] = InferenceWorker(load_network(path, library))
        return _workers[key]
