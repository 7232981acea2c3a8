"""The protocol's table of who is told what: each event as every role hears of it, in a room, and what it then holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Ballot, CommStatus, Intent, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import Viewer
from parlour.games.diplomacy import GAME
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.net.mila.notices import Listening, prefix_of
from parlour.net.mila.protocol_values import DUMMY, OBSERVER, OMNISCIENT
from parlour.net.mila.rooms import Room
from parlour.net.mila.rules import house_rules, terms_of
from parlour.net.onlookers import Eyes
from parlour.referee.match import Match
from support.hall.people import listener
from support.mila.wire import texts_of

FRANCE, ENGLAND, ITALY = Seat("FRANCE"), Seat("ENGLAND"), Seat("ITALY")
PLAYERS = {"FRANCE": "ann", "ENGLAND": "bo"}
ROLES = ("FRANCE", "ENGLAND", OBSERVER, OMNISCIENT)
Frame = dict[str, Any]
Heard = dict[str, list[Frame]]


class Table:
    """A match of two that has begun, its room, and one in each role who listens there."""

    def __init__(self) -> None:
        terms = terms_of(house_rules(["POWER_CHOICE"], 2, named("standard")), 0)
        self.match = Match(GAME, {}, terms, 7, "g", dated=True)
        self.room = Room("g", self._watch, may_listen=self._may_listen)
        self._now = 1.0
        self._events: list[tuple[Event, TableView]] = []
        self._tell: Callable[[ObservedEvent], object] | None = None
        self._heard: Heard = {role: [] for role in ROLES}

    async def begin(self) -> Table:
        opened = self.match.start(self._now)
        self._happened(opened.events, [self.match.state.view()] * len(opened.events))
        self.do(it.Start("host"), it.Join("ann", FRANCE), it.Join("bo", ENGLAND, PlayerType.PRESS_BOT))
        for role, frames in self._heard.items():
            await self.room.sight(role)
            prefix = prefix_of(role, b'"g"', json.dumps(role).encode())
            self.room.listen(Listening(role, listener(PLAYERS.get(role, role)), role, True, prefix, self._ear(frames)))
        return self

    @staticmethod
    def _ear(frames: list[Frame]) -> Callable[[bytes, bool], None]:
        return lambda written, quiet: frames.extend(map(json.loads, texts_of(written)))

    async def _watch(
        self, viewer: Viewer, watcher: Callable[[ObservedEvent], object], eyes: Eyes | None = None
    ) -> Callable[[], None]:
        for number, (event, view) in enumerate(self._events):
            if (seen := event.seen(viewer, GAME)) is not None:
                watcher(ObservedEvent(number, number, seen, lambda view=view: view))  # type: ignore[misc]
        if self._tell is None:  # it is watched once for all, and looked at once more for each role
            assert viewer == SEES_ALL
            self._tell = watcher
        return lambda: None

    def _may_listen(self, match: str, listening: Listening) -> bool:
        places = self.match.state.places
        place = places[Seat(listening.role)] if listening.role in PLAYERS else None
        return place is None or (place.present and place.name == listening.session.name)

    def _happened(self, events: Sequence[Event], views: Sequence[TableView]) -> None:
        for event, view in zip(events, views, strict=True):
            number = len(self._events)
            self._events.append((event, view))
            if self._tell is not None:
                self._tell(ObservedEvent(number, number, event, lambda view=view: view))  # type: ignore[misc]
        self.room.flush()

    def do(self, *intents: Intent) -> Heard:
        """Let somebody do something; what each role is told of it."""
        for frames in self._heard.values():
            frames.clear()
        for intent in intents:
            self._now += 1.0
            reaction = self.match.handle(intent, self._now)
            assert reaction.refusal is None, reaction.refusal
            self._happened(reaction.events, reaction.views)
        return {role: list(frames) for role, frames in self._heard.items()}


def played(*intents: Intent) -> Heard:
    """Return the notifications of each role for the last of these events."""

    async def scenario() -> Heard:
        table = await Table().begin()
        return [table.do(intent) for intent in intents][-1]

    return asyncio.run(scenario())


def names(heard: Heard) -> list[str]:
    """Return the names of what France, England, an observer and one who sees all are told, each in a word."""
    return [" ".join(frame["name"] for frame in heard[role]) for role in ROLES]


FLAGS = " ".join(["power_wait_flag"] * 7)


@pytest.mark.parametrize(
    ("intents", "expected"),
    [
        (
            [it.Act(FRANCE, ["A PAR H"])],
            ["power_orders_update", "power_orders_flag", "", "power_orders_update"],
        ),
        ([it.SetWait(FRANCE, False)], ["power_wait_flag"] * 4),
        ([it.Act(FRANCE, ["A PAR H"]), it.Retract(FRANCE)], ["cleared_orders"] * 4),
        ([it.SetCommStatus(FRANCE, CommStatus.READY)], ["power_comm_status_update"] * 4),
        (
            [it.Vote(FRANCE, Ballot.YES)],
            ["power_vote_updated", "power_vote_updated", "vote_count_updated", "vote_updated"],
        ),
        (
            [it.Say(FRANCE, "psst", (ENGLAND,))],
            ["game_message_received", "game_message_received", "", "game_message_received"],
        ),
        ([it.Say(FRANCE, "psst", (ITALY,))], ["game_message_received", "", "", "game_message_received"]),
        ([it.Say(FRANCE, "hear, hear", ())], ["game_message_received"] * 4),
        ([it.Announce("host", "hear, hear")], ["game_message_received"] * 4),
        ([it.Note(FRANCE, "hm")], [""] * 4),
        ([it.Join("cy", ITALY)], ["powers_controllers"] * 4),
        ([it.Pause("host")], ["game_status_update"] * 4),
        ([it.Pause("host"), it.Resume("host")], ["game_status_update"] * 4),
        ([it.ForceTurn("host")], [f"game_processed {FLAGS}"] * 4),
        ([it.Cancel("host")], ["game_status_update"] * 4),
        ([it.EndWithResult("host")], ["game_processed game_status_update"] * 4),
    ],
    ids=lambda value: type(value[-1]).__name__,
)
def test_each_role_is_told_what_it_may_know(intents: list[Intent], expected: list[str]) -> None:
    assert names(played(*intents)) == expected


def test_prose_with_a_core_comes_as_two_messages_to_all_but_its_sender() -> None:
    text = "Let us rest.\n:: PRP ( PCE ( ENG FRA ) )"
    heard = played(it.Say(FRANCE, text, (ENGLAND,)))
    messages = {role: [frame["message"] for frame in heard[role]] for role in ROLES}
    parts = ["Let us rest.", "PRP ( PCE ( ENG FRA ) )"]
    assert [message["message"] for message in messages["ENGLAND"]] == parts
    assert [message["message"] for message in messages[OMNISCIENT]] == parts
    first, second = (message["time_sent"] for message in messages["ENGLAND"])
    assert first < second, "clients know messages by their times"
    assert [message["message"] for message in messages["FRANCE"]] == [text], "what is sent again is known by its words"


async def test_whoever_has_left_a_power_hears_of_that_and_of_nothing_after_it() -> None:
    table = await Table().begin()
    left = table.do(it.Leave(FRANCE))
    assert names(left) == ["powers_controllers", *["powers_controllers game_status_update"] * 3]
    for role in ROLES:
        (controllers,) = [frame for frame in left[role] if frame["name"] == "powers_controllers"]
        assert (controllers["powers"]["FRANCE"], controllers["powers"]["ENGLAND"]) == (DUMMY, "bo")
        assert controllers["timestamps"]["FRANCE"] > controllers["timestamps"]["ENGLAND"]
        assert controllers["player_types"]["ENGLAND"] == "press_bot"
    assert names(table.do(it.Join("dee", FRANCE)))[0] == ""
    assert names(table.do(it.SetWait(ENGLAND, False))) == ["", *["power_wait_flag"] * 3]


def test_orders_are_told_in_words_to_who_may_read_them_and_as_a_flag_to_other_players() -> None:
    heard = played(it.Act(FRANCE, ["A PAR - BUR"]))
    for role in ("FRANCE", OMNISCIENT):
        (update,) = heard[role]
        assert (update["power_name"], update["orders"]) == ("FRANCE", ["A PAR - BUR"])
    (flag,) = heard["ENGLAND"]
    assert (flag["power_name"], flag["order_is_set"]) == ("FRANCE", 2)


def test_how_many_have_voted_is_told_to_all_and_how_to_those_who_see_all() -> None:
    heard = played(it.Vote(FRANCE, Ballot.YES), it.Vote(ENGLAND, Ballot.NO))
    for role in ("FRANCE", "ENGLAND", OBSERVER):
        (told,) = heard[role]
        assert (told["count_voted"], told["count_expected"]) == (2, 2)
    assert (heard["FRANCE"][0]["vote"], heard["ENGLAND"][0]["vote"]) == ("yes", "no")
    assert "vote" not in heard[OBSERVER][0]
    (votes,) = heard[OMNISCIENT]
    given = {name: vote for name, vote in votes["vote"].items() if vote != "neutral"}
    assert (given, len(votes["vote"])) == ({"FRANCE": "yes", "ENGLAND": "no"}, 7)


def test_a_phase_that_is_over_comes_with_what_became_of_it_and_the_next_with_nothing() -> None:
    talk: list[Intent] = [it.Say(FRANCE, "psst", (ENGLAND,)), it.Note(FRANCE, "hm")]
    heard = played(*talk, it.Act(FRANCE, ["A PAR - BUR"]), it.ForceTurn("host"))
    for role in ROLES:
        told = heard[role][0]
        over, now = told["previous_phase_data"], told["current_phase_data"]
        assert (over["name"], over["state"]["name"], over["orders"]["FRANCE"][0]) == ("S1901M", "S1901M", "A PAR - BUR")
        assert [message["message"] for message in over["messages"]] == (["psst"] if role != OBSERVER else [])
        assert [note["message"] for note in over["logs"]] == (["hm"] if role in ("FRANCE", OMNISCIENT) else [])
        assert (now["name"], now["state"]["name"]) == ("F1901M", "F1901M")
        assert "A BUR" in now["state"]["units"]["FRANCE"]
        assert (now["results"], now["messages"], now["logs"]) == ({}, [], [])
        assert now["orders"] == dict.fromkeys([role] if role in PLAYERS else sorted(now["state"]["units"]))
        flags = [(frame["power_name"], frame["wait"]) for frame in heard[role][1:]]
        assert flags == [(name, True) for name in sorted(now["state"]["units"])]


def emptied(what: str, *powers: str, phase: str = "S1901M", **more: Any) -> it.SetPosition:
    """Return the start without the units or the centres of some, or of all."""
    start = GAME.start({}, GAME.seats({}), 1)
    assert isinstance(start, Position)
    state = write_state(start)
    for name in powers or list(state[what]):
        state[what][name] = []
    for key, value in more.items():
        state[key] = state[key] | value
    return it.SetPosition("host", position_of_state(state | {"name": phase}, board=start.board).encode())


@pytest.mark.parametrize(
    ("intent", "name", "power"),
    [
        (emptied("units", "TURKEY"), "cleared_units", "TURKEY"),
        (emptied("units"), "cleared_units", None),
        (emptied("centers", "TURKEY"), "cleared_centers", "TURKEY"),
        (emptied("centers"), "cleared_centers", None),
    ],
)
def test_what_a_moderator_took_away_is_told_as_that(intent: Intent, name: str, power: str | None) -> None:
    for frames in played(intent).values():
        assert (frames[0]["name"], frames[0]["power_name"]) == (name, power)


@pytest.mark.parametrize(
    "intent",
    [
        emptied("units", "TURKEY", "ITALY"),
        emptied("centers", "TURKEY", "ITALY"),
        emptied("units", "TURKEY", centers={"TURKEY": []}),
        emptied("units", "TURKEY", centers={"TURKEY": ["CON"]}),
        emptied("centers", "TURKEY", units={"TURKEY": ["A CON"]}),
        emptied("units", "TURKEY", phase="F1901M"),
        emptied("centers", "TURKEY", phase="F1901M"),
        emptied("units", "TURKEY", units={"TURKEY": ["A CON"]}),
        emptied("centers", "TURKEY", centers={"TURKEY": ["CON"]}),
        emptied("units", "TURKEY", units={"FRANCE": ["A PAR"]}),
        emptied("units", "TURKEY", units={"TURKEY": ["A CON", "A SMY", "F ANK"]}),
    ],
)
def test_any_other_position_is_told_as_the_state_that_it_is(intent: Intent) -> None:
    for role, frames in played(intent).items():
        (told,) = frames
        assert (told["name"], told["phase_data_type"]) == ("game_phase_update", "state")
        state = told["phase_data"]["state"]
        names = [role] if role in PLAYERS else sorted(state["units"])
        # Who has nothing to order has ordered nothing; the others have not ordered yet.
        assert told["phase_data"]["orders"] == {name: None if state["units"][name] else [] for name in names}
