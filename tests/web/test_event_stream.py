"""Messages to pages: each event once, with frames, turns, plans, choices and press; and all of it thinned."""

from __future__ import annotations

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event, seen_by
from parlour.core.game import Game, Seat
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.games import load_game
from parlour.referee.audit import audit
from parlour.referee.state import MatchState
from parlour.web.event_stream import Teller, Telling, thinned
from support.web.records import diplomacy_record, fish_record, press_record


def told_to(viewer: Viewer, game: Game, events: list[Event]) -> list[Telling]:
    teller, state, told = Teller(game, viewer.seats), MatchState(game), []
    for event in events:
        audit(state, event)
        seen = seen_by(event, viewer, game)
        if seen is not None:
            told.append(teller.tell(seen, state.view().seen(viewer)))
    return told


def test_a_view_is_numbered_without_gaps() -> None:
    told = told_to(SPECTATOR, load_game("diplomacy"), press_record())
    assert [one.k for one in told] == list(range(1, len(told) + 1))


def test_turns_come_with_frames_and_results() -> None:
    told = told_to(OMNISCIENT, load_game("diplomacy"), diplomacy_record())
    started = next(one for one in told if isinstance(one.e, ev.Started))
    assert started.x["frame"].name == "S1901M"
    ended = [one for one in told if isinstance(one.e, ev.TurnEnded)]
    assert ended[0].x["frame"].name == "F1901M"
    assert len(ended[0].x["turn"].results) >= 22


def test_only_the_own_seats_get_choices_and_plans() -> None:
    game, france = load_game("diplomacy"), Seat("FRANCE")
    own = told_to(seated_on(france), game, diplomacy_record())
    began = next(one for one in own if isinstance(one.e, ev.TurnBegan))
    assert set(began.x["choices"]) == {"FRANCE"}
    assert "A PAR - BUR" in began.x["choices"]["FRANCE"]
    plans = [one for one in own if "plan" in one.x]
    assert plans
    assert all(isinstance(one.e, ev.Acted) and one.e.seat == france for one in plans)
    others = told_to(SPECTATOR, game, diplomacy_record())
    assert not any({"plan", "choices"} & one.x.keys() for one in others)


def test_press_is_told_in_english_with_what_became_of_it() -> None:
    told = told_to(OMNISCIENT, load_game("diplomacy"), press_record())
    said = [one for one in told if isinstance(one.e, ev.Said)]
    assert said
    assert said[0].x["said"]["english"].endswith(".")
    assert said[0].x["offers"][0].state == "open"
    pacts = [pact for one in told for pact in one.x.get("pacts") or ()]
    assert any(pact.state == "active" and "bonds" in pact.layers for pact in pacts)
    broken = [one for told_ in told for one in told_.x.get("judged") or () if one.status == "broken"]
    assert broken
    assert all("broke its promise" in one.sentence and one.layers for one in broken)


def test_free_text_stays_text() -> None:
    teller, state = Teller(load_game("diplomacy")), MatchState(load_game("diplomacy"))
    for event in press_record()[:12]:
        audit(state, event)
        teller.tell(event, state.view())
    said = ev.Said(at=1.0, seat=Seat("FRANCE"), to=(), text="<script>alert(1)</script>", turn=1)
    assert "said" not in teller.tell(said, state.view()).x


def test_what_is_told_later_lacks_only_what_no_longer_matters() -> None:
    told = told_to(OMNISCIENT, load_game("diplomacy"), press_record())
    late = thinned(told)
    kinds = {type(one.e) for one in late}
    assert len(late) < len(told) / 2
    assert ev.Acted not in kinds
    assert {ev.Opened, ev.Joined, ev.Started, ev.Said, ev.TurnEnded, ev.Ended} <= kinds
    assert [one.k for one in late] == sorted({one.k for one in late})
    frames = [one.x["frame"] for one in late if "frame" in one.x]
    assert all(marks is not None for marks in frames[0].layers.values())
    assert any(marks is None for frame in frames[1:] for marks in frame.layers.values())


def test_the_running_turn_is_told_whole_to_who_joins() -> None:
    events = diplomacy_record()
    last = max(i for i, event in enumerate(events) if isinstance(event, ev.TurnBegan) and event.stage == "orders")
    told = told_to(seated_on(Seat("FRANCE")), load_game("diplomacy"), events[: last + 8])
    assert any(isinstance(one.e, ev.TurnBegan) and "choices" in one.x for one in thinned(told))


def test_a_layer_that_changed_is_sent_again() -> None:
    late = thinned(told_to(OMNISCIENT, load_game("diplomacy"), diplomacy_record()))
    held: dict[str, object] = {}
    for one in late:
        frame = one.x.get("frame")
        if frame is not None:
            for name, marks in frame.layers.items():
                assert marks is None or marks != held.get(name)
                held[name] = held.get(name) if marks is None else marks


def test_fish_is_told_too() -> None:
    told = told_to(OMNISCIENT, load_game("fish"), fish_record())
    turns = [one.x["turn"] for one in told if isinstance(one.e, ev.TurnEnded)]
    assert all(len(turn.results) == 1 for turn in turns)
    assert msgspec.json.encode(told)
