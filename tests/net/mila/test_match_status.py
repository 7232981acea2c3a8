"""The public state of a match at the package's door: status, controllers, flags, votes and phases, event by event."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec
import pytest

from parlour.core import intents as it
from parlour.core.events import Event, Opened
from parlour.core.game import Seat
from parlour.core.intents import Ballot, CommStatus, Intent, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.games.diplomacy import GAME
from parlour.games.diplomacy.maps.map import named
from parlour.net.mila.match_status import BoardState, PowerPlace
from parlour.net.mila.protocol_values import DUMMY, GameStatus
from parlour.net.mila.rules import house_rules, terms_of
from parlour.referee.match import Match

FRANCE, ENGLAND = Seat("FRANCE"), Seat("ENGLAND")


class Followed:
    """A match of two, and the board that follows it."""

    def __init__(self, *rules: str, partial_draws: bool = False) -> None:
        terms = terms_of(house_rules(rules, 2, named("standard")), 0)
        terms = msgspec.structs.replace(terms, partial_draws=partial_draws)
        self.match = Match(GAME, {}, terms, 7, "m")
        self._now = 0.0
        first, *rest = self.match.start(0.0).events
        assert isinstance(first, Opened)
        self.board = BoardState(first)
        self._number = 1
        self._take(rest, [self.match.state.view()] * len(rest))

    def _take(self, events: Sequence[Event], views: Sequence[TableView]) -> None:
        for event, view in zip(events, views, strict=True):
            self.board.take(ObservedEvent(self._number, self._number, event, lambda view=view: view))  # type: ignore[misc]
            self._number += 1

    def do(self, *intents: Intent) -> GameStatus:
        for intent in intents:
            self._now += 1.0
            reaction = self.match.handle(intent, self._now)
            assert reaction.refusal is None, reaction.refusal
            self._take(reaction.events, reaction.views)
        return self.board.status

    def meet(self) -> GameStatus:
        return self.do(it.Start("host"), it.Join("ann", FRANCE), it.Join("bo", ENGLAND, PlayerType.PRESS_BOT))


def test_a_match_forms_until_enough_are_there_and_again_when_they_are_not() -> None:
    followed = Followed()
    assert followed.board.status is GameStatus.FORMING
    assert followed.do(it.Start("host"), it.Join("ann", FRANCE)) is GameStatus.FORMING
    assert followed.do(it.Join("bo", ENGLAND)) is GameStatus.ACTIVE
    assert followed.do(it.Pause("host")) is GameStatus.PAUSED
    assert followed.do(it.Resume("host")) is GameStatus.ACTIVE
    assert followed.do(it.Leave(ENGLAND)) is GameStatus.FORMING
    assert followed.do(it.Join("cy", ENGLAND)) is GameStatus.ACTIVE
    assert followed.do(it.Cancel("host")) is GameStatus.CANCELED


def test_who_controls_a_power_is_known_since_when() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    assert board.voters == 2
    assert board.places["FRANCE"].controller == "ann"
    assert [board.is_bot(role) for role in ("FRANCE", "ENGLAND", "observer_type")] == [False, True, False]
    followed.do(it.SetCommStatus(ENGLAND, CommStatus.READY), it.SetWait(ENGLAND, False), it.Leave(ENGLAND))
    place = board.places["ENGLAND"]
    assert list(place.controllers.values()) == [DUMMY, "bo", DUMMY]
    assert (place.is_controlled, place.row.wait, place.comm_status) == (False, True, CommStatus.INACTIVE)
    assert board.voters == 1


def test_controllers_of_one_moment_stand_in_their_order() -> None:
    place = PowerPlace("FRANCE", 5)
    for controller in ("ann", "ann", "bo"):
        place.take(controller, 5)
    assert place.controllers == {5: DUMMY, 6: "ann", 7: "bo"}
    assert (place.controller, place.since) == ("bo", 7)
    assert (PowerPlace("ITALY", 0).controller, PowerPlace("ITALY", 0).since) == (DUMMY, 0)


def test_orders_are_set_taken_back_and_gone_in_the_next_phase() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    assert board.order_is_set("FRANCE") == 0
    followed.do(it.Act(FRANCE, ["A PAR - BUR"]))
    assert [board.order_is_set(name) for name in ("FRANCE", "ENGLAND")] == [2, 0]
    assert followed.do(it.Retract(FRANCE)) is GameStatus.ACTIVE
    assert board.order_is_set("FRANCE") == 0
    assert board.places["FRANCE"].retracted == board.latest
    followed.do(it.Act(FRANCE, []))
    assert board.order_is_set("FRANCE") == 1, "set, but empty"
    followed.do(it.Act(FRANCE, ["A PAR - BUR"]), it.ForceTurn("host"))
    assert board.position.phase == "F1901M"
    assert (board.order_is_set("FRANCE"), board.places["FRANCE"].retracted) == (0, 0)


def test_who_has_nothing_to_order_holds_nobody_up() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    assert board.waits("FRANCE")
    followed.do(it.SetWait(FRANCE, False))
    assert not board.waits("FRANCE")
    assert board.waits("ENGLAND")
    board.to_act = (FRANCE,)
    assert not board.waits("ENGLAND")
    assert board.order_is_set("ENGLAND") == 1


@pytest.mark.parametrize(("rules", "up"), [((), True), (("REAL_TIME",), False)])
def test_flags_are_up_when_a_phase_begins_unless_it_is_played_in_real_time(rules: tuple[str, ...], up: bool) -> None:
    followed = Followed(*rules)
    followed.meet()
    waits = {name: place.row.wait for name, place in followed.board.places.items()}
    # Those of powers that nobody plays are up in any case, until who orders for them lowers them.
    assert waits == dict.fromkeys(waits, True) | {"FRANCE": up, "ENGLAND": up}
    assert waits == {seat: place.wait for seat, place in followed.match.state.places.items()}
    followed.do(it.SetWait(FRANCE, not up), it.Leave(FRANCE))
    assert followed.board.waits("FRANCE")
    followed.do(it.Join("cy", FRANCE))
    assert followed.board.waits("FRANCE") is up is followed.match.state.places[FRANCE].wait


def test_votes_are_counted_and_a_new_phase_begins_without_any() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    followed.do(it.Vote(FRANCE, Ballot.YES))
    assert (board.view.in_favour, board.voted, board.voters) == (1, 1, 2)
    followed.do(it.ForceTurn("host"))
    assert (board.view.in_favour, board.voted) == (0, 0)
    assert {place.comm_status for place in board.places.values()} == {CommStatus.BUSY}


def test_a_vote_is_shown_to_those_who_may_know_it_until_its_player_leaves_or_the_match_ends() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    followed.do(it.Vote(FRANCE, Ballot.NO))
    seen = [board.ballot("FRANCE", viewer) for viewer in (SEES_ALL, seated_on(FRANCE), seated_on(ENGLAND), SPECTATOR)]
    assert seen == [Ballot.NO, Ballot.NO, Ballot.NEUTRAL, Ballot.NEUTRAL]
    followed.do(it.Leave(FRANCE), it.Join("cy", FRANCE))
    assert (board.ballot("FRANCE", SEES_ALL), board.voted) == (Ballot.NEUTRAL, 0)
    followed.do(it.Vote(FRANCE, Ballot.YES), it.Vote(ENGLAND, Ballot.YES))
    assert (board.status, board.voted) == (GameStatus.COMPLETED, 0)


def test_a_vote_on_a_draw_among_some_is_not_one_on_a_draw_of_all() -> None:
    followed = Followed(partial_draws=True)
    followed.meet()
    board = followed.board
    followed.do(it.Vote(FRANCE, Ballot.YES, (FRANCE, ENGLAND)))
    assert (board.ballot("FRANCE", SEES_ALL), board.voted) == (Ballot.NEUTRAL, 0)


def test_in_which_phase_something_happened_is_known_by_its_number() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    followed.do(it.ForceTurn("host"), it.ForceTurn("host"))
    assert board.chronicle.names == ["S1901M", "F1901M"]
    first, second = sorted(board.marks)
    assert [board.phase_before(number) for number in (0, first, first + 1, second, second + 1)] == [
        "S1901M", "S1901M", "F1901M", "F1901M", "S1902M"
    ]  # fmt: skip
    assert [board.marks[number].closed for number in (first, second)] == ["S1901M", "F1901M"]


def test_after_a_position_was_set_what_came_of_it_is_cut() -> None:
    followed = Followed()
    followed.meet()
    board, start = followed.board, followed.board.position
    followed.do(it.ForceTurn("host"))
    assert board.is_fresh
    followed.do(it.SetPosition("host", start.encode()))
    assert (board.chronicle.names, board.position.phase) == ([], "S1901M")
    assert board.marks[max(board.marks)].cut == ["S1901M"]
    assert board.replaced > 0
    assert not board.is_fresh, "this turn follows none that was played"


def test_a_draw_completes_a_match_and_is_its_last_phase() -> None:
    followed = Followed()
    followed.meet()
    board = followed.board
    assert json.loads(board.state_json)["name"] == "S1901M"
    assert followed.do(it.Vote(FRANCE, Ballot.YES), it.Vote(ENGLAND, Ballot.YES)) is GameStatus.COMPLETED
    assert board.phase == "COMPLETED"
    assert json.loads(board.state_json)["name"] == "COMPLETED"
    assert board.chronicle.names == ["S1901M"]
    assert not board.running
