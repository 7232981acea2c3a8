"""The server: sign-up, wait-list, ages, house players, returning players, spectators, results."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.cli.display.results import first_error
from parlour.core.events import Ended
from parlour.core.game import Action, View
from parlour.errors import ConfigError, ParlourError, Unreachable
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient, watch
from parlour.net.client.report import ClientReport
from parlour.net.fish.json import messages as ms
from parlour.net.fish.protocols import make_client, make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.store import Filter, RecordKind, SQLiteStore, read_events
from parlour.tournament.knock_out.events import Announced, TournamentEvent, TournamentResult
from parlour.tournament.knock_out.tournament import read_result, unfinished_heads
from support.fish.wire import HOST, TURN, Line, good, greedy, hold, raw, settings
from support.waiting import PATIENCE


class Names:
    """A spectator that remembers the order of entrants."""

    def __init__(self) -> None:
        self.orders: list[list[str]] = []

    def told(self, event: TournamentEvent) -> None:
        if isinstance(event, Announced):
            self.orders.append([entrant.name for entrant in event.entrants])


def sign_up(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "signup_request", "value": name, **more}


@pytest.mark.parametrize("protocol", ["json", "neu"])
@pytest.mark.parametrize("players", [2, 5, 10])
def test_a_whole_tournament_of_good_players(protocol: str, players: int) -> None:
    names = ["p" + "abcdefghij"[number] for number in range(players)]
    results, reports = asyncio.run(
        hold(settings(players), [good(name, protocol) for name in names], protocol=protocol, between=0.002)
    )
    (result,) = results
    assert result is not None
    assert result.failures == result.cheaters == ()
    assert sorted(result.winners + result.losers) == names
    assert [report.name for report in reports if report.won] == list(result.winners)
    assert all(report.won is not None and report.reason == "" for report in reports)


@pytest.mark.parametrize("protocol", ["json", "neu"])
def test_the_first_tournament_has_the_seed_that_was_given_and_the_next_the_next(protocol: str) -> None:
    async def announced() -> list[int]:
        server = TournamentServer(GAME, make_dialect(protocol), settings(2, seed=5))
        seeds = []
        for _ in range(2):
            server._held += 1  # as when one is held
            seeds.append(server._announce([]).seed)
        return seeds

    assert asyncio.run(announced()) == [5, 6]


def test_both_protocols_and_the_local_tournament_agree() -> None:
    names = ["pa", "pb", "pc", "pd", "pe", "pf", "pg"]
    found = {
        protocol: asyncio.run(
            hold(settings(7), [good(name, protocol) for name in names], protocol=protocol, between=0.002)
        )[0]
        for protocol in ("json", "neu")
    }
    assert found["json"] == found["neu"]


def test_start_at_the_end_of_a_waiting_period_with_enough() -> None:
    patient = settings(2, most=10, wait=0.2, tries=2)
    results, _ = asyncio.run(hold(patient, [good("a"), good("b"), good("c")]))
    assert results[0] is not None
    assert len(results[0].winners + results[0].losers) == 3


def test_too_few_players_means_no_tournament_and_everyone_goes_home() -> None:
    results, found = asyncio.run(hold(settings(3, wait=0.05, tries=2), [good("a")]))
    assert results == [None]
    assert found[0].won is None
    assert "closed" in found[0].reason


def test_players_of_the_house_fill_up_and_come_first() -> None:
    names = Names()
    results, _ = asyncio.run(hold(settings(5, wait=0.1, house=4), [good("a"), good("house1")], spectators=[names]))
    assert names.orders == [["house2", "house3", "house4", "a", "house1"]]
    assert results[0] is not None
    assert results[0].failures == ()
    too_small = settings(5, wait=0.05, house=2)
    assert asyncio.run(hold(too_small, [good("a"), good("b")]))[0] == [None]


def test_the_start_is_broadcast_even_if_nobody_can_move_from_it() -> None:
    heard: list[str] = []

    async def listens(line: Line) -> Any:
        line.say({"type": "signup_request", "value": "listens"})
        while (message := await line.hear()) is not None:
            heard.append(message["type"])
            if message["type"] == "tournament_start":
                line.say({"type": "tournament_ready", "value": True})
            elif message["type"] == "player_request_placement":
                taken = [place for player in message["value"]["players"] for place in player["places"]]
                line.say(
                    {"type": "player_respond_placement", "value": next([0, x] for x in range(8) if [0, x] not in taken)}
                )

    one_row = {"rows": 1, "cols": 8, "fish": 2}
    asyncio.run(hold(settings(2, config=one_row), [raw(listens), good("a")]))
    assert [kind for kind in heard if kind.startswith("broadcast")] == ["broadcast_state", "broadcast_game_over"]


def test_a_stranger_cannot_make_the_server_hold_much() -> None:
    async def long_name(line: Line) -> Any:
        line.writer.write(b'{"type": "signup_request", "value": "' + b"x" * 20_000 + b'"}')
        return await line.silence()

    results, found = asyncio.run(hold(settings(2), [raw(long_name), good("a"), good("b")]))
    assert results[0] is not None
    # It is cut off before it was read whole; the words why may be lost with the connection.
    assert [said["reason"] for said in found[0]] in ([], ["the value is too large: at most 4,096 bytes"])


def test_order_is_by_age_then_arrival() -> None:
    names = Names()
    guests = [good("old", age=70), good("none"), good("young", age=3), good("also", age=3)]
    asyncio.run(hold(settings(4), guests, spectators=[names], between=0.01))
    assert names.orders == [["young", "also", "old", "none"]]


def test_a_name_is_taken_only_once() -> None:
    async def copycat(line: Line) -> Any:
        line.say(sign_up("a"))
        return await line.silence()

    guests = [good("a"), raw(copycat), good("b")]
    results, found = asyncio.run(hold(settings(2), guests, between=0.01))
    assert found[1] == [{"type": "signup_confirmation", "value": False, "reason": "the name is taken"}]
    assert results[0] is not None
    assert results[0].failures == ()


def test_the_course_allows_equal_names() -> None:
    results, reports = asyncio.run(
        hold(settings(3), [good("same", "neu") for _ in range(3)], protocol="neu", between=0.01)
    )
    assert results[0] is not None
    assert sorted(results[0].winners + results[0].losers) == ["same", "same2", "same3"]
    assert [report.won for report in reports].count(True) == len(results[0].winners)


def test_beyond_the_places_one_waits_and_moves_up_when_somebody_drops_out() -> None:
    full, waiting = asyncio.Event(), asyncio.Event()

    async def drops_out(line: Line) -> Any:
        line.say(sign_up("fickle"))
        await line.hear()
        full.set()
        await waiting.wait()

    async def waits(line: Line) -> Any:
        await full.wait()
        line.say(sign_up("patient"))
        heard = [await line.hear()]
        waiting.set()
        heard += [await line.hear(), await line.hear()]
        return [(message["type"], message["value"]) for message in heard]

    guests = [good("a"), raw(drops_out), raw(waits)]
    # All of that happens while the places settle, however busy the machine is.
    results, found = asyncio.run(hold(settings(2, settle=2.0), guests, between=0.02))
    assert found[2] == [("signup_confirmation", False), ("signup_confirmation", True), ("tournament_start", True)]
    assert results[0] is not None
    assert results[0].winners == ("a",)
    assert [departure.name for departure in results[0].failures] == ["patient"]


def test_who_comes_during_a_tournament_is_carried_over_to_the_next() -> None:
    async def scenario() -> list[TournamentResult | None]:
        server = TournamentServer(GAME, make_dialect("json"), settings(2, once=False))
        await server.start()
        results: list[TournamentResult | None] = []
        enough = asyncio.Event()

        def report(result: TournamentResult | None) -> None:
            results.append(result)
            if len(results) == 2:
                enough.set()

        serving = asyncio.ensure_future(server.run(report))
        guests = []
        for name in "abcd":
            guests.append(asyncio.ensure_future(good(name)(server.port)))
            await asyncio.sleep(0.005)
        await asyncio.wait_for(enough.wait(), PATIENCE)
        serving.cancel()
        await asyncio.gather(serving, *guests, return_exceptions=True)
        assert all(guest.result().won is not None for guest in guests)
        return results

    results = asyncio.run(scenario())
    taking = [set(result.winners + result.losers) for result in results if result is not None]
    assert taking == [{"a", "b"}, {"c", "d"}]


class Unplugged(JsonClient):
    """Loses its connection when it is to move for the second time, and comes back."""

    moves = 0

    def _send(self, message: Any) -> None:
        if isinstance(message, ms.PlayerRespondMove):
            self.moves += 1
            if self.moves == 2:
                assert self._link is not None
                self._link.close()
                raise ConnectionResetError("unplugged")
        super()._send(message)


def test_a_player_that_was_cut_off_comes_back_with_its_token_and_goes_on() -> None:
    client = Unplugged("back", greedy, returns=3.0, inline=True)

    async def comes_back(port: int) -> Any:
        return await client.run(HOST, port)

    roomy = settings(2, config={"rows": 5, "cols": 5, "fish": 1}, grace=TURN)
    results, found = asyncio.run(hold(roomy, [comes_back, good("a")], between=0.01))
    assert client.moves > 2
    assert results[0] is not None
    assert results[0].failures == ()
    assert found[0].won is not None


async def at_a_strange_server(client: JsonClient, serve: Callable[[Any], Awaitable[tuple[Any, ...]]]) -> ClientReport:
    """Let a client play at a server that answers each sign-up with values and hangs up, and is gone if it has none."""
    guests: set[asyncio.Task[Any]] = set()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (task := asyncio.current_task()) is not None:
            guests.add(task)
        values = await serve(json.loads(await reader.readline()))
        if not values:
            server.close()
        writer.write(b"".join(json.dumps(value).encode() for value in values))
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async with await asyncio.start_server(meet, HOST, 0) as server:
        report = await client.run(HOST, server.sockets[0].getsockname()[1], pause=0.01)
        await asyncio.wait(guests)
        return report


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "gone"])
def test_a_player_that_was_cut_off_before_the_start_asks_for_its_place_and_then_for_another(kept: bool) -> None:
    asked: list[Any] = []
    entered = {"type": "signup_confirmation", "value": True, "token": "t"}
    refused = {"type": "signup_confirmation", "value": False, "reason": "no place is kept"}
    over = {"type": "tournament_end", "value": True}
    answers = [(entered,), (entered, over)] if kept else [(entered,), (refused,), (entered, over)]

    async def serve(request: Any) -> tuple[Any, ...]:
        asked.append(request.get("token"))
        return answers[len(asked) - 1]

    report = asyncio.run(at_a_strange_server(JsonClient("a", greedy, returns=60.0, returns_early=60.0), serve))
    assert (report.won, report.reason) == (True, "")
    assert asked == ([None, "t"] if kept else [None, "t", None])


def test_a_player_whose_server_is_gone_before_the_start_gives_up_soon_and_says_why() -> None:
    answers = [({"type": "signup_confirmation", "value": False, "token": "t"},), ()]

    async def serve(request: Any) -> tuple[Any, ...]:
        return answers.pop(0)

    report = asyncio.run(at_a_strange_server(JsonClient("a", greedy, returns=1e9, returns_early=0.02), serve))
    assert report.won is None
    assert report.reason.startswith("was on the wait-list: ")


@pytest.mark.parametrize("open_places", [2, 1], ids=["place", "wait-list"])
def test_a_player_who_waits_takes_its_place_over_another_connection_with_its_token(open_places: int) -> None:
    """The first connection may be gone without our knowing."""

    async def scenario() -> list[Any]:
        server = TournamentServer(
            GAME, make_dialect("json"), settings(2, fewest=open_places, most=open_places, wait=3600.0)
        )
        await server.start()
        serving = asyncio.ensure_future(server.run())
        gone, again, thief = [await Line.open(server.port) for _ in range(3)]
        if open_places == 1:
            server._desk._lobby._open = False  # so that everybody waits
        gone.say(sign_up("a"))
        first = await gone.hear()
        thief.say(sign_up("a", token="guess"))
        refused = await thief.hear()
        again.say(sign_up("a", token=first["token"]))
        second = await again.hear()
        assert await gone.silence() == []  # it was hung up
        serving.cancel()
        await asyncio.wait([serving])
        for line in (gone, again, thief):
            await line.close()
        return [first, second, refused["reason"]]

    first, second, refused = asyncio.run(scenario())
    assert first == second
    assert refused == "no place is kept for this name and token"


def test_without_the_token_nobody_takes_a_players_place() -> None:
    async def thief(line: Line) -> Any:
        await asyncio.sleep(0.05)
        line.say(sign_up("a", token="guess"))
        return await line.silence()

    class Slow:
        async def act(self, view: View) -> Action:
            await asyncio.sleep(0.02)
            return view.position.legal(view.seat)[0]

    async def slow(port: int) -> Any:
        return await JsonClient("a", lambda game: Slow()).run(HOST, port)

    results, found = asyncio.run(hold(settings(2), [slow, good("b"), raw(thief)]))
    assert found[2][0]["reason"] == "no place is kept for this name and token"
    assert results[0] is not None
    assert results[0].failures == ()


async def watched(port: int) -> list[ms.FromServer]:
    return [message async for message in watch(HOST, port)]


def test_spectators_see_states_actions_and_results_of_every_match() -> None:
    results, found = asyncio.run(hold(settings(5), [watched, *(good(f"p{n}") for n in range(5))], between=0.02))
    seen = found[0]
    assert isinstance(seen[0], ms.TournamentStart)
    assert isinstance(seen[-1], ms.TournamentOver)
    assert results[0] is not None
    assert seen[-1].value.winners == results[0].winners
    matches = {message.match for message in seen[1:-1]}
    assert len(matches) >= 3
    for match in matches:
        kinds = [type(message) for message in seen if getattr(message, "match", None) == match]
        assert kinds[0] is ms.BroadcastState
        assert ms.BroadcastAction in kinds
        assert kinds[-1] is ms.BroadcastGameOver


def test_a_spectator_who_talks_or_goes_is_dropped_and_hurts_nobody() -> None:
    async def talks(line: Line) -> Any:
        line.say({"type": "spectate_request", "value": True})
        line.say({"type": "player_respond_move", "value": "Skip"})
        return await line.silence()

    async def goes(line: Line) -> Any:
        line.say({"type": "spectate_request", "value": True})

    results, found = asyncio.run(hold(settings(2), [raw(talks), raw(goes), good("a"), good("b")], between=0.02))
    assert found[0] == [] or isinstance(found[0], ConnectionError)
    assert results[0] is not None
    assert results[0].failures == ()


class Auditor:
    """A spectator that looks up in the store whatever it is told."""

    def __init__(self, store: SQLiteStore) -> None:
        self._store = store
        self.told_of: dict[str, int] = {}
        self.missing: list[str] = []

    def told(self, event: TournamentEvent) -> None:
        self._count("")

    def told_of_match(self, match: str, event: object) -> None:
        self._count(match)

    def _count(self, record: str) -> None:
        self.told_of[record] = self.told_of.get(record, 0) + 1
        head = record or next(self._store.heads(Filter(kind=RecordKind.TOURNAMENT))).id
        if len(list(self._store.entries(head))) < self.told_of[record]:
            self.missing.append(record)


def test_a_spectator_who_does_not_read_is_cut_off_and_the_game_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.framing.connection.MAX_UNSENT", 2000)
    monkeypatch.setattr("parlour.net.framing.connection.SEND_BUFFER", 1000)

    async def deaf(port: int) -> Any:
        with socket.socket() as here:
            here.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
            here.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(here, (HOST, port))
            await loop.sock_sendall(here, b'{"type": "spectate_request", "value": true}')
            await asyncio.sleep(1.0)
            heard = b""
            with contextlib.suppress(ConnectionError):
                while piece := await loop.sock_recv(here, 1 << 16):
                    heard += piece
            return heard

    results, found = asyncio.run(hold(settings(5), [deaf, *(good(f"p{n}") for n in range(5))], between=0.02))
    assert b"tournament_result" not in found[0]
    assert results[0] is not None
    assert results[0].failures == ()


def test_everything_is_kept_before_anyone_is_told(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "s.db") as store:
        names, auditor = ["a", "b", "c", "d", "e"], Auditor(store)
        guests = [good(name) for name in names]
        results, _ = asyncio.run(hold(settings(5), guests, store=store, between=0.002, spectators=[auditor]))
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert auditor.missing == []
        assert len(auditor.told_of) == 1 + store.count(Filter(parent=head.id)) >= 4
        assert unfinished_heads(store, "fish") == []
        assert read_result(store, head.id) == results[0]
        assert [sign_up.name for sign_up in store.sign_ups(head.id)] == names
        assert all(len(sign_up.digest) == 32 for sign_up in store.sign_ups(head.id))
        assert {type(read_events(store, match.id)[-1]) for match in store.heads(Filter(parent=head.id))} == {Ended}


def test_a_full_disk_ends_the_server_with_that_error_and_nothing_unkept_was_told(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "s.db") as store:
        auditor = Auditor(store)
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 6}")
        guests = [good(name) for name in "abcde"]
        with pytest.raises(ParlourError, match="full"), first_error():
            asyncio.run(hold(settings(5), guests, store=store, spectators=[auditor]))
        assert auditor.told_of
        assert auditor.missing == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fewest": 6, "most": 5}, "min: expected 1 to max"),
        ({"fewest": 0}, "min"),
        ({"tries": 0}, "tries"),
        ({"config": {"rows": 1, "cols": 1}}, "board"),
        ({"config": {"rows": 99}}, "rows"),
        ({"house": 1, "house_agent": "nobody"}, "agent"),
        ({"port": 1, "host": "203.0.113.1"}, "port: cannot listen on 203.0.113.1:1"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes: dict[str, Any], message: str) -> None:
    async def start() -> None:
        await TournamentServer(GAME, make_dialect("json"), settings(5, **changes)).start()

    with pytest.raises(ConfigError, match=message):
        asyncio.run(start())


def test_protocols_and_names_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected json or neu"):
        make_dialect("soap")
    with pytest.raises(ConfigError, match="expected json or neu"):
        make_client("soap", "a", greedy)
    with pytest.raises(ConfigError, match="1 to 12 letters"):
        make_client("neu", "not 4 this", greedy)


def test_nobody_listens() -> None:
    with pytest.raises(Unreachable, match="cannot connect to 127"):
        asyncio.run(JsonClient("a", greedy).run(HOST, 9, tries=1))


async def test_one_address_has_only_so_many_connections() -> None:
    server = TournamentServer(GAME, make_dialect("json"), settings(3, connections_of_one=2, wait=30.0))
    await server.start()
    lines = [await Line.open(server.port) for _ in range(3)]
    assert await lines[2].hear() is None, "there are two already"
    for name, line in zip("ab", lines, strict=False):
        line.say({"type": "signup_request", "value": name})
        assert (await line.hear())["type"] == "signup_confirmation"
    await lines[0].close()
    fourth = await Line.open(server.port)
    fourth.say({"type": "signup_request", "value": "c"})
    assert (await fourth.hear())["type"] == "signup_confirmation", "a place that was left is free again"
    for line in (*lines[1:], fourth):
        await line.close()
    await server.close()
