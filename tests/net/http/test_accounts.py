"""Accounts and tokens over HTTP: who comes by invitation, who signs out where, and what only the administrator may."""

from __future__ import annotations

import pytest

from parlour.net.accounts.accounts import Registration
from support.http.asking import problem
from support.waiting import inside

from .api import SECRET, Api, run

BAD_TOKEN = (401, "bad token", "the token is unknown, expired or revoked: sign in again")


async def signed_in(api: Api, name: str) -> str:
    response = await api.ask("POST", "/tokens", {"name": name, "password": SECRET})
    assert response.status_code == 201
    return str(response.json()["token"])


@inside(run)
async def test_who_signs_in_learns_as_whom_and_for_how_long(api: Api) -> None:
    await api.account("zoe")
    response = await api.ask("POST", "/tokens", {"name": "zoe", "password": SECRET})
    told = response.json()
    assert (told["account"], told["expires"]) == ("zoe", 1_000_000 + 30 * 86_400)
    assert (await api.get("/accounts/me", told["token"]))["account"] == "zoe"


@pytest.mark.parametrize("everywhere", [False, True])
@inside(run)
async def test_who_signs_out_ends_one_token_or_all(api: Api, *, everywhere: bool) -> None:
    first = await api.account("zoe")
    second = await signed_in(api, "zoe")
    query = {"everywhere": "true"} if everywhere else {}
    assert (await api.ask("DELETE", "/tokens/mine", token=first, params=query)).status_code == 204
    assert await problem(api, "GET", "/accounts/me", token=first) == BAD_TOKEN
    other = await api.ask("GET", "/accounts/me", token=second)
    assert other.status_code == (401 if everywhere else 200)


@inside(run, Registration.INVITATION)
async def test_by_invitation_one_account_is_opened(api: Api) -> None:
    asked = {"name": "zoe", "password": SECRET}
    assert await problem(api, "POST", "/accounts", asked) == (
        403,
        "not allowed",
        "only whoever was invited may open an account",
    )
    made = await api.ask("POST", "/invitations", token=await api.admin())
    assert made.status_code == 201
    invited = asked | {"invitation": made.json()["invitation"]}
    assert (await api.ask("POST", "/accounts", invited)).status_code == 201
    again = await problem(api, "POST", "/accounts", invited | {"name": "adam"})
    assert again == (400, "bad value", "invitation: unknown, used up or expired")


@inside(run)
async def test_a_name_is_taken_once(api: Api) -> None:
    await api.account("zoe")
    taken = await problem(api, "POST", "/accounts", {"name": "zoe", "password": SECRET})
    assert taken == (409, "name taken", "the name 'zoe' is taken")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/invitations", None),
        ("PUT", "/accounts/adam/lock", {"locked": True}),
        ("POST", "/accounts/adam/password", None),
    ],
)
@inside(run)
async def test_what_only_the_administrator_may_do(api: Api, *, method: str, path: str, body: object) -> None:
    await api.account("adam")
    zoe, admin = await api.account("zoe"), await api.admin()
    forbidden = (403, "not allowed", "only the administrator may do that")
    assert await problem(api, method, path, body, token=zoe) == forbidden
    assert (await api.ask(method, path, body, token=admin)).status_code < 300
    unknown = path.replace("adam", "nobody")
    if unknown != path:
        assert (await problem(api, method, unknown, body, token=admin))[:2] == (404, "unknown account")
