"""Denials of requests: each code with its message, the same at every door."""

from __future__ import annotations

from enum import StrEnum

from parlour.core.text import printable
from parlour.errors import Denied

NOT_KEPT = "nothing can be kept at the moment; try again"
"""Reply while the store fails. The operator's log has the details."""
BUSY_WAIT = 1.0
"""Seconds to wait before a retry when the server is busy."""


class DenialCode(StrEnum):
    """Code of a denial. Refusals of an intent by a match have their own codes."""

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
    BEGIN_ANEW = "begin anew"
    BUSY = "busy"
    HELD_BACK = "held back"


def unknown_match(match: str) -> Denied:
    """Return the denial for a match that does not exist, or that the sender may not know of."""
    return Denied(DenialCode.UNKNOWN_MATCH, f"there is no match {printable(match, 80)!r} here")


def match_exists(match: str) -> Denied:
    """Return the denial for a match id that is taken."""
    return Denied(DenialCode.MATCH_EXISTS, f"there is a match {printable(match, 80)!r} already")


def not_signed_in(wanted: str) -> Denied:
    """Return the denial for a request that needs an account."""
    return Denied(DenialCode.NOT_SIGNED_IN, f"to {wanted}, sign in first")


def bad_token() -> Denied:
    """Return the denial for a token that is not valid."""
    return Denied(DenialCode.BAD_TOKEN, "the token is unknown, expired or revoked: sign in again")


def bad_sign_in() -> Denied:
    """Return the denial for a wrong name or password. It does not reveal which of the two is wrong."""
    return Denied(DenialCode.WRONG_PASSWORD, "the name or the password is wrong")


def unknown_account(name: str) -> Denied:
    """Return the denial for an account that does not exist."""
    return Denied(DenialCode.UNKNOWN_ACCOUNT, f"there is no account {printable(name, 80)!r} here")


def name_taken(name: str) -> Denied:
    """Return the denial for an account name that is taken, or that could be mistaken for the house."""
    return Denied(DenialCode.NAME_TAKEN, f"the name {printable(name, 80)!r} is taken")


def not_allowed(who: str, wanted: str) -> Denied:
    """Return the denial for a request that others may send: `only a moderator of the match may pause it`."""
    return Denied(DenialCode.NOT_ALLOWED, f"only {who} may {wanted}")


def wrong_password(match: str) -> Denied:
    """Return the denial for a missing or wrong password of a match."""
    return Denied(DenialCode.WRONG_PASSWORD, f"match {printable(match, 80)!r} wants a password, and not that one")


def bad_value(reason: str, *, field: str = "") -> Denied:
    """Return the denial for a request that is wrong, regardless of its sender."""
    return Denied(DenialCode.BAD_VALUE, printable(reason, 400), field=field)


def too_many(what: str, most: int) -> Denied:
    """Return the denial for a limit of this server."""
    return Denied(DenialCode.TOO_MANY, f"there are too many {what}: at most {most:,}")


def too_often(what: str, wait: float) -> Denied:
    """Return the denial for a rate limit of this server."""
    return Denied(DenialCode.TOO_OFTEN, f"too many {what}: try again in {wait:.1f} s", wait=wait)


def begin_anew(since: int, there: int) -> Denied:
    """Return the denial for a client whose `since` is beyond the end of its view: it must begin again."""
    told = f"since: expected at most {there}, got {since}: the record or your view is another; begin anew from 0"
    return Denied(DenialCode.BEGIN_ANEW, told)


def closing() -> Denied:
    """Return the denial while the server stops."""
    return Denied(DenialCode.CLOSING, "the server is closing; try again when it is back")


def busy() -> Denied:
    """Return the denial while too many requests are being served."""
    return Denied(DenialCode.BUSY, f"the server is busy: try again in {BUSY_WAIT:g} s", wait=BUSY_WAIT)


def held_back(match: str) -> Denied:
    """Return the denial for a match whose agents crashed the server repeatedly; see the crash guard."""
    reason = "its agents stopped the server twice; the server's operator can release it"
    return Denied(DenialCode.HELD_BACK, f"match {printable(match, 80)!r} is held back: {reason}")
