"""Visitors: the one person of a local server, and the proof of an identity."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from parlour.errors import Denied
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import of_account
from parlour.web.visitors import YOU, OnePerson, visitor_of


async def test_only_who_has_the_key_is_the_one_person() -> None:
    keeper = OnePerson()
    assert await keeper.sign_in("", keeper.key) == keeper.key
    assert (await keeper.identify(keeper.key)).name == YOU
    for wrong in ("", "x", keeper.key[:-1], keeper.key + "x", "ключ", OnePerson().key):
        with pytest.raises(Denied, match="open the address that was printed"):
            await keeper.sign_in("", wrong)
        with pytest.raises(Denied, match="open the address that was printed"):
            await keeper.identify(wrong)
    with pytest.raises(Denied, match="need not register"):
        await keeper.register("anna", "a good password")


async def test_the_keeper_is_told_where_a_visitor_comes_from() -> None:
    class Keeper(OnePerson):
        async def identify(self, token: str, address: str = "") -> Credential:
            return Credential(of_account(f"{token} of {address}"), f"{token} of {address}")

    scope = {"type": "http", "headers": [(b"cookie", b"parlour=x")], "client": ("192.0.2.7", 1)}
    assert (await visitor_of(HTTPConnection(scope), Keeper())).name == "x of 192.0.2.7"
