"""What an agent is made of, by digests: so that a tournament is not resumed with another agent under the same name."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import parlour
from parlour.agents.loading import class_of, is_command, make_player
from parlour.errors import ConfigError

MAX_BYTES = 1 << 30
"""Of a file that is read whole; of larger ones only the size counts."""


def check_agent(game: str, agent: str) -> None:
    """ConfigError, in one line, if there is no such agent, it has no such option, or its file does not load."""
    if agent == "human":
        raise ConfigError("agent: a person plays with parlour play or parlour join", field="agents")
    if is_command(game, agent):
        words = shlex.split(agent)
        if not words or shutil.which(words[0]) is None:
            raise ConfigError(f"agent: {words[0] if words else agent!r} is no program here", field="agents")
    else:
        make_player(game, agent, 0)


def fingerprint(game: str, agent: str) -> dict[str, str]:
    """The parts of an agent and their digests; the agent must be one that can be had."""
    if (found := class_of(agent)) is not None:
        return {path.name: _digest([path]) for path in _own_files(found[0].resolve())}
    if is_command(game, agent):
        words = shlex.split(agent)
        files = [Path(word) for word in (shutil.which(words[0]) or words[0], *words[1:])]
        return {path.name: _digest([path]) for path in files if path.is_file()}
    given = [Path(value) for _, _, value in (part.partition("=") for part in agent.partition(":")[2].split(","))]
    return {"parlour": _source(game)} | {path.name: _digest([path]) for path in given if path.is_file()}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The parts that are not as they were."""
    return [part for part in sorted({*before, *now}) if before.get(part) != now.get(part)]


def _own_files(path: Path) -> list[Path]:
    """The file of a class and what it imported from its folder; it has been loaded before."""
    found = {path}
    for module in tuple(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file is not None and Path(file).is_relative_to(path.parent) and Path(file).suffix == ".py":
            found.add(Path(file))
    return sorted(found)


@cache
def _source(game: str) -> str:
    """The version, and the source of the rules and of all agents that ship."""
    folder = Path(parlour.__file__).parent
    files = sorted([*(folder / "agents").rglob("*.py"), *(folder / "games" / game).rglob("*.py")])
    return f"{parlour.__version__} {_digest(files)}"


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name} {size}\n".encode())
        if size <= MAX_BYTES:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "blake2b").digest())
    return digest.hexdigest()
