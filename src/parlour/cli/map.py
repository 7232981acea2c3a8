"""`parlour map`: lists the maps that can be played, and checks, converts and draws map files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parlour.cli.options.boards import file_of, label_option, output_option, theme_option, width_option, write_out
from parlour.cli.options.kinds import flag, option, with_options
from parlour.cli.terminal.family import Family

if TYPE_CHECKING:
    from parlour.games.diplomacy.imports.files import LoadedMap
    from parlour.games.diplomacy.maps.map import Map

_map_file = with_options(
    click.argument("file", metavar="FILE"),
    flag("--plain-ports", "Read ports as coasts: fleets do not convoy there."),
    option("--variant", "The variant to read from a variants.xml of jDip."),
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
@_map_file
def check(file: str, plain_ports: bool, variant: str | None) -> None:
    """Read a map file and print its facts; an error is one line with the file, the line and the reason."""
    from parlour.games.diplomacy.ordering.actions import action_table

    loaded = _load(file, plain_ports, variant)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    click.echo(f"{loaded.map.name}: {_size(loaded.map)}, {len(action_table(loaded.map)):,} actions; {loaded.form}")


@command.command()
@_map_file
@output_option
def convert(file: str, plain_ports: bool, variant: str | None, output: Path | None) -> None:
    """Write a map file in Parlour's own format."""
    write_out(_load(file, plain_ports, variant).text, output)


@command.command()
@_map_file
@output_option
@theme_option
@label_option
@width_option
@click.option(
    "--whole/--crop",
    default=None,
    help="Draw the whole map, or only the part that matters.  [default: crop for two players]",
)
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
    write_out(draw_position(Position.start(board), theme=theme, label=label, width=width, crop=crop), output)


def _load(file: str, plain_ports: bool, variant: str | None) -> LoadedMap:
    from parlour.games.diplomacy.imports.files import load_any

    return load_any(file_of(file), plain_ports=plain_ports, variant=variant)


def _size(board: Map) -> str:
    """Return the title and the size of a map in one line."""
    centres = sum(province.centre for province in board.provinces)
    return (
        f"{board.title}, {len(board.players)} players, {len(board.provinces)} provinces, "
        f"{centres} centres, {board.victory} to win"
    )
