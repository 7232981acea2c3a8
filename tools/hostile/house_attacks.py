"""Attacks through house agents and through the store: files, crashes, endless thinking, full disks, moved stores."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from typing import Any
from urllib.parse import urlencode

from house import House
from table import Happened, attack
from wire import Account, Reply, ask, new_account

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
API = "/api/v1"
PRESS = "any time"


async def open_match(house: House, owner: Account, **fields: Any) -> Reply:
    """Open a match of Diplomacy over HTTP."""
    body = {"game": "diplomacy", **fields}
    return await ask(house.http, "POST", f"{API}/matches", body, token=owner.token)


async def intend(house: House, who: Account, match: str, **intent: Any) -> Reply:
    """Send an intent over HTTP."""
    return await ask(house.http, "POST", f"{API}/matches/{match}/intents", intent, token=who.token)


@attack(1, "agents that open files: a form of a stranger, and the API")
async def agents_open_files(house: House, seconds: float) -> Happened:
    pipe = house.folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    owner, told = await new_account(house.http), []
    for spec in ("deepmind:/dev/ptmx", f"net:{pipe}", "net:/etc/passwd", "net:/no/such/file", f"{pipe}:Bot"):
        form = urlencode({"game": "diplomacy", "seat": "FRANCE", "agent": spec}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        async with asyncio.timeout(10.0):
            page = await ask(house.http, "POST", "/new", form, headers=headers)
            api = await open_match(house, owner, agents={"ITALY": spec})
        told += [page.body.split(b"alert")[-1][:300], api.body]
        if page.status < 400 or api.status < 400:
            return Happened(f"{spec} was taken", succeeded=True)
    leaks = {
        word for text in told for word in (b"No such file", b"Permission denied", b"Is a directory") if word in text
    }
    return Happened(f"all refused{', but it says ' + str(leaks) if leaks else ''}", succeeded=bool(leaks))


@attack(2, "four matches whose agents cannot think in time")
async def hurried_agents(house: House, seconds: float) -> Happened:
    owner, opened = await new_account(house.http), []
    agents = {**dict.fromkeys(POWERS, "search:budget=20000")}
    for _ in range(4):
        terms = {"clock": {"per_turn": 0.1}}
        opened.append((await open_match(house, owner, agents=agents, terms=terms)).status)
    await asyncio.sleep(2 * seconds)
    return Happened(f"answers {opened}", succeeded=bool(house.ended))


SLOWER = 2.0
"""Maximum factor by which a crowd of matches of house agents may delay a table of quick ones."""
ROUNDS = (2, 6)
"""Minimum and maximum number of rounds: quick tables without the crowd, and then beside it, under the same load."""
TABLES = 2
"""Number of quick tables of each kind per round."""
PATIENCE = 30.0
"""Seconds after which no further round begins."""


async def quick_table(house: House, owner: Account) -> float:
    """Return the seconds in which a table of quick house agents plays a match that is always the same."""
    agents = dict.fromkeys(POWERS, "dumbbot")
    reply = await open_match(house, owner, agents=agents, config={"last_year": 1925}, seed=7)
    match, begun = reply.json["match"], time.monotonic()
    async with asyncio.timeout(40.0):
        while True:
            found = await ask(house.http, "GET", f"{API}/matches/{match}", token=owner.token)
            if found.json.get("status") == "over":
                return time.monotonic() - begun
            await asyncio.sleep(0.02)


async def beside_crowd(house: House, specs: list[str]) -> Happened:
    """Compare quick tables without and beside a crowd of matches, in turn; the median times are compared.

    The machine may be busy with other programs, so a crowd that seems to be in the way is measured again.
    """
    honest, answers, end = await new_account(house.http), set[int](), time.monotonic() + PATIENCE
    alone, beside = [], []
    for number in range(ROUNDS[1]):
        alone += [await quick_table(house, honest) for _ in range(TABLES)]
        owner = await new_account(house.http)
        crowd = [
            await open_match(house, owner, agents=dict.fromkeys(POWERS, spec), listed=False, config={"last_year": 5000})
            for spec in specs
        ]
        answers |= {reply.status for reply in crowd}
        try:
            beside += [await quick_table(house, honest) for _ in range(TABLES)]
        except TimeoutError:
            return Happened("an honest table of agents did not end in 40 s", succeeded=True)
        for reply in crowd:
            if reply.status < 300:
                match, why = reply.json["match"], "it was an attack"
                ended = await intend(house, owner, match, intent="cancel", by=owner.name, reason=why)
                assert ended.status < 300 or b"over" in ended.body, ended
        slower = statistics.median(beside) / statistics.median(alone)
        if time.monotonic() > end or (number + 1 >= ROUNDS[0] and slower <= SLOWER):
            break
    return Happened(f"answers {sorted(answers)}; an honest table took {slower:.1f} times as long", slower > SLOWER)


@attack(11, "sixty matches of search, and two whose agents think for days")
async def endless_agents(house: House, seconds: float) -> Happened:
    return await beside_crowd(house, ["search:seconds=86400"] * 2 + ["search"] * 60)


@attack(11, "sixty matches of agents that think for no time at all", floods=True)
async def busy_agents(house: House, seconds: float) -> Happened:
    return await beside_crowd(house, ["hold"] * 30 + ["dumbbot"] * 30)


@attack(7, "terms without bounds: messages of a megabyte, a billion of them")
async def boundless_terms(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    press = {"mode": PRESS, "max_length": 1_000_000, "max_per_turn": 1_000_000_000}
    reply = await open_match(house, owner, terms={"press": press})
    return Happened(f"{reply.status}: {reply.body[:90].decode()}", succeeded=reply.status < 400)


@attack(7, "one account fills the disk with press")
async def fill_with_press(house: House, seconds: float) -> Happened:
    owner, before = await new_account(house.http), disk_of(house)
    terms = {"press": {"mode": PRESS, "before_start": True}, "seats_to_start": 2}
    match = (await open_match(house, owner, terms=terms)).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
    said, end, last = 0, time.monotonic() + seconds, 0
    while time.monotonic() < end:
        last = (await intend(house, owner, match, intent="say", seat="FRANCE", text="x" * 4000, to=[])).status
        said += last < 300
    grown = disk_of(house) - before
    return Happened(f"{said} were kept, {grown / 1e6:.1f} MB; the last answer was {last}", succeeded=grown > 50e6)


@attack(7, "one event of a record, four times at once", floods=True)
async def one_event(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    match = (await open_match(house, owner)).json["match"]
    end, answers = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        path = f"{API}/matches/{match}/events?since=0&limit=1"
        found = await asyncio.gather(*(ask(house.http, "GET", path) for _ in range(4)))
        answers += len(found)
    return Happened(f"{answers} answers")


@attack(14, "three connections post actions of 60,000 equal orders")
async def huge_actions(house: House, seconds: float) -> Happened:
    owner, before, seen = await new_account(house.http), disk_of(house), set()
    match = (await open_match(house, owner, terms={"seats_to_start": 1, "wait_flags_up": True})).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
    action = ["A PAR H"] * 60_000
    for _ in range(4):
        given = {"intent": "act", "seat": "FRANCE", "action": action}
        replies = await asyncio.gather(*(intend(house, owner, match, **given) for _ in range(3)))
        seen.update(reply.status for reply in replies)
    status = (await ask(house.http, "GET", f"{API}/matches/{match}", token=owner.token)).status
    grown = disk_of(house) - before
    bad = grown > 5e6 or status != 200 or bool(seen & {200, 201})
    return Happened(f"answers {sorted(seen)}, the store grew by {grown / 1e6:.1f} MB, the match answers {status}", bad)


@attack(23, "the store's file is moved away and back")
async def moved_store(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    away = house.store.with_suffix(".away")
    house.store.rename(away)
    try:
        await asyncio.sleep(1.0)
        reply = await open_match(house, owner)
        ready = (await ask(house.http, "GET", f"{API}/ready")).status
    finally:
        away.rename(house.store)
    end = time.monotonic() + 20.0
    after = 0
    while time.monotonic() < end and not 200 <= after < 300:
        await asyncio.sleep(0.5)
        after = (await open_match(house, owner)).status
    told = f"a match was answered {reply.status}, ready {ready}; after it was put back {after}"
    return Happened(told, succeeded=reply.status < 300 or ready == 200 or after >= 300)


def disk_of(house: House) -> int:
    """Return the bytes of the store."""
    return sum(path.stat().st_size for path in house.folder.glob("parlour.db*"))
