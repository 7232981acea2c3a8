"""Lists of matches that spectators hear of later, and places in lists that tell nothing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.errors import Denied
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import of_assistant
from parlour.net.hall import Hall
from parlour.net.sessions import Session
from parlour.net.setup import About, Admission
from parlour.net.veils import Cursors, Veils
from parlour.referee.conduct import DIPLOMACY
from parlour.store import Filter, RecordHead, RecordKind
from support.hall.halls import FRANCE, diplomacy, in_a_hall
from support.hall.people import known, session_of
from support.waiting import inside


@pytest.mark.parametrize("ended", [False, True])
@inside(in_a_hall)
async def test_a_list_tells_strangers_of_no_phase_and_no_end_before_its_time(hall: Hall, *, ended: bool) -> None:
    owner = session_of(hall, "owner")
    terms = Terms(DIPLOMACY, vacancy=Vacancy.AWAITED, seats_to_start=1, wait_flags_up=True)
    await owner.open(diplomacy(match="m", delay=600.0, terms=terms))
    await session_of(hall, "ann").join("m", FRANCE)
    if ended:
        await owner.submit("m", it.Cancel("", "rain"))
    running = ("running", "paused", "forming")
    lists = [Filter(), Filter(status=running), Filter(unfinished=True), Filter(status=running, account="ann")]
    for wanted in lists:
        (head,) = (await Session(hall).page(wanted)).heads
        assert (head.status, head.phase, head.turn, head.result) == ("running", "", 0, None)
    assert (await Session(hall).page(Filter(status=("over",)))).heads == ()
    assert (await Session(hall).page(Filter(status=running, account="ben"))).heads == ()
    (own,) = (await session_of(hall, "ann").page()).heads
    assert (own.status, own.phase) == ("over" if ended else "running", "S1901M")


def test_an_end_that_is_hidden_is_still_hidden_after_a_restart(tmp_path: Path) -> None:
    async def ends(hall: Hall) -> None:
        await session_of(hall, "owner").open(diplomacy(match="m", delay=600.0))
        await session_of(hall, "owner").submit("m", it.Cancel("", "rain"))

    async def looks(hall: Hall) -> list[tuple[str, ...]]:
        wanted = (Filter(unfinished=True), Filter(status=("running",)), Filter(status=("over",)))
        return [tuple(head.id for head in (await Session(hall).page(one)).heads) for one in wanted]

    assert in_a_hall(tmp_path, ends, looks) == [("m",), ("m",), ()]
    assert in_a_hall(tmp_path, looks, clock=lambda: time.time() + 601.0) == [(), (), ("m",)]


def test_veils_are_gathered_again_when_one_falls_and_when_one_is_added() -> None:
    veils, setup = Veils(), msgspec.json.encode(About(delay=10.0))
    for match, ended in (("a", 0.0), ("b", 5.0)):
        head = RecordHead(match, RecordKind.MATCH, "fish", about=setup, status="over", updated=ended)
        veils.look(head)
        assert veils.at(6.0)[-1] == match
    assert [veils.at(now) for now in (9.9, 10.0, 14.9, 15.0)] == [("a", "b"), ("b",), ("b",), ()]
    veils.look(msgspec.structs.replace(head, updated=20.0))
    assert veils.at(21.0) == ("b",)
    veils.look(msgspec.structs.replace(head, updated=22.0, status="running"))
    assert veils.at(23.0) == ()


@inside(in_a_hall)
async def test_lists_have_the_same_pages_whatever_they_hide(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    terms = Terms(DIPLOMACY, vacancy=Vacancy.AWAITED, seats_to_start=1, wait_flags_up=True)
    masked, late = {"admission": Admission(anonymous=True)}, {"delay": 600.0}
    how: dict[str, dict[str, Any]] = {"1": late, "2": masked, "3": {}, "4": late, "5": {}, "6": late | masked}
    for match, more in how.items():
        await owner.open(diplomacy(match=match, terms=terms, **more))
        await session_of(hall, "ann").join(match, FRANCE)
    wanted = (
        Filter(status=("running",)),
        Filter(unfinished=True),
        Filter(account="ann"),
        Filter(status=("over", "paused")),
    )
    before = [await _leafed(hall, one) for one in wanted]
    await owner.submit("1", it.Pause(""))
    for match in ("4", "6"):
        await owner.submit(match, it.Cancel("", "rain"))
    assert before == [await _leafed(hall, one) for one in wanted]
    assert before == [list("654321"), list("654321"), list("5431"), []]
    assert (await owner.page(Filter(status=("paused",)))).heads[0].id == "1"
    admin = session_of(hall, "root", admin=True)
    assert [head.id for head in (await admin.page(Filter(status=("over",)))).heads] == ["6", "4"]


@inside(in_a_hall)
async def test_nobody_asks_for_the_matches_of_an_address_or_of_another_who_has_no_account(hall: Hall) -> None:
    opener = Session(hall, Credential(of_assistant("digest"), "assistant"))
    await opener.open(diplomacy(match="m"))
    await opener.join("m", FRANCE)
    for wanted in (Filter(owner=opener.who.key), Filter(account=opener.who.key)):
        assert [head.id for head in (await opener.page(wanted)).heads] == ["m"]
        for stranger in (Session(hall), session_of(hall, "eve")):
            assert (await stranger.page(wanted)).heads == ()


async def _leafed(hall: Hall, wanted: Filter) -> list[str]:
    """Return the list of a stranger, page by page of one match; no page after the first is empty."""
    page = await Session(hall).page(wanted, limit=1)
    found = [head.id for head in page.heads]
    while page.more is not None:
        page = await Session(hall).page(wanted, limit=1, after=page.more)
        found += [head.id for head in page.heads] or ["nothing"]
    return found


@inside(in_a_hall)
async def test_a_place_in_a_list_leads_back_to_its_number_and_hides_it(hall: Hall) -> None:
    places = [await hall.cursors.sealed(number) for number in range(200)]
    assert [await Cursors(hall.store).opened(place) for place in places] == list(range(200))
    assert len(set(places)) == 200
    assert sorted(places) != places


@inside(in_a_hall)
async def test_wrong_passwords_of_a_match_are_counted_for_who_says_them_alone(hall: Hall) -> None:
    await session_of(hall, "owner").open(diplomacy(match="m"), password="please")
    told = []
    for number in range(12):
        with pytest.raises(Denied) as denied:
            await session_of(hall, "eve").join("m", FRANCE, password=f"guess {number}")
        told.append(str(denied.value.code))
    assert told[0] == "wrong password"
    assert told[-1] == "too often"
    assert (await session_of(hall, "ann").join("m", FRANCE, password="please")).refusal is None


@inside(in_a_hall)
async def test_nobody_sits_under_the_name_of_another_account_or_of_the_house(hall: Hall) -> None:
    known(hall.store, "bob")
    await session_of(hall, "owner").open(diplomacy(match="m"))
    for name in ("bob", "B0b", "dumbbot", "server"):
        with pytest.raises(Denied, match="name: "):
            await session_of(hall, "eve").join("m", FRANCE, name=name)
    await session_of(hall, "eve").join("m", FRANCE, name="bob", renamed=True)
    assert (await hall.wake("m")).seating[FRANCE].player == "bob (eve)"
