"""The contract of an engine, which takes tasks of several matches; and the engine that a plan is played on."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from parlour.agents.loading import is_command
from parlour.errors import ConfigError
from parlour.tournament.plan import Plan
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting


class Failure(msgspec.Struct, frozen=True):
    """Matches that were not played without a fault of a player: their process died, or their machine is gone."""

    numbers: tuple[int, ...]
    reason: str
    begun: bool = True
    """True if one of them was under way; otherwise they did not cause the failure."""


class Happening(msgspec.Struct, frozen=True):
    """Results and failures that an engine returns."""

    deliveries: tuple[Delivery, ...] = ()
    failures: tuple[Failure, ...] = ()
    idle: int = 0
    """Number of tasks that are over."""


class AnyEngine(Protocol):
    """An engine that plays matches in any place."""

    @property
    def places(self) -> int:
        """Number of matches that can be played at once."""

    @property
    def depth(self) -> int:
        """Number of tasks that should run or wait."""

    @property
    def task_time(self) -> float:
        """Seconds that a task should take, so that sending it does not matter."""

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Send these matches to be played."""


class Engine(AnyEngine, Protocol):
    """Plays matches in other processes."""

    def wait(self, seconds: float) -> Happening:
        """Return results and failures: at once if there are any, otherwise after at most this time."""

    def close(self) -> None:
        """Stop all tasks and end every process that was started."""


class AsyncEngine(AnyEngine, Protocol):
    """Plays matches on the running event loop."""

    async def happened(self) -> Happening:
        """Wait until results return, and return them."""


EngineName = Literal["local", "ray"]


@contextlib.contextmanager
def open_engine(
    plan: Plan, name: EngineName, jobs: int | None, *, address: str | None = None, oversubscribe: bool = False
) -> Iterator[Engine]:
    """Yield an engine for a plan, and close it at the end.

    Args:
        jobs: Number of matches to play at once; as places_for chooses if None.
        address: Address of a Ray cluster; None starts one here.
        oversubscribe: True to allow more jobs than are fair where time is limited.
    """
    if name == "local" and address is not None:
        raise ConfigError("address: is for --engine ray", field="address")
    places = places_for(plan, jobs, oversubscribe=oversubscribe)
    engine: Engine
    if name == "ray":
        from parlour.tournament.engines.cluster import RayEngine

        engine = RayEngine(plan, places, address=address)
    else:
        from parlour.tournament.engines.local import LocalEngine

        engine = LocalEngine(plan, places)
    with contextlib.closing(engine):
        yield engine


def places_for(plan: Plan, wanted: int | None, *, oversubscribe: bool = False) -> int:
    """Return the number of matches to play at once.

    Raise ConfigError if more are requested than is fair to players whose time is limited.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if plan.reproducible:
        return wanted or processors
    fitting = max(1, processors // busy(plan))
    if wanted is not None and wanted > fitting and not oversubscribe:
        raise ConfigError(
            f"jobs: time is limited, and {fitting} at once is what {processors} processors can play without one player "
            f"slowing another down; {wanted} needs --oversubscribe",
            field="jobs",
        )
    return wanted or fitting


def busy(plan: Plan) -> int:
    """Return the number of players of one match that may think at once, each on a processor of its own."""
    if not plan.simultaneous:
        return 1
    # Agents in this process take turns on one processor; commands do not.
    commands = sum(is_command(plan.game, agent) for agent in plan.agents.values())
    return max(1, plan.seats if commands else 1)
