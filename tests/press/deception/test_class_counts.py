"""Classes counted by power and player: intervals, the sign of mistakes, tables and pages."""

from __future__ import annotations

import json

import msgspec
import pytest

from parlour.press.deception.class_counts import (
    ClassCounts,
    ValuedPhase,
    ValuedPhases,
    added,
    broken_share,
    class_counts,
    count_rows,
    lie_rows,
    proportion,
    ranked_by_rate,
    sign_test,
)
from parlour.press.deception.class_page import class_page
from parlour.press.deception.class_report import class_report
from parlour.press.deception.class_text import (
    LEGEND,
    WIDTH,
    class_tables,
    disagreement_lines,
    shortened,
    value_table,
)
from parlour.press.deception.classes import PromiseClass
from parlour.press.deception.value_table import disagreement_rows, value_rows
from support.press.sealed_stories import SealedStory

ZONE = "DMZ (ENG FRA) (ECH)"


def told() -> SealedStory:
    story = SealedStory()
    story.seal("FRA", ["F BRE - ENG", "A MAR - SPA"])
    story.seal("ENG", ["F LON - NTH"])
    story.talk("FRA", "ITA", "FCT (XDO ((FRA AMY MAR) HLD))")
    story.pact("FRA", "ENG", ZONE)
    story.pact("GER", "ENG", "XDO ((GER FLT KIE) MTO DEN)")
    story.classes({"FRA": ["F BRE - ENG", "A MAR - SPA"], "ENG": ["F LON - NTH"], "GER": ["F KIE - DEN"]})
    return story


def test_counts_say_who_lied_and_how_far_that_can_be_relied_on() -> None:
    counts = class_counts(told().ledger)
    france = counts["FRA"]
    assert (france.classes, france.lies, france.false_statements) == ({"premeditated": 1}, 1, 1)
    assert france.reliable
    assert broken_share(france) == (1, 1)
    assert counts["GER"].classes == {"unknown, kept": 1}
    assert counts["GER"].fidelity is None
    assert broken_share(counts["GER"]) == (0, 1)


def test_values_give_opportunities_and_claimed_mistakes() -> None:
    story = SealedStory()
    story.seal("FRA", ["F BRE - MAO"])
    story.pact("ENG", "FRA", "XDO ((FRA FLT BRE) MTO MAO)")
    story.classes({"FRA": ["F BRE H"]})
    phases = (ValuedPhase("FRA", True, True), ValuedPhase("FRA", True, False), ValuedPhase("FRA", False, True))
    france = class_counts(story.ledger, ValuedPhases(phases, {0: ((0.0, 0.0, 0.0, 0.05), (0.0, 0.0, 0.0, 0.0))}))["FRA"]
    assert (france.breaches_then, france.opportunities, france.claimed_mistakes) == (1, 2, 1)
    assert france.mistakes_p == 0.5
    assert france.per_opportunity is not None
    assert france.per_opportunity[0] == 0.5


@pytest.mark.parametrize(
    ("hits", "among", "expected"),
    [(0, 10, (0.0, 0.0, 0.2775)), (5, 10, (0.5, 0.2366, 0.7634)), (10, 10, (1.0, 0.7225, 1.0))],
)
def test_wilson_intervals_are_those_of_the_book(hits: int, among: int, expected: tuple[float, ...]) -> None:
    assert proportion(hits, among) == pytest.approx(expected, abs=1e-4)
    assert proportion(0, 0) is None


def test_signs_of_mistakes() -> None:
    assert sign_test(0, 0) is None
    assert sign_test(3, 3) == 0.125
    assert sign_test(0, 5) == 1.0


def test_counts_add_up_and_rank() -> None:
    one = {"a": ClassCounts({"honest": 2}, opportunities=10, breaches_then=5), "b": ClassCounts({"honest": 1})}
    two = {"a": ClassCounts({"honest": 1, "unknown": 1}, opportunities=10), "c": ClassCounts(opportunities=5)}
    sums = added([one, two])
    assert sums["a"] == ClassCounts({"honest": 3, "unknown": 1}, opportunities=20, breaches_then=5)
    assert ranked_by_rate(sums) == ["c", "a", "b"]


def test_tables_pages_and_reports_hold_the_same() -> None:
    ledger = told().ledger
    counts = class_counts(ledger)
    rows = count_rows(counts, {"FRA": "<b>Ann</b>"}, values=True)
    assert len({len(row) for row in rows}) == 1
    page = class_page(ledger, counts, {"FRA": "<b>Ann</b>"})
    assert "premeditated" in page
    assert "<b>" not in page
    assert "France broke its promise to England" in page
    report = json.loads(msgspec.json.encode(class_report(ledger, counts)))
    assert [row["class"] for row in report["promises"] if row["power"] == "FRA"] == ["premeditated"]
    assert [row["kind"] for row in report["lies"]] == [row["kind"] for row in lie_rows(ledger)]
    assert report["powers"]["FRA"]["fidelity"] == 1.0
    assert len(report["seals"]) == 2


def test_every_promise_that_was_not_simply_kept_is_listed_with_its_worth() -> None:
    ledger = told().ledger
    place = next(at for at, (verdict, _) in enumerate(ledger.classes()) if verdict.performer == "FRA")
    worths = dict.fromkeys(range(len(ledger.verdicts)), ((0.05, 0.0, -0.004, 0.1), (0.0, 0.0, 0.0, 0.2)))
    valued = ValuedPhases(worths=worths)
    rows = value_rows(ledger, valued)
    assert len(rows) == 2
    assert rows[1][1:] == (
        "FRA", "DMZ ( ENG FRA ) ( ECH )", "premeditated", "+0.050", "0", "-0.004", "+0.100", "0", "0", "0", "+0.200"
    )  # fmt: skip
    assert value_table(ledger, valued).splitlines()[1:] == [
        "S1901M  FRA    premeditated            +0.050       0  -0.004  +0.100",
        "        +1     1: DMZ (ENG FRA) (ECH)       0       0       0  +0.200",
    ]
    assert len(value_table(ledger, valued, every=True).splitlines()) == 1 + 2 * len(ledger.verdicts)
    assert valued.gain(place) == 0.1
    page = class_page(ledger, class_counts(ledger, valued), {}, valued=valued)
    assert "+0.100" in page


def test_prose_that_says_otherwise_is_in_tables_and_pages() -> None:
    story = told()
    story.talk("ENG", "FRA", "I will attack <you>.\n:: PRP (PCE (ENG FRA))")
    assert disagreement_lines(story.ledger).splitlines() == [
        "turn 2, ENG, by rules: the core offers peace, the prose speaks of war",
        "  I will attack <you>. :: PRP (PCE (ENG FRA))",
    ]
    [_, row] = disagreement_rows(story.ledger)
    assert row[1:4] == ("ENG", "rules", "the core offers peace, the prose speaks of war")
    page = class_page(story.ledger, class_counts(story.ledger), {})
    assert "attack &lt;you&gt;" in page


def test_tables_of_text_fit_a_terminal_and_tell_players_apart() -> None:
    many = ClassCounts(dict.fromkeys(map(str, PromiseClass), 1000), 999, 999, 9, 999, 100, 50, 100, 100, 999, 999, 999)
    powers = dict.fromkeys(told().ledger.lexicon.powers, many)
    names = dict.fromkeys(powers, "a player of a long name, who never tires")
    for text in (
        class_tables(powers, names, values=True),
        class_tables(dict.fromkeys(powers, many), values=True),
        LEGEND,
    ):
        assert max(map(len, text.splitlines())) <= WIDTH
    assert shortened(["search:budget=50", "dumbbot"], 10) == ["search:bu…", "dumbbot"]
    assert shortened(["search:budget=50", "search:budget=500"], 10) == ["search:budget=50", "search:budget=500"]
    ledger = told().ledger
    longest = dict.fromkeys(range(len(ledger.verdicts)), ((-0.123,) * 4, (-0.123,) * 4))
    table = value_table(ledger, ValuedPhases(worths=longest), every=True)
    assert max(map(len, table.splitlines())) <= WIDTH
