"""parlour join: plays with an agent in a tournament or a match on another machine, or on this one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from parlour.agents.process_supervisor import Limits
from parlour.cli.display.notes import traceback_option
from parlour.cli.options.confining import limits_of, program_options, tell_of_programs
from parlour.cli.options.kinds import flag, option, real, whole
from parlour.cli.terminal.stopping import stoppable
from parlour.errors import ConfigError

RETURNS = 30.0


@dataclass(frozen=True, kw_only=True)
class JoinRequest:
    """A request for a seat at a server, with its options."""

    server: str
    agent: str
    game: str | None = None
    name: str | None = None
    age: int | None = None
    protocol: str = "json"
    count: int = 1
    tries: int = 10
    returns: float | None = None
    as_json: bool = False
    match: str | None = None
    map_name: str | None = None
    power: str | None = None
    player_type: str | None = None
    password: str | None = None
    match_password: str | None = None
    talk: float = 60.0
    seed: int = 0
    whole: bool = False
    confined: bool = False
    trusted: bool = False
    passed: Sequence[str] = ()

    @property
    def limits(self) -> Limits:
        """The limits of an agent that is a program."""
        return limits_of(confined=self.confined, trusted=self.trusted, passed=self.passed)

    @property
    def reconnecting(self) -> float:
        """Seconds to try to reconnect."""
        return RETURNS if self.returns is None else self.returns

    def refuse_other_map(self, played: str, where: str) -> None:
        """Raise ConfigError if a map was asked for and another one is played."""
        from parlour.games.diplomacy.maps.map import named, path_of

        wanted = self.map_name
        if wanted is None or played == wanted:
            return
        if path_of(played) is None or named(played) != named(wanted):
            raise ConfigError(f"map: {where} is played on {played:.60}, expected {wanted:.60}", field="map")


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group that may contain groups."""
    inner = group.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _only_one(_: click.Context, option: click.Parameter, given: Sequence[str]) -> str:
    """Return the only value of an option; click would take the last of several."""
    if len(given) > 1:
        raise click.BadParameter(f"expected one agent, got {len(given)}; run parlour join once per agent", param=option)
    return given[0]


@click.command()
@click.argument("server", metavar="HOST:PORT|ws://HOST:PORT|daide://HOST:PORT")
@option("--game", "Game that is played at HOST:PORT.", ["fish"])
@option(
    "--agent",
    "Agent to play: a name, path.py:Class, human, or a quoted command.  [default: greedy]",
    multiple=True,
    callback=_only_one,
    default=["greedy"],
    show_default=False,
)
@option("--name", "Name to sign up with.  [default: the agent's]")
@option("--age", "Age to sign up with; the youngest play first.  [default: the agent's]", whole(0, 1_000_000))
@option(
    "--protocol",
    "Protocol at HOST:PORT: messages with a type and a value, or the course's calls.",
    ["json", "neu"],
    "json",
)
@option("--count", "Number of players to sign up.", whole(1, 1000), 1)
@option("--tries", "Number of attempts to connect, one per second.", whole(1, 1000), 10)
@option(
    "--reconnect-timeout returns",
    "Seconds to try to reconnect after a lost connection.  [default: 30; before a tournament has "
    "begun 3, since the server has most often closed then]",
    real(0, 3600),
)
@flag("--json as_json", "Print one JSON object per player.")
@option("--match", "At ws://HOST:PORT: the match of Diplomacy to join.")
@option(
    "--map map_name",
    "At ws:// and daide://: map to play on; a match on another is refused. At ws:// it finds a match that waits.",
)
@option("--power", "At ws://HOST:PORT: power to play.  [default: a free one]")
@option(
    "--player-type",
    "At ws://HOST:PORT: type of player to announce.  [default: the agent's]",
    ["human", "no_press_bot", "press_bot"],
)
@option(
    "--password",
    "At ws://HOST:PORT: password of the account; without it a new account is made.",
    envvar="PARLOUR_PASSWORD",
)
@option("--match-password", "At ws://HOST:PORT: password of the match.")
@option("--press-time talk", "At ws://HOST:PORT: seconds for press in a movement phase.", real(0, 86_400), 60.0)
@option("--seed", "At ws://HOST:PORT: seed of the agent's random numbers.", int, 0)
@program_options
@traceback_option
def command(**given: Any) -> None:
    """Sign up at HOST:PORT and let an agent play; prints for each player whether it won or lost.

    At ws://HOST:PORT it joins a match of Diplomacy on a server of Parlour or of the `diplomacy` package. At
    daide://HOST:PORT it joins a match of a DAIDE server; a name like FRA:bot@evening asks for a power and a match.
    """
    request = JoinRequest(**given)
    limits = request.limits  # wrong options are an error before anything is connected
    tell_of_programs("diplomacy" if "://" in request.server else request.game or "fish", [request.agent], limits)
    if request.server.startswith("daide://"):
        from parlour.cli.joining.daide import join
    elif "://" in request.server:
        from parlour.cli.joining.match import join
    elif request.map_name is not None:
        raise ConfigError("map: Diplomacy has maps; expected ws://HOST:PORT or daide://HOST:PORT", field="map")
    elif request.game is None:
        raise ConfigError("game: expected --game fish, or a match of Diplomacy at ws://HOST:PORT", field="game")
    else:
        from parlour.cli.joining.fish import join
    with stoppable():
        sys.exit(0 if join(request) else 1)
