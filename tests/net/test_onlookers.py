"""Those who begin to watch: from which number on they are told, in which order, and until when they count."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.player import ObservedEvent
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.errors import Denied, StoreError
from parlour.net import shared_work
from parlour.net.accounts.principals import of_account
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.onlookers import Eyes
from support.hall.halls import FRANCE, diplomacy, in_a_hall, seven
from support.hall.people import session_of
from support.waiting import PATIENCE, inside


async def waved(hall: Hall, match: str, times: int) -> None:
    """Let so many things happen that everybody sees."""
    hosted = await hall.wake(match)
    for _ in range(times):
        up = hosted.match.state.places[FRANCE].wait
        assert (await session_of(hall, "france").submit(match, it.SetWait(FRANCE, not up)))[0].refusal is None


@pytest.mark.parametrize("delay", [0.0, 0.001])
@inside(in_a_hall)
async def test_everybody_is_told_from_the_number_on_that_it_asked_for(hall: Hall, *, delay: float) -> None:
    match = await hall.open(diplomacy(delay=delay))
    await seven(hall, match)
    async with asyncio.timeout(PATIENCE):
        while not (first := (await hall.view(match, SPECTATOR)).k) or first < 9:  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # until the thousandth of a second has passed by which spectators hear later
    asked = (None, 0, 1, first - 1, first, first + 1, first + 2)
    heard: list[list[ObservedEvent]] = [[] for _ in asked]
    for since, told in zip(asked, heard, strict=True):
        await hall.watch(match, SPECTATOR, told.append, since)
    await waved(hall, match, 4)
    last = first + 4
    async with asyncio.timeout(PATIENCE):
        while not all(told and told[-1].k == last - 1 for told in heard):  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # until the thousandth of a second has passed by which spectators hear later
    for since, told in zip(asked, heard, strict=True):
        assert [each.k for each in told] == list(range(first if since is None else since, last)), since


@inside(in_a_hall)
async def test_what_happens_while_the_past_is_read_is_told_after_it(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await hall.open(diplomacy())
    await seven(hall, match)
    first = (await hall.view(match, SPECTATOR)).k
    past = hall.past

    async def slow(*asked: Any) -> Any:
        await waved(hall, match, 3)
        found = await past(*asked)
        await waved(hall, match, 2)
        return found

    monkeypatch.setattr(hall, "past", slow)
    told: list[ObservedEvent] = []
    await hall.watch(match, SPECTATOR, told.append, 2)
    assert [each.k for each in told] == list(range(2, first + 5))
    await waved(hall, match, 1)
    assert [each.k for each in told] == list(range(2, first + 6))


@inside(in_a_hall)
async def test_who_leaves_is_told_nothing_more_and_counts_once(hall: Hall) -> None:
    match = await hall.open(diplomacy())
    await seven(hall, match)
    hosted, gone, told = await hall.wake(match), list[ObservedEvent](), list[ObservedEvent]()
    ends = [await hall.watch(match, SPECTATOR, each.append) for each in (gone, told)]
    assert hosted.watchers == 2
    used, hosted.used = hosted.used, 0.0
    for _ in range(2):
        ends[0]()
    assert hosted.watchers == 1
    assert hosted.used >= used, "that somebody left is a use as well"
    await waved(hall, match, 1)
    assert (len(gone), len(told)) == (0, 1)
    ends[1]()
    await waved(hall, match, 2)
    assert (hosted.watchers, len(told)) == (0, 1)


@pytest.mark.parametrize("delay", [0.0, 60.0])
@inside(in_a_hall)
async def test_who_cannot_be_told_the_past_does_not_watch(
    hall: Hall, *, monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    match = await hall.open(diplomacy(delay=delay))
    await seven(hall, match)
    hosted, told = await hall.wake(match), list[ObservedEvent]()

    async def broken(*_: object) -> Any:
        raise StoreError("not now")

    with monkeypatch.context() as patched:
        patched.setattr(hall, "past", broken)
        patched.setattr(hall, "record", broken)
        with pytest.raises(StoreError, match="not now"):
            await hall.watch(match, SPECTATOR, told.append, 0)
    assert hosted.watchers == 0
    await waved(hall, match, 2)
    assert told == []
    async with asyncio.timeout(20):  # what failed once does not keep the next from watching
        await hall.watch(match, SPECTATOR, told.append, 0)
    assert hosted.watchers == 1


def test_a_long_past_is_told_in_slices_between_which_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_work, "SLICE", -1.0)  # each event is a slice

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        await seven(hall, match)
        first, told, seen = (await hall.view(match, SPECTATOR)).k, list[ObservedEvent](), list[int]()

        async def others() -> None:
            while len(told) < first:
                await asyncio.sleep(0)
                seen.append(len(told))
                if len(told) == 3:
                    (await hall.wake(match)).submit([it.SetWait(FRANCE, True)])

        running = asyncio.ensure_future(others())
        await hall.watch(match, SPECTATOR, told.append, 0)
        await running
        assert set(range(1, first)) <= set(seen)
        assert [each.k for each in told] == list(range(len(told)))

    in_a_hall(tmp_path, scenario)


def test_who_may_not_look_any_more_is_told_no_more_of_a_long_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_work, "SLICE", -1.0)

    async def scenario(hall: Hall) -> None:
        match = await hall.open(diplomacy())
        await seven(hall, match)
        told, allowed = list[ObservedEvent](), [SPECTATOR, SPECTATOR]

        def look(hosted: HostedMatch) -> Viewer | None:
            return allowed.pop() if allowed else None

        with pytest.raises(Denied):
            await hall.watch(match, SPECTATOR, told.append, 0, Eyes(look))
        assert len(told) == 1
        assert (await hall.wake(match)).watchers == 0

    in_a_hall(tmp_path, scenario)


def test_long_pasts_are_told_one_after_the_other_and_in_turn_among_owners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.net.hall.LONG", 0)
    monkeypatch.setattr(shared_work, "SLICE", -1.0)

    async def scenario(hall: Hall) -> None:
        heard: list[str] = []
        mine = await hall.open(diplomacy(match="mine"), owner=of_account("me"))
        other = await hall.open(diplomacy(match="other"), owner=of_account("other"))
        for match in (mine, other):
            await seven(hall, match)

        async def watch(match: str) -> None:
            await hall.watch(match, SPECTATOR, lambda _: heard.append(match), 0)

        await asyncio.gather(*map(watch, (mine, mine, mine, other)))
        pieces = [match for at, match in enumerate(heard) if not at or heard[at - 1] != match]
        assert pieces == [mine, other, mine]

    in_a_hall(tmp_path, scenario)
