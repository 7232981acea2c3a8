"""Sessions of people as a door would make them once it knows who they are, for tests that need no door."""

from __future__ import annotations

from typing import cast

import msgspec

from parlour.core.intents import Intent
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.table import Answer
from parlour.store import Account, Store


def credential_of(name: str, *, admin: bool = False) -> Credential:
    """Return the credential of an account, as if somebody had signed in to it."""
    return Credential(of_account(name), name, is_admin=admin)


def session_of(hall: Hall, name: str = "", *, admin: bool = False) -> Session:
    """Return a session of an account, as if somebody had signed in to it."""
    return Session(hall, credential_of(name, admin=admin))


def listener(name: str) -> Session:
    """Return a session of somebody who only listens, for which there need not be a hall."""
    return Session(cast(Hall, None), credential_of(name))


def known(store: Store, *names: str) -> None:
    """Let there be accounts of these names."""
    for name in names:
        if store.account(name) is None:
            store.write(Account(name, ""))


async def appointed(by: Session, match: str, name: str, role: MatchRole | None) -> None:
    """Let somebody appoint an account, which is there."""
    known(by.hall.store, name)
    await by.appoint(match, name, role)


async def submitted(by: Session | Hall, match: str, intent: Intent) -> Answer:
    """Return the answer to an intent once what followed is durable and told."""
    (answer,) = await by.submit(match, intent)
    return answer


def opening(setup: MatchSetup, *intents: Intent) -> MatchSetup:
    """Return a setup with what its owner submits as the match opens."""
    return msgspec.structs.replace(setup, intents=intents)
