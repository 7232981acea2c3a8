"""parlour watch: shows the matches of a tournament on a server as they are played."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click
import msgspec

from parlour.cli.options.kinds import flag, option, whole
from parlour.errors import RemoteWireError

if TYPE_CHECKING:
    from parlour.games.fish.position import Position
    from parlour.net.fish.json.messages import FromServer

MOST_PENGUINS = 6
"""Number of penguins of a player, plus the number of players."""


@click.command()
@click.argument("server", metavar="HOST:PORT")
@option("--game", "Game that is played on the server.", ["fish"], "fish")
@option("--tries", "Number of attempts to connect, one per second.", whole(1, 1000), 10)
@flag("--json as_json", "Print the messages as they arrive, one per line.")
def command(server: str, game: str, tries: int, as_json: bool) -> None:
    """Watch the next tournament of the server at HOST:PORT: every state, every action, every result."""
    from parlour.cli.joining.fish import read_address

    host, port = read_address(server)
    asyncio.run(_watch(host, port, tries, as_json))


async def _watch(host: str, port: int, tries: int, as_json: bool) -> None:
    from parlour.net.client.fish_json import watch

    boards: dict[str, Position] = {}
    try:
        async for message in watch(host, port, tries=tries):
            if as_json:
                click.echo(msgspec.json.encode(message))
            elif text := _shown(message, boards):
                click.echo(text)
    except (RemoteWireError, ConnectionError) as error:
        click.echo(f"parlour: {host}:{port}: {error}", err=True)
        sys.exit(1)


def _shown(message: FromServer, boards: dict[str, Position]) -> str:
    """Return the message as text; boards has the position of each match, and is updated."""
    from parlour.core.text import printable
    from parlour.net.fish.json import messages as ms
    from parlour.net.fish.json.states import follow, read_position

    title = _table(printable(getattr(message, "match", None) or ""))
    match message:
        case ms.TournamentStart():
            return "the tournament begins"
        case ms.BroadcastState():
            players = message.value.players
            placing = any(len(player.places) < MOST_PENGUINS - len(players) for player in players)
            boards[title] = read_position(message.value, placing=placing)
            kicked = message.kicked
            news = "" if kicked is None else printable(f": {kicked.name} is out ({kicked.reason})")
            names = printable(", ".join(f"{player.color} {player.name}" for player in players), 200)
            return f"{title}{news}: {names}{', placing' if placing else ''}\n{boards[title]}"
        case ms.BroadcastAction() if (board := boards.get(title)) is not None:
            boards[title] = after = follow(board, message.value)
            seat = board.sides[0].seat
            if isinstance(message.value, str):
                return f"{title}: {seat} skips"
            (row, column), (to_row, to_column) = message.value
            return f"{title}: {seat} moves from {row},{column} to {to_row},{to_column}\n{after}"
        case ms.BroadcastGameOver():
            return printable(f"{title}: won by {', '.join(message.value.winners) or 'nobody'}")
        case ms.TournamentOver():
            return printable(f"the tournament is won by {', '.join(message.value.winners) or 'nobody'}")
        case _:
            return ""


def _table(match: str) -> str:
    """Return round and table of a match whose name has both; otherwise return the name."""
    _, _, place = match.partition(".")
    number, dot, table = place.partition(".")
    return f"round {number}, table {table}" if dot and number.isdecimal() and table.isdecimal() else match
