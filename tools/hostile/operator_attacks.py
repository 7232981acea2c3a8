"""Attacks while something happens to the server: its disk fills, it stalls, it gets a backup back, it has bots."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from house import House, temporary_house
from house_attacks import API, intend, open_match
from table import Happened, attack
from wire import Client, ask, new_account

ROOM = 64 << 10
"""Maximum bytes of a file of the server while its disk is full."""
TURN, STALL = 3.0, 5.0
"""Seconds of a turn, and of the stall in which it would have ended."""
ORDERS = ("A PAR - BUR", "A PAR - PIC", "A PAR - GAS")
PATIENCE = 20.0
"""Seconds in which a server must work again."""


@contextlib.contextmanager
def full_disk(house: House) -> Iterator[None]:
    """Let no file of the server grow while the block runs."""
    limits = resource.prlimit(house.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(house.pid, resource.RLIMIT_FSIZE, (ROOM, limits[1]))
    try:
        yield
    finally:
        resource.prlimit(house.pid, resource.RLIMIT_FSIZE, limits)


@attack(3, "the disk is full while three connections post orders, then it has room")
async def disk_fills(house: House, seconds: float) -> Happened:
    owner, seen = await new_account(house.http), Counter[int]()
    match = (await open_match(house, owner, terms={"seats_to_start": 1, "wait_flags_up": True})).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
    ready, end = 200, time.monotonic() + seconds
    with full_disk(house):
        while time.monotonic() < end:
            replies = await asyncio.gather(*(
                intend(house, owner, match, intent="act", seat="FRANCE", action=[order]) for order in ORDERS
            ))  # fmt: skip
            seen.update(reply.status for reply in replies)
            ready = max(ready, (await ask(house.http, "GET", f"{API}/ready")).status)
    begun, after = time.monotonic(), 0
    while after != 200 and time.monotonic() < begun + PATIENCE:
        await asyncio.sleep(0.2)
        after = (await intend(house, owner, match, intent="act", seat="FRANCE", action=["A PAR H"])).status
    told = f"answers {dict(seen)}, ready {ready}; with room again {after} after {time.monotonic() - begun:.1f} s"
    return Happened(told, succeeded=503 not in seen or ready != 503 or after != 200)


@attack(19, "the server stalls right after a match was opened, for longer than its turn")
async def stalled(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    terms = {"seats_to_start": 1, "clock": {"per_turn": TURN}, "conduct": "lenient"}
    match = (await open_match(house, owner, terms=terms)).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
    os.kill(house.pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(STALL)
    finally:
        os.kill(house.pid, signal.SIGCONT)
    seen = (await ask(house.http, "GET", f"{API}/matches/{match}", token=owner.token)).json
    lost = seen["turn"] != 1
    await intend(house, owner, match, intent="cancel", by=owner.name, reason="it was an attack")
    return Happened(f"after {STALL:.0f} s of {TURN:.0f} it is turn {seen['turn']}", succeeded=lost)


@attack(24, "a token that was revoked, and a reader who is ahead, after an older copy of the store was put back")
async def restored(house: House, seconds: float) -> Happened:
    with tempfile.TemporaryDirectory() as name:
        other = House(Path(name))
        try:
            other.start()
            owner, leaver = [await new_account(other.http) for _ in range(2)]
            match = (await open_match(other, owner)).json["match"]
            copied = other.folder / "copy"
            other.stop()
            shutil.copy(other.store, copied)
            other.start()
            gone = await ask(other.http, "DELETE", f"{API}/tokens/mine", token=leaver.token)
            await ask(other.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
            events = (await ask(other.http, "GET", f"{API}/matches/{match}/events")).json["next"]
            other.stop()
            for path in (other.store, *other.folder.glob("parlour.db-*")):
                path.unlink(missing_ok=True)
            shutil.copy(copied, other.store)
            other.start()
            back = (await ask(other.http, "GET", f"{API}/accounts/me", token=leaver.token)).status
            ahead = (await ask(other.http, "GET", f"{API}/matches/{match}/events?since={events}")).status
        finally:
            other.stop()
    told = f"signed out with {gone.status}; then the token: {back}; events from {events} on: {ahead}"
    return Happened(told, succeeded=back < 400 or ahead != 409)


@attack(10, "registering the name of the operator's bots, and asking for what only they may have")
async def bots_name(house: House, seconds: float) -> Happened:
    with temporary_house(**{"mila-bot": "benchbots"}) as other:
        body = {"name": "benchbots", "password": "a good password"}
        registered = (await ask(other.http, "POST", f"{API}/accounts", body)).status
        client, took = await Client.connect(other.ports["mila"]), []
        for name in ("benchbots", "bench-bots", f"other {time.time_ns()}"):
            entered = await client.ask("sign_in", username=name, password="a good password")
            client.token = str(entered.get("data", ""))
            powers = await client.ask("get_dummy_waiting_powers", buffer_size=10)
            took += [name] if powers["name"] != "error" else []
        await client.close()
    told = f"registered with {registered}; the bots' powers were given to: {took or 'nobody'}"
    return Happened(told, succeeded=registered < 400 or bool(took))


@attack(17, "the lists after a restart, within the delay of a match that has ended")
async def restarted_delay(house: House, seconds: float) -> Happened:
    told = []
    with tempfile.TemporaryDirectory() as name:
        other = House(Path(name))
        try:
            other.start()
            owner = await new_account(other.http)
            match = (await open_match(other, owner, delay=3600.0)).json["match"]
            plain = (await open_match(other, owner)).json["match"]
            await intend(other, owner, match, intent="cancel", by=owner.name, reason="rain")
            for _ in range(2):
                for query in ("status=forming,running", "unfinished=true", "status=over&limit=1"):
                    found = (await ask(other.http, "GET", f"{API}/matches?{query}")).json
                    told.append(([one["match"] for one in found["matches"]], found["more"]))
                other.stop()
                other.start()
        finally:
            other.stop()
    right = [([plain, match], None), ([plain, match], None), ([], None)] * 2
    return Happened(f"lists {'tell' if told != right else 'do not tell'} that it is over", succeeded=told != right)
