"""Press of DAIDE clients without sockets: whom it reaches, when, in which numbers, and what cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.games.diplomacy.maps.map import named
from parlour.net import heartbeat
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import Numbering, codec
from parlour.net.setup import MatchSetup
from parlour.press.language import message_types as v
from parlour.press.language import reader
from parlour.referee.conduct import HOSTED
from support.daide.table import DaideTable, at_table, winter_position
from support.hall.people import session_of
from support.waiting import inside


@pytest.fixture(autouse=True)
def _no_downtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)  # time is set by hand, which is no downtime


PEACE = "( PRP ( PCE ( ENG FRA ) ) )"


@inside(at_table, DaideOptions(level=10))
async def test_press_to_who_is_cut_off_or_of_who_is_eliminated_reaches_nobody(at: DaideTable) -> None:
    lines = await at.seven()
    await lines["TUR"].guest.leave()
    lines["FRA"].heard()
    assert await lines["ENG"].ask(f"SND ( FRA TUR ) {PEACE}") == "CCD ( TUR )"
    assert lines["FRA"].heard() == []
    await at.hall.submit("table", it.SetPosition("host", _without_italy()))
    lines["FRA"].heard()
    assert await lines["ENG"].ask(f"SND ( FRA ITA ) {PEACE}") == "OUT ( ITA )"
    assert await lines["ENG"].ask("SND ( FRA ) ( PRP ( PCE ( ENG FRA ITA ) ) )") == "OUT ( ITA )"
    for italian in ("SND ( FRA ) ( PRP ( PCE ( FRA ENG ) ) )", "SND ( FRA ) ( PRP ( PCE ( FRA ITA ) ) )"):
        assert await lines["ITA"].ask(italian) == f"REJ ( {italian} )", "the sender is eliminated"
    assert lines["FRA"].heard() == []
    assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"YES ( SND ( FRA ) {PEACE} )"
    assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {PEACE}"]
    assert await lines["ITA"].ask("DRW") == "REJ ( DRW )"
    assert await lines["ITA"].ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"  # always, in a match that runs
    assert [await lines["ITA"].ask(said) for said in ("GOF", "NOT ( GOF )")] == ["YES ( GOF )", "REJ ( NOT ( GOF ) )"]


@inside(at_table)
async def test_at_level_0_press_is_refused_whole(at: DaideTable) -> None:
    lines = await at.seven()
    for press in (PEACE, "( TRY ( ) )"):
        assert await lines["ENG"].ask(f"SND ( FRA ) {press}") == f"HUH ( ERR SND ( FRA ) {press} )"
    assert lines["FRA"].heard() == []


def _without_italy() -> str:
    from parlour.games.diplomacy.formats.forms import read_state
    from parlour.games.diplomacy.position import Position

    start = Position.start()
    state = {"phase": "S1902M", "units": {**start.units, "ITALY": []}, "centers": {**start.centers, "ITALY": []}}
    return str(Position(*read_state(state, start.board)).encode())


@inside(at_table, DaideOptions(level=10, npb=True))
async def test_there_are_turns_without_press(at: DaideTable) -> None:
    lines = await at.seven()
    await at.hall.submit("table", it.SetPosition("host", winter_position()))
    assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"REJ ( SND ( FRA ) {PEACE} )"
    assert (await lines["ENG"].ask("HLO")).endswith("( ( LVL 10 ) ( NPB ) )")


def test_retreats_without_press(tmp_path: Path) -> None:
    assert DaideOptions(level=10, npr=True).terms().press.silent_stages == ("retreats",)


@inside(at_table, DaideOptions(level=10, mtl=600, ptl=10))
async def test_press_ends_before_the_deadline(at: DaideTable) -> None:
    lines = await at.seven()
    await at.pass_time(500)
    assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"YES ( SND ( FRA ) {PEACE} )"
    await at.pass_time(91)
    assert await lines["ENG"].ask(f"SND ( FRA ) {PEACE}") == f"REJ ( SND ( FRA ) {PEACE} )"


@inside(at_table, DaideOptions(level=10))
async def test_a_client_that_numbers_words_otherwise_is_spoken_to_in_its_own_numbers(at: DaideTable) -> None:
    lines = await at.seven()
    parlance = codec(named("standard"), Numbering.DOCUMENT)
    calm = "( PRP ( NAR ( PCE ( ENG FRA ) ) ) )"
    assert await lines["ENG"].ask(f"SND ( FRA ) {calm}") == f"YES ( SND ( FRA ) {calm} )"
    assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"]
    lines["FRA"].codec = parlance
    assert await lines["FRA"].ask(f"SND ( ENG ) {calm}") == f"YES ( SND ( ENG ) {calm} )"
    assert lines["ENG"].heard() == [f"FRM ( FRA ) ( ENG ) {calm}"]
    await lines["ENG"].say(f"SND ( FRA ) {calm}")
    assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"], "in numbers that it knows"
    assert await lines["FRA"].ask("SND ( ENG ) ( PRP ( NAR ) )") == "HUH ( SND ( ENG ) ( PRP ( NAR ERR ) ) )"
    await lines["ENG"].say(f"SND ( FRA ) {calm}")
    assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {calm}"], "what makes sense in neither changes nothing"


@inside(at_table, DaideOptions(level=10))
async def test_press_with_a_disputed_word_of_one_who_sits_nowhere_is_rejected_like_any_other(at: DaideTable) -> None:
    stranger = at.newcomer()
    for press in ("( PRP ( NAR ( PCE ( ENG FRA ) ) ) )", "( PRP ( PCE ( ENG FRA ) ) )"):
        assert await stranger.ask(f"SND ( FRA ) {press}") == f"REJ ( SND ( FRA ) {press} )"


@inside(at_table)
async def test_who_writes_to_a_bot_what_it_cannot_read_is_told(at: DaideTable) -> None:
    terms = Terms(HOSTED, press=PressTerms(PressMode.ANYTIME, level=8000), vacancy=Vacancy.DEFAULT)
    await at.hall.open(MatchSetup(game="diplomacy", terms=terms, match="mixed"))
    person = session_of(at.hall, "ann")
    await person.join("mixed", Seat("FRANCE"))
    bot = at.newcomer()
    await bot.sit("ENG:bot@mixed")
    await at.hall.submit("mixed", it.Start("host"))
    bot.heard()
    answer = (await person.submit("mixed", it.Say(Seat("FRANCE"), "hello there", (Seat("ENGLAND"),))))[0]
    assert answer.refusal is None
    (note,) = answer.notes
    assert note.startswith("ENGLAND is played by a DAIDE bot, which reads structured press up to level 60")
    assert bot.heard() == []
    answer = (await person.submit("mixed", it.Say(Seat("FRANCE"), "hello all")))[0]
    assert len(answer.notes) == 1
    structured = it.Say(Seat("FRANCE"), "PRP ( PCE ( ENG FRA ) )", (Seat("ENGLAND"),))
    assert (await person.submit("mixed", structured))[0].notes == ()
    assert bot.heard() == ["FRM ( FRA ) ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )"]
    prose = it.Say(Seat("FRANCE"), "Let us rest.\n:: PRP ( PCE ( FRA ENG ) )", (Seat("ENGLAND"),))
    assert (await person.submit("mixed", prose))[0].notes == (), "the bot reads the core"
    assert bot.heard() == ["FRM ( FRA ) ( ENG ) ( PRP ( PCE ( FRA ENG ) ) )"]
    await bot.guest.leave()
    answer = (await person.submit("mixed", it.Say(Seat("FRANCE"), "still there?", (Seat("ENGLAND"),))))[0]
    assert answer.notes == (), "nobody sits there"


UNSPEAKABLE = ("²", "٣", "--5", "99999", "9" * 5000, "XYZQ", "?", "?40", "?4001", "?0041", "?zzzz")


@pytest.mark.parametrize("word", UNSPEAKABLE)
@inside(at_table, DaideOptions(level=10))
async def test_words_that_no_token_is_for_cut_nobody_off(at: DaideTable, *, word: str) -> None:
    """HUH quotes anything. Through other doors that may be what no token is for, or what is one of another kind."""
    lines = await at.seven()
    seats = at.gate.lexicon.seat_of
    await at.hall.submit("table", it.Say(seats["ENG"], f"HUH ( ERR {word} )", (seats["FRA"],)))
    assert lines["FRA"].heard() == []
    await lines["ENG"].say(f"SND ( FRA ) {PEACE}")
    assert lines["FRA"].heard() == [f"FRM ( ENG ) ( FRA ) {PEACE}"]


@inside(at_table, DaideOptions(level=10))
async def test_a_token_that_nobody_knows_is_quoted_as_it_came(at: DaideTable) -> None:
    lines = await at.seven()
    await lines["ENG"].say("SND ( FRA ) ( HUH ( ERR ?4c01 -3 '( a' ) )")
    assert lines["FRA"].heard() == ["FRM ( ENG ) ( FRA ) ( HUH ( ERR ?4c01 -3 '( a' ) )"]


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("SUB ( '(' ENG FLT LON ')' HLD )", "HUH ( SUB ( ERR '(' ENG FLT LON ')' HLD ) )"),
        ("SND ( FRA ) ( PRP '(' PCE ( ENG FRA ) ')' )", "HUH ( SND ( FRA ) ( PRP ERR '(' PCE ( ENG FRA ) ')' ) )"),
    ],
)
@inside(at_table, DaideOptions(level=10))
async def test_a_character_of_a_string_is_no_word_though_it_looks_like_one(
    at: DaideTable, *, said: str, heard: str
) -> None:
    assert await (await at.seven())["ENG"].ask(said) == heard


@inside(at_table, DaideOptions(level=20))
async def test_press_is_read_once_on_its_way_to_all_who_hear_it(
    at: DaideTable, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    message = reader.Reader.message

    def counted(self: reader.Reader) -> v.Message:
        read.append(" ".join(map(str, self._tokens)).strip())
        return message(self)

    lines = await at.seven()
    monkeypatch.setattr(reader.Reader, "message", counted)
    proposal = "PRP ( ALY ( AUS ENG FRA GER ITA TUR ) VSS ( RUS ) )"
    assert (await lines["ENG"].say(f"SND ( AUS FRA GER ITA TUR ) ( {proposal} )"))[0].startswith("YES ( SND")
    heard = {power: lines[power].heard() for power in ("AUS", "FRA", "GER", "ITA", "TUR")}
    assert all(told[-1] == f"FRM ( ENG ) ( AUS FRA GER ITA TUR ) ( {proposal} )" for told in heard.values())
    assert read == [proposal]
