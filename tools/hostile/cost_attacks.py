"""Attacks on everybody's time: requests of great cost, floods of lines, sign-ins."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from urllib.parse import quote

import websockets
from house import ADMIN, House
from table import Happened, attack, repeated
from wire import HOST, Client, ask, new_account, signed_in

MANY = {"FRANCE": ["A PAR - BUR"] * 2000}
START = {
    "phase": "S1901M",
    "units": {"FRANCE": ["A PAR", "A MAR", "F BRE"], "GERMANY": ["A MUN", "A BER", "F KIE"]},
}


@attack(4, "sandbox: one order 2,000 times, judged", floods=True)
async def judge_many(house: House, seconds: float) -> Happened:
    async def once() -> str:
        return str((await ask(house.http, "POST", "/sandbox", {"orders": MANY, "judge": True})).status)

    return await repeated(seconds, once)


@attack(4, "sandbox: as many different orders as fit", floods=True)
async def judge_different(house: House, seconds: float) -> Happened:
    orders = {"FRANCE": [f"A PAR - {number}" for number in range(1500)]}

    async def once() -> str:
        return str((await ask(house.http, "POST", "/sandbox", {"orders": orders, "judge": True})).status)

    return await repeated(seconds, once)


@attack(4, "API: a drawing with 20,000 orders", floods=True)
async def draw_many(house: House, seconds: float) -> Happened:
    body = json.dumps({**START, "orders": {"FRANCE": ["A PAR - BUR"] * 20_000}}).encode()

    async def once() -> str:
        return str((await ask(house.http, "POST", "/api/v1/games/diplomacy/draw", body)).status)

    return await repeated(seconds, once)


@attack(4, "API: adjudications without end", floods=True)
async def adjudicate_many(house: House, seconds: float) -> Happened:
    body = json.dumps({**START, "orders": {"FRANCE": [f"A PAR - BUR {n}" for n in range(70)]}}).encode()

    async def once() -> str:
        return str((await ask(house.http, "POST", "/api/v1/games/diplomacy/adjudicate", body)).status)

    return await repeated(seconds, once)


@attack(4, "pages: the first page without end", floods=True)
async def home_page(house: House, seconds: float) -> Happened:
    async def once() -> str:
        return str((await ask(house.http, "GET", "/")).status)

    return await repeated(seconds, once)


async def open_game(house: House) -> tuple[Client, str, dict[str, str]]:
    """Return a client, the game that it plays alone, and the fields that name the game in each request."""
    client, game = await Client.connect(house.ports["mila"]), f"game {time.time_ns()}"
    await client.sign_in(f"player {time.time_ns()}")
    await client.ask("create_game", game_id=game, power_name="FRANCE", n_controls=1, deadline=0, rules=[])
    about = {"game_id": game, "game_role": "FRANCE", "phase": "S1901M"}
    await client.ask("set_orders", orders=["A PAR H"], wait=True, **about)
    return client, game, about


@attack(13, "page line: possible orders in a loop, all read", floods=True)
async def ask_orders(house: House, seconds: float) -> Happened:
    (client, game, _), answers, end = await open_game(house), 0, time.monotonic() + seconds
    async with websockets.connect(f"ws://{HOST}:{house.http}/match/{quote(game)}/line", max_size=None) as line:
        await line.send("{}")

        async def read() -> None:
            nonlocal answers
            async for _ in line:
                answers += 1

        reading = asyncio.ensure_future(read())
        while time.monotonic() < end:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.01, end - time.monotonic())):
                    await line.send('{"id": 1, "ask": "orders"}')
            await asyncio.sleep(0)  # or else nothing is ever read
        reading.cancel()
    await client.close()
    assert answers > 1, "nothing was answered, so nothing was tried"
    return Happened(f"{answers} answers")


@attack(13, "page line: possible orders in a loop, none read", floods=True)
async def ask_unread(house: House, seconds: float) -> Happened:
    (client, game, _), sent, end = await open_game(house), 0, time.monotonic() + seconds
    address = f"ws://{HOST}:{house.http}/match/{quote(game)}/line"
    line = await websockets.connect(address, max_queue=1, ping_interval=None)
    await line.send("{}")
    while time.monotonic() < end:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.2):
                await line.send('{"id": 1, "ask": "orders"}')
                sent += 1
    line.transport.abort()
    await client.close()
    return Happened(f"{sent} lines were taken")


@attack(13, "diplomacy door: possible orders in a loop", floods=True)
async def ask_possible(house: House, seconds: float) -> Happened:
    client, _, about = await open_game(house)
    answers, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(32):
            await client.send("get_all_possible_orders", **about)
        for _ in range(32):
            await client.line.recv()
            answers += 1
    await client.close()
    assert answers, "nothing was answered, so nothing was tried"
    return Happened(f"{answers} answers")


@attack(13, "diplomacy door: a saved game in a loop", floods=True)
async def ask_saved(house: House, seconds: float) -> Happened:
    client, _, about = await open_game(house)

    async def once() -> str:
        return str((await client.ask("save_game", **about))["name"])

    found = await repeated(seconds, once)
    await client.close()
    return found


@attack(13, "diplomacy door: lines that are no requests", floods=True)
async def garbage_lines(house: House, seconds: float) -> Happened:
    client, sent, end = await Client.connect(house.ports["mila"]), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(TimeoutError, websockets.ConnectionClosed):
            async with asyncio.timeout(0.2):
                await client.line.send('{"name": "no such request", "request_id": "1"}')
                sent += 1
                if not sent % 16:
                    for _ in range(16):
                        await client.line.recv()
    client.line.transport.abort()
    return Happened(f"{sent} lines were taken")


@attack(13, "diplomacy door: repetitions of one request on many connections, of which some displace others")
async def displaced_requests(house: House, seconds: float) -> Happened:
    async def answered(number: int) -> int:
        client = await Client.connect(house.ports["mila"])
        for re_sent in (False, True, False, True):
            ask_port = {"request_id": f"r{number}", "name": "get_daide_port", "game_id": "none", "re_sent": re_sent}
            await client.line.send(json.dumps(ask_port))
        count = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while count < 4:
                    await client.line.recv()
                    count += 1
        await client.close()
        return count

    counts = await asyncio.gather(*map(answered, range(100)))
    return Happened(f"{sum(counts)} of {4 * len(counts)} were answered", succeeded=sum(counts) < 4 * len(counts))


@attack(13, "DAIDE door: questions in a loop", floods=True)
async def ask_daide(house: House, seconds: float) -> Happened:
    reader, writer = await asyncio.open_connection(HOST, house.ports["daide"])
    writer.write(b"\x00\x00\x00\x04\x00\x01\xda\x10")
    await reader.read(1 << 16)
    mapped = b"\x02\x00\x00\x02\x48\x08"  # MAP
    answers, end = 0, time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            writer.write(mapped * 64)
            async with asyncio.timeout(5.0):
                await writer.drain()
                answers += len(await reader.read(1 << 16))
    except (OSError, TimeoutError) as error:
        return Happened(f"{answers:,} bytes of answers, then {type(error).__name__}")
    finally:
        writer.close()
    assert answers, "nothing was answered, so nothing was tried"
    return Happened(f"{answers:,} bytes of answers")


@attack(13, "Fish door: values that nobody asked for", floods=True)
async def fish_noise(house: House, seconds: float) -> Happened:
    cut, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        reader, writer = await asyncio.open_connection(HOST, house.ports["fish"])
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                for _ in range(20):
                    writer.write(b"[1] " * 4000)
                    await writer.drain()
                await reader.read()
        cut += 1
        writer.close()
    return Happened(f"{cut} connections were cut off")


@attack(22, "wrong sign-ins as admin from 100 addresses, then the right one")
async def lock_admin_out(house: House, seconds: float) -> Happened:
    wrong = {"name": "admin", "password": "a wrong password"}

    async def guess(number: int) -> int:
        source = f"127.1.{number // 250}.{number % 250 + 1}"
        return (await ask(house.http, "POST", "/api/v1/tokens", wrong, source=source)).status

    found = await asyncio.gather(*(guess(number % 100) for number in range(400)), return_exceptions=True)
    begun = time.monotonic()
    try:
        async with asyncio.timeout(25.0):
            await signed_in(house.http, "admin", ADMIN)
    except (PermissionError, TimeoutError) as error:
        return Happened(f"the administrator was kept out: {error}", succeeded=True)
    refused = sum(one == 403 for one in found)
    return Happened(f"{refused} of 400 wrong ones told so; the right one took {time.monotonic() - begun:.1f} s")


@attack(22, "wrong sign-ins under forged addresses, then the right one")
async def forged_addresses(house: House, seconds: float) -> Happened:
    wrong = {"name": "admin", "password": "a wrong password"}
    seen = []
    for number in range(20):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                forged = {"X-Forwarded-For": f"192.0.2.{number}"}
                seen.append((await ask(house.http, "POST", "/api/v1/tokens", wrong, headers=forged)).status)
    try:
        async with asyncio.timeout(25.0):
            await signed_in(house.http, "admin", ADMIN)
    except (PermissionError, TimeoutError) as error:
        return Happened(f"the administrator was kept out: {error}", succeeded=True)
    believed = len(seen) == 20
    return Happened(f"{len(seen)} of 20 guesses were answered at once, then they were held", succeeded=believed)


@attack(22, "84 bots of one address register and sign in at once")
async def laboratory(house: House, seconds: float) -> Happened:
    async def come_in(number: int) -> str:
        client = await Client.connect(house.ports["mila"])
        await client.sign_in(f"bot {number} of {time.time_ns()}")
        await client.close()
        return client.token

    async with asyncio.timeout(60.0):
        found = await asyncio.gather(*(come_in(number) for number in range(84)), return_exceptions=True)
    inside = sum(isinstance(one, str) for one in found)
    return Happened(f"{inside} of 84 came in", succeeded=inside < 84)


@attack(22, "30 accounts of one address over HTTP at once")
async def laboratory_http(house: House, seconds: float) -> Happened:
    async with asyncio.timeout(60.0):
        found = await asyncio.gather(*(new_account(house.http) for _ in range(30)), return_exceptions=True)
    inside = sum(not isinstance(one, BaseException) for one in found)
    return Happened(f"{inside} of 30 came in", succeeded=inside < 30)
