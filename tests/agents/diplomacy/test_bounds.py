"""Search within bounds: what is promised is ordered, what is barred is not, and others are taken at their word."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents.diplomacy.bounds import Bounds, Limits, Pledge, bound_choices, kept, outlook
from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from support.diplomacy.orders import study_of, texts_of
from support.press.stories import at

FRANCE, GERMANY = 2, 3


def place(position: Position, tag: str) -> int:
    return next(number for number, province in enumerate(position.board.provinces) if province.tag == tag)


def only(position: Position, **orders: tuple[str, ...]) -> Limits:
    return {place(position, tag): texts for tag, texts in orders.items()}


def chosen(position: Position, bounds: Bounds, power: int = FRANCE, seed: int = 1, mixture: bool = True) -> list[str]:
    search = Search(seed, SearchOptions(budget=150, mixture=mixture))
    return sorted(str(position.order_of(action)) for action in search.choose(position, power, bounds))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mixture", [True, False])
def test_what_is_promised_is_ordered_and_what_is_barred_is_not(seed: int, mixture: bool) -> None:
    position = Position.start()
    free = [text for text in position.orders_at(place(position, "MAR")) if "BUR" not in text and "SPA" not in text]
    limits = only(position, PAR=("A PAR - PIC",), MAR=tuple(free))
    orders = chosen(position, Bounds(limits), seed=seed, mixture=mixture)
    assert "A PAR - PIC" in orders
    assert len(orders) == 3
    assert not any(text.startswith("A MAR") and text not in free for text in orders)


def test_who_may_not_hold_goes_and_takes_its_supports_along() -> None:
    position = at("S1902M", "FRA=ABUR,AGAS,APIC;GER=AMUN", "FRA=PAR,MAR,BRE;GER=MUN")
    study = study_of(position)
    away = tuple(text for text in position.orders_at(place(position, "GAS")) if " - MAR" in text or " - SPA" in text)
    choices = bound_choices(study, study.units(FRANCE), only(position, GAS=away, PIC=("A PIC S A BUR - PAR",)))
    for start in study.sets(study.drawn(study.seeds(30)), FRANCE):
        orders = texts_of(study, "FRANCE", choices.bent(start))
        assert "A PIC S A BUR - PAR" in orders
        assert "A GAS - MAR" in orders or "A GAS - SPA" in orders


def test_a_set_that_keeps_to_its_limits_is_left_alone() -> None:
    study = study_of(Position.start())
    [start, *_] = study.sets(study.drawn(study.seeds(1)), FRANCE)
    assert bound_choices(study, study.units(FRANCE), {}).bent(start) is start


@pytest.mark.parametrize(("chance", "least", "most"), [(1.0, 64, 64), (0.5, 16, 48), (0.0, 0, 0)])
def test_a_pledge_is_kept_in_as_many_samples_as_its_chance_says(chance: float, least: int, most: int) -> None:
    position = Position.start()
    study = study_of(position)
    drawn = study.drawn(study.seeds(64))
    unusual = only(position, KIE=("F KIE - BAL",), BER=("A BER - PRU",), MUN=("A MUN - TYR",))
    found = kept(study, drawn, [Pledge(GERMANY, unusual, chance)], np.random.default_rng(1))
    units = list(study.units(GERMANY))
    both = [texts_of(study, "GERMANY", tuple(row)) for row in found[:, units].tolist()]
    assert least <= sum(row == ["A BER - PRU", "A MUN - TYR", "F KIE - BAL"] for row in both) <= most
    others = [unit for unit in range(found.shape[1]) if unit not in units]
    assert (found[:, others] == drawn[:, others]).all()
    assert found is not drawn


def test_search_relies_on_what_others_promised() -> None:
    """Alone France cannot take Munich; with Italy's support it can."""
    position = at("F1902M", "FRA=ABUR;GER=AMUN;ITA=ATYR", "FRA=PAR,MAR,BEL;GER=MUN;ITA=VEN")
    help = Pledge(4, only(position, TYR=("A TYR S A BUR - MUN",)))
    stays = Pledge(GERMANY, only(position, MUN=("A MUN H",)))
    assert chosen(position, Bounds(pledges=[help, stays])) == ["A BUR - MUN"]
    parts = outlook(study_of(position), [[stays], [stays, help], [stays, help, Pledge(FRANCE, _moves(position))]], 8)
    assert parts[2, FRANCE] > parts[0, FRANCE]
    assert parts[2, GERMANY] < parts[0, GERMANY]


def _moves(position: Position) -> Limits:
    return only(position, BUR=("A BUR - MUN",))


def test_whom_it_wishes_ill_it_attacks() -> None:
    position = at("F1902M", "FRA=ABUR", "FRA=PAR;GER=MUN,BER;ITA=MAR,ROM;ENG=LON,LVP")
    assert chosen(position, Bounds(regard={GERMANY: -0.9})) == ["A BUR - MUN"]
    assert chosen(position, Bounds(regard={4: -0.9})) == ["A BUR - MAR"]


def test_promised_builds_come_first_and_a_promised_waiver_is_waived() -> None:
    winter = at("W1901A", "FRA=ABUR;GER=AMUN", "FRA=PAR,BRE,MAR,SPA;GER=MUN")
    fleet = Bounds(only(winter, MAR=("F MAR B",)), due={place(winter, "MAR")})
    for seed in range(5):
        orders = chosen(winter, fleet, seed=seed)
        assert "F MAR B" in orders
        assert len(orders) == 3
    assert chosen(winter, Bounds(waives=True)).count("WAIVE") == 1
    nowhere = only(winter, PAR=(), MAR=(), BRE=())
    assert chosen(winter, Bounds(nowhere)) == ["WAIVE"] * 3


def test_promised_removal_is_made() -> None:
    winter = at("W1901A", "FRA=APAR,ABUR,AMAR;GER=AMUN", "FRA=PAR,MAR;GER=MUN")
    bounds = Bounds(only(winter, PAR=("A PAR D",)), due={place(winter, "PAR")})
    assert {tuple(chosen(winter, bounds, seed=seed)) for seed in range(5)} == {("A PAR D",)}


def test_retreats_keep_to_their_limits() -> None:
    position = at("S1902M", "FRA=ABUR;GER=AMUN,ARUH", "FRA=PAR;GER=MUN")
    after, _ = position.apply(
        {Seat("GERMANY"): ["A MUN - BUR", "A RUH S A MUN - BUR"], Seat("FRANCE"): ["A BUR H"]}
    )  # fmt: skip
    assert after.stage == "retreats"
    assert chosen(after, Bounds(only(after, BUR=("A BUR R GAS",)))) == ["A BUR R GAS"]
