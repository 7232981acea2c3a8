"""The game object: configuration, seats, and the contract that every game keeps."""

from __future__ import annotations

import pytest

from parlour.core.game import Plain, Seat
from parlour.errors import ConfigError
from parlour.games.diplomacy import GAME, start
from parlour.testing import check_game


@pytest.mark.parametrize("config", [{"last_year": 1904}, {"map": "lagoon", "last_year": 1712, "scoring": "draw size"}])
def test_it_keeps_the_contract_of_a_game(config: dict[str, Plain]) -> None:
    check_game(GAME, config, matches=2, turns=30)


def test_seats_are_the_powers_of_the_map() -> None:
    assert GAME.seats({}) == ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
    assert GAME.seats({"map": "lagoon"}) == ("AMBER", "BRONZE", "COBALT")
    assert GAME.fewest({}) == 2


def test_powers_without_a_seat_are_out_of_the_match() -> None:
    position = GAME.start({}, [Seat("FRANCE"), Seat("ENGLAND")], 1)
    assert position.to_act() == ("ENGLAND", "FRANCE")


def test_it_starts_from_a_position() -> None:
    later = start().resolve({"FRANCE": ["A PAR - BUR"]})
    position = GAME.start({"position": later.fen, "scoring": "centre share"}, GAME.seats({}), 1)
    assert (position.phase, position.units, position.scoring) == ("F1901M", later.units, "centre share")
    assert position.last_year == 2000


def test_a_match_without_a_last_year_ends_after_a_hundred() -> None:
    assert GAME.start({}, GAME.seats({}), 1).last_year == 2000


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"map": "atlantis"}, "map"),
        ({"map": 3}, "map"),
        ({"map": "../standard"}, "map"),
        ({"last_year": "soon"}, "last_year"),
        ({"last_year": True}, "last_year"),
        ({"last_year": 10**9}, "last_year"),
        ({"last_year": 1900}, "last_year"),
        ({"scoring": "luck"}, "scoring"),
        ({"scoring": 1}, "scoring"),
        ({"position": 3}, "position"),
        ({"position": "standard S1901X"}, "position"),
        ({"position": "standard W1901A - - - - ended:drawn"}, "position"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_a_bad_configuration_is_refused_by_field(config: dict[str, Plain], field: str) -> None:
    with pytest.raises(ConfigError, match=field) as caught:
        GAME.start(config, (Seat("FRANCE"), Seat("GERMANY")), 1)
    assert caught.value.field == field
