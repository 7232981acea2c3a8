"""The options that several ways to train have in common, each said once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Option = Callable[[Any], Any]


def folder(default: str) -> Option:
    """Return the option for the folder of a run."""
    return click.option(
        "--output-dir", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path(default),
        show_default=True, help="Folder of the run; an existing run is continued.",
    )  # fmt: skip


def batch(default: int) -> Option:
    """Return the option for the batch size."""
    return click.option(
        "--batch-size",
        "batch",
        type=click.IntRange(1, 4096),
        default=default,
        show_default=True,
        help="Number of phases per training step.",
    )


def rate(default: float) -> Option:
    """Return the option for the learning rate."""
    return click.option(
        "--learning-rate",
        "rate",
        type=click.FloatRange(0, 1, min_open=True),
        default=default,
        show_default=True,
        help="Learning rate of the optimiser.",
    )


def last_year(default: int, of: str) -> Option:
    """Return the option for the last year of the matches."""
    return click.option("--last-year", type=click.IntRange(1901, 2000), default=default, show_default=True, help=of)


returns = click.option(
    "--reward", "returns", type=click.Choice(["centres", "squares", "draw"]), default="centres", show_default=True,
    help="Reward of a match that ends without a solo.",
)  # fmt: skip
held_out = click.option(
    "--held-out",
    type=click.FloatRange(0, 0.9),
    default=0.1,
    show_default=True,
    help="Share of matches kept for testing.",
)
jobs = click.option(
    "--jobs", type=click.IntRange(1, 4096), help="Number of matches played at once.  [default: one per processor]"
)
seed = click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Seed of all random numbers."
)
