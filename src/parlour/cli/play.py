"""parlour play: one match here and now, between agents, programs, your own classes and you."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from parlour.agents import negotiates
from parlour.agents.loading import make_player
from parlour.cli.family import Family
from parlour.cli.hosting import host, json_option, notes_of, program, record_option, seed_option
from parlour.cli.show import display
from parlour.core.game import Plain, Seat
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.referee.clocks import RealClock, Watch
from parlour.referee.conduct import PRESETS, preset
from parlour.referee.match import Match

YEARS = 10
"""How long a match of Diplomacy lasts if nothing is said; random players never end one."""
SILENT = PressTerms(PressMode.NONE)
F = TypeVar("F", bound=Callable[..., Any])


@click.group("play", cls=Family)
def command() -> None:
    """Play one match here and now, watch it, and keep its record.

    \b
    parlour play fish lookahead2 greedy --rows 5 --cols 5 --seed 7
    parlour play fish strong human
    parlour play diplomacy greedy random --last-year 1905 --explain
    parlour play diplomacy --press peace stabber --seat FRANCE=human
    parlour play diplomacy --agent random --agent "python3 bot.py"
    """


def match_options(default_conduct: str) -> Callable[[F], F]:
    """The options that every game has."""
    options = [
        seed_option,
        click.option("--conduct", type=click.Choice(sorted(PRESETS)), default=default_conduct, show_default=True),
        click.option(
            "--time-per-turn", type=click.FloatRange(0.01, 86400), help="Seconds; without it nobody is timed."
        ),
        record_option,
        json_option,
        click.option("--quiet", is_flag=True, help="Show only the result."),
        click.option("--pace", type=click.FloatRange(0, 60), default=0.0, help="Seconds a turn stays in sight."),
        click.option("--browser", is_flag=True, help="Play or watch in the browser; human is you there."),
    ]

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@command.command("fish")
@click.argument("agents", nargs=-1, required=True)
@click.option("--rows", type=int, help="Rows of the board.  [default: 5]")
@click.option("--cols", type=int, help="Columns of the board.  [default: 5]")
@click.option("--fish", type=int, help="Fish on every tile; without it 1 to 5 at random.")
@click.option("--holes", type=int, help="Tiles that are missing from the start.")
@match_options("strict")
def fish(
    agents: Sequence[str], rows: int | None, cols: int | None, fish: int | None, holes: int | None, **how: Any
) -> None:
    """Play Fish with two to four AGENTS, in the order in which they act; the younger first, if they say their age.

    An agent is random, greedy, lookaheadN or strong; path.py:Class, a class of your own (also one written for either
    of the documented player interfaces); human, you in this terminal; or a command in quotes that speaks JSON lines.
    """
    sizes = {"rows": rows, "cols": cols, "fish": fish, "holes": holes}
    config: dict[str, Plain] = {name: value for name, value in sizes.items() if value is not None}
    if not 2 <= len(agents) <= 4:
        raise ConfigError(f"{len(agents)} agents given, expected two to four", field="agents")
    _play("fish", {"players": len(agents), **config}, agents, **how)


@command.command("diplomacy")
@click.argument("more", metavar="[AGENT]...", nargs=-1)
@click.option("--agent", "agents", multiple=True, help="Who plays; the same as naming it.  [default: random]")
@click.option(
    "--seat", "fixed", multiple=True, metavar="POWER=AGENT",
    help="Who plays this power; the others are filled by the rest.",
)  # fmt: skip
@click.option("--map", "board", default="standard", show_default=True, help="A map that ships with Parlour.")
@click.option("--last-year", type=int, help="The match ends after this year.  [default: its tenth]")
@click.option("--press", is_flag=True, help="Let them negotiate: a press window in each movement phase.")
@click.option(
    "--press-time",
    type=click.FloatRange(0.1, 86400),
    help="Real seconds of it.  [default: 60; among bots alone as long as they talk]",
)
@click.option("--explain", is_flag=True, help="Say why each order failed.")
@match_options("diplomacy")
def play_diplomacy(
    agents: Sequence[str],
    *,
    more: Sequence[str],
    fixed: Sequence[str],
    board: str,
    last_year: int | None,
    press: bool,
    press_time: float | None,
    **how: Any,
) -> None:
    """Play Diplomacy with up to seven AGENTs; powers without one of their own repeat those given, in their order.

    An agent is a name (hold, random, greedy, dumbbot, sbr, search; with --press also silent, yesman, noman, proposer,
    peace, broker, reciprocator, stabber), path.py:Class (a class of your own), human (you in this terminal, where ?
    explains what to type), or a command in quotes that speaks JSON lines. With --press each message is shown with its
    English, and broken promises are flagged; if a person plays, only what that person may know. Where a class of your
    own crashes, and which of its messages the table refuses, is told on stderr.
    """
    from parlour.games.diplomacy import named

    config: dict[str, Plain] = {"map": board, "last_year": last_year or named(board).year + YEARS - 1}
    seats = load_game("diplomacy").seats(config)
    table = seated_by(seats, [*agents, *more], fixed)
    if press_time is not None and not press:
        raise ConfigError("--press-time is the time of the press window: give --press, too", field="press-time")
    if not press and (talkers := sorted({agent for agent in table if negotiates("diplomacy", agent)})):
        click.echo(f"note: {', '.join(talkers)} can talk, but nobody may: give --press", err=True)
    window = PressTerms(PressMode.WINDOW, window=press_time or PressTerms().window)
    clock = RealClock() if press_time is not None else None
    _play("diplomacy", config, table, window if press else SILENT, clock=clock, **how)


def seated_by(seats: Sequence[Seat], agents: Sequence[str], fixed: Sequence[str]) -> list[str]:
    """The agent of each seat: those that were fixed by SEAT=AGENT, and the others in turn, as often as it takes."""
    chosen: dict[Seat, str] = {}
    for text in fixed:
        name, _, agent = text.partition("=")
        known = {str(seat).lower(): seat for seat in seats}
        seat = known.get(name.lower()) or next((seat for seat in seats if str(seat).startswith(name.upper())), None)
        if seat is None or not agent or len(name) < 3:
            expected = f"expected SEAT=AGENT with one of {', '.join(seats)}{hint(name, map(str, seats))}"
            raise ConfigError(f"seat: got {text!r:.60}, {expected}", field="seat")
        if seat in chosen:
            raise ConfigError(f"seat: {seat} was given twice", field="seat")
        chosen[seat] = agent
    free = [seat for seat in seats if seat not in chosen]
    if len(agents) > len(free):
        raise ConfigError(f"{len(agents)} agents given, expected at most {len(free)}", field="agent")
    rest = list(agents) or ["random"]
    chosen |= {seat: rest[number % len(rest)] for number, seat in enumerate(free)}
    return [chosen[seat] for seat in seats]


def _youngest_first(players: Sequence[Player]) -> list[int]:
    """The order in which players of Fish sit down."""
    from parlour.agents.fish.ages import age_of, by_age

    return by_age([age_of(player) for player in players])


def _play(
    name: str,
    config: dict[str, Plain],
    agents: Sequence[str],
    press: PressTerms = SILENT,
    *,
    clock: Watch | None = None,
    seed: int,
    conduct: str,
    time_per_turn: float | None,
    record: Path | None,
    as_json: bool,
    quiet: bool,
    pace: float,
    browser: bool = False,
    explain: bool = False,
) -> None:
    game = load_game(name)
    seats = game.seats(config)
    game.start(config, seats, seed)  # a board that is too small is an error here, not the end of a match
    if browser:
        from parlour.cli.browsing import browse

        if as_json or quiet:
            raise ConfigError("--browser shows the match there: give it without --json and --quiet", field="browser")
        # If nobody has to be waited for, flags that stay up and a clock keep the match slow enough to be followed.
        slow = Clock(per_turn=pace) if pace and "human" not in agents else Clock(per_turn=time_per_turn)
        terms = Terms(preset(conduct), slow, press, wait_flags_up=bool(pace) and "human" not in agents)
        table = dict(zip(seats, agents, strict=True))
        browse(name, config, terms, table, record or Path(f"{name}.jsonl"), seed=seed)
        return
    # Each player has chance of its own, so that a change of one does not change the others.
    notes = [notes_of(agent, private="human" in agents) for agent in agents]
    made = [make_player(name, agent, seed * 1000 + i, notes[i]) for i, agent in enumerate(agents)]
    order = _youngest_first(made) if name == "fish" else range(len(made))
    players = {seat: made[i] for seat, i in zip(seats, order, strict=True)}
    pairs = tuple((seat, agents[i]) for seat, i in zip(seats, order, strict=True))
    terms = Terms(conduct=preset(conduct), clock=Clock(per_turn=time_per_turn), press=press)
    match = Match(game, config, terms, seed)
    people = [seat for seat, agent in pairs if agent == "human"]
    shown = display(game, as_json=as_json, quiet=quiet, explain=explain, pace=pace, person=bool(people))
    path = record or Path(f"{name}.jsonl")
    host(match, players, dict(pairs), path, shown, people, clock=clock)
    if not as_json:
        click.echo(f"recorded in {path}; look at it again with: {program()} replay {path}")
