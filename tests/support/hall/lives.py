"""Lets a simulated world live: three lives, with crashes between them and a disk that fails at times in the second."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol, TypeVar

from parlour.errors import StoreError
from parlour.store import Write
from support import TESTS
from support.simulation.world import SimulatedDisk, SimulatedStore


class SimulatedWorld(Protocol):
    """Methods that a world needs for a life in it."""

    disk: SimulatedDisk

    def live(self, failing: float) -> None:
        """One life, which ends in a crash; the disk fails so often."""
        ...

    def check(self) -> None:
        """Whatever must hold after all lives does."""
        ...


def grain_of(seed: int) -> float:
    """In every other world much happens at one moment: how many seconds that are two moments apart."""
    return 0.0 if seed % 2 else 0.25


FILLING = [(1.0, 0.0), (40.0, 12.0), (90.0, 45.0)]
"""Number of times and seconds that the disk of a life may be full."""

Lived = TypeVar("Lived", bound=SimulatedWorld)


def lived(world: Lived) -> Lived:
    """Return the world, after three lives in which everything held."""
    log = logging.getLogger("parlour")
    level = log.level
    log.setLevel(logging.CRITICAL)  # what fails in it is meant to
    try:
        for life in range(3):
            world.live(failing=0.02 if life % 2 else 0.0)
        world.check()
        assert world.disk.premature == []
        return world
    finally:
        log.setLevel(level)


async def in_turn(asker: object, work: Callable[[], Any]) -> Any:
    return work()


def in_two_orders(world: ModuleType, seed: int) -> list[bytes]:
    """Return what a world of that seed gives in two processes, in which sets have different orders."""
    command = [sys.executable, "-m", world.__name__, str(seed)]
    worlds = [
        subprocess.Popen(command, cwd=TESTS, env={**os.environ, "PYTHONHASHSEED": order}, stdout=subprocess.PIPE)
        for order in ("1", "2")
    ]
    return [world.communicate()[0] for world in worlds]


class MortalStore(SimulatedStore):
    """A store of a server that may be dead: then nothing more is written, whoever still tries."""

    def __init__(self, disk: SimulatedDisk, chance: random.Random, **faults: Any) -> None:
        super().__init__(disk, chance, **faults)
        self._dead = False
        self._writing: dict[asyncio.Task[Any], None] = {}
        self._in_turn = asyncio.Lock()
        """A real store writes in the order in which it is asked to."""

    async def keep(self, *writes: Write) -> None:
        if self._dead:
            raise StoreError("the server is dead")
        task = asyncio.current_task()
        assert task is not None
        self._writing[task] = None
        try:
            async with self._in_turn:
                await super().keep(*writes)
        finally:
            self._writing.pop(task, None)

    def crash(self) -> None:
        super().crash()
        self._dead = True
        for task in self._writing:
            task.cancel()
