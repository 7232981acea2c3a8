"""`parlour check`: whether something from outside conforms: a published trajectory, a player."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from parlour.cli.family import Family
from parlour.cli.stopping import stoppable
from parlour.core.text import printable

MAX_FAULT = 2000
"""Signs of what a player did wrong; it chooses some of them."""
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=Family)
def command() -> None:
    """Check that something from outside conforms.

    \b
    parlour check player fish bot.py:Bot
    parlour check trajectory --observations observations.npz --legal-actions legal_actions.npz \\
        --actions actions_outputs.npz
    """


@command.command()
@click.option("--observations", type=_FILE, required=True, help="What was seen, phase by phase.")
@click.option("--legal-actions", type=_FILE, required=True, help="What was legal.")
@click.option("--actions", type=_FILE, required=True, help="What was played.")
@click.option("--step-outputs", type=_FILE, help="Outputs of the policies; checked without the network.")
@click.option("--option", "choices", multiple=True, metavar="NAME=yes|no", help="Decide an uncertain point otherwise.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def trajectory(
    observations: Path,
    legal_actions: Path,
    actions: Path,
    step_outputs: Path | None,
    choices: tuple[str, ...],
    as_json: bool,
) -> None:
    """Replay a published trajectory and name the first difference, if there is one.

    The files are the published ones: pickles, of which only arrays and plain values are read. Exit code 0 if all
    phases agree, 1 if not, 2 if a file cannot be read.
    """
    from parlour.deepmind.compare import compare_trajectory
    from parlour.deepmind.container import read_pickle

    options = _options(choices)
    found = compare_trajectory(
        read_pickle(observations),
        read_pickle(legal_actions),
        read_pickle(actions),
        None if step_outputs is None else read_pickle(step_outputs),
        options=options,
    )
    if as_json:
        difference = None if found.difference is None else dataclasses.asdict(found.difference)
        click.echo(msgspec.json.encode({"phases": found.phases, "difference": difference}))
    elif found.difference is None:
        click.echo(f"all {found.phases} phases agree")
    else:
        agree = "1 phase agrees" if found.phases == 1 else f"{found.phases} phases agree"
        click.echo(f"{agree}; then {found.difference}")
    sys.exit(0 if found.difference is None else 1)


@command.command()
@click.argument("game")
@click.argument("agent")
@click.option("--matches", type=click.IntRange(1, 1000), default=3, show_default=True, help="Matches on each seat.")
@click.option("--time-per-turn", type=click.FloatRange(0.01, 86400), default=10.0, show_default=True, help="Seconds.")
def player(game: str, agent: str, matches: int, time_per_turn: float) -> None:
    """Let AGENT meet random players on every seat of GAME under strict conduct; it must not foul.

    A press bot also negotiates on every seat with players that propose and agree at random; the table must not refuse
    any of its messages. AGENT is as in `parlour play`: a name, path.py:Class, or a command in quotes. Exit code 0 if
    it behaved, 1 if not.
    """
    from parlour.agents.loading import make_player
    from parlour.core.intents import PlayerType
    from parlour.games import load_game
    from parlour.testing import check_player

    rules = load_game(game)
    config = {"diplomacy": {"last_year": 1903}, "fish": {"players": 3}}[rules.name]
    try:
        with stoppable():
            made = make_player(game, agent, 0)  # an agent that cannot be had is an error, not a foul
            check_player(rules, lambda: make_player(game, agent, 0), config, matches=matches, per_turn=time_per_turn)
    except AssertionError as fault:
        click.echo(printable(f"{agent}: {fault}", MAX_FAULT))
        sys.exit(1)
    talked = ", and in one with press" if getattr(made, "player_type", None) == PlayerType.PRESS_BOT else ""
    click.echo(f"{agent} behaved in {matches} matches on each of {len(rules.seats(config))} seats{talked}")


def _options(choices: tuple[str, ...]) -> Any:
    from parlour.deepmind.options import Options

    known = [field.name for field in dataclasses.fields(Options)]
    chosen = {}
    for choice in choices:
        name, _, value = choice.partition("=")
        if name not in known or value not in ("yes", "no"):
            expected = f"expected NAME=yes or NAME=no with a NAME of {', '.join(known)}"
            raise click.BadParameter(f"{expected}; got {choice!r:.60}", param_hint="--option")
        chosen[name] = value == "yes"
    return Options(**chosen)
