"""Limits of players' programs, as options of the verbs that start them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from parlour.agents.loading import is_command
from parlour.agents.process_supervisor import CONFINED, UNLIMITED, Limits, promise
from parlour.cli.options.kinds import flag, option, with_options
from parlour.errors import ConfigError

_CONFINED = f"{CONFINED.processes} processes, {(CONFINED.memory or 0) >> 30} GiB each, files of 64 MiB, no network"
_PASSED = "Environment variable that commands receive, like a key; may be repeated."
program_options = with_options(
    option("--pass-env passed", _PASSED, metavar="NAME", multiple=True),
    flag("--trusted", "Trust the commands: they see your files and your environment."),
    flag("--confined", f"Limit commands: {_CONFINED}."),
)


def limits_of(
    *,
    confined: bool,
    trusted: bool = False,
    passed: Sequence[str] = (),
    hidden: Iterable[Path] = (),
    cpu: int | None = None,
    memory: int | None = None,
) -> Limits:
    """Return the limits of programs: those of --confined or none, with cpu and memory (in MiB) replaced if given."""
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
    """Return the files of a store; none if the store is a database server."""
    return [] if "://" in url else [Path(f"{url}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]
