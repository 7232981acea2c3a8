"""`parlour new`: writes a bot to start from."""

from __future__ import annotations

from pathlib import Path

import click

from parlour.cli.family import Family
from parlour.errors import ConfigError

FISH = '''"""A bot for Fish. Play it: parlour play fish {file}:{name} greedy"""


class {name}:
    """Goes to the tile with the most fish."""

    def act(self, view):
        # view.seat is your colour, view.position the board, view.remaining the seconds you have, or None.
        rows = view.position.encode()["board"]
        choices = view.position.legal(view.seat)  # placements [row, col], later moves [[row, col], [row, col]]

        def fish(choice):
            row, col = choice[1] if isinstance(choice[0], list) else choice
            return rows[row][col]

        return max(choices, key=fish)
'''

DIPLOMACY = '''"""A bot for Diplomacy. Play it: parlour play diplomacy --agent {file}:{name} --agent greedy"""

import random


class {name}:
    """Gives each unit a random possible order, but never holds if it can move."""

    def __init__(self):
        self.random = random.Random(1)

    def act(self, view):
        # view.seat is your power; view.position has units, centers, retreats, builds and all possible orders.
        position = view.position
        if position.stage != "orders":
            return position.default(view.seat)
        orders = position.orders()
        chosen = []
        for unit in position.units[view.seat]:
            possible = orders[unit[2:5]]
            moves = [order for order in possible if " - " in order and " S " not in order and " C " not in order]
            chosen.append(self.random.choice(moves or possible))
        return chosen
'''
TEMPLATES = {"fish": FISH, "diplomacy": DIPLOMACY}


@click.group("new", cls=Family)
def command() -> None:
    """Write something to start from.

    \b
    parlour new bot mine.py
    parlour new bot spy.py --game diplomacy
    """


@command.command("bot")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--game", type=click.Choice(sorted(TEMPLATES)), default="fish", show_default=True)
@click.option("--name", default="Bot", show_default=True, help="Name of the class.")
def bot(path: Path, game: str, name: str) -> None:
    """Write a bot that plays to PATH, and say how to play and check it."""
    if not name.isidentifier():
        raise ConfigError(f"name: {name!r:.40} is no name of a class", field="name")
    if path.suffix != ".py":
        raise ConfigError(f"path: {path.name!r} does not end in .py", field="path")
    if path.exists():
        raise ConfigError(f"path: {path} exists already", field="path")
    path.write_text(TEMPLATES[game].format(file=path.name, name=name), encoding="utf-8")
    played = f"fish {path}:{name} greedy" if game == "fish" else f"diplomacy --agent {path}:{name} --agent greedy"
    click.echo(f"wrote {path}; next:\n  parlour play {played}\n  parlour check player {game} {path}:{name}")
