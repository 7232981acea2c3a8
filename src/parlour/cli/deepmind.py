"""`parlour deepmind`: fetches the published files and turns parameters into safe ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from parlour.cli.display.bars import Update, progress
from parlour.cli.options.kinds import FOLDER, option
from parlour.cli.terminal.family import Family


@click.group(cls=Family)
def command() -> None:
    """Fetch and convert the published agents' files.

    \b
    parlour deepmind download sl_params.npz
    parlour play diplomacy --agent deepmind:sl_params.npz --agent random
    """


@command.command()
@click.argument("files", nargs=-1)
@option("--from source", "Address of the files.  [default: the authors' server]", metavar="URL")
@option("--output-dir folder", "Folder for the downloaded files.", FOLDER, Path(), show_default=False)
def download(files: tuple[str, ...], source: str | None, folder: Path) -> None:
    """Fetch published FILES, or all of them: parameters (575 MB each) and the reference trajectory.

    An interrupted download resumes where it stopped. A file is put in place once it is whole and has been read
    successfully. Existing files are left alone.
    """
    from parlour.deepmind.download import FILES, PUBLISHED_AT, fetch

    unknown = [name for name in files if name not in FILES]
    if unknown:
        listed = ", ".join(FILES)
        raise click.BadParameter(f"there is no {unknown[0]!r:.60}, expected {listed}", param_hint="FILES")
    for name in files or FILES:
        with progress(name) as update:
            fetched = fetch(name, source or PUBLISHED_AT, folder, partial(_tell, update))
        click.echo(f"{folder / name}: {FILES[name]}" if fetched else f"{folder / name} is there already")


def _tell(update: Update, have: int, size: int | None) -> None:
    whole = f" of {size / 1e6:,.1f}" if size else ""
    update(have, size, f"{have / 1e6:,.1f}{whole} MB")


@command.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@option("--as kind", "Format of the written file.  [default: by its suffix]", ["safetensors", "npz", "published"])
def convert(source: Path, target: Path, kind: str | None) -> None:
    """Turn a file of parameters into another kind: published ones into safe ones, or back.

    .safetensors is mapped into memory when it is used; .npz is NumPy's own; published is the pickle that the published
    code reads.
    """
    from parlour.deepmind.network.parameters import read_parameters, write_parameters

    parameters = read_parameters(source)
    write_parameters(parameters, target, kind)  # type: ignore[arg-type]
    numbers = sum(array.size for array in parameters.arrays.values())
    click.echo(f"{target}: {len(parameters.arrays)} arrays, {numbers:,} numbers, step {parameters.step:,}")
