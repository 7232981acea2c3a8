"""Maps and pictures on the command line: the map that a command names, the look of a picture, the file to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parlour.cli.options.kinds import PATH, option
from parlour.core.text import hint
from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.games.diplomacy.maps.map import Map

map_option = option("--map map_name", "Name of a shipped map, or a map file.  [default: standard]")
"""The option that names the map."""
output_option = option("-o --out output", "Write to this file instead of stdout.", PATH)
theme_option = option("--theme", "Colour theme of the picture.", ["light", "dark"], "light")
_LABELS = "Labels of provinces; mixed: short tags on land, names at sea."
label_option = option("--label", _LABELS, ["mixed", "tags", "names", "none"], "mixed")
width_option = option("--width", "Width in pixels; narrow pictures get larger letters.", int)


def board_of(name: str | None) -> Map | None:
    """Return the map of that name or path; None if none is named."""
    from parlour.games.diplomacy.imports.files import load_any
    from parlour.games.diplomacy.maps.map import named, path_of

    if name is None:
        return None
    return named(name) if path_of(name) is not None else load_any(file_of(name)).map


def file_of(name: str) -> Path:
    """Return the file of a shipped map or of that path; raise ConfigError with the nearest name if there is none."""
    from parlour.games.diplomacy.maps.map import SHIPPED, path_of

    path = path_of(name) or Path(name)
    if not path.exists():
        told = f"map: expected {', '.join(SHIPPED)} or a map file, got {name!r:.60}{hint(name, SHIPPED)}"
        raise ConfigError(told, field="map")
    return path


def write_out(text: str, output: Path | None) -> None:
    """Write a text to the file, or to standard output without one."""
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(output), error.strerror) from None
