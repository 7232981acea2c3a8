"""Who may do what with hosted matches, decided once for all doors.

A door finds out who somebody is and makes a session of that; everything else it does through the session. Whatever
somebody may not do raises Denied, with the same words whichever door it came through. What a match itself does not take
is in the Answer, as the refusal of that very intent.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.player import Told
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Gaze, Viewer, seated_on
from parlour.errors import ConfigError, Denied
from parlour.net.denials import bad_token, bad_value, not_allowed, not_signed_in, too_many, wrong_password
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.opening import refuse_model
from parlour.net.setup import MatchSetup, about_of
from parlour.net.views import MatchView
from parlour.referee.gallery import Watcher
from parlour.referee.table import Answer, Handed
from parlour.store import Filter, Page, Permission, RecordHead, RecordKind, Write
from parlour.store.contract import EVERYTHING

HOSTS_OWN = (it.Report, it.Downtime)
"""Intents that only the host itself hands in."""
PLAYED = (it.Act, it.SetWait)
"""What seats do in every turn; nobody but who sits there need be looked for if that is who does it."""
MOST_PAGES = 10
"""Of the store, that are looked through for one page of a list; one that is shorter goes on where it says."""
ADMIN = "admin"
"""The name that the record gives to an admin without an account."""


class MatchRole(StrEnum):
    """What an account may be appointed to in a match, besides sitting there."""

    MODERATOR = "moderator"
    OMNISCIENT = "omniscient"


class Rights(msgspec.Struct, frozen=True):
    """What somebody is in one match."""

    seats: tuple[Seat, ...] = ()
    moderator: bool = False
    omniscient: bool = False


class Session:
    """Somebody at a door: an account, or nobody in particular (an empty name)."""

    def __init__(self, hall: Hall, account: str = "", *, admin: bool = False, lapsed: bool = False) -> None:
        self.hall = hall
        self.account = account
        self.admin = admin
        self._lapsed = lapsed
        """Whether a token was shown that counts no longer, which is why this is nobody in particular."""

    @property
    def name(self) -> str:
        """As whom the record knows what this session does."""
        return self.account or (ADMIN if self.admin else "")

    # Matches

    async def open(self, setup: MatchSetup, *intents: Intent, password: str = "", besides: Sequence[Write] = ()) -> str:
        """Open a match and be its owner; its name. Whoever takes a seat must say the password, if there is one.

        What the owner hands in at once, and what is written besides, is stored together with it.
        """
        if not self.name:
            raise self._unknown("open a match")
        most = self.hall.limits.matches_of_one
        if not self.admin and await self._opened() >= most:
            raise too_many("matches that you opened and that are not over", most)
        if password:
            setup = msgspec.structs.replace(setup, password=await self.hall.passwords.digest(password, shortest=1))
        intents = tuple(self._authorised(Rights(moderator=True), intent) for intent in intents)
        return await self.hall.open(setup, *intents, owner=self.account, besides=besides)

    async def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Heads of matches: those that are listed, and those that this session has to do with."""
        if not 1 <= limit <= 1000:
            raise bad_value(f"limit: expected 1 to 1,000, not {limit}")
        heads: list[RecordHead] = []
        for _ in range(MOST_PAGES):
            page = await self.hall.page(wanted, limit=limit - len(heads), after=after, newest_first=newest_first)
            heads += [head for head in page.heads if await self._may_find(head)]
            after = page.more
            if after is None or len(heads) == limit:
                break
        return Page(tuple(heads), after)

    async def _may_find(self, head: RecordHead) -> bool:
        if self.admin or about_of(head).listed:
            return True
        if not self.account:
            return False
        store = self.hall.store
        if head.owner == self.account or any(
            sitting.account == self.account for sitting in await store.fetch(store.seating, head.id)
        ):
            return True
        appointed = await store.fetch(store.permissions, head.id)
        return any(permission.account == self.account and permission.role for permission in appointed)

    async def rights(self, match: str) -> Rights:
        """What this session is in a match."""
        return self._rights(await self.hall.wake(match))

    async def appoint(self, match: str, account: str, role: MatchRole | None) -> None:
        """Make an account a moderator or an omniscient of the match, or (None) neither. For its moderators."""
        hosted = await self.hall.wake(match)
        self._moderate(hosted, "appoint somebody")
        await self.hall.permit(hosted, Permission(match, account, "" if role is None else role.value))

    # Seats

    async def join(
        self,
        match: str,
        seat: Seat | None = None,
        *,
        name: str = "",
        player_type: PlayerType = PlayerType.HUMAN,
        password: str = "",
        at_once: bool = False,
        patient: bool = True,
    ) -> Answer:
        """Take a seat: that one, or (None) the first that is free. The seat is then this account's.

        At once says that it is one of several, as some matches let one account have them. Whoever is patient waits for
        the next turn to begin where an agent plays for this account.
        """
        if not self.name:
            raise self._unknown("take a seat")
        stand_ins = self.hall.stand_ins
        own = stand_ins.seat_of(await self.hall.wake(match), self.account) if self.account else None
        if own is not None and seat in (None, own):
            give_back = stand_ins.give_back if patient else stand_ins.give_back_now
            return await give_back(match, own, self.account, name or self.name, player_type)
        hosted = await self.require_password(match, password)
        seat = self._admitted(hosted, seat, at_once)
        return await self.hall.join(match, it.Join(name or self.name, seat, player_type), self.account)

    async def require_password(self, match: str, password: str) -> HostedMatch:
        """The match, if it wants no password, or that one; Denied otherwise. Moderators need none."""
        hosted = await self.hall.wake(match)
        digest = hosted.head.password
        if digest and not self._rights(hosted).moderator and not await self.hall.passwords.matches(digest, password):
            raise wrong_password(match)
        return hosted

    async def seat_agent(self, match: str, seat: Seat, spec: str) -> Answer:
        """Let an agent of the house take a vacant seat. For moderators."""
        self._moderate(await self.hall.wake(match), "seat an agent of the house")
        return await self.hall.seat_agent(match, seat, spec)

    async def replace_by_agent(self, match: str, seat: Seat, spec: str) -> Answer:
        """Let an agent of the house take a seat, whoever sits there. For moderators."""
        hosted = await self.hall.wake(match)
        self._moderate(hosted, "seat an agent of the house")
        try:  # nobody loses a seat to an agent that there is not
            refuse_model(spec, self.hall.limits)
            hosted.staff.make(seat, spec)
        except ConfigError as error:
            raise bad_value(str(error)) from None
        place = hosted.match.state.places.get(seat)
        if place is not None and place.present:
            left = await self.hall.handle(match, it.Leave(seat))  # not as the session's own: no stand-in is wanted
            if left.refusal is not None:
                return left
        return await self.hall.seat_agent(match, seat, spec)

    async def handle(self, match: str, intent: Intent) -> Answer:
        """Hand in an intent, if it is this session's to hand in. Who it is by is the session, whatever it says."""
        if isinstance(intent, it.Join):
            return await self.join(match, intent.seat, name=intent.name, player_type=intent.player_type)
        if isinstance(intent, it.Substitute):
            self._authorised(self._rights(await self.hall.wake(match)), intent)
            return await self.hall.join(match, msgspec.structs.replace(intent, by=self.name))
        (answer,) = await self.handle_together(match, (intent,))
        return answer

    async def handle_together(self, match: str, intents: Sequence[Intent]) -> list[Answer]:
        """The same for several that follow one another without anything in between; none of them to sit down."""
        hosted = await self.hall.wake(match)
        rights = self._rights(hosted)
        intents = [self._authorised(rights, intent) for intent in intents]
        sat = [hosted.seating.get(intent.seat) if isinstance(intent, it.Leave) else None for intent in intents]
        answers = await self.hall.handle_together(hosted, intents)
        for at, (intent, answer, sitting) in enumerate(zip(intents, answers, sat, strict=True)):
            if answer.refusal is not None:
                continue
            if sitting is not None:
                await self.hall.stand_ins.take_over(hosted, Seat(sitting.seat), sitting.account)
            elif isinstance(intent, it.Say) and self.hall.unheard:
                answers[at] = msgspec.structs.replace(answer, notes=self._notes(hosted, intent))
        return answers

    def hand_in(self, hosted: HostedMatch, intents: Sequence[Intent], *, leisurely: bool = False) -> Handed:
        """Hand in what a seat plays in a match at hand, and go on before that is durable. Not for press or leaving."""
        own = hosted.seats_of(self.account) if self.account else ()
        for intent in intents:
            if not isinstance(intent, PLAYED) or intent.by or intent.seat not in own:
                rights = self._rights(hosted)
                intents = [self._authorised(rights, intent) for intent in intents]
                break
        return self.hall.hand_in(hosted, intents, leisurely=leisurely)

    # Looking

    async def viewer(self, match: str, wanted: Viewer | None = None) -> Viewer:
        """As whom this session looks at a match: as wanted, if it may, or (None) as what it is there."""
        return self._viewer(await self.hall.wake(match), wanted)

    def _viewer(self, hosted: HostedMatch, wanted: Viewer | None) -> Viewer:
        rights = self._rights(hosted)
        if wanted is None:
            found = seated_on(*rights.seats) if rights.seats else OMNISCIENT if rights.omniscient else SPECTATOR
        else:
            found = wanted
            if wanted.gaze is Gaze.MODERATOR and not rights.moderator:
                raise not_allowed("a moderator of the match", "look at it as one")
            if wanted.gaze is Gaze.OMNISCIENT and not (rights.omniscient or rights.moderator):
                raise not_allowed("an omniscient of the match", "look at it as one")
            if not rights.moderator and not set(wanted.seats) <= set(rights.seats):
                raise not_allowed("whoever sits there", f"see what {' and '.join(wanted.seats)} may see")
        if found == SPECTATOR and not (rights.moderator or rights.omniscient) and not hosted.about.admission.watched:
            raise not_allowed("whoever has a seat", "watch this match")
        return hosted.match.terms.hindsight(found) if hosted.match.over else found

    def still(self, hosted: HostedMatch, viewer: Viewer) -> Viewer | None:
        """That viewer, if this session may still look at the match so; or as whom it may now, or None."""
        for wanted in (viewer, None):
            with contextlib.suppress(Denied):
                found = self._viewer(hosted, wanted)
                return viewer if wanted is not None else found
        return None

    async def view(self, match: str, wanted: Viewer | None = None) -> MatchView:
        """The match as it stands."""
        view = await self.hall.view(match, viewer := await self.viewer(match, wanted))
        while (now := await self.viewer(match, wanted)) != viewer:  # it may see something else since that was asked
            view = await self.hall.view(match, viewer := now)
        return view

    async def watch(
        self, match: str, watcher: Watcher, *, since: int | None = None, wanted: Viewer | None = None
    ) -> Callable[[], None]:
        """Be told what happens: from number since of the view on, or (None) only what is to come.

        Once this session may not look so any more it is told only what it may see then.
        """
        viewer = await self.viewer(match, wanted)
        return await self.hall.watch(match, viewer, watcher, since, lambda hosted: self.still(hosted, viewer))

    async def events(self, match: str, *, since: int = 0, wanted: Viewer | None = None) -> list[Told]:
        """What has happened, from number since of the view on."""
        past = await self.hall.past(match, viewer := await self.viewer(match, wanted))
        while (now := await self.viewer(match, wanted)) != viewer:  # as in view
            past = await self.hall.past(match, viewer := now)
        return list(past.told(viewer, since))

    # Who may

    def _rights(self, hosted: HostedMatch) -> Rights:
        unveiled = hosted.unveiled
        if not self.account:
            return Rights(moderator=self.admin, omniscient=self.admin or unveiled)
        role = hosted.roles.get(self.account, "")
        moderator = self.admin or hosted.head.owner == self.account or role == MatchRole.MODERATOR
        return Rights(hosted.seats_of(self.account), moderator, unveiled or role == MatchRole.OMNISCIENT)

    def _admitted(self, hosted: HostedMatch, seat: Seat | None, at_once: bool) -> Seat | None:
        """The seat that this session gets if it wants that one; Denied if it gets none."""
        admission, rights = hosted.about.admission, self._rights(hosted)
        taken = [name for name, sitting in hosted.seating.items() if sitting.player]
        if admission.seats is not None and len(taken) >= admission.seats and not rights.moderator:
            raise too_many("players in this match", admission.seats)
        if at_once and admission.at_once:
            return seat
        if admission.seats_each is not None and len(rights.seats) >= admission.seats_each:
            raise too_many("seats of yours in this match", admission.seats_each)
        if not admission.by_lot:
            return seat
        free = [place.seat for place in hosted.match.state.places.values() if not place.present and not place.removed]
        return secrets.choice(free) if free else seat

    def _authorised(self, rights: Rights, intent: Intent) -> Intent:
        """The intent as this session, which is that in the match, may hand it in."""
        if isinstance(intent, PLAYED) and not intent.by and intent.seat in rights.seats:
            return intent  # by far the most frequent
        if not self.name:
            raise self._unknown("do that")
        what = intent.__struct_config__.tag
        if isinstance(intent, HOSTS_OWN):
            raise not_allowed("the server itself", f"send {what!r}")
        fields = intent.__struct_fields__
        if fields[0] == "by":
            self._require_moderator(rights, str(what))
            return msgspec.structs.replace(intent, by=self.name)
        seat = Seat(str(getattr(intent, "seat", "")))
        if seat in rights.seats:
            return msgspec.structs.replace(intent, by="") if getattr(intent, "by", "") else intent
        if rights.moderator and isinstance(intent, it.Leave):  # a moderator takes the seat away
            return intent
        if rights.moderator and "by" in fields:  # what can be done for a seat, vacant or not, says by whom
            return msgspec.structs.replace(intent, by=self.name)
        raise not_allowed(f"whoever sits on {seat}", f"{what} there")

    def _notes(self, hosted: HostedMatch, said: it.Say) -> tuple[str, ...]:
        """Why what was said does not reach some of those whom it is for."""
        seats = said.to or tuple(seat for seat in hosted.match.state.places if seat != said.seat)
        reasons = (self.hall.unheard.get((hosted.name, seat)) for seat in seats)
        return tuple(why for reason in reasons if reason is not None and (why := reason(said.text)))

    def _unknown(self, wanted: str) -> Denied:
        """Why nobody in particular cannot do that."""
        return bad_token() if self._lapsed else not_signed_in(wanted)

    def _moderate(self, hosted: HostedMatch, wanted: str) -> None:
        if not self.name:
            raise self._unknown(wanted)
        self._require_moderator(self._rights(hosted), wanted)

    @staticmethod
    def _require_moderator(rights: Rights, wanted: str) -> None:
        if not rights.moderator:
            raise not_allowed("a moderator of the match", wanted)

    async def _opened(self) -> int:
        store = self.hall.store
        mine = Filter(kind=RecordKind.MATCH, owner=self.account, unfinished=True)
        return await store.fetch(store.count, mine)
