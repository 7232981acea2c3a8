"""A model that plays Diplomacy: a few talks while the press window is open, then orders; one call without press.

The window opens when all players are ready. Each talk answers the messages before it. The next talk follows only after
a new message. To answer simultaneous messages together, the player sets its status to busy: when the table confirms
the status, all earlier messages have arrived. Without a clock the orders follow when the window closes. With a clock
they follow the last talk as soon as it is delivered, and again after later messages of the player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from parlour.agents.llm import briefing
from parlour.agents.llm.drafts import OrderDraft, Speech, only_choice, read_orders, read_speech, reply_text
from parlour.agents.llm.endpoint import Oracle
from parlour.agents.llm.naming import NameBook
from parlour.agents.llm.prompts import template
from parlour.agents.llm.retries import AnswerLost, AnswerReading
from parlour.agents.llm.seated import ModelPlayer
from parlour.agents.llm.spec import LlmSpec, read_spec
from parlour.agents.specs import Recipe
from parlour.core import events as ev
from parlour.core.game import Action, Happened, Seat, View
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.player import LATER, ObservedEvent
from parlour.core.terms import PressMode
from parlour.games.diplomacy.position import Position
from parlour.press.ledger import Ledger

NO_PLAN = "no plan yet"
"""Text of the seal before the talk of a turn begins."""
MAX_NOTES = 40
MAX_SAID = 400
"""Number of stored messages; fewer fit into a prompt."""
WHAT = {
    "orders": "Give one order to each of your units.",
    "retreats": "Order each dislodged unit to retreat (R) or to disband (D).",
    "builds": "You may build $count: give as many orders, each a build (A or F at a home centre, B) or WAIVE.",
    "removals": "You must disband $count of your units: give as many orders of the form A PAR D.",
}


class DiplomacyModelPlayer(ModelPlayer):
    """A player that plays a power by a model's answers."""

    def __init__(self, spec: LlmSpec, seed: int, oracle: Oracle | None = None) -> None:
        super().__init__(spec, seed, oracle)
        self.player_type = PlayerType.PRESS_BOT if spec.options.rounds else PlayerType.NO_PRESS_BOT
        self._ledger = Ledger()
        self._spelling: NameBook | None = None
        self._said: list[ev.Said] = []
        self._notes: list[tuple[str, str]] = []
        self._happened: Happened | None = None
        self._view: View | None = None
        """The view to act on; None after the turn has ended."""
        self._round = 0
        self._open = self._nudged = self._ending = self._ordered = False
        """Flags of this turn: window open, busy status to be confirmed, orders due after it, orders given."""
        self._rules = ""
        self._sealing = False
        """True in a turn in which plans may be sealed."""
        self._stances: Mapping[str, str] = {}
        """The player's last stances of this turn."""

    # Called by the driver

    def act(self, view: View) -> Action:
        """Return orders, after a talk where press is always allowed; LATER if the press window comes first."""
        again = self._view is not None and self._view.turn == view.turn
        self.begin(view)
        position = _diplomacy(view)
        if self._ledger.position != position:
            self._ledger.begin(position)
        self._view = view
        if not again:
            self._round, self._nudged, self._ending, self._ordered = 0, False, False, False
        if again or only_choice(position, view.seat) is not None or not self._may_talk(position):
            return self._orders(view)
        if self._mode is PressMode.ANYTIME:
            self._talk(view)
            self._ordered = True
            return self._orders(view)
        assert self.handle is not None
        if self._sealing:
            self.handle.seal(text=NO_PLAN)  # a separate call would cost a whole prompt; each talk contains a plan
        self.handle.set_comm_status(CommStatus.READY)
        if self._open:
            self._converse(view)
        return LATER

    def on_event(self, observed: ObservedEvent) -> None:
        """Follow the match; talk and give orders when the events require it."""
        event = observed.event
        if isinstance(event, ev.TurnBegan):
            self._sealing = observed.view.sealing and observed.view.stage == "orders"
            self._stances = {}
        after = observed.view.position if event.changes_position else None  # access to the position costs time
        self.follow(event, after if isinstance(after, Position) else None)
        view, handle = self._view, self.handle
        if view is None or handle is None:
            return
        match event:
            case ev.PressOpened():
                self._converse(view)
            case ev.Said(seat=seat) if seat != view.seat and not self._nudged and self._has_rounds():
                if self._open or self._mode is PressMode.ANYTIME:
                    self._nudged = True
                    handle.set_comm_status(CommStatus.BUSY)
            case ev.CommStatusSet(seat=seat, status=CommStatus.BUSY) if seat == view.seat and self._nudged:
                self._nudged = False
                handle.set_comm_status(CommStatus.READY)
                if self._ending:
                    self._finish(view)
                else:
                    self._converse(view)
            case ev.PressClosed() if not self._ordered:
                self._finish(view)

    def follow(self, event: ev.Event, after: Position | None = None) -> None:
        """Store an event, and the position after it if that is known, without any action."""
        super().follow(event)
        self._ledger.feed(event, after)
        match event:
            case ev.Said():
                self._said = [*self._said[-MAX_SAID:], event]
            case ev.PressOpened():
                self._open = True
            case ev.PressClosed() | ev.TurnBegan():
                self._open = False
            case ev.TurnEnded(happened=happened):
                self._happened, self._view = happened, None

    # Talking

    @property
    def _mode(self) -> PressMode:
        return PressMode.NONE if self.terms is None else self.terms.press.mode

    @property
    def _level(self) -> int:
        return 0 if self.terms is None else self.terms.press.level

    def _may_talk(self, position: Position) -> bool:
        if self.terms is None or self.handle is None or not self.spec.options.rounds or len(position.alive()) < 2:
            return False
        press = self.terms.press
        return press.mode is PressMode.ANYTIME or (press.mode is PressMode.WINDOW and position.stage in press.stages)

    def _has_rounds(self) -> bool:
        return self._round < self.spec.options.rounds

    def _converse(self, view: View) -> None:
        """Talk once if rounds are left.

        Without a clock, the orders follow when the window closes. Otherwise they follow the last talk once it is
        delivered.
        """
        if not self._has_rounds():
            return
        speech = self._talk(view)
        if view.remaining is None and self._mode is PressMode.WINDOW:
            return  # orders follow when the window closes
        spoken = bool(speech.answers or speech.messages)
        if (self._ordered and spoken) or (not self._ordered and (speech.done or not self._has_rounds())):
            self._ending = self._nudged = True
            assert self.handle is not None
            self.handle.set_comm_status(CommStatus.BUSY)

    def _talk(self, view: View) -> Speech:
        """Ask the model for a speech, send its messages, and return it."""
        self._round += 1
        spelling = self._names(view)
        task = template("talk").substitute(round=self._round, rounds=self.spec.options.rounds)
        if self._sealing:
            task += spelling.press(template("plan").substitute())

        def read(text: str, kept: Speech | None) -> AnswerReading[Speech]:
            return read_speech(text, kept, self._ledger, view.seat, self._level, spelling)

        try:
            speech = self.seek("talk", self._system(view), self._prompt(view, task), read)
        except AnswerLost as lost:
            # The record shows the failed call. Only missing orders can be a foul.
            speech = lost.value if isinstance(lost.value, Speech) else Speech(done=True)
        assert self.handle is not None
        if self._sealing and speech.plan is not None:
            self._stances = speech.stances
            self.handle.seal(list(speech.plan), speech.stances)
        me = self._ledger.lexicon.seats[view.seat]
        for proposal, yes in speech.answers:
            to = [self._ledger.lexicon.seat_of[power] for power in sorted(proposal.parties - {me})]
            self.handle.say(reply_text(proposal, yes), to)
        for to_seats, text in speech.messages:
            self.handle.say(text, to_seats)
        return speech

    def _finish(self, view: View) -> None:
        """Give orders through the seat handle."""
        assert self.handle is not None
        self._ordered, self._ending = True, False
        self.handle.act(self._orders(view))

    # Ordering

    def _orders(self, view: View) -> list[str]:
        position = _diplomacy(view)
        only = only_choice(position, view.seat)
        if only is not None:
            self._seal_orders(only, {})
            return only
        spelling = self._names(view)

        def read(text: str, kept: OrderDraft | None) -> AnswerReading[OrderDraft]:
            return read_orders(text, kept, position, view.seat, spelling)

        task = template("orders").substitute(what=spelling.orders(_wanted(position, view.seat)))
        if self._sealing:
            task += spelling.press(template("stances").substitute())
        try:
            draft = self.seek(position.stage, self._system(view), self._prompt(view, task, position), read)
        except AnswerLost as lost:
            if not isinstance(lost.value, OrderDraft):
                raise self.give_up(lost, view.turn) from None
            draft = lost.value  # the orders may have faults, whose consequences the referee decides
        if draft.note:
            self._notes = [*self._notes[-MAX_NOTES:], (position.phase, draft.note)]
        self._seal_orders(draft.orders, draft.stances)
        return list(draft.orders)

    def _seal_orders(self, orders: Sequence[str], stances: Mapping[str, str]) -> None:
        """Seal the orders before they are given, with the model's stances to its promises."""
        if self._sealing and self.handle is not None:
            self.handle.seal(list(orders), stances or self._stances)

    # Prompts

    def _names(self, view: View) -> NameBook:
        if self._spelling is None:
            hidden = not self.spec.options.names
            self._spelling = NameBook(_diplomacy(view).board, self.seed if hidden else None)
            if hidden and self.handle is not None:
                self.handle.note(msgspec.json.encode({"names": self._spelling.mapping()}).decode())
        return self._spelling

    def _system(self, view: View) -> str:
        if not self._rules:
            talks = self._mode is not PressMode.NONE and self.spec.options.rounds > 0
            position = _diplomacy(view)
            self._rules = briefing.rules_text(position, view.seat, self._names(view), talks=talks, level=self._level)
        return self._rules

    def _prompt(self, view: View, task: str, ordering: Position | None = None) -> str:
        """Return the part of the prompt that changes with each call; legal orders are listed only for orders."""
        position, spelling = _diplomacy(view), self._names(view)
        talks = self._mode is not PressMode.NONE
        facts = briefing.ledger_text(self._ledger, self._ledger.lexicon.seats[view.seat]) if talks else ""
        legal = briefing.legal_text(position.legal(view.seat)) if ordering and self.spec.options.legal else ""
        return briefing.sections(
            (
                ("Your notes", briefing.notes_text(self._notes)),
                ("The other powers and their word", spelling.press(facts)),
                ("The position", spelling.orders(briefing.position_text(position, view.seat))),
                ("What became of the last orders", spelling.orders(briefing.last_turn_text(self._happened))),
                ("Legal orders, by unit", spelling.orders(legal)),
                ("Messages, newest last", briefing.messages_text(self._said, view.seat, spelling)),
                ("", task.strip()),
            )
        )


def _wanted(position: Position, seat: Seat) -> str:
    if position.stage != "adjustments":
        return WHAT[position.stage]
    due = position.builds[seat]
    return WHAT["builds" if due > 0 else "removals"].replace("$count", str(abs(due)))


def _diplomacy(view: View) -> Position:
    assert isinstance(view.position, Position), "this player knows only Diplomacy"
    return view.position


RECIPE: Recipe[LlmSpec] = Recipe(DiplomacyModelPlayer, LlmSpec, read=read_spec)
