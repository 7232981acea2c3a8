"""The views of a server's matches: one stream per view that pages follow, and answers to the pages' questions."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeGuard

import msgspec

from parlour.agents.house_specs import house_agents
from parlour.core.declaration import fetch
from parlour.core.events import Event
from parlour.core.game import Plain, Position, Seat
from parlour.core.terms import PressMode
from parlour.core.viewers import MODERATOR, Viewer
from parlour.errors import ConfigError
from parlour.games import declared, load_game
from parlour.net import seat_choices
from parlour.net.accounts.names import ANONYMOUS
from parlour.net.accounts.principals import owner_of
from parlour.net.fair_pool import HOUSE, FairPlaces, FairPool, Requester
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.match_roles import MatchRole
from parlour.net.opening import name_of
from parlour.net.permission_errors import bad_value
from parlour.net.sessions import Session
from parlour.net.terms_words import settings_of, words_of
from parlour.net.views import MatchView
from parlour.web import sandbox
from parlour.web.assets import sheet_address
from parlour.web.view_streams import ViewStream

LINGER = 30.0
"""Seconds for which a stream without pages is kept, for visitors who reload."""

KEPT, KEPT_OF_ONE = 10_000, 100
"""Number of accounts whose answers are remembered, and of answers per account: nobody displaces another's."""
LONGEST_KEY = 64
LONGEST_COMMAND = 500
MOST_ORDERS = 100
"""Maximum number of orders of a seat in a page's question."""

DRAWING_TIME = 600.0
"""Seconds within which a drawing for a match's pages must be ready."""
MOST_DRAWING = 100_000
"""Maximum number of waiting drawings; each match, and each page that opens a view of one, has at most one."""


class Views:
    """All view streams of a server."""

    def __init__(self, hall: Hall, *, guests: bool = True) -> None:
        self.hall, self.guests = hall, guests
        self.deliveries = Deliveries()
        places = FairPlaces(1, waiting=MOST_DRAWING, waiting_of_one=MOST_DRAWING, patience=DRAWING_TIME)
        self._drawing = FairPool(places, threads=1, name="drawing")
        self._stands: dict[tuple[str, Viewer], asyncio.Future[ViewStream]] = {}
        self._ends: dict[ViewStream, Callable[[], None]] = {}
        self._resting: dict[ViewStream, asyncio.TimerHandle] = {}

    async def viewer(self, session: Session, match: str, wanted: Viewer | None = None) -> Viewer:
        """Return the viewer of a session: the wanted one if it is allowed; a moderator without a seat sees all."""
        if wanted is None:
            rights = await session.rights(match)
            if rights.moderator and not rights.seats:
                wanted = MODERATOR
        return await session.viewer(match, wanted)

    async def stand(self, match: str, viewer: Viewer, asker: Requester = HOUSE) -> ViewStream:
        """Return the stream of a view, with its past processed; the work is done in the asker's turn."""
        found = self._stands.get((match, viewer))
        if found is None:
            found = self._stands[match, viewer] = asyncio.get_running_loop().create_future()
            try:
                found.set_result(await self._open(match, viewer, asker))
            except BaseException as error:  # a cancellation too: others may be waiting for the same stream
                del self._stands[match, viewer]
                found.set_exception(error)
                found.exception()  # marks the error as retrieved, since nobody may wait
                raise
        stand = await asyncio.shield(found)
        resting = self._resting.pop(stand, None)
        if resting is not None:
            resting.cancel()
        await stand.ready()
        return stand

    async def _open(self, match: str, viewer: Viewer, asker: Requester) -> ViewStream:
        head = await self.hall.head(match)
        stand = ViewStream(
            load_game(head.game),
            viewer,
            opening=partial(self._drawing.run, asker),
            aside=partial(self._drawing.run, Requester(f"match {match}")),
        )
        self._ends[stand] = await self.hall.watch(match, viewer, stand.take, since=0)
        stand.start()
        return stand

    def rest(self, match: str, stand: ViewStream) -> None:
        """Close a stream that has no pages, after a while."""
        if stand.pages or stand in self._resting:
            return
        loop = asyncio.get_running_loop()
        self._resting[stand] = loop.call_later(LINGER, self._close, match, stand)

    def _close(self, match: str, stand: ViewStream) -> None:
        self._resting.pop(stand, None)
        if stand.pages:
            return
        self._stands.pop((match, stand.viewer), None)
        self._ends.pop(stand)()
        stand.close()

    def close(self) -> None:
        """Close all streams."""
        for resting in self._resting.values():
            resting.cancel()
        self._resting.clear()
        for stand, end in self._ends.items():
            end()
            stand.close()
        self._ends.clear()
        self._stands.clear()
        self._drawing.close()

    # Messages about a match as a whole

    async def head(self, session: Session, match: str, viewer: Viewer, stand: ViewStream) -> dict[str, Plain]:
        """Return the head of a story: the match, and the role of the page's visitor in it."""
        view = await self.hall.view(match, viewer)
        hosted = await self.hall.wake(match)
        return {
            "game": view.head.game,
            "title": name_of(view.head),
            "seats": list(viewer.seats),
            "role": str(viewer),
            "live": True,
            "about": {
                **self._about(view, session, stand),
                **await self._seat_choices(session, hosted),
                "stand_in": self.hall.stand_ins.seat_of(hosted, session.who) if session.who else None,
                "agents": list(house_agents(view.head.game)),
                "tempers": dict(declared(view.head.game).tempers),
                "guests": self.guests,
                "by_lot": hosted.about.admission.by_lot,
                "seats_each": hosted.about.admission.seats_each,
                "terms": [
                    *filter(None, [settings_of(declared(view.head.game), view.config)]),
                    *words_of(view.terms, hosted.about),
                ],
            },
        }

    async def _seat_choices(self, session: Session, hosted: HostedMatch) -> dict[str, Plain]:
        """Return the players' choices of seats: replacements sought, the moderator, and the number who agree to it.

        Nobody learns who agrees, as nobody may learn who plays.
        """
        rights, owner = await session.rights(hosted.name), owner_of(hosted.head)
        others = hosted.people - {owner}
        agreeing = {who for who in others if hosted.roles.get(who) == MatchRole.AGREES}
        asked = owner in hosted.people and session.who in others and not hosted.about.admission.playing_moderator
        return {
            "seeking": list(hosted.seeking),
            "moderator": rights.moderator,
            "manages": rights.manages,
            "accord": {"agree": len(agreeing), "of": len(others), "own": session.who in agreeing} if asked else None,
        }

    def _about(self, view: MatchView, session: Session, stand: ViewStream) -> dict[str, Plain]:
        game, position, pictures = view.head.game, stand.teller.position, stand.teller.pictures
        found: dict[str, Plain] = {
            "match": view.head.id,
            "title": declared(game).title,
            "tournament": view.head.parent,
            "now": view.now,
            "account": session.name,
            "password": bool(view.head.password),
            "agent": declared(game).rival,
            "seating": [
                {"seat": seat, "title": str(seat).capitalize(), "player": here.name or ""}
                for seat, here in view.seats.items()
            ],
        }
        if position is not None and pictures is not None:
            found["sheet"] = sheet_address(game, pictures.sheet(position).key)
        return found

    async def asked(
        self, session: Session, match: str, stand: ViewStream, question: Mapping[str, Any], asker: Requester = HOUSE
    ) -> dict[str, Plain]:
        """Return the answer to a page's question; raise Denied if the page may not have it."""
        match question.get("ask"):
            case "alive":
                return {}
            case "turns":
                first, last = question.get("from"), question.get("to")
                if not isinstance(first, int) or not isinstance(last, int):
                    raise bad_value("turns: expected from and to, two whole numbers")
                return {"turns": await stand.turns(first, last)}
            case "orders":
                position = stand.teller.position
                if position is None:
                    return {"orders": {}}
                raw: Any = msgspec.Raw
                key = "orders by seat", position
                return {"orders": raw(await self.hall.answers.get(asker, key, partial(_listed, position)))}
            case "understand":
                return self._understood(stand, question)
            case "foresee":
                action = question.get("action")
                if question.get("seat") not in stand.viewer.seats or not is_orders(action):
                    raise bad_value("foresee: expected one of your seats, and its orders")
                return {"broken": await stand.foresee(Seat(question["seat"]), action)}
            case "sandbox":
                turn = question.get("turn")
                if not isinstance(turn, int):
                    raise bad_value("sandbox: expected turn, a whole number")
                return {"address": sandbox.address_of((await self.hall.head(match)).game, *stand.at_turn(turn))}
            case "history":
                return {"history": await stand.history(), **await self._aftermath(match, stand, asker)}
            case "seat choices":
                return await self._seat_choices(session, await self.hall.wake(match))
            case "seek replacement":
                answer = await seat_choices.seek_replacement(session, match, question.get("seeks") is True)
            case "stand in":
                seat, spec = Seat(str(question.get("seat", ""))), str(question.get("agent", ""))
                answer = await seat_choices.stand_in(session, match, seat, spec)
            case "agree":
                answer = await seat_choices.agree(session, match, question.get("agrees") is True)
            case "votes":
                return {"in_favour": (await self.hall.view(match, stand.viewer)).in_favour}
            case "join":
                answer = await session.join(
                    match, Seat(str(question.get("seat", ""))), password=str(question.get("password", ""))
                )
            case "seat agent":
                seat, spec = Seat(str(question.get("seat", ""))), str(question.get("agent", ""))
                answer = await session.seat_agent(match, seat, spec)
            case "replace by agent":
                seat, spec = Seat(str(question.get("seat", ""))), str(question.get("agent", ""))
                answer = await session.replace_by_agent(match, seat, spec)
            case other:
                raise bad_value(f"ask: there is no {other!r:.40}")
        if answer.refusal is not None:
            return {"refused": 0, "code": answer.refusal.code.value, "reason": answer.refusal.reason}
        return {}

    async def _aftermath(self, match: str, stand: ViewStream, asker: Requester) -> dict[str, Plain]:
        """Return the facts that become public after a match: kept and broken promises, and hidden players' names."""
        if stand.teller.view is None or stand.teller.view.outcome is None:
            return {}
        hosted = await self.hall.wake(match)
        found: dict[str, Plain] = {}
        if hosted.about.admission.anonymous:
            found["players"] = {seat: sat.account for seat, sat in hosted.seating.items() if sat.player == ANONYMOUS}
        promises = declared(hosted.head.game).promises
        if promises and hosted.match.terms.press.mode is not PressMode.NONE:
            async with self.hall.whole_reads.place(asker):
                record = await self.hall.record(match)
                key = "promises", match, len(record)
                counted = partial(_promises, promises, record)
                found["promises"] = msgspec.json.decode(await self.hall.answers.get(asker, key, counted))
        return found

    def _understood(self, stand: ViewStream, question: Mapping[str, Any]) -> dict[str, Plain]:
        """Return typed orders in their strict spelling."""
        text, seat = question.get("text"), question.get("seat")
        read = getattr(stand.teller.position, "understand", None)
        if read is None or not isinstance(text, str) or seat not in stand.viewer.seats:
            raise bad_value("understand: expected one of your seats, and a text")
        parts = [part.strip() for part in text[:LONGEST_COMMAND].replace(",", ";").split(";") if part.strip()]
        try:
            entries = read(seat, parts)
        except ConfigError as error:
            raise bad_value(str(error)) from None
        for entry in entries:
            if entry.flaw is not None:
                raise bad_value(entry.flaw.message)
        return {"orders": [entry.text for entry in entries]}


def is_orders(value: Plain) -> TypeGuard[list[str]]:
    """Return True for a list of orders of a plausible size."""
    return isinstance(value, list) and len(value) <= MOST_ORDERS and all(isinstance(one, str) for one in value)


def _promises(rows_of: str, record: Sequence[Event]) -> bytes:
    """Return the number of kept and broken promises by seat, as JSON. Only counts: press stays private."""
    counts: dict[str, list[int]] = {}
    for row in fetch(rows_of)(record):
        if row["status"] in ("kept", "broken"):
            counts.setdefault(row["seat"], [0, 0])[row["status"] == "broken"] += 1
    return msgspec.json.encode(counts)


def _listed(position: Position) -> bytes:
    """Return the choices of each seat that is to act, as JSON."""
    return msgspec.json.encode({str(seat): position.legal(seat) for seat in position.to_act()})


class Deliveries:
    """Answers to messages with a key, by account, and by match and key. A restart forgets them."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, OrderedDict[tuple[str, str], asyncio.Task[Mapping[str, Plain]]]] = OrderedDict()

    async def once(
        self, account: str, match: str, key: str, take: Callable[[], Coroutine[Any, Any, Mapping[str, Plain]]]
    ) -> Mapping[str, Plain]:
        """Process a message, or return the answer to it if it was processed before. A failure is not remembered."""
        if not account or not key or len(key) > LONGEST_KEY:
            return await take()
        answers, place = self._answers.setdefault(account, OrderedDict()), (match, key)
        self._answers.move_to_end(account)
        task = answers.get(place)
        if task is None:
            # In a task of its own, because the connection may be cut while the message is processed.
            task = answers[place] = asyncio.create_task(take())
            task.add_done_callback(lambda done: _forget_failure(answers, place, done))
            while len(answers) > KEPT_OF_ONE:
                answers.popitem(last=False)
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        return await asyncio.shield(task)


def _forget_failure(
    answers: dict[tuple[str, str], asyncio.Task[Mapping[str, Plain]]],
    place: tuple[str, str],
    task: asyncio.Task[Mapping[str, Plain]],
) -> None:
    if (task.cancelled() or task.exception() is not None) and answers.get(place) is task:
        del answers[place]
