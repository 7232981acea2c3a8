"""`parlour new`: writes a bot to start from."""

from __future__ import annotations

import keyword
from importlib.resources import files
from pathlib import Path

import click

from parlour.cli.options.kinds import flag, option
from parlour.cli.terminal.calling import program as program_name
from parlour.cli.terminal.family import Family
from parlour.errors import ConfigError
from parlour.games import declared, games


def _first() -> str:
    """Return the game that a bot is written for by default."""
    return next((name for name in games() if declared(name).for_beginners), games()[0])


_game_option = option("--game", f"Game to play: {' or '.join(games())}.", default=_first, show_default=_first())


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
@_game_option
@flag("--press", "Write a bot that negotiates.")
@option("--name", "Name of the new class.", default="Bot")
def bot(path: Path, game: str, press: bool, name: str) -> None:
    """Write a bot that plays to PATH, and say how to play and check it."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ConfigError(f"name: {name!r:.40} is not a valid class name", field="name")
    if path.suffix != ".py":
        raise ConfigError(f"path: {path.name!r} does not end in .py", field="path")
    if path.exists():
        raise ConfigError(f"path: {path} exists already", field="path")
    declaration = declared(game)
    kind, rival = ("press", declaration.talking_rival) if press else ("bot", declaration.rival)
    if kind not in declaration.starters:
        there = " or ".join(f"--game {one}" for one in games() if kind in declared(one).starters)
        raise ConfigError(f"{kind}: {game} has none; give {there}, too", field=kind)
    package, _, file = declaration.starters[kind].partition(":")
    template = files(package).joinpath(file).read_text(encoding="utf-8")
    path.write_text(template.format(file=path.name, name=name), encoding="utf-8")
    agents = f"{'--press ' if press else ''}{path}:{name} {rival}"
    _say_what_next(path, f"play {game} {agents}", f"check player {game} {path}:{name}")


LANGUAGES = {"python": (".py", "python3 {}"), "javascript": (".js", "node {}"), "c": (".c", "cc -o bot {} && ./bot")}
"""Suffix and start command for each language."""


@command.command("program")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@option("--lang", "Programming language of the new program.", sorted(LANGUAGES), show_default="by the end of PATH")
@_game_option
def program(path: Path, lang: str | None, game: str) -> None:
    """Write a program that plays without Parlour to PATH, in a language of your choice, and say how to start it."""
    declared(game)
    lang = lang or _language_of(path)
    suffix, start = LANGUAGES[lang]
    if path.suffix != suffix:
        raise ConfigError(f"path: {path.name!r} does not end in {suffix}", field="path")
    if path.exists():
        raise ConfigError(f"path: {path} exists already", field="path")
    template = files("parlour.cli").joinpath("starters", f"{lang}.txt").read_text(encoding="utf-8")
    path.write_text(template.format(file=path.name, game=game), encoding="utf-8")
    made, _, run = start.format(path).rpartition(" && ")
    _say_what_next(path, f'play {game} "{run}" random', before=made)


def _language_of(path: Path) -> str:
    """Return the language that the path's suffix stands for; raise ConfigError for an unknown suffix."""
    for lang, (suffix, _) in LANGUAGES.items():
        if path.suffix == suffix:
            return lang
    ends = " or ".join(suffix for suffix, _ in LANGUAGES.values())
    raise ConfigError(f"path: {path.name!r} does not end in {ends}", field="path")


def _say_what_next(path: Path, *verbs: str, before: str = "") -> None:
    """Print that the file was written, and the commands to try next."""
    steps = [f"{program_name()} {verb}" for verb in verbs]
    click.echo("\n  ".join([f"wrote {path}; next:", *filter(None, [before]), *steps]))
