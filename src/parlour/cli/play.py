"""parlour play: one match here and now, between agents, programs, your own classes and you."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from parlour.agents import is_agent, negotiates
from parlour.agents.loading import is_command
from parlour.cli.display.notes import notes_of, traceback_option
from parlour.cli.display.show import Display, display
from parlour.cli.matches.hosting import host, json_option, record_option, seed_option
from parlour.cli.options import models
from parlour.cli.options.by_game import ByGame, game_options, given_config
from parlour.cli.options.confining import program_options, tell_of_programs
from parlour.cli.options.kinds import EXISTING_FILE, FC, flag, option, real, with_options
from parlour.cli.options.playing import PlayingOptions
from parlour.cli.options.sealing import seal_options
from parlour.cli.options.trusting import trust_option
from parlour.cli.terminal.calling import program
from parlour.cli.terminal.stopping import stoppable
from parlour.core import seeds
from parlour.core.declaration import GameDeclaration, fetch
from parlour.core.fouls import Conduct
from parlour.core.game import Game, Plain, Seat
from parlour.core.terms import Clock, PressMode, PressTerms, SealOpening, Terms, Vacancy
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import filled, load_game
from parlour.matches.spec import HUMAN, MatchSpec, PlayerSpec, hiding
from parlour.net.daide.declaration import DAIDE
from parlour.net.game_doors import GAME_DOORS
from parlour.referee.conduct import PRESETS, preset, with_stand_ins

SILENT = PressTerms(PressMode.NONE)
HOSTED = {DAIDE.name: "parlour.cli.matches.daide:host_bots"}
"""By door, the function that plays a match here whose seats its bots may take."""


@click.group("play", cls=ByGame, make=lambda declaration: _command(declaration), invoke_without_command=True)
@option("--resume", "Continue a match that was stopped, from its record.", EXISTING_FILE, metavar="RECORD")
@trust_option
@flag("--quiet", "With --resume: show only the result.")
@json_option
@click.pass_context
def command(context: click.Context, resume: Path | None, trusts_record: bool, quiet: bool, as_json: bool) -> None:
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
        if resume is not None or trusts_record or quiet or as_json:
            raise click.UsageError("before the name of a game there is nothing to say: put options after it")
    elif resume is not None:
        from parlour.cli.matches.resuming import resume as resume_record

        resume_record(resume, trusts_record=trusts_record, as_json=as_json, quiet=quiet)
    else:
        click.echo(context.get_help(), err=True)
        context.exit(2)


def _command(declaration: GameDeclaration) -> click.Command:
    """Return the command of one game."""

    @click.command(declaration.name, help=declaration.help.get("play", f"Play {declaration.title} with AGENTs."))
    @_agent_options(declaration)
    @game_options(declaration)
    @_talk_options(declaration)
    @_door_options(declaration)
    @match_options(declaration.conduct)
    def play_one(**given: Any) -> None:
        config = given_config(declaration, given)
        door, port = _door_of(declaration, given)
        _play_game(declaration, config, PlayOptions(**given, door=door, port=port))

    return play_one


def _agent_options(declaration: GameDeclaration) -> Callable[[FC], FC]:
    """Add the options that name agents: one option per seat in games with named seats."""
    if declaration.counted:
        return click.argument("agents", nargs=-1, required=True)
    return with_options(
        click.argument("agents", metavar="[AGENT]...", nargs=-1),
        option("--agent more", "Agent to play; same as naming it.  [default: random]", multiple=True),
        option(
            "--seat fixed",
            "Agent for this seat; the other seats are filled in order.",
            multiple=True,
            metavar="SEAT=AGENT",
        ),
    )


def _talk_options(declaration: GameDeclaration) -> Callable[[FC], FC]:
    """Return the options for negotiation and reasons, in games that have them."""
    talk = (
        flag("--press", "Let players negotiate in a press window per movement turn."),
        option(
            "--press-time",
            "Seconds of the press window.  [default: 60; without people until all bots are ready]",
            real(0.1, 86400),
        ),
        seal_options(SealOpening.MATCH),
    )
    reasons = (flag("--explain", "Explain why each order failed."),)
    return with_options(*(talk if declaration.talks else ()), *(reasons if declaration.explains else ()))


def _bot_doors(declaration: GameDeclaration) -> list[str]:
    """Return the doors whose bots may take seats in a match of a game."""
    return [door.name for door in GAME_DOORS if door.game == declaration.name and door.name in HOSTED]


def _door_options(declaration: GameDeclaration) -> Callable[[FC], FC]:
    """Return options for remote programs that may take seats, by the game's protocols."""
    options = []
    for door in _bot_doors(declaration):
        title = door.upper()
        options += [
            click.option(
                f"--{door}", is_flag=True, help=f"Wait for {title} bots: on seats given as SEAT={door}, or on all."
            ),
            click.option(
                f"--{door}-port",
                type=click.IntRange(0, 65_535),
                default=16_713,
                show_default=True,
                help=f"Port for {title} bots.",
            ),
        ]
    return with_options(*options)


def match_options(default_conduct: str) -> Callable[[FC], FC]:
    """Return the options that every game has."""
    return with_options(
        seed_option,
        option("--conduct", "Conduct table: the cost of each foul.", sorted(PRESETS), default_conduct),
        option("--time-per-turn", "Seconds per turn; without it there is no time limit.", real(0.01, 86400)),
        record_option,
        json_option,
        traceback_option,
        flag("--quiet", "Show only the result."),
        option("--pace", "Seconds for which each turn stays in view.", real(0, 60), default=0.0),
        flag("--browser", "Play or watch in the browser; the agent human is you, at the page."),
        models.model_options,
        program_options,
        option("--stand-in", "Agent that takes over the seat of a player who left.", metavar="AGENT"),
    )


@dataclass(frozen=True, kw_only=True)
class PlayOptions(PlayingOptions):
    """The options of the verb; those of the game and of its doors are read separately."""

    agents: Sequence[str]
    more: Sequence[str] = ()
    fixed: Sequence[str] = ()
    press_time: float | None = None
    explain: bool = False
    door: str = ""
    """The protocol whose bots are waited for, if any."""
    port: int = 0
    record: Path | None
    pace: float
    browser: bool
    whole: bool
    stand_in: str | None

    @property
    def deputies(self) -> Conduct:
        """The conduct; with a stand-in, the stand-in replaces a player who is gone."""
        return preset(self.conduct) if self.stand_in is None else with_stand_ins(preset(self.conduct))

    @property
    def talk(self) -> PressTerms:
        """The terms of press."""
        if not self.talks:
            return SILENT
        return PressTerms(PressMode.WINDOW, window=self.press_time or PressTerms().window)


def _play_game(declaration: GameDeclaration, given: dict[str, Plain], options: PlayOptions) -> None:
    game, config = load_game(declaration.name), filled(declaration, given)
    wanted = [*options.more, *options.agents] or ([options.door] if options.door else [])
    if declaration.counted:
        agents = _counted(declaration, config, options.agents)
    else:
        agents = seated_by(game.seats(config), wanted, options.fixed)
    models.check_prices(agents, options.usd)
    if options.press_time is not None and not options.talks:
        raise ConfigError("--press-time is the time of the press window: give --press, too", field="press-time")
    if not options.talks and (talkers := sorted({agent for agent in agents if negotiates(game.name, agent)})):
        click.echo(f"note: {', '.join(talkers)} can talk, but nobody may: give --press", err=True)
    spec = _spec_of(game, config, agents, options)
    path = options.record or Path(f"{game.name}.jsonl")
    spec = hiding(spec, [path] if options.cassette is None else [path, options.cassette])
    if options.door:
        _play_at_door(declaration, spec, path, options)
        return
    game.start(config, game.seats(config), options.seed)  # a board that is too small is an error here, before the match
    if options.browser:
        _play_in_browser(spec, path, options)
        return
    with stoppable():  # programs are started before the match begins
        _play(declaration, spec, path, options)


def _spec_of(game: Game, config: dict[str, Plain], agents: Sequence[str], options: PlayOptions) -> MatchSpec:
    """Return the match that the options describe; the agents sit in the order in which they were named."""
    limits, made = options.program_limits(), [options.agent(given) for given in agents]
    players = {
        seat: PlayerSpec(
            made[i], seeds.local_player(options.seed, i), agents[i] if made[i] != agents[i] else "", limits
        )
        for i, seat in enumerate(game.seats(config))
    }
    deputy = None if options.stand_in is None else PlayerSpec(options.stand_in, options.seed, limits=limits)
    terms = Terms(options.deputies, options.clock, options.talk, seals=options.sealed)
    real = options.press_time is not None
    return MatchSpec(game.name, terms, players, config, options.seed, stand_in=deputy, real_time=real)


def _door_of(declaration: GameDeclaration, given: dict[str, Any]) -> tuple[str, int]:
    """Return the protocol whose bots are waited for, if any, and the port; remove both from the given options."""
    found = "", 0
    for door in _bot_doors(declaration):
        wanted, port = given.pop(door), given.pop(f"{door}_port")
        if wanted or any(seat.partition("=")[2] == door for seat in given["fixed"]):
            found = door, port
    return found


def _play_at_door(declaration: GameDeclaration, spec: MatchSpec, path: Path, options: PlayOptions) -> None:
    """Host the match for bots that connect by the door's protocol."""
    door = options.door
    if not any(player.agent == door for player in spec.players.values()):
        raise ConfigError(f"--{door}: no seat is left for a bot: name some by --seat SEAT={door}", field=door)
    if options.browser:
        raise ConfigError(f"--{door} shows the match here: give it without --browser", field="browser")
    press = PressTerms() if options.talks else SILENT
    clock = Clock(per_turn=options.time_per_turn)
    terms = Terms(preset(options.conduct), clock, press, vacancy=Vacancy.DEFAULT, seals=options.sealed)
    spec = msgspec.structs.replace(spec, terms=terms)
    fetch(HOSTED[door])(spec, path, _display(load_game(spec.game), options), port=options.port)
    _say_where(path, options)


def _play_in_browser(spec: MatchSpec, path: Path, options: PlayOptions) -> None:
    """Serve the match in the browser, where people can also play."""
    from parlour.cli.matches.browsing import browse

    if options.as_json or options.quiet:
        raise ConfigError("--browser shows the match there: give it without --json and --quiet", field="browser")
    for name, given in (("cassette", options.cassette), ("explain", options.explain)):
        if given:
            raise ConfigError(f"--browser: expected no --{name}, which it does not know", field=name)
    deputy = options.stand_in
    if deputy is not None and not is_agent(spec.game, deputy):
        raise ConfigError(f"stand-in: with --browser expected an agent's name, got {deputy!r:.60}", field="stand-in")
    # Without people, wait flags that stay up and a clock keep the match slow enough to follow.
    if options.pace and not spec.people:
        clock = msgspec.structs.replace(spec.terms.clock, per_turn=options.pace)
        terms = msgspec.structs.replace(spec.terms, clock=clock, wait_flags_up=True)
        spec = msgspec.structs.replace(spec, terms=terms)
    _tell_of_programs(spec)
    browse(spec, path)


def _counted(declaration: GameDeclaration, config: dict[str, Plain], agents: Sequence[str]) -> Sequence[str]:
    """Set the number of seats to the number of agents, and return the agents; raise ConfigError if the game refuses."""
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
    """Return the agent of each seat: those fixed by SEAT=AGENT, then the others in turn, repeated to fill all seats.

    A person is not repeated.
    """
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
    again = [agent for agent in rest if agent != HUMAN] or ["random"]
    row = [*rest, *((again if HUMAN in rest else rest) * len(free))]
    chosen |= dict(zip(free, row, strict=False))
    return [chosen[seat] for seat in seats]


def _play(declaration: GameDeclaration, spec: MatchSpec, path: Path, options: PlayOptions) -> None:
    """Play the match here; if the game orders its players, each keeps its agent and its seed on the new seat."""
    notes = partial(notes_of, private=bool(spec.people), whole=options.whole)
    made = spec.make_players(notes)
    _tell_of_programs(spec)
    if declaration.seating:
        order = fetch(declaration.seating)(list(made.values()))
        given = list(zip(spec.players.values(), made.values(), strict=True))
        seats = {seat: given[i] for seat, i in zip(spec.players, order, strict=True)}
        spec = msgspec.structs.replace(spec, players={seat: player for seat, (player, _) in seats.items()})
        made = {seat: player for seat, (_, player) in seats.items()}
    if spec.stand_in is not None:
        spec.stand_in.make(spec.game)  # an agent that cannot be made is an error now, not during the match
    shown = _display(load_game(spec.game), options, person=bool(spec.people))
    guard = models.guard_of(options.cassette, options.tape)
    match = host(spec, path, shown, made, guard=guard, whole=options.whole)
    for line in () if options.as_json else models.summary(match.record):
        click.echo(line)
    _say_where(path, options)


def _display(game: Game, options: PlayOptions, *, person: bool = False) -> Display:
    return display(
        game,
        as_json=options.as_json,
        quiet=options.quiet,
        explain=options.explain,
        pace=options.pace,
        person=person,
    )


def _tell_of_programs(spec: MatchSpec) -> None:
    commands = [player for player in spec.players.values() if is_command(spec.game, player.agent)]
    if commands:
        tell_of_programs(spec.game, [commands[0].agent], commands[0].limits)


def _say_where(path: Path, options: PlayOptions) -> None:
    if not options.as_json:
        click.echo(f"recorded in {path}; look at it again with: {program()} replay {path}")
