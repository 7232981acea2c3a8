"""`parlour map`: lists the maps that can be played, and checks, converts and draws map files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parlour.cli.terminal.family import Family

if TYPE_CHECKING:
    from parlour.games.diplomacy.imports.files import LoadedMap
    from parlour.games.diplomacy.maps.map import Map

_ports = click.option("--plain-ports", is_flag=True, help="Read ports as coasts: fleets do not convoy there.")
_output = click.option(
    "-o", "--out", "output", type=click.Path(path_type=Path), help="Write to this file instead of stdout."
)


@click.group("map", cls=Family)
def command() -> None:
    """Look after maps of Diplomacy.

    FILE is a map in Parlour's own format, a .map file of the diplomacy package or of DPjudge, a variants.xml of jDip,
    or the name of a map that ships.

    \b
    parlour map list                              the maps that can be played
    parlour map check crowded.map                 read it, and say what it is or what is wrong
    parlour map convert crowded.map -o own.map    write it in Parlour's own format
    parlour map draw crowded.map -o crowded.svg   draw its first position
    """


@command.command("list")
def list_maps() -> None:
    """List the maps that ship and those of PARLOUR_MAPS, with their sizes."""
    from parlour.games.diplomacy.maps.map import SHIPPED, named, operators_maps

    names = (*SHIPPED, *operators_maps())
    width = max(map(len, names))
    for name in names:
        click.echo(f"{name:{width}}  {_size(named(name))}")


@command.command()
@click.argument("file", metavar="FILE")
@_ports
@click.option("--variant", help="The variant to read from a variants.xml of jDip.")
def check(file: str, plain_ports: bool, variant: str | None) -> None:
    """Read a map file and say what it is; what is wrong is one line, with the file, the line and the reason."""
    from parlour.games.diplomacy.ordering.actions import action_table

    loaded = _load(file, plain_ports, variant)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    click.echo(f"{loaded.map.name}: {_size(loaded.map)}, {len(action_table(loaded.map)):,} actions; {loaded.form}")


@command.command()
@click.argument("file", metavar="FILE")
@_ports
@click.option("--variant", help="The variant to read from a variants.xml of jDip.")
@_output
def convert(file: str, plain_ports: bool, variant: str | None, output: Path | None) -> None:
    """Write a map file in Parlour's own format."""
    _write(_load(file, plain_ports, variant).text, output)


@command.command()
@click.argument("file", metavar="FILE")
@_ports
@click.option("--variant", help="The variant to read from a variants.xml of jDip.")
@_output
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    show_default=True,
    help="Colour theme of the picture.",
)
@click.option("--label", type=click.Choice(["mixed", "tags", "names", "none"]), default="mixed", show_default=True,
              help="Labels of provinces; mixed: short tags on land, names at sea.")  # fmt: skip
@click.option("--width", type=int, help="Width in pixels; narrow pictures get larger letters.")
@click.option("--whole/--crop", default=None,
              help="Draw the whole map, or only the part that matters.  [default: crop for two players]")  # fmt: skip
def draw(
    file: str,
    plain_ports: bool,
    variant: str | None,
    output: Path | None,
    theme: str,
    label: str,
    width: int | None,
    whole: bool | None,
) -> None:
    """Draw the first position of a map as SVG.

    A map for two players is cropped to the provinces that its units reach in one move.
    """
    from parlour.games.diplomacy.display.pictures import draw_position
    from parlour.games.diplomacy.position import Position

    board = _load(file, plain_ports, variant).map
    crop = len(board.players) == 2 if whole is None else not whole
    _write(draw_position(Position.start(board), theme=theme, label=label, width=width, crop=crop), output)


def _load(file: str, plain_ports: bool, variant: str | None) -> LoadedMap:
    from parlour.games.diplomacy.imports.files import load_any
    from parlour.games.diplomacy.maps.map import path_of

    return load_any(path_of(file) or file, plain_ports=plain_ports, variant=variant)


def _size(board: Map) -> str:
    """Return how large a map is, in words."""
    centres = sum(province.centre for province in board.provinces)
    return (
        f"{board.title}, {len(board.players)} players, {len(board.provinces)} provinces, "
        f"{centres} centres, {board.victory} to win"
    )


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(output), error.strerror) from None
