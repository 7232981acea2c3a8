"""Returns to a DAIDE table: by passcode, by name, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Terms, Vacancy
from parlour.net.daide import reception as reception_module
from parlour.net.daide.reception import Reception
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.daide.table import HOLDS, DaideTable, at_table
from support.hall.people import session_of
from support.waiting import inside

pytestmark = pytest.mark.usefixtures("time_by_hand")


@inside(at_table)
async def test_who_comes_back_finds_its_orders_and_its_name(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    await lines["TUR"].say("SUB ( ( TUR FLT ANK ) HLD )")
    await lines["TUR"].guest.leave()
    again = at.newcomer()
    # As a bot of the C++ framework does it: its name is refused, then it says who it is and asks at once.
    assert (await again.ask("NME ( 'TUR:HoldBot@table' ) ( '8~3' )")).startswith("REJ")
    assert await again.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert await again.ask("MIS") == "MIS ( TUR AMY CON ) ( TUR AMY SMY )"
    for question, word in (("MAP", "MAP"), ("MDF", "MDF"), ("HLO", "HLO"), ("SCO", "SCO"), ("NOW", "NOW")):
        assert (await again.ask(question)).startswith(word)
    assert await again.ask(f"IAM ( TUR ) ( {code} )") == f"REJ ( IAM ( TUR ) ( {code} ) )"
    events = await at.hall.record("table")
    names = [event.name for event in events if isinstance(event, ev.Joined) and event.seat == "TURKEY"]
    assert set(names) == {"TUR:bot@table"}


@inside(at_table)
async def test_who_has_left_is_told_nothing_more_and_who_never_sat_down_may_leave(at: DaideTable) -> None:
    await at.newcomer().guest.leave()
    lines = await at.seven()
    await lines["TUR"].guest.leave()
    await lines["TUR"].guest.leave()
    lines["TUR"].heard()
    for power in ("ENG", "FRA"):
        await lines[power].guest.leave()
    assert "CCD ( FRA )" in lines["ITA"].heard()
    assert lines["TUR"].heard() == []


@inside(at_table)
async def test_who_held_the_turn_up_and_comes_back_lets_it_go_on(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    for power, line in lines.items():
        await line.say(*(["NOT ( GOF )"] if power == "TUR" else []), f"SUB {HOLDS[power]}")
    at.reception = Reception(at.hall)  # as after a restart: nobody has left
    await at.reception.open()
    again = at.newcomer()
    assert await again.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert (await again.ask("NOW")).startswith("NOW ( SPR 1901 )")
    lines["ENG"].heard()
    await again.say("GOF")
    assert any(word.startswith("NOW ( FAL 1901 )") for word in lines["ENG"].heard())


@inside(at_table)
async def test_a_bot_that_says_its_name_again_is_sent_back_to_where_it_was(at: DaideTable) -> None:
    lines = await at.seven()
    await lines["TUR"].guest.leave()
    assert await at.newcomer().ask("NME ( 'TUR:bot' ) ( '8~3' )") == "REJ ( NME ( 'TUR:bot' ) ( '8~3' ) )"
    assert (await at.newcomer().ask("NME ( 'ENG:bot' ) ( '8~3' )")).startswith("YES"), "another power"
    assert (await at.newcomer().ask("NME ( 'TUR:other' ) ( '8~3' )")).startswith("YES"), "another bot"
    assert (await at.newcomer().ask("NME ( 'bot' ) ( '8~3' )")).startswith("YES"), "it may play elsewhere"
    again = at.reception.__class__(at.hall)
    await again.open()
    assert await again.place("ENG:bot", at.gate) is None, "after a restart all are awaited"
    await at.hall.submit("table", it.Cancel("host"))
    assert (await at.newcomer().ask("NME ( 'TUR:bot' ) ( '8~3' )")).startswith("YES"), "that match is over"


@inside(at_table)
async def test_a_seat_that_somebody_else_took_is_not_to_be_had_again(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    await lines["TUR"].guest.leave()
    await at.hall.seat_agent("table", Seat("TURKEY"), "hold")
    again = Reception(at.hall)
    await again.open()
    assert await again.place("TUR:bot", at.gate) is not None, "nobody is awaited there after a restart either"
    back = at.newcomer()
    assert await back.ask(f"IAM ( TUR ) ( {code} )") == f"REJ ( IAM ( TUR ) ( {code} ) )"
    other = str(int(code) % 8191 + 1)
    assert await back.ask(f"IAM ( TUR ) ( {other} )") == f"REJ ( IAM ( TUR ) ( {other} ) )"


@inside(at_table)
async def test_who_comes_back_finds_what_a_moderator_has_ordered_meanwhile_in_whatever_words(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    await lines["TUR"].guest.leave()
    orders = ["Army Constantinople moves to Bulgaria", "f ank h"]
    assert (await at.hall.submit("table", it.Act(Seat("TURKEY"), orders, by="host")))[0].refusal is None
    back = at.newcomer()
    assert await back.ask(f"IAM ( TUR ) ( {code} )") == f"YES ( IAM ( TUR ) ( {code} ) )"
    assert await back.ask("MIS") == "MIS ( TUR AMY SMY )"
    assert (await back.ask("NOT ( SUB ( ( TUR AMY CON ) MTO BUL ) )")).startswith("YES")
    assert await back.ask("MIS") == "MIS ( TUR AMY CON ) ( TUR AMY SMY )"


def test_a_passcode_that_is_right_at_two_matches_leads_nobody_to_the_wrong_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reception, "passcode", lambda *about: 17)
    iam = "IAM ( TUR ) ( 17 )"

    async def scene(at: DaideTable) -> None:
        lines, others = dict(await at.seven()), dict(await at.seven("other"))
        assert (await at.newcomer().ask(iam)).startswith("REJ"), "both are here"
        await lines["TUR"].guest.leave()
        lines["ENG"].heard()
        back = at.newcomer()
        assert (await back.ask(iam)).startswith("YES"), "one was cut off"
        assert lines["ENG"].heard() == ["NOT ( CCD ( TUR ) )"]
        await back.guest.leave()
        await others["TUR"].guest.leave()
        again = at.newcomer()
        assert (await again.ask(iam)).startswith("REJ"), "both were"
        others["ENG"].heard()
        assert (await again.ask("NME ( 'TUR:bot@other' ) ( '1' )")).startswith("REJ")
        assert (await again.ask(iam)).startswith("YES"), "it has said which"
        assert others["ENG"].heard() == ["NOT ( CCD ( TUR ) )"]

    at_table(tmp_path, scene)


@inside(at_table)
async def test_a_passcode_is_good_for_the_match_that_was_named(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    await lines["TUR"].guest.leave()
    elsewhere = at.newcomer()
    await elsewhere.say("NME ( 'XYZ:HoldBot@other' ) ( '8~3' )")
    assert (await elsewhere.ask(f"IAM ( TUR ) ( {code} )")).startswith("REJ")


@inside(at_table)
async def test_who_comes_back_in_the_first_turn_is_not_greeted_again_when_the_others_are_back(at: DaideTable) -> None:
    terms = Terms(HOSTED, quorum=2, vacancy=Vacancy.DEFAULT)
    await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="few"))
    voices = {power: at.newcomer() for power in ("ENG", "FRA")}
    for power, voice in voices.items():
        await voice.sit(f"{power}:bot@few")
    await at.hall.submit("few", it.Start("host"))
    again = {power: " ".join((await voice.ask("HLO")).split()[1:7]) for power, voice in voices.items()}
    for voice in voices.values():
        await voice.guest.leave()
    back = at.newcomer()
    assert await back.say(f"IAM {again['ENG']}") == [f"YES ( IAM {again['ENG']} )"]
    await at.newcomer().say(f"IAM {again['FRA']}")
    assert back.heard() == ["NOT ( CCD ( FRA ) )"]


def test_whoever_guesses_passcodes_from_an_address_soon_has_none_that_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception_module, "GUESSES", 2.0)

    async def scene(at: DaideTable) -> None:
        lines = await at.seven()
        code = int((await lines["ENG"].ask("HLO")).split()[5])
        await lines["ENG"].guest.leave()

        async def says(code: int, address: str) -> str:
            voice = at.newcomer(address)
            heard = (await voice.ask(f"IAM ( ENG ) ( {code} )")).split()[0]
            await voice.guest.leave()
            return heard

        wrong = code % 8191 + 1
        assert [await says(wrong, "192.0.2.1") for _ in range(2)] == ["REJ", "REJ"]
        assert await says(code, "192.0.2.1") == "REJ", "it has guessed too often"
        at.clock.now += 11.0
        assert await says(code, "192.0.2.1") == "YES", "one more guess is allowed, and a right one costs nothing"
        assert await says(code, "192.0.2.1") == "YES"
        assert await says(wrong, "192.0.2.1") == "REJ"
        assert await says(code, "192.0.2.2") == "YES", "others are not held up"

    at_table(tmp_path, scene)


@inside(at_table)
async def test_who_comes_back_after_another_played_knows_nothing_of_what_that_one_did(at: DaideTable) -> None:
    lines = await at.seven()
    code = (await lines["TUR"].ask("HLO")).split()[5]
    await lines["TUR"].say("SUB ( ( TUR FLT ANK ) HLD )")
    first = (await at.hall.wake("table")).seating[Seat("TURKEY")].account
    await lines["TUR"].guest.leave()
    again = at.newcomer()
    assert await again.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert (await at.hall.wake("table")).seating[Seat("TURKEY")].account == first, "still the same client"
    assert await again.ask("MIS") == "MIS ( TUR AMY CON ) ( TUR AMY SMY )"
    await again.guest.leave()
    eve = session_of(at.hall, "eve")
    assert (await eve.join("table", Seat("TURKEY"))).refusal is None
    assert (await eve.view("table")).seats[Seat("TURKEY")].own is None
    assert (await eve.submit("table", it.Act(Seat("TURKEY"), ["A CON - BUL"])))[0].refusal is None
    assert (await eve.submit("table", it.Leave(Seat("TURKEY"))))[0].refusal is None
    third = at.newcomer()
    assert await third.say(f"IAM ( TUR ) ( {code} )") == [f"YES ( IAM ( TUR ) ( {code} ) )"]
    assert await third.ask("MIS") == "MIS ( TUR FLT ANK ) ( TUR AMY CON ) ( TUR AMY SMY )"


@inside(at_table)
async def test_the_passcode_of_an_earlier_client_does_not_open_the_seat_of_the_next(at: DaideTable) -> None:
    terms = Terms(HOSTED, quorum=3, vacancy=Vacancy.DEFAULT)
    setup = MatchSetup(game="diplomacy", terms=terms, match="waits")
    await at.hall.submit(await at.hall.open(setup), it.Start("owner"))
    first = at.newcomer()
    await first.sit("FRA:first@waits", "v 1")
    code = (await first.ask("HLO")).split()[5]
    await first.guest.leave()
    second = at.newcomer()
    await second.sit("FRA:second@waits", "v 1")
    own = (await second.ask("HLO")).split()[5]
    assert own != code
    stranger = at.newcomer()
    assert await stranger.say(f"IAM ( FRA ) ( {code} )") == [f"REJ ( IAM ( FRA ) ( {code} ) )"]
    assert not second.shown_out
    again = at.newcomer()
    await second.guest.leave()
    assert await again.say(f"IAM ( FRA ) ( {own} )") == [f"YES ( IAM ( FRA ) ( {own} ) )"]
