"""Whole tournaments as golden dialogues: what each player and the server say, word for word.

Three tests per protocol. The real server with our clients speaks as in the file. The server alone, with bare sockets
that say what the file has the players say, says what the file has it say. Our client alone, with a bare socket in
the server's place, does likewise. PARLOUR_WRITE_TRANSCRIPTS=1 writes the files anew.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.core.game import Action, View
from parlour.core.player import Player
from parlour.net.client.report import Client
from parlour.net.fish.protocols import make_client
from parlour.tournament.knock_out.events import TournamentResult
from support.fish.wire import HOST, Line, greedy, hold, settings

HERE = Path(__file__).parent
PLAYERS = ["ann", "bob", "cheat", "dan", "eve", "fay", "gus"]
TOKEN = "TOKEN"
Dialogue = list[tuple[str, Any]]
"""The speaker (server or player) and the message."""

PROTOCOLS = pytest.mark.parametrize("protocol", ["json", "neu"])


class Cheat:
    """Greedy, until its second move."""

    def __init__(self, game: int) -> None:
        self._greedy = greedy(game)
        self._moves = 0

    def act(self, view: View) -> Action:
        self._moves += view.position.stage == "move"
        return [[0, 0], [0, 0]] if self._moves == 2 else self._greedy.act(view)


def client(protocol: str, name: str) -> Client:
    def make(game: int) -> Player:
        return Cheat(game) if name == "cheat" else greedy(game)

    return make_client(protocol, name, make)


def board() -> Any:
    return settings(len(PLAYERS), config={"rows": 4, "cols": 4}, seed=14)


def hidden(message: Any) -> Any:
    """Return the message without what differs every time."""
    return message | {"token": TOKEN} if isinstance(message, dict) and "token" in message else message


def recorded(name: str, protocol: str, dialogue: Dialogue) -> Callable[[int], Any]:
    """Return one of our players, overheard by a relay between it and the server."""

    async def play(port: int) -> None:
        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            server = await Line.open(port)
            player = Line(reader, writer)

            async def pass_on(speaker: str, source: Line, sink: Line) -> None:
                while line := await source.reader.readline():
                    dialogue.append((speaker, hidden(json.loads(line))))
                    sink.writer.write(line)
                sink.writer.close()

            async with asyncio.TaskGroup() as group:
                group.create_task(pass_on("player", player, server))
                group.create_task(pass_on("server", server, player))

        listening = await asyncio.start_server(relay, HOST, 0)
        await client(protocol, name).run(HOST, listening.sockets[0].getsockname()[1])
        listening.close()

    return play


def scripted(dialogue: Dialogue, heard: Dialogue) -> Callable[[int], Any]:
    """Says what the player says in a dialogue, and notes what it hears."""

    async def play(port: int) -> None:
        line = await Line.open(port)
        for speaker, message in dialogue:
            if speaker == "player":
                line.say(message)
            heard.append((speaker, message if speaker == "player" else hidden(await line.hear())))
        heard.extend(("server", message) for message in await line.silence())
        await line.close()

    return play


def run(protocol: str, guests: list[Callable[[int], Any]]) -> TournamentResult:
    (result,), _ = asyncio.run(hold(board(), guests, protocol=protocol, between=0.05))
    assert result is not None
    return result


def golden(protocol: str) -> dict[str, Dialogue]:
    dialogues: dict[str, Dialogue] = {}
    for line in (HERE / f"fish_{protocol}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        dialogues.setdefault(entry["player"], []).append((entry["from"], entry["message"]))
    return dialogues


def write(protocol: str, dialogues: dict[str, Dialogue]) -> None:
    with (HERE / f"fish_{protocol}.jsonl").open("w") as file:
        for name, dialogue in dialogues.items():
            for speaker, message in dialogue:
                entry = {"player": name, "from": speaker, "message": message}
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")


@PROTOCOLS
def test_server_and_clients_speak_as_in_the_file(protocol: str) -> None:
    dialogues: dict[str, Dialogue] = {name: [] for name in PLAYERS}
    result = run(protocol, [recorded(name, protocol, dialogues[name]) for name in PLAYERS])
    assert [departure.name for departure in result.cheaters] == ["cheat"]
    assert result.failures == ()
    if os.environ.get("PARLOUR_WRITE_TRANSCRIPTS"):
        write(protocol, dialogues)
    assert dialogues == golden(protocol)


@PROTOCOLS
def test_the_server_keeps_to_the_file_whoever_plays(protocol: str) -> None:
    expected = golden(protocol)
    heard: dict[str, Dialogue] = {name: [] for name in PLAYERS}
    result = run(protocol, [scripted(expected[name], heard[name]) for name in PLAYERS])
    assert heard == expected
    assert [departure.name for departure in result.cheaters] == ["cheat"]


@PROTOCOLS
@pytest.mark.parametrize("name", PLAYERS)
def test_our_client_keeps_to_the_file_whoever_serves(protocol: str, name: str) -> None:
    expected = golden(protocol)[name]
    heard: Dialogue = []

    async def scenario() -> None:
        over = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = Line(reader, writer)
            for speaker, message in expected:
                if speaker == "server":
                    line.say(message)
                heard.append((speaker, message if speaker == "server" else await line.hear()))
            await line.close()
            over.set()

        listening = await asyncio.start_server(serve, HOST, 0)
        await client(protocol, name).run(HOST, listening.sockets[0].getsockname()[1])
        await over.wait()
        listening.close()

    asyncio.run(scenario())
    assert heard == expected


@PROTOCOLS
def test_the_files_show_every_message(protocol: str) -> None:
    """All fourteen messages, or all six calls; only what a winner and a cheater see is not in every dialogue."""
    messages = [message for dialogue in golden(protocol).values() for _, message in dialogue]
    if protocol == "json":
        assert {message["type"] for message in messages} == {
            *("signup_request", "signup_confirmation", "tournament_start", "tournament_ready"),
            *("player_assign_color", "player_request_placement", "player_respond_placement", "broadcast_state"),
            *("player_request_move", "player_respond_move", "broadcast_action", "broadcast_game_over"),
            *("tournament_end", "tournament_end_response"),
        }
        assert any("kicked" in message for message in messages)
        assert {"type": "broadcast_action", "value": "Skip"} in messages
        assert {message["value"] for message in messages if message["type"] == "tournament_end"} == {True, False}
    else:
        calls = {message[0] for message in messages if isinstance(message, list) and isinstance(message[0], str)}
        assert calls == {"start", "playing-as", "playing-with", "setup", "take-turn", "end"}
        assert any("skip" in message[1][1] for message in messages if message[0] == "take-turn")
