"""Strangers play a round robin with ratings in the hall: the same machine as tournaments between agents."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.game import Action, View
from parlour.core.terms import Clock, Terms
from parlour.errors import ConfigError
from parlour.games.fish import GAME
from parlour.net.client.fish_json import JsonClient
from parlour.net.fish.planned import departed_from, plan_of
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.referee.conduct import STRICT
from parlour.store import Account, Entries, Filter, Finished, RecordKind, SQLiteStore, Store, read_events
from parlour.tournament.knock_out.events import Entrant
from parlour.tournament.reports.standings import standings
from parlour.tournament.results_state import ResultsState
from parlour.tournament.storage.tournament_store import has_plan, is_between_agents, read
from parlour.web.tournaments import Tournaments
from support.fish.wire import HOST, Line, Taking, good, greedy, hold, raw, settings
from support.processes.ports import free_port
from support.waiting import PATIENCE, until


@pytest.mark.parametrize("protocol", ["json", "neu"])
def test_a_round_robin_of_strangers_has_ratings_with_intervals_and_a_page(protocol: str, tmp_path: Path) -> None:
    names = ["pa", "pb", "pc"]
    wanted = settings(3, format="round-robin", house=0)
    with SQLiteStore(tmp_path / "s.db") as store:
        results, reports = asyncio.run(
            hold(wanted, [good(name, protocol) for name in names], protocol=protocol, store=store)
        )
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert has_plan(head)
        assert not is_between_agents(head)
        series, _ = read(store, head.id)
        table = standings(series)
        sheet = asyncio.run(Tournaments(store).sheet(head.id))
        matches = list(store.heads(Filter(kind=RecordKind.MATCH)))
        played = [read_events(store, match.id) for match in matches]
    (result,) = results
    assert result is not None
    assert (table.matches, table.over, table.void) == (12, True, 0), "three pairs, two orders, a board and its mirror"
    assert sorted(line.name for line in table.lines) == names
    assert all(line.rating.half is not None for line in table.lines if line.name != table.anchor)
    assert set(result.winners) == {line.name for line in table.lines if line.place == 1}
    assert [report.name for report in reports if report.won] == [name for name in names if name in result.winners]
    assert sheet is not None
    assert sheet.over
    assert "Standings" in sheet.content
    assert all(isinstance(events[-1], ev.Ended) for events in played)
    acted = sum(isinstance(event, ev.Acted) for events in played for event in events)
    assert acted == sum(seat.decisions for match in series.results() for seat in match.seats) > 0
    assert all(match.parent == head.id and match.status == "over" for match in matches)


@pytest.mark.parametrize(
    ("form", "blocks", "rounds"), [("swiss", None, 3), ("swiss", 2, 2), ("round-robin", None, 1), ("ladder", None, 1)]
)
def test_unless_the_blocks_are_given_swiss_plays_all_its_rounds(form: str, blocks: int | None, rounds: int) -> None:
    entrants = [Entrant(name) for name in "abcde"]
    plan = plan_of(GAME, settings(5, format=form, blocks=blocks), "t", entrants, 1, "json")
    assert ResultsState(plan).cap == rounds


def test_nobody_sits_at_two_tables_at_once(tmp_path: Path) -> None:
    wanted = settings(4, format="round-robin")
    with SQLiteStore(tmp_path / "s.db") as store:
        asyncio.run(hold(wanted, [good(f"p{n}") for n in range(4)], store=store))
        heads = list(store.heads(Filter(kind=RecordKind.MATCH)))
    spans = [(head.opened, head.updated, set(head.players.values())) for head in heads]
    for number, (begin, end, players) in enumerate(spans):
        for other_begin, other_end, others in spans[number + 1 :]:
            assert players.isdisjoint(others) or end <= other_begin or other_end <= begin


def idle(name: str) -> Taking:
    """Return a player that signs up and never moves."""

    async def script(line: Line) -> Any:
        line.say({"type": "signup_request", "value": name})
        while (message := await line.hear()) is not None:
            if message["type"] == "tournament_start":
                line.say({"type": "tournament_ready", "value": True})

    return raw(script)


def test_names_of_accounts_and_of_the_server_are_shown_as_those_of_strangers(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "s.db") as store:
        store.write(Account("rival", ""))
        guests = [good("Rival"), good("b"), idle("admin")]
        ((result,), _) = asyncio.run(hold(settings(3, format="round-robin"), guests, store=store))
        matches = list(store.heads(Filter(kind=RecordKind.MATCH)))
        joined = {
            event.name for match in matches for event in read_events(store, match.id) if isinstance(event, ev.Joined)
        }
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert departed_from(store, read(store, head.id)[0]).keys() == {"admin"}
    assert joined == {name for match in matches for name in match.players.values()}
    assert joined == {"Rival (fish)", "b", "admin (fish)"}
    assert result is not None
    assert {*result.winners, *result.losers, *(one.name for one in result.failures)} == {"Rival", "b", "admin"}


def test_who_never_moves_loses_its_matches_and_the_others_play_on(tmp_path: Path) -> None:
    wanted = settings(3, format="round-robin")
    with SQLiteStore(tmp_path / "s.db") as store:
        results, _ = asyncio.run(hold(wanted, [good("a"), good("b"), idle("idle")], store=store))
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        table = standings(read(store, head.id)[0])
    (result,) = results
    assert result is not None
    assert [departure.name for departure in result.failures] == ["idle"]
    assert (table.matches, table.lines[-1].name, table.lines[-1].lost_by_foul) == (12, "idle", 8)


def test_one_that_was_cut_short_is_played_on_with_what_was_played(tmp_path: Path) -> None:
    wanted = settings(3, format="round-robin", grace=30.0, return_time=30.0)

    async def scenario() -> Any:
        with SQLiteStore(tmp_path / "s.db") as store:
            first = TournamentServer(GAME, make_dialect("json"), wanted, store=store)
            await first.start()
            port = first.port
            clients = [JsonClient(name, greedy, returns=60.0, returns_early=60.0, inline=True) for name in "abc"]
            playing = [asyncio.ensure_future(client.run(HOST, port, tries=1000, pause=0.05)) for client in clients]
            running = asyncio.ensure_future(first.run())
            while store.count(Filter(kind=RecordKind.MATCH)) < 5:  # noqa: ASYNC110 - what is looked at has no event
                await asyncio.sleep(0.005)
            running.cancel()
            await asyncio.wait([running])
            (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
            before = list(store.entries(head.id))
            assert 1 < len(before) < 13
            again = TournamentServer(GAME, make_dialect("json"), replace(wanted, port=port), store=store)
            await again.start()
            assert again.resuming == head.id
            results: list[Any] = []
            await again.run(results.append)
            reports = await asyncio.gather(*playing)
            after = list(store.entries(head.id))
            return before, after, results, reports

    before, after, results, reports = asyncio.run(scenario())
    assert after[: len(before)] == before
    numbers = sorted(msgspec.json.decode(entry)["number"] for entry in after[1:])
    assert numbers == list(range(12)), "each match has one result"
    assert (results[0].failures, results[0].cheaters) == ((), ())
    assert {report.name for report in reports if report.won} == set(results[0].winners)


@pytest.mark.parametrize("decided", [True, False])
def test_who_has_won_must_take_the_news_unless_it_may_have_been_told_before(tmp_path: Path, decided: bool) -> None:
    wanted = settings(3, format="round-robin")
    with SQLiteStore(tmp_path / "whole.db") as whole, SQLiteStore(tmp_path / "cut.db") as cut:
        ((first,), _) = asyncio.run(hold(wanted, [good(name) for name in "abc"], store=whole))
        assert first is not None
        for head in whole.heads():
            is_match, entries = head.kind is RecordKind.MATCH, tuple(whole.entries(head.id))
            kept = msgspec.structs.replace(head, result=None)
            cut.write(kept, Entries(head.id, 0, entries if is_match or decided else entries[:-1]))
            cut.write(*(Finished(head.id, head.result or b"") for _ in range(is_match)), *whole.sign_ups(head.id))
        ((again,), _) = asyncio.run(hold(replace(wanted, return_time=0.0), [], store=cut))
    assert again is not None
    assert again.winners == (first.winners if decided else ())


def is_removed(store: Store) -> bool:
    """Return True if somebody was removed from a match."""
    heads = store.heads(Filter(kind=RecordKind.MATCH))
    return any(isinstance(event, ev.Removed) for head in heads for event in read_events(store, head.id))


def test_who_was_removed_before_it_was_cut_short_stays_out_and_is_reported_with_the_reason(tmp_path: Path) -> None:
    terms = Terms(STRICT, Clock(per_turn=PATIENCE))
    wanted = settings(3, format="round-robin", blocks=2, port=free_port(), terms=terms, return_time=PATIENCE)

    async def cheat(kicked: asyncio.Event) -> str:
        """Sign up, answer the first question with nonsense, and return the token."""
        line = await Line.open(wanted.port)
        line.say({"type": "signup_request", "value": "cheat"})
        token = (await line.hear())["token"]
        while (message := await line.hear()) is not None:
            ready = message["type"] == "tournament_start"
            line.say({"type": "tournament_ready", "value": True} if ready else {"type": "nonsense"})
        kicked.set()
        await line.close()
        return str(token)

    async def come_back(token: str) -> Any:
        line = await Line.open(wanted.port)
        line.say({"type": "signup_request", "value": "cheat", "token": token})
        (answer,) = await line.silence()
        await line.close()
        return answer["reason"]

    async def scenario() -> Any:
        kicked, resumed = asyncio.Event(), asyncio.Event()

        class Waiting:
            """Greedy, but waits for the second server once the cheat is gone, so that there is something left."""

            def __init__(self, game: int) -> None:
                self._greedy = greedy(game)

            async def act(self, view: View) -> Action:
                if kicked.is_set():
                    await resumed.wait()
                return self._greedy.act(view)

        with SQLiteStore(tmp_path / "s.db") as store:
            first = TournamentServer(GAME, make_dialect("json"), wanted, store=store)
            await first.start()
            clients = [JsonClient(name, Waiting, returns=PATIENCE, returns_early=PATIENCE) for name in "ab"]
            playing = [asyncio.ensure_future(one.run(HOST, wanted.port, tries=1000, pause=0.05)) for one in clients]
            cheating = asyncio.ensure_future(cheat(kicked))
            running = asyncio.ensure_future(first.run())
            token = await cheating
            await until(lambda: is_removed(store))
            running.cancel()
            await asyncio.wait([running])
            second = TournamentServer(GAME, make_dialect("json"), wanted, store=store)
            await second.start()
            resumed.set()
            refused = await come_back(token)
            results: list[Any] = []
            await second.run(results.append)
            await asyncio.gather(*playing)
            return refused, results[0]

    refused, result = asyncio.run(scenario())
    assert refused == "no place is kept for this name and token"
    (gone,) = result.cheaters + result.failures
    assert gone.name == "cheat"
    assert gone.reason.startswith("garbled"), "the first reason, not that the connection is closed"


def test_what_strangers_cannot_play_is_said_before_anybody_comes() -> None:
    for players, words, more in (
        (3, "'nonsense' does not exist", {"format": "nonsense"}),
        (3, "1v3 seats a player twice at one table", {"format": "1v3", "config": {"rows": 5, "cols": 5}}),
        (2, "needs at least 3 agents, 2 given", {"format": "round-robin", "seats": 3}),
    ):
        with pytest.raises(ConfigError, match=words):
            TournamentServer(GAME, make_dialect("json"), settings(players, **more))
