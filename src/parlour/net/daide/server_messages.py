"""Messages of a DAIDE server about a board and a turn: MAP, MDF, SCO, NOW, ORD, MIS and others, as tokens."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from parlour.core.game import Outcome, Seat
from parlour.errors import PressError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import COASTS, Ground, Map
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.position import AGREED, Position
from parlour.games.diplomacy.turn import Ruling, Turn
from parlour.net.daide import adjustments
from parlour.net.daide.frames import DIPLOMACY, framed
from parlour.net.daide.free_orders import FreeOrder, FreeOrdersOfTurn
from parlour.net.daide.tokens import Codec, Token, letters
from parlour.press.language.message_types import Convoy, ConvoyedMove, Disband, Order, Unit, Waive
from parlour.press.language.tokens import cut
from parlour.press.language.writer import write_order
from parlour.press.orders import meaning, route
from parlour.press.press_position import PhaseBoard, board_of, names

ServerMessage: TypeAlias = Sequence[Token]
"""A message of the server."""
TOLD = 256
"""Number of cached positions and turns: all clients of a match receive the same messages one after the other."""
MOST_ORDERS = 20_000
"""Number of cached orders: about as many as the standard map has."""
MOST_FRAMES = 4096
"""Number of cached frames: messages about a match, and answers to orders."""
SEASONS = ("SPR", "SUM", "FAL", "AUT", "WIN")
_NUMBER = re.compile("-?[0-9]{1,5}")
_LETTERS = {"SPR": "S{}M", "SUM": "S{}R", "FAL": "F{}M", "AUT": "F{}R", "WIN": "W{}A"}


def group(*parts: Token | Iterable[Token]) -> list[Token]:
    """Return tokens in brackets."""
    found: list[Token] = ["("]
    for part in parts:
        if isinstance(part, (str, int)):
            found.append(part)
        else:
            found.extend(part)
    return [*found, ")"]


def confirmed(tokens: Sequence[Token]) -> ServerMessage:
    """Return YES ( the client's message )."""
    return ["YES", *group(tokens)]


def rejected(tokens: Sequence[Token]) -> ServerMessage:
    """Return REJ ( the client's message )."""
    return ["REJ", *group(tokens)]


def complaint(tokens: Sequence[Token], error: PressError, offset: int) -> ServerMessage:
    """Return HUH with ERR before the wrong token of press that begins at `offset` in the message."""
    at = error.index + offset
    return ["HUH", *group([*tokens[:at], "ERR", *tokens[at:]])]


def words(text: str) -> list[Token]:
    """Return press or an order as tokens, with numbers as integers."""
    return [int(word) if _NUMBER.fullmatch(word) else word for word in cut(text)]


def frame_of(message: ServerMessage, words: Codec) -> bytes:
    """Return the frame of a message; that of a tuple is cached, because it is sent repeatedly."""
    if type(message) is tuple:
        return _frame_of(message, words)
    return framed(DIPLOMACY, words.encode(message))


@lru_cache(maxsize=MOST_FRAMES)
def _frame_of(message: tuple[Token, ...], words: Codec) -> bytes:
    return framed(DIPLOMACY, words.encode(message))


# The board


@cache
def map_definition(board: Map) -> tuple[Token, ...]:
    """Return MDF: powers, the home power of each centre, all other provinces, and the adjacencies."""
    provinces = board.provinces
    homes = [
        group(power.tag, [province.daide for province in provinces if province.centre and province.home == power.id])
        for power in board.powers
    ]
    free = group("UNO", [province.daide for province in provinces if province.centre and province.home is None])
    rest = group([province.daide for province in provinces if not province.centre])
    borders = [group(province.daide, *_ways(board, province.id)) for province in provinces]
    owned = group(group(*homes, free), rest)
    return ("MDF", *group([power.tag for power in board.powers]), *owned, *group(*borders))


def _ways(board: Map, number: int) -> Iterator[list[Token]]:
    """Yield the neighbours of a province for armies and for fleets, each coast separately."""
    province, spelled = board.provinces[number], names(board).place_of_area
    if province.kind is not Ground.SEA:
        yield group("AMY", *[place_tokens(spelled[there]) for there in board.army[province.area]])
    if province.coasts:
        for at, coast in enumerate(province.coasts, province.area + 1):
            yield group(group("FLT", COASTS[coast][0]), *[place_tokens(spelled[there]) for there in board.fleet[at]])
    elif province.kind is not Ground.LAND:
        yield group("FLT", *[place_tokens(spelled[there]) for there in board.fleet[province.area]])


def place_tokens(place: str) -> list[Token]:
    """Return a place as tokens: STP, or ( STP SCS )."""
    return [place] if " " not in place else group(*place.split())


# The state of a match


@lru_cache(maxsize=TOLD)
def board_at(position: Position) -> PhaseBoard:
    """Return the position in the words of press; cached."""
    return board_of(position)


@lru_cache(maxsize=TOLD)
def living(position: Position) -> tuple[Seat, ...]:
    """Return the powers that are not eliminated; cached."""
    return position.alive()


def season_of(position: Position) -> list[Token]:
    """Return the turn as tokens: ( SPR 1901 )."""
    return group(SEASONS[position.state[k.SEASON]], position.year)


def phase_of_turn(season: Token, year: Token) -> str:
    """Return the phase of a turn, S1901M for SPR and 1901; empty for an unknown season."""
    form = _LETTERS.get(str(season), "")
    return form.format(year) if form and isinstance(year, int) else ""


@lru_cache(maxsize=TOLD)
def supply(position: Position) -> tuple[Token, ...]:
    """Return SCO: the owner of each centre; powers without a centre are left out, as in Parlance."""
    board = position.board
    known = names(board)
    spelled = {province.tag: province.daide for province in board.provinces}
    rows: list[Token] = ["SCO"]
    owned: set[str] = set()
    for power, centres in zip(known.power_words, position.centers.values(), strict=True):
        if centres:
            rows += group(power, sorted(spelled[tag] for tag in centres))
            owned.update(spelled[tag] for tag in centres)
    free = [province.daide for province in board.provinces if province.centre and province.daide not in owned]
    return (*rows, *group("UNO", free)) if free else tuple(rows)


def doomed_by(turn: Turn) -> tuple[Unit, ...]:
    """Return the units that a turn dislodged and that cannot retreat, if others must retreat now.

    The rules remove them at once. Clients receive them as dislodged units, which their protocol has them disband.
    """
    if turn.after.stage != "retreats" or not (lost := turn.disbanded):
        return ()
    standing = board_at(turn.before).units
    places = names(turn.before.board).place_of_tag
    return tuple([standing[places[text[2:]][:3]] for units in lost.values() for text in units])


@lru_cache(maxsize=TOLD)
def now(position: Position, doomed: tuple[Unit, ...] = ()) -> tuple[Token, ...]:
    """Return NOW: the turn, the units, and the dislodged units with their retreats; the doomed have none."""
    board = board_at(position)
    found: list[Token] = ["NOW", *season_of(position)]
    for unit in _by_power(board, board.units.values()):
        found += unit_tokens(unit)
    for unit in _by_power(board, (*board.dislodged.values(), *doomed)):
        found += _dislodged(unit, _flights(board))
    return tuple(found)


def unit_tokens(unit: Unit) -> list[Token]:
    """Return a unit as tokens: ( RUS FLT ( STP SCS ) )."""
    return group(unit.power, unit.kind, place_tokens(unit.place))


def _by_power(board: PhaseBoard, units: Iterable[Unit]) -> list[Unit]:
    order = {word: number for number, word in enumerate(board.names.power_words)}
    return sorted(units, key=lambda unit: (order[unit.power], unit.place))


def _flights(board: PhaseBoard) -> dict[str, list[str]]:
    """Return the retreats of each dislodged unit, by its province."""
    spelled = board.names.place_of_tag
    return {
        spelled[text[2:]][:3]: [spelled[to] for to in places]
        for own in board.position.retreats.values()
        for text, places in own.items()
    }


def _dislodged(unit: Unit, flights: dict[str, list[str]]) -> list[Token]:
    ways = [place_tokens(place) for place in flights.get(unit.province, [])]
    return group(unit.power, unit.kind, place_tokens(unit.place), "MRT", group(*ways))


# Results of a turn


@lru_cache(maxsize=TOLD)
def reports(turn: Turn, doomed: tuple[Unit, ...] = (), free: FreeOrdersOfTurn = ()) -> tuple[tuple[Token, ...], ...]:
    """Return ORD for every unit, retreat, build, removal and waived build of all powers.

    The doomed were disbanded in the turn. Free orders are reported in place of the orders that were carried out for
    them.
    """
    board = board_at(turn.before)
    when = season_of(turn.before)
    ruled: list[tuple[Ruling, Order]] = []
    for ruling in turn.rulings:
        if ruling.action is None:
            continue  # a void order; the ruling on the hold of its unit is reported
        power = board.names.lexicon.seats[Seat(ruling.power)]
        order = meaning(ruling.action, board, power)
        if order is not None:
            ruled.append((ruling, order))
    carriers = [order for _, order in ruled if isinstance(order, Convoy)]
    left, found = [*free], list[tuple[Token, ...]]()
    for ruling, order in ruled:
        results = _results(turn, ruling)
        if (meant := _freely_ordered(ruling, order, left)) is not None:
            tokens: Sequence[Token] = ("(", *meant.tokens, ")")
            results = [meant.note, *[result for result in results if result == "RET"]]
        else:
            tokens = _order_tokens(_with_its_fleets(order, carriers, board))
        found.append(("ORD", *when, *tokens, *group(results)))
    for seat, power in board.names.lexicon.seats.items():
        found += [("ORD", *when, "(", power, "WVE", ")", "(", "SUC", ")")] * adjustments.without_room(turn.before, seat)
    return (*found, *[("ORD", *when, *_order_tokens(Disband(unit)), "(", "SUC", ")") for unit in doomed])


def _freely_ordered(ruling: Ruling, order: Order, left: list[tuple[Seat, str, FreeOrder]]) -> FreeOrder | None:
    """Remove and return the free order for which this one was carried out; None if it was ordered itself."""
    for entry in left:
        seat, province, free = entry
        here = isinstance(order, Waive) or order.unit.province == province
        if seat == ruling.power and here and ruling.text == free.becomes:
            left.remove(entry)
            return free
    return None


def _with_its_fleets(order: Order, carriers: Sequence[Convoy], board: PhaseBoard) -> Order:
    """Return a convoyed move with the route of the fleets that were ordered to carry it, if they reach.

    A record does not hold the route.
    """
    if not isinstance(order, ConvoyedMove):
        return order
    unit, to = order.unit, order.to
    willing = [fleet.unit.province for fleet in carriers if (fleet.other.province, fleet.to) == (unit.province, to)]
    return ConvoyedMove(unit, to, route(board, unit.province, to, willing))


@lru_cache(maxsize=MOST_ORDERS)
def _order_tokens(order: Order) -> tuple[Token, ...]:
    """Return an order in brackets."""
    return ("(", *words(write_order(order)), ")")


_RESULTS: dict[int, str] = {
    k.VerdictCode.SUCCEEDED: "SUC",
    k.VerdictCode.BOUNCED: "BNC",
    k.VerdictCode.CUT: "CUT",
    k.VerdictCode.VOID: "NSO",
    k.VerdictCode.NO_CONVOY: "NSO",
    k.VerdictCode.DISRUPTED: "DSR",
    k.VerdictCode.DISBANDED: "SUC",
}


def _results(turn: Turn, ruling: Ruling) -> list[Token]:
    """Return the results of an order. Only moves bounce or are disrupted, not convoying fleets."""
    assert ruling.action is not None
    if turn.before.stage == "adjustments":
        return ["SUC"]
    byte = turn.verdicts[a.ordered(ruling.action)]
    result = _RESULTS[byte & 15]
    if a.kind_of(ruling.action) == a.OrderKind.CONVOY and result != "NSO":
        result = "SUC"
    if turn.before.stage == "orders" and byte & int(k.UnitMark.DISLODGED):
        return ["RET"] if result == "SUC" else [result, "RET"]
    return [result]


def solo(position: Position) -> str | None:
    """Return the token of the power that has won alone; None if none has."""
    outcome = position.outcome()
    if outcome is None or not outcome.reason.startswith("solo"):
        return None
    return next(power.tag for power in position.board.powers if power.name in outcome.winners)


def sharing(position: Position, outcome: Outcome) -> tuple[str, ...]:
    """Return the seats that share in an end without a solo: those that agreed on a draw, or all survivors."""
    if outcome.reason.startswith(AGREED):
        return tuple(outcome.reason.removeprefix(AGREED).split(", "))
    return position.alive()


def turn_over(turn: Turn, doomed: tuple[Unit, ...] = (), free: FreeOrdersOfTurn = ()) -> list[ServerMessage]:
    """Return the messages after a turn: every order, the centres after a fall, a solo, and the new position."""
    found: list[ServerMessage] = [*reports(turn, doomed, free)]
    if centres_may_change(turn):
        found.append(supply(turn.after))
    if (winner := solo(turn.after)) is not None:
        found.append(["SLO", *group(winner)])
    return [*found, now(turn.after, doomed_by(turn))]


@lru_cache(maxsize=TOLD)
def turn_over_frames(turn: Turn, words: Codec, doomed: tuple[Unit, ...] = (), free: FreeOrdersOfTurn = ()) -> bytes:
    """Return the frames of the messages after a turn; cached for all clients with that codec."""
    return b"".join([framed(DIPLOMACY, words.encode(message)) for message in turn_over(turn, doomed, free)])


def centres_may_change(turn: Turn) -> bool:
    """Return True if centres may have changed owners after this turn, so that SCO is due.

    That is after fall, when its retreats are done.
    """
    return turn.before.phase.startswith("F") and not turn.after.phase.startswith("F")


# Missing orders


class DueOrders(NamedTuple):
    """The orders due from a power in a position."""

    board: PhaseBoard
    units: tuple[tuple[str, tuple[Token, ...]], ...]
    """Provinces of the units to be ordered, with the tokens of each in MIS; empty in winter."""
    number: int
    """Number of builds, even without room; negative for removals."""
    spare: int
    """Number of builds for which no home centre is free."""
    doomed: Mapping[str, Unit] = {}
    """Units of all powers that can only be disbanded, by province."""

    @property
    def needless(self) -> bool:
        """True if there are orders that the match does not need: waives without room, disbands of the doomed."""
        return self.spare > 0 or any(province in self.doomed for province, _ in self.units)

    def for_the_match(self, orders: Mapping[str, str]) -> list[str]:
        """Return the orders without the needless ones."""
        if self.doomed:
            return [text for province, text in orders.items() if province not in self.doomed]
        return adjustments.for_the_match(orders.values(), self.spare)

    def suffice(self, orders: Mapping[str, str]) -> bool:
        """Return True if only needless orders are missing."""
        if self.number:
            return self.spare > 0 and len(self.for_the_match(orders)) >= self.number - self.spare
        return all(province in orders or province in self.doomed for province, _ in self.units)


@lru_cache(maxsize=8 * TOLD)
def asked_of(position: Position, seat: Seat, doomed: tuple[Unit, ...] = ()) -> DueOrders:
    """Return the orders due from a power in a position; cached."""
    board = board_at(position)
    if position.stage == "adjustments":
        return DueOrders(board, (), adjustments.due(position, seat), adjustments.without_room(position, seat))
    power = board.names.lexicon.seats[seat]
    own = [unit for unit in _by_power(board, (*board.acting.values(), *doomed)) if unit.power == power]
    if position.stage == "retreats":
        flights = _flights(board)
        units = tuple([(unit.province, tuple(_dislodged(unit, flights))) for unit in own])
    else:
        units = tuple([(unit.province, tuple(unit_tokens(unit))) for unit in own])
    return DueOrders(board, units, 0, 0, {unit.province: unit for unit in doomed})


def missing(asked: DueOrders, orders: Collection[str]) -> tuple[Token, ...]:
    """Return MIS: the units of a power without an order, dislodged ones with their retreats, or the missing builds.

    `orders` holds the provinces of the ordered units.
    """
    if asked.number:
        lacking = abs(asked.number) - len(orders)
        return ("MIS",) if lacking <= 0 else ("MIS", "(", lacking if asked.number < 0 else -lacking, ")")
    found: list[Token] = ["MIS"]
    for province, told in asked.units:
        if province not in orders:
            found += told
    return tuple(found)


# The end


def summary(position: Position, players: Iterable[tuple[str, str, str, int | None]]) -> list[Token]:
    """Return SMR: for each power its player's name and version, its centres, and its year of elimination."""
    found: list[Token] = ["SMR", *season_of(position)]
    centres = dict(zip(names(position.board).power_words, position.centers.values(), strict=True))
    for power, name, version, gone in players:
        row = [power, *group(letters(name)), *group(letters(version)), len(centres[power])]
        found += group(row if gone is None else [*row, gone])
    return found
