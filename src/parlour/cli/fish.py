"""parlour fish: the CS4500 course's test harnesses, JSON on standard input, JSON on standard output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import msgspec

from parlour.cli.options.bounded_json import answer
from parlour.cli.options.kinds import flag, option, real
from parlour.cli.terminal.family import Family
from parlour.core.game import Plain
from parlour.errors import NotationError

if TYPE_CHECKING:
    from parlour.net.fish.settings import Settings
    from parlour.tournament.knock_out.events import TournamentResult

DEEPEST = 5
"""Maximum number of turns that a player of the harnesses looks ahead."""
PORT = click.IntRange(0, 65_535)


@click.group(cls=Family)
def command() -> None:
    """Answer the Fish course's test harnesses: JSON on stdin, JSON on stdout.

    \b
    xboard     {"position": P, "board": B}        how many tiles P reaches in straight lines
    xstate     State                              after one step of the first penguin, or false
    xtree      {"state": S, "from": P, "to": P}   the next player's move to a neighbour of "to", or false
    xstrategy  [D, State]                         the best move D turns ahead, or false
    xref       {"row": R, "column": C, "players": [[name, D], ...], "fish": F}   sorted names of the winners

    \b
    xserver PORT           run one tournament over TCP and print [#winners, #failures]
    xclients N PORT [IP]   take part in it with N players

    Each input is answered as soon as it is whole. D is 1 to 5; a State has at least one player, scores are any natural
    numbers. With --jsonl each line is one input and gets one line of output; a bad line gets {"error": ..., "line":
    ...}.
    """


def _harness(name: str, help_text: str) -> Callable[[Callable[[Plain], Plain]], click.Command]:
    """Return a decorator that makes a subcommand of a function from one JSON value to another."""

    def made(reply: Callable[[Plain], Plain]) -> click.Command:
        @command.command(name=name, help=help_text)
        @flag("--jsonl", "Read one input per line and write one output per line.")
        def run(jsonl: bool) -> None:
            answer(sys.stdin.buffer, reply, jsonl=jsonl)

        return run

    return made


@_harness("xboard", 'Count the tiles that are reachable: {"position": [row, column], "board": [[fish, ...], ...]}.')
def xboard(value: Plain) -> Plain:
    """Return the number of tiles that are reachable from a position in straight lines."""
    from parlour.games.fish.notation import read_board, read_spot

    fields = _fields(value, "position", "board")
    board, spot = read_board(fields["board"], may_be_empty=True), read_spot(fields["position"])
    if spot not in board:
        raise NotationError("position: expected a place on the board")
    return len(board.reachable(spot))


@_harness("xstate", "Step the first player's first penguin one tile in the first free direction: a State.")
def xstate(value: Plain) -> Plain:
    """Return the State after one step, or False."""
    from parlour.games.fish.notation import read_state, write_state

    position = read_state(value, may_be_empty=True)
    occupied = position.occupied()
    for start in position.sides[0].penguins[:1] if position.sides else ():
        for end in position.board.neighbours(start):
            if position.board[end] and end not in occupied:
                return write_state(position.after((start, end)))
    return False


@_harness("xtree", 'Answer a move next to where it ended: {"state": State, "from": P, "to": P}.')
def xtree(value: Plain) -> Plain:
    """Return the next player's first move onto a neighbour of where the first player went, or False."""
    from parlour.games.fish.notation import read_spot, read_state, write_move
    from parlour.games.fish.tree import Node

    fields = _fields(value, "state", "from", "to")
    position = read_state(fields["state"], may_be_empty=True)
    if not position.sides:
        return False
    start, end = read_spot(fields["from"], "from"), read_spot(fields["to"], "to")
    node = Node(position)
    if (start, end) not in node.actions():
        raise NotationError("from, to: expected a move that the first player can make")
    replies = node.after((start, end)).actions()
    for neighbour in position.board.neighbours(end):
        for reply in replies:
            if not isinstance(reply, str) and reply[1] == neighbour:
                return write_move(reply)
    return False


@_harness("xstrategy", "The best move when looking D turns ahead: [D, State].")
def xstrategy(value: Plain) -> Plain:
    """Return the move of the look-ahead player, or False if it cannot move."""
    from parlour.agents.fish.lookahead import best_move
    from parlour.games.fish.notation import read_state, write_move

    if not isinstance(value, list) or len(value) != 2:
        raise NotationError("input: expected [D, State]")
    depth = _depth(value[0], "D")
    position = read_state(value[1], may_be_empty=True)
    move = best_move(position, depth) if position.sides else None
    return False if move is None else write_move(move)


@_harness("xref", 'Play a game of look-ahead players: {"row": R, "column": C, "players": [[name, D], ...], "fish": F}.')
def xref(value: Plain) -> Plain:
    """Return the winners' names, sorted."""
    from parlour.agents.fish.lookahead import LookAheadPlayer
    from parlour.core.game import View
    from parlour.games.fish.game import GAME
    from parlour.games.fish.position import COLOURS

    fields = _fields(value, "row", "column", "players", "fish")
    players = fields["players"]
    if not isinstance(players, list) or not 2 <= len(players) <= len(COLOURS):
        raise NotationError(f"players: expected two to {len(COLOURS)} pairs [name, D]")
    entries = [_entry(player, f"players, {number}") for number, player in enumerate(players)]
    seats = COLOURS[: len(entries)]
    names = {seat: name for seat, (name, _) in zip(seats, entries, strict=True)}
    thinkers = {seat: LookAheadPlayer(depth) for seat, (_, depth) in zip(seats, entries, strict=True)}
    config = {"rows": _number(fields, "row"), "cols": _number(fields, "column"), "fish": _number(fields, "fish")}
    position = GAME.start(config, seats, 0)
    while to_act := position.to_act():
        seat = to_act[0]
        position, _ = position.apply({seat: thinkers[seat].act(View(seat, position, 0))})
    outcome = position.outcome()
    assert outcome is not None
    return sorted(names[seat] for seat in seats if seat in outcome.winners)


@command.command()
@click.argument("port", type=PORT)
@option("--wait", "Seconds of one waiting period for sign-ups.", real(min=0.001, max=3600), 30.0)
@option("--time-per-turn", "Seconds per turn.", real(min=0.001, max=3600), 10.0)
def xserver(port: int, wait: float, time_per_turn: float) -> None:
    """Sign up five to ten players on PORT in two waiting periods, run a tournament, print [#winners, #failures]."""
    from parlour.core.terms import Clock, Terms
    from parlour.net.fish.dialect import Patience
    from parlour.net.fish.settings import Settings
    from parlour.referee.conduct import STRICT

    settings = Settings(
        terms=Terms(STRICT, Clock(per_turn=time_per_turn)),
        config={"rows": 5, "cols": 5, "fish": 2},
        port=port,
        wait=wait,
        tries=2,
        once=True,
        patience=Patience(start=min(3.0, time_per_turn), end=time_per_turn, introduction=time_per_turn),
    )
    for result in asyncio.run(_serve(settings)):
        failed = 0 if result is None else len(result.failures) + len(result.cheaters)
        click.echo(msgspec.json.encode([0 if result is None else len(result.winners), failed]))


async def _serve(settings: Settings) -> list[TournamentResult | None]:
    from parlour.games.fish import GAME
    from parlour.net.fish.neu.dialect import NeuDialect
    from parlour.net.fish.server import TournamentServer

    results: list[TournamentResult | None] = []
    await TournamentServer(GAME, NeuDialect(), settings).run(results.append)
    return results


@command.command()
@click.argument("count", metavar="N", type=click.IntRange(1, 1000))
@click.argument("port", type=PORT)
@click.argument("ip", default="127.0.0.1")
@option("--agent", "Agent that plays for each client.", default="greedy")
def xclients(count: int, port: int, ip: str, agent: str) -> None:
    """Let N players take part in the tournament of the server at PORT of IP."""
    from parlour.cli.joining.fish import make_names, play

    reports = asyncio.run(play(ip, port, make_names("P", count, "neu"), agent, protocol="neu"))
    if all(report.won is None for report in reports):
        click.echo(f"parlour: nobody could take part: {reports[0].reason}", err=True)
        sys.exit(1)


def _fields(value: Plain, *names: str) -> dict[str, Plain]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise NotationError(f"input: expected an object with {', '.join(names)}")
    return value


def _entry(value: Plain, where: str) -> tuple[str, int]:
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str) or not 0 < len(value[0]) <= 100:
        raise NotationError(f"{where}: expected [name, D]")
    return value[0], _depth(value[1], f"{where}, D")


def _depth(value: Plain, where: str) -> int:
    # The CS4500 course asks for one or two turns, and its programs take up to five.
    if type(value) is not int or not 1 <= value <= DEEPEST:
        raise NotationError(f"{where}: expected 1 to {DEEPEST}")
    return value


def _number(fields: dict[str, Plain], name: str) -> int:
    value = fields[name]
    if type(value) is not int:
        raise NotationError(f"{name}: expected a whole number")
    return value
