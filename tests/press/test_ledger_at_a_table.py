"""The ledger follows the events of a real referee: votes on a draw, and seats that are removed."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.intents import Ballot
from parlour.core.terms import PressMode, PressTerms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactState
from parlour.press.agreements.proposals import ProposalState
from parlour.press.ledger import Ledger
from parlour.press.reports.verdict_text import sentence
from parlour.referee.conduct import PRESETS
from support.matches.tables import begun
from support.press.stories import SEATS, Story, at


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


def test_order_of_a_seat_that_is_removed_before_the_turn_ends_is_void() -> None:
    table = Table()
    table.agree("ENG", "FRA", "AND (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((ENG FLT LON) MTO NTH))")
    table.agree("ENG", "FRA GER", "XDO ((ENG FLT EDI) MTO NWG)")
    table.remove("FRA")
    assert [pact.state for pact in table.ledger.pacts.all] == [PactState.VOID, PactState.ACTIVE]
    found = table.end_turn()
    assert found == {(1, "FRA"): "void", (1, "ENG"): "void", (2, "ENG"): "void"}, "England gave no orders"
    assert "is out of the game" in sentence(table.ledger.verdicts[0])


def test_board_moves_on_without_a_seat_that_is_removed() -> None:
    story = Story(at("S1902M", "FRA=ABUR,ARUH;GER=AMUN,ABER;ENG=FLON", "FRA=PAR;GER=MUN,BER;ENG=LON"))
    story.play({"FRA": ["A BUR - MUN", "A RUH S A BUR - MUN"]})
    assert story.ledger.board.phase == "S1902R"
    story.agree("ENG", "FRA", "XDO ((FRA AMY MUN) MTO BOH)")
    story.ledger.feed(ev.Removed(at=1.0, seat=SEATS["GER"], reason="late"))
    assert story.ledger.board.phase == "F1902M", "only Germany had to retreat"
    story.position = story.position.without(SEATS["GER"])
    assert story.play({"FRA": ["A MUN - BOH"]}) == {(1, "FRA"): "kept"}


def test_removed_seat_stays_out_of_a_position_that_is_set() -> None:
    table = Table()
    table.remove("FRA")
    table.do(it.SetPosition("moderator", Position.start().encode()))
    assert "FRA" not in table.ledger.present
    assert table.ledger.position == table.match.position


def test_votes_count_for_the_turn_in_which_they_are_cast() -> None:
    table = Table()
    table.vote("ENG")
    table.end_turn()
    table.agree("ENG", "FRA", "DRW")
    assert table.end_turn() == {(1, "ENG"): "open", (1, "FRA"): "open"}


def test_proposals_to_and_from_a_removed_seat_close() -> None:
    table = Table()
    table.say("FRA", "ENG", "PRP (PCE (ENG FRA))")
    table.say("ENG", "GER", "PRP (PCE (ENG GER))")
    table.say("FRA", "GER", "PRP (PCE (FRA GER))")
    table.remove("ENG")
    table.end_turn()
    states = [proposal.state for proposal in table.ledger.proposals]
    assert states == [ProposalState.EXPIRED, ProposalState.EXPIRED, ProposalState.OPEN]
    table.say("GER", "FRA", "YES (PRP (PCE (FRA GER)))")
    assert len(table.ledger.active()) == 1
