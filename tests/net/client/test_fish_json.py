"""A client of the JSON protocol at a server that does as the test says: what its agent hears, refusals, and cuts."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Action, Seat, View
from parlour.core.player import ObservedEvent
from parlour.errors import RemoteWireError
from parlour.net.client.fish_json import JsonClient, watch
from parlour.net.client.report import ClientReport
from parlour.net.fish.json import messages as ms
from parlour.net.framing.json_stream import encode_line
from support.waiting import PATIENCE

HOST = "127.0.0.1"
BOARD = ((1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1))
PLACES: dict[str, tuple[tuple[int, int], ...]] = {
    "red": ((0, 0), (0, 1), (0, 2), (1, 0)),
    "white": ((1, 1), (1, 2), (2, 0), (2, 1)),
}


def state(**scores: int | None) -> ms.GameState:
    """Return the position after all penguins were placed."""
    players = [ms.PlayerState(f"p{colour}", PLACES[colour], colour, score) for colour, score in scores.items()]  # type: ignore[arg-type]
    return ms.GameState(BOARD, tuple(players))


class Listener:
    """An agent that remembers what it was told, and makes the first move that it may."""

    def __init__(self) -> None:
        self.heard: list[Event] = []

    def act(self, view: View) -> Action:
        return view.position.legal(view.seat)[0]

    def on_event(self, observed: ObservedEvent) -> None:
        self.heard.append(observed.event)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.heard if isinstance(event, kind)]


class FishScript:
    """A server: who came, and what it says when the test wants it to."""

    def __init__(self) -> None:
        self._met: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        await self._met.put((reader, writer))

    async def greeted(self) -> dict[str, Any]:
        """Wait for the next connection; what it said first."""
        self._reader, self._writer = await self._met.get()
        return await self.heard()

    async def heard(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await self._reader.readline())
        return found

    async def rest(self) -> bytes:
        """Return the messages until the other side disconnects."""
        return await self._reader.read()

    def say(self, *messages: Any) -> None:
        for message in messages:
            self._writer.write(encode_line(message))

    def hang_up(self) -> None:
        self._writer.close()

    def close(self) -> None:
        for writer in self._writers:
            writer.close()


def play(scene: Callable[[FishScript], Awaitable[None]], listener: Listener | None = None, **how: Any) -> ClientReport:
    """Return a client at a server that follows the script; what it reports."""

    async def run() -> ClientReport:
        script = FishScript()
        server = await asyncio.start_server(script.meet, HOST, 0)
        port = server.sockets[0].getsockname()[1]
        client = JsonClient("ann", lambda number: listener or Listener(), **how)
        try:
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
                running = group.create_task(client.run(HOST, port, pause=0.01))
                await scene(script)
                return await running
        finally:
            script.close()
            server.close()

    return asyncio.run(run())


def test_the_end_of_a_game_is_told_with_scores_places_and_who_was_removed() -> None:
    async def scene(script: FishScript) -> None:
        assert await script.greeted() == {"type": "signup_request", "value": "ann"}
        script.say(ms.SignupConfirmation(True), ms.TournamentStart(True))
        assert await script.heard() == {"type": "tournament_ready", "value": True}
        gone = ms.Kicked("pblack", "cheater", "moved twice", "black")
        odd = ms.Kicked("pbrown", "a word of another server's", "who knows", "brown")
        begun = state(red=0, white=0)
        script.say(ms.PlayerAssignColor("red"), ms.BroadcastState(begun, gone), ms.BroadcastState(begun, odd))
        over = ms.GameResult(("pred",), ("pwhite",), ("pblack", "pbrown", "never seen"), state(red=7, white=None))
        script.say(ms.BroadcastGameOver(over), ms.TournamentEnd(True))
        assert await script.heard() == {"type": "tournament_end_response", "value": True}

    listener = Listener()
    report = play(scene, listener)
    assert (report.won, report.games, report.reason) == (True, 1, "")
    (ended,) = listener.of(ev.Ended)
    assert ended.outcome.scores == {"red": 7, "white": 0}
    assert ended.outcome.places == (("red",), ("white",))
    assert ended.removed == {"black": Standing.CHEATER, "brown": None}


@pytest.mark.parametrize("placing", [True, False])
def test_who_is_removed_is_known_by_the_colour_that_it_had_when_it_was_last_seen(placing: bool) -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True), ms.TournamentStart(True))
        await script.heard()
        empty = ms.GameState(BOARD, tuple(ms.PlayerState(f"p{name}", (), name, 0) for name in ("red", "white")))
        script.say(ms.PlayerAssignColor("red"))
        if placing:
            script.say(ms.PlayerRequestPlacement(empty))
            assert (await script.heard())["type"] == "player_respond_placement"
        else:
            script.say(ms.BroadcastState(state(red=0, white=0)))
        over = ms.GameResult(("pred",), (), ("pwhite",), state(red=7))
        script.say(ms.BroadcastGameOver(over), ms.TournamentEnd(True))
        await script.heard()

    listener = Listener()
    play(scene, listener)
    assert [ended.removed for ended in listener.of(ev.Ended)] == [{"white": None}]


def test_who_was_removed_from_one_game_is_not_taken_for_the_same_in_the_next() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True), ms.TournamentStart(True))
        await script.heard()
        begun = state(red=0, white=0)
        over = ms.GameResult(("pred",), ("pwhite",), ("pblack",), state(red=7, white=3))
        games: tuple[tuple[Any, str, Any], ...] = (
            ("red", "cheater", "black"),
            ("white", "who knows", "brown"),
            ("red", "", None),
        )
        for colour, standing, where in games:
            script.say(ms.PlayerAssignColor(colour))
            gone = ms.Kicked("pblack", standing, "moved twice", where) if standing else None
            script.say(ms.BroadcastState(begun, gone), ms.BroadcastGameOver(over))
        script.say(ms.TournamentEnd(True))
        await script.heard()

    listener = Listener()
    assert play(scene, listener).games == 3
    assert [ended.removed for ended in listener.of(ev.Ended)] == [{"black": Standing.CHEATER}, {"brown": None}, {}]


def test_moves_are_asked_for_answered_and_followed() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True), ms.TournamentStart(True))
        await script.heard()
        script.say(ms.PlayerAssignColor("red"), ms.BroadcastState(state(red=0, white=0)), ms.PlayerRequestMove(True))
        answer = await script.heard()
        assert answer["type"] == "player_respond_move"
        (row, column), to = answer["value"]
        script.say(ms.BroadcastAction(((row, column), tuple(to))))
        script.say(ms.TournamentEnd(False))
        await script.heard()

    listener = Listener()
    assert play(scene, listener).won is False
    assert len(listener.of(ev.Started)) == 1
    assert len(listener.of(ev.PositionSet)) == 1, "the move that was made"


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([ms.SignupConfirmation(False, reason="the name is taken")], "the name is taken"),
        ([ms.SignupConfirmation(True), ms.PlayerRequestMove(True)], "the server has not assigned a colour"),
        (
            [
                ms.SignupConfirmation(True),
                ms.PlayerAssignColor("red"),
                ms.BroadcastState(state(red=0, white=0), ms.Kicked("ann", "failure", "too slow")),
                ms.TournamentEnd(False),
            ],
            "kicked: too slow",
        ),
    ],
)
def test_why_it_ended_is_in_the_report(messages: list[Any], reason: str) -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(*messages)

    assert play(scene).reason == reason


@pytest.mark.parametrize(("entered", "said"), [(True, ""), (False, "was on the wait-list: ")])
def test_who_is_cut_off_and_does_not_come_back_says_where_it_was(entered: bool, said: str) -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(entered))
        script.hang_up()

    report = play(scene)
    assert report.won is None
    assert report.reason.startswith(said)
    assert report.reason != said
    assert ("wait-list" in report.reason) is not entered


def test_a_server_that_says_nothing_is_not_waited_for_for_ever() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()

    assert play(scene, patience=0.0).reason == "the server said nothing for too long"


def test_who_is_cut_off_in_a_game_comes_back_with_its_token_to_the_same_seat() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True, token="secret"), ms.TournamentStart(True))
        await script.heard()
        script.say(ms.PlayerAssignColor("red"), ms.BroadcastState(state(red=0, white=0)), ms.PlayerRequestMove(True))
        await script.heard()
        script.hang_up()
        assert (await script.greeted())["token"] == "secret"
        script.say(ms.SignupConfirmation(True), ms.PlayerAssignColor("red"), ms.TournamentEnd(True))
        await script.heard()

    listener = Listener()
    report = play(scene, listener, returns=5.0)
    assert (report.won, report.reason) == (True, "")
    assert len(listener.of(ev.Started)) == 1, "the agent plays on"


def test_whose_place_is_gone_before_the_start_asks_for_another() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True, token="old"))
        script.hang_up()
        assert (await script.greeted())["token"] == "old"
        script.say(ms.SignupConfirmation(False, reason="no place is kept for this name and token"))
        assert "token" not in await script.greeted()
        script.say(ms.SignupConfirmation(True), ms.TournamentStart(True))
        await script.heard()
        script.say(ms.TournamentEnd(True))
        await script.heard()

    assert play(scene, returns=5.0).won is True


def test_whose_place_in_a_tournament_that_has_begun_is_gone_asks_for_no_other() -> None:
    async def scene(script: FishScript) -> None:
        await script.greeted()
        script.say(ms.SignupConfirmation(True, token="old"), ms.TournamentStart(True))
        await script.heard()
        script.hang_up()
        assert (await script.greeted())["token"] == "old"
        script.say(ms.SignupConfirmation(False, reason="you were removed"))

    assert play(scene, returns=5.0).reason == "you were removed"


# Watching


def watched(*messages: Any, hang_up: bool = False) -> list[Any]:
    async def run() -> list[Any]:
        script = FishScript()
        server = await asyncio.start_server(script.meet, HOST, 0)
        port = server.sockets[0].getsockname()[1]

        async def tell() -> None:
            assert (await script.greeted())["type"] == "spectate_request"
            script.say(*messages)
            if hang_up:
                script.hang_up()
            assert await script.rest() == b"", "who watches says nothing more, and hangs up at the end"

        try:
            async with asyncio.timeout(PATIENCE):
                telling = asyncio.ensure_future(tell())
                found = [message async for message in watch(HOST, port)]
                await telling
                return found
        finally:
            script.close()
            server.close()

    return asyncio.run(run())


def test_a_tournament_is_watched_to_its_end_and_no_further() -> None:
    begun, over = ms.BroadcastState(state(red=0, white=0)), ms.TournamentOver(ms.Totals((), (), (), ()))
    assert watched(begun, over, begun) == [begun, over]


def test_who_may_not_watch_or_is_cut_off_is_told_so() -> None:
    with pytest.raises(RemoteWireError, match="does not let us watch: too many spectators"):
        watched(ms.SignupConfirmation(False, reason="too many spectators"))
    with pytest.raises(RemoteWireError, match="does not let us watch: no reason given"):
        watched(ms.SignupConfirmation(False))
    with pytest.raises(ConnectionError):
        watched(ms.BroadcastState(state(red=0, white=0)), hang_up=True)


def test_who_comes_back_to_its_colour_goes_on_with_its_agent_and_another_game_has_another() -> None:
    client = JsonClient("ann", lambda games: Listener())
    seats = []
    for colour in ("red", "red", "white", "white", "red"):
        client._assign(Seat(colour))
        seats.append(client._seat)
    assert [one is other for one, other in itertools.pairwise(seats)] == [True, False, True, False]
