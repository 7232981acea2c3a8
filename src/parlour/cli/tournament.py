"""parlour tournament: lets agents meet in many matches, and reports their strength with intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from parlour.cli.options import models
from parlour.cli.options.by_game import ByGame, game_options, given_config
from parlour.cli.options.confining import program_options
from parlour.cli.options.kinds import FC, FILE, FOLDER, flag, option, real, whole, with_options
from parlour.cli.options.sealing import seal_options
from parlour.cli.options.trusting import trust_option
from parlour.core.terms import SealOpening
from parlour.referee.conduct import PRESETS

if TYPE_CHECKING:
    from parlour.core.declaration import GameDeclaration

STORE = "tournaments.db"
FEWEST = "the fewest; in a knock-out the most"
NEWEST = "newest"
NOT_PLANNED = {
    *("agents", "resume", "trusts_record", "store", "engine", "address", "jobs", "oversubscribe"),
    *("total_tokens", "total_usd", "as_json", "as_csv", "html", "logs", "quiet"),
}
"""Parameters that are not part of the plan of a tournament, so that they may differ when it is resumed."""


@click.group("tournament", cls=ByGame, make=lambda declaration: _command(declaration))
def command() -> None:
    """Let agents meet in many matches: scores and ratings with honest intervals, whatever interrupts it.

    \b
    parlour tournament fish strong greedy lookahead2 --blocks 20 --stop "strong > greedy by 0.1"
    parlour tournament diplomacy greedy random --format 1v6 --blocks 5 --html table.html
    parlour tournament diplomacy peace stabber --press --blocks 3
    parlour tournament fish mine.py:Bot "python3 other.py" --time-per-turn 1
    parlour tournament fish --resume

    A block is the smallest set of matches in which every agent has every seat equally often. Ctrl-C at any time: no
    result is lost, and the printed command resumes.
    """


def shared_options(conduct: str) -> Callable[[FC], FC]:
    """Return the options that every game has."""
    return with_options(
        click.argument("agents", nargs=-1, metavar="AGENT..."),
        option(
            "--format form",
            "Schedule: round-robin, population, gauntlet, 1vN or Nv1 (such as 1v6), swiss, knock-out, ladder.",
            default="round-robin",
        ),
        option("--blocks", "Maximum number of blocks, which are balanced sets of matches.", whole(1, 1_000_000), 10),
        option("--stop", 'Stop as soon as this is known: "search > dumbbot by 0.05".', metavar="RULE"),
        option("--score", "Score that counts; see the help of each game."),
        option("--anchor", "Agent with 0 rating points.  [default: the last]", metavar="AGENT"),
        option("--challengers", "In a gauntlet: number of first agents that meet all others.", whole(1, 1000), 1),
        option("--seed", "Seed of all random numbers; the same seed gives the same table.", whole(0, 2**62), 0),
        option("--conduct", "Conduct table: the cost of each foul.", sorted(PRESETS), conduct),
        option(
            "--time-per-turn",
            "Seconds per turn; without it there is no limit and results are reproducible.",
            real(0.001, 86_400),
        ),
        option("--cpu", "Processor seconds per command and match.", whole(1, 86_400)),
        program_options,
        models.model_options,
        option("--total-tokens", "Maximum number of models' tokens in the whole tournament.", whole(0)),
        option("--total-usd", "Maximum cost of models in the whole tournament, in US dollars.", real(0)),
        option("--memory", "Maximum memory per command, in megabytes.", whole(16, 1 << 20)),
        option("--engine", "Place of play: local processes, or a Ray cluster.", ["local", "ray"], "local"),
        option("--address", "Address of the Ray cluster, host:port; without it one is started here."),
        option("--jobs", "Number of matches played at once.  [default: one per processor]", whole(1, 1024)),
        flag("--oversubscribe", "Allow more jobs than processors though time is limited."),
        option("--store", "Store for results and records.", default=STORE),
        option(
            "--resume",
            "Continue a tournament of the store: this one, or the newest interrupted one.",
            is_flag=False,
            flag_value=NEWEST,
            metavar="[ID]",
        ),
        trust_option,
        flag("--no-records", "Keep results only, and not the record of each match."),
        flag("--json as_json", "Print one JSON object."),
        flag("--csv as_csv", "Print CSV, one row per agent."),
        option("--html", "Write a page with plots; some replays are written to a folder beside it.", FILE),
        option("--logs", "Folder for a log per agent: fouls, crashes, printed lines.", FOLDER),
        flag("--quiet", "Show only the final result."),
    )


def _command(declaration: GameDeclaration) -> click.Command:
    """Return the command of one game."""
    more = []
    if declaration.counted:
        more.append(option("--seats", f"Players at a table.  [default: {FEWEST}]", int))
    if declaration.talks:
        words = "Let agents negotiate; the table then has the share of kept promises."
        more.append(flag("--press", words))
        more.append(seal_options(SealOpening.TOURNAMENT))

    @click.command(declaration.name, help=declaration.help.get("tournament", f"{declaration.title}."))
    @game_options(declaration)
    @with_options(*more)
    @shared_options(declaration.conduct)
    def contest(**given: Any) -> None:
        from parlour.cli.tournaments.contest import hold
        from parlour.cli.tournaments.planning import TournamentOptions
        from parlour.games import filled

        if given["resume"] is not None:
            _refuse_other_plans(click.get_current_context())
        config = filled(declaration, given_config(declaration, given))
        hold(declaration.name, config, TournamentOptions(**given))

    return contest


def _refuse_other_plans(context: click.Context) -> None:
    """Raise UsageError for a given option that has no effect, since the stored plan sets it."""
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name is not None
        and option.name not in NOT_PLANNED
        and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"--resume continues by the plan that is kept: leave out {', '.join(given)}")
