"""Listeners of a match: a token in a role, and the frames of its notifications."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import count
from typing import NamedTuple, TypeAlias

from parlour.net.mila.kernel.telling import frames_for
from parlour.net.mila.notices import Notice
from parlour.net.sessions import Session

_numbers = count()


class Listening(NamedTuple):
    """A listener of a match in one role: a token, and its socket."""

    token: str
    session: Session
    """The session of the token, which shows if it is still valid."""
    role: str
    knows_fork: bool
    """True if the client can read notifications that only the fork has."""
    prefix: bytes
    """Beginning of each notification to this listener."""
    send: Callable[[bytes, bool], None]
    """Sends frames; quiet ones wait for the next write."""

    def tell(self, waiting: list[Waiting], *, quiet: bool = False) -> None:
        """Send the waiting notifications that the listener may read and did not cause itself."""
        if frames := frames_for(waiting, self.prefix, self.role, self.knows_fork):
            self.send(frames, quiet)


Waiting: TypeAlias = tuple[bytes, bytes, bool, bytes, Container[str] | None]
"""A waiting notification, the same for all listeners except for its prefix.

Its id; the rest of its JSON; True if only the fork can read it; the prefix of the listener that caused it and does not
receive it, or empty; and the roles that receive it, None for all.
"""


def waiting_for(
    found: Iterable[Notice], cause: Listening | None = None, roles: Container[str] | None = None
) -> list[Waiting]:
    """Return notices as waiting notifications, each with its own id."""
    return [one_waiting(notice, cause, roles) for notice in found]


def one_waiting(found: Notice, cause: Listening | None, roles: Container[str] | None) -> Waiting:
    """Return one notice as a waiting notification."""
    known = b"" if cause is None else cause.prefix
    return b'"notification_id":"n%d",' % next(_numbers), found.tail, found.fork_only, known, roles


def prefix_of(token: str, game_id: bytes, role: bytes) -> bytes:
    """Return the beginning of each notification to a token; game and role are JSON strings."""
    return b'{"token":"%s","game_id":%s,"game_role":%s,' % (token.encode(), game_id, role)
