"""The classes of a match's promises as one plain value, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from parlour.core.game import Plain
from parlour.press.deception.class_counts import ClassCounts, class_rows, lie_rows
from parlour.press.ledger import Ledger


def class_report(
    ledger: Ledger, counts: Mapping[str, ClassCounts], values: Mapping[str, Any] | None = None
) -> dict[str, Plain]:
    """Return promises with classes, lies, disagreements, withheld attacks, seals, counts by power, and any values."""
    told: dict[str, Plain] = {
        "promises": class_rows(ledger),
        "lies": lie_rows(ledger),
        "disagreements": [msgspec.to_builtins(each) for each in ledger.disagreements],
        "withheld": [msgspec.to_builtins(each) for each in ledger.seals.withheld],
        "seals": [
            {
                "power": plan.power,
                "turn": plan.turn,
                "orders": None if plan.orders is None else list(plan.orders),
                "illegal": list(plan.illegal),
                "unread": list(plan.unread),
            }
            for plan in ledger.seals.plans
        ],
        "powers": {power: counts_report(count) for power, count in counts.items()},
    }
    if values is not None:
        told["values"] = dict(values)
    return told


def counts_report(count: ClassCounts) -> dict[str, Plain]:
    """Return the counts of one power or player, with their rates."""
    rate = count.per_opportunity
    return {
        **msgspec.to_builtins(count),
        "fidelity": count.fidelity,
        "reliable": count.reliable,
        "per_opportunity": None if rate is None else {"rate": rate[0], "low": rate[1], "high": rate[2]},
        "mistakes_p": count.mistakes_p,
    }
