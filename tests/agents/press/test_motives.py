"""Values of promises: a stab that takes a centre pays, noise is nothing, and the same seed gives the same."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import astuple

from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.agents.press.counsel import pledge
from parlour.agents.press.motives import (
    NOISE,
    TEMPTING,
    Motives,
    Opportunity,
    PromiseWorth,
    Worth,
    differences,
    motives,
)
from parlour.core import events as ev
from parlour.games.diplomacy.position import Position
from support.press.stories import SEATS, Story, at
from support.press.tables import played


def record_of(position: Position | None, agreed: tuple[str, str, str], orders: dict[str, list[str]]) -> list[ev.Event]:
    """Return one phase as a record: a pact, then these orders, and holds of the others."""
    story, events = Story(position), []
    feed = story.ledger.feed

    def kept(event: ev.Event, after: Any = None) -> Any:
        events.append(event)
        return feed(event, after)

    story.ledger.feed = kept  # type: ignore[method-assign]
    start = story.position
    events += [ev.Started(0.0, tuple(SEATS.values()), start.encode()), ev.TurnBegan(0.0, 1, "orders", start.to_act())]
    proposer, other, what = agreed
    events.append(ev.Said(0.0, SEATS[proposer], (SEATS[other],), f"PRP ({what})", 1))
    events.append(ev.Said(0.0, SEATS[other], (SEATS[proposer],), f"YES (PRP ({what}))", 1))
    story.verdicts(orders)
    return events


UNITS = "ITA=AVEN,AAPU,FION;AUS=FALB,AGAL,ASER;RUS=AWAR,AMOS,FSEV;TUR=ACON,ASMY,FANK;GER=AMUN,ABER,FKIE"
OWNED = "ITA=VEN,ROM,NAP;AUS=TRI,VIE,BUD;RUS=WAR,MOS,SEV,STP;TUR=CON,SMY,ANK;GER=MUN,BER,KIE;FRA=PAR,MAR;ENG=LON,LVP"
STAB = {
    "ITA": ["A VEN - TRI", "A APU - VEN", "F ION - TUN"],
    "AUS": ["F ALB - GRE", "A GAL - RUM", "A SER S F ALB - GRE"],
}


def test_a_stab_that_takes_a_centre_gains() -> None:
    events = record_of(at("F1901M", UNITS, OWNED), ("ITA", "AUS", "PCE (AUS ITA)"), STAB)
    found = motives(events, seed=1)
    [worth] = [worth for worth in found.promises if worth.power == "ITA"]
    assert worth.year.gain > NOISE
    assert worth.year.welfare in ("selfish", "win-win")
    [italy] = [phase for phase in found.phases if phase.power == "ITA"]
    assert italy.tempting
    assert italy.broke
    assert found.opportunities("ITA") == (1, 1)
    assert motives(events, seed=1) == found


def test_the_worked_stab_is_worth_what_six_seeds_of_512_samples_found() -> None:
    """Italy keeps a peace in spring and takes Trieste in fall: switch +0.096, gain +0.079, selfish."""
    story = Story()
    story.verdicts(
        {"ITA": ["A VEN H", "A ROM - APU", "F NAP - ION"], "AUS": ["F TRI - ALB", "A VIE - GAL", "A BUD - SER"]}
    )
    found = motives(record_of(story.position, ("ITA", "AUS", "PCE (AUS ITA)"), STAB), seed=1)
    [worth] = [worth.year for worth in found.promises if worth.power == "ITA"]
    assert worth.switch == pytest.approx(0.096, abs=0.01)
    assert worth.gain == pytest.approx(0.079, abs=0.01)
    assert worth.welfare == "selfish"


WORKED = {
    "case 2": (
        None,
        ("ENG", "FRA"),
        (["F LON - NTH", "F EDI - NWG", "A LVP - YOR"], ["F LON - ENG", "F EDI - NTH", "A LVP - YOR"]),
        (["F BRE - MAO"], ["F BRE - ENG"]),
        (0.026, -0.006, 0.021, -0.031),
    ),
    "case 4": (
        {"ITA": ["A VEN H", "A ROM - APU", "F NAP - ION"], "AUS": ["F TRI - ALB", "A VIE - GAL", "A BUD - SER"]},
        ("AUS", "ITA"),
        (STAB["AUS"], ["F ALB - TRI", "A GAL - VIE", "A SER H"]),
        (["A VEN H", "A APU H", "F ION - TUN"], STAB["ITA"]),
        (0.110, 0.096, 0.090, 0.079),
    ),
}
"""Orders before the phase; partner and promiser; what each does within the pact and otherwise; the four values."""


@pytest.mark.parametrize("name", WORKED)
def test_the_four_values_of_given_orders_are_those_of_the_worked_cases(name: str) -> None:
    """Bait and edge depend on what the partner would do without the pact, here given, in a match searched for."""
    spring, (partner, promiser), within, promises, expected = WORKED[name]
    story = Story()
    if spring is not None:
        story.verdicts(spring)
    position = story.position
    scenarios = [
        [pledge(position, SEATS[partner], mine), pledge(position, SEATS[promiser], theirs)]
        for theirs in promises
        for mine in within
    ]
    shares = Search(1, SearchOptions(budget=100)).outlook(position, scenarios, 512)
    i, j = position.power_of(SEATS[partner]), position.power_of(SEATS[promiser])
    assert differences(shares, i, j) == pytest.approx(expected, abs=0.006)


def test_fewer_samples_leave_more_to_chance() -> None:
    events = record_of(None, ("FRA", "ENG", "DMZ (ENG FRA) (ECH)"), {"FRA": ["F BRE - ENG"]})
    values = [value for worth in motives(events, samples=16, budget=20).promises for value in astuple(worth.year)]
    assert values
    assert all(value == 0.0 or abs(value) >= 4 * NOISE for value in values)


def test_a_promise_between_those_who_cannot_reach_each_other_is_worth_nothing() -> None:
    events = record_of(None, ("ENG", "TUR", "PCE (ENG TUR)"), {})
    for worth in motives(events, samples=64, budget=20).promises:
        for value in (worth.year.switch, worth.year.bait):
            assert value == 0.0 or abs(value) >= NOISE
    tempted = [phase.temptation for phase in motives(events, samples=64, budget=20).phases]
    assert all(abs(temptation) < 2 * TEMPTING for temptation in tempted)


def test_a_partner_who_promised_nothing_in_return_has_no_part_that_could_gain() -> None:
    holds = {"GER": ["A MUN H", "A BER H", "F KIE H"], "ENG": ["F EDI H", "F LON H", "A LVP H"]}
    events = record_of(None, ("ENG", "GER", "XDO ((ENG FLT EDI) MTO NWG)"), holds)
    [worth] = motives(events, samples=64, budget=20).promises
    assert worth.power == "ENG"
    for values in (worth.year, worth.next_year):
        assert (values.bait, values.edge) == (0, 0)
    assert worth.year.gain < 0, "the fleet stays at home"


def test_a_partner_who_broke_its_word_too_is_valued_as_if_it_kept_it() -> None:
    found = []
    for orders in (["F ALB - ION", "A GAL H", "A SER H"], ["F ALB - ION", "A GAL - SIL", "A SER - ALB"]):
        events = record_of(at("F1901M", UNITS, OWNED), ("ITA", "AUS", "PCE (AUS ITA)"), {**STAB, "AUS": orders})
        found += [worth.year for worth in motives(events, samples=64, budget=20).promises if worth.power == "ITA"]
    assert found[0] == found[1], "whatever Austria did instead"


@pytest.mark.parametrize(
    ("gain", "switch", "kind"),
    [
        (0.1, 0.2, "selfish"),
        (0.1, 0.05, "win-win"),
        (-0.1, 0.1, "sabotaging"),
        (-0.1, -0.2, "altruistic"),
        (0, 0, "neutral"),
    ],
)
def test_breaches_are_named_by_who_gains(gain: float, switch: float, kind: str) -> None:
    assert Worth(0.0, switch, 0.0, gain).welfare == kind


def test_a_match_without_promises_has_no_worth() -> None:
    assert motives(played(("noman",), last_year=1901), samples=8) == Motives((), ())


def test_opportunities_are_tempting_phases() -> None:
    nothing = Worth(0, 0, 0, 0)
    phases = (Opportunity("FRA", 1, "S1901M", 0.03, True), Opportunity("FRA", 3, "F1901M", 0.01, True))
    found = Motives((PromiseWorth(0, "FRA", "ENG", "S1901M", nothing, nothing),), phases)
    assert found.opportunities("FRA") == (1, 1)
