"""`parlour perft`: counts positions move by move, the way rules are checked against one another."""

from __future__ import annotations

import click

from parlour.cli.options.boards import board_of, map_option
from parlour.cli.options.kinds import flag, option


@click.command()
@click.argument("game", type=click.Choice(["diplomacy"]))
@click.argument("depth", type=click.IntRange(0, 4))
@map_option
@option("--position", "Count from this position, in compact form.", default="")
@flag("--json as_json", "Write one JSON object.")
def command(game: str, depth: int, map_name: str | None, position: str, as_json: bool) -> None:
    """Count the positions that follow from the start of a game, DEPTH phases deep.

    \b
    parlour perft diplomacy 2
    parlour perft diplomacy 3 --map lagoon --json

    In Diplomacy all powers order at once, so not all combinations of orders can be counted. Instead, one unit gets
    each of its possible orders while all others get their defaults. Depth 1 gives the number of possible orders,
    depth 2 the sum of these numbers over the positions that follow, and so on.
    """
    import msgspec

    from parlour.games.diplomacy.perft import perft
    from parlour.games.diplomacy.position import Position

    board = board_of(map_name)
    start = Position.read(position, board) if position else Position.start(board)
    counts = [perft(start, level) for level in range(1, depth + 1)] if depth else []
    if as_json:
        click.echo(msgspec.json.encode({"game": game, "counts": [1, *counts]}))
        return
    for level, count in enumerate([1, *counts]):
        click.echo(f"{level} {count}")
