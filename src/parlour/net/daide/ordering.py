"""The orders of a DAIDE client in the running turn: SUB, NOT ( SUB ), GOF, and missing orders.

The note of THX is known at once, so that the next order can be read; the connection sends it when the order is stored,
because acknowledged orders must survive a crash of the server. Nobody receives an order, or the end of the turn that it
completed, before that. If an order cannot be stored, the connection is closed, so that the client returns with IAM and
learns by MIS which orders are missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence

from parlour.core import intents as it
from parlour.errors import Denied, StoreError
from parlour.games.diplomacy.position import Position
from parlour.net.daide import adjustments
from parlour.net.daide import client_messages as cm
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.free_orders import FreeOrder
from parlour.net.daide.notes import VALID, is_same, note_on, note_on_doomed
from parlour.net.daide.server_messages import DueOrders, ServerMessage, confirmed, rejected
from parlour.net.daide.tokens import Token
from parlour.net.hosted import HostedMatch
from parlour.press.language import message_types as v
from parlour.press.orders import to_text
from parlour.press.press_position import PhaseBoard

MOST_UNSTORED = 64
"""Maximum number of answered messages whose orders are not submitted yet."""


class OrderBook:
    """The orders of one seat.

    Orders of one turn of the loop are submitted together, and so are those that arrive during a write. Only orders that
    complete the set are submitted at once, because the match may wait for them.
    """

    def __init__(
        self, at: Attendance, push: Callable[[ServerMessage], None], failed: Callable[[Exception], None]
    ) -> None:
        self._at, self._push, self._failed = at, push, failed
        self._orders: dict[str, str] = {}
        """Orders by the province of the unit; waived builds by their number."""
        self._taken: dict[str, str] = {}
        """Orders that the match has accepted."""
        self._unstored: list[Sequence[Token]] = []
        """Answered messages whose orders are not submitted to the match yet."""
        self._storing: asyncio.Future[None] | None = None
        self._goes_on, self._flag = True, False
        """Two flags: the client wants the turn to end (GOF); its wait flag in the match is up."""
        self._hosted: HostedMatch | None = None
        """The match of the last order."""
        self._asked_in: Position | None = None
        self._asked_then: DueOrders | None = None

    def _asked(self) -> DueOrders:
        """Return the orders that are due from the client in the current position."""
        position, seat = self._at.talk.position, self._at.seat
        if self._asked_then is None or position is not self._asked_in:
            assert position is not None
            assert seat is not None
            self._asked_in, self._asked_then = position, sm.asked_of(position, seat, self._at.talk.doomed)
        return self._asked_then

    def begin_turn(self) -> None:
        """Drop the orders of the last turn."""
        self._reject_unstored()
        self._orders, self._taken = {}, {}
        self._goes_on, self._flag = True, self._at.talk.wait

    def take_up(self, orders: Sequence[str]) -> None:
        """Restore the orders of a returning client in the running turn; needless orders count as given."""
        self.begin_turn()
        at = self._at
        if at.seat is None or at.position is None:
            return
        asked = self._asked()
        places = asked.board.names.place_of_tag
        if not all(text == adjustments.WAIVE or text[2:].split(" ")[0] in places for text in orders):
            # A moderator has ordered for the seat, in the notation of another door.
            meant = at.position.understand(at.seat, orders)
            orders = [str(at.position.order_of(entry.action)) for entry in meant if entry.action is not None]
        for text in (*orders, *[adjustments.WAIVE] * asked.spare):
            key = _unused(self._taken) if text == adjustments.WAIVE else places[text.split(" ", 2)[1]][:3]
            self._taken[key] = text
        self._taken |= {province: to_text(v.Disband(unit), asked.board) for province, unit in asked.doomed.items()}
        self._orders = self._taken

    def missing(self) -> ServerMessage:
        """Return MIS; without units if no order is missing."""
        return sm.missing(self._asked(), self._orders) if self._is_asked else ("MIS",)

    @property
    def _is_asked(self) -> bool:
        """True while orders of the client are due, even if the match does not wait for them."""
        at = self._at
        if at.acts:
            return True
        if at.seat is None or at.position is None:
            return False
        return at.playing and self._asked().needless

    def _is_complete(self, orders: Mapping[str, str], lacking: ServerMessage) -> bool:
        """Return True if the match need not wait for more orders."""
        return len(lacking) == 1 or self._asked().suffice(orders)

    # SUB

    def submit(self, message: cm.Submitting, tokens: Sequence[Token]) -> list[ServerMessage] | None:
        """Return the answers to SUB.

        Return None if they must wait until the match is at hand, or until more orders are stored.
        """
        at = self._at
        if not at.playing or at.seat is None or not at.is_now(message.turn):
            return [rejected(tokens)]
        if not self._is_asked:
            return self._noted(message, {})  # nothing is due, so every note names a fault
        hosted = at.hosted()
        if hosted is None or len(self._unstored) >= MOST_UNSTORED:
            return None
        if not at.turn_runs(hosted):
            return [rejected(tokens)]
        self._hosted = hosted
        orders = dict(self._orders)
        answers = self._noted(message, orders)
        lacking = sm.missing(self._asked(), orders)
        complete = self._is_complete(orders, lacking)
        if orders != self._orders:
            if complete and not self._submit(hosted, orders, complete=True):
                return [rejected(tokens)]
            self._orders = orders
            if not complete:
                self._unstored.append(tokens)
        return answers if len(lacking) == 1 else [*answers, lacking]

    async def submitted(self, message: cm.Submitting, tokens: Sequence[Token]) -> list[ServerMessage]:
        """Return the answers to SUB, once the match is at hand."""
        while (answers := self.submit(message, tokens)) is None:
            await self._at.at_hand()
        return answers

    def _noted(self, message: cm.Submitting, orders: dict[str, str]) -> list[ServerMessage]:
        """Return THX for each order; add the accepted ones to `orders`, in place of older ones."""
        at, asked = self._at, self._asked()
        board = asked.board
        assert at.seat is not None
        answers: list[ServerMessage] = []
        for said, order in message.orders:
            if order is None:
                answers.append(["THX", "(", *said, ")", "(", "NSP", ")"])
            else:
                key = _unused(orders) if isinstance(order, v.Waive) else order.unit.province
                text, before = to_text(order, board), orders.pop(key, None)
                note = note_on(order, board, at.seat, orders.values())
                if asked.doomed and note == "NSU":
                    note = note_on_doomed(order, asked.doomed, at.power)
                free = None
                if at.options.aoa and note != VALID and _may_be_free(order, asked, at.power, orders):
                    free = FreeOrder(said, text, note, _amounts_to(order, board))
                    note, text = VALID, free.becomes
                if note == VALID:
                    orders[key] = text
                    self._note_free(key, free)
                elif before is not None:
                    orders[key] = before
                answers.append(("THX", "(", *said, ")", "(", note, ")"))
        return answers

    def _note_free(self, key: str, order: FreeOrder | None) -> None:
        """Store an order for a province that cannot be carried out; None if it was replaced or taken back."""
        at, free = self._at, self._at.reception.free_orders
        assert at.position is not None
        assert at.seat is not None
        if order is not None:
            free.put(at.match, at.position.phase, at.seat, key, order)
        else:
            free.drop(at.match, at.position.phase, at.seat, key)

    def _submit(self, hosted: HostedMatch, orders: dict[str, str], *, complete: bool) -> bool:
        """Submit all orders so far to the match; return True if it accepted them.

        While orders are missing, or the client wants more time, its wait flag is up.
        """
        at = self._at
        assert at.seat is not None
        if not at.turn_runs(hosted):
            return False
        if not at.acts:  # the client can give only needless orders, which the match does not receive
            self._taken = orders
            return True
        waits = not (complete and self._goes_on)
        act = it.Act(at.seat, self._asked().for_the_match(orders), at.talk.view.turn, sealable=False)
        intents: list[it.Intent] = [act]
        if waits is not self._flag:
            intents.insert(0 if waits else 1, it.SetWait(at.seat, waits))
        # A client with complete orders waits for the end of the turn, so the write may wait for other clients' orders.
        handed = at.session.submit(at.match, *intents, leisurely=complete)
        if handed.answers[intents.index(act)].refusal is not None:
            return False
        self._taken, self._flag = orders, waits
        self._unstored.clear()
        if handed.done is not None:
            self._storing = handed.done
        return True

    def _look_after(self, storing: asyncio.Future[None]) -> None:
        """Clear the future of the last submission once it is done; fail if it could not be stored."""
        if storing.done():
            self._storing = None
            if not storing.cancelled() and (error := storing.exception()) is not None:
                assert isinstance(error, Exception)
                self._failed(error)

    def _submit_rest(self) -> None:
        """Submit the orders that did not complete a set, and those that came during a write."""
        at = self._at
        if at.seat is None:
            return
        try:
            hosted = self._hosted
            if hosted is None or hosted.closed:
                hosted = at.hosted()
            if hosted is None:
                self._storing = asyncio.ensure_future(at.at_hand())
                return
            taken = at.acts and self._submit(hosted, self._orders, complete=False)
        except Denied:  # the client lost the seat, or the match refuses everything
            taken = False
        except StoreError as failure:
            self._failed(failure)
            return
        if not taken:
            self._orders = self._taken
            self._reject_unstored()

    def _reject_unstored(self) -> None:
        """Reject the answered orders that came too late for their turn."""
        unstored, self._unstored = self._unstored, []
        for tokens in unstored:
            self._push(rejected(tokens))

    def storing(self) -> asyncio.Future[None] | None:
        """Submit waiting orders; return a future that is done when orders are stored, None if nothing waits.

        Call it again when the future is done: more orders may wait.
        """
        if self._storing is not None:
            self._look_after(self._storing)
        if self._unstored and self._storing is None:
            self._submit_rest()
        return self._storing

    async def settled(self) -> None:
        """Wait until all orders are stored."""
        while (storing := self.storing()) is not None:
            self._at.reception.hall.hurry(self._at.match)
            await asyncio.wait([storing])

    # NOT ( SUB ), GOF; called only when all orders are stored

    async def withdraw(self, message: cm.Withdrawing, tokens: Sequence[Token]) -> list[ServerMessage]:
        """Take back one order, or all; return the answer."""
        at = self._at
        if not at.playing or at.seat is None or at.position is None or not at.is_now(message.turn):
            return [rejected(tokens)]
        if at.talk.is_out(at.seat):
            return [rejected(tokens)]
        if not message.orders:
            if self._orders:
                await at.session.submit(at.match, it.Retract(at.seat))
            for key in self._orders:
                self._note_free(key, None)
            self._orders = self._taken = {}
            return [confirmed(tokens)]
        order, board = message.orders[0], self._asked().board
        text = "" if order is None else to_text(order, board)
        left = dict(self._orders)
        free = at.reception.free_orders.find(at.match, at.position.phase, at.seat, text)
        for key in [key for key, order in left.items() if order == text or key == free]:
            del left[key]
            self._note_free(key, None)
            return [confirmed(tokens) if await self._act(left) else rejected(tokens)]
        return [rejected(tokens)]

    async def _act(self, orders: dict[str, str]) -> bool:
        while (hosted := self._at.hosted()) is None:
            await self._at.at_hand()
        complete = self._is_complete(orders, sm.missing(self._asked(), orders))
        taken = self._submit(hosted, orders, complete=complete)
        if taken:
            self._orders = orders
            await self.settled()
        return taken

    async def go(self, message: cm.Going, tokens: Sequence[Token]) -> list[ServerMessage]:
        """Let the turn end as soon as everybody is done, or only when its time is up; return the answers."""
        at = self._at
        if not at.playing or at.seat is None or (at.talk.is_out(at.seat) and not message.on):
            return [rejected(tokens)]
        self._goes_on = message.on
        lacking = self.missing()
        waits = not (message.on and self._is_complete(self._orders, lacking))
        if at.acts and self._orders and self._flag is not waits:
            self._flag = waits
            await at.session.submit(at.match, it.SetWait(at.seat, waits))
        return [confirmed(tokens), lacking] if message.on and len(lacking) > 1 else [confirmed(tokens)]


def _may_be_free(order: v.Order, asked: DueOrders, power: str, given: Collection[str]) -> bool:
    """Return True if an order is accepted whatever it says: it is for an own unit, or for a build that is left."""
    if isinstance(order, v.Waive) or order.unit.power != power:
        return False
    if asked.board.stage == "adjustments":
        return isinstance(order, v.Build) and len(given) < asked.number
    return is_same(order.unit, asked.board.acting.get(order.unit.province))


def _amounts_to(order: v.Order, board: PhaseBoard) -> str:
    """Return the order that is carried out for an impossible one: hold, disband or waive."""
    assert not isinstance(order, v.Waive)
    if board.stage == "adjustments":
        return adjustments.WAIVE
    return to_text(v.Disband(order.unit) if board.stage == "retreats" else v.Hold(order.unit), board)


def _unused(orders: Mapping[str, str]) -> str:
    """Return a key for one more waived build."""
    return next(key for key in map(str, range(len(orders) + 1)) if key not in orders)
