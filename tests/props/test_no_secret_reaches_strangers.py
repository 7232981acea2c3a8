"""No byte of a secret reaches whoever may not see it, at any door, whatever rights are given and taken in between."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.core.events import Said, Sealed, Voted
from parlour.core.game import Seat
from parlour.core.viewers import OMNISCIENT, Viewer, Visibility
from parlour.net.accounts.credential import Credential
from parlour.net.hosted import HostedMatch
from parlour.net.http import matches
from parlour.net.mcp import seat_tools as mcp_desk
from parlour.net.mila import rooms
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.role_state import viewer_of
from parlour.net.sessions import Session
from parlour.net.tenures import Tenures
from parlour.store import sql
from support.doors.secrets import leaks
from support.hall.people import credential_of

STEPS = 25
Patch = pytest.MonkeyPatch


@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_sent_what_is_not_theirs(tmp_path: Path, seed: int) -> None:
    assert leaks(seed, tmp_path, STEPS) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_nobody_is_sent_what_is_not_theirs_for_long(tmp_path: Path, seed: int) -> None:
    assert leaks(seed, tmp_path, 150) == []


def _by_shown_name(patch: Patch) -> None:
    async def seats(self: HallHost, by: Any, match: str) -> tuple[Seat, ...]:
        hosted = await self.hall.wake(match)
        return tuple(seat for seat, sitting in hosted.seating.items() if sitting.player == by.name)

    patch.setattr(HallHost, "seats", seats)
    patch.setattr(HallHost, "may_listen", lambda *_: True)


def _credentials_that_never_end(patch: Patch) -> None:
    patch.setattr(Credential, "end", lambda self: None)


def _watchers_that_are_kept(patch: Patch) -> None:
    patch.setattr(rooms.Room, "heed", lambda self: None)


def _sessions_that_see_all(patch: Patch) -> None:
    patch.setattr(Session, "_viewer", lambda self, hosted, wanted: OMNISCIENT)


def _press_for_all(patch: Patch) -> None:
    patch.setattr(Said, "seen", lambda self, viewer, game: self)


def _seals_for_all(patch: Patch) -> None:
    patch.setattr(Sealed, "seen", lambda self, viewer, game: self)


def _pages_that_go_on(patch: Patch) -> None:
    patch.setattr(Session, "still", lambda self, hosted, viewer: viewer)


def _votes_for_all(patch: Patch) -> None:
    patch.setattr(Voted, "seen", lambda self, viewer, game: self)


def _nothing_is_shown_later(patch: Patch) -> None:
    patch.setattr(HostedMatch, "delays", lambda self, viewer: False)


def _nobody_is_shut_out(patch: Patch) -> None:
    patch.setattr(Session, "_is_shut_out", lambda self, hosted: False)


def _all_is_listed(patch: Patch) -> None:
    patch.setattr(sql, "UNLISTED", b"nothing says that")


def _assistants_by_any_token(patch: Patch) -> None:
    patch.setattr(mcp_desk, "_holder", lambda secret: credential_of("ann"))


def _a_log_of_intents(patch: Patch) -> None:
    submit = HostedMatch.submit

    def logged(self: HostedMatch, intents: Any, **more: Any) -> Any:
        logging.getLogger("parlour.test").warning("submitted: %r", intents)
        return submit(self, intents, **more)

    patch.setattr(HostedMatch, "submit", logged)


def _seats_with_their_past(patch: Patch) -> None:
    patch.setattr(Tenures, "viewer", lambda self, viewer, who, seats: viewer)


def _roles_with_their_past(patch: Patch) -> None:
    patch.setattr(HallHost, "viewer", lambda self, match, role: viewer_of(role))


def _viewers_without_a_seat(patch: Patch) -> None:
    patch.setattr(matches, "seated_on", lambda *seats: Viewer(Visibility.SEATED, tuple(sorted(seats))))


BROKEN: dict[str, tuple[Callable[[Patch], None], str, int]] = {
    "mila by name": (_by_shown_name, "mila", 2),
    "credentials": (_credentials_that_never_end, "", 3),
    "mila watchers": (_watchers_that_are_kept, "mila", 4),
    "sessions": (_sessions_that_see_all, "/api", 0),
    "press": (_press_for_all, "", 1),
    "seals": (_seals_for_all, "MARKplan", 0),
    "lines": (_pages_that_go_on, "line", 3),
    "votes": (_votes_for_all, "the vote of", 0),
    "delays": (_nothing_is_shown_later, "/late", 2),
    "guards": (_nobody_is_shut_out, "/shut", 3),
    "lists": (_all_is_listed, "MARKhidden", 0),
    "assistants": (_assistants_by_any_token, "assistant", 3),
    "seats": (_seats_with_their_past, "/api", 7),
    "mila seats": (_roles_with_their_past, "mila", 7),
    "no seats": (_viewers_without_a_seat, "?as=,", 0),
    "logs": (_a_log_of_intents, "logged", 0),
}
"""What is broken, where it is noticed, and a seed with which a short life is enough to notice it."""


@pytest.mark.parametrize("broken", BROKEN)
def test_a_door_that_does_not_keep_secrets_is_found(tmp_path: Path, monkeypatch: Patch, broken: str) -> None:
    breaks, where, soon = BROKEN[broken]
    breaks(monkeypatch)
    found: list[str] = []
    for number, (seed, steps) in enumerate([(soon, 12), *((seed, 70) for seed in range(8))]):
        (folder := tmp_path / str(number)).mkdir()
        found += leaks(seed, folder, steps)
        if any(where in line for line in found):
            return
    pytest.fail(f"nothing was found at {where or 'any door'}: {found[:5]}")
