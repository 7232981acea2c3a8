"""Fog of war: what a power sees is what its units and centres see, and nothing else can be found out."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.terms import Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.errors import ConfigError
from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.display.pictures import draw_position
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.fog import FogView, is_foggy, visible
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import Map, named
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from parlour.press.ledger import Ledger
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match

FRANCE = Seat("FRANCE")


def foggy(name: str = "standard") -> Map:
    return named(name).under((Variation.FOG,))


def test_a_power_sees_its_units_its_centres_and_what_borders_on_them() -> None:
    view = Position.start(foggy()).view(seated_on(FRANCE))
    assert {name for name, own in view.units.items() if own} == {"FRANCE"}
    assert view.centers["FRANCE"] == ["BRE", "MAR", "PAR"]
    assert view.centers["RUSSIA"] == []
    near = Position.read("standard S1901M FRA=ABUR;GER=AMUN,ABER FRA=PAR;GER=MUN,BER - - rules:fog")
    assert near.view(seated_on(FRANCE)).units["GERMANY"] == ["A MUN"]


def test_who_is_not_seen_is_in_the_match_all_the_same() -> None:
    truth = Position.start(foggy()).without(Seat("ITALY"))
    view = truth.view(seated_on(FRANCE))
    others = {"AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "RUSSIA", "TURKEY"}
    assert set(view.alive()) == others
    ledger = Ledger()
    ledger.begin(view)
    assert ledger.present == {name[:3] for name in others}
    said = ev.Said(0.0, FRANCE, (Seat("RUSSIA"),), "PRP ( PCE ( FRA RUS ) )", 1)
    assert ledger.hear(said) is not None
    ledger.hear(ev.Said(0.0, Seat("RUSSIA"), (FRANCE,), "YES ( PRP ( PCE ( FRA RUS ) ) )", 1))
    orders = {FRANCE: ["A PAR - BUR"]}
    assert ledger.settle(orders, truth.following(orders).view(seated_on(FRANCE)))
    assert len(ledger.active()) == 1


def test_a_picture_covers_what_is_not_seen() -> None:
    truth = Position.start(foggy())
    view = truth.view(seated_on(FRANCE))
    covered = PICTURES.frame(view).layers["fog"] or ()
    assert isinstance(view, FogView)
    assert {"BUR", "SPA", "MAO", "PAR"}.isdisjoint(view.hidden)
    assert {"MOS", "BLA", "LON", "BEL"} <= view.hidden
    again = pickle.loads(pickle.dumps(view))
    assert again == view
    assert again.hidden == view.hidden
    assert {mark.attributes["data-key"] for mark in covered} == view.hidden
    assert PICTURES.frame(truth).layers["fog"] == ()
    drawn, clear = draw_position(view), draw_position(truth)
    assert drawn.count('fill-opacity="0.7"') == len(view.hidden)
    assert 'fill-opacity="0.7"' not in clear


def test_who_sees_all_and_who_sees_nothing() -> None:
    position = Position.start(foggy())
    assert position.view(OMNISCIENT) is position
    assert position.view(seated_on(FRANCE).looking_back()) is position
    nothing = position.view(SPECTATOR)
    assert not any(nothing.units.values())
    assert not any(nothing.centers.values())
    over = position.stopped()
    assert over.view(SPECTATOR) is over
    clear = Position.start()
    assert clear.view(SPECTATOR) is clear


def states(name: str, seed: int) -> Iterator[tuple[Map, bytes]]:
    """Random states of a game in fog."""
    board = foggy(name)
    rules = rules_of(board)
    state = rules.start(board.year + 4 * board.calendar.step)[None]
    for number in range(18):
        yield board, state[0].tobytes()
        state, _ = rules.step(state, rules.sample(state, np.array([seed * 1000 + number], np.uint64)))


def otherwise(board: Map, state: bytes, power: int, chance: random.Random) -> bytes:
    """Return another truth that looks the same to a power: all that it does not see is changed at random."""
    seen, other = visible(board, state, [power]), bytearray(state)
    for province in board.provinces:
        if province.id in seen:
            continue
        for offset in (k.UNITS, k.DISLODGED, k.ORIGINS, k.INFLUENCE, k.OWNERS):
            other[offset + province.id] = 0
        strangers = [each.id for each in board.powers if each.id != power]
        if chance.random() < 0.4:
            fleet = province.kind == "sea"
            other[k.UNITS + province.id] = (chance.choice(strangers) + 1) | (k.FLEET if fleet else 0)
        if province.centre and chance.random() < 0.5:
            other[k.OWNERS + province.id] = chance.choice(strangers) + 1
    for number in range(len(board.powers)):
        if number != power:
            other[k.BUILDS + number] = chance.randrange(5)
    return bytes(other)


@pytest.mark.parametrize("name", ["standard", "hundred", "lagoon"])
@pytest.mark.parametrize("seed", range(2))
def test_what_is_hidden_makes_no_difference_to_anything_that_a_power_is_told(name: str, seed: int) -> None:
    chance = random.Random(seed)
    for board, state in states(name, seed):
        for power in board.powers:
            seat, truth = Seat(power.name), Position(board, state)
            other = Position(board, otherwise(board, state, power.id, chance))
            if truth.over or other.over:
                continue
            viewer = seated_on(seat)
            assert truth.view(viewer) == other.view(viewer)
            assert truth.view(viewer).fen == other.view(viewer).fen
            everything = orders_about(board, truth, chance)
            assert truth.check(seat, everything) == other.check(seat, everything)
            if truth.stage == "orders":
                void = [position.apply({seat: everything})[1]["void"] for position in (truth, other)]
                assert void[0] == void[1]


def orders_about(board: Map, position: Position, chance: random.Random) -> list[str]:
    """Orders that ask about places that may be hidden."""
    tags = [province.tag for province in board.provinces]
    own = [unit for units in position.units.values() for unit in units]
    asked = [f"{chance.choice(own)} S A {chance.choice(tags)} - {chance.choice(tags)}" for _ in range(6) if own]
    return [*asked, *(f"{unit} - {chance.choice(tags)} VIA" for unit in own[:6])]


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_whatever_may_be_ordered_in_fog_is_possible_in_truth(name: str) -> None:
    for board, state in states(name, 3):
        truth = Position(board, state)
        for power in board.powers:
            seat = Seat(power.name)
            assert set(truth.view(seated_on(seat)).legal(seat)) <= set(truth.legal(seat))


def test_events_tell_a_seat_only_what_it_may_know() -> None:
    config: dict[str, Plain] = {"rules": ["fog"], "years": 2}
    assert is_foggy(config)
    assert is_foggy({"sight": "fog"})
    assert not is_foggy({"rules": [], "sight": "clear"})
    agents = list(GAME.seats(config))
    record = recorded(config, "greedy")
    ended = [event for event in record if isinstance(event, ev.TurnEnded)]
    assert ended
    assert all(len(event.actions) > 1 for event in ended[:2])
    for seat in agents:
        for event in ended:
            seen = told(event, seated_on(seat))
            assert isinstance(seen, ev.TurnEnded)
            assert set(seen.actions) <= {seat}
            for name in ("results", "void", "disbanded"):
                assert set(seen.happened[name]) <= {seat}, name
            assert seen.happened["defaults"] == []
    started = next(event for event in record if isinstance(event, ev.Started))
    assert b"RUS=" not in msgspec.json.encode(told(started, seated_on(FRANCE)))
    assert told(ended[0], seated_on(FRANCE).looking_back()) == ended[0]
    assert told(ended[0], OMNISCIENT) == ended[0]


@pytest.mark.parametrize(
    "order", ["A PAR S A MUN - BUR", "A PAR S F MUN - BUR", "A PAR S MUN - BUR", "A MAR S ROM - PIE"]
)
def test_an_order_about_what_is_not_seen_is_void_whatever_is_there(order: str) -> None:
    fen = Position.start(foggy()).fen
    empty = fen.replace("GER=AMUN,ABER,FKIE", "GER=ABER,FKIE").replace("ITA=FNAP,AROM,AVEN", "ITA=FNAP,AVEN")
    told = [Position.read(text, foggy()).apply({FRANCE: [order]})[1] for text in (fen, empty)]
    assert [each["results"] for each in told] == [{FRANCE: {order: "void"}}] * 2
    assert told[0]["void"] == told[1]["void"]
    assert "expected a province with a unit" in told[0]["void"][FRANCE][order]


def test_fog_is_a_rule_or_a_sight() -> None:
    seats = GAME.seats({})
    for config in ({"rules": ["fog"]}, {"sight": "fog"}, {"sight": "fog", "map": "standard"}):
        assert GAME.start(config, seats, 1).board.variations == (Variation.FOG,)
    both = GAME.start({"sight": "fog", "rules": ["build-anywhere"]}, seats, 1)
    assert set(both.board.variations) == {Variation.FOG, Variation.BUILD_ANYWHERE}
    with pytest.raises(ConfigError, match="sight: expected clear or fog"):
        GAME.start({"sight": "mist"}, seats, 1)


def told(event: ev.Event, viewer: Viewer) -> ev.Event | None:
    return ev.seen_by(event, viewer, GAME)


def recorded(config: dict[str, Plain], agent: str) -> list[ev.Event]:
    """Return the record of a match among agents of one kind."""
    match, kept = Match(GAME, config, Terms(conduct=DIPLOMACY), 5), list[ev.Event]()
    players = {seat: make_agent("diplomacy", agent, number) for number, seat in enumerate(GAME.seats(config))}
    play(match, players, keep=kept.extend)
    return kept


def test_a_clear_turn_is_told_as_it_is() -> None:
    ended = next(event for event in recorded({"years": 1}, "hold") if isinstance(event, ev.TurnEnded))
    assert told(ended, SPECTATOR) is ended
