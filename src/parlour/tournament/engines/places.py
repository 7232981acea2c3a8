"""The number of matches to play at once: one per processor, fewer if time is limited."""

from __future__ import annotations

import os

from parlour.agents.loading import is_command
from parlour.errors import ConfigError
from parlour.tournament.plan import Plan


def places_for(plan: Plan, wanted: int | None, *, oversubscribe: bool = False) -> int:
    """Return the number of matches to play at once. Raise ConfigError if more are requested than are fair under a time
    limit.

    Raise ConfigError if more is asked for than is fair to players whose time is limited.
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
