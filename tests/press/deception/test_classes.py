"""The classes of promises: the worked scenarios, each by its number, and the further cases beside them."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.game import Plain
from support.press.sealed_stories import SealedStory, statuses
from support.press.stories import SEATS, at

ZONE = "DMZ (ENG FRA) (ECH)"
PEACE = "PCE (AUS ITA)"
ENTER, KEEP_OUT = ["F BRE - ENG"], ["F BRE - MAO"]
BROKEN_ORDERS = {"FRA": ENTER, "ENG": ["F LON - NTH"]}
ITALY = ["A VEN H", "A ROM - APU", "F NAP - ION"]
AUSTRIA = ["F TRI - ALB", "A VIE - GAL", "A BUD - SER"]
STAB = ["A VEN - TRI", "A APU - VEN", "F ION - TUN"]
AUSTRIA_LATER = ["F ALB - GRE", "A GAL - RUM", "A SER S F ALB - GRE"]


def test_1_a_promise_that_was_planned_and_kept_is_honest() -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", "XDO ((FRA FLT BRE) MTO MAO)")
    assert story.classes({"FRA": KEEP_OUT}) == {"1 FRA XDO": "honest"}
    assert story.lies() == []


def zoned(seals: bool = True) -> SealedStory:
    story = SealedStory()
    if seals:
        story.seal("FRA", ENTER)
        story.seal("ENG", ["F LON - NTH"])
    story.pact("FRA", "ENG", ZONE)
    return story


def test_2_a_breach_that_was_planned_when_it_was_promised_away_is_premeditated() -> None:
    story = zoned()
    assert story.classes(BROKEN_ORDERS) == {"1 ENG DMZ": "honest", "1 FRA DMZ": "premeditated"}
    assert story.lies() == ["FRA DMZ promise"]


def test_3_a_breach_that_was_planned_later_is_opportunistic() -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", ZONE)
    story.seal("FRA", ENTER)
    assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == "opportunistic"
    assert story.lies() == []


def at_peace(*others: str, what: str = PEACE) -> SealedStory:
    story = SealedStory()
    story.seal("ITA", ITALY)
    story.seal("AUS", AUSTRIA)
    story.seal("TUR", [])
    story.pact("ITA", " ".join(("AUS", *others)), what)
    found = story.classes({"ITA": ITALY, "AUS": AUSTRIA, "TUR": []})
    assert set(found.values()) == {"honest"}
    return story


def test_4_a_peace_that_is_broken_a_phase_later_is_opportunistic() -> None:
    story = at_peace()
    story.seal("ITA", STAB)
    found = story.classes({"ITA": STAB, "AUS": AUSTRIA_LATER})
    assert found == {"1 AUS PCE": "honest", "1 ITA PCE": "opportunistic"}
    assert [(stab.by, sorted(stab.centres)) for stab in story.ledger.stabs.all] == [("ITA", ["TRI"])]


def test_5_an_order_for_the_wrong_unit_is_a_slip() -> None:
    story = SealedStory()
    story.seal("GER", ["A MUN S A PAR - BUR"])
    story.pact("FRA", "GER", "XDO ((GER AMY MUN) SUP (FRA AMY PAR) MTO BUR)")
    given = {"GER": ["A MUN S A MAR - BUR"], "FRA": ["A PAR - BUR"]}
    assert story.classes(given) == {"1 GER XDO": "mistaken: slip"}


def test_6_a_plan_that_breaks_what_it_means_to_keep_is_misread() -> None:
    story = SealedStory(at("F1902M", "ITA=AVEN,FION;AUS=ATRI,AVIE;GER=ATYR", "ITA=VEN,ROM,NAP;AUS=TRI,VIE,BUD;GER=MUN"))
    story.seal("ITA", [])
    story.pact("AUS", "ITA", PEACE)
    story.seal("ITA", ["A VEN S A TYR - TRI"], keep=PEACE)
    found = story.classes({"ITA": ["A VEN S A TYR - TRI"], "GER": ["A TYR - TRI"], "AUS": []})
    assert found["1 ITA PCE"] == "mistaken: misread"


def test_7_orders_that_the_referee_put_in_break_nothing() -> None:
    story = SealedStory()
    story.seal("ENG", ["F LON - NTH"])
    story.pact("ENG", "FRA", "XDO ((ENG FLT LON) MTO NTH)")
    story.absent("ENG")
    assert story.classes() == {"1 ENG XDO": "forced: absent"}
    assert statuses(story) == {"1 ENG": "void"}
    assert not list(story.ledger.broken())


def test_8_two_promises_for_one_unit_are_no_conflict_that_excuses() -> None:
    story = SealedStory()
    story.seal("RUS", ["A WAR - UKR"])
    story.pact("AUS", "RUS", "XDO ((RUS AMY WAR) MTO UKR)")
    story.pact("TUR", "RUS", "XDO ((RUS AMY WAR) MTO GAL)")
    assert story.classes({"RUS": ["A WAR - UKR"]}) == {"1 RUS XDO": "honest", "2 RUS XDO": "premeditated"}
    clashes = [(c.power, c.earlier.number, c.later.number) for c in story.ledger.pacts.contradictions]
    assert clashes == [("RUS", 1, 2)]


def test_9_both_may_break_one_zone_each_in_its_own_way() -> None:
    story = SealedStory()
    story.seal("FRA", ENTER)
    story.seal("ENG", ["F LON - NTH"])
    story.pact("FRA", "ENG", ZONE)
    story.seal("ENG", ["F LON - ENG"])
    found = story.classes({"FRA": ENTER, "ENG": ["F LON - ENG"]})
    assert found == {"1 ENG DMZ": "opportunistic", "1 FRA DMZ": "premeditated"}


def test_10_a_promise_for_a_unit_that_is_not_there_has_no_class() -> None:
    story = SealedStory()
    story.seal("GER", [])
    story.pact("FRA", "GER", "XDO ((GER AMY RUH) MTO BEL)")
    assert story.classes({"GER": []}) == {"1 GER XDO": "none"}


@pytest.mark.parametrize(("told", "expected"), [("AUS", "none"), ("GER", "opportunistic")])
def test_11_and_12_a_peace_that_is_renounced_to_the_partner_is_not_broken(told: str, expected: str) -> None:
    story = at_peace()
    story.talk("ITA", told, "FCT (NOT (PCE (AUS ITA)))")
    story.seal("ITA", STAB)
    found = story.classes({"ITA": STAB, "AUS": AUSTRIA_LATER})
    assert found["1 ITA PCE"] == expected
    assert len(story.ledger.stabs.all) == (expected != "none")


def test_13_a_lie_that_is_kept_is_insincere() -> None:
    story = SealedStory()
    story.seal("TUR", ["F ANK - BLA"])
    story.pact("TUR", "RUS", "DMZ (RUS TUR) (BLA)")
    story.seal("TUR", ["F ANK - CON"])
    assert story.classes({"TUR": ["F ANK - CON"], "RUS": []})["1 TUR DMZ"] == "insincere, then kept"
    assert story.lies() == ["TUR DMZ promise"]


def test_14_a_statement_that_the_plan_belies_is_a_lie_and_no_breach() -> None:
    story = SealedStory()
    story.seal("FRA", ["A MAR - SPA"])
    story.talk("FRA", "ITA", "FCT (XDO ((FRA AMY MAR) HLD))")
    story.talk("FRA", "ITA", "THK (XDO ((FRA AMY PAR) HLD))")
    assert story.classes({"FRA": ["A MAR - SPA"]}) == {}
    assert story.lies() == ["FRA XDO statement"]


def test_15_alternatives_are_broken_if_none_was_planned() -> None:
    story = SealedStory()
    story.seal("FRA", ["A MAR - BUR"])
    story.pact("ITA", "FRA", "ORR (XDO ((FRA AMY MAR) MTO SPA)) (XDO ((FRA AMY MAR) HLD))")
    assert story.classes({"FRA": ["A MAR - BUR"]}) == {"1 FRA ORR": "premeditated"}


def test_16_orders_count_and_not_their_effects() -> None:
    story = SealedStory(at("S1902M", "FRA=ABUR,APAR;GER=ARUH,AMUN;ITA=AMAR", "FRA=PAR;GER=MUN;ITA=ROM"))
    story.seal("FRA", ["A BUR S A RUH - BEL"])
    story.pact("GER", "FRA", "XDO ((FRA AMY BUR) SUP (GER AMY RUH) MTO BEL)")
    orders = {"FRA": ["A BUR S A RUH - BEL"], "GER": ["A RUH - BEL"], "ITA": ["A MAR - BUR"]}
    assert story.classes(orders) == {"1 FRA XDO": "honest"}


@pytest.mark.parametrize(("order", "later"), [("F ENG - MAO", "none"), ("F ENG H", "opportunistic")])
def test_17_to_try_to_leave_a_zone_is_enough(order: str, later: str) -> None:
    story = SealedStory(at("S1902M", "FRA=FENG,ABEL;ENG=FNTH,FLON;ITA=FWES", "FRA=BRE;ENG=LON;ITA=ROM"))
    story.seal("FRA", ["F ENG - MAO"])
    story.pact("ENG", "FRA", ZONE)
    found = []
    for _ in range(2):
        story.seal("FRA", [order])
        turn = story.classes({"FRA": [order], "ENG": [], "ITA": ["F WES - MAO"]})
        found.append(turn["1 FRA DMZ"])
    assert found == ["none", later]


def test_18_without_a_seal_nothing_is_guessed() -> None:
    assert set(zoned(seals=False).classes(BROKEN_ORDERS).values()) == {"unknown"}


def test_19_who_breaks_a_peace_of_three_leaves_the_others_bound() -> None:
    story = at_peace("TUR", what="PCE (AUS ITA TUR)")
    story.seal("ITA", STAB)
    found = story.classes({"ITA": STAB, "AUS": AUSTRIA_LATER, "TUR": []})
    assert found == {"1 AUS PCE": "honest", "1 ITA PCE": "opportunistic", "1 TUR PCE": "honest"}
    assert [pact.clauses[0].owing for pact in story.ledger.active()] == [("AUS", "TUR")]


def test_20_a_pact_is_judged_clause_by_clause() -> None:
    story = SealedStory()
    orders = ["A MUN S A PAR - BUR", "F KIE - HOL"]
    story.seal("GER", orders)
    support = "XDO ((GER AMY MUN) SUP (FRA AMY PAR) MTO BUR)"
    story.pact("FRA", "GER", f"AND ({support}) (XDO ((GER FLT KIE) MTO DEN))")
    found = story.classes({"GER": orders, "FRA": ["A PAR - BUR"]})
    assert sorted(found.values()) == ["honest", "premeditated"]
    assert story.lies() == ["GER XDO promise"]


def test_21_what_the_partner_agreed_to_breaks_no_zone() -> None:
    story = SealedStory()
    story.seal("FRA", ENTER)
    story.pact("ENG", "FRA", ZONE)
    story.pact("ENG", "FRA", "XDO ((FRA FLT BRE) MTO ECH)")
    found = story.classes({"FRA": ENTER, "ENG": []})
    assert (found["1 FRA DMZ"], found["2 FRA XDO"]) == ("none", "honest")


def test_22_a_yes_that_was_taken_back_binds_nobody() -> None:
    story = SealedStory()
    story.seal("FRA", ENTER)
    story.talk("ENG", "FRA GER", f"PRP ({ZONE})")
    story.talk("FRA", "ENG GER", f"YES (PRP ({ZONE}))")
    story.talk("FRA", "ENG GER", f"CCL (YES (PRP ({ZONE})))")
    story.talk("GER", "ENG FRA", f"YES (PRP ({ZONE}))")
    assert story.classes(BROKEN_ORDERS) == {}


# Further cases


def test_a_sleeper_says_until_when_it_keeps_its_word() -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT, until_F1901=ZONE)
    story.pact("ENG", "FRA", ZONE)
    assert story.classes({"FRA": ["F BRE - PIC"], "ENG": []})["1 FRA DMZ"] == "honest"
    assert story.lies() == ["FRA DMZ promise"]
    story.seal("FRA", ["F PIC - ENG"])
    assert story.classes({"FRA": ["F PIC - ENG"], "ENG": []})["1 FRA DMZ"] == "premeditated"


@pytest.mark.parametrize(
    ("part", "expected"),
    [("F BRE - MOS", "forced: mended"), ("A PAR - MOS", "mistaken: slip"), ("nonsense", "forced: mended")],
)
def test_an_order_that_the_referee_replaced_breaks_nothing(part: str, expected: str) -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", "XDO ((FRA FLT BRE) MTO MAO)")
    story.mended("FRA", part)
    assert story.classes({"FRA": ["F BRE H"]}) == {"1 FRA XDO": expected}


def test_a_stand_in_and_a_proxy_do_not_break_the_word_of_another() -> None:
    story = SealedStory()
    story.seats("FRA", "Ann")
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", ZONE)
    story.pact("ENG", "FRA", "PCE (ENG FRA)")
    story.by_proxy("FRA")
    assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == "forced: absent"
    assert str(story.ledger.pacts.all[0].state) == "void"
    story.seats("FRA", "Bob")
    found = story.classes({"FRA": ["F ENG - LON"], "ENG": []})
    assert found == {"2 ENG PCE": "unknown", "2 FRA PCE": "forced: absent"}
    story.pact("ENG", "FRA", "PCE (ENG FRA)")
    while story.position.stage != "orders":
        story.classes()
    story.seal("FRA", ["F LON - WAL"])
    found = story.classes({"FRA": ["F LON - NTH"], "ENG": []})
    assert "forced: absent" not in found.values()


def test_the_newest_word_on_a_pact_counts() -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", ZONE)
    assert story.classes({"FRA": ["F BRE - PIC"], "ENG": []})["1 FRA DMZ"] == "honest"
    story.seal("FRA", ["F PIC - ENG"])
    story.pact("ENG", "FRA", ZONE)
    assert story.classes({"FRA": ["F PIC - ENG"], "ENG": []})["1 FRA DMZ"] == "premeditated"


def test_an_insisted_proposal_is_a_promise_too() -> None:
    story = SealedStory()
    story.seal("FRA", ENTER)
    story.pact("FRA", "ENG", ZONE, "INS")
    assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == "premeditated"


def test_a_seal_after_the_promise_in_its_phase_serves_if_there_was_none_before() -> None:
    for second, expected in ((KEEP_OUT, "opportunistic"), (ENTER, "unknown")):
        story = SealedStory()
        story.pact("ENG", "FRA", ZONE)
        story.seal("FRA", second)
        story.seal("FRA", ENTER)
        assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == expected


def test_a_seal_of_an_earlier_turn_says_nothing_of_a_new_promise_without_a_stance_to_it() -> None:
    """Where not every turn is sealed, kept promises of the others must not seem honest."""
    for stances, kept, broken in (({}, "unknown", "unknown"), ({"keep": ZONE}, "honest", "opportunistic")):
        for orders, expected in ((["F BRE - MAO"], kept), (ENTER, broken)):
            story = SealedStory()
            story.seal("FRA", [], **stances)
            story.classes({})
            story.pact("ENG", "FRA", ZONE)
            if orders == ENTER:
                story.seal("FRA", ENTER)
            assert story.classes({"FRA": orders, "ENG": []})["1 FRA DMZ"] == expected


def test_a_plan_that_leaves_a_unit_out_says_nothing_of_it() -> None:
    story = SealedStory()
    story.ledger.feed(_sealed(story, ["A PAR H"]))
    story.pact("ENG", "FRA", "XDO ((FRA FLT BRE) MTO MAO)")
    assert story.classes({"FRA": ["F BRE H"]}) == {"1 FRA XDO": "unknown"}


def test_seals_before_a_position_that_was_set_are_dropped() -> None:
    story = SealedStory()
    story.seal("FRA", KEEP_OUT)
    story.pact("ENG", "FRA", ZONE)
    story.ledger.feed(ev.PositionSet(0.0, "host", story.position.encode()))
    assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == "unknown"
    assert story.ledger.seals.dropped == 1


def test_illegal_orders_and_stances_that_cannot_be_read_are_kept_and_marked() -> None:
    story = SealedStory()
    story.ledger.feed(_sealed(story, ["F BRE - MOS", "gibberish"], {"peace!": "keep", ZONE: "perhaps"}))
    [plan] = story.ledger.seals.plans
    assert plan.illegal == ("F BRE - MOS", "gibberish")
    assert plan.unread == ("peace!", ZONE)
    assert plan.stances == ()
    story.ledger.feed(_sealed(story, {"orders": 7}))
    assert story.ledger.seals.plans[-1].orders is None
    story.pact("ENG", "FRA", ZONE)
    assert story.classes(BROKEN_ORDERS)["1 FRA DMZ"] == "unknown"


def _sealed(story: SealedStory, action: Plain, stances: dict[str, str] | None = None) -> ev.Sealed:
    return ev.Sealed(story.now, SEATS["FRA"], story.turn, action, stances or {})


def test_a_unit_that_cannot_keep_everything_is_in_conflict() -> None:
    """France's fleet must leave the zone, and everywhere it can go a friend stands or owns the place."""
    units = "FRA=FBEL,APAR;ENG=FENG,FNTH,FHOL;GER=FLON,ARUH,ABUR,APIC"
    story = SealedStory(at("S1902M", units, "FRA=PAR,BRE;ENG=LON,LVP,HOL;GER=MUN,KIE"))
    story.seal("FRA", [])
    story.pact("ENG", "FRA", "DMZ (ENG FRA) (BEL)")
    story.pact("ENG", "FRA", "PCE (ENG FRA)")
    story.pact("GER", "FRA", "PCE (FRA GER)")
    still: dict[str, list[str]] = {"FRA": [], "ENG": [], "GER": []}
    assert story.classes(still)["1 FRA DMZ"] == "none"
    story.seal("FRA", [])
    assert story.classes(still)["1 FRA DMZ"] == "forced: conflict"


def test_fidelity_and_attacks_without_a_promise_are_counted_apart() -> None:
    story = SealedStory()
    story.seal("FRA", ["F BRE - ENG", "A PAR - BUR", "A MAR - SPA"])
    story.talk("FRA", "ENG", "hello")
    story.classes({"FRA": ["F BRE - ENG", "A PAR - PIC", "A MAR - SPA"], "ENG": ["F LON - NTH"]})
    fidelity = story.ledger.seals.fidelity["FRA"]
    assert (fidelity.same, fidelity.units) == (2, 3)
    story.seal("FRA", ["F ENG - LON"])
    story.talk("FRA", "ENG", "still friends")
    story.classes({"FRA": ["F ENG - LON"], "ENG": []})
    assert [(w.power, w.victim) for w in story.ledger.seals.withheld] == [("FRA", "ENG")]


def test_a_trial_says_how_orders_would_be_judged_and_changes_nothing() -> None:
    story = SealedStory()
    story.pact("ENG", "FRA", f"AND ({ZONE}) (XDO ((FRA AMY PAR) HLD))")
    trial = story.ledger.trial({})
    for orders, expected in ((["F BRE - ENG"], ["broken", "kept"]), (["A PAR - BUR"], ["kept", "broken"])):
        assert [str(f.status) for _, _, f in trial.findings("FRA", story.complete("FRA", orders))] == expected
    [pact] = story.ledger.active()
    assert pact.whole
    assert story.ledger.verdicts == []
