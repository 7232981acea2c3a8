"""The options that several ways to train share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from parlour.cli.options.kinds import FOLDER, option, real, whole

Option = Callable[[Any], Any]


def folder(default: str) -> Option:
    """Return the option for the folder of a run."""
    return option("--output-dir folder", "Folder of the run; an existing run is continued.", FOLDER, Path(default))


def batch(default: int) -> Option:
    """Return the option for the batch size."""
    return option("--batch-size batch", "Number of phases per training step.", whole(1, 4096), default)


def rate(default: float) -> Option:
    """Return the option for the learning rate."""
    return option("--learning-rate rate", "Learning rate of the optimiser.", real(0, 1, min_open=True), default)


def last_year(default: int, of: str) -> Option:
    """Return the option for the last year of the matches."""
    return option("--last-year", of, whole(1901, 2000), default)


returns = option(
    "--reward returns", "Reward of a match that ends without a solo.", ["centres", "squares", "draw"], "centres"
)
held_out = option("--held-out", "Share of matches kept for testing.", real(0, 0.9), 0.1)
jobs = option("--jobs", "Number of matches played at once.  [default: one per processor]", whole(1, 4096))
seed = option("--seed", "Seed of all random numbers.", whole(0, 2**31 - 1), 0)
