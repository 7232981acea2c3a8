"""Order sets of the search as text and back, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlour.agents.diplomacy.choices import Choices, OrderSet
from parlour.agents.diplomacy.dumbbot_variants import new_rollouts
from parlour.agents.diplomacy.position_study import Study
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position


def study_of(position: Position, seed: int = 0) -> Study:
    return Study(new_rollouts(position.board), position, np.random.default_rng(seed))


def set_of(study: Study, seat: str, texts: Sequence[str]) -> OrderSet:
    """Return the order set of a power; units that are not named hold."""
    position, power = study.position, study.position.power_of(Seat(seat))
    entries = position.understand(Seat(seat), texts)
    assert all(entry.action is not None for entry in entries), [str(entry.flaw) for entry in entries]
    actions = np.array([entry.action for entry in entries], np.int64)
    orders = np.zeros(len(actions), np.int32)
    study.desk.read_orders(actions.data, orders.data)
    by_place = dict(zip(((actions >> 9) & 127).tolist(), orders.tolist(), strict=True))
    return tuple(by_place.get(unit, 3) for unit in study.units(power))


def texts_of(study: Study, seat: str, orders: OrderSet) -> list[str]:
    power = study.position.power_of(Seat(seat))
    return sorted(str(study.position.order_of(action)) for action in study.actions(power, orders))


def choices_of(study: Study, seat: str, *, repairs: bool = True) -> Choices:
    power = study.position.power_of(Seat(seat))
    return Choices(study.position.board, study.units(power), study.legal, repairs=repairs)
