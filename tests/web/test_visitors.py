"""Visitors: the one person of a local server, and the proof of an identity."""

from __future__ import annotations

import pytest

from parlour.errors import Denied
from parlour.web.visitors import YOU, OnePerson


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
