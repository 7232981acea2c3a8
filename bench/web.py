"""Cost of pages: weight, first paint, swaps and glides in Chromium; 500 spectators; time from order to screen.

Wall time means little on a busy machine, and processor time grows there too, so the load is printed as well.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec

import usage

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT
from parlour.games import load_game
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.referee.history import Past
from parlour.web.event_stream import Teller
from parlour.web.packing import replay_page
from parlour.web.stories import story_of
from parlour.web.visitors import COOKIE
from support.hall.people import session_of
from support.web.browser import CHROMIUM, chromium
from support.web.records import diplomacy_record, press_record
from support.web.server import WebServer

SPECTATORS = 500
DEAF = 50
"""Spectators that read nothing, for the bound on memory."""
TURNS = 14
MATCHES = 200
"""Matches of the person whose first page is measured."""
CHANCE = random.Random(1)
ORDERS = 30
WARM, SWAPS, GLIDES = 10, 40, 4
"""Number of phase changes: before anything is measured, without animation, and gliding."""
RESTS, REST = 10, 600
"""Number of rests at a phase, and milliseconds of each."""
SLOWER = 6
"""Factor by which a glide is slowed down, to have enough frames."""
TICK = os.sysconf("SC_CLK_TCK")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


def say(what: str, value: float, unit: str, limit: float, more: str = "") -> None:
    """Print a figure beside its limit."""
    verdict = "" if value <= limit else "  MISSED"
    print(f"{what:44} {value:8.1f} {unit:3} (at most {limit:g}){verdict}{'  ' + more if more else ''}")


# A real server


class Served:
    """`parlour serve`, in a program of its own."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PARLOUR_CONNECTIONS_PER_ADDRESS": "5000", "PARLOUR_LOG_LEVEL": "error",
                       "PARLOUR_REQUESTS_AT_ONCE": "5000"}  # fmt: skip
        command = [sys.executable, "-m", "parlour", "serve", "--only", "http", "--http-port", "0", "--store",
                   str(folder / "parlour.db")]  # fmt: skip
        self.program = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.program.stderr is not None
        lines = iter(self.program.stderr.readline, "")
        self.port = next(int(found[1]) for line in lines if (found := re.search(r"http listens on \S+:(\d+)", line)))
        self.url = f"http://127.0.0.1:{self.port}"

    def cpu(self) -> float:
        """Return the seconds of processor time so far."""
        fields = Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> float:
        """Return the resident megabytes."""
        text = Path(f"/proc/{self.program.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", text)
        assert found is not None
        return int(found[1]) / 1024

    def post(self, path: str, said: dict[str, Any], token: str = "") -> dict[str, Any]:
        """Return the answer of the HTTP API."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", f"/api/v1{path}", json.dumps(said), headers)
        answer = connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
        connection.close()
        assert answer.status == 201, found
        return found

    def open_match(self, form: dict[str, str]) -> tuple[str, str]:
        """Return a new match, and the cookie of the person who opened it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/new", urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer.headers["location"].removeprefix("/match/"), cookie


@contextmanager
def served() -> Iterator[Served]:
    """Yield a server that is stopped at the end."""
    with tempfile.TemporaryDirectory() as folder:
        found = Served(Path(folder))
        try:
            yield found
        finally:
            found.program.send_signal(signal.SIGTERM)
            found.program.wait(20)


class Socket:
    """A minimal websocket of a spectator: it connects, and counts the events it receives."""

    def __init__(self) -> None:
        self.events, self.bytes, self.turn = 0, 0, 0

    async def open(self, port: int, match: str, cookie: str = "", *, deaf: bool = False) -> Socket:
        """Connect, send the first message, and return the socket."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        said = f"GET /match/{match}/line HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        said += "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        self.writer.write((said + (f"Cookie: {cookie}\r\n" if cookie else "") + "\r\n").encode())
        await self.reader.readuntil(b"\r\n\r\n")
        self.send({})
        if not deaf:
            await self.hear()
        return self

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, masked with zeros, which leaves it unchanged."""
        body = json.dumps(message).encode()
        size = bytes([0x80 | len(body)]) if len(body) < 126 else bytes([0xFE, *len(body).to_bytes(2, "big")])
        self.writer.write(b"\x81" + size + bytes(4) + body)

    async def hear(self) -> bytes:
        """Return the next message; answer pings before it."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            body = await self.reader.readexactly(size)
            if first == 0x89:
                self.writer.write(bytes([0x8A, 0x80 | len(body), 0, 0, 0, 0]) + body)
                continue
            self.bytes += len(body)
            body = gzip.decompress(body) if first == 0x82 else body
            for found in re.finditer(rb'"event":"turn began"[^}]*?"turn":(\d+)', body):
                self.turn = int(found[1])
            return body

    async def listen(self) -> None:
        """Count events until cancelled."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            await self.reader.readexactly(size)
            self.events += first != 0x89

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer; events in between are skipped."""
        self.send({"id": 1, **message})
        while True:
            body = await self.hear()
            if not body.startswith(b'{"k"') and not body.startswith(b'{"head"'):
                return dict(json.loads(body))


async def seven_seats(server: Served) -> tuple[str, str, Socket]:
    """Return a match whose seven powers belong to one person, the person's cookie, and a connected socket."""
    token = server.post("/accounts", {"name": "seven", "password": "correct horse"})["token"]
    opening = {"game": "diplomacy", "config": {"last_year": 1960}, "seats_each": None}
    match, cookie = server.post("/matches", opening, token)["match"], f"{COOKIE}={token}"
    joining = await Socket().open(server.port, match, cookie)
    for power in POWERS:
        answer = await joining.ask({"ask": "join", "seat": power})
        assert "ok" in answer, answer
    joining.writer.close()
    return match, cookie, await Socket().open(server.port, match, cookie)


async def play_turn(player: Socket, turn: int) -> None:
    """Send random orders for every power, which ends the turn."""
    while player.turn < turn:  # events arrive after the answer to the order that ended the turn
        await player.hear()
    legal = (await player.ask({"ask": "orders"}))["orders"]
    for power, orders in legal.items():
        units = {order[:5]: order for order in CHANCE.sample(orders, len(orders))}
        action = [] if any(order.endswith((" B", " D")) for order in orders) else list(units.values())
        answer = await player.ask({"intent": "act", "seat": power, "action": action, "turn": turn})
        assert "ok" in answer, answer


async def spectators() -> None:
    """Print the server's CPU per event and spectator, with all of its work, and its memory."""
    with served() as server:
        match, _, player = await seven_seats(server)
        watching = [await Socket().open(server.port, match) for _ in range(SPECTATORS)]
        listening = [asyncio.ensure_future(one.listen()) for one in watching]
        await play_turn(player, 1)
        await settled(watching)
        told, begun, memory = watching[0].events, server.cpu(), server.memory()
        for turn in range(2, TURNS + 2):
            await play_turn(player, turn)
        await settled(watching)
        events = watching[0].events - told
        spent = server.cpu() - begun
        counts = {one.events for one in watching}
        say(f"{SPECTATORS} spectators, CPU an event and spectator", spent / events / SPECTATORS * 1e6, "µs", 40,
            f"{events} events of {TURNS} turns, all heard by all: {len(counts) == 1}")  # fmt: skip
        grown = server.memory() - memory
        for task in listening:
            task.cancel()
        deaf = [await Socket().open(server.port, match, deaf=True) for _ in range(DEAF)]
        before = server.memory()
        for turn in range(TURNS + 2, TURNS * 3 + 2):
            await play_turn(player, turn)
        each = (server.memory() - before) / (SPECTATORS + DEAF) * 1024
        say(f"memory for {SPECTATORS + DEAF} that read nothing", each, "KiB", 1024,
            f"each, over {TURNS * 2} turns; the readers' {TURNS} turns took {grown:.1f} MiB in all")  # fmt: skip
        for one in (*watching, *deaf, player):
            one.writer.close()


async def settled(sockets: list[Socket]) -> None:
    """Wait until no more events arrive."""
    seen = -1
    while seen != (now := sum(one.events for one in sockets)) or len({one.events for one in sockets}) > 1:
        seen = now
        await asyncio.sleep(0.5)


def encodings() -> None:
    """Print the number of encodings per event for many pages of one view."""
    from parlour.web.view_streams import ViewStream

    async def told() -> tuple[int, int]:
        game = load_game("diplomacy")
        past = list(Past(game, diplomacy_record()).told(OMNISCIENT))
        start = next(i for i, one in enumerate(past) if isinstance(one.event, ev.Started))
        stand = ViewStream(game, OMNISCIENT)
        for one in past[: start + 1]:
            stand.take(one)
        stand.start()
        await stand.ready()
        pages = [stand.join() for _ in range(SPECTATORS)]
        for one in past[start + 1 :]:
            stand.take(one)
            for page in pages:
                await page.get()
        stand.close()
        return stand.encoded, len(past) - start - 1

    encoded, events = asyncio.run(told())
    say(f"encodings an event for {SPECTATORS} pages", encoded / events, "", 1)


def drawing() -> None:
    """Print the time to draw and encode one turn."""
    teller, spent, turns, size = Teller(load_game("diplomacy")), 0.0, 0, 0
    for one in Past(load_game("diplomacy"), diplomacy_record()).told(OMNISCIENT):
        view = one.view
        begun = time.process_time()
        line = teller.tell(one.event, view)
        if isinstance(one.event, ev.TurnEnded):
            size += len(msgspec.json.encode(line))
            spent += time.process_time() - begun
            turns += 1
    print(f"a turn of Diplomacy: {spent / turns * 1000:.1f} ms CPU to draw, {size / turns / 1000:.1f} kB plain")


def home_page() -> None:
    """Print the CPU time of the home page for a person with many matches."""
    terms = Terms(HOSTED, Clock(per_turn=86_400.0), vacancy=Vacancy.DEFAULT)
    agents = {Seat(power): "hold" for power in POWERS if power != "FRANCE"}
    with tempfile.TemporaryDirectory() as folder, WebServer(Path(folder)) as server:
        token = server.sign_in("ann")
        for number in range(MATCHES):
            setup = MatchSetup(game="diplomacy", terms=terms, agents=agents, title=f"Match {number}")
            match = server.run(session_of(server.hall, "house", admin=True).open(setup))
            server.run(session_of(server.hall, "ann").join(match, Seat("FRANCE")))
        spent = []
        for _ in range(20):
            begun = time.process_time()
            assert server.request("GET", "/", token=token).text.count("match-card") >= MATCHES
            spent.append(time.process_time() - begun)
    say(f"home of a person with {MATCHES} matches, CPU", statistics.median(spent) * 1000, "ms", 30, "and of who asks")


# In a browser


def cpu_of(session: Any) -> float:
    """Return the CPU seconds of the processes that draw a page: renderer and painter."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(float(one["cpuTime"]) for one in found if one["type"] in ("renderer", "GPU"))


def first_view(browser: Any, server: Served) -> None:
    """Print the bytes that a browser fetches for the first view of a match, and the time of its first paint."""
    match, _ = server.open_match({"game": "diplomacy", "agent": "hold", "seat": "FRANCE", "last_year": "1960"})
    paints, sizes = [], []
    for _ in range(5):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        got: list[int] = []
        session.on("Network.dataReceived", lambda event, got=got: got.append(int(event["encodedDataLength"])))
        session.on("Network.webSocketFrameReceived", lambda event, got=got: got.append(size_of(event["response"])))
        page.goto(f"{server.url}/match/{match}")
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(200)
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        sizes.append(sum(got))
        context.close()
    say(
        "first view, packed", statistics.median(sizes) / 1000, "kB", 130, "scripts, style, map and what the socket says"
    )
    say("first contentful paint, median of 5", statistics.median(paints), "ms", 300, f"best {min(paints):.0f}")


def size_of(frame: dict[str, Any]) -> int:
    """Return the bytes of a frame; the browser reports binary frames as base64 text."""
    data = str(frame["payloadData"])
    return len(data) * 3 // 4 if frame["opcode"] == 2 else len(data.encode())


def swaps(browser: Any, folder: Path) -> None:
    """Print the CPU time to show another phase, and of a frame of gliding pieces."""
    page_file = folder / "replay.html"
    page_file.write_text(replay_page(story_of(load_game("diplomacy"), press_record(), title="bench")), encoding="utf-8")
    session, still = browser.new_browser_cdp_session(), 0.0
    for motion in ("reduce", "no-preference"):
        context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion=motion)
        page = context.new_page()
        page.goto(page_file.as_uri() + "#S1901M")
        page.wait_for_selector(".stage")
        page.evaluate(FRAMES)
        page.evaluate("([count, slower]) => window.swap(count, slower)", [WARM, 1])
        count, slower = (SWAPS, 1) if motion == "reduce" else (GLIDES, SLOWER)
        begun = cpu_of(session)
        frames = page.evaluate("([count, slower]) => window.swap(count, slower)", [count, slower])
        spent = (cpu_of(session) - begun) * 1000 / count
        if motion == "reduce":
            still = spent
            say("phase swap, CPU of page and painter", still, "ms", 25, f"of {count} swaps, two frames each")
            # A rest at a phase also costs its address, and all that a page postpones until it is quiet.
            quiet = [rested(page, session, swaps) for swaps in (RESTS, 0, RESTS, 0)]
            more = (quiet[0] + quiet[2] - quiet[1] - quiet[3]) / 2 / RESTS
            print(f"  a swap at which one stays, all until the page is quiet: {more:.1f} ms beyond an idle page")
        else:
            each = max(0.0, spent - still) / (frames / count)
            say("glide frame, CPU of page and painter", each, "ms", 12, f"of {frames} frames")
        context.close()


def rested(page: Any, session: Any, swaps: int) -> float:
    """Return the CPU milliseconds of some swaps with a rest after each; the total time is always the same."""
    begun = cpu_of(session)
    page.evaluate("([swaps, rests, rest]) => window.rest(swaps, rests, rest)", [swaps, RESTS, REST])
    return (cpu_of(session) - begun) * 1000


FRAMES = """() => {
  window.press = async (key, slower) => {
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const gliding = slower > 1 ? document.getAnimations().filter((one) => one.effect.target.closest(".stage")) : [];
    for (const one of gliding) one.updatePlaybackRate(1 / slower);
    let frames = 0;
    while (frames < 2 || gliding.some((one) => one.playState === "running")) {
      await new Promise((settle) => requestAnimationFrame(settle));
      frames += 1;
    }
    return frames;
  };
  window.rest = async (swaps, rests, rest) => {
    for (let i = 0; i < rests; i++) {
      const key = ["ArrowRight", "ArrowLeft"][i % 2];
      if (i < swaps) document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((settle) => setTimeout(settle, rest));
    }
  };
  window.swap = async (count, slower) => {
    let frames = 0;
    for (let i = 0; i < count; i++) frames += await window.press(["ArrowRight", "ArrowLeft"][i % 2], slower);
    return frames;
  };
}"""
"""Functions that run in the page: a call from outside for each swap would add to its cost."""


def order_to_screen(browser: Any, server: Served) -> None:
    """Print the time from an order in one browser to the same order drawn in another browser of the same person."""
    match, cookie = server.open_match({"game": "diplomacy", "agent": "hold", "seat": "FRANCE", "last_year": "1960"})
    name, _, value = cookie.partition("=")
    tabs = []
    for _ in range(2):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": server.url}])
        page = context.new_page()
        page.goto(f"{server.url}/match/{match}")
        page.wait_for_selector("[data-unit=PAR] select")
        tabs.append(page)
    sender, screen = tabs
    took = []
    for number in range(ORDERS):
        wanted = ("A PAR - BUR", "A PAR - PIC")[number % 2]
        seen = screen.evaluate_handle(SEEN, wanted)
        sent = sender.evaluate(SEND, wanted)
        took.append(float(screen.evaluate("(seen) => seen.promise", seen)) - sent)
    say(f"order to another screen, p50 of {ORDERS}", statistics.median(took), "ms", 50,
        f"p95 {sorted(took)[int(ORDERS * 0.95) - 1]:.0f}")  # fmt: skip


SEND = """(order) => {
  const select = document.querySelector("[data-unit=PAR] select");
  select.value = order;
  const now = performance.timeOrigin + performance.now();
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return now;
}"""
SEEN = """(order) => ({
  promise: new Promise((settle) => {
    const look = () => {
      const titles = [...document.querySelectorAll("[data-layer=orders] title")];
      if (titles.some((one) => one.textContent.startsWith(order))) settle(performance.timeOrigin + performance.now());
      else requestAnimationFrame(look);
    };
    look();
  }),
})"""


def main() -> None:
    """Print all figures, each beside its limit."""
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    drawing()
    encodings()
    home_page()
    asyncio.run(spectators())
    if CHROMIUM is None:
        print("chromium is not installed, so nothing is measured in a browser: run tools/web/install")
        return
    with served() as server, chromium() as browser, tempfile.TemporaryDirectory() as folder:
        first_view(browser, server)
        swaps(browser, Path(folder))
        order_to_screen(browser, server)


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
