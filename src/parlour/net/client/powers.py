"""A power of a game over the network, as its client knows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from parlour.core.game import Plain
from parlour.core.intents import Ballot, CommStatus
from parlour.net.mila.protocol_values import DUMMY, PowerSheet, SeatedAs

_KEPT = ("units", "retreats", "centers", "homes", "influence", "civil_disorder")
"""Fields of each power in a state, besides its builds."""


@dataclass(slots=True)
class NetworkPower:
    """A power. Its fields change with the server's notifications."""

    name: str
    role: str = ""
    abbrev: str | None = None
    units: list[str] = field(default_factory=list)
    """The units; those that must retreat begin with a star."""
    centers: list[str] = field(default_factory=list)
    homes: list[str] = field(default_factory=list)
    influence: list[str] = field(default_factory=list)
    retreats: dict[str, list[str]] = field(default_factory=dict)
    civil_disorder: int = 0
    orders: list[str] = field(default_factory=list)
    """Orders of this phase, as far as this role may see them."""
    order_is_set: int = 0
    """0 if nothing was ordered, 1 if the orders are empty, 2 if there are some."""
    vote: Ballot = Ballot.NEUTRAL
    wait: bool = True
    comm_status: CommStatus = CommStatus.INACTIVE
    player_type: SeatedAs = SeatedAs.HUMAN
    controller: dict[int, str] = field(default_factory=dict)
    """Controllers by the time of their start in microseconds; the last is the present one."""

    @classmethod
    def of(cls, sheet: PowerSheet) -> NetworkPower:
        """Return the power as a server describes it."""
        # Unchecked orders are listed under a number, not under their unit.
        moves = (rest if unit.startswith("ORDER ") else f"{unit} {rest}" for unit, rest in sheet.orders.items())
        orders = [*(order.strip() for order in moves if order.strip()), *sheet.adjust]
        return cls(
            name=sheet.name,
            role=sheet.role,
            abbrev=sheet.abbrev,
            units=list(sheet.units) + [f"*{unit}" for unit in sheet.retreats],
            centers=list(sheet.centers),
            homes=list(sheet.homes or ()),
            influence=list(sheet.influence),
            retreats=dict(sheet.retreats),
            civil_disorder=sheet.civil_disorder,
            orders=orders,
            order_is_set=sheet.order_is_set,
            vote=sheet.vote,
            wait=sheet.wait,
            comm_status=sheet.comm_status,
            player_type=sheet.player_type,
            controller={int(time): name for time, name in sheet.controller.items()},
        )

    def take_state(self, state: dict[str, Plain]) -> None:
        """Set this power's fields from a state; fields that the state lacks stay as they are."""
        for name in _KEPT:
            if self.name in state.get(name, {}):
                setattr(self, name, state[name][self.name])

    def get_controller(self) -> str:
        """Return the present controller; dummy if there is none."""
        return self.controller[max(self.controller)] if self.controller else DUMMY

    def get_controller_timestamp(self) -> int:
        """Return the time since which the power has its controller, in microseconds."""
        return max(self.controller, default=0)

    def is_controlled(self) -> bool:
        """Return True if somebody plays the power."""
        return self.get_controller() != DUMMY

    def is_dummy(self) -> bool:
        """Return True if nobody plays the power."""
        return not self.is_controlled()

    def is_controlled_by(self, username: str) -> bool:
        """Return True if that account plays the power."""
        return self.is_controlled() and self.get_controller() == username

    def is_eliminated(self) -> bool:
        """Return True if the power has neither units nor centres."""
        return not (self.units or self.centers or self.retreats)

    def moves_submitted(self) -> bool:
        """Return True if the power has given orders, or has no units to order."""
        return bool(self.order_is_set) or not self.units

    def does_not_wait(self) -> bool:
        """Return True if the phase need not wait for the power."""
        return bool(self.order_is_set) and not self.wait

    def clear_orders(self) -> None:
        """Remove the power's orders."""
        self.orders, self.order_is_set = [], 0
