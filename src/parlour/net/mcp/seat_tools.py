"""The actions of an assistant in a match, independent of the protocol: sit, look, talk, submit, wait.

Each call carries a token for one seat of one match; a caller without one sees nothing. The token contains the match's
id. The seat is held under the hash of its secret, which nobody can register as a name. So nothing is stored here, and a
token stays valid as long as its match is in the store, also after restarts. An error message names what is expected,
because its reader is a model that will try again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from parlour.agents import negotiates
from parlour.agents.llm.briefing import unanswered
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.declaration import GameDeclaration
from parlour.core.game import Plain, Position, Seat
from parlour.core.player import ObservedEvent
from parlour.core.terms import PressMode, PressTerms, SealMode, Terms
from parlour.core.text import hint, printable
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.errors import ConfigError, Denied
from parlour.games import completed, declared, filled, games, load_game
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import of_assistant
from parlour.net.fair_pool import Requester
from parlour.net.hall import Hall
from parlour.net.mcp.event_text import news_of, shown
from parlour.net.permission_errors import bad_token, bad_value
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.net.views import MatchView
from parlour.press.language import message_types as v
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger, ledger_of
from parlour.referee.conduct import preset
from parlour.referee.table import Answer
from parlour.store import Filter, RecordKind

LONGEST_WAIT = 25.0
"""Maximum seconds of a wait: hosts cut off a call after a minute, even while it reports progress."""
MAX_MATCHES = 50
"""Maximum number of matches in one list, the newest first."""
MAX_NEWS = 1000
"""Maximum number of events in one answer."""
MAX_LISTED = 400
"""Maximum number of legal actions in one answer."""
MAX_WRONG = 4
"""Maximum number of wrong orders that are explained; more would leave no room for advice."""
NETWORK: ContextVar[str] = ContextVar("network", default="")
"""The network from which a call comes; empty where there is none."""
T = TypeVar("T")
ToolResult = dict[str, Any]
"""An answer, as a plain value."""


@dataclass(slots=True)
class _Held:
    """A seat that an assistant took."""

    session: Session
    match: str
    seat: Seat
    game: str


class SeatTools:
    """Gives assistants seats in matches of a hall, and acts for each within the rights of its token."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    # Sitting down

    async def sit(
        self,
        game: str = "",
        match: str = "",
        seat: str = "",
        opponents: Sequence[str] = (),
        name: str = "assistant",
        *,
        press: bool = False,
        settings: Mapping[str, Plain] = MappingProxyType({}),
        password: str = "",
        open_seats: int = 0,
    ) -> ToolResult:
        """Take a seat in a match that exists, or in a new one against house agents.

        Open seats of a new match are left free for others.
        """
        secret = secrets.token_urlsafe(18)
        session = Session(self._hall, _holder(secret))
        if match:
            if game or opponents or settings or open_seats:
                raise bad_value("match: to join one, give only match, and seat if you want a certain one")
            game = (await self._hall.head(match)).game
        else:
            game = game or games()[0]
            match, seat = await self._open(session, game, seat, opponents, press, settings, open_seats)
        shown = printable(name, 40) or "assistant"
        answer = await session.join(match, Seat(seat) if seat else None, name=shown, password=password, renamed=True)
        if answer.refusal is not None:
            raise bad_value(f"seat: {answer.refusal.reason}")
        taken = next(event.seat for event in answer.events if isinstance(event, ev.Joined))
        look = "view shows the position, legal what you may do, submit plays it, wait tells what happens next."
        return {"token": f"{match}.{secret}", "match": match, "seat": taken, "game": game, "next": look}

    async def _open(
        self,
        session: Session,
        game: str,
        seat: str,
        opponents: Sequence[str],
        press: bool,
        settings: Mapping[str, Plain],
        open_seats: int,
    ) -> tuple[str, str]:
        """Open a match of a game; return its id, and the seat that is kept free for the caller."""
        if game not in games():
            raise bad_value(f"game: expected {' or '.join(games())}, got {game!r:.40}")
        declaration = declared(game)
        if press and not declaration.talks:
            raise bad_value(f"press: nobody can negotiate in {declaration.title}")
        try:
            config = {**_config(declaration, opponents), **settings}
            config = filled(declaration, completed(game, config, self._hall.usual))
            seats = load_game(game).seats(config)
        except ConfigError as error:
            raise bad_value(f"settings: {error}") from None
        own = next((one for one in seats if one.upper() == seat.upper()), None) if seat else seats[0]
        if own is None:
            raise bad_value(f"seat: expected one of {', '.join(seats)}, got {seat!r:.40}")
        others = [one for one in seats if one != own]
        if not 0 <= open_seats <= len(others):
            raise bad_value(f"open_seats: expected 0 to {len(others)} in this match, got {open_seats}")
        others = others[: len(others) - open_seats]
        rivals = list(opponents) or [declaration.talking_rival if press else declaration.rival]
        agents = {one: rivals[number % len(rivals)] for number, one in enumerate(others)}
        talks = PressTerms(PressMode.ANYTIME) if press or any(negotiates(game, agent) for agent in rivals) else _SILENT
        terms = Terms(preset(declaration.lenient_conduct), press=talks)
        opener = Session(self._hall, _network(network)) if (network := NETWORK.get()) else session
        return await opener.open(MatchSetup(game=game, config=config, terms=terms, agents=agents)), own

    async def matches(self) -> ToolResult:
        """Return the listed matches that wait for players, with their free seats."""
        found = []
        wanted = Filter(kind=RecordKind.MATCH, status=("forming",))
        for head in (await Session(self._hall).page(wanted, limit=MAX_MATCHES)).heads:
            view = await self._hall.view(head.id, SPECTATOR)
            free = [seat for seat, seen in view.seats.items() if seen.name is None]
            if free:
                found.append({"match": head.id, "game": head.game, "free": free, "password": bool(head.password)})
        return {"matches": found, "next": "sit with match, and seat if you want a certain one"}

    # Reading

    async def view(self, token: str) -> ToolResult:
        """Return the state of the match as the seat may see it."""
        held, view = await self._look(token)
        found: ToolResult = {
            "match": held.match,
            "you": held.seat,
            "status": view.status,
            "turn": view.turn,
            "stage": view.stage,
            "your_turn": _is_to_act(view, held.seat),
            "players": {seat: one.name or "nobody" for seat, one in view.seats.items()},
            "position": "" if view.position is None else str(view.position),
            "k": view.k,
        }
        own = view.seats[held.seat]
        if own.acted:
            found["submitted"] = own.own
        if view.terms.sealing.mode is not SealMode.NONE:
            found["seals"] = f"{view.terms.sealing.mode}: seal your plan before you talk and before you submit"
        if own.deadline is not None:
            found["seconds_left"] = round(max(0.0, own.deadline - view.now), 1)
        if view.outcome is not None:
            found["outcome"] = {"scores": view.outcome.scores, "reason": view.outcome.reason}
        if proposals := await self._proposals(held, view):
            found["proposals"] = proposals
        return found

    async def legal(self, token: str, unit: str = "") -> ToolResult:
        """Return the legal actions; those of one unit, if it is named."""
        held, view = await self._look(token)
        position = _running(view)
        if held.seat not in position.to_act():
            return {"legal": [], "why": f"{held.seat} has nothing to do in this turn: wait for the next"}
        asker = Requester(held.session.who.key, held.match)
        actions = await self._hall.pool.run(asker, lambda: list(position.legal(held.seat)))
        if unit and not isinstance(actions[0], str):
            raise bad_value("unit: there are no units to choose from in this game; leave it out")
        if unit:
            wanted = unit.upper().strip()
            chosen = [order for order in actions if order.startswith(wanted) or order[2:].startswith(wanted)]
            if not chosen:
                units = sorted({" ".join(order.split()[:2]) for order in actions})
                raise bad_value(f"unit: expected {', '.join(units)}, got {unit!r:.40}{hint(wanted, units)}")
            actions = chosen
        found: ToolResult = {"legal": actions[:MAX_LISTED]}
        if len(actions) > MAX_LISTED:
            found["why"] = f"{len(actions) - MAX_LISTED} more are not shown: name a unit"
        return found

    async def explain(self, token: str) -> ToolResult:
        """Return the results of the last turn, with the reason of each failure."""
        held, _ = await self._look(token)
        if found := await self._worked_out(held, _explained):
            return found
        raise bad_value("no turn has ended yet: submit yours, and wait")

    async def wait(self, token: str, since: int = 0, seconds: float = LONGEST_WAIT) -> ToolResult:
        """Return the events from number `since` on as lines; wait for them for a limited time."""
        held = await self._find(token)
        viewer, moved = seated_on(held.seat), asyncio.Event()
        leave = await held.session.watch(held.match, lambda told: moved.set(), wanted=viewer)
        try:
            async with asyncio.timeout(min(max(0.0, seconds), LONGEST_WAIT)):
                while not (news := await self._news(held, since))[0]:
                    moved.clear()
                    await moved.wait()
        except TimeoutError:
            news = await self._news(held, since)
        finally:
            leave()
        lines, k = news
        view = await held.session.view(held.match, viewer)
        return {"news": lines, "k": k, "your_turn": _is_to_act(view, held.seat), "over": view.outcome is not None}

    async def _news(self, held: _Held, since: int) -> tuple[list[str], int]:
        viewer, lines = seated_on(held.seat), list[str]()
        while not lines and (
            told := await held.session.page_of_events(held.match, since=max(0, since), limit=MAX_NEWS, wanted=viewer)
        ):
            lines = [line for one in told if (line := news_of(one.event, held.seat))]
            since = told[-1].k + 1
        return lines, since

    # Actions of the seat

    async def say(self, token: str, text: str, to: Sequence[str] = ()) -> ToolResult:
        """Send press."""
        held, view = await self._look(token)
        seats = dict.fromkeys(_seat(view, name) for name in to)
        _require_taken(await held.session.submit(held.match, it.Say(held.seat, text, tuple(seats))))
        return {"said": text, "to": list(seats) or "all"}

    async def answer(self, token: str, proposal: int, yes: bool) -> ToolResult:
        """Agree to a proposal, or refuse it."""
        held, view = await self._look(token)
        ledger = await self._ledger(held, view)
        waiting = {one.number: one for one in unanswered(ledger, ledger.lexicon.seats[held.seat])} if ledger else {}
        if proposal not in waiting:
            numbers = ", ".join(map(str, waiting))
            raise bad_value(f"proposal: {f'expected {numbers}' if waiting else 'none waits for your answer'}")
        assert ledger is not None
        offer = waiting[proposal].offer
        text = write(v.Accept(offer) if yes else v.Reject(offer))
        others = waiting[proposal].parties - {ledger.lexicon.seats[held.seat]}
        to = tuple(ledger.lexicon.seat_of[one] for one in sorted(others))
        _require_taken(await held.session.submit(held.match, it.Say(held.seat, text, to)))
        return {"said": text}

    async def seal(self, token: str, action: Plain, stances: Mapping[str, str], text: str = "") -> ToolResult:
        """Seal the seat's plan."""
        held = await self._find(token)
        _require_taken(await held.session.submit(held.match, it.seal_of(held.seat, action, stances, text, {})))
        return {"sealed": action, "next": "say, answer or submit; a new plan needs a new seal"}

    async def submit(self, token: str, action: Plain) -> ToolResult:
        """Play an action, if it is legal; an action that would be a foul is not submitted."""
        held, view = await self._look(token)
        position = _running(view)
        if held.seat not in position.to_act():
            raise bad_value(f"{held.seat} has nothing to do in this turn: wait for the next")
        if violations := position.check(held.seat, action):
            said = "; ".join(violation.message for violation in violations[:MAX_WRONG])
            raise bad_value(f"not submitted: {said.rstrip('.')}. legal lists what may be")
        _require_taken(await held.session.submit(held.match, it.Act(held.seat, action, view.turn)))
        return {"submitted": action, "next": "wait tells when the turn is over"}

    # Identity

    async def _find(self, token: str) -> _Held:
        match, _, secret = token.rpartition(".")
        session = Session(self._hall, _holder(secret))
        with contextlib.suppress(Denied):
            seats = (await session.rights(match)).seats
            if seats:
                return _Held(session, match, seats[0], (await self._hall.head(match)).game)
        raise Denied(bad_token().code, "the token has no seat here: call sit, and give the token that it returns")

    async def _look(self, token: str) -> tuple[_Held, MatchView]:
        held = await self._find(token)
        return held, await held.session.view(held.match, seated_on(held.seat))

    async def _ledger(self, held: _Held, view: MatchView) -> Ledger | None:
        if not declared(held.game).talks or view.terms.press.mode is PressMode.NONE or view.position is None:
            return None
        return await self._worked_out(held, lambda told: ledger_of(one.event for one in told))

    async def _worked_out(self, held: _Held, work: Callable[[Sequence[ObservedEvent]], T]) -> T:
        """Return the result of `work` on the seat's events; it runs in a fair pool, off the loop."""
        asker = Requester(held.session.who.key, held.match)
        return await held.session.go_through(held.match, asker, work, wanted=seated_on(held.seat))

    async def _proposals(self, held: _Held, view: MatchView) -> list[ToolResult]:
        ledger = await self._ledger(held, view)
        if ledger is None:
            return []
        return [
            {"n": one.number, "from": ledger.lexicon.seat_of[one.proposer], "press": write(one.offer)}
            for one in unanswered(ledger, ledger.lexicon.seats[held.seat])
        ]


def _explained(told: Sequence[ObservedEvent]) -> ToolResult:
    """Return the last turn that ended, with the reasons of failed orders; empty if none has."""
    for one in reversed(told):
        if isinstance(one.event, ev.TurnEnded):
            turn = getattr(one.view.position, "turn", None)
            reasons = [] if turn is None else [f"{r.power} {r.text}: {r.sentence}" for r in turn.explanations]
            return {"turn": one.event.turn, "actions": one.event.actions, "reasons": reasons}
    return {}


_SILENT = PressTerms(PressMode.NONE)


def _config(declaration: GameDeclaration, opponents: Sequence[str]) -> dict[str, Plain]:
    if not declaration.counted:
        return {}
    return {declaration.counted: max(2, len(opponents) + 1)}


def _holder(secret: str) -> Credential:
    """Return the credential of the holder of a secret; its principal is made from the secret's hash."""
    digest = hashlib.blake2b(secret.encode("utf-8", "replace"), digest_size=16).hexdigest()
    return Credential(of_assistant(digest), "assistant")


def _network(network: str) -> Credential:
    """Return the credential that owns all matches opened from one network, so that they count together."""
    digest = hashlib.blake2b(network.encode("utf-8", "replace"), digest_size=16, person=b"network").hexdigest()
    return Credential(of_assistant(digest), "assistant")


def _is_to_act(view: MatchView, seat: Seat) -> bool:
    return view.outcome is None and view.seats[seat].to_act and not view.seats[seat].acted


def _running(view: MatchView) -> Position:
    if view.outcome is not None:
        raise bad_value(f"the match is over: {view.outcome.reason}")
    if view.position is None:
        missing = ", ".join(seat for seat, one in view.seats.items() if not one.present)
        raise bad_value(f"the match has not started: nobody sits on {shown(missing)} yet. wait tells when it does")
    return view.position


def _seat(view: MatchView, name: str) -> Seat:
    found = [seat for seat in view.seats if seat.upper().startswith(name.strip().upper()) and name.strip()]
    if len(found) != 1:
        raise bad_value(f"to: expected {', '.join(view.seats)}, got {name!r:.40}{hint(name, view.seats)}")
    return found[0]


def _require_taken(answers: Sequence[Answer]) -> None:
    """Raise Denied with the first refusal."""
    for refusal in (answer.refusal for answer in answers if answer.refusal is not None):
        raise bad_value(f"{refusal.code}: {refusal.reason}")
