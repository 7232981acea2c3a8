"""A client of the course's protocol at a server that calls it as the test says: what it answers, and what ends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core.game import Action, View
from parlour.errors import ConfigError, Unreachable
from parlour.net.client.fish_neu import NeuClient
from parlour.net.client.report import ClientReport
from support.waiting import PATIENCE

HOST = "127.0.0.1"
BOARD = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]


def state(red: list[list[int]], white: list[list[int]]) -> dict[str, Any]:
    players = [
        {"color": "red", "score": 0, "places": red},
        {"color": "white", "score": 0, "places": white},
    ]
    return {"players": players, "board": BOARD}


class Player:
    """Does the first thing that it may, and remembers what it was asked."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.closed = 0

    def act(self, view: View) -> Action:
        self.views.append(view)
        return view.position.legal(view.seat)[0]

    def close(self) -> None:
        self.closed += 1


def called(*calls: Any, make: Callable[[int], Any] | None = None, **how: Any) -> tuple[ClientReport, list[Any]]:
    """Return the report of a client for a server's calls, and the client's messages."""
    said: list[Any] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said.append(json.loads(await reader.readline()))
        for call in calls:
            writer.write(call if isinstance(call, bytes) else json.dumps(call).encode() + b"\n")
            if not (answer := await reader.readline()):
                break
            said.append(json.loads(answer))
        if how:
            await reader.read()  # it is the client that hangs up
        writer.close()
        served.set()

    served = asyncio.Event()

    async def run() -> ClientReport:
        async with await asyncio.start_server(serve, HOST, 0) as server, asyncio.timeout(PATIENCE):
            port = server.sockets[0].getsockname()[1]
            report = await NeuClient("ann", make or (lambda number: Player()), **how).run(HOST, port)
            await served.wait()
            return report

    return asyncio.run(run()), said


def test_a_tournament_of_two_games_is_played_by_an_agent_for_each() -> None:
    made: list[Player] = []

    def make(number: int) -> Player:
        assert number == len(made)
        made.append(Player())
        return made[-1]

    placed = state([[0, 0], [0, 1], [0, 2], [1, 0]], [[1, 1], [1, 2], [2, 0], [2, 1]])
    report, said = called(
        ["start", [True]],
        ["playing-as", ["red"]],
        ["playing-with", [["white"]]],
        ["setup", [state([], [])]],
        ["setup", [state([[0, 0]], [[0, 1], [0, 2]])]],
        ["take-turn", [placed, []]],
        ["playing-as", ["white"]],
        ["end", [True]],
        make=make,
    )
    assert (report.name, report.won, report.games, report.reason) == ("ann", True, 2, "")
    assert said[:4] == ["ann", "void", "void", "void"]
    assert said[4] == [0, 0]
    assert said[5] not in ([0, 0], [0, 1], [0, 2])
    assert said[6][0] in ([0, 0], [0, 1], [0, 2], [1, 0])
    assert said[7:] == ["void", "void"]
    asked: list[Any] = [view.position for view in made[0].views]
    assert [(position.stage, position.each) for position in asked] == [("placement", 1), ("placement", 2), ("move", 4)]
    assert [(len(player.views), player.closed) for player in made] == [(3, 1), (0, 1)]


@pytest.mark.parametrize("won", [True, False])
def test_the_end_says_whether_one_has_won_and_nothing_is_answered_after_it(won: bool) -> None:
    report, said = called(["end", [won]], ["start", [True]])
    assert (report.won, report.games, said) == (won, 0, ["ann", "void"])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (b"no JSON\n", "expected [name, [arguments]]"),
        (["fly", []], "expected [name, [arguments]]"),
        (["start", [1, 2, 3, 4, 5]], "expected [name, [arguments]]"),
        (["start", []], "start: the arguments are not as expected"),
        (["playing-as", ["green"]], "playing-as: the arguments are not as expected"),
        (["end", [1]], "end: the arguments are not as expected"),
        (["setup", [state([], [])]], "the server has not called playing-as"),
        (["setup", [5]], ""),
        (["take-turn", [state([], [])]], "take-turn: the arguments are not as expected"),
    ],
)
def test_what_a_server_must_not_call_ends_it_with_a_reason(call: Any, reason: str) -> None:
    report, said = called(call)
    assert (report.won, said) == (None, ["ann"])
    assert report.reason.startswith(reason)
    assert report.reason


def test_a_server_that_hangs_up_or_says_nothing_for_too_long_is_left() -> None:
    assert called()[0].reason
    assert called(patience=0.0)[0].reason == "the server said nothing for too long"


def test_a_name_is_one_to_twelve_letters() -> None:
    for name in ("a", "abcdefghijkl"):
        assert NeuClient(name, lambda number: Player()).report.name == name
    for name in ("", "abcdefghijklm", "a b", "ann1"):
        with pytest.raises(ConfigError, match="name: expected 1 to 12 letters") as raised:
            NeuClient(name, lambda number: Player())
        assert raised.value.field == "name"


def test_a_server_where_nobody_listens_is_tried_as_often_as_is_said() -> None:
    with pytest.raises(Unreachable):
        asyncio.run(NeuClient("ann", lambda number: Player()).run(HOST, 1, tries=2, pause=0.0))
