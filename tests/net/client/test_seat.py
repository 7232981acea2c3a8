"""Agents at remote tables: those written for our interface, and for both of the others, over both protocols."""

# Why real time passes here: an agent that never answers does so in real time; nobody waits for its sleep.

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.agents.fish.interfaces import seated
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.player import ObservedEvent
from parlour.errors import LocalWireError, RemoteWireError
from parlour.games.fish import COLOURS, GAME
from parlour.games.fish.notation import read_state
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.client.seat import AgentSeat
from support.fish.wire import HOST, Line, good, greedy, hold, raw, settings
from support.waiting import PATIENCE

RED_ON_THE_LAST_TILE = {"color": "red", "score": 0, "places": [[0, 0]]}


class Callbacks:
    """Plays by the abstract class's interface: keeps the last state, places and moves by it."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.colour = ""
        self.states = 0

    def setup(self, color: str, gamestate: dict[str, Any]) -> None:
        self.colour = color

    def receive_gamestate(self, gamestate: dict[str, Any]) -> None:
        self.state = gamestate
        self.states += 1

    def receive_error(self, errormessage: dict[str, str]) -> None:
        raise AssertionError(errormessage)

    def identify(self) -> dict[str, str]:
        return {"Name": "callbacks", "Age": "9"}

    def _taken(self) -> set[tuple[int, int]]:
        return {tuple(spot) for player in self.state["Players"].values() for spot in player["penguins"]}

    def place_penguin(self) -> tuple[int, int]:
        board = self.state["Board"]
        free = ((x, y) for y, row in enumerate(board) for x, fish in enumerate(row) if fish)
        return next(spot for spot in free if spot not in self._taken())

    def send_next_move(self) -> Any:
        rows = self.state["Board"]
        board = GAME.start({"board": rows}, COLOURS[:2], 0).board
        for x, y in self.state["Players"][self.colour]["penguins"]:
            for row, column in board.neighbours((y, x)):
                if rows[row][column] and (column, row) not in self._taken():
                    return (x, y), (column, row)
        raise AssertionError("asked without a move")


class Syncs:
    """Plays by the interface with sync and kicks."""

    def __init__(self) -> None:
        self.id = ""
        self.state: dict[str, Any] = {}
        self.over: dict[str, int] | None = None

    def setup(self, player_id: str, state: dict[str, Any]) -> None:
        self.id, self.state = player_id, state

    def sync(self, state: dict[str, Any]) -> None:
        self.state = state

    def kick_player(self, reason: str) -> None:
        raise AssertionError(reason)

    def game_over(self, leaderboard: dict[str, int], cheaters: list[str], invalid: list[str]) -> None:
        self.over = leaderboard

    def place_request(self) -> Any:
        taken = [place for player in self.state["players"] for place in player["places"]]
        board = self.state["board"]
        free = ([y, x] for y, row in enumerate(board) for x, fish in enumerate(row) if fish)
        return next(spot for spot in free if spot not in taken)

    def move_request(self) -> Any:
        from parlour.games.fish.notation import read_state

        return read_state(self.state).legal(Seat(self.id))[0]


@pytest.mark.parametrize("protocol", ["json", "neu"])
@pytest.mark.parametrize("kind", [Callbacks, Syncs])
def test_agents_of_both_other_interfaces_play_over_both_protocols(protocol: str, kind: type[Any]) -> None:
    made: list[Any] = []

    def make(game: int) -> Any:
        made.append(kind())
        return seated(made[-1])

    async def play(port: int) -> Any:
        client = JsonClient("other", make) if protocol == "json" else NeuClient("other", make)
        return await client.run(HOST, port)

    guests = [play, good("ga", protocol), good("gb", protocol)]
    results, found = asyncio.run(hold(settings(3), guests, protocol=protocol, between=0.01))
    assert results[0] is not None
    assert results[0].failures == results[0].cheaters == ()
    assert found[0].won is not None
    assert len(made) == found[0].games >= 1
    if protocol == "json" and kind is Syncs:
        assert made[0].over is not None
        assert len(made[0].over) == 3


@pytest.mark.parametrize(("move", "lists"), [([99, 99], (["red"], [])), ("here", ([], ["red"]))])
def test_a_remote_player_learns_who_was_removed_and_as_what(move: Any, lists: tuple[list[str], list[str]]) -> None:
    heard: list[Any] = []

    class Listening(Syncs):
        def game_over(self, leaderboard: dict[str, int], cheaters: list[str], invalid: list[str]) -> None:
            heard.append((sorted(leaderboard), (cheaters, invalid)))

    async def play(port: int) -> Any:
        return await JsonClient("other", lambda game: seated(Listening()), age=2).run(HOST, port)

    async def removed_at_once(line: Line) -> Any:
        line.say({"type": "signup_request", "value": "bad", "age": 1})
        while (message := await line.hear()) is not None:
            if message["type"] == "tournament_start":
                line.say({"type": "tournament_ready", "value": True})
            elif message["type"] == "player_request_placement":
                line.say({"type": "player_respond_placement", "value": move})

    asyncio.run(hold(settings(3), [raw(removed_at_once), play, good("ga", age=3)]))
    assert heard == [(["brown", "white"], lists)]


def test_an_agent_that_fails_ends_its_client_not_the_server() -> None:
    class Broken:
        def act(self, view: View) -> Any:
            raise ZeroDivisionError

    async def play(port: int) -> Any:
        try:
            return await JsonClient("broken", lambda game: Broken()).run(HOST, port)
        except LocalWireError as error:
            return str(error)

    results, found = asyncio.run(hold(settings(3), [play, good("a"), good("b")]))
    assert "ZeroDivisionError" in found[0]
    assert results[0] is not None
    assert [departure.name for departure in results[0].failures] == ["broken"]


async def test_a_seat_follows_what_the_server_tells() -> None:
    position = GAME.start({"rows": 4, "cols": 3, "fish": 2}, COLOURS[:2], 0)
    agents = {seat: greedy(0) for seat in COLOURS[:2]}
    while position.stage == "placement":
        (seat,) = position.to_act()
        position, _ = position.apply({seat: agents[seat].act(View(seat, position, 0))})
    here = AgentSeat(greedy(0), COLOURS[1], inline=True)
    await here.set_position(position)
    while to_act := position.to_act():
        if to_act[0] == COLOURS[1]:
            assert await here.act() in position.legal(COLOURS[1])
        action = agents[to_act[0]].act(View(to_act[0], position, 0))
        position, happened = position.apply({to_act[0]: action})
        for followed in (happened["action"], *("skip" for _ in happened["skips"])):
            await here.follow(followed)
        assert here.position == position
    outcome = position.outcome()
    assert isinstance(outcome, Outcome)
    await here.over(outcome, {})


async def test_a_seat_refuses_what_cannot_be() -> None:
    here = AgentSeat(greedy(0), COLOURS[0], inline=True)
    with pytest.raises(RemoteWireError, match="has not said where"):
        await here.act()
    position = GAME.start({"rows": 4, "cols": 3, "fish": 2}, COLOURS[:2], 0)
    position, _ = position.apply({COLOURS[0]: [0, 0]})
    await here.set_position(position)
    with pytest.raises(RemoteWireError, match="not to act"):
        await here.act()
    with pytest.raises(RemoteWireError, match="cannot have done that"):
        await here.follow([[3, 3], [3, 4]])


def test_who_is_asked_where_no_tile_is_left_says_so() -> None:
    async def scene() -> None:
        seat = AgentSeat(greedy(0), Seat("red"), inline=True)
        await seat.set_position(read_state({"board": [[1]], "penguins": 2, "players": [RED_ON_THE_LAST_TILE]}))
        await seat.act()

    with pytest.raises(RemoteWireError, match="asked red for a placement, of which there is none left on this board"):
        asyncio.run(scene())


async def test_a_person_hears_at_once_that_the_server_is_gone() -> None:
    class Person:
        real_time = True
        cancelled = False

        async def act(self, view: View) -> Action:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            return [0, 0]

    class Quick:
        async def act(self, view: View) -> Action:
            return [0, 0]

    person, gone = Person(), asyncio.Event()
    seat = AgentSeat(person, COLOURS[0])
    await seat.set_position(GAME.start({"players": 2}, COLOURS[:2], 1))
    asyncio.get_running_loop().call_later(0.05, gone.set)
    assert await asyncio.wait_for(seat.act_until(gone), PATIENCE) is None
    await asyncio.sleep(0)
    assert person.cancelled
    quick = AgentSeat(Quick(), COLOURS[0])
    await quick.set_position(GAME.start({"players": 2}, COLOURS[:2], 1))
    assert await quick.act_until(gone) == [0, 0]  # who answers anyway is let do so


class Recorder:
    """Remembers how it was called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def on_start(self, view: View) -> None:
        self.calls.append(("started", (view.seat, view.turn)))

    def act(self, view: View) -> Action:
        self.calls.append(("act", (view.seat, view.turn)))
        return view.position.legal(view.seat)[0]

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        self.calls.append(("told", type(event).__name__))
        assert 0 <= event.at < 60, "seconds since it sat down"

    def on_end(self, outcome: Outcome) -> None:
        self.calls.append(("ended", outcome.reason))

    def close(self) -> None:
        self.calls.append(("close", None))


async def test_an_agent_is_called_as_a_referee_would_from_the_first_position_to_the_end() -> None:
    agent = Recorder()
    here = AgentSeat(agent, COLOURS[0], inline=True)
    first = GAME.start({"rows": 4, "cols": 3, "fish": 2}, COLOURS[:2], 0)
    await here.set_position(first)
    begun = [("told", "Started"), ("started", ("red", 0))]
    assert agent.calls == begun
    await here.set_position(first)
    assert agent.calls == begun, "what is told again is no news"
    action = await here.act()
    for placed in (action, first.apply({COLOURS[0]: action})[0].legal(COLOURS[1])[0]):
        await here.follow(placed)
    other = GAME.start({"rows": 4, "cols": 4, "fish": 2}, COLOURS[:2], 0)
    await here.set_position(other)
    await here.act()
    assert agent.calls[2:] == [("act", ("red", 0)), *[("told", "PositionSet")] * 3, ("act", ("red", 2))]
    del agent.calls[:]
    await here.kicked("too slow")
    await here.over(Outcome({}, (), "all over"), {})
    await here.leave()
    assert agent.calls == [("told", "Removed"), ("told", "Ended"), ("ended", "all over"), ("close", None)]


async def test_an_agent_that_can_do_no_more_than_act_is_asked_for_no_more() -> None:
    class Bare:
        async def act(self, view: View) -> Action:
            return view.position.legal(view.seat)[0]

    here = AgentSeat(Bare(), COLOURS[0])
    await here.set_position(GAME.start({"rows": 4, "cols": 3, "fish": 2}, COLOURS[:2], 0))
    await here.follow(await here.act())
    await here.kicked("too slow")
    await here.over(Outcome({}, (), "all over"), {})
    await here.leave()
