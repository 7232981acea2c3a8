"""`parlour adjudicate`: plays one phase of Diplomacy from JSON and gives the result of every order, with its reason."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import click

from parlour.cli.options.boards import board_of, map_option
from parlour.cli.options.bounded_json import answer, jsonl_option
from parlour.cli.options.kinds import flag
from parlour.core.game import Plain

if TYPE_CHECKING:
    from parlour.games.diplomacy.maps.map import Map


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@jsonl_option
@flag("--explicit-via", "Convoy an army to a neighbour only if its order says VIA.")
@map_option
def command(file: BinaryIO, jsonl: bool, explicit_via: bool, map_name: str | None) -> None:
    """Adjudicate one phase. Reads JSON from FILE or stdin and writes JSON.

    \b
    echo '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"], "GERMANY": ["A MUN"]},
      "orders": {"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]}}' | parlour adjudicate

    Without "centers", {"FRANCE": ["PAR", "BRE"]}, owners are those of the start. In retreat phases "retreats",
    {"FRANCE": {"A BUR": ["PAR", "GAS"]}}, has the dislodged units and where each may go. The answer
    can be given back as the next position, with new orders.

    The answer has the next phase with orders due (COMPLETED when there is none), its units, retreats, centers and
    builds (negative: removals). disbanded has the units that had to leave; results and explanations have an entry for
    every given order; defaults has the orders that the engine added for units without one. Results are: succeeded,
    bounced, cut, dislodged, void, no convoy, disrupted.

    Orders may be written freely (lower case, full names, DAIDE); results have them in strict spelling, with nothing
    else corrected, or as given (trimmed) if they could not be read. A bad order is void and its unit holds; a
    position that is not possible is an error. With "map": "lagoon" it is played on another map that ships.
    """
    answer(file, partial(adjudicate, explicit_via=explicit_via, board=board_of(map_name)), jsonl=jsonl)


def adjudicate(value: Plain, *, explicit_via: bool = False, board: Map | None = None) -> Plain:
    """Return the answer to one position with orders, both as plain values.

    Without a board the position names its map.
    """
    from parlour.games.diplomacy.formats import exchange

    return exchange.adjudicate(value, explicit_via=explicit_via, board=board)
