"""Requests to the server: accounts, grades, matches and seats, carried out by the hall and its sessions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.terms import Terms
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.errors import ConfigError, Denied
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import named, package_name
from parlour.net.accounts.accounts import Accounts, Identity
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import NOBODY, Principal, holder_of, of_account, owner_of
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole, Rights, vacant_seats
from parlour.net.mila import faults
from parlour.net.mila import protocol_values as w
from parlour.net.mila.faults import ResponseException
from parlour.net.mila.heads import EXTRAS, MAX_LISTED, MatchExtras, MatchHead, MatchHeads, deletion, origin
from parlour.net.mila.protocol_values import GameStatus, Grade
from parlour.net.mila.refusals import denials_as, fault_of, sentence
from parlour.net.mila.reused_names import FREE, AccountNames, GameIds
from parlour.net.mila.role_state import viewer_of
from parlour.net.mila.rules import HouseRules, OwnTerms, deadline_of
from parlour.net.permission_errors import DenialCode
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.net.shared_work import TimeSlices
from parlour.net.views import is_shown_later
from parlour.store import Filter, RecordKind, Store, Write

RESERVED = 60.0
"""Seconds for which powers are reserved for the bot that asked for them."""


class Opening(NamedTuple):
    """A request to open a match."""

    id: str
    config: dict[str, Plain]
    terms: Terms
    house: HouseRules
    password: str
    """The password to take part; empty if none is needed."""
    saved: bytes = b""
    """The saved game to continue, as JSON, if there is one."""
    own: OwnTerms = OwnTerms()


class HallHost:
    """The server behind the door. Every method that changes something takes the caller's session.

    A refusal raises the ResponseException that the protocol has for it.
    """

    def __init__(
        self,
        hall: Hall,
        accounts: Accounts,
        *,
        bot: Principal = NOBODY,
        daide_port: Callable[[str], Awaitable[int]] | None = None,
    ) -> None:
        self.hall, self.accounts = hall, accounts
        self.heads = MatchHeads(hall)
        self.ids, self.names = GameIds(hall.store), AccountNames(hall.store)
        self._renewing = asyncio.Lock()
        self._bot = bot
        """The account of --mila-bot."""
        self._daide_port = daide_port
        self._kept: dict[str, tuple[Credential, float]] = {}
        """Matches whose vacant powers are reserved for a bot: the bot, and the end of the reservation."""

    # Accounts

    def session(self, credential: Credential | None = None) -> Session:
        """Return a session with the rights of a credential; an anonymous one without a credential."""
        is_bot = credential is not None and bool(self._bot) and credential.who == self._bot
        return Session(self.hall, credential, house=is_bot)

    async def sign_in(self, name: str, password: str, address: str) -> str:
        """Return a new token; for an unknown name, an account is registered first, if that is allowed."""
        with denials_as(faults.UserException, too_often=ResponseException):
            if self.names.is_free(name):
                await self._reopened(name, password, address)
            account = self.names.account(name)
            if await self.hall.store.fetch(self.hall.store.account, account) is None:
                await self._register(account, password, address)
            return await self.accounts.sign_in(account, password, address)

    async def _reopened(self, name: str, password: str, address: str) -> None:
        """Open an account for a name whose account was deleted."""
        async with self._renewing:
            if self.names.is_free(name):
                await self._register(account := self.names.renewed(name)[0], password, address)
                await self.names.keep(name, account)

    async def _register(self, name: str, password: str, address: str) -> None:
        try:
            await self.accounts.register(name, password, address, shortest=1)  # as the package's server allows
        except Denied as denied:
            if denied.code == DenialCode.NOT_ALLOWED:
                raise faults.ServerRegistrationException(sentence(denied.reason)) from None
            if denied.field == "password":
                raise faults.PasswordException(sentence(denied.reason)) from None
            raise

    async def identify(self, token: str, address: str = "") -> Identity:
        """Return the identity of a token that came from an address; raise TokenException if it is not valid."""
        with denials_as(faults.TokenException):
            return await self.accounts.identify(token, address)

    async def delete_account(self, by: Session, name: str) -> None:
        """Close an account, leave its seats, and make its name free for clients of this door."""
        account = self.names.account(name)
        with denials_as(not_allowed=faults.AdminTokenException):
            await self.accounts.close_account(_identity(by), account)
        store, mine = self.hall.store, Filter(kind=RecordKind.MATCH, account=account, unfinished=True)
        for head in (await store.fetch(store.page, mine, limit=1000)).heads:
            for seat in (await self.hall.wake(head.id)).seats_of(of_account(account)):
                await self.hall.submit(head.id, it.Leave(seat))
        async with self._renewing:
            await self.names.keep(name, FREE)

    async def set_grade(self, by: Session, name: str, grade: Grade, given: bool, match: str) -> None:
        """Give or remove a grade, of the server or of a match."""
        name = self.names.account(name)
        if grade is Grade.ADMIN:
            with denials_as(not_allowed=faults.AdminTokenException):
                await self.accounts.set_admin(_identity(by), name, given)
            return
        role = MatchRole.MODERATOR if grade is Grade.MODERATOR else MatchRole.OMNISCIENT
        with denials_as(not_allowed=faults.GameMasterTokenException):
            rights, hosted, who = await by.rights(match), await self.hall.wake(match), of_account(name)
            if rights.moderator:
                if role is MatchRole.MODERATOR and not given and owner_of(hosted.head) == who:
                    raise ResponseException("Who opened a game stays its moderator.")
                # An account has one role: a moderator is omniscient, too, and loses only the role that is removed.
                now = hosted.roles.get(who)
                if now == MatchRole.MODERATOR if given else now != role:
                    return
            await by.appoint(match, name, role if given else None)

    # Rights

    async def seats_named(self, name: str, match: str) -> tuple[Seat, ...]:
        """Return the seats of an account in a match; raise UserException if there is no such account."""
        store, account = self.hall.store, self.names.account(name)
        if await store.fetch(store.account, account) is None:
            raise faults.UserException(f"There is no account {name[:60]!r}.")
        return (await self.hall.wake(match)).seats_of(of_account(account))

    async def seats(self, by: Session, match: str) -> tuple[Seat, ...]:
        """Return the powers that a session plays in a match; for the bot account also the vacant ones."""
        rights = by.rights_in(await self.hall.wake(match))
        return (*rights.seats, *rights.vacant)

    async def seats_by_match(self, by: Session) -> dict[str, tuple[Seat, ...]]:
        """Return the seats of a session by match, for lists."""
        store, found = self.hall.store, dict[str, tuple[Seat, ...]]()
        mine = Filter(kind=RecordKind.MATCH, game=GAME.name, account=by.who.key)
        for head in (await store.fetch(store.page, mine, limit=MAX_LISTED)).heads if by.who else ():
            sitting = await store.fetch(store.seating, head.id)
            found[head.id] = tuple(Seat(one.seat) for one in sitting if holder_of(one) == by.who and not one.agent)
        return found

    def may_listen(self, session: Session, match: str, role: str) -> bool:
        """Return True if a session may receive the notifications of a role in a match that is in memory."""
        hosted = self.hall.found_awake(match)
        if hosted is None:  # the right is checked when the match is read again
            return session.credential.counts
        rights = session.rights_in(hosted)
        if role == w.OMNISCIENT:
            return rights.moderator or rights.omniscient
        if role == w.OBSERVER:
            watches = not hosted.about.delay and session.still(hosted, SPECTATOR) is not None
            return rights.moderator or rights.omniscient or watches
        return role in rights.seats or (role in rights.vacant and session.credential.counts)

    async def sees_board(self, by: Session, match: str) -> bool:
        """Return True if a session may see the present position of a match, in any role."""
        hosted = await self.hall.wake(match)
        return bool(by.rights_in(hosted).seats) or self.may_listen(by, match, w.OBSERVER)

    def viewer(self, match: str, role: str) -> Viewer:
        """Return the viewer of a role in a match now."""
        hosted, found = self.hall.found_awake(match), viewer_of(role)
        return found if hosted is None or not found.seats else hosted.seen_from(found)

    async def level(self, by: Session, match: str) -> str:
        """Return the highest role of a session in a match besides a player: master, omniscient or observer."""
        return _level_of(await by.rights(match))

    async def listed_levels(self, by: Session, heads: Sequence[MatchHead]) -> dict[str, str]:
        """Return the levels of a session in many matches; sleeping matches are not woken, and are read together."""
        found, asleep, slices = dict[str, str](), list[str](), TimeSlices()
        for head in heads:
            await slices.pause()
            if (hosted := self.hall.found_awake(head.id)) is not None:
                found[head.id] = _level_of(by.rights_in(hosted))
            elif by.admin or head.owner == by.who:
                found[head.id] = w.MASTER
            else:
                asleep.append(head.id)
        if asleep:
            found |= await self.hall.store.fetch(_appointed_levels, self.hall.store, asleep, by.who)
        return found

    # Matches

    async def open(self, by: Session, opening: Opening) -> str:
        """Open a match, of which the session is the moderator, and return its name.

        The id of a deleted match can be reused: the new match has another name in the store.
        """
        match = self.ids.stored(opening.id)
        if not await self.heads.is_gone(match):
            return await self._opened(by, opening._replace(id=match))
        async with self._renewing:  # of two simultaneous requests the second is refused
            if not await self.heads.is_gone(self.ids.stored(opening.id)):
                raise faults.GameIdException
            match, kept = self.ids.renewed(opening.id)
            await self._opened(by, opening._replace(id=match), kept)
            self.ids.add(opening.id, match)
        return match

    async def _opened(self, by: Session, opening: Opening, *besides: Write) -> str:
        house, own = opening.house, opening.own
        map_name = package_name(named(opening.config["map"]))
        extras = MatchExtras(house.rules, house.n_controls, deadline_of(opening.terms), map_name)
        # The position exists, and orders are accepted, while the game still waits for players.
        begins: list[Intent] = [it.Start(by.name)]
        if house.started_by_master:
            begins.append(it.Pause(by.name))
        limits, press = self.hall.limits, opening.terms.press
        press = msgspec.structs.replace(
            press,
            max_length=min(press.max_length, limits.message_length),
            max_per_turn=min(press.max_per_turn, limits.messages_per_turn),
        )
        setup = MatchSetup(
            game=GAME.name,
            terms=msgspec.structs.replace(opening.terms, press=press),
            config=opening.config,
            match=opening.id,
            admission=Admission(
                playing_moderator=True,  # as in the package: the creator of a game is its moderator and may play
                seats_each=None if house.several else 1,
                at_once=True,
                seats=house.n_controls,
                by_lot=not house.choice,
                watched=house.observed,
                guarded=bool(opening.password),
            ),
            extras={EXTRAS: msgspec.to_builtins(extras), "daide": own.daide().extras()},
            title=own.title,
            listed=own.listed,
            delay=own.delay,
            agents=own.seated(),
            stand_in=own.stand_in,
            intents=tuple(begins),
        )
        besides += (origin(opening.id, opening.saved),) if opening.saved else ()
        with denials_as(faults.GameIdException, too_many=faults.GameCreationException):
            return await by.open(setup, password=opening.password, besides=besides)

    async def require_watchable(self, by: Session, match: str, password: str) -> None:
        """Refuse a session that may not watch a match."""
        with denials_as(
            wrong_password=faults.GameRegistrationPasswordException, not_allowed=faults.GameObserverException
        ):
            hosted = await by.ask_to_watch(match, password)
        if hosted.about.delay and _level_of(by.rights_in(hosted)) == w.OBSERVER:
            raise faults.GameObserverException("That game is shown with a delay, which this protocol does not support.")

    async def sit(
        self,
        by: Session,
        match: str,
        seats: Iterable[Seat],
        player_type: PlayerType,
        password: str,
        *,
        at_once: bool = False,
    ) -> tuple[Seat, ...]:
        """Take all these seats, or none; return the seats taken, which may be others where they are drawn at random.

        With `at_once` an account may take several, even where the rules allow only one at a time.
        """
        taken, seats = list[Seat](), tuple(seats)
        status = (await self.heads.find(match, by)).status
        if status in (GameStatus.COMPLETED, GameStatus.CANCELED):
            raise faults.GameFinishedException
        hosted = await self.hall.wake(match)
        if not is_shown_later(hosted, by.rights_in(hosted)):
            await self._require_alive(match, seats)
        if by.is_house_bot:
            return await self._played_for(match, seats, status)
        try:
            for seat in seats:
                with denials_as(wrong_password=faults.GameRegistrationPasswordException):
                    answer = await by.join(
                        match, seat, player_type=player_type, password=password, at_once=at_once, patient=False
                    )
                if answer.refusal is not None:
                    raise fault_of(answer.refusal)
                taken += [event.seat for event in answer.events if isinstance(event, ev.Joined)]
        except ResponseException:
            for seat in taken:
                await by.submit(match, it.Leave(seat))
            raise
        return tuple(taken)

    async def _require_alive(self, match: str, seats: tuple[Seat, ...]) -> None:
        """Raise ResponseException for an eliminated power."""
        position = (await self.hall.wake(match)).match.state.position
        alive = seats if position is None else position.alive()
        for seat in seats:
            if seat not in alive:
                raise ResponseException(f"{seat} is eliminated.")

    async def _played_for(self, match: str, seats: tuple[Seat, ...], status: GameStatus) -> tuple[Seat, ...]:
        """Return the seats if the bot account may order for them: they are vacant, and stay so."""
        if status not in (GameStatus.ACTIVE, GameStatus.PAUSED):
            raise ResponseException("Game is not active.")
        vacant = vacant_seats((await self.hall.wake(match)).match.state)
        for seat in seats:
            if seat not in vacant:
                raise ResponseException(f"Invalid dummy power name {seat}.")
        return seats

    async def delete(self, by: Session, match: str) -> None:
        """Cancel a match and hide it from this protocol."""
        with denials_as(not_allowed=faults.GameMasterTokenException):
            await by.submit(match, it.Cancel(by.name, "deleted"))
        await self.hall.store.keep(deletion(match))

    # The bot account, and other doors

    async def waiting_powers(self, by: Session, most: int) -> dict[str, list[str]]:
        """Return the vacant powers that are to act and have no orders, by match; for the account of --mila-bot."""
        if not by.is_house_bot:
            raise ResponseException("Only the server's bot account may ask for that.")
        found: dict[str, list[str]] = {}
        now = time.monotonic()
        async for match, powers in self._waiting(by):
            keeper, until = self._kept.get(match, (by.credential, 0.0))
            if keeper is not by.credential and now < until:
                continue
            if sum(map(len, found.values())) + len(powers) > most:
                break
            self._kept[match] = (by.credential, now + RESERVED)
            found[match] = powers
        return found

    async def _waiting(self, by: Session) -> AsyncIterator[tuple[str, list[str]]]:
        """Yield them by game id, as the package's server does: only of games on the board that its bots know."""
        for head in sorted(await self.heads.listed(by), key=lambda head: self.ids.shown(head.id)):
            if head.status not in (GameStatus.ACTIVE, GameStatus.PAUSED) or not head.map_name.startswith("standard"):
                continue
            seats = (await self.hall.view(head.id, SPECTATOR)).seats
            powers = [str(seat) for seat, seen in seats.items() if seen.to_act and not (seen.present or seen.acted)]
            if powers:
                yield self.ids.shown(head.id), powers

    async def daide_port(self, match: str) -> int:
        """Return the port for DAIDE players of a match; raise DaidePortException if there is none."""
        if self._daide_port is None:
            raise faults.DaidePortException
        try:
            return await self._daide_port(match)
        except ConfigError:  # all ports for single matches are taken
            raise faults.DaidePortException from None


def _appointed_levels(store: Store, matches: Sequence[str], who: Principal) -> dict[str, str]:
    """Return an account's levels in matches, from its roles there. Blocks: call it off the loop."""
    found = {}
    for match in matches:
        roles = [one.role for one in store.permissions(match) if of_account(one.account) == who]
        omniscient, moderator = MatchRole.OMNISCIENT in roles, MatchRole.MODERATOR in roles
        found[match] = _level_of(Rights(moderator=moderator, omniscient=omniscient))
    return found


def _level_of(rights: Rights) -> str:
    """Return the level that these rights give."""
    if rights.moderator:
        return w.MASTER
    return w.OMNISCIENT if rights.omniscient else w.OBSERVER


def _identity(by: Session) -> Identity:
    """Return the identity of a signed-in session."""
    assert isinstance(by.credential, Identity)
    return by.credential
