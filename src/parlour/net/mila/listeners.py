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
    """A listener, for as long as its token is valid."""
    role: str
    knows_fork: bool
    """True if it can read what only the fork has."""
    prefix: bytes
    """Beginning of each notification to this listener."""
    send: Callable[[bytes, bool], None]
    """Sends frames; quiet ones together with the next."""

    def tell(self, waiting: list[Waiting], *, quiet: bool = False) -> None:
        """Send the waiting notifications that the listener may read and did not cause itself, on any socket."""
        if frames := frames_for(waiting, self.prefix, self.role, self.knows_fork):
            self.send(frames, quiet)


Waiting: TypeAlias = tuple[bytes, bytes, bool, bytes, Container[str] | None]
"""A notification that waits: the same for all, except for its beginning.

Its id, and the rest; whether only the fork knows it; how notifications begin to who caused it, and so knows of it,
empty if nobody does; and the roles that are told, None for all.
"""


def waiting_for(
    found: Iterable[Notice], cause: Listening | None = None, roles: Container[str] | None = None
) -> list[Waiting]:
    """Return notices, each with an id of its own, as notifications that wait to be sent."""
    return [one_waiting(notice, cause, roles) for notice in found]


def one_waiting(found: Notice, cause: Listening | None, roles: Container[str] | None) -> Waiting:
    """Return one notice as a notification that waits to be sent."""
    known = b"" if cause is None else cause.prefix
    return b'"notification_id":"n%d",' % next(_numbers), found.tail, found.fork_only, known, roles


def prefix_of(token: str, game_id: bytes, role: bytes) -> bytes:
    """Return the beginning of each notification to a token; game and role are JSON strings."""
    return b'{"token":"%s","game_id":%s,"game_role":%s,' % (token.encode(), game_id, role)
