"""Why a server does not do what somebody asks for: every code with its words, the same on every door."""

from __future__ import annotations

from enum import StrEnum

from parlour.core.text import printable
from parlour.errors import Denied

NOT_KEPT = "nothing can be kept at the moment; try again"
"""What whoever asks is told when the store fails; what exactly is wrong with it is for the operator's log."""


class DenialCode(StrEnum):
    """What stands in the way; a match's own refusals of an intent have codes of their own."""

    UNKNOWN_MATCH = "unknown match"
    MATCH_EXISTS = "match exists"
    UNKNOWN_ACCOUNT = "unknown account"
    NAME_TAKEN = "name taken"
    NOT_SIGNED_IN = "not signed in"
    BAD_TOKEN = "bad token"
    NOT_ALLOWED = "not allowed"
    WRONG_PASSWORD = "wrong password"
    BAD_VALUE = "bad value"
    TOO_MANY = "too many"
    TOO_OFTEN = "too often"
    CLOSING = "closing"


def unknown_match(match: str) -> Denied:
    """There is no such match, or none that the asker may know of."""
    return Denied(DenialCode.UNKNOWN_MATCH, f"there is no match {printable(match, 80)!r} here")


def match_exists(match: str) -> Denied:
    """A new match cannot have the name of another."""
    return Denied(DenialCode.MATCH_EXISTS, f"there is a match {printable(match, 80)!r} already")


def not_signed_in(wanted: str) -> Denied:
    """Only somebody with an account can do that."""
    return Denied(DenialCode.NOT_SIGNED_IN, f"to {wanted}, sign in first")


def bad_token() -> Denied:
    """Whatever that token was, it proves nothing now."""
    return Denied(DenialCode.BAD_TOKEN, "the token is unknown, expired or revoked: sign in again")


def bad_sign_in() -> Denied:
    """Which of the two it is nobody is told who does not know."""
    return Denied(DenialCode.WRONG_PASSWORD, "the name or the password is wrong")


def unknown_account(name: str) -> Denied:
    """There is no such account."""
    return Denied(DenialCode.UNKNOWN_ACCOUNT, f"there is no account {printable(name, 80)!r} here")


def name_taken(name: str) -> Denied:
    """A new account cannot have the name of another, nor one that could be taken for the house."""
    return Denied(DenialCode.NAME_TAKEN, f"the name {printable(name, 80)!r} is taken")


def not_allowed(who: str, wanted: str) -> Denied:
    """Only somebody else can do that: `only a moderator of the match may pause it`."""
    return Denied(DenialCode.NOT_ALLOWED, f"only {who} may {wanted}")


def wrong_password(match: str) -> Denied:
    """The match has a registration password, and it is another one."""
    return Denied(DenialCode.WRONG_PASSWORD, f"match {printable(match, 80)!r} wants a password, and not that one")


def bad_value(reason: str) -> Denied:
    """What was asked for cannot be, whoever asks."""
    return Denied(DenialCode.BAD_VALUE, printable(reason, 400))


def too_many(what: str, most: int) -> Denied:
    """A limit of this server."""
    return Denied(DenialCode.TOO_MANY, f"there are too many {what}: at most {most:,}")


def too_often(what: str, wait: float) -> Denied:
    """A limit of this server on what may be done in some time."""
    return Denied(DenialCode.TOO_OFTEN, f"too many {what}: try again in {wait:.1f} s", wait=wait)


def closing() -> Denied:
    """The server is about to stop."""
    return Denied(DenialCode.CLOSING, "the server is closing; try again when it is back")
