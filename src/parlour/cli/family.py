"""A verb with sub-verbs, each listed by the whole of its first sentence."""

from __future__ import annotations

import click

LONGEST = 300


class Family(click.Group):
    """A group of commands whose list is not cut to the width of the terminal but wrapped."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list."""
        rows = [(name, self.commands[name].get_short_help_str(LONGEST)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
