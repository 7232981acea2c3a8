"""Lists of matches as a reader may see them.

The state of delayed matches is hidden until the delay has passed. Cursors do not reveal how many records are left out.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

import msgspec

from parlour.net.accounts.principals import Principal, holder_of, of_account, owner_of
from parlour.net.permission_errors import bad_value
from parlour.net.setup import about_of
from parlour.store import Filter, Page, RecordHead, Setting, Store

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


def is_wanted(head: RecordHead, wanted: Filter) -> bool:
    """Return True if a veiled head passes the filter's status."""
    return not wanted.status or head.status in wanted.status


def belongs(head: RecordHead, wanted: Filter) -> bool:
    """Return True if a just ended match, which the store left out, must still be listed as running.

    The caller checks the account of the filter, because this function does not know the seats.
    """
    left_out = wanted.unfinished or (RUNNING in wanted.status and "over" not in wanted.status)
    return (
        left_out
        and is_wanted(head, wanted)
        and wanted.game in ("", head.game)
        and wanted.owner in ("", head.owner)
        and (not wanted.player or wanted.player in head.players.values())
    )


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
        hall, now = self._hall, self._hall.now()
        place = None if after is None else await hall.cursors.opened(after)
        visible = msgspec.structs.replace(wanted, visible_to=None if self._admin else self._who.key)
        page = await hall.page(visible, limit=limit, after=place, newest_first=newest_first)
        heads = [await self._unless_early(head, now) for head in page.heads]
        if after is None and (wanted.unfinished or wanted.status):
            ended = [await hall.head(match) for match in hall.just_ended()]
            found = {head.id for head in heads}
            late = [veiled(head) for head in ended if head.id not in found and await self._is_early(head, now)]
            heads += [
                head
                for head in late
                if belongs(head, wanted) and await self._may_find(head) and await self._plays(head, wanted.account)
            ]
        if wanted.account not in ("", self._who.key) and not self._admin:
            heads = [head for head in heads if head.result is not None or not about_of(head).admission.anonymous]
        more = None if page.more is None else await hall.cursors.sealed(page.more)
        return Page(tuple(head for head in heads if is_wanted(head, wanted)), more)

    async def head(self, match: str) -> RecordHead:
        """Return the head of a match as a list shows it."""
        return await self._unless_early(await self._hall.head(match), self._hall.now())

    async def _unless_early(self, head: RecordHead, now: float) -> RecordHead:
        return veiled(head) if await self._is_early(head, now) else head

    async def _is_early(self, head: RecordHead, now: float) -> bool:
        """Return True if the head shows something that the reader may not see yet."""
        return is_veiled(head, now) and not await self._is_concerned(head)

    async def _may_find(self, head: RecordHead) -> bool:
        return about_of(head).listed or await self._is_concerned(head)

    async def _plays(self, head: RecordHead, account: str) -> bool:
        """Return True if the account has a seat in the match, or no account is wanted."""
        store = self._hall.store
        return not account or any(sitting.account == account for sitting in await store.fetch(store.seating, head.id))

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
