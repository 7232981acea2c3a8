"""What programs of others may use, as options of the verbs that start them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from parlour.agents.keeper import CONFINED, UNLIMITED, Limits

F = TypeVar("F", bound=Callable[..., Any])


def confined_option(function: F) -> F:
    """--confined."""
    shown = f"{CONFINED.processes} processes, {(CONFINED.memory or 0) >> 30} GiB each, files of 64 MiB, no network"
    return click.option("--confined", is_flag=True, help=f"Hold commands to limits: {shown}.")(function)


def limits_of(confined: bool, cpu: int | None = None, memory: int | None = None) -> Limits:
    """The limits of programs: those of --confined or none, and what was said of processor time and megabytes."""
    limits = CONFINED if confined else UNLIMITED
    if cpu is not None:
        limits = msgspec.structs.replace(limits, cpu=cpu)
    return limits if memory is None else msgspec.structs.replace(limits, memory=memory << 20)
