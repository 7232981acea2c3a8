"""Sessions: the rights of a caller in hosted matches, decided once for all doors.

A door authenticates a caller and makes a session; it does everything else through the session. A forbidden request
raises Denied, with the same message at every door. If the match itself refuses an intent, the refusal is in that
intent's Answer.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Intent, IntentSender, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, Visibility, seated_on
from parlour.errors import ConfigError, Denied
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.names import ANONYMOUS
from parlour.net.accounts.principals import NOBODY, Principal, holder_of, of_account, owner_of
from parlour.net.fair_pool import Requester, using_up
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.match_roles import HARMLESS, PLAYING, SEES_ALL, MatchRole, Rights, all_agree, vacant_seats
from parlour.net.onlookers import Eyes
from parlour.net.permission_errors import (
    bad_token,
    bad_value,
    not_allowed,
    not_signed_in,
    too_many,
    too_often,
    unknown_account,
    wrong_password,
)
from parlour.net.record_pages import SeenEvent
from parlour.net.setup import MatchSetup
from parlour.net.shared_work import PendingSubmission
from parlour.net.stand_ins import Sitter
from parlour.net.veils import MatchLists
from parlour.net.views import MatchView, is_over_for, unspoilt
from parlour.referee.spectators import Watcher
from parlour.referee.table import Answer, Submission
from parlour.store import Filter, Page, Permission, RecordHead, RecordKind, Write
from parlour.store.contract import EVERYTHING

ADMIN = "admin"
"""Name in the record of an administrator without an account."""
NO_CREDENTIAL = Credential(NOBODY)
"""The credential of callers who have not signed in."""
T = TypeVar("T")


class Session:
    """A caller at a door with the rights of its credential; without one, an anonymous caller.

    The credential is checked at each call, so that a lost right is lost at once.
    """

    __slots__ = ("_lapsed", "credential", "hall", "is_house_bot")

    def __init__(
        self, hall: Hall, credential: Credential | None = None, *, lapsed: bool = False, house: bool = False
    ) -> None:
        self.hall = hall
        self.is_house_bot = house
        """True for bots that the operator lets act for any vacant seat; they have no other rights."""
        self.credential = NO_CREDENTIAL if credential is None else credential
        self._lapsed = lapsed
        """True if the caller is anonymous because the token that it gave is no longer valid."""

    @property
    def who(self) -> Principal:
        """The identity that has this session's rights."""
        return self.credential.who

    @property
    def admin(self) -> bool:
        """True for an administrator."""
        return self.credential.is_admin

    @property
    def name(self) -> str:
        """Name under which the record shows this session's actions."""
        return self.credential.name or (ADMIN if self.admin else "")

    @property
    def _known(self) -> bool:
        """True unless the caller is anonymous."""
        return bool(self.who) or self.admin

    # Matches

    async def open(self, setup: MatchSetup, *, password: str = "", besides: Sequence[Write] = ()) -> str:
        """Open a match as its owner, and return its id. Players need the password, if there is one.

        The writes in `besides` are stored together with it.
        """
        self._require_known("open a match")
        most = self.hall.limits.matches_of_one
        store, mine = self.hall.store, Filter(kind=RecordKind.MATCH, owner=self.who.key, unfinished=True)
        if not self.admin and await store.fetch(store.count, mine) >= most:
            raise too_many("matches that you opened and that are not over", most)
        if password:
            digest = await self.hall.passwords.digest(password, shortest=1, asker=Requester(self.who.key))
            setup = msgspec.structs.replace(setup, password=digest)
        intents = tuple(self._authorised(Rights(moderator=True), intent) for intent in setup.intents)
        setup = msgspec.structs.replace(setup, intents=intents)
        self._require_known("open a match")
        return await self.hall.open(setup, owner=self.who, besides=besides)

    async def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Return heads of matches: the listed ones, and those that concern this session."""
        return await self._lists.page(wanted, limit=limit, after=after, newest_first=newest_first)

    async def head(self, match: str) -> RecordHead:
        """Return the head of a match as a list shows it."""
        return await self._lists.head(match)

    @property
    def _lists(self) -> MatchLists:
        return MatchLists(self.hall, self.who, self.admin)

    async def rights(self, match: str) -> Rights:
        """Return the rights of this session in a match."""
        return self.rights_in(await self.hall.wake(match))

    async def appoint(self, match: str, account: str, role: MatchRole | None) -> None:
        """Give an account a role in the match, or (None) remove it. For its moderators.

        Raise Denied for an unknown account: a later registration of the name would get the role.
        """
        self._moderate(await self.hall.wake(match), "appoint somebody")
        if await self.hall.store.fetch(self.hall.store.account, account) is None:
            raise unknown_account(account)
        hosted = await self.hall.wake(match)
        self._moderate(hosted, "appoint somebody")
        who = of_account(account)
        if role in SEES_ALL and self._plays_in(hosted, who) and not hosted.about.admission.playing_moderator:
            raise not_allowed("somebody who does not play in the match", f"be its {role}")
        await self.hall.permit(hosted, Permission(match, account, "" if role is None else role.value))

    async def release(self, match: str) -> None:
        """Allow a match to wake again that is held back because its agents crashed the server. For administrators."""
        if not self.admin:
            raise not_allowed("an administrator", "release a match that is held back")
        await self.hall.release(match)

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
        renamed: bool = False,
    ) -> Answer:
        """Take a seat for this account: that one, or (None) the first that is free.

        With `at_once` an account may take several seats, where the match allows it. If a stand-in plays for this
        account, the seat is given back; `patient` waits for the next turn. A name that belongs to another account is
        denied or, with `renamed`, extended by this account's name.
        """
        self._require_known("take a seat")
        hosted, stand_ins = await self.hall.wake(match), self.hall.stand_ins
        name = ANONYMOUS if hosted.about.admission.anonymous else await self._shown(name, renamed)
        own = stand_ins.seat_of(hosted, self.who) if self.who else None
        if own is not None and seat in (None, own):
            give_back = stand_ins.give_back if patient else stand_ins.give_back_now
            return await give_back(match, own, self.who, name, player_type)
        await self.require_password(match, password)
        hosted = await self.hall.ready(match)  # nothing is awaited between the following checks and the submission
        self._require_known("take a seat")
        seat = self._admitted(hosted, seat, at_once)
        holder = hosted.seeking.get(seat) if seat is not None else None
        taking: it.Join | it.Substitute = it.Join(name, seat, player_type)
        if seat is not None and holder is not None and holder != self.who:
            taking = it.Substitute("", seat, name, player_type)
        (answer,) = await hosted.submit((taking,), sitter=Sitter(name, self.who))
        if answer.refusal is None and holder is not None and holder != self.who:
            usual = MatchRole.PLAYS if owner_of(hosted.head) == holder else ""
            await self.hall.permit(hosted, Permission(match, holder.key, usual))
        return unspoilt(hosted, self.rights_in(hosted), answer)

    async def _shown(self, name: str, renamed: bool) -> str:
        """Return the name under which this session plays: its own, or another that is not taken."""
        if name in ("", self.credential.name):
            return self.name
        if await self.hall.names.may_show(name, by=self.who.key):
            return name
        if not renamed:
            raise bad_value(f"name: expected a readable one, not an account's or a house agent's, got {name[:80]!r}")
        return f"{name} ({self.name})"

    async def require_password(self, match: str, password: str) -> HostedMatch:
        """Return the match if no password is needed or this one is right; raise Denied, and count it, otherwise."""
        hosted, hall = await self.hall.wake(match), self.hall
        digest = hosted.head.password
        if self.is_house_bot or not digest or self.rights_in(hosted).moderator:
            return hosted
        self._require_known("say a password")  # a guess of an anonymous caller would count against all of them
        if not password:  # no match has an empty password, so this does not count as a guess
            raise wrong_password(match)
        now, guesser = hall.now(), f"{self.who.key}\n{match}"
        if wait := hall.guesses.wait(guesser, now):
            raise too_often("wrong passwords", wait)
        if not await hall.passwords.matches(digest, password, Requester(self.who.key)):
            hall.guesses.owe(guesser, now)
            raise wrong_password(match)
        self._require_known("say a password")
        return hosted

    async def ask_to_watch(self, match: str, password: str = "") -> HostedMatch:
        """Return the match if this session may watch it, perhaps with the match's password; raise Denied otherwise.

        A session that gave the password once need not give it again.
        """
        hosted = await self.say_password(match, password)
        self._viewer(hosted, SPECTATOR)
        return hosted

    async def needs_password(self, match: str) -> bool:
        """Return True if this session must give the password before it may watch."""
        return self._is_shut_out(await self.hall.wake(match))

    async def say_password(self, match: str, password: str) -> HostedMatch:
        """Check the password of a match whose watchers need it, once for all doors; do nothing where none is needed.

        Raise Denied if it is wrong, or if the caller is anonymous.
        """
        hosted = await self.hall.wake(match)
        if self._is_shut_out(hosted):
            await self.require_password(match, password)
            self.hall.let_watch(match, self.who)
        return hosted

    def _is_shut_out(self, hosted: HostedMatch) -> bool:
        if not (hosted.head.password and hosted.about.admission.guarded):
            return False
        rights = self.rights_in(hosted)
        known = rights.moderator or rights.omniscient or bool(rights.seats) or self.is_house_bot
        return not known and (hosted.name, self.who) not in self.hall.let_in

    async def seat_agent(self, match: str, seat: Seat, spec: str) -> Answer:
        """Put a house agent on a vacant seat. For moderators, and for players who manage the match."""
        hosted = await self.hall.wake(match)
        if not self.rights_in(hosted).manages:
            self._moderate(hosted, "seat an agent of the house")
        return await self.hall.seat_agent(match, seat, spec, by=self.name)

    async def replace_by_agent(self, match: str, seat: Seat, spec: str) -> Answer:
        """Put a house agent on a seat, even in place of a player. For moderators."""
        hosted = await self.hall.wake(match)
        sitting = hosted.seating.get(seat)
        if not (self.rights_in(hosted).manages and (sitting is None or not holder_of(sitting))):
            self._moderate(hosted, "seat an agent of the house")
        try:  # a player must not lose the seat to an agent that does not exist
            hosted.agents.read(spec)
        except ConfigError as error:
            raise bad_value(str(error)) from None
        place = hosted.match.state.places.get(seat)
        if place is not None and place.present:
            # Through the hall and not the session, so that no stand-in takes the seat.
            (left,) = await self.hall.submit(match, it.Leave(seat, self.name))
            if left.refusal is not None:
                return left
        return await self.hall.seat_agent(match, seat, spec, by=self.name)

    def submit(self, match: str, *intents: Intent, leisurely: bool = False) -> Submission:
        """Submit intents to a match, if this session may submit them; all doors submit intents here.

        They follow one another with nothing in between. The answers are there at once if the match is at hand; await
        the result until all is durable and sent. Denied is raised, here or by the result, if one is not allowed.
        """
        hosted = self.hall.at_hand(match)
        if hosted is None or any(isinstance(intent, it.Join | it.Substitute) for intent in intents):
            return PendingSubmission(self.hall.begin(self._submitted_later(match, intents)))
        return self._submitted(hosted, intents, leisurely)

    def _submitted(self, hosted: HostedMatch, intents: Sequence[Intent], leisurely: bool = False) -> Submission:
        own = hosted.seats_of(who) if (who := self.credential.who).key else ()
        if not all(intent.is_own(own) for intent in intents):
            rights = self.rights_in(hosted)
            intents = [self._authorised(rights, intent) for intent in intents]
        leaving = enumerate(intents) if hosted.about.stand_in else ()
        sat = {at: hosted.seating.get(one.seat) for at, one in leaving if isinstance(one, it.Leave)}
        submission = hosted.submit(intents, leisurely=leisurely)
        if self.hall.unheard:
            self._add_notes(hosted, intents, submission.answers)
        if sat:
            after = self.hall.stand_ins.after(hosted, submission, sat)
            return PendingSubmission(self.hall.begin(after), submission.answers)
        return submission

    async def _submitted_later(self, match: str, intents: Sequence[Intent]) -> list[Answer]:
        """Submit intents for which something must be awaited: the match, or the check of a player's name."""
        hosted, answers = await self.hall.ready(match), list[Answer]()
        if not any(isinstance(intent, it.Join | it.Substitute) for intent in intents):
            return await self._submitted(hosted, intents)
        for intent in intents:
            if isinstance(intent, it.Join):
                joined = await self.join(match, intent.seat, name=intent.name, player_type=intent.player_type)
                answers.append(joined)
            elif isinstance(intent, it.Substitute):
                wanted = self._authorised(self.rights_in(hosted), intent)
                name = ANONYMOUS if hosted.about.admission.anonymous else await self._shown(intent.name, False)
                wanted = msgspec.structs.replace(wanted, name=name)
                answers += await self.hall.submit(match, wanted, sitter=Sitter(name))
            else:
                answers += await self.submit(match, intent)
        return answers

    # Reading

    async def viewer(self, match: str, wanted: Viewer | None = None) -> Viewer:
        """Return the viewer of this session: the wanted one, if it is allowed, or (None) its own role in the match."""
        return self._viewer(await self.hall.wake(match), wanted)

    def _viewer(self, hosted: HostedMatch, wanted: Viewer | None) -> Viewer:
        rights = self.rights_in(hosted)
        if wanted is None:
            found = seated_on(*rights.seats) if rights.seats else OMNISCIENT if rights.omniscient else SPECTATOR
        else:
            found = wanted
            if rights.moderator and not set(wanted.seats) <= hosted.match.state.places.keys():
                raise bad_value(f"seats: expected some of {', '.join(hosted.match.state.places)}")
            if wanted.visibility is Visibility.MODERATOR and not rights.moderator:
                raise not_allowed("a moderator of the match", "look at it as one")
            if wanted.visibility is Visibility.OMNISCIENT and not (rights.omniscient or rights.moderator):
                raise not_allowed("an omniscient of the match", "look at it as one")
            if not rights.moderator and not set(wanted.seats) <= set(rights.seats):
                raise not_allowed("whoever sits there", f"see what {' and '.join(wanted.seats)} may see")
        if found == SPECTATOR and not (rights.moderator or rights.omniscient) and not hosted.about.admission.watched:
            raise not_allowed("whoever has a seat", "watch this match")
        if found == SPECTATOR and self._is_shut_out(hosted):
            raise not_allowed("whoever has a seat, or has said its password,", "watch this match")
        found = self._as_held(hosted, found)
        return hosted.match.terms.hindsight(found) if is_over_for(hosted, found) else found

    def _as_held(self, hosted: HostedMatch, viewer: Viewer) -> Viewer:
        """Return the viewer limited to the periods in which this session held its seats."""
        return hosted.as_held(viewer, self.who, hosted.seats_of(self.who) if self.who else ())

    def still(self, hosted: HostedMatch, viewer: Viewer) -> Viewer | None:
        """Return the viewer as which this session may look at the match now; None if it may not."""
        for wanted in (viewer, None):
            with contextlib.suppress(Denied):
                found = self._viewer(hosted, wanted)
                return self._as_held(hosted, viewer) if wanted is not None else found
        return None

    async def _seen(self, match: str, wanted: Viewer | None, look: Callable[[Viewer], Awaitable[T]]) -> T:
        """Return what `look` returns for this session's viewer; look again if the viewer has changed meanwhile."""
        found = await look(viewer := await self.viewer(match, wanted))
        while (now := await self.viewer(match, wanted)) != viewer:
            found = await look(viewer := now)
        return found

    async def view(self, match: str, wanted: Viewer | None = None) -> MatchView:
        """Return the present state of the match as this session may see it."""
        return await self._seen(match, wanted, lambda viewer: self.hall.view(match, viewer))

    async def watch(
        self, match: str, watcher: Watcher, *, since: int | None = None, wanted: Viewer | None = None
    ) -> Callable[[], None]:
        """Send the watcher the events from number `since` of the view, or (None) future ones; call the result to stop.

        If the session's rights change, the watcher receives only what the session may see then.
        """
        viewer = await self.viewer(match, wanted)
        eyes = Eyes(lambda hosted: self.still(hosted, viewer), self.credential)
        return await self.hall.watch(match, viewer, watcher, since, eyes)

    async def events(self, match: str, *, wanted: Viewer | None = None) -> list[ObservedEvent]:
        """Return all events of the view."""
        return await self._seen(match, wanted, partial(self._told, match))

    async def _told(self, match: str, viewer: Viewer) -> list[ObservedEvent]:
        """Return all events that a viewer may see, filtered in another thread: a record may be long."""
        past = await self.hall.past(match, viewer)
        return await self.hall.store.fetch(lambda: list(past.told(viewer)))

    async def go_through(
        self, match: str, asker: Requester, work: Callable[[list[ObservedEvent]], T], *, wanted: Viewer | None = None
    ) -> T:
        """Return the result of `work` on all events of the view, computed in a fair pool, off the loop."""
        async with self.hall.whole_reads.place(asker):
            told = await self.events(match, wanted=wanted)
            return await self.hall.pool.run(asker, using_up(work, told))

    async def page_of_events(
        self, match: str, *, since: int = 0, limit: int, wanted: Viewer | None = None
    ) -> list[SeenEvent]:
        """Return events from number `since` of the view: at most `limit`, and fewer if they are large.

        The cost grows with the number returned. Raise Denied with `begin anew` if the view has fewer events.
        """
        return await self._seen(match, wanted, lambda viewer: self.hall.seen(match, viewer, since, limit))

    # Rights

    def rights_in(self, hosted: HostedMatch) -> Rights:
        """Return this session's present rights in an awake match."""
        unveiled, who = hosted.unveiled, self.who
        if not who:
            return Rights(moderator=self.admin, omniscient=self.admin or unveiled)
        if self.is_house_bot:
            return Rights(hosted.seats_of(who), vacant=vacant_seats(hosted.match.state))
        role, seats = hosted.roles.get(who, ""), hosted.seats_of(who)
        staff = self.admin or owner_of(hosted.head) == who or role == MatchRole.MODERATOR
        omniscient = unveiled or role == MatchRole.OMNISCIENT
        if not staff or hosted.about.admission.playing_moderator or not self._plays_in(hosted, who):
            return Rights(seats, staff, omniscient)
        others = hosted.people - {who}
        agreed = hosted.match.over or all_agree(hosted.roles, others)
        return Rights(seats, agreed, omniscient, manages=not others or hosted.match.state.status is MatchStatus.FORMING)

    @staticmethod
    def _plays_in(hosted: HostedMatch, who: Principal) -> bool:
        """Return True if that account plays in the match, or has played in it since the match began."""
        return bool(hosted.seats_of(who)) or hosted.roles.get(who) in PLAYING

    def _admitted(self, hosted: HostedMatch, seat: Seat | None, at_once: bool) -> Seat | None:
        """Return the seat that this session gets if it asks for that one; raise Denied if it gets none."""
        admission, rights = hosted.about.admission, self.rights_in(hosted)
        playing = hosted.match.state.status is not MatchStatus.FORMING and not admission.playing_moderator
        if playing and hosted.people - {self.who} and (rights.moderator or rights.omniscient):
            raise not_allowed("somebody who has not moderated it", "take a seat in a match that has begun")
        taken = {*hosted.arrivals.seats, *(seat for seat, sitting in hosted.seating.items() if sitting.player)}
        if admission.seats is not None and len(taken) >= admission.seats and not rights.moderator:
            raise too_many("players in this match", admission.seats)
        if at_once and admission.at_once:
            return seat
        own = len(rights.seats) + hosted.arrivals.of(self.who)
        if admission.seats_each is not None and own >= admission.seats_each:
            raise too_many("seats of yours in this match", admission.seats_each)
        if not admission.by_lot:
            return seat
        free = [place.seat for place in hosted.match.state.places.values() if not place.present and not place.removed]
        return secrets.choice(free) if free else seat

    def _authorised(self, rights: Rights, intent: Intent) -> Intent:
        """Return the intent with this session's name in `by` if needed; raise Denied if it may not submit it."""
        if intent.is_own(rights.seats):
            return intent  # checked first, because most intents are of the session's own seats
        self._require_known("do that")
        what = intent.__struct_config__.tag
        if intent.sender is IntentSender.HOST:
            raise not_allowed("the server itself", f"send {what!r}")
        if intent.sender is IntentSender.MODERATOR:
            if not (rights.manages and isinstance(intent, HARMLESS)):
                self._require_moderator(rights, str(what))
            return msgspec.structs.replace(intent, by=self.name)
        seat = Seat(str(getattr(intent, "seat", "")))
        if seat in rights.seats:
            return msgspec.structs.replace(intent, by="") if getattr(intent, "by", "") else intent
        if rights.moderator and isinstance(intent, it.Leave):  # the moderator who takes the seat away is named
            return msgspec.structs.replace(intent, by=self.name)
        if intent.by_proxy and (rights.moderator or seat in rights.vacant):  # the proxy is named
            return msgspec.structs.replace(intent, by=self.name)
        raise not_allowed(f"whoever sits on {seat}", f"{what} there")

    def _add_notes(self, hosted: HostedMatch, intents: Sequence[Intent], answers: list[Answer]) -> None:
        """Add to the answer of each message the reasons why some receivers do not get it."""
        for number, said in enumerate(intents):
            if not isinstance(said, it.Say) or answers[number].refusal is not None:
                continue
            seats = said.to or tuple(seat for seat in hosted.match.state.places if seat != said.seat)
            reasons = (self.hall.unheard.get((hosted.name, seat)) for seat in seats)
            notes = tuple(why for reason in reasons if reason is not None and (why := reason(said.text)))
            answers[number] = msgspec.structs.replace(answers[number], notes=notes)

    def _require_known(self, wanted: str) -> None:
        """Raise Denied for an anonymous caller, and for one whose credential was revoked meanwhile."""
        if not self._known:
            raise bad_token() if self._lapsed or not self.credential.counts else not_signed_in(wanted)

    def _moderate(self, hosted: HostedMatch, wanted: str) -> None:
        self._require_known(wanted)
        self._require_moderator(self.rights_in(hosted), wanted)

    @staticmethod
    def _require_moderator(rights: Rights, wanted: str) -> None:
        if not rights.moderator:
            raise not_allowed("a moderator of the match", wanted)
