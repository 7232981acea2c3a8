"""Tournaments on pages, while another program plays them on the same store: standings, matches, replays, live."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.sync.client import ClientConnection, connect

from parlour.core.fouls import Standing
from parlour.core.terms import Terms
from parlour.referee.conduct import STRICT
from parlour.store import SQLiteStore
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Departure,
    Entrant,
    FieldSet,
    RoundDrawn,
    TableEnded,
    TableResult,
    TournamentResult,
)
from parlour.tournament.knock_out.tournament import open_journal
from parlour.tournament.plan import Contender, Plan
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import standings
from parlour.tournament.results import Delivery, void
from parlour.tournament.results_state import ResultsState
from parlour.tournament.storage.tournament_store import TournamentStore
from parlour.web import tournaments
from support.web.browser import AXE, LOOKS, look_at, needs_chromium, tab, violations
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Playing:
    """A tournament that another program plays, match by match, on the store of the server."""

    def __init__(self, folder: Path, name: str, agents: tuple[str, ...] = ("greedy", "random"), **how: bool) -> None:
        plan = Plan(
            tournament=name,
            game="fish",
            config={"rows": 3, "cols": 4},
            terms=Terms(STRICT),
            format="round-robin",
            seats=2,
            contenders=tuple(Contender(agent, agent) for agent in agents),
            blocks=2,
            seed=3,
            score="win share",
            anchor=agents[-1],
            **how,  # type: ignore[arg-type]
        )
        self.store = SQLiteStore(folder / "parlour.db")
        self.store.claim(name)
        self.series, self.results_store = ResultsState(plan), TournamentStore(self.store, plan)
        self.results_store.open()

    def play(self, matches: int) -> None:
        for sitting in [sitting for _, sitting in zip(range(matches), self.series.wanted(), strict=False)]:
            self._keep(play_sitting(self.series.plan, sitting))

    def spoil(self) -> None:
        self._keep(Delivery(void(next(self.series.wanted()), "the <machine> broke")))

    def _keep(self, delivery: Delivery) -> None:
        self.results_store.keep([delivery], self.series)
        self.series.add(delivery.played)

    def end(self) -> None:
        while not self.series.over:
            self.play(1)
        self.results_store.close(as_json(standings(self.series)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tournaments")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[WebServer]:
    with WebServer(folder) as found:
        yield found


@pytest.fixture(autouse=True)
def often(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look each time anew, or for lines many times a second, instead of once a second."""
    lines = "line" in request.function.__name__ or "browser" in request.fixturenames
    monkeypatch.setattr(tournaments, "EVERY", 0.02 if lines else 0.0)
    monkeypatch.setattr(tournaments, "SHARE", 0)


@contextmanager
def line(server: WebServer, name: str, since: int | None = None) -> Iterator[ClientConnection]:
    with connect(f"{server.url.replace('http', 'ws')}/tournament/{name}/line") as socket:
        socket.send(json.dumps({} if since is None else {"since": since}))
        yield socket


def number(text: str) -> int:
    found = re.search(r'data-number="(\d+)"', text)
    assert found is not None
    return int(found[1])


def test_a_page_follows_what_another_program_plays(server: WebServer, folder: Path) -> None:
    playing = Playing(folder, "followed")
    path = "/tournament/followed"
    text = server.request("GET", path).text
    assert "No match is over yet" in text
    assert "the first is being played" in text
    assert number(text) == 1
    playing.play(1)
    early = server.request("GET", path).text
    assert early.count("/match/followed.") == 1  # matches are there before their block counts
    assert "the first is being played" in early
    playing.spoil()
    playing.end()
    done = server.request("GET", path).text
    table = standings(playing.series)
    for row in table.lines:
        assert row.score is not None
        assert f"{row.score.mean:.3f}" in done
        assert row.score.half is None or f"± {row.score.half:.3f}" in done
    assert re.search(r'class="badge over"', done)
    assert ">Place<" in done  # whoever hears the table is told what its first column is
    assert done.count('href="/match/followed.') == playing.series.finished - 1
    assert "the &lt;machine&gt; broke" in done
    replay = server.request("GET", "/match/followed.0")
    assert replay.status == 200
    listed = server.request("GET", "/").text
    assert 'href="/tournament/followed"' in listed


def test_without_records_there_is_nothing_to_replay(server: WebServer, folder: Path) -> None:
    playing = Playing(folder, "unrecorded", records=False)
    playing.play(1)
    text = server.request("GET", "/tournament/unrecorded").text
    assert "Match 0" in text
    assert "/match/" not in text


def test_a_line_tells_each_new_sheet_and_the_end(server: WebServer, folder: Path) -> None:
    playing = Playing(folder, "told")
    with line(server, "told") as first, line(server, "told", since=2) as second:
        assert json.loads(first.recv(10)) == {"welcome": 0}
        assert json.loads(first.recv(10)) == {"k": 1, "e": {"event": "standings"}}
        assert json.loads(second.recv(10)) == {"welcome": 2}  # it has number 1 and waits for more
        before = server.site.tournaments.computed
        playing.play(1)
        for socket in (first, second):
            assert json.loads(socket.recv(10)) == {"k": 2, "e": {"event": "standings"}}
        assert server.site.tournaments.computed == before + 1  # once for all who look
        playing.end()
        last: dict[str, object] = {}
        while last.get("e") != {"event": "over"}:
            last = json.loads(first.recv(10))
        assert last["k"] == playing.series.finished + 2  # the plan, the matches, the end


def test_a_line_answers_whoever_asks_whether_anybody_is_there(server: WebServer, folder: Path) -> None:
    Playing(folder, "alive")
    with line(server, "alive", since=2) as socket:
        assert json.loads(socket.recv(10)) == {"welcome": 2}
        for number in (1, 2):
            socket.send(json.dumps({"id": number, "ask": "alive"}))
            assert json.loads(socket.recv(10)) == {"ok": number}
        socket.send("gibberish")
        with pytest.raises(Exception, match="4400"):
            socket.recv(10)


def test_neither_a_page_nor_a_line_is_of_what_is_no_tournament(server: WebServer) -> None:
    answer = server.request("GET", "/tournament/nothing")
    assert answer.status == 404
    assert "There is no tournament &#x27;nothing&#x27; here." in answer.text
    assert "parlour tournament" in answer.text
    with line(server, "nothing") as socket:
        assert json.loads(socket.recv(10)) == {"welcome": 0}
        with pytest.raises(Exception, match="4404"):
            socket.recv(10)
    for hello in ("gibberish", b"{}", '{"x": ' + "[" * 20_000 + "]" * 20_000 + "}"):
        with connect(f"{server.url.replace('http', 'ws')}/tournament/nothing/line") as socket:
            socket.send(hello)
            with pytest.raises(Exception, match="4400"):
                socket.recv(10)


def test_another_sites_page_gets_no_line(server: WebServer) -> None:
    address = f"{server.url.replace('http', 'ws')}/tournament/any/line"
    with pytest.raises(Exception, match="403"), connect(address, additional_headers={"Origin": "https://evil.example"}):
        pass


def test_a_tournament_of_those_who_signed_up(server: WebServer, folder: Path) -> None:
    announced = Announced(
        1.0, "signed", "fish", {}, Terms(STRICT), "knock-out", 1, tuple(map(Entrant, ("anna", "<b>bo</b>", "cy")))
    )
    out = Departure("cy", Standing.FAILURE, "did not answer")
    result = TableResult((("anna",), ("<b>bo</b>",)), {"anna": 9.0, "<b>bo</b>": 3.0}, (), "nobody can move")
    final = TournamentResult(("anna",), ("<b>bo</b>",), (), (out,), 1, "one is left")
    with SQLiteStore(folder / "parlour.db") as store:
        journal = open_journal(store, announced)

        async def kept(events: Sequence[Any]) -> None:
            await journal.keep(events)

        def happen(*events: object) -> str:
            server.run(kept(events))
            return server.request("GET", "/tournament/signed").text

        assert "about to be drawn" in happen(announced)
        drawn = happen(FieldSet(2.0, (out,)), RoundDrawn(3.0, 1, (("anna", "<b>bo</b>"),)))
        assert "being played" in drawn
        assert "failure: did not answer" in drawn
        assert 'href="/match/signed' not in drawn  # not before it is over
        done = happen(TableEnded(4.0, 1, 0, "signed.1.1", result), Closed(5.0, final))
        assert 'href="/match/signed.1.1"' in done
        assert "anna won after 1 round: one is left." in done
        assert "<b>bo</b>" not in done


@needs_chromium
def test_standings_appear_while_they_come_about(browser: Browser, server: WebServer, folder: Path) -> None:
    playing = Playing(folder, "watched")
    here, there = (
        tab(browser, server, token).go(f"{server.url}/tournament/watched") for token in ("", server.sign_in("tia"))
    )
    assert [page.page.locator(".account").inner_text() for page in (here, there)] == ["Sign in", "tia"]
    assert here.page.locator(".played li").count() == 0
    playing.play(4)
    here.until(lambda: here.page.locator(".played li").count() == 4)
    here.until(lambda: here.page.locator(".standings .dot").count() == 2)
    there.until(lambda: there.page.locator(".played li").count() == 4)
    assert there.page.locator(".standings").inner_text() == here.page.locator(".standings").inner_text()
    assert there.problems == []
    there.page.close()
    here.page.set_viewport_size({"width": 390, "height": 844})
    beyond = "document.querySelector('.wide:has(.standings)').scrollWidth - document.querySelector('.wide').clientWidth"
    assert here.page.evaluate(beyond) == 0, "a phone shows all of the table"
    here.page.set_viewport_size({"width": 1440, "height": 900})
    here.page.locator(".figures summary").first.click()
    here.page.locator(".played a").last.focus()
    playing.end()
    here.until(lambda: here.page.locator(".badge.over").count() == 1)
    assert here.page.locator(".figures details[open]").count() == 1  # what was open stays open
    if AXE.is_file():
        for theme, width, height in reversed(LOOKS):
            look_at(here, theme, width, height)
            assert violations(here) == [], (theme, width)
    assert here.page.evaluate("document.activeElement.textContent") == "Match 0"
    here.page.keyboard.press("Enter")
    here.page.wait_for_selector(".stage")
    here.until(lambda: "The match is over" in here.page.locator(".status").inner_text())
    here.page.click(".where a")
    here.page.wait_for_selector(".standings")
    assert here.problems == []
