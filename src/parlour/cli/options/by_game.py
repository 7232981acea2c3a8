"""A verb that has one command for each game that there is, with the options that the game declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from parlour.cli.options.kinds import FC, with_options
from parlour.cli.terminal.family import Family
from parlour.core.declaration import GameDeclaration, GameOption
from parlour.core.game import Plain
from parlour.games import declared, games


class ByGame(Family):
    """A group of commands, one for each game; each is made when it is asked for, from what its game declares."""

    def __init__(self, *arguments: Any, make: Callable[[GameDeclaration], click.Command], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._make = make

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all games."""
        return list(games())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a game; None for an unknown game."""
        return self._make(declared(cmd_name)) if cmd_name in games() else None


def game_options(declaration: GameDeclaration) -> Callable[[FC], FC]:
    """Return the options of a verb that set up a match of the game."""
    return with_options(
        *(
            click.option(f"--{option.name.replace('_', '-')}", option.name, type=_type(option), help=option.help)
            for option in declaration.options
            if option.help
        )
    )


def _type(option: GameOption) -> type:
    """Return the type that reads the value; the game itself checks it, with the same errors everywhere."""
    return str if option.choices else int


def given_config(declaration: GameDeclaration, how: dict[str, Any]) -> dict[str, Plain]:
    """Return the options that belong to the match's configuration, and remove them from the rest."""
    given = {option.name: how.pop(option.name) for option in declaration.options if option.help}
    return {name: value for name, value in given.items() if value is not None}
