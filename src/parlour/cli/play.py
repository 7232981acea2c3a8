"""parlour play: one match here and now, between agents, programs, your own classes and you."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from parlour.agents import negotiates
from parlour.agents.loading import make_player
from parlour.cli import models
from parlour.cli.by_game import ByGame, F, game_options, given_config, with_options
from parlour.cli.calling import program
from parlour.cli.confining import confined_option, limits_of
from parlour.cli.hosting import host, json_option, notes_of, record_option, seed_option, traceback_option
from parlour.cli.show import display
from parlour.core.declaration import GameDeclaration, fetch
from parlour.core.game import Plain, Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import filled, load_game
from parlour.referee.clocks import RealClock, Watch
from parlour.referee.conduct import PRESETS, preset, with_stand_ins
from parlour.referee.local import StandIn
from parlour.referee.match import Match

SILENT = PressTerms(PressMode.NONE)


@click.group("play", cls=ByGame, make=lambda declaration: _command(declaration), invoke_without_command=True)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="RECORD",
    help="Go on with a match that was stopped; its record says what was played, by whom, and how.",
)
@click.option("--quiet", is_flag=True, help="With --resume: show only the result.")
@json_option
@click.pass_context
def command(context: click.Context, resume: Path | None, quiet: bool, as_json: bool) -> None:
    """Play one match here and now, watch it, and keep its record.

    \b
    parlour play fish lookahead2 greedy --rows 5 --cols 5 --seed 7
    parlour play fish strong human
    parlour play diplomacy greedy random --last-year 1905 --explain
    parlour play diplomacy --press peace stabber --seat FRANCE=human
    parlour play diplomacy --agent random --agent "python3 bot.py"
    parlour play fish greedy llm:qwen3@localhost:11434/v1 --cassette match.tape
    parlour play diplomacy dumbbot --daide --seat FRANCE=daide --seat ITALY=daide
    parlour play --resume diplomacy.jsonl
    """
    if context.invoked_subcommand is not None:
        if resume is not None or quiet or as_json:
            raise click.UsageError("before the name of a game there is nothing to say: put options after it")
    elif resume is not None:
        from parlour.cli.resuming import go_on

        go_on(resume, as_json=as_json, quiet=quiet)
    else:
        click.echo(context.get_help(), err=True)
        context.exit(2)


def _command(declaration: GameDeclaration) -> click.Command:
    """The command of one game."""

    @click.command(declaration.name, help=declaration.help.get("play", f"Play {declaration.title} with AGENTs."))
    @_agent_options(declaration)
    @game_options(declaration)
    @_talk_options(declaration)
    @_door_options(declaration)
    @match_options(declaration.conduct)
    def play_one(**how: Any) -> None:
        _play_game(declaration, **how)

    return play_one


def _agent_options(declaration: GameDeclaration) -> Callable[[F], F]:
    """Who plays. Where the seats are as many as the agents, each is named; otherwise they may be fewer."""
    if declaration.counted:
        return click.argument("agents", nargs=-1, required=True)
    return with_options(
        click.argument("agents", metavar="[AGENT]...", nargs=-1),
        click.option("--agent", "more", multiple=True, help="Who plays; the same as naming it.  [default: random]"),
        click.option(
            "--seat", "fixed", multiple=True, metavar="SEAT=AGENT",
            help="Who plays this seat; the others are filled by the rest.",
        ),
    )  # fmt: skip


def _talk_options(declaration: GameDeclaration) -> Callable[[F], F]:
    """Negotiation and reasons, in games that have them."""
    talk = (
        click.option("--press", is_flag=True, help="Let them negotiate: a press window in each turn that has one."),
        click.option(
            "--press-time", type=click.FloatRange(0.1, 86400),
            help="Real seconds of it.  [default: 60; among bots alone as long as they talk]",
        ),
    )  # fmt: skip
    reasons = (click.option("--explain", is_flag=True, help="Say why each order failed."),)
    return with_options(*(talk if declaration.talks else ()), *(reasons if declaration.explains else ()))


def _door_options(declaration: GameDeclaration) -> Callable[[F], F]:
    """Programs elsewhere that may take seats, by the protocols that there are for the game."""
    options = []
    for door in declaration.doors:
        title = door.upper()
        options += [
            click.option(
                f"--{door}", is_flag=True, help=f"Wait for {title} bots: on seats given as SEAT={door}, or on all."
            ),
            click.option(
                f"--{door}-port", type=click.IntRange(0, 65_535), default=16_713, show_default=True, help="Where."
            ),
        ]
    return with_options(*options)


def match_options(default_conduct: str) -> Callable[[F], F]:
    """The options that every game has."""
    return with_options(
        seed_option,
        click.option(
            "--conduct",
            type=click.Choice(sorted(PRESETS)),
            default=default_conduct,
            show_default=True,
            help="What fouls cost.",
        ),
        click.option(
            "--time-per-turn", type=click.FloatRange(0.01, 86400), help="Seconds; without it nobody is timed."
        ),
        record_option,
        json_option,
        traceback_option,
        click.option("--quiet", is_flag=True, help="Show only the result."),
        click.option("--pace", type=click.FloatRange(0, 60), default=0.0, help="Seconds a turn stays in sight."),
        click.option("--browser", is_flag=True, help="Play or watch in the browser; human is you there."),
        models.model_options,
        confined_option,
        click.option("--stand-in", metavar="AGENT", help="Who takes the seat of whoever leaves or is gone."),
    )


def _play_game(
    declaration: GameDeclaration,
    *,
    agents: Sequence[str],
    more: Sequence[str] = (),
    fixed: Sequence[str] = (),
    press: bool = False,
    press_time: float | None = None,
    **how: Any,
) -> None:
    door, port = _door_of(declaration, fixed, how)
    if door and not (agents or more):
        more = [door]
    config = filled(declaration, given_config(declaration, how))
    table = _counted(declaration, config, agents) if declaration.counted else None
    if table is None:
        table = seated_by(load_game(declaration.name).seats(config), [*more, *agents], fixed)
    if press_time is not None and not press:
        raise ConfigError("--press-time is the time of the press window: give --press, too", field="press-time")
    if not press and (talkers := sorted({agent for agent in table if negotiates(declaration.name, agent)})):
        click.echo(f"note: {', '.join(talkers)} can talk, but nobody may: give --press", err=True)
    if door:
        _play_at_door(declaration, door, port, config, table, PressTerms() if press else SILENT, **how)
        return
    game = load_game(declaration.name)
    game.start(config, game.seats(config), how["seed"])  # a board that is too small is an error here, and no match
    talk = PressTerms(PressMode.WINDOW, window=press_time or PressTerms().window) if press else SILENT
    if how.pop("browser"):
        _play_in_browser(declaration, config, table, talk, **how)
        return
    clock = RealClock() if press_time is not None else None
    _play(declaration, config, table, talk, clock=clock, **how)


def _door_of(declaration: GameDeclaration, fixed: Sequence[str], how: dict[str, Any]) -> tuple[str, int]:
    """The protocol whose bots are waited for, if any, and the port."""
    found = "", 0
    for door in declaration.doors:
        wanted, port = how.pop(door), how.pop(f"{door}_port")
        if wanted or any(seat.partition("=")[2] == door for seat in fixed):
            found = door, port
    return found


def _play_at_door(
    declaration: GameDeclaration,
    door: str,
    port: int,
    config: dict[str, Plain],
    agents: Sequence[str],
    press: PressTerms,
    **how: Any,
) -> None:
    """Host the match for bots that come over a wire."""
    if door not in agents:
        raise ConfigError(f"--{door}: no seat is left for a bot: name some by --seat SEAT={door}", field=door)
    if how["browser"]:
        raise ConfigError(f"--{door} shows the match here: give it without --browser", field="browser")
    game = load_game(declaration.name)
    terms = Terms(preset(how["conduct"]), Clock(per_turn=how["time_per_turn"]), press, vacancy=Vacancy.DEFAULT)
    display_of = {name: how[name] for name in ("as_json", "quiet", "pace", "explain")}
    path = how["record"] or Path(f"{declaration.name}.jsonl")
    table = dict(zip(game.seats(config), agents, strict=True))
    fetch(declaration.doors[door])(config, terms, table, path, display(game, **display_of), seed=how["seed"], port=port)
    if not how["as_json"]:
        click.echo(f"recorded in {path}; look at it again with: {program()} replay {path}")


def _play_in_browser(
    declaration: GameDeclaration, config: dict[str, Plain], agents: Sequence[str], press: PressTerms, **how: Any
) -> None:
    """Show the match on a page, on which people play, too."""
    from parlour.cli.browsing import browse

    if how["as_json"] or how["quiet"]:
        raise ConfigError("--browser shows the match there: give it without --json and --quiet", field="browser")
    # If nobody has to be waited for, flags that stay up and a clock keep the match slow enough to be followed.
    slow = bool(how["pace"]) and "human" not in agents
    clock = Clock(per_turn=how["pace"] if slow else how["time_per_turn"])
    terms = Terms(preset(how["conduct"]), clock, press, wait_flags_up=slow)
    table = dict(zip(load_game(declaration.name).seats(config), agents, strict=True))
    browse(declaration.name, config, terms, table, how["record"] or Path(f"{declaration.name}.jsonl"), seed=how["seed"])


def _counted(declaration: GameDeclaration, config: dict[str, Plain], agents: Sequence[str]) -> Sequence[str]:
    """The agents, once the configuration says that there are as many seats."""
    config[declaration.counted] = len(agents)
    try:
        load_game(declaration.name).seats(config)
    except ConfigError as error:
        if error.field == declaration.counted:
            given = "1 agent" if len(agents) == 1 else f"{len(agents)} agents"
            raise ConfigError(f"{given} given; {error}", field="agents") from None
        raise
    return agents


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


def _play(
    declaration: GameDeclaration,
    config: dict[str, Plain],
    agents: Sequence[str],
    press: PressTerms,
    *,
    clock: Watch | None = None,
    seed: int,
    conduct: str,
    time_per_turn: float | None,
    record: Path | None,
    as_json: bool,
    quiet: bool,
    pace: float,
    cassette: Path | None,
    tape: str,
    whole: bool,
    tokens: int | None,
    usd: float | None,
    confined: bool,
    stand_in: str | None,
    explain: bool = False,
) -> None:
    name = declaration.name
    game = load_game(name)
    seats = game.seats(config)
    # Each player has chance of its own, so that a change of one does not change the others.
    notes = [notes_of(agent, private="human" in agents, whole=whole) for agent in agents]
    limits = limits_of(confined)
    made = [
        make_player(name, models.on_cassette(agent, cassette, tape), seed * 1000 + i, notes[i], limits=limits)
        for i, agent in enumerate(agents)
    ]
    order = fetch(declaration.seating)(made) if declaration.seating else range(len(made))
    players = {seat: made[i] for seat, i in zip(seats, order, strict=True)}
    pairs = tuple((seat, agents[i]) for seat, i in zip(seats, order, strict=True))
    banks = models.with_banks(Clock(per_turn=time_per_turn), tokens, usd)
    rules = preset(conduct) if stand_in is None else with_stand_ins(preset(conduct))
    terms = Terms(conduct=rules, clock=banks, press=press)
    match = Match(game, config, terms, seed)
    people = [seat for seat, agent in pairs if agent == "human"]
    shown = display(game, as_json=as_json, quiet=quiet, explain=explain, pace=pace, person=bool(people))
    path = record or Path(f"{name}.jsonl")
    deputy = None if stand_in is None else _deputy(name, stand_in, seed)
    guard = models.guard_of(cassette, tape)
    host(match, players, dict(pairs), path, shown, people, clock=clock, stand_in=deputy, guard=guard)
    for line in () if as_json else models.summary(match.record):
        click.echo(line)
    if not as_json:
        click.echo(f"recorded in {path}; look at it again with: {program()} replay {path}")


def _deputy(game: str, spec: str, seed: int) -> StandIn:
    """Makes stand-ins; ConfigError at once if there is no such agent."""
    make_player(game, spec, seed)
    return lambda seat: (f"{spec} (stand-in)", make_player(game, spec, seed))
