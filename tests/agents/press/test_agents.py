"""Negotiating players at a real table: they keep the protocol, honest ones keep their word, and nothing fouls."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from parlour.agents import agents_of, make_agent
from parlour.core import events as ev
from parlour.core.game import Seat, View
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import ConfigError
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import performers
from parlour.press.agreements.proposals import ProposalState
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.ledger import Ledger, ledger_of
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match
from support.press.stories import SEATS, at
from support.press.tables import BUDGET, GAME, Alone, played

TALKERS = ("silent", "yesman", "noman", "proposer", "peace", "broker", "reciprocator", "stabber")
HONEST = ("peace", "broker", "reciprocator")


def _said(events: list[ev.Event], seat: str) -> list[v.Message]:
    return [read(event.text) for event in events if isinstance(event, ev.Said) and event.seat == seat]


def _powers(ledger: Ledger, names: tuple[str, ...], wanted: tuple[str, ...]) -> set[str]:
    powers = list(ledger.lexicon.powers)
    return {power for number, power in enumerate(powers) if names[number % len(names)] in wanted}


def test_every_talker_is_registered() -> None:
    assert set(TALKERS) < set(agents_of("diplomacy"))


@pytest.mark.parametrize("mode", list(PressMode))
def test_all_of_them_at_one_table_commit_no_foul(mode: PressMode) -> None:
    events = played(("peace", "stabber", "reciprocator", "yesman", "broker", "proposer", "noman"), mode=mode)
    assert not [event for event in events if isinstance(event, ev.Fouled)]
    assert not [event for event in events if isinstance(event, ev.Acted) and event.violations]
    assert isinstance(events[-1], ev.Ended)
    assert any(isinstance(event, ev.Said) for event in events) is (mode is not PressMode.NONE)


def test_same_seed_gives_the_same_record() -> None:
    names = ("peace", "stabber", "reciprocator", "yesman", "broker", "proposer", "silent")
    assert played(names) == played(names)


def test_protocol_of_the_seed_is_kept() -> None:
    """Ready, then the window, then talk, then orders; no talk in retreats and adjustments."""
    events = played(("peace", "broker"))
    open_now, ready = False, set[Seat]()
    for event in events:
        match event:
            case ev.TurnBegan():
                ready.clear()
            case ev.CommStatusSet(seat=seat, status=CommStatus.READY):
                ready.add(seat)
            case ev.PressOpened():
                assert len(ready) == 7
                open_now = True
            case ev.PressClosed():
                open_now = False
            case ev.Said():
                assert open_now
    stages = Counter(event.stage for event in events if isinstance(event, ev.TurnBegan))
    assert sum(isinstance(event, ev.PressOpened) for event in events) == stages["orders"]


@pytest.mark.parametrize("mode", [PressMode.WINDOW, PressMode.ANYTIME])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_honest_players_break_no_promise(seed: int, mode: PressMode) -> None:
    rng = random.Random(seed)
    names = tuple(rng.sample(("peace", "broker", "reciprocator", "stabber", "proposer", "yesman", "proposer"), 7))
    ledger = ledger_of(played(names, last_year=1905, seed=10 * seed, mode=mode))
    honest = _powers(ledger, names, HONEST)
    broken = [verdict for verdict in ledger.broken() if verdict.performer in honest]
    assert not broken
    assert any(v.status is PromiseStatus.KEPT and v.performer in honest for v in ledger.verdicts)


def test_nobody_stabs_a_stabber_twice_in_the_same_way() -> None:
    names = ("stabber",)
    ledger = ledger_of(played(names, last_year=1908))
    breaches = Counter((breach.performer, breach.pact.parties) for breach in ledger.broken())
    assert breaches
    assert set(breaches.values()) == {1}


def test_stabber_breaks_its_word_in_time() -> None:
    names = ("stabber", "peace")
    ledger = ledger_of(played(names, last_year=1906))
    stabbers = _powers(ledger, names, ("stabber",))
    assert {verdict.performer for verdict in ledger.broken()} <= stabbers
    assert any(True for _ in ledger.broken())


def test_every_proposal_to_a_talker_is_answered_once() -> None:
    names = ("peace", "proposer", "yesman", "noman", "broker", "reciprocator", "stabber")
    ledger = ledger_of(played(names))
    assert len(ledger.proposals) > 10
    assert all(proposal.state in (ProposalState.AGREED, ProposalState.REJECTED) for proposal in ledger.proposals)
    assert ledger.unmatched == 0


def test_silent_says_only_that_it_does_not_understand() -> None:
    events = played(("silent", "peace"))
    said = _said(events, "AUSTRIA")
    assert said
    assert all(isinstance(message, (v.Huh, v.Try)) for message in said)
    assert v.Try(()) in said


def test_yes_man_and_no_man_do_what_they_are_called() -> None:
    events = played(("yesman", "proposer", "noman"))
    assert {type(message) for message in _said(events, "AUSTRIA")} == {v.Accept}
    assert {type(message) for message in _said(events, "FRANCE")} == {v.Reject}


def test_broker_closes_deals_in_which_all_who_are_asked_have_a_part() -> None:
    ledger = ledger_of(played(("broker",), last_year=1904))
    deals = [proposal for proposal in ledger.proposals if isinstance(proposal.what, v.Every)]
    assert all(performers(deal.what) == deal.parties for deal in deals)
    assert any(deal.state is ProposalState.AGREED for deal in deals)


def partners(third: str, phase: str = "S1902M", more: str = "") -> Alone:
    """France is bound for Munich and Austria for Berlin, each beside a unit of the other; both have made peace."""
    units = f"FRA=ABUR,FBAL{more and ','}{more};AUS=ATYR,APRU;{third}"
    table = Alone("broker", SEATS["FRA"], at(phase, units, f"FRA=PAR,MAR;AUS=VIE,TRI;{third[:3]}=MUN,BER"))
    table.begin()
    assert table.hear("AUS", "PRP ( PCE ( AUS FRA ) )")[0].startswith("YES")
    table.end({})
    return table


@pytest.mark.parametrize(
    ("third", "asked"),
    [("GER=AMUN,ABER", True), ("TUR=AANK,ACON", False)],
    ids=["on both", "nowhere near"],
)
def test_broker_proposes_what_all_need_and_nothing_else(third: str, asked: bool) -> None:
    table = partners(third)
    said = len(table.handle.said)
    table.begin()
    table.confirm(said)
    deals = [text for text, _ in table.handle.said[said:] if "XDO" in text]
    assert any(" SUP ( AUS" in text and " SUP ( FRA" in text for text in deals) is asked


def test_broker_names_only_units_that_have_to_do_with_the_other() -> None:
    """A zone in Iberia is France's own business."""
    table = partners("GER=AMUN,ABER", more="FPOR,ASPA")
    said = len(table.handle.said)
    table.begin()
    table.confirm(said)
    [deal] = [text for text, _ in table.handle.said[said:] if "XDO" in text]
    assert deal.count("XDO") == 4
    assert "POR" not in deal
    assert "SPA" not in deal


def test_broker_offers_no_deal_by_which_one_of_them_gains_nothing() -> None:
    """Berlin is free for both, and Germany's other army is far away: France has no need of Austria."""
    table = partners("GER=AMUN,ASWE")
    said = len(table.handle.said)
    table.begin()
    table.confirm(said)
    assert not [text for text, _ in table.handle.said[said:] if "XDO" in text]


@pytest.mark.parametrize(("more", "agrees"), [("", True), (",BUD,SER,GRE,BUL,CON,SMY,ANK,RUM,SEV,MOS,WAR,VEN", False)])
def test_broker_helps_nobody_who_is_about_to_win(more: str, agrees: bool) -> None:
    units = "FRA=ABUR,FBAL;AUS=ATYR,APRU;GER=AMUN,ABER"
    position = at("F1902M", units, f"FRA=PAR,MAR;AUS=VIE,TRI{more};GER=MUN,BER")
    table = Alone("broker", SEATS["FRA"], position)
    table.begin()
    mine = "( XDO ( ( AUS AMY TYR ) SUP ( FRA AMY BUR ) MTO MUN ) ) ( XDO ( ( FRA AMY BUR ) MTO MUN ) )"
    theirs = "( XDO ( ( FRA FLT BAL ) SUP ( AUS AMY PRU ) MTO BER ) ) ( XDO ( ( AUS AMY PRU ) MTO BER ) )"
    [answer] = [text for text in table.hear("AUS", f"PRP ( AND {mine} {theirs} )") if "XDO" in text]
    assert answer.startswith("YES") is agrees


@pytest.mark.parametrize("name", [name for name in TALKERS if name != "silent"])
def test_a_deal_that_comes_when_nobody_moves_any_more_is_answered_like_any_other(name: str) -> None:
    """Over a wire it may come late, and whoever sends one in winter must not make others fail."""
    units = "FRA=ABUR,FBAL;AUS=ATYR,APRU;GER=AMUN,ABER"
    table = Alone(name, SEATS["FRA"], at("F1902M", units, "FRA=PAR,MAR,BRE;AUS=VIE,TRI;GER=MUN,BER"))
    table.begin()
    table.end({})
    assert table.position.stage == "adjustments"
    deal = "PRP ( AND ( XDO ( ( FRA AMY BUR ) MTO MUN ) ) ( XDO ( ( AUS AMY TYR ) SUP ( FRA AMY BUR ) MTO MUN ) ) )"
    [answer] = table.hear("AUS", deal)
    assert answer in [f"{word} ( {deal} )" for word in (("REJ",) if name in HONEST else ("YES", "REJ"))]


def test_broker_lets_others_speak_first_by_turns() -> None:
    """In this phase it is Austria's turn, which holds up the talk until it has nothing more to say."""
    table = partners("GER=AMUN,ABER", "F1901M")
    assert table.position.phase == "S1902M"
    table.tell(ev.Joined(at=4.0, seat=SEATS["AUS"], name="other", player_type=PlayerType.PRESS_BOT))
    said = len(table.handle.said)
    table.turn += 1
    table.tell(ev.TurnBegan(at=5.0, turn=table.turn, stage="orders", to_act=table.position.to_act()))
    table.player.act(View(table.handle.seat, table.position, table.turn))
    table.tell(ev.WaitSet(at=5.0, seat=SEATS["AUS"], wait=True))
    table.tell(ev.PressOpened(at=6.0, turn=table.turn, until=60.0))
    table.confirm(said)
    assert not [text for text, _ in table.handle.said[said:] if "XDO" in text]
    assert table.handle.waits[-1], "it does not give up its turn to speak"
    table.tell(ev.WaitSet(at=7.0, seat=SEATS["AUS"], wait=False))
    assert [text for text, _ in table.handle.said[said:] if "XDO" in text]
    table.tell(ev.PressClosed(at=60.0, turn=table.turn))
    assert not table.handle.waits[-1], "nor does it hold the turn up for longer than the talk"


@pytest.mark.parametrize("name", ["reciprocator", "peace", "broker"])
def test_closes_itself_to_who_broke_a_promise(name: str) -> None:
    units = "AUS=AVIE;ENG=FLON;FRA=ABUR;GER=AMUN;TUR=AANK"
    table = Alone(name, SEATS["FRA"], at("S1902M", units, "AUS=VIE;ENG=LON;FRA=PAR;GER=MUN;TUR=ANK"))
    table.begin()
    offer = "PRP ( PCE ( FRA GER ) )"
    assert table.hear("GER", offer) == [f"YES ( {offer} )"]
    table.end({"GER": ["A MUN - BUR"]})
    said = len(table.handle.said)
    table.begin()
    assert not any(SEATS["GER"] in to for _, to in table.handle.said[said:])
    assert table.hear("GER", offer) == [f"REJ ( {offer} )"]
    offer = "PRP ( PCE ( FRA ENG ) )"
    assert table.hear("ENG", offer) == [f"YES ( {offer} )"], "the others are still trusted"


def _openness(table: Alone, phases: int) -> str:
    """Play movement phases in which all hold: for each, whether the player offers Germany peace, or else accepts it."""
    found = ""
    for _ in range(phases):
        before = len(table.handle.said)
        table.begin()
        if any(SEATS["GER"] in to for _, to in table.handle.said[before:]):
            found += "o"
        else:
            found += "a" if table.hear("GER", "PRP (PCE (FRA GER))")[0].startswith("YES") else "."
        table.end({"FRA": ["A BUR H"]})
    return found


@pytest.mark.parametrize("kept", [0, 20])
def test_reciprocator_is_closed_to_who_broke_a_promise_until_time_has_healed_it(kept: int) -> None:
    """For two years however long the promise was kept before, for four the second time."""
    units = "AUS=AVIE;FRA=ABUR;GER=AMUN;TUR=AANK"
    table = Alone("reciprocator", SEATS["FRA"], at("S1902M", units, "AUS=VIE;FRA=PAR;GER=MUN;TUR=ANK"))
    peace = "PRP ( PCE ( FRA GER ) )"
    table.begin()
    assert table.hear("GER", peace) == [f"YES ( {peace} )"]
    for _ in range(kept):
        table.end({"FRA": ["A BUR H"]})
        table.begin()
    table.end({"FRA": ["A BUR H"], "GER": ["A MUN - BUR"]})
    assert _openness(table, 5) == "....o"
    table.begin()
    table.hear("GER", peace)
    table.end({"FRA": ["A BUR H"], "GER": ["A MUN - BUR"]})
    assert _openness(table, 9) == "........o"


@pytest.mark.parametrize("name", ["reciprocator", "peace"])
def test_agrees_to_no_zone_in_which_its_own_unit_stands(name: str) -> None:
    units = "AUS=AVIE;ENG=FLON;FRA=ABUR;GER=AMUN;TUR=AANK"
    table = Alone(name, SEATS["FRA"], at("S1902M", units, "AUS=VIE;ENG=LON;FRA=PAR;GER=MUN;TUR=ANK"))
    table.begin()
    answers = [table.hear("GER", f"PRP ( DMZ ( FRA GER ) ( {place} ) )")[0][:3] for place in ("BUR", "RUH")]
    assert answers == ["REJ", "YES"]


def test_agrees_to_no_order_against_a_friend_that_it_may_have_tomorrow() -> None:
    """Peace that it offered may still be accepted, this turn or in a later one."""
    units = "AUS=ATYR;ENG=FLON;FRA=ABUR;GER=AMUN;TUR=AANK"
    table = Alone("broker", SEATS["FRA"], at("F1902M", units, "AUS=VIE;ENG=LON;FRA=PAR;GER=MUN;TUR=ANK"))
    for power in ("ENG", "GER"):
        table.tell(ev.Joined(at=0.0, seat=SEATS[power], name=power, player_type=PlayerType.PRESS_BOT))
    order = "XDO ( ( FRA AMY BUR ) MTO MUN )"
    deal = f"PRP ( AND ( {order} ) ( XDO ( ( AUS AMY TYR ) SUP ( FRA AMY BUR ) MTO MUN ) ) )"
    table.begin()
    table.confirm(0)
    table.hear("GER", "REJ ( PRP ( PCE ( FRA GER ) ) )")
    assert table.hear("AUS", deal) == [f"YES ( {deal} )"]
    table.end({"FRA": ["A BUR H"]})
    table.begin()
    peace = "PRP ( PCE ( GER FRA ) )"
    seats = (SEATS["FRA"], SEATS["ENG"])
    table.tell(ev.Said(at=1.0, seat=SEATS["GER"], to=seats, text=peace, turn=table.turn))
    reply, to = table.handle.said[-1]
    assert reply == f"YES ( {peace} )", "England has not answered yet"
    table.tell(ev.Said(at=2.0, seat=SEATS["FRA"], to=to, text=reply, turn=table.turn))
    assert table.hear("AUS", deal) == [f"REJ ( {deal} )"]
    table.end({"FRA": ["A BUR H"]})
    table.begin()
    assert table.hear("AUS", deal) == [f"REJ ( {deal} )"], "England may still answer"


def test_leaves_a_zone_in_which_its_unit_stands() -> None:
    table = Alone("yesman", SEATS["FRA"], at("F1902M", "FRA=APOR;ENG=FLON", "FRA=PAR,SPA;ENG=LON"))
    assert table.begin() == ["A POR H"], "it is about to take a centre"
    table.hear("ENG", "PRP (DMZ (ENG FRA) (POR))")
    assert table.handle.acted[-1] == ["A POR - SPA"]


def test_order_without_its_coast_is_given_with_it() -> None:
    table = Alone("yesman", SEATS["RUS"], at("F1902M", "RUS=FBAR;ENG=FLON", "RUS=STP;ENG=LON,NWY"))
    assert table.begin() == ["F BAR - NWY"]
    table.hear("ENG", "PRP (XDO ((RUS FLT BAR) MTO STP))")
    assert table.handle.acted[-1] == ["F BAR - STP/NC"]


def test_agreed_order_replaces_the_provisional_ones() -> None:
    table = Alone("yesman", SEATS["FRA"], Position.start())
    table.begin()
    table.hear("ENG", "PRP (XDO ((FRA AMY PAR) MTO GAS))")
    assert "A PAR - GAS" in table.handle.acted[-1]
    assert table.handle.waits[-1] is False


def test_waits_for_the_others_when_several_must_agree() -> None:
    table = Alone("yesman", SEATS["FRA"], Position.start())
    for power in ("ENG", "GER"):
        table.tell(ev.Joined(at=0.0, seat=SEATS[power], name=power, player_type=PlayerType.PRESS_BOT))
    table.begin()
    offer = "PRP ( XDO ( ( FRA AMY PAR ) MTO GAS ) )"
    seats = (SEATS["FRA"], SEATS["GER"])
    table.tell(ev.Said(at=1.0, seat=SEATS["ENG"], to=seats, text=offer, turn=1))
    assert table.handle.said[-1] == (f"YES ( {offer} )", (SEATS["ENG"], SEATS["GER"])), "all parties hear it"
    table.tell(ev.Said(at=2.0, seat=SEATS["FRA"], to=(SEATS["ENG"], SEATS["GER"]), text=f"YES ({offer})", turn=1))
    assert table.handle.waits[-1] is True
    others = (SEATS["ENG"], SEATS["FRA"])
    table.tell(ev.Said(at=3.0, seat=SEATS["GER"], to=others, text=f"YES ({offer})", turn=1))
    assert table.handle.waits[-1] is False
    assert "A PAR - GAS" in table.handle.acted[-1]


def test_press_that_makes_no_sense_is_rejected() -> None:
    table = Alone("yesman", SEATS["FRA"], Position.start())
    table.begin()
    assert table.hear("ENG", "PRP (PCE (FRA FRA))") == ["REJ ( PRP ( PCE ( FRA FRA ) ) )"]


def test_unreadable_press_gets_huh_and_try_and_free_text_nothing() -> None:
    table = Alone("peace", SEATS["FRA"], Position.start())
    table.begin()
    answers = table.hear("ENG", "PRP (XYZ (ENG))")
    assert answers[0] == "HUH ( PRP ( ERR XYZ ( ENG ) ) )"
    assert answers[1].startswith("TRY ( PRP YES")
    for text in ("Dear France, shall we?", "HUH (ERR ERR)", "TRY (XYZ)", "PRN (PRP (", "YES (PRP (PCE (ENG FRA)))"):
        assert table.hear("ENG", text) == []


@pytest.mark.parametrize("level", [0, 10, 20])
def test_talk_stays_within_the_level_of_the_game(level: int) -> None:
    said = [event for event in played(("proposer", "broker", "peace"), level=level) if isinstance(event, ev.Said)]
    assert bool(said) is (level > 0)
    for event in said:
        read(event.text, level)  # raises if it is above the level


@pytest.mark.parametrize("name", ["stabber0", "stabber99", "peace2", "silent1"])
def test_number_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        make_agent("diplomacy", name, 0)


def test_example_of_the_reference_plays() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "press.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, "press.md", "exec"), names)
    config, terms = {"last_year": 1901}, Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode=PressMode.WINDOW))
    players = {seat: names["Friend"](number) for number, seat in enumerate(GAME.seats(config))}
    events: list[ev.Event] = []
    play(Match(GAME, config, terms, 1), players, keep=events.extend)
    ledger = ledger_of(events)
    assert len(ledger.active()) == 21
    assert not list(ledger.broken())


def test_window_opens_although_a_power_with_a_centre_has_no_unit_to_order() -> None:
    units = "FRA=APAR,FBRE;ENG=FLON,AEDI;RUS=AMOS,AANK"
    start = f"standard S1902M {units} FRA=PAR,BRE;ENG=LON,EDI;TUR=BUL;RUS=MOS,ANK,CON,SMY"
    config = {"last_year": 1902, "position": start}
    terms = Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode=PressMode.WINDOW))
    events: list[ev.Event] = []
    players = {seat: make_agent("diplomacy", "peace", number) for number, seat in enumerate(GAME.seats(config))}
    play(Match(GAME, config, terms, 1), players, keep=events.extend)
    assert not any(isinstance(event, ev.TurnForced) for event in events)
    opened = {event.turn for event in events if isinstance(event, ev.PressOpened)}
    assert opened == {event.turn for event in events if isinstance(event, ev.TurnBegan) and event.stage == "orders"}
    assert _said(events, "TURKEY"), "it may talk all the same"


@pytest.mark.parametrize("every", [67, pytest.param(23, marks=pytest.mark.long)])
@pytest.mark.parametrize("mode", [PressMode.WINDOW, PressMode.ANYTIME])
def test_agents_that_take_over_know_what_was_promised_and_talk_on(mode: PressMode, every: int) -> None:
    """A match that goes on after a crash anywhere, with new players who know only what their seats may know."""
    names = ("peace", "broker", "reciprocator")
    whole = played(names, mode=mode, last_year=1902)
    first = next(number for number, event in enumerate(whole) if isinstance(event, ev.TurnBegan))
    for cut in range(first, len(whole) - 1, every):
        match = Match.resume(whole[: cut + 1], GAME)
        seats = GAME.seats(match.config)
        players = {
            seat: make_agent("diplomacy", f"{names[number % 3]}:budget={BUDGET}", number)
            for number, seat in enumerate(seats)
        }
        events = list(whole[: cut + 1])
        play(match, players, keep=events.extend)
        rest = events[cut + 1 :]
        assert not [event for event in rest if isinstance(event, (ev.Fouled, ev.TurnForced))], f"resumed after {cut}"
        assert not list(ledger_of(events).broken()), f"resumed after {cut}"


def test_broker_does_not_pester_who_wants_nothing() -> None:
    events = played(("broker", *["noman"] * 6), last_year=1904)
    asked: Counter[tuple[Seat, ...]] = Counter()
    for event in events:
        message = read(event.text) if isinstance(event, ev.Said) and event.seat == "AUSTRIA" else None
        if isinstance(message, v.Propose):
            assert isinstance(event, ev.Said)
            asked[event.to] += 1
    assert asked
    assert set(asked.values()) <= {1, 2}
