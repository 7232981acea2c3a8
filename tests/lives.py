"""Lets a simulated world live: three lives, with crashes between them and a disk that fails at times in the second."""

from __future__ import annotations

import logging
from typing import Protocol, TypeVar


class SimulatedWorld(Protocol):
    """What is needed of a world to be lived in."""

    def live(self, failing: float) -> None:
        """One life, which ends in a crash; the disk fails so often."""
        ...

    def check(self) -> None:
        """Whatever must hold after all lives does."""
        ...


Lived = TypeVar("Lived", bound=SimulatedWorld)


def lived(world: Lived) -> Lived:
    """The world, after three lives in which everything held."""
    log = logging.getLogger("parlour")
    level = log.level
    log.setLevel(logging.CRITICAL)  # what fails in it is meant to
    try:
        for life in range(3):
            world.live(failing=0.02 if life % 2 else 0.0)
        world.check()
        return world
    finally:
        log.setLevel(level)
