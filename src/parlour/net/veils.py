"""Lists of matches as a reader may see them.

The state of delayed matches is hidden until the delay has passed. Cursors do not reveal how many records are left out.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from typing import TYPE_CHECKING

import msgspec

from parlour.net.accounts.principals import MADE_HERE, Principal, holder_of, of_account, owner_of
from parlour.net.permission_errors import bad_value
from parlour.net.setup import LONGEST_DELAY, about_of
from parlour.store import Filter, Page, RecordHead, RecordKind, Setting, Store

if TYPE_CHECKING:
    from parlour.net.hall import Hall


RUNNING, FORMING = "running", "forming"
SECRET = "list secret"
HALF = 26
"""Bits of half a cursor: a whole cursor fits into a number that JSON carries exactly."""
_ROUNDS = range(6)
_MASK = (1 << HALF) - 1


def is_veiled(head: RecordHead, now: float) -> bool:
    """Return True while the last change of a match is still hidden from spectators."""
    delay = about_of(head).delay
    return delay > 0 and head.updated + delay > now


def veiled(head: RecordHead) -> RecordHead:
    """Return the head as a stranger sees it meanwhile: forming or running, without its progress."""
    status = FORMING if head.status == FORMING else RUNNING
    return msgspec.structs.replace(head, status=status, turn=0, phase="", due=None, updated=head.opened, result=None)


class Veils:
    """Matches that strangers see as running although they are over or paused, until their delay has passed."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._found: tuple[str, ...] = ()
        self._again = 0.0
        """Time at which they must be gathered again: every list asks for them."""

    async def start(self, store: Store, now: float) -> None:
        """Find the matches that an earlier server has veiled."""
        for head in await store.fetch(_veiled_at, store, now):
            self.look(head)

    def look(self, head: RecordHead) -> None:
        """Note the present head of a match."""
        if (delay := about_of(head).delay) and head.status not in (FORMING, RUNNING):
            self._until[head.id] = head.updated + delay
        elif self._until.pop(head.id, None) is None:
            return
        self._again = 0.0

    def at(self, now: float) -> tuple[str, ...]:
        """Return the veiled matches at a time; those before it are forgotten."""
        if now >= self._again:
            self._until = {match: until for match, until in self._until.items() if until > now}
            self._found, self._again = tuple(self._until), min(self._until.values(), default=math.inf)
        return self._found


def _veiled_at(store: Store, now: float) -> list[RecordHead]:
    """Return the heads of veiled matches. Blocks."""
    wanted = Filter(kind=RecordKind.MATCH, status=("over", "paused"), changed_after=now - LONGEST_DELAY)
    return [head for head in store.heads(wanted) if is_veiled(head, now)]


class Cursors:
    """Encrypts record numbers as cursors, and back, with a key from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._secret = b""

    async def sealed(self, number: int) -> int:
        """Return the cursor of a record number."""
        return _mixed(number, await self._key(), forward=True)

    async def opened(self, place: int) -> int:
        """Return the record number of a cursor; an arbitrary number for an invented cursor."""
        return _mixed(place & ((1 << 2 * HALF) - 1), await self._key(), forward=False)

    async def _key(self) -> bytes:
        if not self._secret:
            kept = await self._store.fetch(self._store.setting, SECRET)
            if kept is None:
                kept = secrets.token_bytes(32)
                await self._store.keep(Setting(SECRET, kept))
            self._secret = self._secret or kept
        return self._secret


def _mixed(number: int, key: bytes, *, forward: bool) -> int:
    """Encrypt or decrypt a number with a Feistel network."""
    left, right = number >> HALF & _MASK, number & _MASK
    if forward:
        for turn in _ROUNDS:
            left, right = right, left ^ _scrambled(right, turn, key)
    else:
        for turn in reversed(_ROUNDS):
            left, right = right ^ _scrambled(left, turn, key), left
    return left << HALF | right


def _scrambled(half: int, turn: int, key: bytes) -> int:
    digest = hashlib.blake2b(bytes([turn]) + half.to_bytes(4, "big"), key=key, digest_size=4).digest()
    return int.from_bytes(digest, "big") & _MASK


class MatchLists:
    """Lists of matches for one reader."""

    def __init__(self, hall: Hall, who: Principal, admin: bool) -> None:
        self._hall, self._who, self._admin = hall, who, admin

    async def page(self, wanted: Filter, *, limit: int, after: int | None, newest_first: bool) -> Page:
        """Return heads of matches: the listed ones, and those that concern the reader.

        They hide what spectators may not see yet.
        """
        if not 1 <= limit <= 1000:
            raise bad_value(f"limit: expected 1 to 1,000, got {limit}")
        if any(key.startswith(MADE_HERE) and key != self._who.key for key in (wanted.owner, wanted.account)):
            return Page(())  # the key of an assistant's network is a digest of its address, so it can be guessed
        hall, now = self._hall, self._hall.now()
        place = None if after is None else await hall.cursors.opened(after)
        visible = msgspec.structs.replace(
            wanted,
            visible_to=None if self._admin else self._who.key,
            veiled=() if self._admin else hall.veils.at(now),
            named=wanted.account not in ("", self._who.key) and not self._admin,
        )
        page = await hall.page(visible, limit=limit, after=place, newest_first=newest_first)
        more = None if page.more is None else await hall.cursors.sealed(page.more)
        heads = [await self._unless_early(head, now) for head in page.heads]
        # A match that changed during the read may no longer be what is wanted.
        fit = (head for head in heads if not wanted.status or head.status in wanted.status)
        return Page(tuple(fit), more)

    async def head(self, match: str) -> RecordHead:
        """Return the head of a match as a list shows it."""
        return await self._unless_early(await self._hall.head(match), self._hall.now())

    async def _unless_early(self, head: RecordHead, now: float) -> RecordHead:
        return veiled(head) if await self._is_early(head, now) else head

    async def _is_early(self, head: RecordHead, now: float) -> bool:
        """Return True if the head shows something that the reader may not see yet."""
        return is_veiled(head, now) and not await self._is_concerned(head)

    async def _is_concerned(self, head: RecordHead) -> bool:
        """Return True if the reader is an administrator, opened the match, plays in it, or has a role in it."""
        who, store = self._who, self._hall.store
        if self._admin or (who and owner_of(head) == who):
            return True
        if not who:
            return False
        if any(holder_of(sitting) == who for sitting in await store.fetch(store.seating, head.id)):
            return True
        appointed = await store.fetch(store.permissions, head.id)
        return any(of_account(permission.account) == who and permission.role for permission in appointed)
