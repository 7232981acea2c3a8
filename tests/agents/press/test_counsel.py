"""Values of promises to the powers that make them: orders by search, stabs that gain, peace that ends openly."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.bounds import FREE
from parlour.agents.press.base import PressAgent
from parlour.agents.press.commitments import Commitments
from parlour.agents.press.counsel import RICH, Counsel, limits_of, pledge, pledges_of, pledges_to
from parlour.agents.press.peaceable import LEAD, Peaceable
from parlour.agents.press.reciprocator import Reciprocator
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.errors import ConfigError
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.ledger import Ledger, ledger_of
from support.press.stories import SEATS, at
from support.press.tables import Alone, played

FRANCE, GERMANY = SEATS["FRA"], SEATS["GER"]
PEACEFUL = ("peace", "broker", "reciprocator")


def ledger_at(position: Position, *agreed: tuple[str, str, str]) -> Ledger:
    """Return a ledger on which these powers agreed: proposer, addressee, arrangement."""
    ledger = Ledger()
    ledger.begin(position)
    for one, other, what in agreed:
        ledger.hear(ev.Said(at=0.0, seat=SEATS[one], to=(SEATS[other],), text=f"PRP ({what})", turn=1))
        ledger.hear(ev.Said(at=0.0, seat=SEATS[other], to=(SEATS[one],), text=f"YES (PRP ({what}))", turn=1))
    assert len(ledger.active()) == len(agreed)
    return ledger


def test_limits_are_what_the_word_leaves() -> None:
    position = at("S1902M", "FRA=ABUR,APIC,AGAS;GER=AMUN", "FRA=PAR,MAR,BRE;GER=MUN,BEL")
    assert limits_of(Commitments(ledger_at(position), "FRA"), position, FRANCE) == {}
    ledger = ledger_at(position, ("FRA", "GER", "PCE (FRA GER)"), ("GER", "FRA", "XDO ((FRA AMY GAS) MTO SPA)"))
    limits = limits_of(Commitments(ledger, "FRA"), position, FRANCE)
    tags = {position.board.provinces[place].tag: texts for place, texts in limits.items()}
    assert set(tags) == {"BUR", "PIC", "GAS"}
    assert tags["GAS"] == ("A GAS - SPA",)
    assert not any("- MUN" in text or "- BEL" in text for texts in tags.values() for text in texts)
    assert "A BUR - RUH" in tags["BUR"]


def test_who_may_do_nothing_else_holds() -> None:
    """Burgundy is a zone, and all ways out of it are barred too."""
    position = at("S1902M", "FRA=ABUR;GER=AMUN", "FRA=PAR;GER=MUN")
    ledger = ledger_at(position, ("FRA", "GER", "DMZ (FRA GER) (BUR PAR PIC BEL RUH MUN MAR GAS)"))
    limits = limits_of(Commitments(ledger, "FRA"), position, FRANCE)
    assert list(limits.values()) == [["A BUR H"]]


def test_an_order_that_cannot_be_given_holds_nobody() -> None:
    position = at("S1902M", "FRA=ABUR;GER=AMUN", "FRA=PAR;GER=MUN")
    ledger = ledger_at(position)
    message = read("PRP (AND (XDO ((FRA AMY BUR) MTO RUH)) (XDO ((GER AMY BER) HLD)))")
    assert isinstance(message, v.Propose)
    [mine, nothing] = pledges_to(message.what, ledger, position)
    assert (mine, nothing.limits) == (pledge(position, FRANCE, ["A BUR - RUH"]), {})


def test_others_are_held_to_their_pacts_as_far_as_they_are_trusted() -> None:
    position = at("S1902M", "FRA=ABUR;GER=AMUN", "FRA=PAR;GER=MUN")
    ledger = ledger_at(position, ("FRA", "GER", "XDO ((GER AMY MUN) MTO TYR)"))
    [found] = pledges_of(ledger, position, {"GER": 0.7, "FRA": 1.0})
    assert (found.limits, found.chance) == (pledge(position, GERMANY, ["A MUN - TYR"]).limits, 0.7)
    assert pledges_of(ledger, position, {"GER": 0.0}) == []


def test_centres_are_told_from_shares() -> None:
    position = at("F1902M", "FRA=ABUR;GER=ARUH", "FRA=PAR,BRE,MAR;GER=MUN,BER,KIE")
    held = [pledge(position, FRANCE, ["A BUR H"]), pledge(position, GERMANY, ["A RUH H"])]
    stab = [pledge(position, FRANCE, ["A BUR - MUN"]), held[1]]
    quiet, taken = Counsel(1).centres(position, FRANCE, [held, stab])
    assert taken > quiet + 1


def test_a_rich_counsel_learns_how_others_play() -> None:
    position = Position.start()
    for budget, learns in ((RICH - 1, False), (RICH, True)):
        counsel = Counsel(1, budget)
        before = counsel.search.manners(3)
        counsel.orders(position, FRANCE, FREE)
        counsel.learn(ev.TurnEnded(at=0.0, turn=1, actions={"GERMANY": position.default(GERMANY)}, happened={}))
        assert (counsel.search.manners(3) != before) is learns


def lulled(table: Alone) -> list[str]:
    """Return the player's final orders when Germany has agreed to the peace that it offers."""
    table.begin()
    for text, to in list(table.handle.said):
        table.tell(ev.Said(at=1.0, seat=FRANCE, to=to, text=text, turn=table.turn))
    offer = "PRP ( PCE ( FRA GER ) )"
    assert (offer, (GERMANY,)) in table.handle.said
    table.tell(ev.Said(at=2.0, seat=GERMANY, to=(FRANCE,), text=f"YES ( {offer} )", turn=table.turn))
    orders = table.handle.acted[-1]
    assert isinstance(orders, list)
    return orders


@pytest.mark.parametrize(
    ("units", "stabs"),
    [("FRA=ABUR,ARUH,FBEL,FHOL,AMAR;GER=FDEN,FSWE", True), ("FRA=AMAR,APAR;GER=AMUN,ABER,AKIE,FDEN", False)],
    ids=["Munich is open", "Munich is held"],
)
def test_stabber_breaks_its_word_only_where_that_gains(units: str, stabs: bool) -> None:
    centres = "FRA=PAR,BRE,MAR,BEL,HOL;GER=MUN,BER,KIE,DEN;RUS=WAR"
    table = Alone("stabber", FRANCE, at("F1904M", f"{units};RUS=AWAR", centres))
    assert any(order.endswith((" - MUN", " - KIE")) for order in lulled(table)) is stabs


def test_a_greedier_stabber_waits_for_more() -> None:
    centres = "FRA=PAR,BRE,MAR,BEL,HOL;GER=MUN,BER,KIE,DEN;RUS=WAR"
    table = Alone("stabber9", FRANCE, at("F1904M", "FRA=ABUR,ARUH,FBEL,FHOL,AMAR;GER=FDEN,FSWE;RUS=AWAR", centres))
    assert not any(order.endswith((" - MUN", " - KIE")) for order in lulled(table))


def test_reciprocator_takes_an_offer_by_its_trust() -> None:
    """France is to help Germany first and be helped in return; whom it cannot trust it would help for nothing."""
    position = at("F1902M", "FRA=ABUR,AGAS;GER=ARUH,AKIE;ITA=AMUN", "FRA=PAR,MAR,BRE;GER=BER,KIE;ITA=MUN,VEN")
    offer = "PRP (AND (XDO ((GER AMY RUH) MTO MUN)) (XDO ((FRA AMY BUR) SUP (GER AMY RUH) MTO MUN)))"
    table = Alone("reciprocator", FRANCE, position)
    table.begin()
    assert table.hear("GER", offer)[0].startswith("REJ"), "it brings France nothing"
    help = "PRP (AND (XDO ((FRA AMY BUR) MTO MUN)) (XDO ((GER AMY RUH) SUP (FRA AMY BUR) MTO MUN)))"
    assert table.hear("GER", help)[0].startswith("YES")
    player = table.player
    assert isinstance(player, Reciprocator)
    assert player.trusts("GER") == 0.5
    player.closed["GER"] = 10**9
    assert player.trusts("GER") == 0.0
    assert list(player.dislikes()) == [GERMANY]


def test_nobody_is_friends_with_everybody() -> None:
    table = Alone("broker", FRANCE, at("S1902M", "FRA=ABUR;GER=AMUN;ITA=AROM", "FRA=PAR;GER=MUN;ITA=ROM"))
    table.begin()
    assert table.hear("GER", "PRP (PCE (FRA GER))")[0].startswith("YES")
    assert table.hear("ITA", "PRP (PCE (FRA ITA))")[0].startswith("REJ")


def hemmed_in(name: str = "peace") -> Alone:
    """France has Germany for a friend, who owns all that is near; Turkey is far away."""
    near = "MUN,BEL,HOL,KIE,BER,MAR,BRE,SPA,POR"
    table = Alone(name, FRANCE, at("S1902M", "FRA=ABUR;GER=AMUN;TUR=AANK", f"FRA=PAR;GER={near};TUR=ANK"))
    table.begin()
    table.hear("GER", "PRP (PCE (FRA GER))")
    return table


def said_in(table: Alone, order: str = "A BUR H") -> list[str]:
    """Return the player's messages in the next movement phase, if all units hold except one of its own."""
    before = len(table.handle.said)
    table.end({"FRA": [order]})
    while table.position.stage != "orders":
        table.turn += 1
        table.end({})
    table.begin()
    spoken = table.handle.said[before:]
    for text, to in spoken:
        table.tell(ev.Said(at=2.0, seat=FRANCE, to=to, text=text, turn=table.turn))
    return [text for text, _ in spoken]


@pytest.mark.parametrize("name", PEACEFUL)
def test_who_has_nothing_to_take_ends_a_peace_openly(name: str) -> None:
    table = hemmed_in(name)
    renunciation = "FCT ( NOT ( PCE ( FRA GER ) ) )"
    found = [renunciation in said_in(table) for _ in range(4)]
    assert found == [False, False, True, False]
    player = table.player
    assert isinstance(player, Peaceable)
    assert player.rivals == {"GER"}
    assert not player.friends()
    assert table.hear("GER", "PRP (PCE (FRA GER))")[0].startswith("REJ")
    assert not list(player.ledger.broken())


def test_who_has_something_to_take_stays_friends() -> None:
    near = "MUN,BEL,HOL,KIE,BER,MAR,BRE"
    table = Alone("peace", FRANCE, at("S1902M", "FRA=ABUR,AGAS;GER=AMUN;TUR=AANK", f"FRA=PAR;GER={near};TUR=ANK"))
    table.begin()
    table.hear("GER", "PRP (PCE (FRA GER))")
    assert not any("NOT" in text for _ in range(5) for text in said_in(table)), "Spain is free"


def restful(name: str, his: str = "MUN,BEL") -> Alone:
    """France has Germany for a friend, and beside it Spain, which nobody has taken."""
    table = Alone(name, FRANCE, at("S1902M", "FRA=ABUR,AGAS;GER=ARUH;TUR=AANK", f"FRA=PAR,MAR,BRE;GER={his};TUR=ANK"))
    table.begin()
    table.hear("GER", "PRP (PCE (FRA GER))")
    return table


@pytest.mark.parametrize("name", PEACEFUL)
def test_who_leads_and_gains_nothing_for_a_year_ends_a_peace_openly(name: str) -> None:
    table = restful(name)
    renunciation = "FCT ( NOT ( PCE ( FRA GER ) ) )"
    assert [renunciation in said_in(table) for _ in range(3)] == [False, True, False]
    player = table.player
    assert isinstance(player, Peaceable)
    assert player.rivals == {"GER"}
    assert not list(player.ledger.broken())


def test_peace_is_ended_with_one_after_the_other() -> None:
    """Two of Germany's centres are in reach, and one of Italy's, which has its turn a year later."""
    units, centres = "FRA=ABUR,AGAS,APIE;GER=ARUH;ITA=AROM;TUR=AANK", "FRA=PAR,MAR,BRE;GER=MUN,BEL;ITA=VEN,ROM;TUR=ANK"
    table = Alone("peace", FRANCE, at("S1902M", units, centres))
    table.begin()
    for power in ("GER", "ITA"):
        table.hear(power, f"PRP (PCE (FRA {power}))")
    ended = [[text for text in said_in(table) if "NOT" in text] for _ in range(4)]
    assert ended == [[], ["FCT ( NOT ( PCE ( FRA GER ) ) )"], [], ["FCT ( NOT ( PCE ( FRA ITA ) ) )"]]


@pytest.mark.parametrize("his", ["MUN,BEL,HOL", "KIE"], ids=["others have as much", "friends have nothing near"])
def test_who_gains_nothing_stays_friends_otherwise(his: str) -> None:
    table = restful("peace", his)
    assert not any("NOT" in text for _ in range(5) for text in said_in(table))


def test_who_leads_and_gains_stays_friends() -> None:
    """Spain is taken in the first fall, Portugal in the next."""
    table = restful("peace")
    ways = {"F1902M": "A GAS - SPA", "F1903M": "A SPA - POR"}
    for _ in range(4):
        assert not any("NOT" in text for text in said_in(table, ways.get(table.position.phase, "A BUR H")))
    assert len(table.position.centers[FRANCE]) == 5


@pytest.mark.parametrize(("centres", "ends"), [(LEAD, True), (LEAD - 1, False)])
def test_peace_with_who_is_about_to_win_is_ended(centres: int, ends: bool) -> None:
    all_his = "MUN,BEL,HOL,KIE,BER,DEN,SWE,NWY,STP,MOS,WAR,VIE,BUD,TRI"
    his = ",".join(all_his.split(",")[:centres])
    table = Alone("peace", FRANCE, at("S1905M", "FRA=AGAS;GER=AMUN;TUR=AANK", f"FRA=PAR;GER={his};TUR=ANK"))
    table.begin()
    table.hear("GER", "PRP (PCE (FRA GER))")
    assert ("FCT ( NOT ( PCE ( FRA GER ) ) )" in said_in(table)) is ends


def test_seven_peaceful_bots_play_for_a_win() -> None:
    events = played(("peace",), last_year=1920, seed=20)
    counts = sorted(map(len, position_after(events).centers.values()))
    assert counts[-1] >= 10
    assert counts[0] == 0, "not all of them are spared"
    assert not list(ledger_of(events).broken())


def position_after(events: list[ev.Event]) -> Position:
    position = ledger_of(events).position
    assert position is not None
    return position


def test_ledgers_of_bots_at_a_table_adjudicate_nothing_that_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a movement phase everybody is asked, and so sees where the last one led."""
    table = Alone("peace", FRANCE, Position.start())
    folded: list[Position] = []
    following = Position.following

    def noted(position: Position, actions: Mapping[Seat, Action]) -> Position:
        folded.append(position)
        return following(position, actions)

    monkeypatch.setattr(Position, "following", noted)
    for _ in range(3):
        table.begin()
        table.end({})
        folded.clear()
        table.turn += 1
        table.tell(ev.TurnBegan(at=3.0, turn=table.turn, stage=table.position.stage, to_act=table.position.to_act()))
        table.player.act(View(FRANCE, table.position, table.turn))
        assert folded == []
        assert isinstance(table.player, PressAgent)
        assert table.player.ledger.position == table.position


def test_what_it_is_not_shown_the_ledger_works_out() -> None:
    table = Alone("peace", FRANCE, Position.start())
    table.begin()
    table.end({"FRA": ["A PAR - BUR"]})
    assert isinstance(table.player, PressAgent)
    assert table.player.ledger.position == table.position


@pytest.mark.parametrize("name", [*PEACEFUL, "silent", "stabber", "yesman", "noman", "proposer"])
def test_budgets_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_agent("diplomacy", f"{name}:budget=0", 0)
    expected = "expected a whole number from 1 to 100000000 (rollouts per decision), got '0'"
    assert str(caught.value) == f"agent: {name}:budget: {expected}"


def test_what_is_only_weighed_changes_no_orders() -> None:
    position = at("S1902M", "FRA=ABUR,AMAR;GER=AMUN;ITA=AROM", "FRA=PAR,MAR;GER=MUN;ITA=ROM")
    quiet, talking = Counsel(7, 60), Counsel(7, 60)
    for _ in range(2):
        talking.outlook(position, [[]])
        talking.weighed(position, GERMANY, FREE)
        assert talking.orders(position, FRANCE, FREE) == quiet.orders(position, FRANCE, FREE)
    # Nor is the guess the same chance over again.
    assert talking.outlook(position, [[]]).tolist() != talking.outlook(position, [[]]).tolist()
