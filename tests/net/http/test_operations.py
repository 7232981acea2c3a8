"""Operations that need no sign-in over HTTP, and that all others need one."""

from __future__ import annotations

import re

from parlour.net.http.app import OPERATIONS
from support.http.asking import problem, run
from support.waiting import inside

from .api import Api

SIGNED_IN = {
    ("POST", "/matches"),
    ("POST", "/matches/{match}/seats"),
    ("POST", "/matches/{match}/intents"),
    ("PUT", "/matches/{match}/seats/{seat}/agent"),
    ("PUT", "/matches/{match}/roles/{account}"),
    ("POST", "/matches/{match}/release"),
    ("GET", "/accounts/me"),
    ("PUT", "/accounts/me/password"),
    ("DELETE", "/tokens/mine"),
    ("POST", "/invitations"),
    ("PUT", "/accounts/{account}/lock"),
    ("POST", "/accounts/{account}/password"),
}
OPEN = {
    ("POST", "/accounts"),
    ("POST", "/tokens"),
    *(("POST", f"/games/{{game}}/{verb}") for verb in ("adjudicate", "orders", "draw")),
}
"""Operations that change nothing of other people, or identify the caller."""


@inside(run)
async def test_all_that_changes_something_is_for_those_who_have_signed_in(api: Api) -> None:
    known = {(operation.method, operation.path) for operation in OPERATIONS}
    assert {asked for asked in known if asked[0] != "GET"} <= SIGNED_IN | OPEN
    for method, path in sorted(SIGNED_IN):
        found = await problem(api, method, re.sub(r"{\w+}", "x", path))
        assert found == (401, "not signed in", "to do that, sign in first"), f"{method} {path}"
