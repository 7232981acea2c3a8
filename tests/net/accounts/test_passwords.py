"""Passwords: digests that match only their password, computed off the loop, and only so many at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import argon2
import pytest

from parlour.errors import Denied
from parlour.net.accounts.passwords import MAX_WAITING_OF_ONE, Passwords
from parlour.net.fair_pool import Requester
from parlour.net.permission_errors import DenialCode
from support.hall.quick_passwords import QUICK
from support.waiting import PATIENCE


class SlowHasher(argon2.PasswordHasher):
    """Waits until the test lets it go on; notes in which thread it works."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.gate = threading.Event()
        self.threads: set[str] = set()

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.threads.add(threading.current_thread().name)
        assert self.gate.wait(PATIENCE)
        return super().hash(password, salt=salt)


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    made = Passwords(QUICK)
    yield made
    made.close()


async def test_a_digest_matches_its_password_only(passwords: Passwords) -> None:
    digest = await passwords.digest("correct horse")
    assert "correct horse" not in digest
    assert digest.startswith("$argon2id$")
    assert await passwords.matches(digest, "correct horse")
    assert not await passwords.matches(digest, "Correct horse")
    assert not await passwords.matches("", "nobody's password")
    assert not await passwords.matches("no digest", "correct horse")
    odd = await passwords.digest("half a pair \ud800")
    assert await passwords.matches(odd, "half a pair \ud800")


def test_a_password_that_is_too_long_is_not_even_compared() -> None:
    passwords = Passwords(SlowHasher())
    assert not asyncio.run(passwords.matches("", "x" * 1025))
    passwords.close()


@pytest.mark.parametrize("length", [0, 7, 1025])
def test_passwords_that_are_too_short_or_too_long_are_refused(passwords: Passwords, length: int) -> None:
    with pytest.raises(Denied, match=f"password: expected 8 to 1,024 characters, got {length:,}") as told:
        asyncio.run(passwords.digest("x" * length))
    assert told.value.code == DenialCode.BAD_VALUE


@pytest.mark.parametrize("length", [8, 1024])
def test_the_shortest_and_the_longest_password(passwords: Passwords, length: int) -> None:
    async def scenario() -> bool:
        return await passwords.matches(await passwords.digest("x" * length), "x" * length)

    assert asyncio.run(scenario())


def test_the_loop_goes_on_meanwhile_and_only_so_many_wait() -> None:
    hasher = SlowHasher()
    passwords = Passwords(hasher, threads=2)

    async def scenario() -> list[object]:
        asking = [asyncio.ensure_future(passwords.digest("x" * 8)) for _ in range(MAX_WAITING_OF_ONE + 2)]
        await asyncio.sleep(0)
        with pytest.raises(Denied, match="the server is busy"):
            await passwords.digest("x" * 8)
        other = asyncio.ensure_future(passwords.digest("x" * 8, asker=Requester("192.0.2.1")))
        hasher.gate.set()
        found = await asyncio.gather(*asking, other)
        await passwords.digest("x" * 8)
        return list(found)

    assert len(asyncio.run(scenario())) == MAX_WAITING_OF_ONE + 3
    assert all(name.startswith("passwords") for name in hasher.threads)
    passwords.close()


def test_what_is_used_by_default_is_costly() -> None:
    passwords = Passwords()
    digest = asyncio.run(passwords.digest("x" * 8))
    passwords.close()
    parameters = argon2.extract_parameters(digest)
    assert (parameters.type, parameters.memory_cost, parameters.time_cost) == (argon2.Type.ID, 19 * 1024, 2)
    assert parameters.parallelism == 1, "so many cores as there are threads"


def test_two_are_made_at_a_time_and_those_who_wait_when_it_ends_are_let_go() -> None:
    hasher = SlowHasher()
    passwords = Passwords(hasher)

    async def scenario() -> list[object]:
        asking = [asyncio.ensure_future(passwords.digest("x" * 8)) for _ in range(5)]
        async with asyncio.timeout(PATIENCE):
            while len(hasher.threads) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.001)  # threads tell the loop nothing
        closing = asyncio.get_running_loop().run_in_executor(None, passwords.close)
        await asyncio.wait(asking[2:])
        hasher.gate.set()
        await closing
        return await asyncio.gather(*asking, return_exceptions=True)

    found = asyncio.run(scenario())
    assert [isinstance(each, str) for each in found] == [True, True, False, False, False]
    assert len(hasher.threads) == 2
