"""`parlour train small`: the small network of the agent `net` learns from matches of `search`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from parlour.cli.display.bars import progress
from parlour.cli.options.kinds import PATH, option, whole
from parlour.cli.terminal.calling import program
from parlour.cli.training import options as options
from parlour.cli.training.imitation import gathered, in_words


@click.command()
@option(
    "--matches places",
    "Learn from this folder or file of records, saved games or trajectories; may be repeated.",
    PATH,
    multiple=True,
)
@option("--games", "Number of games that search plays.", whole(2, 1_000_000), 60)
@option("--budget", "Search budget per turn in these games.", whole(1, 1_000_000), 200)
@options.last_year(1908, "Last year of these games.")
@option("--steps", "Total number of training steps.", whole(1, 10_000_000), 1000)
@options.folder("small")
@options.batch(16)
@options.rate(1e-3)
@options.held_out
@options.jobs
@options.seed
def command(
    places: tuple[Path, ...],
    games: int,
    budget: int,
    last_year: int,
    steps: int,
    folder: Path,
    batch: int,
    rate: float,
    held_out: float,
    jobs: int | None,
    seed: int,
) -> None:
    """Train the small network of the agent net on matches of search.

    First search plays matches with itself, which are kept as records in the run's folder. The network learns their
    orders and each power's result. It is kept as net.safetensors, which plays: net:RUN/net.safetensors.
    Whatever stops it, the same command resumes. Curves are drawn in curves.svg.
    """
    from parlour.deepmind.network.parameters import whole_file
    from parlour.training.curves import curves
    from parlour.training.small import NETWORK, PANELS, learn_small, play_for_small
    from parlour.training.sources import split_matches
    from parlour.training.trainer import Run, optimizer_of

    optimizer_of(rate)  # report a missing extra before anything is played
    run = Run(folder)
    run.claim(
        {
            "way": "small",
            "matches": sorted(str(place.resolve()) for place in places),
            "games": games,
            "budget": budget,
            "last_year": last_year,
            "batch": batch,
            "rate": rate,
            "held_out": held_out,
            "seed": seed,
        }
    )
    if not places and not (folder / "phases.safetensors").is_file():
        with progress("playing") as update:
            told_played = lambda done: update(done, games, f"{done} of {games} matches")  # noqa: E731
            play_for_small(folder / "matches", games, budget, last_year, seed, jobs, told_played)
    phases = gathered(places or (folder / "matches",), "centres", folder, jobs or os.cpu_count() or 1)
    rows = split_matches(phases, held_out, seed)
    click.echo(f"{len(rows[0]):,} phases to learn from, {len(rows[1]):,} held out", err=True)
    with progress("learning") as update:

        def report(step: int, figures: Mapping[str, float]) -> None:
            update(step, steps, in_words(step, figures))

        _, found = learn_small(run, phases, rows, steps, batch, rate, seed, report)
    with whole_file(folder / "curves.svg") as file:
        file.write(curves(run.notes(), PANELS).encode())
    click.echo(
        f"held out: {found['accuracy']:.1%} of orders are its likeliest; {found['policy_loss']:.3f} nats per order, "
        f"uniform over legal orders {found['uniform_policy_loss']:.3f}; value loss {found['value_loss']:.3f}, "
        f"uniform {found['uniform_value_loss']:.3f}"
    )
    click.echo(f"it plays: {program()} play diplomacy --agent net:{folder / NETWORK} --agent random")
