"""Attacks by long records: a match gets many messages once, and then small requests make the server read them all."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter

import websockets
from house import House
from house_attacks import API, open_match
from table import Happened, attack, repeated
from wire import HOST, Client, ask, new_account

TALKERS = 5
MESSAGES = 3000
"""Number of messages of each player who fills a record."""
AT_ONCE = 50
_long: dict[int, str] = {}
"""The long match of each start of a server."""


async def long_match(house: House) -> str:
    """Return a match with many messages; it is made at the first call."""
    if house.starts not in _long:
        client = await Client.connect(house.ports["mila"])
        await client.sign_in(f"host {time.time_ns()}")
        match = f"long {time.time_ns()}"
        fields = {"rules": ["POWER_CHOICE"], "n_controls": 7, "deadline": 0}
        created = await client.ask("create_game", game_id=match, power_name="FRANCE", **fields)
        assert created["name"] == "data_game", created
        powers = ("AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA")[: TALKERS - 1]
        talkers = [fill(client, match, "FRANCE"), *(talk(house, match, power) for power in powers)]
        await asyncio.gather(*talkers)
        await client.close()
        _long[house.starts] = match
    return _long[house.starts]


async def talk(house: House, match: str, power: str) -> None:
    """Take a seat, and send many messages."""
    client = await Client.connect(house.ports["mila"])
    await client.sign_in(f"talker {power} {time.time_ns()}")
    joined = await client.ask("join_game", game_id=match, power_name=power)
    assert joined["name"] == "data_game", joined
    await fill(client, match, power)
    await client.close()


async def fill(client: Client, match: str, power: str, messages: int = MESSAGES, *, to: str = "GLOBAL") -> None:
    """Send many messages."""
    about = {"game_id": match, "game_role": power, "phase": "S1901M"}
    for first in range(0, messages, AT_ONCE):
        wanted = set()
        for number in range(first, first + AT_ONCE):
            said = {"sender": power, "recipient": to, "phase": "S1901M", "message": f"hello {number}"}
            wanted.add(await client.send("send_game_message", message=said, **about))
        while wanted:
            text = str(await client.line.recv())
            wanted -= {one for one in wanted if f'"{one}"' in text[:200] or f'"{one}"' in text[-200:]}


@attack(7, "a long record: pages that open it again and again", floods=True, prepare=long_match)
async def long_pages(house: House, seconds: float) -> Happened:
    match, opened, end = await long_match(house), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(TimeoutError, websockets.WebSocketException):
            async with asyncio.timeout(15.0):
                address = f"ws://{HOST}:{house.http}/match/{match.replace(' ', '%20')}/line"
                async with websockets.connect(address, max_size=None) as line:
                    await line.send("{}")
                    await line.recv()
                    opened += 1
    assert opened, "nothing was answered, so nothing was tried"
    return Happened(f"{opened} pages of {TALKERS * MESSAGES:,} messages")


@attack(7, "a long record: a page that asks for another head in a loop", floods=True, prepare=long_match)
async def long_heads(house: House, seconds: float) -> Happened:
    match, sent, heads, end = await long_match(house), 0, 0, time.monotonic() + seconds
    address = f"ws://{HOST}:{house.http}/match/{match.replace(' ', '%20')}/line"
    async with websockets.connect(address, max_size=None, max_queue=None) as line:
        await line.send("{}")
        await line.recv()

        async def read() -> None:
            nonlocal heads
            async for message in line:
                heads += len(message) > MESSAGES

        reading = asyncio.ensure_future(read())
        while time.monotonic() < end:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.01, end - time.monotonic())):
                    await line.send(f'{{"id": {sent}, "ask": "anew"}}')
                    sent += 1
            await asyncio.sleep(0)  # or else nothing is ever read
        reading.cancel()
    assert heads, "nothing was answered, so nothing was tried"
    return Happened(f"{sent:,} lines were taken, {heads} heads of {TALKERS * MESSAGES:,} messages came")


@attack(7, "a long record: clients that join and leave", floods=True, prepare=long_match)
async def long_joins(house: House, seconds: float) -> Happened:
    match, joined, end = await long_match(house), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        client = await Client.connect(house.ports["mila"])
        await client.sign_in(f"watcher {time.time_ns()}")
        async with asyncio.timeout(30.0):
            await client.send("join_game", game_id=match)
            joined += len(await client.line.recv()) > MESSAGES
        await client.close()
    return Happened(f"{joined} games of {TALKERS * MESSAGES:,} messages")


@attack(7, "a long record: a client that asks again and again what it missed", floods=True, prepare=long_match)
async def long_synchronizing(house: House, seconds: float) -> Happened:
    match, asked = await long_match(house), 0
    client = await Client.connect(house.ports["mila"])
    await client.sign_in(f"watcher {time.time_ns()}")
    await client.ask("join_game", game_id=match)
    about, end = {"game_id": match, "game_role": "observer_type", "phase": "S1901M"}, time.monotonic() + seconds
    while time.monotonic() < end:
        answer = await client.ask("synchronize", timestamp=0, **about)
        assert answer["name"] == "data_game_info", answer
        asked += 1
    told = len(client.heard)
    await client.close()
    assert told > MESSAGES, "nothing was told, so nothing was tried"
    return Happened(f"{told:,} messages for {asked} questions")


@attack(7, "a long record: saved games, turns, pictures and events from the end", floods=True, prepare=long_match)
async def long_reads(house: House, seconds: float) -> Happened:
    match, seen, end = (await long_match(house)).replace(" ", "%20"), Counter[int](), time.monotonic() + seconds
    last = TALKERS * MESSAGES - 5
    while time.monotonic() < end:
        for part in ("saved-game", "phases", "picture", f"events?since={last}&limit=1"):
            seen[(await ask(house.http, "GET", f"{API}/matches/{match}/{part}")).status] += 1
    return Happened(f"answered with {dict(seen)}")


HIDDEN = 6000
"""Number of private messages in a record of which a stranger may see little."""
_whispered: dict[int, str] = {}
"""The match of private messages of each start of a server."""


async def whispered_match(house: House) -> str:
    """Return a match with many private messages; it is made at the first call."""
    if house.starts not in _whispered:
        owner, other = [await new_account(house.http) for _ in range(2)]
        terms = {"seats_to_start": 2, "wait_flags_up": True, "press": {"mode": "any time", "max_per_turn": 100_000}}
        match = str((await open_match(house, owner, terms=terms)).json["match"])
        for account, seat in ((owner, "FRANCE"), (other, "ITALY")):
            await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": seat}, token=account.token)
        client = await Client.connect(house.ports["mila"])
        await client.sign_in(owner.name)
        joined = await client.ask("join_game", game_id=match, power_name="FRANCE")
        assert joined["name"] == "data_game", joined
        await fill(client, match, "FRANCE", HIDDEN, to="ITALY")
        await client.close()
        _whispered[house.starts] = match
    return _whispered[house.starts]


@attack(7, "a record of private messages: its few public events in a loop", floods=True, prepare=whispered_match)
async def hidden_between(house: House, seconds: float) -> Happened:
    match = await whispered_match(house)

    async def once() -> str:
        return str((await ask(house.http, "GET", f"{API}/matches/{match}/events")).status)

    return await repeated(seconds, once)
