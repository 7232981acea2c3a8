"""Options in one line: names, help, type, default. A default is shown in the help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)
PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
whole, real = click.IntRange, click.FloatRange


def option(names: str, text: str, kind: Any = None, default: Any = None, **more: Any) -> Callable[[FC], FC]:
    """Return an option. A list as its kind holds the words to choose from; more are click's own arguments.

    Args:
        names: The spellings, and last the parameter's name if it is another one: `--json as_json`.
    """
    kind = click.Choice(kind) if isinstance(kind, Sequence) else kind
    if default is not None:
        more = {"default": default, "show_default": default != "", **more}
    return click.option(*names.split(), type=kind, help=text, **more)


def flag(names: str, text: str, **more: Any) -> Callable[[FC], FC]:
    """Return an option without a value."""
    return click.option(*names.split(), is_flag=True, help=text, **more)


def with_options(*options: Callable[[FC], FC]) -> Callable[[FC], FC]:
    """Return all these options, in this order."""

    def decorate(function: FC) -> FC:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
