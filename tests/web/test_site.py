"""The pages of a server as a browser asks for them: headers, caching, forms, refusals."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from parlour.core.game import Plain, Seat
from parlour.core.terms import Clock, Terms
from parlour.errors import StoreError
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup, about_of
from parlour.referee.conduct import LENIENT
from parlour.web import assets, match_pages
from parlour.web.forms import MAX_FIELDS
from parlour.web.packing import modules
from support.web.server import WebServer


def test_every_answer_keeps_pages_from_doing_what_we_did_not_write(server: WebServer) -> None:
    for path in ("/", "/new", "/nothing", assets.address("match.js"), "/match/none"):
        headers = server.request("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"


def test_no_page_has_inline_scripts_or_styles(server: WebServer) -> None:
    for path in ("/", "/new", "/new?game=fish", "/signin", "/sandbox"):
        answer = server.request("GET", path)
        assert answer.status == 200
        text = answer.text
        assert not re.search(r"<script(?![^>]*\ssrc=)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)


@pytest.mark.parametrize("path", ["/", "/new", "/signin", "/sandbox", "/sandbox?game=fish", "/learn", "/nothing"])
def test_a_page_brings_the_theme_once_and_asks_for_few_files(server: WebServer, path: str) -> None:
    scripts = re.findall(
        r'<script type="module" src="/static/\w+/([\w.]+)"', server.request("GET", path, accept="text/html").text
    )
    assert sum("theme.js" in modules(name) for name in scripts) == 1
    assert len(scripts) <= 2
    for name in scripts:
        assert "import " not in server.request("GET", assets.address(name)).text.partition("(")[0]


def test_static_files_are_kept_for_ever_and_packed(server: WebServer) -> None:
    answer = server.request("GET", assets.address("machine.js"), accept_encoding="gzip")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert b"class Machine" in gzip.decompress(answer.body)
    plain = server.request("GET", assets.address("machine.js"), accept_encoding="identity")
    assert b"class Machine" in plain.body


@pytest.mark.parametrize("name", ["nothing.js", "../app.py", "sheet/chess/8x8.json", "sheet/fish/99x99.json"])
def test_files_that_are_not_there(server: WebServer, name: str) -> None:
    assert server.request("GET", assets.address(name)).status == 404


def test_a_file_of_another_version_is_not_there(server: WebServer) -> None:
    assert server.request("GET", "/static/000000000000/machine.js").status == 404


def test_sheets_are_served_by_their_keys(server: WebServer) -> None:
    answer = server.request("GET", assets.sheet_address("fish", "3x4"))
    assert len(json.loads(answer.body)["places"]) == 12


def test_an_unknown_match_says_so(server: WebServer) -> None:
    answer = server.request("GET", "/match/nothing")
    assert answer.status == 404
    assert "There is no match &#x27;nothing&#x27; here." in answer.text


def test_browsers_read_a_page_where_none_is_and_programs_do_not(server: WebServer) -> None:
    page = "text/html,application/xhtml+xml,*/*;q=0.8"
    told = server.request("GET", "/nowhere/at-all", accept=page)
    assert told.status == 404
    assert "<h1>Nothing is here</h1>" in told.text
    assert 'href="/"' in told.text
    assert "default-src 'none'" in told.headers["content-security-policy"]
    assert "<h1>" not in server.request("GET", "/nowhere/at-all", accept="*/*").text
    assert server.request("POST", "/nowhere", form={}, accept=page).status == 404  # and not: another method, please


def test_what_is_not_listed_is_not_put_in_the_window(empty_server: WebServer) -> None:
    config: dict[str, Plain] = {"rows": 4, "cols": 4, "players": 2}
    agents = {Seat("red"): "greedy", Seat("white"): "greedy"}
    terms = Terms(conduct=LENIENT, clock=Clock(per_turn=600), wait_flags_up=True)
    setup = MatchSetup(game="fish", config=config, agents=agents, terms=terms, listed=False, match="hush")
    empty_server.run(empty_server.hall.open(setup))
    assert empty_server.run(empty_server.hall.head("hush")).status == "running"
    text = empty_server.request("GET", "/").text
    assert "hush" not in text
    assert "Exhibition" in text


def test_an_empty_server_shows_a_match_of_the_house(empty_server: WebServer) -> None:
    text = empty_server.request("GET", "/").text
    match = re.search(r'data-match="([^"]+)"', text)
    assert match is not None
    assert "Exhibition" in text
    for number in range(51):  # strangers open more matches than the page looks through
        setup = MatchSetup(game="fish", terms=Terms(conduct=LENIENT), match=f"forming {number}")
        empty_server.run(empty_server.hall.open(setup))
    again = empty_server.request("GET", "/").text
    assert f'data-match="{match[1]}"' in again  # one is enough


def test_a_form_of_another_site_is_refused(server: WebServer) -> None:
    form = {"game": "fish", "seat": "red", "agent": "greedy"}
    token = server.sign_in("anna")
    assert server.request("POST", "/new", form=form, token=token, origin="https://evil.example").status == 403
    assert server.request("POST", "/new", form=form, token=token, sec_fetch_site="cross-site").status == 403
    assert server.request("POST", "/new", form=form, token=token, origin="null").status == 403
    for path in ("/signin", "/signout"):
        assert server.request("POST", path, form={}, origin="https://evil.example").status == 403
    good = server.request("POST", "/new", form=form, token=token, origin="null", sec_fetch_site="same-origin")
    assert good.status == 303


def test_a_match_is_opened_by_a_form_and_its_seat_taken(server: WebServer) -> None:
    token = server.sign_in("berta")
    form = {"game": "fish", "seat": "red", "agent": "greedy", "players": "2", "rows": "4", "cols": "4", "holes": "0"}
    answer = server.request("POST", "/new", form=form, token=token, origin=server.url)
    assert answer.status == 303
    name = answer.headers["location"].removeprefix("/match/")
    assert server.run(server.hall.head(name)).players == {"red": "berta", "white": "greedy"}


def test_a_guest_gets_an_account_with_the_first_match(server: WebServer) -> None:
    form = {"game": "fish", "seat": "red", "agent": "greedy", "players": "2"}
    answer = server.request("POST", "/new", form=form, origin=server.url)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    token = cookie.split(";")[0].removeprefix("parlour=")
    assert "guest-" in server.request("GET", "/new", token=token).text


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"game": "chess"}, "expected one of"),
        ({"game": "fish", "rows": "99"}, "Rows: expected a whole number from 1 to 25"),
        ({"game": "fish", "rows": "x"}, "Rows: expected a whole number"),
        ({"game": "diplomacy", "map": "moon"}, "Map: expected one of"),
        ({"game": "fish", "seat": "blue"}, "blue is not in this match"),
        ({"game": "fish", "agent": "nobody", "seat": "red"}, "has no"),
        ({"game": "fish", "rows": "1", "cols": "2", "agent": "greedy"}, "penguins need"),
    ],
)
def test_a_form_that_cannot_be_says_why(server: WebServer, form: dict[str, str], says: str) -> None:
    answer = server.request("POST", "/new", form=form, token=server.sign_in(f"c{abs(hash(says)) % 10**9}"))
    assert answer.status == 400
    assert says in answer.text


def test_somebody_registers_signs_in_and_out(server: WebServer) -> None:
    form = {"name": "dora", "password": "a long password"}
    registered = server.request("POST", "/signin", form={**form, "register": "1"}, origin=server.url)
    assert registered.status == 303
    entered = server.request("POST", "/signin", form=form, origin=server.url)
    token = entered.headers["set-cookie"].split(";")[0].removeprefix("parlour=")
    assert "dora</h1>" in server.request("GET", "/account", token=token).text
    wrong = server.request("POST", "/signin", form={**form, "password": "wrong"}, origin=server.url)
    assert wrong.status == 400
    assert "set-cookie" not in wrong.headers
    out = server.request("POST", "/signout", form={}, token=token, origin=server.url)
    assert 'parlour=""' in out.headers["set-cookie"]


def test_whoever_is_signed_in_already_goes_where_the_link_leads(server: WebServer) -> None:
    token = server.sign_in("early")
    for wanted, leads in (("/new", "/new"), ("/", "/account"), ("//elsewhere.org/new", "/account")):
        assert server.request("GET", f"/signin?next={wanted}", token=token).headers["location"] == leads


def test_a_form_that_is_too_long_is_refused(server: WebServer) -> None:
    assert server.request("POST", "/signin", form={"name": "x" * 100_000}, origin=server.url).status == 413


@pytest.mark.parametrize("path", ["/signin", "/new", "/signout", "/sandbox"])
def test_a_form_that_is_cut_off_is_no_failure(server: WebServer, path: str) -> None:
    said: list[Any] = []
    coming = [{"type": "http.request", "body": b"name=", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return coming.pop(0)

    async def send(message: Any) -> None:
        said.append(message)

    async def cut_off() -> None:
        scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": [], "root_path": ""}
        await server.site.app()(scope, receive, send)

    server.run(cut_off())
    assert said[0]["status"] == 400


def test_names_are_text(server: WebServer) -> None:
    form = {"game": "fish", "agent": "a person", "title": "<script>alert(1)</script>", "players": "2"}
    assert server.request("POST", "/new", form=form, token=server.sign_in("emil")).status == 303
    text = server.request("GET", "/").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_events_can_be_read_by_scripts_from_a_number_on(server: WebServer) -> None:
    form = {"game": "fish", "agent": "greedy", "players": "2", "rows": "4", "cols": "4"}
    token = server.sign_in("frida")
    location = server.request("POST", "/new", form=form, token=token).headers["location"]
    lines = [json.loads(line) for line in server.request("GET", f"{location}/events").body.splitlines()]
    assert [line["k"] for line in lines] == list(range(len(lines)))
    assert lines[0]["e"]["event"] == "opened"
    later = [json.loads(line) for line in server.request("GET", f"{location}/events?since=2").body.splitlines()]
    assert later[0]["k"] == 2
    assert server.request("GET", f"{location}/events?since=x").status == 400
    assert server.request("GET", "/match/none/events").status == 404


def test_the_sandbox_judges_orders_with_reasons(server: WebServer) -> None:
    def ask(question: object, **headers: str) -> tuple[int, dict[str, object]]:
        answer = server.send("POST", "/sandbox", json.dumps(question), headers)
        return answer.status, json.loads(answer.body)

    status, told = ask({"orders": {"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]}, "judge": True})
    assert status == 200
    turn = told["turn"]
    assert isinstance(turn, dict)
    bounced = next(result for result in turn["results"] if result["text"] == "A PAR - BUR")
    assert bounced["failed"]
    assert "BUR" in bounced["why"]
    assert ask({"position": "gibberish"})[0] == 400
    assert ask({"map": "moon"})[0] == 400
    for body in ('{"map": "\xff"}', '{"x": ' + "[" * 10_000):
        assert server.send("POST", "/sandbox", body, {}).status == 400
    status, lagoon = ask({"map": "lagoon"})
    assert status == 200
    assert "FRANCE" not in str(lagoon["choices"])
    assert ask({"map": "lagoon", "position": lagoon["position"], "judge": True})[0] == 200
    assert "sheet/diplomacy/lagoon.json" in server.request("GET", "/sandbox?map=lagoon").text
    unknown = server.request("GET", "/sandbox?map=moon")
    assert unknown.status == 404
    assert "lagoon" in unknown.text
    assert ask({"setting": {"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}})[0] == 200
    assert ask({}, origin="https://evil.example")[0] == 403
    assert ask({"position": "x" * 50_000})[0] == 413


@pytest.mark.parametrize("path", ["/sandbox", "/sandbox/fish"])
@pytest.mark.parametrize("body", [b'{"position": "\xff"}', b'{"position": ' + b"[" * 5000 + b"]" * 5000 + b"}"])
def test_what_a_sandbox_cannot_read_is_refused_with_a_reason(server: WebServer, path: str, body: bytes) -> None:
    answer = server.send("POST", path, body, {"content-type": "application/json"})
    assert answer.status == 400
    assert json.loads(answer.body)["reason"].startswith("body: ")


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "nonsense"])
def test_an_origin_that_is_no_address_is_another_site(server: WebServer, origin: str) -> None:
    assert server.request("POST", "/signin", form={}, origin=origin).status == 403


def test_a_form_with_more_fields_than_any_of_ours_is_refused(server: WebServer) -> None:
    form = {f"field{number}": "1" for number in range(MAX_FIELDS + 1)}
    answer = server.request("POST", "/signin", form=form, origin=server.url)
    assert answer.status == 400
    assert f"at most {MAX_FIELDS} fields" in answer.text


@pytest.mark.parametrize("since", ["9" * 5000, "-1", "x", "\u0663"])
def test_events_are_asked_for_from_a_number_on(server: WebServer, since: str) -> None:
    answer = server.request("GET", f"/match/none/events?since={quote(since)}")
    assert answer.status == 400
    assert "since: expected a number" in answer.text


def test_boards_have_one_spelling_each_so_that_few_are_kept(server: WebServer) -> None:
    for key in ("03x4", "3x04", "%D9%A3x4", "0x4", "26x4"):
        assert server.request("GET", assets.sheet_address("fish", key)).status == 404


def test_a_title_without_control_characters(server: WebServer) -> None:
    form = {"game": "fish", "title": "one\0two"}
    answer = server.request("POST", "/new", form=form, token=server.sign_in("nora"), origin=server.url)
    assert answer.status == 400
    assert "title: expected no control characters" in answer.text


def test_a_page_says_that_the_store_fails(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*given: Any, **named: Any) -> Any:
        raise StoreError("the disk is full")

    token = server.sign_in("olga")
    monkeypatch.setattr(server.hall, "open", full)
    answer = server.request("POST", "/new", form={"game": "fish"}, token=token, origin=server.url)
    assert answer.status == 503
    assert answer.headers["retry-after"] == "1"
    assert "Nothing can be kept at the moment; try again." in answer.text
    assert "disk" not in answer.text


def test_events_come_so_many_at_once(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_pages, "MAX_EVENTS", 2)
    agents = {Seat("red"): "greedy", Seat("white"): "greedy"}
    setup = MatchSetup(game="fish", config={"rows": 3, "cols": 3}, agents=agents, terms=Terms(conduct=LENIENT))
    match = server.run(server.hall.open(setup))
    numbers = []
    for since in (0, 2):
        lines = server.request("GET", f"/match/{match}/events?since={since}").text.splitlines()
        numbers.append([json.loads(line)["k"] for line in lines])
    assert numbers == [[0, 1], [2]]


@pytest.mark.parametrize("agent", ["deepmind:/dev/ptmx", "net:/dev/ptmx", "net:path=/dev/ptmx", "llm:m@http://h/v1"])
def test_a_stranger_who_names_a_file_for_an_agent_is_refused_and_nobody_waits(server: WebServer, agent: str) -> None:
    form = {"game": "diplomacy", "seat": "FRANCE", "agent": agent}
    answer = server.request("POST", "/new", form=form, origin=server.url)
    assert answer.status == 400
    assert "agent: " in answer.text
    assert "No such file" not in answer.text
    assert server.request("GET", "/").status == 200


def test_a_guarded_match_asks_watchers_for_its_password(server: WebServer) -> None:
    owner = server.sign_in("guarding")
    terms = Terms(conduct=LENIENT, clock=Clock(per_turn=600))
    setup = MatchSetup(
        game="fish", config={"players": 2}, terms=terms, match="kept shut", admission=Admission(guarded=True)
    )
    session = Session(server.hall, server.run(server.accounts.identify(owner)))
    server.run(session.open(setup, password="sesame"))
    watcher, other = server.sign_in("watching"), server.sign_in("elsewhere")
    path = "/match/kept%20shut"
    for token in ("", watcher):
        asked = server.request("GET", path, token=token)
        assert (asked.status, 'name="password"' in asked.text) == (403, True)
        assert server.request("GET", f"{path}/events", token=token).status == 403
    assert server.request("GET", path, token=owner).status == 200
    wrong = server.request("POST", path, form={"password": "simsim"}, token=watcher)
    assert (wrong.status, "and not that one" in wrong.text) == (403, True)
    said = server.request("POST", path, form={"password": "sesame"}, token=watcher)
    assert (said.status, said.headers["location"]) == (303, path)
    assert server.request("GET", path, token=watcher).status == 200
    assert server.request("GET", f"{path}/events", token=watcher).status == 200
    assert server.request("GET", f"{path}/events", token=other).status == 403
    for word, status in (("simsim", 403), ("sesame", 303)):  # who has no account gets one, and keeps it
        guest = server.request("POST", path, form={"password": word})
        assert guest.status == status
        token = guest.headers["set-cookie"].partition("parlour=")[2].partition(";")[0]
        assert server.request("GET", f"{path}/events", token=token).status == (200 if status == 303 else 403)
    assert server.request("GET", f"{path}/events").status == 403
    assert server.request("POST", path, form={"password": "sesame"}, sec_fetch_site="cross-site").status == 403
    assert server.request("POST", "/match/nothing", form={"password": "x"}).status == 404


def test_a_rematch_is_as_hidden_as_the_match_was(server: WebServer) -> None:
    config: dict[str, Plain] = {"rows": 4, "cols": 4, "players": 2}
    setup = MatchSetup(
        game="fish", config=config, terms=Terms(conduct=LENIENT), listed=False, delay=60.0, match="among friends"
    )
    anna = server.sign_in("hiding")
    session = Session(server.hall, server.run(server.accounts.identify(anna)))
    server.run(session.open(setup, password="swordfish"))
    answer = server.request("POST", "/match/among%20friends/rematch", form={}, token=anna)
    assert answer.status == 303
    head = server.run(server.hall.head(answer.headers["location"].removeprefix("/match/")))
    about = about_of(head)
    assert (about.listed, about.delay) == (False, 60.0)
    assert head.password == server.run(server.hall.head("among friends")).password != ""
