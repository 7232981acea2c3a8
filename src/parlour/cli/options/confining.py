"""Limits of players' programs, as options of the verbs that start them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from parlour.agents.loading import is_command
from parlour.agents.process_supervisor import CONFINED, UNLIMITED, Limits, promise
from parlour.errors import ConfigError

F = TypeVar("F", bound=Callable[..., Any])


def program_options(function: F) -> F:
    """--confined, --trusted and --pass-env."""
    shown = f"{CONFINED.processes} processes, {(CONFINED.memory or 0) >> 30} GiB each, files of 64 MiB, no network"
    for option in (
        click.option("--confined", is_flag=True, help=f"Hold commands to limits: {shown}."),
        click.option("--trusted", is_flag=True, help="Trust the commands: they see your files and your environment."),
        click.option(
            "--pass-env",
            "passed",
            metavar="NAME",
            multiple=True,
            help="Environment variable that commands receive, like a key; may be repeated.",
        ),
    ):
        function = option(function)
    return function


def limits_of(
    *,
    confined: bool,
    trusted: bool = False,
    passed: Sequence[str] = (),
    hidden: Iterable[Path] = (),
    cpu: int | None = None,
    memory: int | None = None,
) -> Limits:
    """Return the limits of programs: those of --confined or none, and what was said of processor time and megabytes."""
    if confined and trusted:
        raise ConfigError("trusted: expected --confined or --trusted, got both", field="trusted")
    check_passed(passed)
    limits = CONFINED if confined else UNLIMITED
    limits = msgspec.structs.replace(
        limits, enclosed=not trusted, passed=tuple(passed), hidden=tuple(str(path.absolute()) for path in hidden)
    )
    if cpu is not None:
        limits = msgspec.structs.replace(limits, cpu=cpu)
    return limits if memory is None else msgspec.structs.replace(limits, memory=memory << 20)


def check_passed(names: Sequence[str]) -> None:
    """Raise ConfigError if a variable that programs are to get is not in the environment."""
    if missing := [name for name in names if name not in os.environ]:
        raise ConfigError(f"pass-env: there is no {missing[0]!r:.40} in your environment", field="pass-env")


def tell_of_programs(game: str, agents: Iterable[str], limits: Limits) -> None:
    """Print the protection against programs, if one of the agents is a program."""
    if any(is_command(game, agent) for agent in agents):
        click.echo(f"note: {promise(limits)}", err=True)


def files_of_store(url: str) -> list[Path]:
    """Return the files of a store; none if it is a server's."""
    return [] if "://" in url else [Path(f"{url}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]
