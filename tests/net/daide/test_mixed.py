"""Mixed tables: DAIDE bots, negotiating agents of the house and a person; press crosses, and the ledger judges it."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.net.setup import MatchSetup
from parlour.press.reports.report import pact_rows
from parlour.referee.conduct import HOSTED
from support.daide.table import DaideTable, Voice, at_table
from support.hall.people import session_of
from support.waiting import inside


async def opened(at: DaideTable, *agents: str, press: PressTerms) -> Voice:
    """Return a match with agents of the house on the first seats, a bot on Turkey, and a person on Russia."""
    seats = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY")
    house = {Seat(seat): agents[number % len(agents)] for number, seat in enumerate(seats)}
    terms = Terms(HOSTED, press=press, vacancy=Vacancy.DEFAULT)
    await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="mixed", agents=house))
    bot = at.newcomer()
    await bot.sit("TUR:bot@mixed")
    await session_of(at.hall, "ann").join("mixed", Seat("RUSSIA"))
    return bot


async def listened(bot: Voice, word: str, seconds: float = 20.0) -> list[str]:
    """Return the messages of the bot up to one that begins so."""
    heard: list[str] = []
    async with asyncio.timeout(seconds):
        while True:
            heard += bot.heard()
            if any(said.startswith(word) for said in heard):
                return heard
            await asyncio.sleep(0.01)


@inside(at_table)
async def test_press_crosses_between_bots_the_house_and_people_and_the_ledger_judges_it(at: DaideTable) -> None:
    bot = await opened(at, "yesman", press=PressTerms(PressMode.ANYTIME, level=30))
    await listened(bot, "NOW")
    peace = "PRP ( PCE ( AUS TUR ) )"
    assert await bot.ask(f"SND ( AUS ) ( {peace} )") == f"YES ( SND ( AUS ) ( {peace} ) )"
    answer = await listened(bot, "FRM ( AUS )")
    assert f"FRM ( AUS ) ( TUR ) ( YES ( {peace} ) )" in answer
    ann, order = session_of(at.hall, "ann"), "PRP ( XDO ( ( TUR FLT ANK ) MTO BLA ) )"
    said = (await ann.submit("mixed", it.Say(Seat("RUSSIA"), order, (Seat("TURKEY"),))))[0]
    assert said.refusal is None
    assert said.notes == ()
    assert f"FRM ( RUS ) ( TUR ) ( {order} )" in await listened(bot, "FRM ( RUS )")
    await bot.say(f"SND ( RUS ) ( YES ( {order} ) )")
    await bot.say("SUB ( ( TUR FLT ANK ) HLD ) ( ( TUR AMY CON ) HLD ) ( ( TUR AMY SMY ) HLD )")
    await ann.submit("mixed", it.Act(Seat("RUSSIA"), ["A MOS H", "F SEV H", "F STP/SC H", "A WAR H"]))
    await listened(bot, "NOW ( FAL 1901 )")
    by_text = {str(row["text"]): row for row in pact_rows(await at.hall.record("mixed"))}
    broken = next(row for text, row in by_text.items() if "XDO" in text)
    assert (broken["broken"], broken["broken_by"]) == (1, ["TUR"])
    kept = next(row for text, row in by_text.items() if "PCE" in text)
    assert kept["broken"] == 0


@inside(at_table)
async def test_in_a_match_with_a_press_window_a_bot_is_ready_and_its_press_waits_for_the_window(at: DaideTable) -> None:
    bot = await opened(at, "yesman", press=PressTerms(PressMode.WINDOW, level=30, window=30.0))
    await listened(bot, "NOW")
    peace = "PRP ( PCE ( AUS TUR ) )"
    heard = await bot.say(f"SND ( AUS ) ( {peace} )")
    assert f"YES ( SND ( AUS ) ( {peace} ) )" in heard
    assert f"FRM ( AUS ) ( TUR ) ( YES ( {peace} ) )" in [*heard, *await listened(bot, "FRM ( AUS )")]
    events = await at.hall.record("mixed")
    assert any(isinstance(event, ev.CommStatusSet) and event.seat == "TURKEY" for event in events)
    opening = next(number for number, event in enumerate(events) if isinstance(event, ev.PressOpened))
    first = next(number for number, event in enumerate(events) if isinstance(event, ev.Said))
    assert opening < first
