"""Questions of a program about its game: players, readiness, rules, past phases."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from parlour.core.intents import Ballot
from parlour.errors import ConfigError
from parlour.net.client.local_game import LocalGame
from parlour.net.client.powers import NetworkPower
from parlour.net.mila.protocol_values import GLOBAL, OBSERVER, OMNISCIENT, GamePhase, Message

_LEFT_OUT = frozenset(("SOLITAIRE", "NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT", "IGNORE_ERRORS"))
"""Rules of a table rather than of a game, which the package leaves out of saved games."""


class Questions(LocalGame):
    """A game with questions that are answered from local data; their names are those of the `diplomacy` package."""

    # Powers and who plays them

    def get_power(self, power_name: str) -> NetworkPower | None:
        """Return the power of that name; None if there is none."""
        return self.powers.get(power_name)

    def has_power(self, power_name: str) -> bool:
        """Return True if there is such a power."""
        return power_name in self.powers

    def get_map_power_names(self) -> list[str]:
        """Return the names of all powers."""
        return list(self.powers)

    def get_random_power_name(self) -> str:
        """Return a surviving power without a player; raise ConfigError if there is none."""
        free = [power.name for power in self.powers.values() if power.is_dummy() and not power.is_eliminated()]
        if not free:
            raise ConfigError("no power is free in this game", field="power_name")
        return random.choice(free)

    def is_controlled(self, power_name: str) -> bool:
        """Return True if somebody plays that power."""
        return self.powers[power_name.upper()].is_controlled()

    def is_dummy(self, power_name: str) -> bool:
        """Return True if nobody plays that power."""
        return self.powers[power_name.upper()].is_dummy()

    def get_controllers(self) -> dict[str, str]:
        """Return the player of each power."""
        return {name: power.get_controller() for name, power in self.powers.items()}

    def get_controllers_timestamps(self) -> dict[str, int]:
        """Return the time since which each power has its player, in microseconds."""
        return {name: power.get_controller_timestamp() for name, power in self.powers.items()}

    def get_controlled_power_names(self, username: str) -> list[str]:
        """Return the powers that an account plays."""
        return [name for name, power in self.powers.items() if power.is_controlled_by(username)]

    def get_dummy_power_names(self) -> set[str]:
        """Return the powers that nobody plays."""
        return {name for name, power in self.powers.items() if power.is_dummy()}

    def get_dummy_unordered_power_names(self) -> list[str]:
        """Return the surviving powers without a player and without orders."""
        powers = self.powers.values()
        return [p.name for p in powers if p.is_dummy() and not p.is_eliminated() and not p.order_is_set]

    def count_controlled_powers(self) -> int:
        """Return the number of powers with a player."""
        return sum(power.is_controlled() for power in self.powers.values())

    def get_expected_controls_count(self) -> int:
        """Return the number of powers that need a player."""
        return len(self.powers) if self.n_controls is None else self.n_controls

    def has_expected_controls_count(self) -> bool:
        """Return True if exactly the number of powers that need a player have one."""
        return self.count_controlled_powers() == self.get_expected_controls_count()

    # Flags and votes

    def does_not_wait(self) -> bool:
        """Return True if no surviving power holds up the phase."""
        return all(power.is_eliminated() or power.does_not_wait() for power in self.powers.values())

    def count_voted(self) -> int:
        """Return the number of votes on a draw, as far as this role may see them."""
        powers = self.powers.values()
        return sum(not power.is_eliminated() and power.vote != Ballot.NEUTRAL for power in powers)

    def has_draw_vote(self) -> bool:
        """Return True if all surviving powers with a player vote for a draw, as far as this role may see votes."""
        voters = [power for power in self.powers.values() if power.is_controlled() and not power.is_eliminated()]
        return bool(voters) and all(power.vote == Ballot.YES for power in voters)

    # Rules

    @property
    def power_choice(self) -> bool:
        """True if a player may choose the power."""
        return "POWER_CHOICE" in self.rules

    @property
    def multiple_powers_per_player(self) -> bool:
        """True if an account may play several powers."""
        return "MULTIPLE_POWERS_PER_PLAYER" in self.rules

    @property
    def no_observations(self) -> bool:
        """True if only callers with the right to watch may watch the game."""
        return "NO_OBSERVATIONS" in self.rules

    @property
    def no_press(self) -> bool:
        """True if nobody may send press."""
        return "NO_PRESS" in self.rules

    @property
    def public_press(self) -> bool:
        """True if every message goes to all powers."""
        return "PUBLIC_PRESS" in self.rules

    @property
    def real_time(self) -> bool:
        """True if a phase ends as soon as all have ordered."""
        return "REAL_TIME" in self.rules

    @property
    def solitaire(self) -> bool:
        """True if the game has no players."""
        return "SOLITAIRE" in self.rules

    @property
    def start_master(self) -> bool:
        """True if a moderator starts the game."""
        return "START_MASTER" in self.rules

    # Phases

    def get_phase_data(self) -> GamePhase:
        """Return the running phase: its state, its press, and the orders that are known here.

        The orders of a power are None if it has given none.
        """
        return GamePhase(
            name=self.get_current_phase(),
            state=self.get_state(),
            orders={name: list(p.orders) if p.order_is_set else None for name, p in self.powers.items()},
            results={},
            messages=list(self.messages.values()),
            logs=list(self.logs.values()),
        )

    def get_phase_from_history(self, short_phase_name: str) -> GamePhase:
        """Return a phase that is over; KeyError if it is not."""
        orders: dict[str, list[str] | None] = {**self.order_history[short_phase_name]}
        return GamePhase(
            name=short_phase_name,
            state=self.state_history[short_phase_name],
            orders=orders,
            results=self.result_history.get(short_phase_name, {}),
            messages=list(self.message_history.get(short_phase_name, {}).values()),
            logs=list(self.log_history.get(short_phase_name, {}).values()),
        )

    def phase_history_from_timestamp(self, timestamp: int) -> list[GamePhase]:
        """Return the phases that ended at that time or later, in microseconds."""
        known = self.state_history.items()
        return [self.get_phase_from_history(name) for name, state in known if state.get("timestamp", 0) >= timestamp]

    @staticmethod
    def filter_messages(
        messages: Mapping[int, Message] | Iterable[Message],
        game_role: str,
        timestamp_from: int | None = None,
        timestamp_to: int | None = None,
    ) -> dict[int, Message]:
        """Return the messages that a role may see, by time, within the given times."""
        found: dict[int, Message] = {}
        for message in messages.values() if isinstance(messages, Mapping) else messages:
            at = message.time_sent or 0
            if (timestamp_from is None or at >= timestamp_from) and (timestamp_to is None or at <= timestamp_to):
                if _may_see(message, game_role):
                    found[at] = message
        return found


def _may_see(message: Message, role: str) -> bool:
    if role == OMNISCIENT or message.recipient == GLOBAL:
        return True
    named = (message.sender, *(message.recipients or [message.recipient]))
    return message.recipient == "OBSERVER" if role == OBSERVER else role in named


def to_saved_game_format(game: Questions) -> dict[str, Any]:
    """Return the game from local data in the package's form; `NetworkGame.save` asks the server for it."""
    rules = [rule for rule in game.rules if rule not in _LEFT_OUT]
    phases = [game.get_phase_from_history(name) for name in game.state_history]
    told = [_plain(phase) for phase in (*phases, game.get_phase_data())]
    for phase in told:
        phase["state"] = {**phase["state"], "game_id": game.game_id, "map": game.map_name, "rules": rules}
    return {"id": game.game_id, "map": game.map_name, "rules": rules, "phases": told}


def _plain(phase: GamePhase) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(phase)
    return plain
