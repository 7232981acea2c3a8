"""A model's prompt on a match: the most important lines within the room, and the true conduct of partners."""

from __future__ import annotations

import re

import pytest

from parlour.agents.llm import briefing
from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.naming import NameBook
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import BOARDS, Ground, Map, named, read_map, standard
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from support.llm.matches import WEST, great_power, noting
from support.llm.models import Model, legal_orders
from support.press.stories import Story

SPEC = read_spec("m@localhost:1/v1?rounds=2")
FRANCE, GERMANY = Seat("FRANCE"), Seat("GERMANY")
PLAIN = NameBook(standard())
LAGOON = (BOARDS / "lagoon.map").read_text("utf-8")


def test_a_partner_is_told_of_by_what_it_kept_and_broke_and_by_what_oneself_did() -> None:
    story = Story()
    story.agree("FRA", "GER", "XDO ((GER AMY MUN) MTO RUH)")
    story.agree("FRA", "ENG", "XDO ((FRA AMY PAR) MTO PIC)")
    story.agree("GER", "ITA", "XDO ((GER AMY BER) HLD)")
    story.say("FRA", "RUS", "PRP (PCE (FRA RUS))")
    story.say("TUR", "FRA", "PRP (PCE (FRA TUR))")
    story.play({"GER": ["A MUN - BUR", "A BER H"], "FRA": ["A PAR - PIC"]})
    lines = briefing.ledger_text(story.ledger, "FRA").splitlines()
    assert lines[:6] == [
        "AUSTRIA: kept 0, broke 0 promises to you; you kept 0, broke 0",
        "ENGLAND: kept 0, broke 0 promises to you; you kept 1, broke 0",
        "GERMANY: kept 0, broke 1 promises to you; you kept 0, broke 0",
        "ITALY: kept 0, broke 0 promises to you; you kept 0, broke 0",
        "RUSSIA: kept 0, broke 0 promises to you; you kept 0, broke 0",
        "TURKEY: kept 0, broke 0 promises to you; you kept 0, broke 0",
    ]
    assert lines[6:] == [
        "You proposed to RUSSIA, and wait: PRP ( PCE ( FRA RUS ) )",
        "Proposal n=5 of TURKEY waits for your answer: PRP ( PCE ( FRA TUR ) )",
    ]
    assert [one.number for one in briefing.unanswered(story.ledger, "FRA")] == [5]
    assert [one.number for one in briefing.unanswered(story.ledger, "RUS")] == [4]


def test_what_is_answered_by_oneself_and_not_yet_by_all_is_told_so() -> None:
    story = Story()
    story.say("GER", "FRA ENG", "PRP (PCE (FRA GER ENG))")
    story.say("FRA", "GER ENG", "YES (PRP (PCE (FRA GER ENG)))")
    assert "Proposal n=1 of GERMANY is answered by you" in briefing.ledger_text(story.ledger, "FRA")
    assert not briefing.unanswered(story.ledger, "FRA")
    assert "waits for your answer" in briefing.ledger_text(story.ledger, "ENG")


def test_messages_are_quoted_on_one_line_with_who_said_them_to_whom() -> None:
    said = [
        ev.Said(0.0, GERMANY, (FRANCE,), 'a "b"\nc', 1),
        ev.Said(0.0, FRANCE, (GERMANY, Seat("ITALY")), "d", 2),
        ev.Said(0.0, GERMANY, (), "e" * 600, 2),
    ]
    first, second, third = briefing.messages_text(said, FRANCE, PLAIN).splitlines()
    assert first.startswith('turn 1, GERMANY to you: "a ')
    assert '\\"b\\"' in first
    assert second == 'turn 2, you to GERMANY, ITALY: "d"'
    assert third.startswith('turn 2, GERMANY to all: "eee')
    assert 500 <= third.count("e") < 520


def test_of_messages_and_notes_the_newest_are_kept_in_their_order() -> None:
    said = [ev.Said(0.0, GERMANY, (FRANCE,), f"{number} {'x' * 300}", 1) for number in range(30)]
    text = briefing.messages_text(said, FRANCE, PLAIN)
    assert len(text) <= briefing.TALK
    assert [int(number) for number in re.findall(r'"(\d+) x', text)] == list(range(21, 30))
    notes = briefing.notes_text([(f"S19{number}M", "y" * 400) for number in range(10, 20)])
    assert len(notes) <= briefing.NOTES
    assert re.findall(r"S19(\d+)M", notes) == ["17", "18", "19"]


def test_of_a_turn_with_many_orders_the_failures_are_told() -> None:
    few = {"results": {"FRANCE": {"A PAR - BUR": "bounced", "A MAR H": "succeeded"}, "ITALY": {"A ROM H": "succeeded"}}}
    assert briefing.last_turn_text(few) == "FRANCE: A PAR - BUR (bounced), A MAR H\nITALY: A ROM H"
    many = {"FRANCE": {f"A {number} H": "succeeded" for number in range(200)} | {"A PAR - BUR": "bounced"}}
    assert (
        briefing.last_turn_text({"results": many | {"ITALY": {"A ROM H": "succeeded"}}})
        == "FRANCE: A PAR - BUR (bounced)"
    )
    lost = {"disbanded": {"ITALY": ["A ROM", "F NAP"]}}
    assert briefing.last_turn_text(few | lost).splitlines()[-1] == "ITALY: A ROM, F NAP disbanded"
    assert briefing.last_turn_text({"results": many} | lost).splitlines()[0] == "ITALY: A ROM, F NAP disbanded"
    assert briefing.last_turn_text(None) == ""


def test_a_position_names_who_stands_where_and_who_is_dislodged() -> None:
    before = Position.read("standard F1901M FRA=APAR,AMAR;GER=ABUR,AGAS GER=BER,KIE - -")
    position = before.resolve({"GERMANY": ["A BUR - MAR", "A GAS S A BUR - MAR"]})
    text = briefing.position_text(position, FRANCE)
    assert text.splitlines()[0] == f"{position.phase_name}. You are FRANCE."
    assert "FRANCE: A PAR; 0 centres" in text
    assert "GERMANY: A GAS, A MAR; 2 centres BER KIE" in text
    assert "\n  A MAR is dislodged\n" in text
    assert "TURKEY" not in text


@pytest.mark.parametrize("names", [True, False])
def test_the_map_is_told_with_or_without_the_names_of_its_provinces(names: bool) -> None:
    lines = briefing.map_text(standard(), names=names).splitlines()
    assert len(lines) == 75
    paris = next(line for line in lines if line.startswith("PAR"))
    assert paris.split(":")[0] == ("PAR*(FRANCE) Paris" if names else "PAR*(FRANCE)")
    assert set(paris.split(": A ")[1].split()) == {"BUR", "GAS", "PIC", "BRE"}
    spain = next(line for line in lines if line.startswith("SPA"))
    assert re.search(r" F /NC [A-Z ]*POR", spain)
    assert next(line for line in lines if line.startswith("NTH")).startswith(
        f"NTH sea{' North Sea' if names else ''}: F "
    )


@pytest.mark.parametrize(
    ("board", "told"),
    [
        (named("lagoon"), "each power builds in its free home centres or disbands"),
        (named("age-of-empires"), "each power builds in any free centre it owns or disbands"),
        (read_map(LAGOON + "builds homes\n"), "the free centres it owns that are somebody's home or"),
        (read_map(LAGOON + "builds rooted\n"), "as long as it owns one of its home centres, or"),
        (read_map(LAGOON + "unplayed COBALT\n"), "Nobody plays COBALT: units of such a power hold"),
        (read_map(LAGOON.replace("coast ISL", "port ISL")), "In provinces marked as ports fleets convoy as at sea."),
        (named("lagoon").under((Variation.FOG,)), "Fog covers the board: you see your own units"),
    ],
)
def test_the_rules_are_those_of_the_map(board: Map, told: str) -> None:
    position = Position.start(board)
    text = briefing.rules_text(position, Seat(board.players[0].name), PLAIN, talks=False, level=0)
    assert told in text
    assert ("ISL* port The Isle: F" in text) == ("port" in told)


def test_parts_that_say_nothing_have_no_heading() -> None:
    assert briefing.sections((("One", "a"), ("Two", ""), ("", "do it"))) == "# One\na\n\ndo it"


def test_of_many_legal_orders_the_moves_are_listed_and_then_the_support_of_ones_own_units() -> None:
    def listed(units: int) -> tuple[str, set[str], list[str]]:
        legal = great_power(1920, units).legal(FRANCE)
        text = briefing.legal_text(legal)
        found = legal_orders(f"# Legal orders, by unit\n{text}\n\n")
        return text, {order for unit in found for order in unit}, legal

    text, shown, legal = listed(3)
    assert shown == set(legal)
    text, shown, legal = listed(20)
    assert text.endswith(briefing.LEFT_OUT)
    assert len(text) <= briefing.LEGAL
    own = {" ".join(order.split()[:2]) for order in legal}
    assert shown >= {order for order in legal if order.split()[2] in ("H", "-")}
    supports = [order for order in shown if order.split()[2] == "S"]
    assert supports
    assert all(" ".join(order.split()[3:5]) in own for order in supports)


def test_what_waits_for_an_answer_is_told_before_pacts_and_before_ones_own_proposals() -> None:
    player = DiplomacyModelPlayer(SPEC, 1, Model(noting))
    player.follow(ev.Started(0.0, tuple(Position.start().alive()), Position.start().encode()))
    italy = Seat("ITALY")
    for number, place in enumerate(WEST):
        mine, theirs = (f"PRP ( DMZ ( FRA ITA ) ( {place} {sea} ) )" for sea in ("NTH", "BAL"))
        player.follow(ev.Said(1.0, FRANCE, (italy,), mine, 1))
        if number < 14:
            player.follow(ev.Said(1.0, italy, (FRANCE,), f"YES ( {mine} )", 1))
        player.follow(ev.Said(1.0, italy, (FRANCE,), theirs, 1))
    text = briefing.ledger_text(player._ledger, "FRA")
    assert len(text) <= briefing.LEDGER
    waits = [int(number) for number in re.findall(r"n=(\d+) of ITALY waits for your answer", text)]
    assert waits == list(range(waits[0], 45, 2)), "the newest"
    assert len(waits) > 8
    assert waits[0] > 20
    assert "( TYR NTH ) and 6 more\n" in text
    assert 0 < text.count("You proposed") < 8
    assert text.count("promises to you") == 6


def test_a_text_that_is_too_long_says_so() -> None:
    assert briefing.clipped("one\ntwo\nthree\nfour five six seven", 30) == "one\ntwo\n(there is more)"
    assert len(briefing.clipped("x" * 99, 30)) <= 35


@pytest.mark.parametrize("seat", [power.name for power in standard().powers])
def test_the_fleet_that_is_shown_as_an_example_lies_at_a_coast(seat: str) -> None:
    text = briefing._language(standard(), Seat(seat), 60, same=False)
    found = re.search(r"\( \w+ FLT (\w+) \)", text)
    assert found is not None
    (province,) = [one for one in standard().provinces if one.daide == found[1]]
    assert province.kind is Ground.COAST
