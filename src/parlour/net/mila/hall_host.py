"""The house behind the door: the hall, its sessions and its accounts, asked in the door's words."""

from __future__ import annotations

import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from functools import cache
from types import TracebackType

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Outcome, Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.player import Told
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.errors import ConfigError, Denied
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.map import named
from parlour.games.diplomacy.position import Position
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.roles import AccountRole
from parlour.net.denials import DenialCode
from parlour.net.hall import Hall
from parlour.net.mila import faults
from parlour.net.mila.chronicle import OVER
from parlour.net.mila.faults import ResponseException
from parlour.net.mila.host import MatchHead, Member, Opening
from parlour.net.mila.refusals import fault_of, sentence
from parlour.net.mila.rules import HouseRules, deadline_of, rules_of
from parlour.net.mila.values import GameStatus, Grade
from parlour.net.sessions import MatchRole, Session
from parlour.net.setup import Admission, MatchSetup, about_of
from parlour.referee.state import MatchStatus
from parlour.referee.table import Answer, Handed
from parlour.store import Filter, RecordHead, RecordKind, Setting, Store

MAX_LISTED = 2000
"""Matches in one list: the newest, which come last."""
RESERVED = 60.0
"""Seconds for which powers are kept for the bot that asked for them."""
MOST_SESSIONS = 10_000
"""Sessions that are kept for the next time; they hold nothing that could not be made again."""
EXTRAS = "mila"
"""Under which name a match keeps what only this protocol knows."""
_outcome = msgspec.json.Decoder(Outcome)


class MatchExtras(msgspec.Struct, frozen=True):
    """What a match of this protocol keeps with its head."""

    rules: tuple[str, ...]
    n_controls: int
    deadline: int
    map_name: str


_FAULTS: dict[str, type[ResponseException]] = {
    DenialCode.UNKNOWN_MATCH: faults.GameIdException,
    DenialCode.MATCH_EXISTS: faults.GameIdException,
    DenialCode.NOT_SIGNED_IN: faults.TokenException,
    DenialCode.BAD_TOKEN: faults.TokenException,
    DenialCode.UNKNOWN_ACCOUNT: faults.UserException,
    DenialCode.NAME_TAKEN: faults.UserException,
}


class denials_as:
    """What is denied becomes a fault: of the class for its code, else of that kind."""

    __slots__ = ("_kind", "_kinds")

    def __init__(self, kind: type[ResponseException] | None = None, **kinds: type[ResponseException]) -> None:
        self._kind, self._kinds = kind, kinds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if isinstance(error, Denied):
            raise _fault_of(error, self._kinds.get(str(error.code).replace(" ", "_")) or self._kind) from None


def _fault_of(denied: Denied, kind: type[ResponseException] | None = None) -> ResponseException:
    return (kind or _FAULTS.get(denied.code, ResponseException))(sentence(denied.reason))


class HallHost:
    """What the door asks for, done by the hall."""

    def __init__(
        self,
        hall: Hall,
        accounts: Accounts,
        *,
        bot_account: str = "",
        daide_port: Callable[[str], Awaitable[int]] | None = None,
    ) -> None:
        self._hall, self._accounts = hall, accounts
        self._bot = bot_account
        self._sessions: dict[tuple[str, bool], Session] = {}
        """Of those who have asked for something lately, by their names and whether they are administrators."""
        self._daide_port = daide_port
        self._kept: dict[str, tuple[str, float]] = {}
        """Matches whose vacant powers are kept for a bot: its token, and until when."""
        self._learnt: dict[str, MatchExtras] = {}
        """What was found out of matches that another door opened."""

    # Accounts

    async def sign_in(self, name: str, password: str, address: str) -> str:
        store = self._hall.store
        with denials_as(faults.UserException, too_often=ResponseException):
            if await store.fetch(store.account, name) is None:
                await self._register(name, password, address)
            return await self._accounts.sign_in(name, password, address)

    async def _register(self, name: str, password: str, address: str) -> None:
        try:
            await self._accounts.register(name, password, address, shortest=1)  # as these clients are used to
        except Denied as denied:
            if denied.code == DenialCode.NOT_ALLOWED:
                raise faults.ServerRegistrationException(sentence(denied.reason)) from None
            if denied.code == DenialCode.BAD_VALUE and denied.reason.startswith("password"):
                raise faults.PasswordException(sentence(denied.reason)) from None
            raise

    async def member(self, token: str) -> Member:
        with denials_as(faults.TokenException):
            identity = await self._accounts.identify(token)
        return Member(identity.name, identity.is_admin, token)

    def known(self, token: str) -> Member | None:
        identity = self._accounts.known(token)
        return None if identity is None else Member(identity.name, identity.is_admin, token)

    async def sign_out(self, member: Member) -> None:
        with denials_as(faults.TokenException):
            await self._accounts.sign_out(await self._accounts.identify(member.token))

    async def delete_account(self, by: Member, name: str) -> None:
        with denials_as(not_allowed=faults.AdminTokenException):
            await self._accounts.close_account(await self._accounts.identify(by.token), name)
        store = self._hall.store
        mine = Filter(kind=RecordKind.MATCH, account=name, unfinished=True)
        page = await store.fetch(store.page, mine, limit=1000)
        for head in page.heads:
            for seat in (await Session(self._hall, name).rights(head.id)).seats:
                await self._hall.handle(head.id, it.Leave(seat))

    async def set_grade(self, by: Member, name: str, grade: Grade, given: bool, match: str) -> None:
        if grade is Grade.ADMIN:
            with denials_as(not_allowed=faults.AdminTokenException):
                await self._accounts.set_admin(await self._accounts.identify(by.token), name, given)
            return
        role = MatchRole.MODERATOR if grade is Grade.MODERATOR else MatchRole.OMNISCIENT
        with denials_as(not_allowed=faults.GameMasterTokenException):
            await self._session(by).appoint(match, name, role if given else None)

    # Rights

    def _is_bot(self, by: Member) -> bool:
        """Whether it is the account of the house's bots."""
        return bool(self._bot) and by.name == self._bot

    def _session(self, by: Member) -> Session:
        admin = by.is_admin or self._is_bot(by)
        session = self._sessions.get((by.name, admin))
        if session is None:
            if len(self._sessions) >= MOST_SESSIONS:
                self._sessions.clear()
            session = self._sessions[by.name, admin] = Session(self._hall, by.name, admin=admin)
        return session

    async def named(self, name: str) -> Member:
        store = self._hall.store
        account = await store.fetch(store.account, name)
        if account is None:
            raise faults.UserException(f"There is no account {name[:60]!r}.")
        return Member(name, account.role == AccountRole.ADMIN, "")

    async def may_moderate(self, by: Member, match: str) -> bool:
        if by.is_admin or (await self._hall.head(match)).owner == by.name:
            return True
        return await self._appointed(by, match) is MatchRole.MODERATOR

    async def may_see_all(self, by: Member, match: str) -> bool:
        return await self.may_moderate(by, match) or await self._appointed(by, match) is MatchRole.OMNISCIENT

    async def _appointed(self, by: Member, match: str) -> MatchRole | None:
        """What somebody was appointed to; read without waking the match, for lists are long."""
        store = self._hall.store
        for permission in await store.fetch(store.permissions, match):
            if permission.account == by.name and permission.role:
                return MatchRole(permission.role)
        return None

    # Matches

    async def open(self, by: Member, opening: Opening) -> str:
        house = opening.house
        extras = MatchExtras(house.rules, house.n_controls, deadline_of(opening.terms), opening.config["map"])
        setup = MatchSetup(
            game=GAME.name,
            terms=opening.terms,
            config=opening.config,
            match=opening.id,
            admission=Admission(
                seats_each=None if house.several else 1,
                at_once=True,
                seats=house.n_controls,
                by_lot=not house.choice,
                watched=house.observed,
            ),
            extras={EXTRAS: msgspec.to_builtins(extras)},
        )
        session = self._session(by)
        # Powers stand on the board, and orders are taken, while the game still waits for players.
        begins: list[Intent] = [it.Start(by.name)]
        if house.started_by_master:
            begins.append(it.Pause(by.name))
        origin = [Setting(_origin(opening.id), zlib.compress(opening.saved))] if opening.saved else []
        with denials_as(faults.GameIdException, too_many=faults.GameCreationException):
            return await session.open(setup, *begins, password=opening.password, besides=origin)

    async def saved(self, match: str) -> bytes:
        return await played_before(self._hall.store, match)

    async def head(self, match: str) -> MatchHead:
        with denials_as():
            head = await self._hall.head(match)
        if head.game != GAME.name or await self._is_deleted(head):
            raise faults.GameIdException
        return await self._summed_up(head)

    async def heads(self) -> list[MatchHead]:
        found: list[MatchHead] = []
        after: int | None = None
        while len(found) < MAX_LISTED:
            page = await self._hall.page(Filter(game=GAME.name), limit=500, after=after)
            listed = [head for head in page.heads if about_of(head).listed]
            gone = [head.id for head in listed if await self._is_deleted(head)]
            found += [await self._summed_up(head) for head in listed if head.id not in gone]
            if (after := page.more) is None:
                break
        return found[:MAX_LISTED][::-1]

    async def _summed_up(self, head: RecordHead) -> MatchHead:
        extras = await self._extras_of(head)
        status = _status(head, extras)
        return MatchHead(
            id=head.id,
            status=status,
            phase=OVER if status is GameStatus.COMPLETED else head.phase or _first_phase(extras.map_name),
            map_name=extras.map_name,
            deadline=extras.deadline,
            house=HouseRules(extras.rules, extras.n_controls),
            protected=bool(head.password),
            owner=head.owner,
            players=head.players,
            created=round(head.opened * 1e6),
            updated=round(head.updated * 1e6),
        )

    async def _extras_of(self, head: RecordHead) -> MatchExtras:
        if (kept := extras_of(head)) is not None:
            return kept
        if head.id not in self._learnt:
            view = await self._hall.view(head.id, SPECTATOR)
            rules, seats = rules_of(view.terms, view.config), len(view.seats)
            deadline, map_name = deadline_of(view.terms), str(view.config.get("map", "standard"))
            self._learnt[head.id] = MatchExtras(rules.rules, rules.n_controls or seats, deadline, map_name)
        return self._learnt[head.id]

    async def watch(self, by: Member, match: str, password: str) -> None:
        session = self._session(by)
        with denials_as(wrong_password=faults.GameRegistrationPasswordException):
            hosted = await session.require_password(match, password)
        if hosted.about.delay and not await self.may_see_all(by, match):
            raise faults.GameObserverException(
                "That game is shown later than it is played, which this protocol cannot."
            )
        with denials_as(not_allowed=faults.GameObserverException):
            await session.viewer(match, SPECTATOR)

    async def watch_all(self, match: str, viewer: Viewer, watcher: Callable[[Told], object]) -> Callable[[], None]:
        with denials_as():
            return await self._hall.watch(match, viewer, watcher, 0)

    def when_given_up(self, told: Callable[[str], None]) -> None:
        self._hall.given_up.append(told)

    async def sit(
        self,
        by: Member,
        match: str,
        seats: Iterable[Seat],
        player_type: PlayerType,
        password: str,
        *,
        at_once: bool = False,
    ) -> tuple[Seat, ...]:
        session, taken = self._session(by), list[Seat]()
        at_once = at_once or self._is_bot(by)  # bots of the house play whatever nobody plays
        status = (await self.head(match)).status
        if status in (GameStatus.COMPLETED, GameStatus.CANCELED):
            raise faults.GameFinishedException
        try:
            for seat in seats:
                with denials_as(wrong_password=faults.GameRegistrationPasswordException):
                    answer = await session.join(
                        match, seat, player_type=player_type, password=password, at_once=at_once, patient=False
                    )
                if answer.refusal is not None:
                    raise fault_of(answer.refusal)
                taken += [event.seat for event in answer.events if isinstance(event, ev.Joined)]
        except ResponseException:
            for seat in taken:
                await session.handle(match, it.Leave(seat))
            raise
        return tuple(taken)

    async def handle(self, by: Member, match: str, *intents: Intent) -> list[Answer]:
        session = self._session(by)
        with denials_as():
            return await session.handle_together(match, intents)

    def hand_in(self, by: Member, match: str, intents: Sequence[Intent]) -> Handed | None:
        try:
            hosted = self._hall.at_hand(match)
            if hosted is None or (self._hall.unheard and any(isinstance(intent, it.Say) for intent in intents)):
                return None
            return self._session(by).hand_in(hosted, intents, leisurely=hosted.table.sociable)
        except Denied as denied:  # as denials_as, for what is asked most often
            raise _fault_of(denied) from None

    def hurry(self, match: str) -> None:
        self._hall.hurry(match)

    async def time_left(self, match: str) -> float | None:
        view = await self._hall.view(match, SPECTATOR)
        return None if view.due is None else view.due - view.now

    async def delete(self, by: Member, match: str) -> None:
        session = self._session(by)
        with denials_as(not_allowed=faults.GameMasterTokenException):
            await session.handle(match, it.Cancel(by.name, "deleted"))
        await self._hall.store.keep(Setting(_deletion(match), b"1"))

    async def _is_deleted(self, head: RecordHead) -> bool:
        store = self._hall.store
        return _is_over(head) and await store.fetch(store.setting, _deletion(head.id)) is not None

    # Bots of the house, and other doors

    async def waiting_powers(self, by: Member, most: int) -> dict[str, list[str]]:
        if not self._is_bot(by):
            raise ResponseException("Only the account of the house's bots may ask for that.")
        found: dict[str, list[str]] = {}
        now = time.monotonic()
        async for match, powers in self._waiting():
            keeper, until = self._kept.get(match, ("", 0.0))
            if keeper not in ("", by.token) and now < until:
                continue
            if sum(map(len, found.values())) + len(powers) > most:
                break
            self._kept[match] = (by.token, now + RESERVED)
            found[match] = powers
        return found

    async def _waiting(self) -> AsyncIterator[tuple[str, list[str]]]:
        for head in await self.heads():
            if head.status is not GameStatus.ACTIVE:
                continue
            seats = (await self._hall.view(head.id, SPECTATOR)).seats
            powers = [str(seat) for seat, seen in seats.items() if seen.to_act and not (seen.present or seen.acted)]
            if powers:
                yield head.id, powers

    async def daide_port(self, match: str) -> int:
        if self._daide_port is None:
            raise faults.DaidePortException
        with denials_as():
            try:
                return await self._daide_port(match)
            except ConfigError:  # all ports that matches may have are taken
                raise faults.DaidePortException from None


def _is_over(head: RecordHead) -> bool:
    """Whether a match is over; one that is awake says so by its status alone."""
    return head.result is not None or head.status == MatchStatus.OVER


def _status(head: RecordHead, extras: MatchExtras) -> GameStatus:
    """How far a match has come, from its head alone."""
    if _is_over(head):
        ended = _outcome.decode(head.result) if head.result else None
        return GameStatus.COMPLETED if ended is None or ended.places else GameStatus.CANCELED
    if head.status == MatchStatus.RUNNING:
        return GameStatus.ACTIVE
    to_be_started = "START_MASTER" in extras.rules and head.turn <= 1
    if head.status == MatchStatus.PAUSED and len(head.players) >= extras.n_controls and not to_be_started:
        return GameStatus.PAUSED
    return GameStatus.FORMING


def extras_of(head: RecordHead) -> MatchExtras | None:
    """What a match keeps that was opened at this door; None for one of another door."""
    kept = about_of(head).extras.get(EXTRAS)
    return None if kept is None else msgspec.convert(kept, MatchExtras)


async def played_before(store: Store, match: str) -> bytes:
    """The saved game that a match goes on from, as JSON; empty if it began here."""
    kept = await store.fetch(store.setting, _origin(match))
    return b"" if kept is None else zlib.decompress(kept)


def _origin(match: str) -> str:
    return f"mila origin {match}"


def _deletion(match: str) -> str:
    return f"mila deleted {match}"


@cache
def _first_phase(map_name: str) -> str:
    """In which a match begins; clients of this protocol know of it before the start."""
    return Position.start(named(map_name)).phase
