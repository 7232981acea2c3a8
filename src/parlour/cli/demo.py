"""parlour demo: seven bots negotiate and play four years of Diplomacy; what they promised is checked as they go."""

from __future__ import annotations

from pathlib import Path

import click

from parlour.agents.chance import RandomPlayer
from parlour.agents.loading import make_player
from parlour.cli.hosting import host, json_option, program
from parlour.cli.show import display
from parlour.core.declaration import GameDeclaration, Showpiece
from parlour.core.game import Game
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared, games, load_game
from parlour.referee.conduct import STRICT, preset
from parlour.referee.match import Match
from parlour.testing.toys import TOYS

RECORD = Path("demo.jsonl")
PACE = 0.4
"""Seconds that a turn stays in sight, so that a person can follow."""
PAGE_PACE = 5.0
"""The same in a browser."""
NEXT = ("replay demo.jsonl --at 5", "demo")
"""What to try after a toy."""


def _shown() -> list[str]:
    """The games that have a match to show."""
    return [name for name in games() if declared(name).showpiece]


@click.command("demo")
@click.option("--game", help=f"What to show: {' or '.join((*_shown(), *sorted(TOYS)))}.  [default: {_shown()[0]}]")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Root of all chance.")
@json_option
@click.option("--browser", is_flag=True, help="Watch the negotiated match in the browser.")
def command(game: str | None, seed: int, as_json: bool, browser: bool) -> None:
    """Watch a negotiated match of Diplomacy, or one of two toy games (nim in turn, bids at once).

    Bots propose pacts in a formal language; each message is shown with its English. After a turn the ledger says which
    promised orders were given and whose word was broken; a peace that holds is no news. The match is recorded in
    demo.jsonl.
    """
    game = game or _shown()[0]
    known = [*_shown(), *sorted(TOYS)]
    if game not in known:
        raise ConfigError(f"game: expected one of {', '.join(known)}{hint(game, known)}", field="game")
    if browser:
        if game in TOYS or as_json:
            raise ConfigError("--browser shows no toys: give it without --game and --json", field="browser")
        _in_browser(declared(game), seed)
        return
    if game in TOYS:
        _toy(TOYS[game], seed, as_json)
    else:
        _negotiated(declared(game), seed, as_json)
    if not as_json:
        click.echo(f"recorded in {RECORD}; look at it again, or go on with one of these:")
        for verb in NEXT if game in TOYS else _showpiece(declared(game)).next:
            click.echo(f"  {program()} {verb}")


def _showpiece(declaration: GameDeclaration) -> Showpiece:
    assert declaration.showpiece is not None
    return declaration.showpiece


def _negotiated(declaration: GameDeclaration, seed: int, as_json: bool) -> None:
    game, piece = load_game(declaration.name), _showpiece(declaration)
    names = dict(zip(game.seats(piece.config), piece.agents, strict=True))
    players = {seat: make_player(game.name, bot, seed * 1000 + i) for i, (seat, bot) in enumerate(names.items())}
    press = PressTerms(PressMode.WINDOW if declaration.talks else PressMode.NONE)
    terms = Terms(conduct=preset(declaration.conduct), press=press)
    match = Match(game, dict(piece.config), terms, seed)
    host(match, players, names, RECORD, display(game, as_json=as_json, pace=PACE))


def _in_browser(declaration: GameDeclaration, seed: int) -> None:
    from parlour.cli.browsing import browse

    piece = _showpiece(declaration)
    agents = dict(zip(load_game(declaration.name).seats(piece.config), piece.agents, strict=True))
    # With every flag up a turn lasts until its time is over, so that a person can follow.
    press = PressTerms(PressMode.ANYTIME if declaration.talks else PressMode.NONE)
    terms = Terms(preset(declaration.lenient_conduct), Clock(per_turn=PAGE_PACE), press, wait_flags_up=True)
    browse(declaration.name, dict(piece.config), terms, agents, RECORD, seed=seed, title="Demo")


def _toy(game: Game, seed: int, as_json: bool) -> None:
    seats = game.seats({})
    players = {seat: RandomPlayer(seed + i) for i, seat in enumerate(seats)}
    match = Match(game, {}, Terms(conduct=STRICT), seed)
    host(match, players, dict.fromkeys(seats, "random"), RECORD, display(game, as_json=as_json, pace=PACE))
