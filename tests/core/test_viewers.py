"""Viewers: who may see what of which event. Every branch of every filter is taken here, from both sides."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from parlour.core import events as ev
from parlour.core.event_base import EventBase
from parlour.core.events import Event, seen_by
from parlour.core.fouls import Consequence, Standing
from parlour.core.game import FoulKind, Outcome, Seat, Violation
from parlour.core.intents import Ballot, CommStatus, Consultation, PlayerType
from parlour.core.terms import SealOpening, Terms
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer, Visibility, seated_on
from parlour.referee.conduct import STRICT
from parlour.testing import BIDS, NIM

NORTH, EAST, SOUTH = Seat("north"), Seat("east"), Seat("south")
OWN, OTHER, BOTH = seated_on(NORTH), seated_on(EAST), seated_on(EAST, NORTH)
STRANGERS = (OTHER, SPECTATOR)
INSIDERS = (OWN, BOTH, OMNISCIENT, MODERATOR)
EVERYONE = (*STRANGERS, *INSIDERS)

VIOLATION = Violation("hand", "7", "7 is not in your hand")
START = BIDS.start({}, BIDS.seats({}), 7)
EXAMPLES: dict[type[Any], Event] = {
    type(event): event
    for event in (
        ev.Opened(0.0, "bids", {}, Terms(conduct=STRICT), 7),
        ev.Joined(1.0, NORTH, "Ann", PlayerType.HUMAN),
        ev.Left(1.0, NORTH),
        ev.Started(1.0, BIDS.seats({}), START.encode()),
        ev.TurnBegan(1.0, 1, "orders", (NORTH, EAST), {"north": 9.0}),
        ev.Acted(1.0, NORTH, 1, 4, (VIOLATION,), given=False),
        ev.Retracted(1.0, NORTH, 1),
        ev.WaitSet(1.0, NORTH, True),
        ev.CommStatusSet(1.0, NORTH, CommStatus.READY),
        ev.Said(1.0, NORTH, (SOUTH,), "psst", 1),
        ev.Noted(1.0, NORTH, "stab east next turn", 1),
        ev.Sealed(1.0, NORTH, 1, 4, {"PCE ( NOR EAS )": "break"}, {"east": 2}, "stab east now"),
        ev.SealWanted(1.0, NORTH, 1),
        ev.Reserved(1.0, NORTH, 1, 1, 900, 0.01),
        ev.Consulted(1.0, NORTH, 1, Consultation("orders", "a-model", "what now?", "4"), 1),
        ev.Proclaimed(1.0, "host", "back at eight"),
        ev.PressOpened(1.0, 1, 9.0),
        ev.PressClosed(1.0, 1),
        ev.Voted(1.0, NORTH, Ballot.YES, 2),
        ev.Fouled(1.0, NORTH, FoulKind.ILLEGAL, "orders", 1, "7", Consequence.REMOVE, Standing.CHEATER, VIOLATION),
        ev.Removed(1.0, NORTH, "illegal: 7 is not in your hand", Standing.CHEATER),
        ev.TurnEnded(1.0, 1, {"north": 4, "east": 2, "south": 1}, {"prize": 3, "winner": "north", "covered": True}),
        ev.PositionSet(1.0, "moderator", START.encode()),
        ev.Paused(1.0, "moderator"),
        ev.Resumed(1.0, "moderator"),
        ev.Extended(1.0, "moderator", 1, 60.0),
        ev.Stalled(1.0, "server", 60.0),
        ev.TurnForced(1.0, "moderator", 1),
        ev.Ended(1.0, Outcome({"north": 1.0}, (("north",),), "over"), {"east": Standing.FAILURE}),
    )
}  # fmt: skip
OPEN = (
    ev.Joined, ev.Left, ev.TurnBegan, ev.Retracted, ev.WaitSet, ev.CommStatusSet, ev.PressOpened, ev.PressClosed,
    ev.Paused, ev.Resumed, ev.TurnForced, ev.Ended, ev.Proclaimed, ev.Extended, ev.Stalled,
)  # fmt: skip


def seen(kind: type[Any], viewer: Viewer) -> Any:
    return seen_by(EXAMPLES[kind], viewer, BIDS)


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_says_for_itself_who_may_see_it(kind: type[Any]) -> None:
    assert "seen" in vars(kind), f"{kind.__name__} has no filter: write `seen = open_to_all`, or one that hides"
    assert kind in EXAMPLES, f"{kind.__name__} is shown to nobody in these tests"


def test_an_event_without_a_filter_is_shown_to_nobody() -> None:
    class Whispered(EventBase, frozen=True, tag="whispered"):
        """Somebody forgot to say who may see it."""

    with pytest.raises(NotImplementedError, match="Whispered"):
        Whispered(1.0).seen(MODERATOR, BIDS)


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_a_moderator_sees_the_record_as_it_is(kind: type[Any]) -> None:
    assert seen(kind, MODERATOR) == EXAMPLES[kind]


@pytest.mark.parametrize("kind", OPEN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("viewer", EVERYONE, ids=str)
def test_what_hides_nothing_is_shown_to_all(kind: type[Any], viewer: Viewer) -> None:
    assert seen(kind, viewer) is EXAMPLES[kind]


@pytest.mark.parametrize(
    "kind",
    [ev.Acted, ev.Voted, ev.Fouled, ev.Removed, ev.Said, ev.Noted, ev.Sealed, ev.SealWanted, ev.Reserved, ev.Consulted],
    ids=lambda kind: kind.__name__,
)
@pytest.mark.parametrize("viewer", INSIDERS, ids=str)
def test_a_seat_an_omniscient_and_a_moderator_see_the_secrets_of_the_seat(kind: type[Any], viewer: Viewer) -> None:
    assert seen(kind, viewer) is EXAMPLES[kind]


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_others_learn_that_a_seat_acted_and_not_how(viewer: Viewer) -> None:
    assert seen(ev.Acted, viewer) == ev.Acted(1.0, NORTH, 1, None, (), given=False)


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_others_learn_how_many_want_a_draw_and_not_who(viewer: Viewer) -> None:
    assert seen(ev.Voted, viewer) == ev.Voted(1.0, Seat(""), Ballot.NEUTRAL, 2)
    among_some = ev.Voted(1.0, NORTH, Ballot.YES, 1, (NORTH, EAST))
    assert seen_by(among_some, viewer, NIM) == ev.Voted(1.0, Seat(""), Ballot.NEUTRAL)


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_others_learn_the_kind_of_a_foul_and_no_word_more(viewer: Viewer) -> None:
    fouled = seen(ev.Fouled, viewer)
    assert (fouled.detail, fouled.violation, fouled.standing) == ("illegal", None, Standing.CHEATER)
    crash = ev.Fouled(1.0, NORTH, FoulKind.CRASHED, "orders", 1, "KeyError: 'plan'", Consequence.NOTE)
    told = seen_by(crash, viewer, NIM)
    assert isinstance(told, ev.Fouled)
    assert told.detail == "crashed"


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
@pytest.mark.parametrize(
    ("reason", "told"),
    [("illegal: 7 is not in hand", "illegal"), ("late", "late"), ("talks: to Bob", "removed"), ("", "removed")],
)  # fmt: skip
def test_others_learn_the_kind_of_a_removal_and_no_word_more(viewer: Viewer, reason: str, told: str) -> None:
    removed = seen_by(ev.Removed(1.0, NORTH, reason, Standing.FAILURE), viewer, NIM)
    assert removed == ev.Removed(1.0, NORTH, told, Standing.FAILURE)


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_private_press_is_for_those_it_is_addressed_to(viewer: Viewer) -> None:
    assert seen(ev.Said, viewer) is None
    assert seen(ev.Said, seated_on(SOUTH)) is EXAMPLES[ev.Said]
    assert seen(ev.Said, seated_on(SOUTH, EAST)) is EXAMPLES[ev.Said]
    to_all = ev.Said(1.0, NORTH, (), "hello", 1)
    assert seen_by(to_all, viewer, NIM) is to_all


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_notes_and_calls_of_models_are_the_seats_own_and_calls_are_open_when_the_match_is_over(viewer: Viewer) -> None:
    later = viewer.looking_back()
    assert [seen(kind, viewer) for kind in (ev.Noted, ev.Reserved, ev.Consulted)] == [None] * 3
    assert [seen(kind, later) is not None for kind in (ev.Noted, ev.Reserved, ev.Consulted)] == [False, True, True]
    assert [EXAMPLES[kind].opens_later for kind in (ev.Noted, ev.Reserved, ev.Consulted)] == [False, True, True]


@pytest.mark.parametrize("viewer", STRANGERS, ids=str)
def test_seals_are_the_seats_own_and_open_when_the_terms_say_so(viewer: Viewer) -> None:
    later = viewer.looking_back()
    assert [seen(ev.Sealed, viewer), seen(ev.SealWanted, viewer), seen(ev.SealWanted, later)] == [None] * 3
    for opens in SealOpening:
        sealed = replace(EXAMPLES[ev.Sealed], opens=opens)
        assert seen_by(sealed, viewer, NIM) is None
        assert (seen_by(sealed, later, NIM) is sealed) is sealed.opens_later is (opens is SealOpening.MATCH)


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("viewer", [*EVERYONE, *(viewer.looking_back() for viewer in EVERYONE)], ids=str)
def test_who_is_privy_to_an_event_is_who_sees_it(kind: type[Any], viewer: Viewer) -> None:
    event = EXAMPLES[kind]
    knows = viewer.shares(event.privy()) or (event.opens_later and viewer.hindsight)
    assert (seen(kind, viewer) is not None) == knows


@pytest.mark.parametrize("viewer", [*STRANGERS, OWN, BOTH, OMNISCIENT], ids=str)
def test_nobody_but_a_moderator_knows_the_seed_before_the_end(viewer: Viewer) -> None:
    assert seen(ev.Opened, viewer).seed == 0
    assert seen(ev.Opened, viewer.looking_back()).seed == 7


@pytest.mark.parametrize("kind", [ev.Started, ev.PositionSet], ids=lambda kind: kind.__name__)
def test_a_position_is_shown_as_the_game_shows_it(kind: type[Any]) -> None:
    hands = START.encode()["hands"]
    covered = [0] * 5
    assert seen(kind, OMNISCIENT).position["hands"] == hands
    assert seen(kind, SPECTATOR).position["hands"] == dict.fromkeys(hands, covered)
    assert seen(kind, OWN).position["hands"] == {"north": hands["north"], "east": covered, "south": covered}
    assert seen(kind, BOTH).position["hands"] == {"north": hands["north"], "east": hands["east"], "south": covered}


def test_a_position_that_hides_nothing_is_not_spelled_again() -> None:
    started = ev.Started(1.0, NIM.seats({}), NIM.start({}, NIM.seats({}), 0).encode())
    assert seen_by(started, SPECTATOR, NIM) is started


def test_what_a_game_covers_of_a_turn_is_covered() -> None:
    assert seen(ev.TurnEnded, SPECTATOR).actions == {"north": 4}
    assert seen(ev.TurnEnded, OTHER).actions == {"north": 4, "east": 2}
    assert seen(ev.TurnEnded, OMNISCIENT) is EXAMPLES[ev.TurnEnded]
    assert seen(ev.TurnEnded, OTHER.looking_back()).actions == {"north": 4, "east": 2, "south": 1}
    uncovered = msgspec.structs.replace(EXAMPLES[ev.TurnEnded], happened={"prize": 3, "winner": None, "covered": False})
    assert seen_by(uncovered, SPECTATOR, BIDS) == uncovered
    assert seen_by(uncovered, SPECTATOR, NIM) is uncovered


def test_in_hindsight_what_was_played_is_open_and_private_press_and_words_of_fouls_are_not() -> None:
    later = SPECTATOR.looking_back()
    assert seen(ev.Acted, later) is EXAMPLES[ev.Acted]
    assert seen(ev.Voted, later) is EXAMPLES[ev.Voted]
    assert seen(ev.Started, later).position["hands"] == START.encode()["hands"]
    assert seen(ev.Said, later) is None
    assert seen(ev.Fouled, later).detail == "illegal"
    assert seen(ev.Removed, later).reason == "illegal"
    assert later.looking_back() is later


def test_viewers_are_keys_however_their_seats_are_named() -> None:
    assert seated_on(NORTH, EAST) == seated_on(EAST, NORTH, EAST)
    assert len({seated_on(NORTH, EAST), seated_on(EAST, NORTH), SPECTATOR, OMNISCIENT, MODERATOR}) == 4
    assert seated_on() is SPECTATOR, "one without a seat is nobody in particular"
    assert SPECTATOR.looking_back() != SPECTATOR
    assert [str(viewer) for viewer in (BOTH, SPECTATOR)] == ["east north", Visibility.SPECTATOR]


def test_who_sees_all_owns_every_seat_and_nobody_else_does() -> None:
    assert [viewer.owns(NORTH) for viewer in EVERYONE] == [False, False, True, True, True, True]
    assert [viewer.sees_all for viewer in EVERYONE] == [False, False, False, False, True, True]
    assert SPECTATOR.looking_back().knows(NORTH)
    assert not SPECTATOR.looking_back().owns(NORTH)


def test_a_viewer_is_called_by_its_seats_or_by_its_gaze() -> None:
    assert [str(viewer) for viewer in (OWN, BOTH, SPECTATOR, MODERATOR)] == [
        "north",
        "east north",
        "spectator",
        "moderator",
    ]
