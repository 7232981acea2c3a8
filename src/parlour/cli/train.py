"""`parlour train`: trains networks by imitation and by best responses."""

from __future__ import annotations

import importlib
from typing import Any

import click

from parlour.cli.terminal.family import LONGEST, Forgiving
from parlour.cli.terminal.stopping import leave_at_once, stoppable

COMMANDS = {
    "imitation": "Learn to play as recorded matches were played.",
    "best-response": "Improve a network by sampled best responses to itself.",
    "small": "Train the small network of the agent net on matches of search.",
}
"""Each way to train with its one-line help; parlour.cli.training.<name> has it as `command`."""


class Ways(Forgiving):
    """Loads a way to train when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"parlour.cli.training.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Train; after an interrupt, print that the same command resumes."""
        try:
            with stoppable():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("stopped; the same command goes on from what is in the run's folder", err=True)
            leave_at_once(1)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][:LONGEST]) for name in sorted(COMMANDS)])


@click.group(cls=Ways)
def command() -> None:
    """Train networks of Diplomacy on this machine (extra `net`).

    \b
    parlour train imitation --matches DIR --steps 200 --output-dir runs/first
    parlour play diplomacy --agent deepmind:runs/first/network.safetensors --agent random

    A run lives in a folder. Whatever stops it, the same command resumes from its last checkpoint.
    """
