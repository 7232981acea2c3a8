"""`parlour train best-response`: a network learns its own sampled best responses."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from parlour.cli.display.bars import Update, progress
from parlour.cli.options.kinds import EXISTING_FILE, option, real, whole
from parlour.cli.terminal.calling import program
from parlour.cli.training import options as options
from parlour.cli.training.imitation import in_words

EQUAL = dict.fromkeys(("draw size", "sum of squares", "centre share"), "; equal would be 0.143")
"""Remark on scoring systems that share out one point per match."""


@click.command()
@option("--params", "Parameters of the network to improve.", EXISTING_FILE, required=True)
@option("--rounds", "Number of rounds of playing and learning.", whole(1, 1000), 2)
@option("--matches", "Number of matches per round.", whole(1, 100_000), 28)
@option("--steps", "Number of training steps per round.", whole(1, 1_000_000), 150)
@options.folder("improving")
@option("--candidates", "Number of order sets to choose from.", whole(2, 256), 8)
@option("--profiles", "Number of samples of the opponents' orders.", whole(1, 256), 4)
@option("--temperature", "Sampling temperature of the policy.", real(0, 10), 1.0)
@options.last_year(1905, "Last year of the matches.")
@option("--compare blocks", "Number of blocks of 7 matches against the initial network.", whole(0, 10_000), 10)
@options.batch(32)
@options.rate(3e-4)
@options.returns
@option("--engine", "Place of play: local processes, or a Ray cluster.", ["local", "ray"], "local")
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

    In each round the network plays matches with itself. In every phase, one power gets the best of several order sets
    that are drawn from the network. Each set is judged by the network's values of the states to which it leads,
    against draws of the others' orders. The network learns these best sets. At the end it plays against the initial
    network, at the same temperature.
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
    """Shows one progress bar per stage, one after another."""

    def __init__(self) -> None:
        super().__init__()
        self._what = ""
        self._show: Update | None = None

    def update(self, what: str, done: int, total: int, figures: Mapping[str, float]) -> None:
        """Show the progress of a stage; a new stage gets a new bar."""
        if what != self._what or self._show is None:
            self.close()
            self._what, self._show = what, self.enter_context(progress(what))
        self._show(done, total, in_words(done, figures) if figures else f"{done} of {total}")
