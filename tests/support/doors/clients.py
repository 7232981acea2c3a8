"""Clients at every door of a server that is killed again and again: each comes back by itself, and remembers.

What was acknowledged must be in the record once, what was refused must not be, and nothing twice. Clients of the
`diplomacy` package's protocol must besides have heard each message once, whatever they missed while it was down.
"""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
from collections import Counter
from typing import Protocol

import httpx
import msgspec

from parlour.core import events as ev
from parlour.net.client.channel import Channel
from parlour.net.client.connection import Connection
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.network_game import NetworkGame
from parlour.net.client.report import ClientReport
from parlour.net.mila import notifications as n
from parlour.net.mila.faults import GamePhaseException, ResponseException
from parlour.net.mila.refusals import sentence
from parlour.net.permission_errors import NOT_KEPT
from parlour.store import Filter, RecordKind, Store, read_events
from parlour.tournament.knock_out.tournament import read_result
from support.daide.table import HOLDS
from support.daide.table import POWERS as DAIDE_POWERS
from support.daide.wire import DaideLine
from support.doors.traffic import HOST, Deliberate, broken

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
PAUSE = 0.02
"""Seconds until somebody who was cut off knocks again."""
PATIENCE = 0.1
"""The same of clients that are not ours to hurry."""
UP_TO_IT = (200, 409, 503)
"""Possible answers of the API to a correct request: done, refused, or the store is away."""
PLACES = ("BUD", "VIE", "TRI", "LON", "EDI", "LVP", "BRE", "MAR", "PAR", "BER", "KIE", "MUN")
_events: msgspec.json.Decoder[ev.Event] = msgspec.json.Decoder(ev.Event)


class Ports:
    """Where the doors of a server are, over all its lives."""

    def __init__(self, http: int, fish: int, daide: int) -> None:
        self.http, self.fish, self.daide = http, fish, daide
        self.open = asyncio.Event()
        """Set while a server listens there; who was cut off need not knock before."""


class Clients(Protocol):
    """Those at one door."""

    kept: list[str]
    refused: list[str]

    async def talk(self, stopping: asyncio.Event) -> None:
        """Ask for things until it is enough; whatever was begun is then answered."""
        ...

    def complaints(self, store: Store) -> list[str]:
        """Return the differences from the acknowledged state that can be seen at any time."""
        ...

    def verdict(self, store: Store) -> list[str]:
        """Return the differences from the required final state."""
        ...


class Talkers:
    """The common part of all clients that talk in a match of Diplomacy."""

    def __init__(self, match: str, ports: Ports, chance: random.Random) -> None:
        self.match = match
        self.kept: list[str] = []
        self.refused: list[str] = []
        self.complained: list[str] = []
        self._ports, self._chance = ports, chance
        self._number = 0
        self._said: Counter[str] = Counter()
        self._read = self._checked = 0
        self._digest = hashlib.sha256()

    async def talk(self, stopping: asyncio.Event) -> None:
        """All of them, until it is enough."""
        raise NotImplementedError

    def complaints(self, store: Store) -> list[str]:
        """Return the differences from the acknowledged state; reads only events since the last call."""
        known = self.kept[self._checked :]  # before the record is read, for there may be more afterwards
        for body in store.entries(self.match, self._read):
            self._digest.update(body)
            self._read += 1
            event = _events.decode(body)
            if isinstance(event, ev.Said):
                self._said[event.text] += 1
        self._checked += len(known)
        return [f"{text} was kept and is there {self._said[text]} times" for text in known if self._said[text] != 1]

    def verdict(self, store: Store) -> list[str]:
        """Return all of it once more, from the beginning."""
        found = self.complaints(store) + self.complained
        found += [f"{text} was refused and is there" for text in self.refused if self._said[text]]
        found += [f"{text} is there {times} times" for text, times in self._said.items() if times > 1]
        if hashlib.sha256(b"".join(store.entries(self.match))).digest() != self._digest.digest():
            found.append(f"{self.match}: what was read before has changed")
        return found + broken(self.match, read_events(store, self.match))

    def _new_text(self, power: str) -> str:
        self._number += 1
        return f"{self.match}/{power}/{self._number}"


class HttpTalkers(Talkers):
    """Accounts that talk and order through the API."""

    async def talk(self, stopping: asyncio.Event) -> None:
        base = f"http://{HOST}:{self._ports.http}/api/v1/matches/{self.match}/intents"
        async with httpx.AsyncClient(timeout=600, verify=False) as client, asyncio.TaskGroup() as group:
            for power in POWERS[:4]:
                group.create_task(self._one(client, base, power, stopping))

    async def _one(self, client: httpx.AsyncClient, url: str, power: str, stopping: asyncio.Event) -> None:
        headers = {"Authorization": f"Bearer {power.lower()}"}
        while not stopping.is_set():
            text = self._new_text(power)
            to = ["NOBODY"] if self._chance.random() < 0.1 else []
            say = {"intent": "say", "seat": power, "text": text, "to": to}
            act = {"intent": "act", "seat": power, "action": []}
            try:
                answer = await client.post(url, json=say, headers=headers)
                if answer.status_code == 200:
                    self.kept.append(text)
                elif answer.status_code == 409:
                    self.refused.append(text)
                elif answer.status_code not in UP_TO_IT:
                    self.complained.append(f"{text}: {answer.status_code} {answer.text[:200]}")
                if self._chance.random() < 0.3:
                    await client.post(url, json=act, headers=headers)
            except httpx.HTTPError:
                await asyncio.sleep(PAUSE)  # it is dead, or dies
                await self._ports.open.wait()


class MilaTalkers(Talkers):
    """Clients of the `diplomacy` package's protocol, which synchronise when they come back."""

    NAMES = POWERS[:3]

    def __init__(self, match: str, ports: Ports, chance: random.Random) -> None:
        super().__init__(match, ports, chance)
        self._games: dict[str, NetworkGame] = {}
        self._heard: dict[str, Counter[str]] = {power: Counter() for power in self.NAMES}

    async def talk(self, stopping: asyncio.Event) -> None:
        together = asyncio.Barrier(len(self.NAMES))
        async with asyncio.TaskGroup() as group:
            for power in self.NAMES:
                group.create_task(self._one(power, stopping, together))

    async def _one(self, power: str, stopping: asyncio.Event, together: asyncio.Barrier) -> None:
        url = f"ws://{HOST}:{self._ports.http}/"
        async with Connection(url, timeout=600, attempts=1_000_000, pause=PATIENCE) as connection:
            await connection.open()
            channel = connection.channels[power.lower()] = Channel(connection, power.lower())
            game = self._games[power] = await channel.join_game(game_id=self.match, power_name=power)
            game.add_on_game_message_received(lambda _, notification: self._hear(power, notification))
            await together.wait()  # until all of them listen: what was said before one joined, it would not be told of
            while not stopping.is_set():
                await self._say(game, power)
                with contextlib.suppress(ResponseException):
                    if self._chance.random() < 0.3:
                        await game.set_orders(orders=[], wait=False)
            await together.wait()  # until the last of them has said the last word
            with contextlib.suppress(ResponseException):
                await game.get_phase_history(from_phase=0, to_phase=0)  # then all that came before it was heard

    def _hear(self, power: str, notification: n.GameNotification) -> None:
        assert isinstance(notification, n.GameMessageReceived)
        self._heard[power][notification.message.message] += 1

    async def _say(self, game: NetworkGame, power: str) -> None:
        text = self._new_text(power)
        to = self._chance.choice([other for other in POWERS if other != power])
        try:
            await game.send_game_message(message=game.new_power_message(to, text))
            self.kept.append(text)
        except GamePhaseException as error:
            if not error.message.startswith("cut off"):  # else nobody knows whether it was sent before the cut
                self.refused.append(text)
        except ResponseException as error:
            if error.message != sentence(NOT_KEPT):  # else the database is dead, and nobody knows either
                self.complained.append(f"{text}: {error.message}")

    def verdict(self, store: Store) -> list[str]:
        found = super().verdict(store)
        said = [event for event in read_events(store, self.match) if isinstance(event, ev.Said)]
        for power, game in self._games.items():
            meant = {event.text for event in said if power in event.to}
            heard = self._heard[power]
            found += [f"{power} was not told of {text}" for text in sorted(meant - heard.keys())]
            found += [f"{power} overheard {text}" for text in sorted(heard.keys() - meant)]
            found += [f"{power} heard {text} {times} times" for text, times in heard.items() if times > 1]
            if game.channel is None:
                found.append(f"{power} was shown out")
        return found


class DaideTalkers(Talkers):
    """DAIDE bots that come back with their passcodes."""

    def __init__(self, match: str, ports: Ports, chance: random.Random) -> None:
        super().__init__(match, ports, chance)
        self.seated = 0
        self._codes: dict[str, str] = {}

    async def talk(self, stopping: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            for power in DAIDE_POWERS:
                group.create_task(self._one(power, stopping))

    async def _one(self, power: str, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            line = None
            try:
                line = await DaideLine.open(self._ports.daide)
                await self._enter(line, power)
                while not stopping.is_set():
                    await self._say(line, power)
                    if self._chance.random() < 0.3:
                        line.say(f"SUB {HOLDS[power]}")
                    await asyncio.sleep(PAUSE)
            except (OSError, EOFError, AssertionError):
                await asyncio.sleep(PAUSE)
                await self._ports.open.wait()
            finally:
                if line is not None:
                    DaideLine.everyone.remove(line)
                    await line.close()

    async def _enter(self, line: DaideLine, power: str) -> None:
        if power in self._codes:
            back = f"IAM ( {power} ) ( {self._codes[power]} )"
            if (answer := await line.ask(back)) != f"YES ( {back} )":
                self.complained.append(f"{back} was answered {answer}")
            return
        await line.sit(f"{power}:bot@{self.match}")
        hello = (await line.until("HLO"))[-1].split()
        self._codes[power] = hello[5]
        self.seated += 1

    async def _say(self, line: DaideLine, power: str) -> None:
        """Something that nobody has said before."""
        self._number += 1
        digits = (self._number // len(PLACES) ** place % len(PLACES) for place in range(4))
        wishes = " ".join(f"( XDO ( ( {power} AMY {PLACES[digit]} ) HLD ) )" for digit in digits)
        press = f"PRP ( AND {wishes} )"
        to = self._chance.choice([other for other in DAIDE_POWERS if other != power])
        sending = f"SND ( {to} ) ( {press} )"
        line.say(sending)
        answer = ""
        while not answer.startswith(("YES ( SND", "REJ ( SND", "HUH", "OUT", "CCD")):
            answer = await line.hear()
        if answer == f"YES ( {sending} )":
            self.kept.append(press)
        elif answer == f"REJ ( {sending} )":
            self.refused.append(press)
        elif answer.startswith("HUH"):
            self.complained.append(answer)


class FishPlayers:
    """Players of one Fish tournament after the other, who come back."""

    NAMES = ("a", "b", "c")
    SETTINGS = (*("--min", "3", "--max", "3", "--wait", "600", "--rows", "4", "--cols", "4"),
                *("--time-per-turn", "60", "--grace", "60", "--return-time", "600"))  # fmt: skip

    def __init__(self, ports: Ports) -> None:
        self.kept: list[str] = []
        """Return the clients that received the end of a tournament."""
        self.refused: list[str] = []
        self._ports = ports
        self._told: Counter[tuple[str, bool]] = Counter()
        self._entries: dict[str, list[bytes]] = {}

    async def talk(self, stopping: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            players = [group.create_task(self._one(name)) for name in self.NAMES]
            await stopping.wait()
            for player in players:
                player.cancel()

    async def _one(self, name: str) -> None:
        while True:
            client = JsonClient(name, Deliberate, returns=3600.0, returns_early=3600.0)
            report: ClientReport = await client.run(HOST, self._ports.fish, tries=1_000_000, pause=PATIENCE)
            if report.won is not None:
                self._told[name, report.won] += 1
                self.kept.append(name)
            await asyncio.sleep(PAUSE)

    def complaints(self, store: Store) -> list[str]:
        """Entries are never lost or changed."""
        found = []
        for head in store.heads(Filter(kind=RecordKind.MATCH, game="fish")):
            now = list(store.entries(head.id))
            before = self._entries.get(head.id, [])
            if now[: len(before)] != before:
                found.append(f"{head.id} lost entries")
            self._entries[head.id] = now
        return found

    def verdict(self, store: Store) -> list[str]:
        """Return the store's state, beside what the players received."""
        found = self.complaints(store)
        held: Counter[tuple[str, bool]] = Counter()
        for head in store.heads(Filter(kind=RecordKind.TOURNAMENT)):
            if head.result is None:  # perhaps it was killed when the end was being told, which is then told as it was
                held.update((name, won) for name in self.NAMES for won in (True, False))
                continue
            result = read_result(store, head.id)
            held.update((name, name in result.winners) for name in self.NAMES)
            if result.failures or result.cheaters:
                found.append(f"{head.id}: {result.failures} failed and {result.cheaters} cheated; everyone played well")
        for (name, won), times in self._told.items():
            if times > held[name, won]:
                found.append(f"{name} was told {times} times of {won}, and it was so {held[name, won]} times")
        for match in self._entries:
            found += broken(match, read_events(store, match))
        return found
