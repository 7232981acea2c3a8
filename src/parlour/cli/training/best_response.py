"""`parlour train best-response`: a network learns its own sampled best responses."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from parlour.cli.display.bars import Update, progress
from parlour.cli.terminal.calling import program
from parlour.cli.training import options as options
from parlour.cli.training.imitation import in_words

EQUAL = dict.fromkeys(("draw size", "sum of squares", "centre share"), "; equal would be 0.143")
"""Remark on scoring systems that share out one point per match."""


@click.command()
@click.option(
    "--params",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="Parameters of the network to improve.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=2,
    show_default=True,
    help="Number of rounds of playing and learning.",
)
@click.option(
    "--matches", type=click.IntRange(1, 100_000), default=28, show_default=True, help="Number of matches per round."
)
@click.option(
    "--steps",
    type=click.IntRange(1, 1_000_000),
    default=150,
    show_default=True,
    help="Number of training steps per round.",
)
@options.folder("improving")
@click.option(
    "--candidates",
    type=click.IntRange(2, 256),
    default=8,
    show_default=True,
    help="Number of order sets to choose from.",
)
@click.option(
    "--profiles",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    help="Number of samples of the opponents' orders.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 10),
    default=1.0,
    show_default=True,
    help="Sampling temperature of the policy.",
)
@options.last_year(1905, "Last year of the matches.")
@click.option(
    "--compare", "blocks", type=click.IntRange(0, 10_000), default=10, show_default=True,
    help="Number of blocks of 7 matches against the initial network.",
)  # fmt: skip
@options.batch(32)
@options.rate(3e-4)
@options.returns
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Place of play: local processes, or a Ray cluster.",
)
@options.jobs
@options.seed
def command(
    params: Path,
    rounds: int,
    matches: int,
    steps: int,
    folder: Path,
    candidates: int,
    profiles: int,
    temperature: float,
    last_year: int,
    blocks: int,
    batch: int,
    rate: float,
    returns: Any,
    engine: Any,
    jobs: int | None,
    seed: int,
) -> None:
    """Improve a network by sampled best responses to itself.

    In each round the network plays matches with itself. In every phase, one power's orders are replaced by the best of
    some that are drawn from the network, judged by its own values of where they lead against draws of what the others
    do; these the network learns. In the end it plays against the network that it was, at the same temperature.
    """
    from parlour.deepmind.network.parameters import read_parameters, whole_file
    from parlour.training.best_response import PANELS, Rounds, compare, improve
    from parlour.training.curves import curves
    from parlour.training.responses import Sampling
    from parlour.training.trainer import NETWORK, Run, optimizer_of

    optimizer_of(rate)
    settings = {
        "way": "best-response", "params": str(params.resolve()), "matches": matches, "steps": steps,
        "candidates": candidates, "profiles": profiles, "temperature": temperature, "last_year": last_year,
        "batch": batch, "rate": rate, "returns": returns, "seed": seed,
    }  # fmt: skip
    pace = Rounds(rounds, matches, steps, batch, last_year, temperature, engine, jobs)
    how = Sampling(candidates, profiles, temperature, returns)
    run = Run(folder)
    trainer = run.begin(settings, lambda: replace(read_parameters(params), step=0), rate)
    with _Shown() as shown:
        improve(trainer, run, pace, how, seed, shown.update)
        with whole_file(folder / "curves.svg") as file:
            file.write(curves(run.notes(), PANELS).encode())
        found = compare(folder / NETWORK, params, blocks, pace, temperature, seed, shown.update) if blocks else {}
    for system, estimate in found.items():
        interval = "" if estimate.half is None else f" ± {estimate.half:.3f}"
        click.echo(f"{system}: {estimate.mean:.3f}{interval} among six of what it was{EQUAL.get(system, '')}")
    click.echo(f"it plays: {program()} play diplomacy --agent deepmind:{folder / NETWORK} --agent random")


class _Shown(contextlib.ExitStack):
    """A progress bar for each thing that is done, one after another."""

    def __init__(self) -> None:
        super().__init__()
        self._what = ""
        self._show: Update | None = None

    def update(self, what: str, done: int, total: int, figures: Mapping[str, float]) -> None:
        """Show how far it is."""
        if what != self._what or self._show is None:
            self.close()
            self._what, self._show = what, self.enter_context(progress(what))
        self._show(done, total, in_words(done, figures) if figures else f"{done} of {total}")
