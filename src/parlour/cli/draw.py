"""`parlour draw`: a position of Diplomacy as an SVG picture, with orders and their results if there are any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from parlour.cli.options.boards import (
    board_of,
    label_option,
    map_option,
    output_option,
    theme_option,
    width_option,
    write_out,
)
from parlour.cli.options.kinds import flag, option
from parlour.core.game import Plain
from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.games.diplomacy.maps.map import Map
    from parlour.games.diplomacy.position import Position


@click.command()
@option("--phase", "Draw the first position of the map in this phase, like S1901M.")
@option("--position compact", "Draw this position, as Position.fen gives it.", metavar="TEXT")
@option("--input source", "Draw a position in JSON, as adjudicate reads it.", click.File("rb"))
@map_option
@output_option
@theme_option
@option("--power powers", "Show only this power's orders; may be repeated.", multiple=True)
@label_option
@width_option
@option("--results/--no-results", "Show the results of the orders.", default=True, show_default=False)
@flag("--crop", "Draw only the part of the map where units are or can be after one move.")
def command(
    phase: str | None,
    compact: str | None,
    source: BinaryIO | None,
    map_name: str | None,
    output: Path | None,
    theme: str,
    powers: tuple[str, ...],
    label: str,
    width: int | None,
    crop: bool,
    results: bool,
) -> None:
    """Draw a position as SVG.

    The position is that of --input FILE (- is stdin), --position TEXT or --phase PHASE; without any of them the
    first one. JSON that has "orders" is adjudicated, and the picture shows them with their results.

    \b
    parlour draw --phase S1901M -o start.svg
    echo '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}, "orders": {"FRANCE": ["A PAR - BUR"]}}' |
      parlour draw --input - --theme dark -o orders.svg
    """
    if sum(given is not None for given in (phase, compact, source)) > 1:
        raise click.UsageError("give one of --input, --position and --phase")
    from parlour.games.diplomacy.display.pictures import draw_position, draw_turn
    from parlour.games.diplomacy.draw import Style

    if output is not None and output.suffix.lower() not in ("", ".svg"):
        raise ConfigError(f"output: {output.name!r:.60} does not end in .svg, and pictures are SVG", field="output")

    board = board_of(map_name)
    position, orders = _from_json(source, board) if source else (_from_text(phase, compact, board), {})
    names = [_power_name(position.board, power) for power in powers]
    style = Style(theme=theme, powers=names or None, label=label, width=width, crop=crop)
    if orders:
        turn = position.resolve(orders).turn
        assert turn is not None
        svg = draw_turn(turn, results=results, **style)
    else:
        svg = draw_position(position, **style)
    write_out(svg, output)


def _from_json(source: BinaryIO, board: Map | None) -> tuple[Position, dict[str, list[str]]]:
    from parlour.cli.options.bounded_json import read_stream
    from parlour.games.diplomacy.formats.forms import read_orders, read_state
    from parlour.games.diplomacy.position import Position

    value: Plain = read_stream(source)
    board, state = read_state(value, board)
    return Position(board, state), read_orders(value.get("orders"), board)


def _from_text(phase: str | None, compact: str | None, board: Map | None) -> Position:
    from parlour.games.diplomacy.formats.forms import read_state
    from parlour.games.diplomacy.position import Position

    if compact is not None:
        return Position.read(compact, board)
    start = Position.start(board)
    if phase is None:
        return start
    return Position(*read_state({"phase": phase, "units": start.units}, start.board))


def _power_name(board: Map, text: str) -> str:
    power = board.find_power(text)
    if power is None:
        known = ", ".join(power.name for power in board.powers)
        raise ConfigError(f"power: expected one of {known}, got {text!r:.40}", field="power")
    return power.name
