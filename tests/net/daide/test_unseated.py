"""DAIDE clients without a seat: questions before NME, and observers who come before their match."""

# Why real time passes here: guests answer through the store's own thread; waits end as soon as an answer is there.

from __future__ import annotations

import asyncio

import pytest

from parlour.games.diplomacy.maps.map import named
from parlour.net.daide import guest as guest_module
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.places import Gate
from parlour.net.hall import Hall
from support.daide.house import run
from support.daide.table import POWERS, DaideTable, Voice, at_table
from support.daide.wire import CODEC, DaideLine, frame, tokens
from support.waiting import inside

FIRST = {"MAP": "MAP ( 'standard' )", "MDF": "MDF ( AUS", "SCO": "SCO ( AUS BUD", "NOW": "NOW ( SPR 1901 ) ( AUS"}


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_module, "WRONG_CODE_DELAY", 0.0)


async def hears(voice: Voice, word: str) -> str:
    """Wait until a client hears a message that begins so."""
    while True:
        for heard in voice.heard():
            if heard.startswith(word):
                return heard
        await asyncio.sleep(0.001)


@inside(at_table)
async def test_the_board_is_told_before_a_name_and_after_one_that_was_refused(at: DaideTable) -> None:
    voice = at.newcomer()
    for refused in ("HLO", "NME ( 'XXX:bot' ) ( '1' )", "IAM ( FRA ) ( 5 )"):
        for question, answer in FIRST.items():
            assert (await voice.ask(question)).startswith(answer)
        assert await voice.ask(refused) == f"REJ ( {refused} )"


@inside(run)
async def test_four_questions_in_one_segment_are_answered_in_order(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port)
    line.writer.write(b"".join(frame(2, CODEC.encode(tokens(question))) for question in FIRST))
    for answer in FIRST.values():
        assert (await line.hear()).startswith(answer)


@inside(at_table)
async def test_the_board_is_that_of_the_match_that_the_port_or_the_name_says(at: DaideTable) -> None:
    await at.seven()
    await at.play({})
    late = at.newcomer()
    assert (await late.ask("NOW")).startswith("NOW ( SPR 1901 )")
    assert (await late.ask("NME ( 'bot@table' ) ( '1' )")).startswith("REJ"), "it has started"
    assert (await late.ask("NOW")).startswith("NOW ( FAL 1901 )")
    assert (await late.ask("HLO")) == "REJ ( HLO )"
    at.gate = Gate(match="table")
    assert (await at.newcomer().ask("NOW")).startswith("NOW ( FAL 1901 )")
    at.gate = Gate(named("lagoon"))
    lagoon = at.newcomer()
    assert await lagoon.ask("MAP") == "MAP ( 'lagoon' )"
    assert (await lagoon.ask("NME ( 'bot@table' ) ( '1' )")).startswith("REJ")
    assert (await lagoon.ask("NOW")).startswith("NOW ( SPR 1701 )"), "the match is on another board"


@inside(at_table)
async def test_an_observer_without_a_match_gets_the_next_that_starts(at: DaideTable) -> None:
    """Whatever else waits for players: here a match that never fills is older."""
    await at.newcomer().sit("bot@waiting")
    at.clock.now += 1.0
    early, leaver = at.newcomer(), at.newcomer()
    for watcher in (early, leaver):
        assert await watcher.say("OBS") == ["YES ( OBS )", "MAP ( 'standard' )"]
        assert (await watcher.ask("NME ( 'bot' ) ( '1' )")).startswith("REJ")
        assert await watcher.say("YES ( MAP ( 'standard' ) )") == []
    assert (await early.ask("NOW")).startswith("NOW ( SPR 1901 )")
    assert await early.ask("HLO") == "REJ ( HLO )"
    await leaver.guest.leave()
    await at.seven()
    assert await hears(early, "HLO") == "HLO ( UNO ) ( 0 ) ( ( LVL 0 ) )"
    await at.play({})
    assert sum(said.startswith("ORD ( SPR 1901 )") for said in early.heard()) == 22, "one for every unit"
    assert leaver.heard() == []
    late = at.newcomer()
    heard = await late.say("OBS", "YES ( MAP ( 'standard' ) )")
    assert [said[:16] for said in heard[2:]] == ["HLO ( UNO ) ( 0 ", "SCO ( AUS BUD TR", "NOW ( FAL 1901 )"], (
        "it runs already"
    )
    assert len(await late.say("ORD")) == len((await late.say("HST ( SPR 1901 )"))[:-2]) == 22


@inside(at_table, opens=False)
async def test_an_observer_who_does_not_like_the_map_is_sent_off(at: DaideTable) -> None:
    watcher = at.newcomer()
    await watcher.say("OBS")
    assert await watcher.say("REJ ( MAP ( 'standard' ) )") == ["OFF"]
    assert watcher.shown_out


@inside(at_table)
async def test_an_observer_behind_the_port_of_a_match_waits_for_that_one(at: DaideTable) -> None:
    await at.newcomer().sit("AUS:bot@second")
    everything, at.gate = at.gate, Gate(match="second")
    watcher = at.newcomer()
    await watcher.say("OBS", "YES ( MAP ( 'standard' ) )")
    at.gate = everything
    await at.seven("first")
    for power in POWERS[1:]:
        await at.newcomer().sit(f"{power}:bot@second")
    assert await hears(watcher, "HLO") == "HLO ( UNO ) ( 0 ) ( ( LVL 0 ) )"
    await at.play({})
    assert not [said for said in watcher.heard() if said.startswith("ORD")], "that was the other match"
