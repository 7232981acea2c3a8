"""The figures of a negotiated match, counted by hand beside the program."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from parlour.core.events import Event, Joined, Said, Started, TurnBegan, TurnEnded
from parlour.core.game import Action, Seat
from parlour.core.intents import PlayerType
from parlour.games.diplomacy.position import Position
from parlour.press.reports.metrics import PairMetrics, PlayerMetrics, Promises, measure, persuasion
from parlour.press.reports.plot import KEPT, plot
from parlour.press.reports.report import players_of, report
from support.press.stories import SEATS, Story, at


@pytest.fixture
def story() -> Story:
    """England and France talk, England stabs."""
    story = Story(at("S1902M", "ENG=FENG,FNTH;FRA=APAR,FMAO;GER=AMUN", "ENG=LON,EDI;FRA=PAR,BRE;GER=MUN"))
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    story.agree("FRA", "ENG", "XDO ((ENG FLT NTH) HLD)")
    story.say("FRA", "GER", "PRP (PCE (FRA GER))")
    story.say("GER", "FRA", "REJ (PRP (PCE (FRA GER)))")
    story.say("FRA", "GER", "PRP (DMZ (FRA GER) (BUR))")
    story.say("GER", "ENG", "how do you do?")
    story.play({"ENG": ["F ENG - BRE", "F NTH H"], "FRA": ["A PAR - GAS"]})
    story.play({"ENG": ["F BRE H"]})
    return story


def _player(story: Story, power: str) -> PlayerMetrics:
    return next(player for player in measure(story.ledger).players if player.power == power)


def _pair(story: Story, power: str, towards: str) -> PairMetrics:
    return next(p for p in measure(story.ledger).pairs if (p.power, p.towards) == (power, towards))


def test_figures_of_a_stabber(story: Story) -> None:
    england = _player(story, "ENG")
    assert (england.proposed, england.agreed, england.acceptance_got) == (1, 1, 1.0)
    assert (england.received, england.answered, england.accepted) == (1, 1, 1)
    assert england.promises == Promises(kept=1, broken=1, void=0)
    assert england.promises.rate == 0.5
    assert (england.orders, england.deception) == (Promises(kept=1), 0.0)
    assert (england.stabs, england.stabbed) == (1, 0)
    assert england.survival == 0.0
    assert england.response_time == 1.0
    assert england.accepted_by_kind == {"XDO": (1, 1)}


def test_figures_of_the_others(story: Story) -> None:
    france, germany = _player(story, "FRA"), _player(story, "GER")
    assert (france.proposed, france.agreed, france.stabbed) == (3, 1, 1)
    assert france.promises == Promises(kept=1)
    assert (germany.received, germany.answered, germany.accepted, germany.response_rate) == (2, 1, 0, 0.5)
    assert germany.acceptance == 0.0
    assert (germany.messages, germany.unread) == (2, 1)
    assert _player(story, "TUR").promises.rate is None


def test_figures_between_two(story: Story) -> None:
    assert _pair(story, "ENG", "FRA").promises == Promises(kept=1, broken=1)
    assert _pair(story, "ENG", "FRA").stabs == 1
    assert _pair(story, "FRA", "ENG").stabs == 0
    assert (_pair(story, "FRA", "GER").proposed, _pair(story, "FRA", "GER").agreed) == (2, 0)
    assert (_pair(story, "GER", "FRA").received, _pair(story, "GER", "FRA").answered) == (2, 1)
    assert (_pair(story, "GER", "FRA").acceptance, _pair(story, "GER", "FRA").response_time) == (0.0, 1.0)
    assert (_pair(story, "GER", "ENG").received, _pair(story, "GER", "ENG").response_time) == (0, None)
    assert (_pair(story, "ENG", "FRA").orders, _pair(story, "ENG", "FRA").deception) == (Promises(kept=1), 0.0)


def test_contradiction_counts_towards_both_whom_it_concerns() -> None:
    story = Story()
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO BUR)")
    story.agree("GER", "FRA", "XDO ((FRA AMY PAR) MTO PIC)")
    counts = {(p.power, p.towards): p.contradictions for p in measure(story.ledger).pairs if p.contradictions}
    assert counts == {("FRA", "ENG"): 1, ("FRA", "GER"): 1}
    assert _player(story, "FRA").contradictions == 1


def test_answers_take_no_time_that_is_virtual() -> None:
    story = Story()
    story.now = -1.0
    story.say("ENG", "FRA", "PRP (PCE (ENG FRA))")
    story.now = -1.0
    story.say("FRA", "ENG", "YES (PRP (PCE (ENG FRA)))")
    assert (_player(story, "FRA").answered, _player(story, "FRA").response_time) == (1, None)


def test_order_agreed_and_not_given_is_deception() -> None:
    story = Story()
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO BUR)")
    story.play({"FRA": ["A PAR - PIC"]})
    assert _player(story, "FRA").deception == 1.0


def test_every_order_of_a_pact_counts_and_counts_once() -> None:
    story = Story()
    orders = "(XDO ((FRA AMY PAR) HLD)) (XDO ((FRA AMY MAR) HLD)) (XDO ((FRA FLT BRE) MTO MAO))"
    story.agree("ENG", "FRA", f"AND {orders}")
    story.agree("ENG", "FRA", "AND (PCE (ENG FRA)) (NOT (XDO ((ENG FLT LON) MTO NTH))) (XDO ((ENG FLT EDI) HLD))")
    story.play({"FRA": ["A PAR H", "A MAR H", "F BRE - ENG"]})
    story.play()
    france, england = _player(story, "FRA"), _player(story, "ENG")
    assert (france.orders, france.deception) == (Promises(kept=2, broken=1), 1 / 3)
    assert england.orders == Promises(kept=1)
    assert france.promises == Promises(kept=4, broken=1), "peace counts in each phase"


def test_answer_after_another_refused_is_counted() -> None:
    story = Story()
    story.say("ENG", "FRA GER", "PRP (PCE (ENG FRA GER))")
    story.say("FRA", "ENG GER", "REJ (PRP (PCE (ENG FRA GER)))")
    story.say("GER", "ENG FRA", "YES (PRP (PCE (ENG FRA GER)))")
    germany = _player(story, "GER")
    assert (germany.received, germany.answered, germany.accepted) == (1, 1, 1)


def test_report_is_plain_and_complete(story: Story) -> None:
    metrics = measure(story.ledger)
    value = msgspec.json.decode(msgspec.json.encode(report(story.ledger, metrics)))
    assert [proposal["state"] for proposal in value["proposals"]] == ["agreed", "agreed", "rejected", "open"]
    broken = [verdict for verdict in value["verdicts"] if verdict["status"] == "broken"]
    assert [(verdict["power"], verdict["order"]) for verdict in broken] == [("ENG", "( ENG FLT ECH ) MTO BRE")]
    assert broken[0]["sentence"].startswith("England broke its promise to France")
    assert [(stab["phase"], stab["centres"]) for stab in value["stabs"]] == [("S1902M", ["BRE"])]
    assert {player["power"] for player in value["metrics"]["players"]} == set(SEATS)
    assert {player["player"] for player in value["metrics"]["players"]} == {None}


def test_report_says_who_played(story: Story) -> None:
    joined = [
        Joined(at=0.0, seat=seat, name=name, player_type=PlayerType.PRESS_BOT)
        for seat, name in ((SEATS["ENG"], "stabber"), (SEATS["FRA"], "peace"), (SEATS["FRA"], "ann"))
    ]
    names = players_of([*joined, joined[1]], story.ledger)
    assert names == {"ENG": "stabber", "FRA": "peace, ann"}, "who took over from another comes after it"
    value: Any = report(story.ledger, measure(story.ledger), names)
    assert [player["player"] for player in value["metrics"]["players"][:4]] == [None, "stabber", "peace, ann", None]


def test_plot_is_an_svg_with_every_power(story: Story) -> None:
    picture = ElementTree.fromstring(plot(measure(story.ledger), players={"ENG": "<stabber>"}))
    words = {element.text for element in picture.iter() if element.text}
    assert {"Austria", "England", "<stabber>", "1 of 2 pacts kept, 1 stab", "50% by phases"} <= words
    titles = [word for word in words if word.startswith("England towards France")]
    assert titles == ["England towards France: 1 kept, 1 broken"]


def test_only_an_unbroken_word_is_green() -> None:
    metrics = measure(Story(at("S1902M", "ENG=FENG;FRA=APAR", "ENG=LON;FRA=PAR")).ledger)
    pair = metrics.pairs[0]
    for promises, green in ((Promises(kept=4), True), (Promises(kept=99, broken=1), False), (Promises(), False)):
        drawn = plot(msgspec.structs.replace(metrics, pairs=(msgspec.structs.replace(pair, promises=promises),)))
        cells = [part for part in drawn.splitlines() if part.startswith("<g>")]
        assert len(cells) == 1
        assert (KEPT in cells[0]) == green


def test_a_pact_counts_once_however_long_it_held(story: Story) -> None:
    england, france, germany = (_player(story, power).word for power in ("ENG", "FRA", "GER"))
    assert england.kept == england.pacts - 1
    assert (england.first, england.worst) == ("S1902M", "S1902M: took BRE from FRA")
    assert france.pacts == france.kept > 0
    assert (france.first, france.worst) == (None, None)
    assert germany.pacts == 0


def test_persuasion_is_what_the_policy_would_not_have_done() -> None:
    position = Position.start()
    text = "PRP (XDO ((FRA AMY PAR) MTO BUR))"
    actions = {str(seat): position.default(seat) for seat in position.to_act()} | {"FRANCE": ["A PAR - BUR"]}
    _, happened = position.apply({Seat(seat): action for seat, action in actions.items()})
    events: list[Event] = [
        Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode()),
        TurnBegan(at=0.0, turn=1, stage="orders", to_act=position.to_act()),
        Said(at=1.0, seat=SEATS["ENG"], to=(SEATS["FRA"],), text=text, turn=1),
        Said(at=2.0, seat=SEATS["FRA"], to=(SEATS["ENG"],), text=f"YES ({text})", turn=1),
        TurnEnded(at=3.0, turn=1, actions=actions, happened=happened),
    ]

    def stubborn(position: Position, seat: Seat, rng: random.Random) -> Action:
        return ["A PAR H"]

    def already(position: Position, seat: Seat, rng: random.Random) -> Action:
        return ["A PAR - BUR"]

    def wavering(position: Position, seat: Seat, rng: random.Random) -> Action:
        return ["A PAR - BUR"] if rng.random() < 0.25 else ["A PAR H"]

    assert persuasion(events, stubborn) == {("ENG", "FRA"): 1.0}
    assert persuasion(events, already) == {("ENG", "FRA"): 0.0}
    assert 0.5 < persuasion(events, wavering, samples=200)["ENG", "FRA"] < 0.95
