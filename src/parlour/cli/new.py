"""`parlour new`: writes a bot to start from."""

from __future__ import annotations

import keyword
from importlib.resources import files
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

PRESS = '''"""A bot that negotiates. Play it: parlour play diplomacy --press --agent {file}:{name} --agent peace"""

from parlour.agents.press.base import PressAgent
from parlour.press import values as v


class {name}(PressAgent):
    """Offers peace to all but one, and a free Black Sea or Channel; the base keeps what was agreed."""

    def offers(self, position):
        # Powers by their words: FRA, not FRANCE. self.me is yours, self.others() are those still in the game.
        for power in self.others()[1:]:
            if power not in self.faithless and power not in self.friends():
                yield [power], v.Peace((self.me, power))
        for pair, sea in (({{"ENG", "FRA"}}, "ECH"), ({{"RUS", "TUR"}}, "BLA")):  # ECH: in press ENG is England
            for power in self.others():
                if pair == {{self.me, power}}:
                    yield [power], v.Demilitarized((self.me, power), (sea,))

    def accepts(self, proposal, position):
        # proposal.what is the arrangement, proposal.proposer who asks, proposal.parties all whom it concerns.
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        return isinstance(proposal.what, (v.Peace, v.Demilitarized))

    def dislikes(self):
        # Above 1: the centres of these seats (FRANCE, not FRA) attract more. Who broke his word to you is faithless.
        return {{self.lexicon.seat_of[power]: 2.0 for power in self.faithless}}
'''
TEMPLATES = {"fish": FISH, "diplomacy": DIPLOMACY}


@click.group("new", cls=Family)
def command() -> None:
    """Write something to start from.

    \b
    parlour new bot mine.py
    parlour new bot spy.py --game diplomacy
    parlour new bot envoy.py --game diplomacy --press
    parlour new program mine.js --lang javascript
    """


@command.command("bot")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--game", type=click.Choice(sorted(TEMPLATES)), default="fish", show_default=True)
@click.option("--press", is_flag=True, help="One that negotiates.")
@click.option("--name", default="Bot", show_default=True, help="Name of the class.")
def bot(path: Path, game: str, press: bool, name: str) -> None:
    """Write a bot that plays to PATH, and say how to play and check it."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ConfigError(f"name: {name!r:.40} is no name of a class", field="name")
    if path.suffix != ".py":
        raise ConfigError(f"path: {path.name!r} does not end in .py", field="path")
    if path.exists():
        raise ConfigError(f"path: {path} exists already", field="path")
    if press and game != "diplomacy":
        raise ConfigError(f"press: {game} has none; give --game diplomacy, too", field="press")
    template = PRESS if press else TEMPLATES[game]
    path.write_text(template.format(file=path.name, name=name), encoding="utf-8")
    talking = "--press " if press else ""
    rival = "peace" if press else "greedy"
    agents = f"{path}:{name} {rival}" if game == "fish" else f"{talking}--agent {path}:{name} --agent {rival}"
    click.echo(f"wrote {path}; next:\n  parlour play {game} {agents}\n  parlour check player {game} {path}:{name}")


LANGUAGES = {"python": (".py", "python3 {}"), "javascript": (".js", "node {}"), "c": (".c", "cc -o bot {} && ./bot")}
"""For each language how its files end, and how such a program is started."""


@command.command("program")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--lang", type=click.Choice(sorted(LANGUAGES)), default="python", show_default=True)
@click.option("--game", type=click.Choice(sorted(TEMPLATES)), default="fish", show_default=True)
def program(path: Path, lang: str, game: str) -> None:
    """Write a program that plays without Parlour to PATH, in a language of your choice, and say how to start it."""
    suffix, start = LANGUAGES[lang]
    if path.suffix != suffix:
        raise ConfigError(f"path: {path.name!r} does not end in {suffix}", field="path")
    if path.exists():
        raise ConfigError(f"path: {path} exists already", field="path")
    template = files("parlour.cli").joinpath("starters", f"{lang}.txt").read_text(encoding="utf-8")
    path.write_text(template.format(file=path.name, game=game), encoding="utf-8")
    made, _, run = start.format(path).rpartition(" && ")
    click.echo(f"wrote {path}; next:" + (f"\n  {made}" if made else "") + f'\n  parlour play {game} "{run}" random')
