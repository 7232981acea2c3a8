"""Where DAIDE clients are shown to: by the match and the power that a name asks for, to who waits, or nowhere."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.games.diplomacy.maps.map import named
from parlour.net.accounts.limits import Buckets
from parlour.net.accounts.names import is_name
from parlour.net.accounts.principals import holder_of
from parlour.net.daide import guest
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.places import Gate, board_of_match, split_name
from parlour.net.daide.reception import Reception
from parlour.net.permission_errors import too_many
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import HOSTED
from support.daide.table import DaideTable, at_table
from support.hall.people import session_of
from support.waiting import inside


async def opened(at: DaideTable, match: str, *, password: str = "", **more: Any) -> None:
    """A match that waits for players, opened by somebody else."""
    setup = MatchSetup(game="diplomacy", terms=Terms(HOSTED, vacancy=Vacancy.DEFAULT), match=match, **more)
    await session_of(at.hall, "host").open(setup, password=password)
    at.clock.now += 1.0


async def match_of(at: DaideTable, name: str, gate: Gate | None = None) -> str:
    """Return the match at which somebody of that name is placed; empty if nowhere."""
    placement = await at.reception.place(name, gate or at.gate)
    return "" if placement is None else placement.match


def test_a_name_may_end_with_a_match_and_begin_with_a_power() -> None:
    assert split_name("bot") == ("bot", "")
    assert split_name("bot@friday") == ("bot", "friday")
    assert split_name("a@b@ friday ") == ("a@b", "friday")


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("bot", None),
        ("FRA:bot", "FRANCE"),
        ("fra:bot", "FRANCE"),
        ("FRA:bot:2", "FRANCE"),
        ("LONG:bot", None),
        (":bot", None),
        ("FRA", None),
    ],
)
@inside(at_table)
async def test_a_power_is_asked_for_by_three_letters_and_a_colon(
    at: DaideTable, *, name: str, seat: str | None
) -> None:
    placement = await at.reception.place(name, at.gate)
    assert placement is not None
    assert (placement.seat, placement.taken, placement.name) == (seat, False, "")


@inside(at_table)
async def test_what_cannot_be_had_is_refused(at: DaideTable) -> None:
    await opened(at, "one")
    await opened(at, "isles", config={"map": "lagoon"})
    await opened(at, "mist", config={"rules": ["fog"]})
    await at.newcomer().sit("FRA:first@one")
    for name in ("XYZ:bot", "bot@a/b", "bot@isles", "bot@mist", "FRA:bot@one", "FRA:bot"):
        assert await match_of(at, name) == "", name
    assert await match_of(at, "ENG:bot@one") == "one"
    lagoon = Gate(named("lagoon"))
    assert await match_of(at, "bot@isles", lagoon) == "isles"
    assert await match_of(at, "bot@one", lagoon) == ""


@inside(at_table)
async def test_who_does_not_care_is_placed_at_the_oldest_match_that_waits_and_wants_no_password(at: DaideTable) -> None:
    await opened(at, "secret", password="sesame")
    await opened(at, "isles", config={"map": "lagoon"})
    await opened(at, "old")
    await opened(at, "new")
    assert await match_of(at, "bot") == "old"
    assert await match_of(at, "bot", Gate(named("lagoon"))) == "isles"
    await at.seven("old")
    assert await match_of(at, "bot") == "new", "the old one is full, and plays"


@inside(at_table)
async def test_many_matches_that_nobody_can_join_do_not_keep_clients_apart(at: DaideTable) -> None:
    for number in range(100):
        await opened(at, f"shut-{number}", title="x", listed=False)
    first = await match_of(at, "bot")
    assert await match_of(at, "another") == first != ""


@inside(at_table)
async def test_a_network_opens_only_some_matches_a_day(at: DaideTable) -> None:
    at.hall.quotas._openings = Buckets(1e-9, 2.0)
    addresses = ["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2"]
    found = [await at.reception.place(f"bot@m{number}", at.gate, where) for number, where in enumerate(addresses)]
    assert [placement is not None for placement in found] == [True, True, False, True]


@inside(at_table)
async def test_behind_the_port_of_a_match_there_is_no_other(at: DaideTable) -> None:
    for match in ("one", "two"):
        await opened(at, match)
    own = Gate(match="two")
    assert await match_of(at, "bot", own) == await match_of(at, "bot@two", own) == "two"
    assert await match_of(at, "bot@one", own) == ""
    observing = await at.reception.observers.place(own)
    assert observing is not None
    assert (observing.match, observing.seat) == ("two", None)


@pytest.mark.parametrize("opens", [True, False])
def test_where_nobody_waits_a_match_is_opened_if_clients_may(tmp_path: Path, opens: bool) -> None:
    async def scene(at: DaideTable) -> None:
        assert await match_of(at, "bot@mine") == ("mine" if opens else "")
        first = await match_of(at, "bot")
        assert bool(first) is opens
        isles = await match_of(at, "bot", Gate(named("lagoon")))
        assert bool(isles) is opens
        if opens:
            assert first == "mine"
            assert board_of_match(await at.hall.wake(isles)) == named("lagoon")
            assert (await at.hall.wake(isles)).match.config["last_year"] == 1909

    at_table(tmp_path, scene, opens=opens, config={"last_year": 1909})


@inside(at_table)
async def test_a_house_that_takes_no_more_matches_sends_clients_away(
    at: DaideTable, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> str:
        raise too_many("matches", 1)

    monkeypatch.setattr(at.hall, "open", full)
    assert await match_of(at, "bot") == await match_of(at, "bot@mine") == ""
    assert await at.newcomer().ask("NME ( 'bot' ) ( '1' )") == "REJ ( NME ( 'bot' ) ( '1' ) )"


def test_who_has_a_place_is_given_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "WRONG_CODE_DELAY", 0.0)

    async def scene(at: DaideTable) -> None:
        voice = at.newcomer()
        await voice.sit("bot@table")
        for again in ("NME ( 'bot' ) ( '1' )", "OBS", "IAM ( FRA ) ( 5 )"):
            assert await voice.ask(again) == f"REJ ( {again} )"

    at_table(tmp_path, scene)


@inside(at_table)
async def test_a_passcode_is_known_again_after_a_restart_and_differs_by_match_and_power(at: DaideTable) -> None:
    again = Reception(at.hall)
    await again.open()
    asked = [(match, at.seat(power)) for match in ("one", "two") for power in ("FRA", "ENG")]
    codes = [at.reception.passcode(*one) for one in asked]
    assert codes == [again.passcode(*one) for one in asked]
    assert len(set(codes)) == 4
    assert all(1 <= code <= 8191 for code in codes)


@inside(at_table)
async def test_a_passcode_is_any_number_that_daide_has_but_none_that_it_has_not(at: DaideTable) -> None:
    at.reception._secret = bytes(32)  # so that chance has no part in it
    codes = {at.reception.passcode(str(number), at.seat("FRA")) for number in range(100_000)}
    assert codes == set(range(1, 8192))


@inside(at_table, opens=False)
async def test_who_found_no_seat_may_still_take_another(at: DaideTable) -> None:
    voice = at.newcomer()
    assert (await voice.ask("NME ( 'bot' ) ( '1' )")).startswith("REJ")
    await opened(at, "one")
    await voice.sit("FRA:bot@one")
    assert (await at.hall.head("one")).players == {"FRANCE": "FRA:bot@one"}


@inside(at_table)
async def test_a_door_that_is_closed_begins_nothing_more(at: DaideTable) -> None:
    async def never() -> None:
        raise AssertionError

    door = DaideDoor(at.hall)
    await door.open()
    await door.close()
    work = never()
    door._run(work)
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
    assert not door._tasks


@inside(at_table)
async def test_what_clients_said_of_their_versions_is_forgotten_with_their_match(at: DaideTable) -> None:
    await at.seven()
    assert at.reception.versions("table")[at.seat("FRA")] == "v 0.1"
    await at.hall.submit("table", it.Cancel("host"))
    for voice in at.voices.values():
        await voice.guest.leave()
    assert at.reception.versions("table") == {}


@inside(at_table)
async def test_nobody_has_a_clients_seat_by_the_name_of_an_account(at: DaideTable) -> None:
    await at.seven()
    hosted = await at.hall.wake("table")
    for seat, sitting in hosted.seating.items():
        who = holder_of(sitting)
        assert who.is_daide
        assert not is_name(who.key)
        guesses = [f"daide table {seat}", "daide table ", sitting.account.lstrip("\x1f"), sitting.player]
        for name in guesses:
            assert (await session_of(at.hall, name).rights("table")).seats == ()


@inside(at_table)
async def test_a_match_that_is_not_listed_is_neither_shown_nor_given_to_who_does_not_name_it(at: DaideTable) -> None:
    await opened(at, "hidden", listed=False)
    assert await match_of(at, "bot") != "hidden"
    assert await at.reception.observers.place(at.gate) is None
    assert await match_of(at, "bot@hidden") == "hidden"


@inside(at_table)
async def test_a_match_whose_watchers_need_its_password_is_not_shown(at: DaideTable) -> None:
    await opened(at, "open")
    await opened(at, "guarded", password="sesame", admission=Admission(guarded=True))
    for match in ("open", "guarded"):
        await at.hall.submit(match, it.Start("host"))
    shown = await at.reception.observers.place(at.gate)
    assert shown is not None
    assert shown.match == "open"
    assert await at.reception.observers.position(Gate(match="guarded"), "") is None
