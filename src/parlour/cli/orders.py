"""`parlour orders`: lists every order that is possible in a position of Diplomacy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import click

from parlour.cli.options.boards import board_of, map_option
from parlour.cli.options.bounded_json import answer, jsonl_option
from parlour.core.game import Plain

if TYPE_CHECKING:
    from parlour.games.diplomacy.maps.map import Map


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@jsonl_option
@map_option
def command(file: BinaryIO, jsonl: bool, map_name: str | None) -> None:
    """List the possible orders. Reads a position as `parlour adjudicate` does, from FILE or stdin.

    \b
    echo '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}' | parlour orders

    \b
    {"orders": {"PAR": ["A PAR H", "A PAR - BUR", ...]}, "by_power": {"FRANCE": ["PAR", ...]}}
    """
    answer(file, partial(possible_orders, board=board_of(map_name)), jsonl=jsonl)


def possible_orders(value: Plain, *, board: Map | None = None) -> Plain:
    """Return the possible orders of one position, by province, and whose they are."""
    from parlour.games.diplomacy.formats.forms import read_state
    from parlour.games.diplomacy.position import Position

    position = Position(*read_state(value, board))
    return {"orders": position.orders(), "by_power": position.orderable()}
