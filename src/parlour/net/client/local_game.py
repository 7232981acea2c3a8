"""A client's copy of a game, kept up to date by notifications; sends nothing and waits for nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from parlour.core.game import Plain, Seat
from parlour.core.intents import Ballot, CommStatus
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.display.pictures import draw_orders
from parlour.games.diplomacy.engine.state import COMPLETED
from parlour.games.diplomacy.formats.states import position_of_state, write_state, zobrist_hash
from parlour.games.diplomacy.maps.map import Map, named
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import varied_by
from parlour.net.client.powers import NetworkPower
from parlour.net.mila import notifications as n
from parlour.net.mila.possible import possible, possible_orders
from parlour.net.mila.protocol_values import (
    DUMMY,
    GLOBAL,
    KIND_WORDS,
    OBSERVER,
    OMNISCIENT,
    SPECIAL_ROLES,
    GamePhase,
    GameSheet,
    GameStatus,
    Log,
    Message,
    PhaseKind,
    long_phase,
)


class LocalGame:
    """A game in one role. Its attributes have the names and spellings of the `diplomacy` package."""

    def __init__(self, sheet: GameSheet) -> None:
        self.game_id, self.role, self.map_name = sheet.game_id, sheet.role, sheet.map_name
        self.status = sheet.status
        self.deadline, self.n_controls = sheet.deadline, sheet.n_controls
        self.rules = list(sheet.rules)
        self.timestamp_created = sheet.timestamp_created or 0
        self.note, self.outcome = sheet.note, list(sheet.outcome)
        self.controlled_powers, self.observer_level = sheet.controlled_powers, sheet.observer_level
        self.daide_port = sheet.daide_port
        self.victory, self.win = list(sheet.victory), sheet.win
        self.no_rules, self.meta_rules = list(sheet.no_rules), list(sheet.meta_rules)
        self.powers = {name: NetworkPower.of(power) for name, power in sheet.powers.items()}
        self.messages = _by_time(sheet.messages)
        self.logs = _by_time(sheet.logs)
        self.state_history: dict[str, dict[str, Plain]] = dict(sheet.state_history)
        self.order_history: dict[str, dict[str, list[str]]] = dict(sheet.order_history)
        self.result_history: dict[str, dict[str, list[str]]] = dict(sheet.result_history)
        self.message_history = {phase: _by_time(said) for phase, said in sheet.message_history.items()}
        self.log_history = {phase: _by_time(kept) for phase, kept in sheet.log_history.items()}
        self._histories: tuple[dict[str, Any], ...] = (
            self.state_history,
            self.order_history,
            self.result_history,
            self.message_history,
            self.log_history,
        )
        self.data: Any = None
        """Free space for data of the program that plays the game."""
        self._short_phase = sheet.phase_abbr or _short(sheet.phase)
        self._position: Position | None = None

    # Role

    @property
    def power(self) -> NetworkPower | None:
        """The power that this client plays; None if it watches."""
        return self.powers.get(self.role)

    def is_player_game(self) -> bool:
        """Return True if this client plays a power."""
        return self.role not in SPECIAL_ROLES

    def is_observer_game(self) -> bool:
        """Return True if this client is an observer, who sees only public information."""
        return self.role == OBSERVER

    def is_omniscient_game(self) -> bool:
        """Return True if this client sees everything."""
        return self.role == OMNISCIENT

    # Progress

    @property
    def is_game_forming(self) -> bool:
        """True if the game waits for players."""
        return self.status == GameStatus.FORMING

    @property
    def is_game_active(self) -> bool:
        """True if the game is being played."""
        return self.status == GameStatus.ACTIVE

    @property
    def is_game_paused(self) -> bool:
        """True if the game is paused."""
        return self.status == GameStatus.PAUSED

    @property
    def is_game_canceled(self) -> bool:
        """True if the game was cancelled."""
        return self.status == GameStatus.CANCELED

    @property
    def is_game_completed(self) -> bool:
        """True if the server reports that the game is over."""
        return self.status == GameStatus.COMPLETED

    @property
    def is_game_done(self) -> bool:
        """Return True if the game is over on the board, which is all that the original server reports."""
        return self._short_phase == COMPLETED

    @property
    def phase(self) -> str:
        """The phase in words, as in SPRING 1901 MOVEMENT."""
        return long_phase(self._short_phase)

    @property
    def current_short_phase(self) -> str:
        """The short name of the phase, as in S1901M."""
        return self._short_phase

    @property
    def phase_abbr(self) -> str:
        """The short name of the phase, as in S1901M."""
        return self._short_phase

    @property
    def phase_type(self) -> str:
        """The last letter of the phase: M, R or A; a dash after the end."""
        return self._short_phase[-1] if self._short_phase[-1:] in KIND_WORDS and not self.is_game_done else "-"

    def get_current_phase(self) -> str:
        """Return the short name of the phase, as in S1901M."""
        return self._short_phase

    def get_latest_timestamp(self) -> int:
        """Return the time of the latest change that this client knows of, in microseconds."""
        found = self.timestamp_created
        if self.state_history:
            found = max(found, *(int(state.get("timestamp", 0)) for state in self.state_history.values()))
        return max(found, *self.messages) if self.messages else found

    # The board

    @property
    def map(self) -> Map:
        """The map under the game's rules; ConfigError if the map is not installed."""
        return named(self.map_name).under(varied_by(self.rules))

    @property
    def position(self) -> Position:
        """Return the position, for computations; raise ConfigError on a map that is not installed."""
        if self._position is None:
            after = next(reversed(self.state_history), "")
            self._position = position_of_state(self._bare_state(), board=self.map, after=after)
        return self._position

    def get_state(self) -> dict[str, Plain]:
        """Return the state of the board; on a map that is not installed, without its hash and the builds."""
        try:
            computed = write_state(self.position)
        except (ConfigError, NotationError):
            return self._bare_state()
        return self._bare_state() | {"zobrist_hash": computed["zobrist_hash"], "builds": computed["builds"]}

    def get_hash(self) -> str:
        """Return a number that differs between positions, as the package computes it."""
        return str(zobrist_hash(self.position))

    def render(
        self,
        incl_orders: bool = True,
        incl_abbrev: bool = False,
        output_format: str = "svg",
        output_path: str | None = None,
    ) -> str:
        """Return the board as SVG, with the known orders if wanted; write it to a file, too, if one is named."""
        if output_format != "svg":
            raise ConfigError(f"output_format: expected svg, got {output_format!r:.40}", field="output_format")
        orders = [(name, order) for name, power in self.powers.items() for order in power.orders if incl_orders]
        picture = draw_orders(self.position, orders, label="tags" if incl_abbrev else "none")
        if output_path is not None:
            Path(output_path).write_text(picture, encoding="utf-8")
        return picture

    def _bare_state(self) -> dict[str, Plain]:
        powers = self.powers.values()
        return {
            "timestamp": int(time.time() * 1e6),
            "name": self._short_phase,
            "note": self.note,
            "units": {power.name: list(power.units) for power in powers},
            "retreats": {power.name: dict(power.retreats) for power in powers},
            "centers": {power.name: list(power.centers) for power in powers},
            "homes": {power.name: list(power.homes) for power in powers},
            "influence": {power.name: list(power.influence) for power in powers},
            "civil_disorder": {power.name: power.civil_disorder for power in powers},
        }

    def get_units(self, power_name: str | None = None) -> Any:
        """Return the units of a power, or of all by power."""
        return self._of(power_name, lambda power: list(power.units))

    def get_centers(self, power_name: str | None = None) -> Any:
        """Return the centres of a power, or of all by power."""
        return self._of(power_name, lambda power: list(power.centers))

    def get_orders(self, power_name: str | None = None) -> Any:
        """Return the orders of a power, or of all by power, as far as this role may see them."""
        return self._of(power_name, lambda power: list(power.orders))

    def get_order_status(self, power_name: str | None = None) -> Any:
        """Return the results of the last phase's orders by unit: of a power, or of all by power."""
        last = next(reversed(self.result_history), "")
        results = self.result_history.get(last, {})
        units = self.state_history.get(last, {}).get("units", {})
        return self._of(
            power_name, lambda power: {unit: results[unit] for unit in units.get(power.name, ()) if unit in results}
        )

    def get_orderable_locations(self, power_name: str | None = None) -> Any:
        """Return the places where a power can order, or those of each power."""
        places = {} if self.is_game_done else self.position.orderable()
        return self._of(power_name, lambda power: places.get(power.name, []))

    def get_all_possible_orders(self) -> dict[str, list[str]]:
        """Return all possible orders by location; a unit on a split coast is listed under both spellings."""
        return possible_orders(self.position)

    def _of(self, power_name: str | None, get: Any) -> Any:
        if power_name is not None:
            return get(self.powers[power_name.upper()])
        return {name: get(power) for name, power in self.powers.items()}

    # Press

    def new_power_message(self, recipient: str, body: str) -> Message:
        """Return press from the own power to another, to be sent with send_game_message."""
        return Message(sender=self.role, recipient=recipient, phase=self._short_phase, message=body)

    def new_global_message(self, body: str) -> Message:
        """Return press from the own power to all."""
        return self.new_power_message(GLOBAL, body)

    def new_log_data(self, body: str, recipient: str = "OMNISCIENT") -> Log:
        """Return a note for the player itself and for omniscient observers."""
        return Log(sender=self.role, recipient=recipient, phase=self._short_phase, message=body)

    # Notifications of the server

    def take(self, notification: n.GameNotification) -> bool:
        """Process a notification; return False for one that was already known, as happens after reconnecting."""
        match notification:
            case n.GameMessageReceived(message=message):
                return self.add_message(message)
            case n.GameProcessed(previous_phase_data=previous, current_phase_data=current):
                if previous.name in self.state_history:
                    return False
                self.extend_phase_history(previous)
                self.begin_phase(current)
            case n.GamePhaseUpdate(phase_data=phase, phase_data_type=kind):
                return self._update_phase(phase, kind)
            case n.GameStatusUpdate(status=status):
                self.status = status
            case n.PowersControllers():
                self._take_controllers(notification)
            case n.PowerOrdersFlag(power_name=name, order_is_set=flag) if name in self.powers:
                self.powers[name].order_is_set = flag
            case n.PowerOrdersUpdate(power_name=name, orders=orders) if name in self.powers:
                self.note_orders(name, orders)
            case n.PowerVoteUpdated(vote=vote) if self.power is not None:
                self.power.vote = vote
            case n.VoteUpdated(vote=votes):
                for name, vote in votes.items():
                    self.powers[name].vote = vote
            case n.PowerWaitFlag(power_name=name, wait=wait) if name in self.powers:
                self.powers[name].wait = wait
            case n.PowerCommStatusUpdate(power_name=name, comm_status=status) if name in self.powers:
                self.powers[name].comm_status = status
            case n.ClearedOrders(power_name=name):
                self.forget_orders(name)
            case n.ClearedUnits(power_name=name):
                self.forget_units(name)
            case n.ClearedCenters(power_name=name):
                self.forget_centers(name)
        return True

    def add_message(self, message: Message) -> bool:
        """Store press; return False if it was already known."""
        time_sent = message.time_sent or 0
        archived = self.message_history.get(message.phase, {})
        if time_sent in self.messages or time_sent in archived:
            return False
        (archived if message.phase in self.message_history else self.messages)[time_sent] = message
        return True

    def extend_phase_history(self, phase: GamePhase) -> None:
        """Store a finished phase."""
        self.state_history[phase.name] = phase.state
        self.order_history[phase.name] = {name: own or [] for name, own in phase.orders.items()}
        self.result_history[phase.name] = phase.results
        _file(self.message_history, phase.name, _by_time(phase.messages))
        _file(self.log_history, phase.name, _by_time(phase.logs))

    def begin_phase(self, phase: GamePhase) -> None:
        """Start another phase: votes, orders and readiness are reset."""
        self._set_phase(phase)
        for power in self.powers.values():
            power.vote, power.comm_status = Ballot.NEUTRAL, CommStatus.BUSY
            power.wait = not power.is_eliminated() and not ("REAL_TIME" in self.rules and power.is_controlled())

    def note_orders(self, power_name: str, orders: Sequence[str] | None) -> None:
        """Set the orders of a power without the impossible ones; None removes them."""
        power = self.powers[power_name]
        if orders is None:
            power.clear_orders()
            return
        power.order_is_set = 2 if orders else 1
        try:
            power.orders = possible(self.position, Seat(power_name), orders)
        except ConfigError:  # the map is not installed
            power.orders = list(orders)

    def forget_orders(self, power_name: str | None) -> None:
        """Remove the orders of a power, or of all."""
        for power in self._named(power_name):
            power.clear_orders()

    def forget_units(self, power_name: str | None) -> None:
        """Remove the units of a power, or of all."""
        for power in self._named(power_name):
            power.units, power.retreats = [], {}
            power.clear_orders()
        self._position = None

    def forget_centers(self, power_name: str | None) -> None:
        """Remove the centres of a power, or of all."""
        for power in self._named(power_name):
            power.centers = []
        self._position = None

    def _named(self, power_name: str | None) -> Iterable[NetworkPower]:
        return self.powers.values() if power_name is None else (self.powers[power_name],)

    def _update_phase(self, phase: GamePhase, kind: PhaseKind) -> bool:
        if kind is PhaseKind.STATE_HISTORY:
            if phase.name in self.state_history:
                return False
            self.extend_phase_history(phase)
        elif kind is PhaseKind.PHASE and phase.name != self._short_phase:
            self.begin_phase(phase)
        else:
            self._rewind(phase.name)
            self._set_phase(phase)
        return True

    def _rewind(self, phase: str) -> None:
        """Forget the results of a phase that is played again."""
        phases = list(self.state_history)
        for name in phases[phases.index(phase) :] if phase in phases else ():
            for history in self._histories:
                history.pop(name, None)

    def _set_phase(self, phase: GamePhase) -> None:
        self._short_phase, self._position = phase.name, None
        self.note = phase.state.get("note", self.note)
        for power in self.powers.values():
            power.take_state(phase.state)
            power.clear_orders()
        for name, orders in phase.orders.items():
            if orders is not None:
                self.note_orders(name, orders)
        self.messages, self.logs = _by_time(phase.messages), _by_time(phase.logs)

    def _take_controllers(self, notification: n.PowersControllers) -> None:
        for name, controller in notification.powers.items():
            power = self.powers[name]
            power.controller[notification.timestamps[name]] = controller or DUMMY
            power.player_type = notification.player_types.get(name, power.player_type)
            if power.is_dummy():
                power.wait, power.vote = True, Ballot.NEUTRAL


def _file(history: dict[str, dict[int, Any]], phase: str, told: dict[int, Any]) -> None:
    """Store the press of a phase, and remove it from others: it may be filed under the phase before."""
    for filed in history.values():
        for time_sent in filed.keys() & told:
            del filed[time_sent]
    history[phase] = told


def _by_time(messages: Iterable[Any]) -> dict[int, Any]:
    return {message.time_sent or 0: message for message in sorted(messages, key=lambda message: message.time_sent or 0)}


def _short(phase: str) -> str:
    """Return S1901M for SPRING 1901 MOVEMENT, and any other text unchanged."""
    words = phase.split()
    return f"{words[0][0]}{words[1]}{words[2][0]}" if len(words) == 3 else phase
