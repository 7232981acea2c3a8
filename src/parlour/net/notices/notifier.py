"""Notifies people that a match waits for them: by push and by mail, as they wish."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from urllib.parse import quote

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.table_view import MatchStatus
from parlour.errors import Denied, MissingExtra, Unreachable
from parlour.net.accounts.limits import Buckets
from parlour.net.accounts.principals import MADE_HERE, holder_of, of_account
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.notices.mail import Mailer, checked_address
from parlour.net.notices.outside import Outside
from parlour.net.notices.push import Pusher, PushKey
from parlour.net.notices.wishes import WishBook, Wishes
from parlour.net.opening import name_of
from parlour.net.permission_errors import bad_value, not_allowed
from parlour.store import Setting

GRACE = 45.0
"""Seconds that a player has to act before a notice is sent."""
MOST_WAITING = 10_000
"""Maximum number of accounts with a waiting notice."""
MOST_MATCHES = 20
"""Maximum number of matches in one notice."""
AT_ONCE = 8
"""Maximum number of push messages that are sent at the same time."""
HOUR = 3600.0
PUSH_KEY = "push key"
"""Name of the setting with the server's key for push services."""
_log = logging.getLogger(__name__)


class Waiting(msgspec.Struct, frozen=True):
    """A match that waits for an account's action."""

    match: str
    title: str
    seats: tuple[Seat, ...]
    due: float | None

    @property
    def words(self) -> str:
        """Return the seats in the match, and the time by which they are to act."""
        played = " and ".join(seat.replace("_", " ").title() for seat in self.seats)
        if self.due is None:
            return f"You play {played}."
        due = time.gmtime(self.due)
        day, hour = time.strftime("%A", due), time.strftime("%B %Y, %H:%M", due)
        return f"You play {played}, until {day} {due.tm_mday} {hour} UTC."


class Notifier:
    """Sends notices about the matches of a hall."""

    def __init__(
        self, hall: Hall, *, url: str = "", mailer: Mailer | None = None, outside: Outside | None = None,
        contact: str = "", grace: float = GRACE,
    ) -> None:  # fmt: skip
        """Make a notifier that is not started yet.

        Args:
            hall: The hall whose matches are watched.
            url: Public address of the server, for links in mails.
            mailer: Sends mail; None for a server without mail.
            outside: Sends requests to push services.
            contact: Address of the operator, for push services.
            grace: Seconds before a notice is sent.
        """
        self.hall, self.book, self.mailer = hall, WishBook(hall.store), mailer if url else None
        self.pusher: Pusher | None = None
        """Wakes browsers; None before the start, and where the library for it is missing."""
        self._outside, self._contact = outside or Outside(), contact
        self._url, self._grace = url.rstrip("/"), grace
        self._turns: OrderedDict[str, int] = OrderedDict()
        """The last seen turn of each match."""
        self._waiting: dict[str, dict[str, int]] = {}
        """By account, the matches that wait for it since a notice was last sent, with their turns."""
        self._sending = asyncio.Semaphore(AT_ONCE)
        self._mails = Buckets(4 / HOUR, 4)
        self._pushes = Buckets(60 / HOUR, 10)
        self._asks = {
            "account": Buckets(3 / HOUR, 3), "address": Buckets(2 / HOUR, 2),
            "network": Buckets(10 / HOUR, 10), "server": Buckets(200 / HOUR, 200),
        }  # fmt: skip
        hall.happenings.append(self.look)

    async def start(self) -> None:
        """Read the keys from the store, or make them."""
        await self.book.start()
        try:
            secret = await self.book.setting(PUSH_KEY) or PushKey.make()
            key = PushKey(secret)
        except MissingExtra as missing:
            _log.info("%s", missing)
            return
        await self.hall.store.keep(Setting(PUSH_KEY, secret))
        self.pusher = Pusher(key, self._outside, self._contact)

    def close(self) -> None:
        """Stop watching matches."""
        if self.look in self.hall.happenings:
            self.hall.happenings.remove(self.look)
        self._waiting.clear()

    # Players' choices of notices

    async def ask_mail(self, account: str, mail: str, network: str) -> None:
        """Send a mail with a link that confirms the address; raise Denied if there were too many."""
        if self.mailer is None:
            raise not_allowed("a server that has a mail server and a public address", "send mail")
        mail, now = checked_address(mail), self.hall.now()
        keys = {"account": account, "address": mail.lower(), "network": network, "server": ""}
        for kind, buckets in self._asks.items():
            buckets.demand(keys[kind], now, "mails to confirm an address")
        token = await self.book.ask_mail(account, mail, now)
        link = f"{self._url}/notices/confirm?account={quote(account, safe='')}&token={token}"
        text = (
            f"Somebody with the account {account} at {self._url} wants to be told here when it is their turn."
            f"\n\nIf that is you, open this address:\n{link}\n\nIf it is not, do nothing: nothing more is sent.\n"
        )
        try:
            await self.mailer.send(mail, "Confirm your address", text)
        except Unreachable as error:
            _log.warning("mail: %s", error)
            raise bad_value("mail: the server's mail could not be sent; try again later", field="mail") from None

    # Matches

    def look(self, hosted: HostedMatch, events: Sequence[Event]) -> None:
        """Note the accounts that a new turn of a match waits for."""
        state = hosted.match.state
        if hosted.in_tournament or self._turns.get(hosted.name) == state.turn:
            return
        self._turns[hosted.name] = state.turn
        self._turns.move_to_end(hosted.name)
        if len(self._turns) > MOST_WAITING:
            self._turns.popitem(last=False)
        if state.status is not MatchStatus.RUNNING:
            return
        for seat in state.to_act:
            sitting = hosted.seating.get(seat)
            account = "" if sitting is None or sitting.agent else holder_of(sitting).key
            if account and not account.startswith(MADE_HERE):
                self._note(account, hosted.name, state.turn)

    def _note(self, account: str, match: str, turn: int) -> None:
        found = self._waiting.get(account)
        if found is None:
            if len(self._waiting) >= MOST_WAITING:
                return
            found = self._waiting[account] = {}
            asyncio.get_running_loop().call_later(self._grace, self._ripe, account)
        if match in found or len(found) < MOST_MATCHES:
            found[match] = turn

    def _ripe(self, account: str) -> None:
        if (noted := self._waiting.pop(account, None)) is not None:
            self.hall.spawn(self._tell(account, noted))

    async def _tell(self, account: str, noted: dict[str, int]) -> None:
        """Notify an account as it wishes, if its matches still wait."""
        wishes = await self.book.of(account)
        if not wishes.browsers and not (wishes.mail and wishes.confirmed):
            return
        holder = await self.hall.store.fetch(self.hall.store.account, account)
        if holder is not None and holder.locked:
            return
        waiting = [found for match, turn in noted.items() if (found := await self._still(account, match, turn))]
        if not waiting:
            return
        now = self.hall.now()
        if wishes.browsers and self.pusher is not None and not self._pushes.take(account, now):
            async with asyncio.TaskGroup() as group:
                for endpoint in wishes.browsers:
                    group.create_task(self._push(account, endpoint, now))
        if wishes.mail and wishes.confirmed and self.mailer is not None and not self._mails.take(account, now):
            await self._mail(account, wishes, waiting)

    async def _still(self, account: str, match: str, turn: int) -> Waiting | None:
        """Return a match if it still waits for the account in that turn; None otherwise."""
        try:
            hosted = await self.hall.wake(match)
        except Denied:
            return None
        state = hosted.match.state
        own = [seat for seat in hosted.seats_of(of_account(account)) if seat in state.to_act]
        owed = tuple(seat for seat in own if not state.places[seat].acted)
        if state.status is not MatchStatus.RUNNING or state.turn != turn or not owed:
            return None
        return Waiting(match, name_of(hosted.head), owed, hosted.due())

    async def _push(self, account: str, endpoint: str, now: float) -> None:
        assert self.pusher is not None
        async with self._sending:
            try:
                if not await self.pusher.wake(endpoint, now):
                    await self.book.remove_browser(account, endpoint)
            except (Unreachable, Denied) as error:
                _log.info("push: %s", error)

    async def _mail(self, account: str, wishes: Wishes, waiting: list[Waiting]) -> None:
        assert self.mailer is not None
        lines = [f"{one.title}\n{one.words}\n{self._url}/match/{quote(one.match)}\n" for one in waiting]
        proof = self.book.stop_proof(account, wishes.mail)
        stop = f"{self._url}/notices/stop?account={quote(account, safe='')}&proof={proof}"
        subject = f"Your turn: {waiting[0].title[:80]}" if len(waiting) == 1 else f"Your turn in {len(waiting)} matches"
        text = "It is your turn:\n\n" + "\n".join(lines) + f"\nTo get no more of these mails, open {stop}\n"
        headers = {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
        try:
            await self.mailer.send(wishes.mail, subject, text, headers)
        except Unreachable as error:
            _log.warning("mail: %s", error)
