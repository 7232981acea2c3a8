"""Nobody learns how many seals others have made: after more of them no door says a new number."""

# Why real time passes here: what a server sends comes when the system has brought it.

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.viewers import SPECTATOR
from parlour.net.mila.match_status import BoardState
from support.doors.secrets import FRANCE, MAIN, ROLES, TURKEY, Person, SecretsWorld
from support.hall.people import session_of

OWN = re.compile(r'"(?:request_id|notification_id)":"n?\d+"|"now":[\d.]+')
"""Numbers that belong to the question, or to the time at which it was asked."""
COUNTS = re.compile(r"^(?!#|process_|python_)(?!.*(?:http|seconds|bytes|lag)).*$", re.MULTILINE)
"""Numbers of the server that do not count questions, nor say how busy it is."""


class CountingWorld(SecretsWorld):
    """Everybody looks everywhere, then one seals, then everybody looks again."""

    async def news(self) -> dict[str, set[str]]:
        """By person, the numbers that were told only after the seals."""
        async with self._serving():
            try:
                await self._begin()
                while not (await self.hall.view(MAIN, SPECTATOR)).seats[TURKEY].acted:  # noqa: ASYNC110 - an agent thinks
                    await asyncio.sleep(0.05)
                lookers = [*(self.people[name] for name in ("eve", "bea")), self.nobody]
                before = {person.name: await self._numbers_told(person, 2) for person in lookers}
                for number in range(3):
                    seal = it.Seal(FRANCE, ["A PAR - BUR"], {"PCE ( ENG FRA )": "break"}, {}, "x" * 400 * number)
                    (answer,) = await session_of(self.hall, "ann").submit(MAIN, seal)
                    assert answer.refusal is None, answer.refusal
                return {person.name: await self._numbers_told(person, 1) - before[person.name] for person in lookers}
            finally:
                await self._go_home()

    async def _numbers_told(self, person: Person, times: int) -> set[str]:
        person.told = []
        for _ in range(times):
            self.chance, first = random.Random(1), next(self._numbers)  # the same questions each time
            await self._ask_all(person)
            for role in ROLES if person.mila is not None else ():
                await self._ask_mila(person, role)
            if person.mila is not None:
                await self._answered(person, first)
        texts = [
            " ".join(COUNTS.findall(text)) if text.startswith("/metrics") else OWN.sub("", text) for text in person.told
        ]
        return {number for text in texts for number in re.findall(r"\d+(?:\.\d+)?", text)}

    async def _answered(self, person: Person, first: int) -> None:
        """Wait until the mila door has answered all that was asked since that number: it does so in any order."""
        asked = {f'"request_id":"{number}"' for number in range(first + 1, next(self._numbers))}
        async with asyncio.timeout(60):
            while not all(any(number in told for told in person.told) for number in asked):  # noqa: ASYNC110 - they come
                await asyncio.sleep(0.05)


def numbers_learnt(path: Path) -> dict[str, set[str]]:
    return asyncio.run(CountingWorld(1, path).news())


@pytest.mark.timeout(120)
def test_no_door_counts_the_seals_of_others(tmp_path: Path) -> None:
    assert numbers_learnt(tmp_path) == {"eve": set(), "bea": set(), "": set()}


@pytest.mark.timeout(120)
def test_a_door_that_says_when_something_secret_happened_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoardState, "latest_for_all", BoardState.latest)
    found = numbers_learnt(tmp_path)
    assert found["eve"]
    assert found["bea"]
