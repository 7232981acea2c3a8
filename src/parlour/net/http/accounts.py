"""The API's operations on accounts and tokens: registration, sign-in and sign-out, and administration."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec

from parlour.net.accounts.accounts import Identity
from parlour.net.http.operations import ApiCall, Nothing, Operations

PEOPLE = Operations()


class NewAccount(msgspec.Struct, frozen=True):
    """An account that is to be opened."""

    name: str
    password: str
    invitation: str = ""


class Credentials(msgspec.Struct, frozen=True):
    """Name and password of a sign-in."""

    name: str
    password: str


class SignedIn(msgspec.Struct, frozen=True):
    """A token: send it as `Authorization: Bearer TOKEN`. It is shown this once."""

    account: str
    token: str
    expires: float
    """Time of expiry in Unix seconds."""


class Me(msgspec.Struct, frozen=True):
    """The account of the caller."""

    account: str
    admin: bool
    expires: float


class NewPassword(msgspec.Struct, frozen=True):
    """The old password and the new one; after a one-time password the old one is not asked for."""

    new: str
    old: str = ""


class Invitation(msgspec.Struct, frozen=True):
    """A code that allows its holder to open one account."""

    invitation: str


class OneTimePassword(msgspec.Struct, frozen=True):
    """A password for one sign-in, after which the person sets their own."""

    password: str


class LockState(msgspec.Struct, frozen=True):
    """The lock of an account."""

    locked: bool


class Ending(msgspec.Struct, frozen=True):
    """The tokens to revoke."""

    everywhere: bool = False


@PEOPLE.add("POST", "/accounts", body=NewAccount, answer=SignedIn, status=HTTPStatus.CREATED, problems=(409,))
async def register(call: ApiCall[NewAccount, Nothing]) -> SignedIn:
    """Open an account and sign in."""
    body = call.body
    await call.service.accounts.register(body.name, body.password, call.address, invitation=body.invitation)
    return await _signed_in(call, body.name, body.password)


@PEOPLE.add("GET", "/accounts/me", answer=Me, signed_in=True)
async def who_am_i(call: ApiCall[Nothing, Nothing]) -> Me:
    """Show your own account."""
    identity = _identity(call)
    return Me(identity.name, identity.is_admin, identity.token.expires)


@PEOPLE.add("PUT", "/accounts/me/password", body=NewPassword, signed_in=True)
async def change_password(call: ApiCall[NewPassword, Nothing]) -> None:
    """Change your password. Every other token of the account is revoked."""
    await call.service.accounts.change_password(_identity(call), call.body.old, call.body.new, call.address)


@PEOPLE.add("POST", "/tokens", body=Credentials, answer=SignedIn, status=HTTPStatus.CREATED)
async def sign_in(call: ApiCall[Credentials, Nothing]) -> SignedIn:
    """Sign in."""
    return await _signed_in(call, call.body.name, call.body.password)


@PEOPLE.add("DELETE", "/tokens/mine", query=Ending, signed_in=True)
async def sign_out(call: ApiCall[Nothing, Ending]) -> None:
    """Sign out: revoke the token, or (everywhere) all tokens of the account."""
    await call.service.accounts.sign_out(_identity(call), everywhere=call.query.everywhere)


@PEOPLE.add("POST", "/invitations", answer=Invitation, status=HTTPStatus.CREATED, signed_in=True)
async def invite(call: ApiCall[Nothing, Nothing]) -> Invitation:
    """Make an invitation for one new account. For the administrator."""
    return Invitation(await call.service.accounts.invite(_identity(call)))


@PEOPLE.add("PUT", "/accounts/{account}/lock", body=LockState, signed_in=True)
async def lock(call: ApiCall[LockState, Nothing]) -> None:
    """Lock an account at once, or unlock it. For the administrator."""
    await call.service.accounts.lock(_identity(call), call.path["account"], call.body.locked)


@PEOPLE.add("POST", "/accounts/{account}/password", answer=OneTimePassword, signed_in=True)
async def reset_password(call: ApiCall[Nothing, Nothing]) -> OneTimePassword:
    """Create a one-time password for an account whose password was forgotten. For the administrator."""
    return OneTimePassword(await call.service.accounts.reset_password(_identity(call), call.path["account"]))


async def _signed_in(call: ApiCall[Any, Any], name: str, password: str) -> SignedIn:
    accounts = call.service.accounts
    token = await accounts.sign_in(name, password, call.address)
    return SignedIn(name, token, (await accounts.identify(token)).token.expires)


def _identity(call: ApiCall[Any, Any]) -> Identity:
    assert call.identity is not None, "an operation for signed-in callers"
    return call.identity
