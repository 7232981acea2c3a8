"""A verb with sub-verbs, each listed with its whole first sentence; a mistyped one gets the nearest name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from parlour.core.text import hint

LONGEST = 300
RENAMED = {
    "--returns": ("--reconnect-timeout", "--reward"),
    "--talk": ("--press-time",),
    "--rate": ("--learning-rate",),
    "--batch": ("--batch-size",),
    "--to": ("--output-dir",),
    "--tape": ("--cassette-mode",),
    "--consulted": ("--model-calls",),
    "--allow": ("--allowed-host",),
}
"""Former names of options, with their new names; a command that gets a former name prints the new one."""


class Forgiving(click.Group):
    """A group of commands that suggests the nearest name for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of this name; raise UsageError with all names and the nearest one if it is unknown."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            names = self.list_commands(ctx)
            ctx.fail(f"there is no {name!r:.60} here, expected one of {', '.join(names)}{hint(name, names)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; raise UsageError for an option that was renamed, or that belongs before the command."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            known = {name for one in (error.ctx or ctx).command.params for name in one.opts}
            for present in known.intersection(RENAMED.get(error.option_name, ())):
                raise click.UsageError(f"{error.option_name} is called {present} now", error.ctx) from None
            if error.ctx is not ctx and any(error.option_name in one.opts for one in ctx.command.params):
                right = f"{ctx.command_path} {error.option_name} …"
                raise click.UsageError(f"{error.option_name} belongs before the command: {right}", error.ctx) from None
            raise


class Lazy(Forgiving):
    """A group of commands that are imported when they are used, so that --help stays quick.

    A package has a module for each of them, with the command as `command`.
    """

    def __init__(self, *given: Any, package: str, heading: str, lines: Mapping[str, str], **more: Any) -> None:
        """Make a group; `lines` has the one-line help of each command."""
        super().__init__(*given, **more)
        self._package, self._heading, self._lines = package, heading, lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lines:
            return None
        command = importlib.import_module(f"{self._package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(self._heading):
            formatter.write_dl(sorted(self._lines.items()))


class Family(Forgiving):
    """A group of commands whose list is not cut to the width of the terminal but wrapped."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(LONGEST)) for name, command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
