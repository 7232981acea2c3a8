"""Saved games of the `diplomacy` package, as JSON or one game per line: read without loss, and written.

Keys that the package does not use are kept: status, outcome, controllers and any other. The package ignores them when
it reads a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain
from parlour.errors import NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.formats.forms import as_list, as_object, as_text, read_orders
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.maps.map import Map, named, package_name
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Ruling, Turn, Verdict
from parlour.games.diplomacy.variations import BY_PACKAGE, varied_by

MAX_BYTES = 1 << 26
MAX_PHASES = 10_000

_RESULTS: dict[Verdict, list[str]] = {
    Verdict.SUCCEEDED: [],
    Verdict.BOUNCED: ["bounce"],
    Verdict.CUT: ["cut"],
    Verdict.DISLODGED: ["dislodged"],
    Verdict.VOID: ["void"],
    Verdict.NO_CONVOY: ["no convoy"],
    Verdict.DISRUPTED: ["disrupted"],
}
_WAIVE = int(OrderKind.WAIVE)
_DISLODGED = Verdict.DISLODGED
_OUT_OF_MOVES = frozenset(int(kind) for kind in OrderKind if kind >= OrderKind.DISBAND)
"""Kinds of orders in retreats and in winter."""


class SavedPhase:
    """One phase of a saved game."""

    def __init__(self, value: Plain, board: Map, after: str, field: str) -> None:
        self.value = as_object(value, field, "name, state, orders and results")
        self.name = as_text(self.value.get("name"), f"{field}.name")
        self._board, self._after = board, after
        as_object(self.value.get("state"), f"{field}.state", "units, centers and so on")
        self.orders = read_orders(self.value.get("orders"), board, f"{field}.orders")
        as_object(self.value.get("results") or {}, f"{field}.results", "results by unit")
        as_list(self.value.get("messages") or [], f"{field}.messages")

    @property
    def state(self) -> dict[str, Plain]:
        """The package's state."""
        return dict(self.value["state"])

    @property
    def results(self) -> dict[str, list[str]]:
        """The package's results by unit; empty for the current phase."""
        return dict(self.value.get("results") or {})

    @property
    def messages(self) -> list[Plain]:
        """Press sent in this phase."""
        return list(self.value.get("messages") or [])

    @property
    def position(self) -> Position:
        """The position at the start of the phase."""
        return position_of_state(self.state, board=self._board, after=self._after)

    def turn(self) -> Turn:
        """Return the phase adjudicated anew from its orders."""
        turn = self.position.resolve(self.orders).turn
        assert turn is not None
        return turn


class SavedGame:
    """A saved game; `value` is the whole JSON object as it was read.

    Raises:
        NotationError: The object is not a saved game, or has too many phases.
    """

    def __init__(self, value: Plain) -> None:
        self.value = as_object(value, "saved game", "id, map, rules and phases")
        self.id = as_text(self.value.get("id", ""), "id")
        rules = self.value.get("all_rules", self.value.get("rules", []))  # the field `rules` lacks some of the rules
        self.rules = [as_text(rule, f"rules[{at}]") for at, rule in as_list(rules, "rules")]
        self.board = named(as_text(self.value.get("map", "standard"), "map")).under(varied_by(self.rules))
        phases: list[SavedPhase] = []
        for at, phase in as_list(self.value.get("phases"), "phases"):
            if at >= MAX_PHASES:
                raise NotationError(f"phases: expected at most {MAX_PHASES:,}")
            phases.append(SavedPhase(phase, self.board, phases[-1].name if phases else "", f"phases[{at}]"))
        self.phases = tuple(phases)

    @property
    def status(self) -> str | None:
        """The status: forming, active, paused, completed or canceled; None if the file has none."""
        return self._text("status")

    @property
    def outcome(self) -> list[str] | None:
        """The last phase and the winners; None if the file has no outcome."""
        outcome = self.value.get("outcome")
        return list(outcome) if isinstance(outcome, list) else None

    @property
    def controllers(self) -> dict[str, str] | None:
        """The player of each power; None if the file does not name players."""
        controllers = self.value.get("controllers")
        return dict(controllers) if isinstance(controllers, dict) else None

    def encode(self) -> bytes:
        """Return the game as one line of JSON."""
        return msgspec.json.encode(self.value)

    def _text(self, field: str) -> str | None:
        value = self.value.get(field)
        return value if isinstance(value, str) else None


def read_saved(text: bytes) -> list[SavedGame]:
    """Return the games of a file: one JSON object, or one per line. Raise NotationError for others.

    Args:
        text: Content of a file of saved games.
    """
    if len(text) > MAX_BYTES:
        raise NotationError(f"saved game: at most {MAX_BYTES:,} bytes are read")
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return [SavedGame(msgspec.json.decode(text))]
    except UNREADABLE:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    games = []
    for number, line in lines:
        try:
            games.append(SavedGame(msgspec.json.decode(line)))
        except UNREADABLE as error:
            raise NotationError(f"saved game: line {number} is not JSON: {error}") from None
    if not games:
        raise NotationError("saved game: the file is empty, expected one JSON object or one per line")
    return games


def save_game(
    turns: Sequence[Turn],
    last: Position,
    *,
    id: str,
    rules: Sequence[str] = ("NO_PRESS", "POWER_CHOICE"),
    messages: Mapping[str, Sequence[Plain]] | None = None,
    more: Mapping[str, Plain] | None = None,
) -> SavedGame:
    """Return the saved game of a match: its turns, and its present position.

    Args:
        turns: Turns that were played.
        last: Present position.
        id: Name of the game.
        rules: Rules by the package's names.
        messages: Press by phase.
        more: Further fields, for example status, outcome and controllers.
    """
    said = messages or {}
    rules = [*rules, *(rule for rule, one in BY_PACKAGE.items() if one in last.board.variations and rule not in rules)]
    phases = [_phase(turn.before, turn, said) for turn in turns] + [_phase(last, None, said)]
    for phase in phases:
        phase["state"] |= {"game_id": id, "map": package_name(last.board), "rules": list(rules)}
    return SavedGame(
        {"id": id, "map": package_name(last.board), "rules": list(rules), "phases": phases, **(more or {})},
    )


def _phase(position: Position, turn: Turn | None, said: Mapping[str, Sequence[Plain]]) -> dict[str, Plain]:
    orders: dict[str, list[str] | None] = {power.name: None for power in position.board.powers}
    results: dict[str, list[str]] = {}
    if turn is not None:
        given, results = orders_and_results(turn)
        orders = {**given}
    return {
        "name": position.phase,
        "state": write_state(position),
        "orders": orders,
        "results": results,
        "messages": list(said.get(position.phase, ())),
    }


def orders_and_results(turn: Turn) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the orders of each power, and the package's results for each unit, including units without orders."""
    orders: dict[str, list[str]] = {power.name: [] for power in turn.before.board.powers}
    results: dict[str, list[str]] = {}
    for ruling in turn.rulings:
        if ruling.action is not None and (kind := ruling.action & 255) != _WAIVE:
            text, verdict = ruling.text, ruling.verdict
            special = kind in _OUT_OF_MOVES or verdict is _DISLODGED
            results[text[: text.index(" ", 2)]] = _results(turn, ruling, kind) if special else [*_RESULTS[verdict]]
            if not ruling.default:
                orders[ruling.power].append(text)
    if turn.before.takes_anything:
        _tell_void(turn, orders, results)
    return orders, results


def _tell_void(turn: Turn, orders: dict[str, list[str]], results: dict[str, list[str]]) -> None:
    """Add void orders that were accepted unchecked to the orders and results; their units held."""
    units = turn.before.units
    for ruling in turn.rulings:
        if ruling.action is None:
            orders[ruling.power].append(ruling.text)
            unit = " ".join(ruling.text.split()[:2])
            ordered = {" ".join(text.split()[:2]) for text in orders[ruling.power][:-1]}
            if unit in units[ruling.power] and unit not in ordered:
                results[unit] = ["void", *results[unit]]


def _results(turn: Turn, ruling: Ruling, kind: int) -> list[str]:
    verdict = ruling.verdict
    if kind in _OUT_OF_MOVES:
        if kind == OrderKind.DISBAND or (kind == OrderKind.RETREAT_TO and verdict is Verdict.BOUNCED):
            return [*_RESULTS[verdict], "disband"]
        if kind != OrderKind.RETREAT_TO:
            return [""]
    if verdict is Verdict.DISLODGED and ruling.action is not None:
        # The package gives both the result of the order and the dislodgement.
        first = k.VerdictCode(turn.verdicts[a.ordered(ruling.action)] & 15)
        own = {k.VerdictCode.BOUNCED: "bounce", k.VerdictCode.CUT: "cut", k.VerdictCode.VOID: "void"}.get(first)
        return [own, "dislodged"] if own else ["dislodged"]
    return list(_RESULTS[verdict])
