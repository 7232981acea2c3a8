"""The player that somebody asked for: an agent's name with options, path.py:Class, `human`, or a command to run."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from parlour.agents.aside import speaking
from parlour.agents.keeper import UNLIMITED, Limits
from parlour.agents.watched import Mishap, Note, Watched, own_place_of, reason_of
from parlour.core.declaration import fetch
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared

MAX_SOURCE = 1 << 20
"""Bytes of a file that are looked at for its classes."""

_folders: set[Path] = set()
"""Where the files of classes came from, so that modules of one author are told from those of all others."""


def make_player(
    game: str, wanted: str, seed: int = 0, note: Note | None = None, *, limits: Limits = UNLIMITED
) -> Player:
    """A new player for a game: an agent's name with options, path.py:Class, `human`, or a command to run.

    What looks like a command (it has a blank or a slash, and is no agent) is started as a program that speaks JSON
    lines, within the limits. If the class is the user's own, note gets what goes wrong in it.
    """
    if wanted == "human":
        from parlour.agents.human import Human

        return Human()
    if (found := class_of(wanted)) is not None:
        path, name = found
        if not name:
            raise ConfigError(f"agent: {path.name} needs the name of a class: {_classes(path)}", field="agent")
        return Watched(_from_file(game, path, name), note or _unheard, f"{path.name}:{name}")
    if is_command(game, wanted):
        from parlour.agents.program import Program

        return Program(wanted, game, limits=limits)
    from parlour.agents import make_agent

    return make_agent(game, wanted, seed)


def class_of(wanted: str) -> tuple[Path, str] | None:
    """The file and the class in it, if that is what is asked for."""
    if wanted.endswith(".py") and " " not in wanted:
        return Path(wanted), ""
    path, _, name = wanted.rpartition(":")
    return (Path(path), name) if path.endswith(".py") else None


def _classes(path: Path) -> str:
    """How to ask for each class of a file."""
    if not path.is_file():
        return f"there is no file {str(path)!r:.200}"
    names = _names_in(path)
    if names is None:
        return f"{path}:CLASS"
    return " or ".join(f"{path}:{name}" for name in names[:5]) if names else "the file has none"


def _names_in(path: Path) -> list[str] | None:
    """The classes of a file; found by reading it, since its code is not ours to run for an error. None: unreadable."""
    try:
        tree = ast.parse(path.read_bytes()[:MAX_SOURCE])
    except (SyntaxError, ValueError, RecursionError):
        return None
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def is_command(game: str, wanted: str) -> bool:
    """Whether a program is to be started; the options of an agent may have a slash, too."""
    from parlour.agents import is_agent

    return class_of(wanted) is None and (" " in wanted or "/" in wanted) and not is_agent(game, wanted)


def _from_file(game: str, path: Path, name: str) -> Player:
    """A class of the user's own file, made without arguments; adapted if the game knows other forms of players."""
    if not path.is_file():
        raise ConfigError(f"agent: there is no file {str(path)!r}", field="agent")
    try:
        with speaking(f"{path.name}:{name}"):
            make = getattr(_module_of(path.resolve()), name, None)
            made: Any = None if make is None else make()
    except (Exception, SystemExit) as error:  # the player boundary: the file is the user's own
        at = f" ({place})" if (place := own_place_of(error)) else ""
        raise ConfigError(f"agent: {path.name}:{name} does not load: {reason_of(error)}{at}", field="agent") from None
    if make is None:
        known = _names_in(path) or []
        there = f", expected {' or '.join(known[:5])}{hint(name, known)}" if known else ""
        raise ConfigError(f"agent: {path.name} has no class {name!r:.60}{there}", field="agent")
    adapter = declared(game).adapter
    player: Player = fetch(adapter)(made) if adapter else made
    if not isinstance(player, Player):
        raise ConfigError(f"agent: {path.name}:{name} has no method act", field="agent")
    return player


def _module_of(path: Path) -> ModuleType:
    """The file as a module, run anew. It may import what lies beside it, as a script does."""
    folder = path.parent
    _make_way(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        # For imports within functions; where it hides nothing of a library from anybody else.
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        _folders.add(folder)
    return module


def _make_way(folder: Path) -> None:
    """Forget the modules of other authors that are called as one in the folder; who uses them keeps them."""
    names = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    for name in names & sys.modules.keys():
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and any(Path(file).is_relative_to(other) for other in _folders - {folder}):
            del sys.modules[name]


def _unheard(mishap: Mishap) -> None:
    """Takes no note."""
