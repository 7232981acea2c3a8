"""The ladder: read, one repair for the faulty part, then lost. And money: never more than the cap is spent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.agents.llm.answers import ReplyClass
from parlour.agents.llm.budget import Spent, TokenBudget
from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.prices import Price
from parlour.agents.llm.retries import AnswerLost, AnswerReading, ModelLine
from parlour.agents.llm.spec import LlmOptions, read_spec
from parlour.core import events as ev
from parlour.core.game import FoulKind, Seat, View
from parlour.core.intents import Consultation
from parlour.core.terms import Clock
from parlour.games.diplomacy.position import Position
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from support.llm.matches import SILENT, diplomacy_match, fish_match
from support.llm.models import Model, answer, legal_orders, plain_angler, plain_player

SPEC = read_spec("m@localhost:1/v1?rounds=0")


def calls(match: Match) -> list[Consultation]:
    return [event.consultation for event in match.record if isinstance(event, ev.Consulted)]


def france(script: Any, **how: Any) -> Match:
    return diplomacy_match({"FRANCE": DiplomacyModelPlayer(SPEC, 1, Model(script))}, press=SILENT, others="hold", **how)


def test_only_the_faulty_order_is_asked_for_again_with_the_readers_own_sentence() -> None:
    asked: list[str] = []

    def script(system: str, prompt: str) -> str:
        asked.append(prompt)
        if "Send a JSON object of the same form" in prompt:
            return answer(orders=["A PAR - PIC"])
        if "Spring 1901" in prompt:
            return answer(orders=["A PAR - BURR", "A MAR - SPA", "F BRE - MAO"])
        return plain_player(system, prompt)

    match = france(script)
    assert "'BURR'" in asked[1]
    assert "did you mean BUR?" in asked[1]
    assert "MAR" not in asked[1].partition("Send")[0]
    acted = next(event for event in match.record if isinstance(event, ev.Acted) and event.seat == "FRANCE")
    assert sorted(acted.action) == ["A MAR - SPA", "A PAR - PIC", "F BRE - MAO"]
    assert not acted.violations
    assert [call.verdict for call in calls(match)][:2] == ["illegal", "repaired"]
    assert [(call.purpose, call.attempt) for call in calls(match)][:2] == [("orders", 1), ("orders, repair", 2)]


def test_orders_in_another_spelling_are_lenient() -> None:
    match = france(
        lambda system, prompt: (
            answer(orders=["par-bur", "army marseilles hold", "F Brest - Mid-Atlantic Ocean"])
            if "Spring" in prompt
            else plain_player(system, prompt)
        )
    )
    assert calls(match)[0].verdict == "lenient"
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]


def test_what_stays_faulty_is_submitted_for_the_referee_to_judge() -> None:
    match = france(lambda system, prompt: answer(orders=["A PAR - LON", "A MAR - SPA"]))
    acted = next(event for event in match.record if isinstance(event, ev.Acted) and event.seat == "FRANCE")
    assert {violation.part for violation in acted.violations} == {"A PAR - LON", "F BRE (no order)"}
    assert "A MAR - SPA" in acted.action
    assert [call.verdict for call in calls(match)][:2] == ["illegal", "illegal"]


def test_an_answer_that_cannot_be_read_is_a_foul_and_costs_no_third_call() -> None:
    match = france(lambda system, prompt: "I hold.")
    fouls = [event for event in match.record if isinstance(event, ev.Fouled) and event.turn == 1]
    assert [foul.kind for foul in fouls] == [FoulKind.GARBLED, FoulKind.LATE]
    assert "unparsable" in fouls[0].detail
    assert len([event for event in match.record if isinstance(event, ev.Consulted) and event.turn == 1]) == 2
    defaulted = [event for event in match.record if isinstance(event, ev.Acted) and event.turn == 1 and not event.given]
    assert [event.seat for event in defaulted] == ["FRANCE"]


def test_a_talk_that_cannot_be_read_is_in_the_record_and_costs_no_foul() -> None:
    def script(system: str, prompt: str) -> str:
        return (
            "Peace, friends." if "It is talk" in prompt or "in your answer" in prompt else plain_player(system, prompt)
        )

    once = read_spec("m@localhost:1/v1?rounds=1")
    match = diplomacy_match({"FRANCE": DiplomacyModelPlayer(once, 1, Model(script))}, others="hold")
    first = [event.consultation for event in match.record if isinstance(event, ev.Consulted) and event.turn == 1]
    assert [(call.purpose, call.verdict) for call in first] == [
        ("talk", "unparsable"),
        ("talk, repair", "unparsable"),
        ("orders", "exact"),
    ]
    assert not [event for event in match.record if isinstance(event, ev.Fouled)]


def test_a_truncated_answer_is_asked_for_shorter() -> None:
    asked: list[str] = []

    class Long(Model):
        def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
            asked.append(question.messages[-1][1])
            if len(asked) == 1:
                return ModelReply('{"action": ', "length", 10, 10, 0, True)
            return super().ask(question, seconds)

    match = fish_match(lambda number: FishModelPlayer(SPEC, number, Long(plain_angler)))
    assert "Answer shorter" in asked[1]
    assert [call.verdict for call in calls(match)][:2] == ["truncated", "unparsable"]


def test_an_illegal_move_of_fish_is_played_as_it_is_and_costs_what_the_table_says() -> None:
    match = fish_match(
        lambda number: FishModelPlayer(SPEC, number, Model(lambda system, prompt: answer(action=[9, 9])))
    )
    fouls = [event for event in match.record if isinstance(event, ev.Fouled)]
    assert fouls[0].kind is FoulKind.ILLEGAL
    assert [call.verdict for call in calls(match)][:2] == ["illegal", "illegal"]


def test_where_there_is_one_choice_nobody_is_asked() -> None:
    """Eight penguins on eight tiles: the last has no choice, and then nobody can move."""
    models = [Model(plain_angler), Model(plain_angler)]
    match = fish_match(lambda number: FishModelPlayer(SPEC, number, models[number]), rows=2, cols=4)
    acted = [event for event in match.record if isinstance(event, ev.Acted)]
    assert (len(acted), sum(len(model.asked) for model in models)) == (8, 7)


def winter() -> Position:
    spring = Position.start().resolve({"FRANCE": ["A MAR - SPA", "F BRE - MAO"]})
    return spring.resolve({"FRANCE": ["F MAO - POR"]})


def test_builds_are_one_call() -> None:
    model = Model(plain_player)
    orders = DiplomacyModelPlayer(SPEC, 1, model).act(View(Seat("FRANCE"), winter(), 3))
    assert winter().phase == "W1901A"
    assert "You may build 2" in model.asked[0].messages[-1][1]
    assert len(model.asked) == 1
    assert len(orders) == 2
    assert not winter().check(Seat("FRANCE"), orders)


def test_too_few_builds_are_asked_for_and_then_shown_as_missing() -> None:
    model = Model(lambda system, prompt: answer(orders=["A PAR B"]))
    orders = DiplomacyModelPlayer(SPEC, 1, model).act(View(Seat("FRANCE"), winter(), 3))
    assert orders == ["A PAR B", "build 2 (no order)"]
    assert "build 2: no order" in model.asked[1].messages[-1][1]


def test_who_must_disband_all_units_is_not_asked() -> None:
    position = Position.read("standard W1901A FRA=APAR;GER=ABER GER=BER,KIE,PAR - -")
    model = Model(plain_player)
    assert DiplomacyModelPlayer(SPEC, 1, model).act(View(Seat("FRANCE"), position, 3)) == ["A PAR D"]
    assert not model.asked


def test_the_fixed_part_of_a_prompt_is_in_the_record_once() -> None:
    match = france(plain_player)
    systems = [call.system_text for call in calls(match)]
    assert systems[0].startswith("You play FRANCE")
    assert not any(systems[1:])
    assert len({call.system for call in calls(match)}) == 1


def test_a_seats_calls_are_open_to_others_when_the_match_is_over() -> None:
    match = france(plain_player)
    event = next(event for event in match.record if isinstance(event, ev.Consulted))
    seen = {seat: match.seen_by(event, viewer) for seat, viewer in viewers().items()}
    assert seen["own"] == event
    assert seen["other"] is None
    assert seen["other, afterwards"] == event


def viewers() -> dict[str, Any]:
    from parlour.core.game import Seat
    from parlour.core.viewers import seated_on

    other = seated_on(Seat("GERMANY"))
    return {"own": seated_on(Seat("FRANCE")), "other": other, "other, afterwards": other.looking_back()}


def test_a_model_gets_almost_all_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.agents.llm.seated.time.monotonic", lambda: 1000.0)
    player = DiplomacyModelPlayer(SPEC, 1, Model(plain_player))
    player.begin(View(Seat("FRANCE"), winter(), 3, None, 100.0))
    assert player._until == pytest.approx(1095.0)
    player.begin(View(Seat("FRANCE"), winter(), 3))
    assert player._until is None


def test_trouble_on_the_way_is_tried_again_and_then_late() -> None:
    slept: list[float] = []

    class Down:
        def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
            return ModelReply(fault="HTTP 503", pause=3.0)

    line = ModelLine(read_spec("m@localhost:1/v1?retries=2"), Down(), TokenBudget(LlmOptions(), None), slept.append)
    with pytest.raises(AnswerLost, match="could not be reached: HTTP 503") as caught:
        line.seek("orders", "s", "p", lambda text, kept: AnswerReading(ReplyClass.EXACT, text))
    assert caught.value.verdict is ReplyClass.TRANSPORT
    assert slept == [3.0, 3.0]


def test_a_fault_that_stays_is_not_tried_again() -> None:
    class Forbidden:
        count = 0

        def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
            self.count += 1
            return ModelReply(fault="HTTP 401", again=False)

    oracle = Forbidden()
    line = ModelLine(SPEC, oracle, TokenBudget(LlmOptions(), None))
    with pytest.raises(AnswerLost):
        line.seek("orders", "s", "p", lambda text, kept: AnswerReading(ReplyClass.EXACT, text))
    assert oracle.count == 1


def test_what_is_not_counted_is_estimated() -> None:
    budget, question = TokenBudget(LlmOptions(), Price(3.0, 30.0)), ModelQuestion("m", (("user", "x" * 300),), 10)
    bill = budget.bill(question, ModelReply("y" * 30, "stop", thought=60))
    assert (bill.tokens_in, bill.tokens_out, bill.tokens_reasoning, bill.estimated) == (100, 10, 20, True)
    assert bill.usd == pytest.approx((100 * 3 + 30 * 30) / 1e6)
    assert budget.bill(question, ModelReply(fault="HTTP 500")).tokens_in == 0


@given(
    cap=st.integers(0, 60_000),
    usd=st.floats(0, 0.02),
    usages=st.lists(st.tuples(st.integers(0, 10**8), st.integers(0, 10**8), st.integers(0, 10**7)), max_size=12),
)
def test_never_more_is_spent_than_the_cap_whatever_a_provider_charges(
    cap: int, usd: float, usages: list[tuple[int, int, int]]
) -> None:
    """With the budget of the agent, and with the banks of the referee."""
    budget = TokenBudget(LlmOptions(tokens=cap, usd=usd), Price(0.1, 0.5))
    question = ModelQuestion("m", (("system", "s" * 500), ("user", "u" * 200)), 400)
    for read, wrote, thought in usages:
        try:
            hold = budget.hold(question, None, Clock())
        except Spent:
            break
        assert budget.tokens + hold.tokens <= cap
        assert budget.usd + hold.usd <= usd
        reply = ModelReply("", "stop", read, wrote, thought, True)
        bill = budget.bill(question, reply)
        used = Consultation("x", "m", "", "", tokens_in=read, tokens_out=wrote, tokens_reasoning=thought, usd=bill.usd)
        budget.settle(hold, used, None)
        assert budget.tokens <= cap
        assert budget.usd <= usd


def test_what_was_spent_before_a_restart_is_spent() -> None:
    """The caps of an agent hold for a match, however often its player is made again."""
    whole = fish_match(lambda number: FishModelPlayer(SPEC, number, Model(plain_angler)))
    asked = [number for number, event in enumerate(whole.record) if isinstance(event, ev.Consulted)]
    match = Match.resume(whole.record[: asked[6] + 1])
    red, white = match.game.seats(match.config)
    spent = sum(call.tokens for call in calls(match)[::2])
    players = {
        red: FishModelPlayer(read_spec(f"m@localhost:1/v1?tokens={spent}"), 0, Model(plain_angler)),
        white: FishModelPlayer(read_spec("n@localhost:1/v1?tokens=100000"), 1, Model(plain_angler)),
    }
    play(match, players)
    assert players[red].budget.tokens == spent > 0
    assert {event.seat for event in match.record if isinstance(event, ev.Fouled)} == {red}
    later = [event for event in match.record[asked[6] + 1 :] if isinstance(event, ev.Consulted)]
    assert {event.seat for event in later} == {white}
    assert players[white].budget.tokens == sum(event.consultation.tokens for event in later), "another model was asked"


def test_what_is_remembered_of_a_purse_is_never_more_than_it_held_nor_less_than_is_known() -> None:
    capped = TokenBudget(LlmOptions(tokens=5, usd=0.5), Price(1.0, 1.0))
    capped.recall([Consultation("x", "m", "", "", tokens_in=9, usd=0.7)])
    assert (capped.tokens, capped.usd) == (5, 0.5)
    capped.recall([])
    assert (capped.tokens, capped.usd) == (5, 0.5)


@pytest.mark.parametrize("charged", [1, 40, 10**6])
def test_the_referee_refuses_calls_that_do_not_fit_into_the_bank(charged: int) -> None:
    class Charging(Model):
        def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
            reply = super().ask(question, seconds)
            return ModelReply(reply.text, "stop", charged, charged, 0, True)

    spec = read_spec("m@localhost:1/v1?max_tokens=100")
    match = fish_match(
        lambda number: FishModelPlayer(spec, number, Charging(plain_angler)), Clock(tokens=9000), conduct="lenient"
    )
    state = replay(match.record)
    reserved = [event for event in match.record if isinstance(event, ev.Reserved)]
    assert reserved
    for place in state.places.values():
        assert place.tokens <= 9000
        assert not place.reserved
    if charged == 10**6:
        late = [event for event in match.record if isinstance(event, ev.Fouled)]
        assert late
        assert all("budget is spent" in event.detail for event in late)
        assert len(reserved) == 2  # one for each seat, and then no more
    else:
        assert not [event for event in match.record if isinstance(event, ev.Fouled)]


def test_an_unknown_price_is_said_and_tokens_are_counted() -> None:
    match = france(plain_player)
    assert all(not call.priced and call.usd == 0 and call.tokens > 0 for call in calls(match))


def test_orders_are_read_from_the_list_that_the_prompt_shows() -> None:
    model = Model(plain_player)
    diplomacy_match({"FRANCE": DiplomacyModelPlayer(SPEC, 1, model)}, press=SILENT, others="hold")
    listed = legal_orders(model.asked[0].messages[1][1])
    assert sorted(order for one in listed for order in one)[:3] == ["A MAR - BUR", "A MAR - GAS", "A MAR - PIE"]
    assert json.loads(plain_player(*[text for _, text in model.asked[0].messages]).partition("} ")[2])["orders"]
