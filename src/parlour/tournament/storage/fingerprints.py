"""Digests of the parts of an agent, so that a tournament is not resumed with a changed agent."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import threading
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import parlour
from parlour.agents import check_match
from parlour.agents.loading import class_of, is_command, make_player
from parlour.core.game import Plain
from parlour.errors import ConfigError
from parlour.files import open_regular

MAX_BYTES = 1 << 30
"""Maximum bytes of a file that is read whole; of larger files only the size counts."""


def check_agent(game: str, agent: str, config: Mapping[str, Plain]) -> None:
    """Raise ConfigError if an agent is unknown, does not load, or cannot play matches of this configuration."""
    if agent == "human":
        raise ConfigError("agent: a person plays with parlour play or parlour join", field="agents")
    if is_command(game, agent):
        words = shlex.split(agent)
        if not words or shutil.which(words[0]) is None:
            raise ConfigError(f"agent: {words[0] if words else agent!r} is not a program here", field="agents")
    else:
        make_player(game, agent, 0)
        check_match(game, agent, config)


def fingerprint(game: str, agent: str) -> dict[str, str]:
    """Return the parts of an agent and their digests; the agent must exist."""
    if (found := class_of(agent)) is not None:
        file = found[0].resolve()
        return {
            path.name: _digest([path]) for path in sorted({*_own_files(file), *_opened_by(game, agent, file.parent)})
        }
    if is_command(game, agent):
        words = shlex.split(agent)
        files = [Path(word) for word in (shutil.which(words[0]) or words[0], *words[1:])]
        return {path.name: _digest([path]) for path in files if path.is_file()}
    given = [Path(value) for _, _, value in (part.partition("=") for part in agent.partition(":")[2].split(","))]
    return {"parlour": _source(game)} | {path.name: _digest([path]) for path in given if path.is_file()}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the parts whose digests differ."""
    return [part for part in sorted({*before, *now}) if before.get(part) != now.get(part)]


def _own_files(path: Path) -> list[Path]:
    """Return the file of a loaded class, and the files of all modules that were imported from its folder."""
    found = {path}
    for module in tuple(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file is not None and Path(file).is_relative_to(path.parent) and Path(file).suffix == ".py":
            found.add(Path(file))
    return sorted(found)


def _opened_by(game: str, agent: str, folder: Path) -> set[Path]:
    """Return the data files in its folder that a class opens in its constructor, or lists in its attribute `files`."""
    _watch_files()
    opened: list[str] = []
    _opened.active = opened
    try:
        player = make_player(game, agent, 0)
    finally:
        _opened.active = None
    declared = [folder / str(name) for name in getattr(player, "files", None) or ()]
    paths = {path.resolve() for path in (*map(Path, opened), *declared)}
    return {
        path for path in paths if path.is_relative_to(folder) and path.suffix not in (".py", ".pyc") and path.is_file()
    }


class _Opened(threading.local):
    """The files that a thread opens for reading while they are recorded; None while they are not."""

    active: list[str] | None = None


_opened = _Opened()


@cache
def _watch_files() -> None:
    """Add an audit hook that records opened files; a hook cannot be removed, so it is added once."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and _opened.active is not None and isinstance(arguments[0], str | bytes):
            mode = arguments[1]
            if mode is None or not any(sign in str(mode) for sign in "wax+"):
                _opened.active.append(os.fsdecode(arguments[0]))

    sys.addaudithook(hook)


@cache
def _source(game: str) -> str:
    """Return the version, and a digest of the source of the rules and of all house agents."""
    folder = Path(parlour.__file__).parent
    files = sorted([*(folder / "agents").rglob("*.py"), *(folder / "games" / game).rglob("*.py")])
    return f"{parlour.__version__} {_digest(files)}"


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name} {size}\n".encode())
        if size <= MAX_BYTES:
            with open_regular(path) as file:
                digest.update(hashlib.file_digest(file, "blake2b").digest())
    return digest.hexdigest()
