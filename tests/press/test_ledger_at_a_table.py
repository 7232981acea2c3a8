"""The ledger follows the events of a real referee: votes on a draw, and seats that are removed."""

from __future__ import annotations

import pytest

from parlour.core import intents as it
from parlour.core.intents import Ballot
from parlour.core.terms import PressMode, PressTerms
from parlour.games.diplomacy.game import Diplomacy
from parlour.press.ledger import Ledger
from parlour.press.pacts import PactState
from parlour.press.proposals import State
from parlour.referee.conduct import PRESETS
from press_stories import SEATS
from tables import begun


class Table:
    """A match whose ledger hears all that happens; powers are named by their words (FRA)."""

    def __init__(self) -> None:
        self.match = begun(Diplomacy(), conduct=PRESETS["diplomacy"], press=PressTerms(mode=PressMode.ANYTIME))
        self.ledger = Ledger()
        self._fed = 0

    def do(self, intent: it.Intent) -> dict[tuple[int, str], str]:
        """Let somebody do something; the statuses that the ledger then has, by pact and performer."""
        reaction = self.match.handle(intent, self._fed + 1.0)
        assert reaction.refusal is None
        found = [verdict for event in self.match.record[self._fed :] for verdict in self.ledger.feed(event)]
        self._fed = len(self.match.record)
        return {(verdict.pact.number, verdict.performer): verdict.status.value for verdict in found}

    def say(self, sender: str, to: str, text: str) -> None:
        """Send press; to is one or more words."""
        self.do(it.Say(SEATS[sender], text, tuple(SEATS[word] for word in to.split())))

    def agree(self, proposer: str, others: str, what: str) -> None:
        """Propose, and let every addressee say YES to all the others."""
        self.say(proposer, others, f"PRP ({what})")
        for other in others.split():
            rest = " ".join(word for word in (proposer, *others.split()) if word != other)
            self.say(other, rest, f"YES (PRP ({what}))")

    def vote(self, power: str, ballot: Ballot = Ballot.YES) -> None:
        """Vote on a draw."""
        self.do(it.Vote(SEATS[power], ballot))

    def remove(self, power: str) -> None:
        """Take a seat out of the match."""
        self.do(it.Remove("moderator", SEATS[power]))

    def end_turn(self) -> dict[tuple[int, str], str]:
        """Everybody does what an absent seat does; the verdicts of the turn."""
        return self.do(it.ForceTurn("moderator"))


@pytest.mark.parametrize("what", ["DRW", "DRW (ENG FRA)"])
def test_promise_of_a_draw_is_open_until_one_votes_for_it(what: str) -> None:
    table = Table()
    table.agree("ENG", "FRA", what)
    assert table.end_turn() == {(1, "ENG"): "open", (1, "FRA"): "open"}
    table.vote("ENG")
    assert table.end_turn() == {(1, "ENG"): "kept", (1, "FRA"): "open"}
    table.vote("ENG")  # each turn asks anew
    table.vote("FRA")
    assert table.end_turn() == {(1, "ENG"): "kept", (1, "FRA"): "kept"}


@pytest.mark.parametrize("ballot", [Ballot.NO, Ballot.NEUTRAL])
def test_vote_that_was_taken_back_leaves_the_promise_of_a_draw_open(ballot: Ballot) -> None:
    table = Table()
    table.agree("ENG", "FRA", "DRW")
    table.vote("ENG")
    table.vote("FRA")
    table.vote("FRA", ballot)
    assert table.end_turn() == {(1, "ENG"): "kept", (1, "FRA"): "open"}
    assert table.ledger.pacts.all[0].state is PactState.ACTIVE


def test_pacts_with_a_removed_seat_end_and_the_others_stay() -> None:
    table = Table()
    table.agree("ENG", "FRA", "PCE (ENG FRA)")
    table.agree("FRA", "GER", "PCE (FRA GER)")
    table.agree("ENG", "FRA GER", "DMZ (ENG FRA GER) (ECH)")
    table.remove("ENG")
    assert "ENG" not in table.ledger.present
    table.end_turn()
    states = [pact.state for pact in table.ledger.pacts.all]
    assert states == [PactState.VOID, PactState.ACTIVE, PactState.ACTIVE]
    assert set(table.end_turn()) == {(2, "FRA"), (2, "GER"), (3, "FRA"), (3, "GER")}


def test_proposals_to_and_from_a_removed_seat_close() -> None:
    table = Table()
    table.say("FRA", "ENG", "PRP (PCE (ENG FRA))")
    table.say("ENG", "GER", "PRP (PCE (ENG GER))")
    table.say("FRA", "GER", "PRP (PCE (FRA GER))")
    table.remove("ENG")
    table.end_turn()
    states = [proposal.state for proposal in table.ledger.proposals]
    assert states == [State.EXPIRED, State.EXPIRED, State.OPEN]
    table.say("GER", "FRA", "YES (PRP (PCE (FRA GER)))")
    assert len(table.ledger.active()) == 1
