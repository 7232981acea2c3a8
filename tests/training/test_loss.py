"""The loss on JAX against golden numbers of the published network, and batches that are padded."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.deepmind.network.plan import Ints
from parlour.training.batches import BatchRoom, training_batch
from support.deepmind import golden as golden

jax = pytest.importorskip("jax")


def played() -> Ints:
    """[6, 7, 17]: the orders that the golden numbers were forced to."""
    actions = np.full((6, 7, 17), -1, np.int32)
    for number, (phase, power, step) in enumerate(golden.OUTPUTS["slot"].tolist()):
        action = int(golden.OUTPUTS["tf_chosen"][number])
        actions[phase, power, step] = action >> 48 << 16 | action & 0xFFFF
    return actions


@pytest.mark.timeout(300)  # most of it is compiling
def test_figures_are_those_of_the_published_loss() -> None:
    """Also that JAX and NumPy share one source: the golden numbers are met on JAX too."""
    from parlour.training.loss import loss_of

    parameters = golden.parameters()
    returns = np.random.default_rng(0).dirichlet(np.ones(7), 6).astype(np.float32)
    discounts = np.ones((6, 7), np.float32)
    discounts[2, 3] = discounts[5] = 0
    batch, places = training_batch(golden.batch(forced=False), played(), returns, discounts, BatchRoom.none())

    def look(weights: object, batch: object) -> object:
        return loss_of(weights, parameters.config, batch, places, training=False)[1][0]  # type: ignore[arg-type]

    figures = {name: float(value) for name, value in jax.jit(look)(parameters.arrays, batch).items()}
    slots = golden.OUTPUTS["slot"]
    counted = discounts[slots[:, 0], slots[:, 1]]
    sizes = np.diff(golden.OUTPUTS["slot_off"])
    assert figures["policy_loss"] == pytest.approx(
        -(golden.OUTPUTS["tf_chosen_logprob"] * counted).sum() / 42, abs=2e-5
    )
    assert figures["uniform_random_policy_loss"] == pytest.approx((np.log(sizes) * counted).sum() / 42, abs=2e-5)
    values = -(np.log(golden.OUTPUTS["values"]) * returns).sum(axis=1) * discounts.max(axis=1)
    assert figures["value_loss"] == pytest.approx(values.mean(), abs=2e-5)
    assert figures["total_loss"] == pytest.approx(figures["policy_loss"] + figures["value_loss"], abs=1e-5)
    assert figures["uniform_random_value_loss"] == pytest.approx(np.log(7) * 5 / 6, abs=2e-5)
    right = []
    bounds = golden.OUTPUTS["slot_off"]
    for number in range(len(slots)):
        part = slice(bounds[number], bounds[number + 1])
        best = golden.OUTPUTS["action_index"][part][golden.OUTPUTS["tf_logits"][part].argmax()]
        right.append(best == golden.OUTPUTS["tf_chosen"][number] >> 48)
    assert figures["accuracy"] == pytest.approx(np.mean(right), abs=1e-6)
    assert figures["accuracy_weight"] == len(slots)
    rows = {tuple(row) for row in slots[:, :2].tolist()}
    whole = [
        all(hit for hit, slot in zip(right, slots.tolist(), strict=True) if tuple(slot[:2]) == row) for row in rows
    ]
    assert figures["whole_accuracy"] == pytest.approx(np.mean(whole), abs=1e-6)
    assert figures["whole_accuracy_weight"] == len(rows)


def test_room_grows_and_is_rounded() -> None:
    room = BatchRoom.none()
    small, _ = training_batch(
        golden.transformed(forced=False)[0], played()[:1], *(np.ones((1, 7), np.float32),) * 2, room
    )
    before = dict(room.sizes)
    assert small.legal_counts.shape[0] == before["steps"] == 64
    large, _ = training_batch(golden.batch(forced=False), played(), *(np.ones((6, 7), np.float32),) * 2, room)
    assert room.sizes["steps"] == 128
    assert large.turn.legal.shape[0] == room.sizes["legal"] > before["legal"]
    assert all(size >= room.sizes[name] * 1.1 - 1 for name, size in room.widened().sizes.items())


def test_orders_that_are_not_known_are_not_learned_from() -> None:
    actions = played()
    actions[0, 2, 1] = -1
    batch, _ = training_batch(
        golden.batch(forced=False), actions, *(np.ones((6, 7), np.float32),) * 2, BatchRoom.none()
    )
    known = (batch.chosen < len(batch.turn.legal)) & (batch.legal_counts > 0)
    assert known.sum() == len(golden.OUTPUTS["slot"]) - 1
