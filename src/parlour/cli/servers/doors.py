"""All doors of a server, as `parlour serve` opens them, and the options for the settings that they declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_type_hints

import click
import msgspec

from parlour.net.game_doors import GAME_DOORS
from parlour.net.settings import ServerSettings, option_of
from parlour.web.declaration import HTTP

DOORS = (HTTP, *GAME_DOORS)
"""Doors in the order in which they are opened and in which the help lists their options."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def door_options(command: _Command) -> _Command:
    """Add an option to a command for each setting that a door declares with a text."""
    hints = get_type_hints(ServerSettings, include_extras=True)
    for field in reversed([field for declared in DOORS for field in declared.settings]):
        for note in getattr(hints[field], "__metadata__", ()):
            if note.description:
                option = click.option(f"--{option_of(field)}", type=_kind(hints[field], note), help=note.description)
                command = option(command)
    return command


def _kind(hint: Any, note: msgspec.Meta) -> click.Choice[str] | click.IntRange | None:
    """Return the type of an option: a choice, a bounded number, or (None) any text."""
    if note.extra is not None:
        return click.Choice(note.extra["choices"])
    inner = [each.__metadata__[0] for each in get_args(hint.__origin__) if hasattr(each, "__metadata__")]
    bounds = inner[0] if inner else note
    return None if bounds.ge is None or bounds.le is None else click.IntRange(int(bounds.ge), int(bounds.le))
