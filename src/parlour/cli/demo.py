"""parlour demo: seven bots negotiate and play four years of Diplomacy; what they promised is checked as they go."""

from __future__ import annotations

from pathlib import Path

import click

from parlour.agents.chance import RandomPlayer
from parlour.agents.loading import make_player
from parlour.cli.hosting import host, json_option, program
from parlour.cli.show import display
from parlour.core.game import Game, Plain
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.match import Match
from parlour.testing.toys import TOYS

RECORD = Path("demo.jsonl")
BOTS = ("peace", "broker", "reciprocator", "stabber", "yesman", "peace", "broker")
LAST_YEAR = 1904
PACE = 0.4
"""Seconds that a turn stays in sight, so that a person can follow."""
PAGE_PACE = 5.0
"""The same in a browser."""
NEXT = {
    True: ("replay demo.jsonl --svg pictures", "press ledger demo.jsonl", "play fish strong human"),
    False: ("replay demo.jsonl --at 5", "demo"),
}
"""What to try afterwards: after the negotiated match, and after a toy."""


@click.command("demo")
@click.option("--game", type=click.Choice(["diplomacy", *sorted(TOYS)]), default="diplomacy", show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Root of all chance.")
@json_option
@click.option("--browser", is_flag=True, help="Watch the negotiated match in the browser.")
def command(game: str, seed: int, as_json: bool, browser: bool) -> None:
    """Watch a negotiated match of Diplomacy, or one of two toy games (nim in turn, bids at once).

    Bots propose pacts in a formal language; each message is shown with its English. After a turn the ledger says which
    promised orders were given and whose word was broken; a peace that holds is no news. The match is recorded in
    demo.jsonl.
    """
    if browser:
        _in_browser(game, seed, as_json)
        return
    if game == "diplomacy":
        _negotiated(load_game(game), seed, as_json)
    else:
        _toy(TOYS[game], seed, as_json)
    if not as_json:
        click.echo(f"recorded in {RECORD}; look at it again, or go on with one of these:")
        for verb in NEXT[game == "diplomacy"]:
            click.echo(f"  {program()} {verb}")


def _negotiated(game: Game, seed: int, as_json: bool) -> None:
    config: dict[str, Plain] = {"last_year": LAST_YEAR}
    seats = game.seats(config)
    names = dict(zip(seats, BOTS, strict=True))
    players = {seat: make_player(game.name, bot, seed * 1000 + i) for i, (seat, bot) in enumerate(names.items())}
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    host(Match(game, config, terms, seed), players, names, RECORD, display(game, as_json=as_json, pace=PACE))


def _in_browser(game: str, seed: int, as_json: bool) -> None:
    from parlour.cli.browsing import browse

    if game != "diplomacy" or as_json:
        raise ConfigError("--browser shows the match of Diplomacy: give it without --game and --json", field="browser")
    config: dict[str, Plain] = {"last_year": LAST_YEAR}
    agents = dict(zip(load_game(game).seats(config), BOTS, strict=True))
    # With every flag up a turn lasts until its time is over, so that a person can follow.
    terms = Terms(DIPLOMACY, Clock(per_turn=PAGE_PACE), PressTerms(PressMode.ANYTIME), wait_flags_up=True)
    browse(game, config, terms, agents, RECORD, seed=seed, title="Demo")


def _toy(game: Game, seed: int, as_json: bool) -> None:
    seats = game.seats({})
    players = {seat: RandomPlayer(seed + i) for i, seat in enumerate(seats)}
    match = Match(game, {}, Terms(conduct=STRICT), seed)
    host(match, players, dict.fromkeys(seats, "random"), RECORD, display(game, as_json=as_json, pace=PACE))
