"""Further attacks of the same kinds: endless frames, clocks without time, memory that is never released."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

from house import House
from house_attacks import API, POWERS, open_match
from table import Happened, attack
from wire import HOST, Reply, ask, new_account

MEBIBYTE = 1 << 20
START = "standard S1901M FRA=APAR,FBRE,AMAR;GER=AMUN,FKIE,ABER FRA=PAR,BRE,MAR;GER=MUN,KIE,BER - - rules:"
VARIATIONS = ("build-anywhere", "every-phase", "held-win", "unchecked", "fog")


def memory(house: House) -> int:
    """Return the resident bytes of the server."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{house.pid}/status").read_text())
    return 1024 * int(found[1]) if found else 0


async def shaken(port: int) -> asyncio.StreamWriter:
    """Open a websocket and return its writer; nothing more is read from it."""
    reader, writer = await asyncio.open_connection(HOST, port)
    key = base64.b64encode(os.urandom(16)).decode()
    upgrade = f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13"
    writer.write(f"GET / HTTP/1.1\r\nHost: {HOST}:{port}\r\n{upgrade}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    return writer


async def flooded(port: int, seconds: float, begin: bytes, frame: bytes) -> Happened:
    """Send one frame repeatedly; return the number sent before the server disconnected or read no more."""
    writer, sent, end = await shaken(port), 0, time.monotonic() + seconds
    told = "all were read"
    try:
        writer.write(begin)
        while time.monotonic() < end:
            writer.write(frame * 2000)
            sent += 2000
            async with asyncio.timeout(max(0.1, end - time.monotonic())):
                await writer.drain()
            await asyncio.sleep(0)
    except TimeoutError:
        told = "read no more"
    except ConnectionError:
        told = "hung up"
    finally:
        writer.transport.abort()
    return Happened(f"{sent:,} frames were sent: {told}")


@attack(13, "a websocket message of endless empty pieces", floods=True)
async def empty_pieces(house: House, seconds: float) -> Happened:
    return await flooded(house.ports["mila"], seconds, b"\x01\x81\0\0\0\0{", b"\x00\x80\0\0\0\0")


@attack(13, "pings without end", floods=True)
async def pings(house: House, seconds: float) -> Happened:
    return await flooded(house.http, seconds, b"", b"\x89\x80\0\0\0\0")


CHUNKED = f"Host: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


@attack(13, "bodies in chunks of one byte, to where nobody reads them, and trailers without end", floods=True)
async def endless_bodies(house: House, seconds: float) -> Happened:
    kinds = {
        "one byte": (b"POST /sandbox HTTP/1.1\r\n" + CHUNKED, b"1\r\na\r\n" * 5000),
        "unwanted": (b"GET /api/v1/health HTTP/1.1\r\n" + CHUNKED, b"8\r\naaaaaaaa\r\n" * 5000),
        "extension": (b"POST /sandbox HTTP/1.1\r\n" + CHUNKED + b"1;", b"x" * 60_000),
        "trailers": (b"POST /sandbox HTTP/1.1\r\n" + CHUNKED + b"0\r\n", b"a:b\r\n" * 5000),
    }
    endless = []
    for kind, (begin, more) in kinds.items():
        _, writer = await asyncio.open_connection(HOST, house.http)
        end = time.monotonic() + seconds / len(kinds)
        try:
            writer.write(begin)
            while time.monotonic() < end:
                writer.write(more)
                async with asyncio.timeout(max(0.1, end - time.monotonic())):
                    await writer.drain()
            endless.append(kind)
        except (TimeoutError, ConnectionError):
            pass
        finally:
            writer.transport.abort()
    return Happened(f"taken without end: {endless or 'none'}", succeeded=bool(endless))


@attack(11, "matches with clocks of a billionth of a second", floods=True)
async def no_time(house: House, seconds: float) -> Happened:
    owner, seen, end = await new_account(house.http), Counter[int](), time.monotonic() + seconds
    terms = {"conduct": "lenient", "seats_to_start": 1, "vacancy": "default", "clock": {"per_turn": 1e-9}}
    while time.monotonic() < end:
        opened = await open_match(house, owner, config={"years": 100, "rules": ["every-phase"]}, terms=terms)
        seen[opened.status] += 1
        if opened.status < 300:
            await ask(house.http, "POST", f"{API}/matches/{opened.json['match']}/seats", {}, token=owner.token)
    return Happened(f"answered with {dict(seen)}", succeeded=201 in seen)


@attack(11, "fifty matches with the shortest clocks, at which nobody plays", floods=True)
async def short_clocks(house: House, seconds: float) -> Happened:
    owner, turns = await new_account(house.http), 0
    terms = {"conduct": "lenient", "seats_to_start": 1, "vacancy": "default", "clock": {"per_turn": 0.01}}
    names = []
    for _ in range(50):
        opened = await open_match(house, owner, config={"years": 100}, terms=terms, listed=False)
        if opened.status < 300:
            names.append(str(opened.json["match"]))
            await ask(house.http, "POST", f"{API}/matches/{names[-1]}/seats", {}, token=owner.token)
    await asyncio.sleep(seconds)
    for name in names:
        turns += (await ask(house.http, "GET", f"{API}/matches/{name}", token=owner.token)).json["turn"]
        cancel = {"intent": "cancel", "by": owner.name, "reason": "it was an attack"}
        await ask(house.http, "POST", f"{API}/matches/{name}/intents", cancel, token=owner.token)
    return Happened(f"{len(names)} matches played {turns:,} turns")


@attack(11, "a DumbBot of another kind on every seat of every match")
async def kinds_of_agents(house: House, seconds: float) -> Happened:
    owner, before, kinds = await new_account(house.http), 0, 0
    for number in range(40):
        agents = {power: f"dumbbot:gap={7 * number + at}" for at, power in enumerate(POWERS)}
        opened = await open_match(house, owner, agents=agents, config={"years": 1}, listed=False)
        kinds += 7 * (opened.status < 300)
        if number == 12:
            await asyncio.sleep(2.0)
            before = memory(house)
    await asyncio.sleep(2.0)
    more = memory(house) - before
    return Happened(f"{kinds} kinds; the last 189 of them took {more / MEBIBYTE:.0f} MiB", more > 50 * MEBIBYTE)


@attack(4, "sandbox: every variation of the rules, each of which is drawn")
async def variations(house: House, seconds: float) -> Happened:
    before, seen = memory(house), Counter[int]()
    for number in range(1, 32):
        rules = ",".join(word for at, word in enumerate(VARIATIONS) if number >> at & 1)
        reply = await ask(house.http, "POST", "/sandbox", {"position": START + rules, "judge": True})
        seen[reply.status] += 1
        await asyncio.sleep(0.1)
    more = memory(house) - before
    return Happened(f"{dict(seen)}; {more / MEBIBYTE:.0f} MiB more are in use", more > 50 * MEBIBYTE)


@attack(7, "ninety requests for a whole record at once, beside one for another's")
async def whole_records(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    agents = dict.fromkeys(POWERS, "random")
    long = (await open_match(house, owner, agents=agents, config={"years": 20})).json["match"]
    short = (await open_match(house, owner, agents=agents, config={"years": 1})).json["match"]
    await asyncio.sleep(seconds)

    async def one(number: int) -> Reply:
        path = f"{API}/matches/{long}/saved-game"
        return await ask(house.http, "GET", path, source=f"127.0.5.{1 + number % 3}")

    flood = [asyncio.ensure_future(one(number)) for number in range(90)]
    await asyncio.sleep(0.5)
    begun = time.monotonic()
    reply = await ask(house.http, "GET", f"{API}/matches/{short}/phases", source="127.0.6.1")
    took = time.monotonic() - begun
    answered = Counter(reply.status for reply in await asyncio.gather(*flood))
    return Happened(f"{reply.status} after {took:.1f} s beside {dict(answered)}", reply.status != 200 or took > 8.0)


ODD_PATHS = (
    *(f"/match/{odd}" for odd in ("%00", "%ff", "..%2f..%2fetc", "x/export/picture/" + "9" * 30)),
    *(f"/player/{odd}" for odd in ("%00", "%ff%fe", "x" * 8000)),
    *(f"/{odd}" for odd in ("tournament/%00", "enter?key=%ff", "?after=%00", "?text=%00", "learn?lesson=" + "9" * 30)),
    *(f"/sandbox?{odd}" for odd in ("map=../../etc/passwd", "game=%00", "x=" + "A" * 60_000)),
    *(f"{API}/matches?{odd}" for odd in ("after=%00", "owner=%00", "limit=" + "9" * 30, "player=" + "x" * 50_000)),
)
ENDPOINTS = ("https://[", "https://[::1", "https://[x]/", "https://a.b:99999999999/", "https://a.b/\r\nX: y", "")
ODD_BODIES = (
    b"[" * 100_000,
    b'{"game":"diplomacy","config":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
    b'{"game":"diplomacy","config":{"last_year":1' + b"0" * 5000 + b"}}",
    b'{"game":"diplomacy","title":"\\ud800"}',
    b'{"game":"fish","config":{"rows":1e308,"cols":-1}}',
)


@attack(4, "addresses, numbers and nesting that nobody expects")
async def odd_requests(house: House, seconds: float) -> Happened:
    somebody, seen = await new_account(house.http), Counter[int]()
    form = urlencode({"name": somebody.name, "password": "a good password"}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    signed_in = await ask(house.http, "POST", "/signin", form, headers=kind)
    ours = {"Cookie": signed_in.headers["set-cookie"].split(";")[0], "Origin": f"http://{HOST}:{house.http}"}
    for path in ODD_PATHS:
        seen[(await ask(house.http, "GET", path, headers=ours)).status] += 1
    for endpoint in ENDPOINTS:
        seen[(await ask(house.http, "POST", "/account/push", {"endpoint": endpoint}, headers=ours)).status] += 1
    for body in ODD_BODIES:
        json = {"Content-Type": "application/json"}
        seen[(await ask(house.http, "POST", f"{API}/matches", body, token=somebody.token, headers=json)).status] += 1
    return Happened(f"answered with {dict(sorted(seen.items()))}", succeeded=max(seen) >= 500)


@attack(11, "the first page, while more matches wait for players than it looks through")
async def exhibitions(house: House, seconds: float) -> Happened:
    owner, shown = await new_account(house.http), set[str]()
    for _ in range(2):
        for _ in range(55):
            await open_match(house, owner)
        for _ in range(3):
            page = (await ask(house.http, "GET", "/")).body.decode()
            shown.update(re.findall(r'data-match="([^"]+)"', page))
    return Happened(f"{len(shown)} matches of the house were opened", succeeded=len(shown) > 1)


@attack(22, "pages from an address that has used up its requests, by somebody who has signed in there")
async def crowded_address(house: House, seconds: float) -> Happened:
    source, seen = "127.0.9.1", Counter[int]()
    honest = await new_account(house.http, source=source)
    cookie = {"Cookie": f"parlour={honest.token}"}
    await ask(house.http, "GET", "/account", headers=cookie, source=source)
    flood = [asyncio.ensure_future(ask(house.http, "GET", "/learn", source=source)) for _ in range(400)]
    await asyncio.wait(flood)
    for _ in range(5):
        seen[(await ask(house.http, "GET", "/learn", headers=cookie, source=source)).status] += 1
    refused = sum(one.result().status == 429 for one in flood if one.exception() is None)
    return Happened(f"{refused} of the others were refused; it got {dict(seen)}", succeeded=seen[200] < 5)
