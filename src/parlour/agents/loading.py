"""Loads the requested player: an agent's name with options, path.py:Class, `human`, or a command to run."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from parlour.agents.aside import speaking
from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.agents.specs import SWITCH
from parlour.agents.watched import Mishap, Note, Watched, own_place_of, reason_of
from parlour.core.declaration import fetch
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.files import read_regular
from parlour.games import declared

MAX_SOURCE = 1 << 20
"""Bytes of a file that are looked at for its classes."""

FORMS = "path.py:Class, ./program, a command in quotes, human, llm:MODEL@URL"
"""Forms in which a player can be named besides an agent's name."""
_folders: set[Path] = set()
"""Folders of the users' class files, by which modules of different authors are distinguished."""


def make_player(
    game: str, wanted: str, seed: int = 0, note: Note | None = None, *, limits: Limits = UNLIMITED
) -> Player:
    """Return a new player for a game.

    A text that looks like a command (it has a blank or a slash, and names no agent) is started as a program that speaks
    JSON lines, within the limits. If the class is the user's own, note receives its errors.

    Args:
        game: Name of the game.
        wanted: Agent's name with options, path.py:Class:options, `human`, or a command to run.
        seed: Seed of the player's random choices.

    Raises:
        ConfigError: The text names no player, or the player cannot be made.
    """
    if wanted == "human":
        from parlour.agents.human import Human

        return Human()
    if (found := class_of(wanted)) is not None:
        path, name = found
        if not name:
            raise ConfigError(f"agent: {path.name} needs the name of a class: {_classes(path)}", field="agent")
        return Watched(_from_file(game, path, name, options_in(wanted), seed), note or _unheard, f"{path.name}:{name}")
    if is_command(game, wanted):
        from parlour.agents.program import Program

        return Program(wanted, game, limits=limits)
    from parlour.agents import is_agent, make_agent

    try:
        return make_agent(game, wanted, seed)
    except ConfigError as error:
        if error.field == "agent" and not is_agent(game, wanted):
            raise ConfigError(f"{error}; or {FORMS}", field="agent") from None
        raise


_CLASS = re.compile(r"(?P<path>.*\.py)(?::(?P<name>[^:]*)(?::(?P<options>.*))?)?", re.DOTALL)


def class_of(wanted: str) -> tuple[Path, str] | None:
    """Return the file and the class that a text such as `bot.py:Bot` names; None for any other text."""
    found = _CLASS.fullmatch(wanted)
    if found is None or (found["name"] is None and " " in wanted):
        return None
    return Path(found["path"]), found["name"] or ""


def options_in(wanted: str) -> dict[str, str]:
    """Return the options of a class that is asked for, as they were typed: `bot.py:Bot:weight=0.3,depth=2`."""
    found = _CLASS.fullmatch(wanted)
    text = found["options"] if found is not None and found["options"] else ""
    given: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or name in given:
            raise ConfigError(f"agent: expected options such as weight=0.3,depth=2, got {text!r:.80}", field="agent")
        given[name] = value
    return given


def _classes(path: Path) -> str:
    """Return the forms in which the classes of a file can be named, or the reason why there are none."""
    if not path.is_file():
        return f"there is no file {str(path)!r:.200}"
    names = _names_in(path)
    if names is None:
        return f"{path}:CLASS"
    return " or ".join(f"{path}:{name}" for name in names[:5]) if names else "the file has none"


def _names_in(path: Path) -> list[str] | None:
    """Return the names of the classes in a file, or None if it is not Python.

    The file is parsed, not run: an error message is no reason to run the code of others.
    """
    try:
        tree = ast.parse(read_regular(path, MAX_SOURCE))
    except (SyntaxError, ValueError, RecursionError):
        return None
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def is_command(game: str, wanted: str) -> bool:
    """Return True if a text is a command to start; an agent whose options have a slash is not."""
    from parlour.agents import is_agent

    return class_of(wanted) is None and (" " in wanted or "/" in wanted) and not is_agent(game, wanted)


def _from_file(game: str, path: Path, name: str, options: Mapping[str, str], seed: int) -> Player:
    """Return an object of a class in the user's file, made with its options and, if it takes one, a seed.

    It is adapted if the game has other interfaces for players.
    """
    if not path.is_file():
        raise ConfigError(f"agent: there is no file {str(path)!r}", field="agent")
    try:
        with speaking(f"{path.name}:{name}"):
            make = getattr(_module_of(path.resolve()), name, None)
            made: Any = None if make is None else make(**_arguments(f"{path.name}:{name}", make, options, seed))
    except ConfigError:
        raise
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


def _arguments(name: str, make: Callable[..., Any], options: Mapping[str, str], seed: int) -> dict[str, object]:
    """Return the arguments for a class: the given options, and a seed if the class takes one."""
    try:
        places = inspect.signature(make).parameters
    except (TypeError, ValueError):  # the class reveals no parameters
        places = inspect.Signature().parameters
    takes_all = any(place.kind is place.VAR_KEYWORD for place in places.values())
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    by_name = {key: place for key, place in places.items() if place.kind in kinds}
    if unknown := [key for key in options if key not in by_name and not takes_all]:
        known = [key for key in by_name if key != "seed"]
        expected = f"expected {', '.join(known)}{hint(unknown[0], known)}" if known else "it has none"
        raise ConfigError(f"agent: {name} has no option {unknown[0]!r:.40}, {expected}", field="agent")
    given = {key: _value(text, by_name.get(key)) for key, text in options.items()}
    return {"seed": seed} | given if "seed" in by_name else given


def _value(text: str, place: inspect.Parameter | None) -> object:
    """Return an option as number or switch if its text looks like that; as text if the class has text by default."""
    if place is not None and isinstance(place.default, str):
        return text
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return SWITCH.get(text.lower(), text)


def _module_of(path: Path) -> ModuleType:
    """Run a file as a new module and return it. It may import modules beside it, as a script does."""
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
        # Functions may import modules later. At the end of the path the folder hides no library of others.
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        _folders.add(folder)
    return module


def _make_way(folder: Path) -> None:
    """Forget modules of other authors with the name of a module in the folder; code that imported them keeps them."""
    names = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    for name in names & sys.modules.keys():
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and any(Path(file).is_relative_to(other) for other in _folders - {folder}):
            del sys.modules[name]


def _unheard(mishap: Mishap) -> None:
    """Ignore the note."""
