"""parlour demo: two toy games under the referee, one in turn and one at once, shown live and recorded."""

from __future__ import annotations

from pathlib import Path

import click

from parlour.cli.hosting import host, json_option
from parlour.cli.show import display
from parlour.core.terms import Terms
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match
from parlour.testing.players import RandomPlayer
from parlour.testing.toys import TOYS

RECORD = Path("demo.jsonl")


@click.command("demo")
@click.option("--game", type=click.Choice(sorted(TOYS)), default=None, help="Only this toy game.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=7, show_default=True, help="Root of all chance.")
@json_option
def command(game: str | None, seed: int, as_json: bool) -> None:
    """Play a small match and show it as it goes.

    The last match is recorded in demo.jsonl: look at it again with `parlour replay demo.jsonl`.
    """
    for name in [game] if game else sorted(TOYS):
        rules = TOYS[name]
        seats = rules.seats({})
        players = {seat: RandomPlayer(seed + i) for i, seat in enumerate(seats)}
        match = Match(rules, {}, Terms(conduct=STRICT), seed)
        host(match, players, dict.fromkeys(seats, "random"), RECORD, display(rules, as_json=as_json))
    if not as_json:
        click.echo(f"recorded in {RECORD}; look at it again with: parlour replay {RECORD}")
