"""`parlour check`: checks whether something conforms: a published trajectory, a network, a player, a record."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from parlour.cli.options.kinds import flag, option, real, whole
from parlour.cli.terminal.family import Family
from parlour.cli.terminal.stopping import stoppable
from parlour.core.text import printable

MAX_FAULT = 2000
"""Maximum characters of a player's fault, which the player partly chooses."""
_RECORDED = re.compile(r"OnPolicy\(t=([0-9.]{1,12})\)")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=Family)
def command() -> None:
    """Check that something from outside conforms.

    \b
    parlour check player fish bot.py:Bot
    parlour check record match.jsonl
    parlour check run out
    parlour check network --params sl_params.npz
    parlour check trajectory --observations observations.npz --legal-actions legal_actions.npz \\
        --actions actions_outputs.npz
    """


@command.command()
@option("--observations", "File of the observations, phase by phase.", _FILE, required=True)
@option("--legal-actions", "File of the legal actions of each phase.", _FILE, required=True)
@option("--actions", "File of the actions that were played.", _FILE, required=True)
@option("--step-outputs", "File of the policies' outputs.", _FILE)
@option("--params", "Parameters of the network, whose outputs are compared with the recorded ones.", _FILE)
@option("--network-seed", "Seed of the network's random numbers.", int, 42)
@option(
    "--stream", "Random stream: of JAX when the files were made, or of JAX since 0.5.", ["legacy", "current"], "legacy"
)
@option(
    "--option choices",
    "Set a point that the publication leaves open; may be repeated.",
    multiple=True,
    metavar="NAME=yes|no",
)
@flag("--json as_json", "Print one JSON object.")
def trajectory(
    observations: Path,
    legal_actions: Path,
    actions: Path,
    step_outputs: Path | None,
    params: Path | None,
    network_seed: int,
    stream: str,
    choices: tuple[str, ...],
    as_json: bool,
) -> None:
    """Replay a published trajectory and name the first difference, if there is one.

    With parameters and step outputs, the network looks at every phase, as in the published test, and what it gives is
    compared with what was recorded, to five decimals. The files are the published ones: pickles, of which only arrays
    and plain values are read. Exit code 0 if all phases agree, 1 if not, 2 if a file cannot be read.
    """
    from parlour.deepmind.compare import compare_trajectory
    from parlour.deepmind.container import read_pickle

    options = _options(choices)
    outputs = None if step_outputs is None else read_pickle(step_outputs)
    if params is not None and outputs is None:
        raise click.UsageError("--params needs --step-outputs, with which the network is compared")
    found = compare_trajectory(
        read_pickle(observations),
        read_pickle(legal_actions),
        read_pickle(actions),
        outputs,
        options=options,
        policy=None if params is None else _network_policy(params, outputs, network_seed, legacy=stream == "legacy"),
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


def _network_policy(params: Path, outputs: Any, seed: int, *, legacy: bool) -> Any:
    """Return the policy whose outputs are recorded, with the temperature that its name contains."""
    from parlour.deepmind.network.policy import Policy, load_network

    names = list(outputs[0]) if isinstance(outputs, (list, tuple)) and outputs and isinstance(outputs[0], dict) else []
    found = [match for name in names if (match := _RECORDED.fullmatch(str(name)))]
    if not found:
        raise click.BadParameter("nothing of a network was recorded in it", param_hint="--step-outputs")
    temperature = float(found[0][1])
    network = load_network(params)
    return Policy(network, temperature, seed=seed, calculate_all_policies=True, legacy_stream=legacy)


@command.command()
@option("--params", "Parameters to check.  [default: a small network made for it]", _FILE)
@flag("--json as_json", "Print one JSON object.")
def network(params: Path | None, as_json: bool) -> None:
    """Check that a network works here: shapes, formats, play, a dummy parameter update.

    Exit code 0 if all is well, 1 if not, 2 if the parameters cannot be read; then everything that does not fit is
    listed.
    """
    from parlour.deepmind.network.config import SMALL
    from parlour.deepmind.network.parameters import made_parameters, read_parameters
    from parlour.errors import ParametersError
    from parlour.training.smoke import smoke_test

    try:
        parameters = made_parameters(SMALL) if params is None else read_parameters(params)
    except ParametersError as error:
        for line in error.mismatches if not as_json else ():
            click.echo(line)
        raise
    findings = []
    for finding in smoke_test(parameters):
        findings.append(finding)
        if not as_json:
            click.echo(f"{finding.part}: {'' if finding.fine else 'WRONG: '}{finding.words}")
    if as_json:
        click.echo(msgspec.json.encode([finding._asdict() for finding in findings]))
    sys.exit(0 if all(finding.fine for finding in findings) else 1)


@command.command()
@click.argument("game")
@click.argument("agent")
@option("--matches", "Number of matches on each seat.", whole(1, 1000), 3)
@option("--time-per-turn", "Seconds per turn.", real(0.01, 86400), 10.0)
def player(game: str, agent: str, matches: int, time_per_turn: float) -> None:
    """Let AGENT meet random players on every seat of GAME under strict conduct; it must not foul.

    A press bot also negotiates on every seat with players that propose and agree at random; the table must not refuse
    any of its messages. AGENT is as in `parlour play`: a name, path.py:Class, or a command in quotes. Exit code 0 if
    it behaved, 1 if not.
    """
    from parlour.agents.loading import make_player
    from parlour.core.intents import PlayerType
    from parlour.games import declared, load_game
    from parlour.testing import check_player

    rules = load_game(game)
    config = dict(declared(game).trial)
    try:
        with stoppable():
            made = make_player(game, agent, 0)  # an agent that cannot be made is an error, not a foul
            check_player(rules, lambda: make_player(game, agent, 0), config, matches=matches, per_turn=time_per_turn)
    except AssertionError as fault:
        click.echo(printable(f"{agent}: {fault}", MAX_FAULT))
        sys.exit(1)
    talked = ", and in one with press" if getattr(made, "player_type", None) == PlayerType.PRESS_BOT else ""
    played = "1 match" if matches == 1 else f"{matches} matches"
    click.echo(f"{agent} behaved in {played} on each of {len(rules.seats(config))} seats{talked}")


@command.command()
@click.argument("files", type=_FILE, nargs=-1, required=True, metavar="FILE...")
@flag("--json as_json", "Print one JSON object per record.")
def record(files: Sequence[Path], as_json: bool) -> None:
    """Play records again from their players, seeds and the answers of their models, and compare the bytes.

    Every event is checked against the rules first. The players must be named in the record as `parlour play` names
    them. Exit code 0 if all records are reproduced bit for bit, 1 if not, 2 if one cannot be played again.
    """
    from parlour.harness import play_again
    from parlour.referee.record import read_record

    same = True
    for file in files:
        report = play_again(read_record(file))
        click.echo(msgspec.json.encode(report) if as_json else f"{file.name}: {report}")
        same = same and report.same
    sys.exit(0 if same else 1)


@command.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@flag("--json as_json", "Print one JSON object.")
def run(path: Path, as_json: bool) -> None:
    """Read what a run of verifiers or inspect left in PATH: a line per seat, and everything that failed.

    These programs exit with 0 even if every match failed. Exit code 0 if matches were played and none failed, 1 if
    not, 2 if there is nothing to read.
    """
    from parlour.harness.outcomes import read_outcome

    outcome = read_outcome(path)
    click.echo(msgspec.json.encode(outcome) if as_json else str(outcome))
    sys.exit(0 if outcome.fine else 1)


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
