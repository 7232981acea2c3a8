"""`parlour train`: trains networks by imitation and by best responses."""

from __future__ import annotations

from typing import Any

import click

from parlour.cli.terminal.family import Lazy
from parlour.cli.terminal.stopping import leave_at_once, stoppable

COMMANDS = {
    "imitation": "Learn to play as recorded matches were played.",
    "best-response": "Improve a network by sampled best responses to itself.",
    "small": "Train the small network of the agent net on matches of search.",
}
"""Each way to train with its one-line help; parlour.cli.training.<name> has it as `command`."""


class Ways(Lazy):
    """The ways to train."""

    def invoke(self, ctx: click.Context) -> Any:
        """Train; after an interrupt, print that the same command resumes."""
        try:
            with stoppable():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("stopped; the same command continues from the run's folder", err=True)
            leave_at_once(1)


@click.group(cls=Ways, package="parlour.cli.training", heading="Commands", lines=COMMANDS)
def command() -> None:
    """Train networks of Diplomacy on this machine (extra `net`).

    \b
    parlour train imitation --matches DIR --steps 200 --output-dir runs/first
    parlour play diplomacy --agent deepmind:runs/first/network.safetensors --agent random

    A run lives in a folder. Whatever stops it, the same command resumes from its last checkpoint.
    """
