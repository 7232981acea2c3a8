"""parlour demo: shows a negotiated match, a tournament over TCP, and commands to try next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from parlour.agents.chance import RandomPlayer
from parlour.cli.display.event_lines import ranking
from parlour.cli.display.show import Display, JsonDisplay, display
from parlour.cli.matches.hosting import host, json_option
from parlour.cli.options.kinds import flag, option, whole
from parlour.cli.terminal.calling import program
from parlour.core.declaration import GameDeclaration, Showpiece
from parlour.core.game import Game
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared, games, load_game
from parlour.matches.spec import MatchSpec, seated
from parlour.referee.conduct import STRICT, preset
from parlour.referee.match import Match
from parlour.referee.record import read_record
from parlour.testing.toys import TOYS

RECORD = Path("demo.jsonl")
PACE = 0.4
"""Seconds that a turn of a toy stays on the screen."""
PAGE_PACE = 5.0
"""Seconds between two phases in a browser."""
NEXT = ("replay demo.jsonl --at 5", "demo")
"""Commands to try after a toy."""
OPENING = """\
What you will see, in less than a minute:
1. {title}, negotiated by seven bots: {players}.
   They make pacts in a formal language. Failed orders say why, and a broken promise is flagged when it happens.
2. A tournament over TCP. One player cheats and one never answers; both are removed, and nobody else notices.
3. Who won, who kept their word, and what to try next."""
SECOND = "Now a tournament: a server on this machine, and players who connect to it"


def _shown() -> list[str]:
    """Return the games that have a match to show."""
    return [name for name in games() if declared(name).showpiece]


@click.command("demo")
@option("--game", f"Game to show: {' or '.join((*_shown(), *sorted(TOYS)))}.  [default: {_shown()[0]}]")
@option("--seed", "Seed of all random numbers.", whole(0, 2**63 - 1), 1)
@json_option
@flag("--browser", "Watch the negotiated match in the browser.")
def command(game: str | None, seed: int, as_json: bool, browser: bool) -> None:
    """Watch what Parlour does: a negotiated match, then a tournament over TCP with a cheat and a silent player.

    Bots propose pacts in a formal language; each message is shown with its English. After a turn you see why orders
    failed, and the ledger says which promises were kept and whose word was broken. The match is recorded in demo.jsonl.
    With --game one of two toys instead: nim in turn, bids at once.
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
        _say_what_next(NEXT, as_json)
    elif as_json:
        _negotiated(declared(game), seed, JsonDisplay())
    else:
        _whole(declared(game), seed)


def _whole(declaration: GameDeclaration, seed: int) -> None:
    """Show the whole demo, from an introduction to commands to try."""
    from parlour.cli.demos.match import demo_display
    from parlour.cli.demos.tournament import hold_tournament

    piece = _showpiece(declaration)
    click.echo(OPENING.format(title=declaration.title, players=", ".join(piece.agents)))
    match = _negotiated(declaration, seed, demo_display(load_game(declaration.name)))
    assert match.outcome is not None
    names = dict(zip(match.state.places, piece.agents, strict=True))
    click.echo(f"\n{ranking(match.outcome, names)}\n\nWho kept their word\n{_words()}\n\n{SECOND}")
    hold_tournament(seed)
    click.echo()
    _say_what_next(piece.next, as_json=False)


def _words() -> str:
    """Return the table of kept and broken promises in the recorded match."""
    from parlour.press.ledger import ledger_of
    from parlour.press.reports.metrics import measure
    from parlour.press.reports.report import players_of
    from parlour.press.reports.summary import word_table

    events = list(read_record(RECORD))
    ledger = ledger_of(events)
    return word_table(measure(ledger), players_of(events, ledger))


def _say_what_next(verbs: Sequence[str], as_json: bool) -> None:
    if as_json:
        return
    click.echo(f"recorded in {RECORD}; look at it again, or continue with one of these:")
    for verb in verbs:
        click.echo(f"  {program()} {verb}")


def _showpiece(declaration: GameDeclaration) -> Showpiece:
    assert declaration.showpiece is not None
    return declaration.showpiece


def _spec_of(declaration: GameDeclaration, seed: int, terms: Terms) -> MatchSpec:
    piece = _showpiece(declaration)
    agents = dict(zip(load_game(declaration.name).seats(piece.config), piece.agents, strict=True))
    return MatchSpec(declaration.name, terms, seated(agents, seed), dict(piece.config), seed)


def _negotiated(declaration: GameDeclaration, seed: int, display: Display) -> Match:
    press = PressTerms(PressMode.WINDOW if declaration.talks else PressMode.NONE)
    return host(_spec_of(declaration, seed, Terms(preset(declaration.conduct), press=press)), RECORD, display)


def _in_browser(declaration: GameDeclaration, seed: int) -> None:
    from parlour.cli.matches.browsing import browse

    # With every flag up a turn lasts until its time is over, so that a person can follow.
    press = PressTerms(PressMode.ANYTIME if declaration.talks else PressMode.NONE)
    terms = Terms(preset(declaration.lenient_conduct), Clock(per_turn=PAGE_PACE), press, wait_flags_up=True)
    browse(_spec_of(declaration, seed, terms), RECORD, title="Demo")


def _toy(game: Game, seed: int, as_json: bool) -> None:
    players_of = seated(dict.fromkeys(game.seats({}), "random"), seed)
    spec = MatchSpec(game.name, Terms(STRICT), players_of, seed=seed)
    players = {seat: RandomPlayer(player.seed) for seat, player in spec.players.items()}
    host(spec, RECORD, display(game, as_json=as_json, pace=PACE), players, rules=game)
