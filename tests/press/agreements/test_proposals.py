"""Proposals as a state machine: what each reply does, and what has no effect."""

from __future__ import annotations

import pytest

from parlour.press.agreements.proposals import Proposal, ProposalState
from support.press.stories import Story

PEACE = "PRP (PCE (ENG FRA))"


def _proposed(text: str = PEACE) -> tuple[Story, Proposal]:
    story = Story()
    proposal = story.say("ENG", "FRA", text)
    assert proposal is not None
    assert proposal.state is ProposalState.OPEN
    return story, proposal


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (f"YES ({PEACE})", ProposalState.AGREED),
        ("YES (PRP (PCE (FRA ENG)))", ProposalState.AGREED),  # S11: a set
        (f"REJ ({PEACE})", ProposalState.REJECTED),
        (f"BWX ({PEACE})", ProposalState.REJECTED),
        ("HUH (PRP (ERR PCE (ENG FRA)))", ProposalState.REJECTED),
        ("HUH (PRP (PCE (FRA ENG)))", ProposalState.REJECTED),  # the seed's form, without ERR
        ("YES (PRP (PCE (ENG GER)))", ProposalState.OPEN),  # S13: never proposed
        ("YES (PRP (DRW (ENG FRA)))", ProposalState.OPEN),
        ("HUH (what (is) this)", ProposalState.OPEN),
        (f"CCL ({PEACE})", ProposalState.OPEN),  # not the proposer
        ("TRY (PRP)", ProposalState.OPEN),
        ("PRP (PCE (FRA GER))", ProposalState.OPEN),
        ("FCT (PCE (ENG FRA))", ProposalState.OPEN),
    ],
)
def test_reply_moves_the_proposal(reply: str, state: ProposalState) -> None:
    story, proposal = _proposed()
    story.say("FRA", "ENG", reply)
    assert proposal.state is state


def test_parts_in_another_order_are_the_same_proposal() -> None:  # S12
    story, proposal = _proposed("PRP (AND (PCE (ENG FRA)) (DMZ (ENG FRA) (ECH)))")
    story.say("FRA", "ENG", "YES (PRP (AND (DMZ (FRA ENG) (ECH)) (PCE (FRA ENG))))")
    assert proposal.state is ProposalState.AGREED


def test_yes_to_nothing_is_counted_and_ignored() -> None:  # S13
    story = Story()
    assert story.say("FRA", "ENG", f"YES ({PEACE})") is None
    assert story.ledger.unmatched == 1
    assert not story.ledger.active()


def test_yes_must_reach_the_proposer() -> None:
    story, proposal = _proposed()
    story.say("FRA", "GER", f"YES ({PEACE})")
    assert proposal.state is ProposalState.OPEN


def test_own_yes_does_not_count() -> None:
    story, proposal = _proposed()
    story.say("ENG", "FRA", f"YES ({PEACE})")
    assert proposal.state is ProposalState.OPEN


def test_proposer_cancels_while_it_is_open() -> None:
    story, proposal = _proposed()
    story.say("ENG", "FRA", f"CCL ({PEACE})")
    assert proposal.state is ProposalState.CANCELLED
    story.say("FRA", "ENG", f"YES ({PEACE})")
    assert not story.ledger.active()


def test_cancelling_after_the_last_yes_is_too_late() -> None:
    story, proposal = _proposed()
    story.say("FRA", "ENG", f"YES ({PEACE})")
    story.say("ENG", "FRA", f"CCL ({PEACE})")
    story.say("FRA", "ENG", f"CCL (YES ({PEACE}))")
    assert proposal.state is ProposalState.AGREED
    assert len(story.ledger.active()) == 1


def test_yes_can_be_taken_back_before_the_last_one() -> None:
    story = Story()
    what = "PRP (PCE (ENG FRA GER))"
    proposal = story.say("ENG", "FRA GER", what)
    assert proposal is not None
    story.say("FRA", "ENG GER", f"YES ({what})")
    story.say("FRA", "ENG GER", f"CCL (YES ({what}))")
    story.say("GER", "ENG FRA", f"YES ({what})")
    assert not story.ledger.active()
    story.say("FRA", "ENG GER", f"YES ({what})")
    assert proposal.state is ProposalState.AGREED


def test_one_refusal_among_several_ends_it() -> None:
    story = Story()
    what = "PRP (PCE (ENG FRA GER))"
    proposal = story.say("ENG", "FRA GER", what)
    story.say("FRA", "ENG GER", f"YES ({what})")
    story.say("GER", "ENG FRA", f"REJ ({what})")
    assert proposal is not None
    assert proposal.state is ProposalState.REJECTED


def test_answer_after_another_refused_counts_and_changes_nothing() -> None:
    story = Story()
    what = "PRP (PCE (ENG FRA GER))"
    proposal = story.say("ENG", "FRA GER", what)
    assert proposal is not None
    story.say("FRA", "ENG GER", f"REJ ({what})")
    assert story.say("GER", "ENG FRA", f"YES ({what})") is proposal
    assert {power: answer for power, (answer, _) in proposal.replies.items()} == {"FRA": "REJ", "GER": "YES"}
    assert proposal.state is ProposalState.REJECTED
    assert story.ledger.unmatched == 0
    assert not story.ledger.active()


def test_nobody_answers_a_refused_proposal_twice() -> None:
    story = Story()
    what = "PRP (PCE (ENG FRA GER))"
    proposal = story.say("ENG", "FRA GER", what)
    assert proposal is not None
    story.say("FRA", "ENG GER", f"REJ ({what})")
    assert story.say("FRA", "ENG GER", f"YES ({what})") is None
    assert proposal.replies["FRA"][0] == "REJ"
    assert story.ledger.unmatched == 1


def test_cancelling_concerns_the_proposal_to_those_who_are_told() -> None:
    story = Story()
    what = "PRP (DMZ (ENG) (NTH))"
    to_france, to_germany = story.say("ENG", "FRA", what), story.say("ENG", "GER", what)
    assert story.say("ENG", "FRA GER", f"CCL ({what})") is None
    assert story.say("ENG", "GER", f"CCL ({what})") is to_germany
    assert to_france is not None
    assert to_france.state is ProposalState.OPEN


@pytest.mark.parametrize("order", [("FRA", "FRA GER"), ("FRA GER", "FRA")])
def test_reply_goes_to_the_proposal_of_those_who_hear_it(order: tuple[str, str]) -> None:
    story = Story()
    made = {to: story.say("ENG", to, "PRP (PCE (ENG FRA GER))") for to in order}
    story.say("FRA", "ENG GER", "YES (PRP (PCE (ENG FRA GER)))")
    assert (made["FRA GER"].replies.keys(), made["FRA"].replies) == ({"FRA"}, {})  # type: ignore[union-attr]
    story.say("FRA", "ENG", "YES (PRP (PCE (ENG FRA GER)))")
    assert made["FRA"].state is ProposalState.AGREED  # type: ignore[union-attr]
    story.say("FRA", "ENG", "CCL (YES (PRP (PCE (ENG FRA GER))))")
    assert not made["FRA GER"].replies  # type: ignore[union-attr]  # the other is agreed on for good


def test_second_yes_to_one_proposer_answers_the_other_proposal() -> None:
    story = Story()
    made = [story.say("ENG", to, "PRP (PCE (ENG FRA))") for to in ("FRA", "FRA GER")]
    for _ in made:
        story.say("FRA", "ENG", "YES (PRP (PCE (ENG FRA)))")
    assert all("FRA" in proposal.replies for proposal in made if proposal is not None)


def test_repeat_of_an_open_proposal_opens_no_second_one() -> None:
    story, _ = _proposed()
    assert story.say("ENG", "FRA", "PRP (PCE (FRA ENG))") is None
    assert len(story.ledger.proposals) == 1


def test_repeat_of_a_dead_proposal_opens_a_new_one() -> None:
    story, first = _proposed()
    story.say("FRA", "ENG", f"REJ ({PEACE})")
    second = story.say("ENG", "FRA", PEACE)
    assert second is not None
    assert second is not first
    story.say("FRA", "ENG", f"YES ({PEACE})")
    assert (first.state, second.state) == (ProposalState.REJECTED, ProposalState.AGREED)


def test_both_may_propose_the_same() -> None:
    story, proposal = _proposed()
    other = story.say("FRA", "ENG", PEACE)
    story.say("FRA", "ENG", f"YES ({PEACE})")
    assert proposal.state is ProposalState.AGREED
    assert other is not None
    assert other.state is ProposalState.OPEN


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("PRP (XDO ((FRA AMY PAR) MTO BUR))", ProposalState.EXPIRED),
        ("PRP (AND (PCE (ENG FRA)) (XDO ((FRA AMY PAR) MTO BUR)))", ProposalState.EXPIRED),
        ("PRP (XDO ((FRA AMY PAR) RTO GAS))", ProposalState.EXPIRED),  # no retreats follow
        ("PRP (NAR (PCE (ENG FRA)))", ProposalState.EXPIRED),
        ("PRP (XDO ((FRA FLT BRE) BLD))", ProposalState.OPEN),
        ("PRP (ORR (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA FLT BRE) BLD)))", ProposalState.OPEN),
        (PEACE, ProposalState.OPEN),
        ("PRP (DMZ (ENG FRA) (ECH))", ProposalState.OPEN),
    ],
)
def test_current_turn_kinds_expire_with_the_turn(text: str, state: ProposalState) -> None:
    story, proposal = _proposed(text)
    story.play()
    assert proposal.state is state


def test_build_proposal_expires_after_the_year() -> None:
    story, proposal = _proposed("PRP (XDO ((FRA FLT BRE) BLD))")
    story.play()
    story.play()
    assert proposal.state is ProposalState.EXPIRED


def test_insisting_binds_and_suggesting_does_not() -> None:
    story = Story()
    story.say("ENG", "FRA", "SUG (PCE (ENG FRA))")
    story.say("FRA", "ENG", "YES (SUG (PCE (ENG FRA)))")
    assert not story.ledger.active()
    story.say("ENG", "FRA", "INS (PCE (ENG FRA))")
    story.say("FRA", "ENG", "YES (INS (PCE (ENG FRA)))")
    assert len(story.ledger.active()) == 1


def test_broadcast_needs_everybody() -> None:
    story = Story()
    proposal = story.say("ENG", "", "PRP (DRW)")
    assert proposal is not None
    assert len(proposal.addressees) == 6
    for power in sorted(proposal.addressees):
        assert proposal.state is ProposalState.OPEN
        story.say(power, "", "YES (PRP (DRW))")
    assert proposal.state is ProposalState.AGREED
