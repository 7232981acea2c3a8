"""`parlour train imitation`: a network learns to play as recorded matches were played."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parlour.cli.display.bars import progress
from parlour.cli.options.kinds import FILE, PATH, option, whole
from parlour.cli.terminal.calling import program
from parlour.cli.training import options as options

if TYPE_CHECKING:
    from parlour.deepmind.network.parameters import Parameters
    from parlour.training.phases import PlayedPhases

PHASES = "phases.safetensors"
"""File of the phases read from matches, in the folder of a run."""
_SIZES = {
    "small": {},
    "tiny": {"shared_filter": 16, "player_filter": 16, "decoder_filter": 16, "shared_cores": 1, "decoder_cores": 1},
    "published": {},
}


@click.command()
@option(
    "--matches places",
    "Folder or file of records, saved games or trajectories; may be repeated.",
    PATH,
    multiple=True,
    required=True,
)
@option("--steps", "Total number of training steps.", whole(1, 100_000_000), 1000)
@options.folder("training")
@option("--params", "Parameters to begin with.", FILE)
@option("--size", "Size of a new network.", list(_SIZES), "small")
@options.batch(32)
@options.rate(1e-3)
@options.returns
@options.held_out
@options.seed
@option("--workers", "Number of processes that read matches.  [default: one per processor]", whole(1, 256))
def command(
    places: tuple[Path, ...],
    steps: int,
    folder: Path,
    params: Path | None,
    size: str,
    batch: int,
    rate: float,
    returns: Any,
    held_out: float,
    seed: int,
    workers: int | None,
) -> None:
    """Learn to play as recorded matches were played.

    Every phase of every match is an example: what each power ordered, and what it got in the end. Some matches are
    held out; on them the network is compared with one that takes all legal orders for equally likely. The network is
    kept as network.safetensors, which plays: deepmind:RUN/network.safetensors. Curves are drawn in curves.svg.
    """
    from parlour.deepmind.network.network import Network
    from parlour.deepmind.network.parameters import whole_file
    from parlour.training.curves import curves
    from parlour.training.imitation import PANELS, Pace, imitate
    from parlour.training.judging import prediction_metrics
    from parlour.training.sources import find_sources, split_matches
    from parlour.training.trainer import Run, optimizer_of

    optimizer_of(rate)  # report a missing extra before anything is read
    settings = {
        "way": "imitation", "matches": sorted(str(place.resolve()) for place in places), "size": size,
        "params": None if params is None else str(params.resolve()), "batch": batch, "rate": rate, "returns": returns,
        "held_out": held_out, "seed": seed,
    }  # fmt: skip
    if not (folder / PHASES).is_file():
        find_sources(places)  # missing matches are reported before the folder is claimed
    run = Run(folder)
    trainer = run.begin(settings, lambda: _begin_with(params, size, seed), rate)
    if trainer.step >= steps:
        click.echo(f"{folder} has {trainer.step} steps already")
        return
    phases = gathered(places, returns, folder, workers or os.cpu_count() or 1)
    rows = split_matches(phases, held_out, seed)
    click.echo(f"{len(rows[0]):,} phases to learn from, {len(rows[1]):,} held out", err=True)
    if trainer.step:
        click.echo(f"going on from step {trainer.step}", err=True)
    pace = Pace(steps, batch, judge_every=max(10, min(100, steps // 10)))
    with progress("learning") as update:

        def report(step: int, figures: Mapping[str, float]) -> None:
            update(step, steps, in_words(step, figures))

        found = imitate(trainer, run, phases, rows, pace, seed, report)
    with whole_file(folder / "curves.svg") as file:
        file.write(curves(run.notes(), PANELS).encode())
    learned = trainer.parameters
    click.echo(prediction_metrics(Network(learned.config, learned.arrays), phases, rows[1]).in_words())
    click.echo(f"value loss {found['value_loss']:.3f}, uniform {found['uniform_random_value_loss']:.3f}")
    click.echo(f"it plays: {program()} play diplomacy --agent deepmind:{folder / 'network.safetensors'} --agent random")


def _begin_with(params: Path | None, size: str, seed: int) -> Parameters:
    from parlour.deepmind.network.config import PUBLISHED, SMALL
    from parlour.deepmind.network.parameters import made_parameters, read_parameters

    if params is not None:
        return replace(read_parameters(params), step=0)
    return made_parameters(replace(PUBLISHED if size == "published" else SMALL, **_SIZES[size]), seed)  # type: ignore[arg-type]


def gathered(places: tuple[Path, ...], returns: Any, folder: Path, workers: int) -> PlayedPhases:
    """Return the phases of all matches; those that were read before are not read again."""
    from parlour.training.phases import PlayedPhases
    from parlour.training.sources import find_sources, gather

    kept = folder / PHASES
    if kept.is_file():
        return PlayedPhases.load(kept)
    sources = find_sources(places)
    done = 0
    with progress("reading") as update:

        def report(path: Path, why: str | None) -> None:
            nonlocal done
            done += 1
            update(done, len(sources), f"{done} of {len(sources)}")
            if why is not None:
                click.echo(f"{path}: left out: {why}", err=True)

        phases = gather(sources, returns, report, min(workers, len(sources)))
    phases.save(kept)
    return phases


def in_words(step: int, figures: Mapping[str, float]) -> str:
    """Return the progress of training in words."""
    return (
        f"step {step}, loss {figures['total_loss']:.3f}, accuracy {figures['accuracy']:.1%}, "
        f"{figures['steps_per_second']:.2f} steps/s"
    )
