"""The map that a command names: one that ships with Parlour, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.games.diplomacy.maps.map import Map

map_option = click.option("--map", "map_name", help="Name of a shipped map, or a map file.  [default: standard]")
"""The option that names the map."""


def board_of(name: str | None) -> Map | None:
    """Return the map of that name or path; None if none is named."""
    from parlour.games.diplomacy.imports.files import load_any
    from parlour.games.diplomacy.maps.map import SHIPPED, named, path_of

    if name is None:
        return None
    if path_of(name) is not None:
        return named(name)
    if not Path(name).exists():
        raise ConfigError(f"map: expected {', '.join(SHIPPED)} or a map file, got {name!r:.60}", field="map")
    return load_any(name).map
