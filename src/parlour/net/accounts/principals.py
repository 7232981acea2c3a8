"""Principals: identities that have rights. They have their own type, so that they are not compared with display names.

A principal comes from authentication, or from the store, which got it from there. An account's principal has the
account's name as its key. The server makes further principals for players without an account. Their keys begin with a
character that no account name can contain, so nobody can register or type one.
"""

from __future__ import annotations

import msgspec

from parlour.store import RecordHead, Seating

MADE_HERE = "\x1f"
"""First character of the keys that the server makes: account names are printable, and it is not."""
DAIDE, ASSISTANT = "daide ", "assistant "
"""Words after MADE_HERE in the keys of DAIDE clients, and of the seats of assistants."""


class Principal(msgspec.Struct, frozen=True, cache_hash=True):
    """An identity that has rights. Two are equal if their keys are; no text is equal to one."""

    key: str
    """The principal's key in the store. It is never shown, and never compared with a chosen name."""

    def __bool__(self) -> bool:
        """Return True unless this is NOBODY."""
        return bool(self.key)

    @property
    def is_daide(self) -> bool:
        """True for a DAIDE client, which is known by its passcode alone."""
        return self.key.startswith(MADE_HERE + DAIDE)


NOBODY = Principal("")
"""The principal of all callers who have not signed in."""


def of_account(name: str) -> Principal:
    """Return the principal of an account. Call it only with a name that was authenticated or found in the store."""
    return Principal(name)


def of_daide_client(match: str, seat: str, token: str) -> Principal:
    """Return the principal of a DAIDE client in a match; the token is random."""
    return Principal(f"{MADE_HERE}{DAIDE}{match} {seat}{token}")


def of_assistant(digest: str) -> Principal:
    """Return the principal of the holder of the secret with that digest."""
    return Principal(f"{MADE_HERE}{ASSISTANT}{digest}")


def holder_of(sitting: Seating) -> Principal:
    """Return the principal that holds a seat. Keys of earlier versions, which could be account names, are converted."""
    key = sitting.account
    if key.startswith((f"{DAIDE}{sitting.record} ", f" {ASSISTANT}")):
        return Principal(MADE_HERE + key.lstrip())
    return Principal(key)


def owner_of(head: RecordHead) -> Principal:
    """Return the principal that opened a record."""
    return Principal(head.owner)


def shown_owner(head: RecordHead) -> str:
    """Return the account that opened a record, for display; empty if its owner has no account."""
    return "" if head.owner.startswith((MADE_HERE, " ")) else head.owner
