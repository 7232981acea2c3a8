"""A person at a terminal: shows the position, reads an action from a line, explains errors, and carries press.

While the person thinks the rest of the table continues, so that people can talk before they give orders.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

import msgspec

from parlour.agents.colours import painted
from parlour.agents.completing import Complete, completer
from parlour.agents.listing import lines_of
from parlour.agents.terminal import Terminal, the_terminal
from parlour.core import events as ev
from parlour.core.game import Action, Outcome, Seat, View, Violation
from parlour.core.intents import Ballot, PlayerType, Refusal, RefusalCode
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.terms import PressMode
from parlour.core.text import printable
from parlour.press.language.prose import formal

LISTED = 20
"""Maximum number of lines of legal actions; more would push the board out of sight."""
HELP = """\
  hold                   what an absent player does
  quit                   leaves the match, once you have said so again
  ?                      this; in a terminal with an editor, Tab completes"""
PRESS_HELP = """\
  FRANCE ITALY: text     press to some (FRA is enough), all: text to everybody
  yes FRANCE, no FRANCE  your answer to what France proposed last; huh FRANCE, if you do not understand it
  vote yes, vote no      on a draw
  Whatever else you type is your action, and ends your turn."""


ANSWERS = {"yes": "YES", "no": "REJ", "huh": "HUH"}


class Human:
    """Asks a person until the action is legal; a person whose input has ended counts as gone."""

    player_type = PlayerType.HUMAN
    real_time = True

    def __init__(self, terminal: Terminal | None = None) -> None:
        self._terminal = terminal or the_terminal()
        self._handle: SeatHandle | None = None
        self._seats: tuple[Seat, ...] = ()
        self._talks = False
        self._offers: dict[Seat, ev.Said] = {}
        """The last proposal of each other seat that is not answered."""
        self._typing: asyncio.Task[str] | None = None
        self._stages: tuple[str, ...] = ()
        """The stages in which there is press."""
        self._window: tuple[str, ...] = ()
        """The stages in which messages wait for the press window."""
        self._early: list[tuple[str, Sequence[Seat]]] | None = None
        """Messages typed before this turn's window opened; None without a window to wait for."""
        self._view: View | None = None
        """The last question to the person."""
        self._sealing = False
        """True in a turn in which plans are sealed, until the person was asked for one."""
        self._given: Action | None = None
        """The last action of the person."""
        self._again = False
        """True if the referee refused the person's last action for want of a plan; it is then submitted again."""

    def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle."""
        self._handle = handle

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Take over from another player, or from an earlier run."""
        for observed in past:
            self.on_event(observed)

    def on_event(self, observed: ObservedEvent) -> None:
        """Follow the terms, the turns and the open proposals."""
        match event := observed.event:
            case ev.Opened(terms=terms):
                self._talks = terms.press.mode is not PressMode.NONE
                self._stages = terms.press.stages
                self._window = self._stages if terms.press.mode is PressMode.WINDOW else ()
            case ev.Started(seats=seats):
                self._seats = seats
            case ev.Said(text=text) if self._handle is not None and event.seat != self._handle.seat:
                if formal(text).lstrip().upper().startswith(("PRP", "INS", "SUG")):
                    self._offers[event.seat] = event
            case ev.TurnBegan(stage=stage):
                self._sealing = observed.view.sealing and stage in self._stages
                if self._early:
                    self._terminal.show("The press window did not open: what you said was not sent.")
                self._offers.clear()
                self._early = [] if stage in self._window else None
            case ev.PressOpened():
                early, self._early = self._early or (), None
                for text, to in early:
                    self._say(text, to)
            case ev.TurnEnded(actions=actions):
                self._explain(actions)
            case ev.Removed(seat=seat, reason_words=reason) if self._handle is not None and seat == self._handle.seat:
                self._hush()
                self._terminal.show(f"You were removed: {printable(reason)}.")

    async def act(self, view: View) -> Action:
        """Show the position and read lines until one of them is a legal action."""
        if self._again:
            self._again = False
            return self._given
        self._given = await self._asked(view)
        return self._given

    async def _asked(self, view: View) -> Action:
        self._hush()
        self._view = view
        async with self._terminal.held():
            self._show(f"\n{view.position}")
            time = "" if view.remaining is None else f" You have {view.remaining:.0f} s."
            self._show(f"{view.seat}, {view.position.stage} (? for what is possible):{time}")
            complete = completer(view.position, view.seat, self._seats, talks=self._talks)
            await self._ask_plan(complete)
            while True:
                line = (await self._line(complete)).strip()
                action = await self._meant(line, view)
                if action is None:
                    continue
                violations = view.position.check(view.seat, action)
                if not violations:
                    return action
                for violation in violations:
                    self._terminal.show(violation.message)

    async def _ask_plan(self, complete: Complete) -> None:
        """Ask once per turn for the plan to seal. An empty line skips the plan; the plan is not checked here."""
        if not self._sealing or self._handle is None:
            return
        self._sealing = False
        self._terminal.show(
            "What do you plan? Your orders are sealed in secret before you talk; an empty line skips it:"
        )
        line = (await self._line(complete)).strip()
        if line:
            self._handle.seal(read_action(line))

    async def _meant(self, line: str, view: View) -> Action | None:
        """Return the action in a line; None if the line was something else, which has been carried out."""
        word = line.lower()
        if word in ("?", "help"):
            self._help(view)
        elif word in ("quit", "exit"):
            if await self._agrees("Leave the match?"):
                raise EOFError("the person has left")
        elif word == "hold" and (default := view.position.default(view.seat)) is not None:
            return default
        elif not line:
            nothing = not view.position.check(view.seat, [])
            if nothing and await self._agrees("That orders nothing, and units without an order hold. Submit it?"):
                return []
        elif not self._spoken(line):
            return read_action(line)
        return None

    async def _agrees(self, question: str) -> bool:
        """Ask for confirmation of an action that cannot be taken back."""
        self._terminal.show(f"{question} yes or no")
        try:
            return (await self._line()).strip().lower() in ("y", "yes", "quit")
        except EOFError:
            return True

    def _explain(self, actions: Mapping[str, Action]) -> None:
        """Print why orders of the person failed, in games that explain it."""
        view, self._view = self._view, None
        following = getattr(view.position, "following", None) if view is not None else None
        if view is None or following is None or view.seat not in actions:
            return
        turn = following({Seat(seat): action for seat, action in actions.items()}).turn
        for reason in turn.explanations if turn is not None else ():
            if reason.power == view.seat and reason.verdict != "succeeded" and not reason.default:
                self._show(f"{reason.text}: {reason.sentence}")

    def on_refused(self, reason: Violation | Refusal) -> None:
        """Print why the referee refused something."""
        if isinstance(reason, Refusal) and reason.code is RefusalCode.UNSEALED:
            self._again = True
            return
        self._terminal.show(reason.message if isinstance(reason, Violation) else reason.reason)

    def on_end(self, outcome: Outcome) -> None:
        """Print the outcome."""
        self._hush()
        places = ", ".join(" and ".join(seats) for seats in outcome.places) or "nobody"
        self._terminal.show(f"The match is over ({outcome.reason}): {places}.")

    def _show(self, text: str) -> None:
        """Print a text, in colour if the terminal has colours."""
        self._terminal.show(painted(text, self._seats) if self._terminal.colour else text)

    async def _line(self, complete: Complete | None = None) -> str:
        typing = self._typing = asyncio.create_task(self._terminal.line(complete))
        try:
            return await typing
        except asyncio.CancelledError:
            if typing.cancelled() and not _being_cancelled():
                raise TimeoutError("another turn has begun") from None
            typing.cancel()
            raise

    def _hush(self) -> None:
        """Stop waiting for the answer to an outdated question."""
        if self._typing is not None:
            self._typing.cancel()

    def _help(self, view: View) -> None:
        lines = lines_of(view.position.legal(view.seat))
        for line in lines[:LISTED]:
            self._terminal.show(f"  {line}")
        if len(lines) > LISTED:
            self._terminal.show(f"  and {len(lines) - LISTED} more lines")
        self._terminal.show(HELP)
        if self._talks:
            self._terminal.show(PRESS_HELP)

    # Talking

    def _spoken(self, line: str) -> bool:
        """Return True if the line was press, an answer or a vote, after sending it."""
        if not self._talks or self._handle is None:
            return False
        first, _, rest = line.partition(" ")
        if first.lower() in ANSWERS:
            self._answer(ANSWERS[first.lower()], rest)
        elif first.lower() == "vote" and rest.strip().lower() in ("yes", "no"):
            self._handle.vote(Ballot(rest.strip().lower()))
        else:
            names, colon, text = line.partition(":")
            words = names.replace(",", " ").split()
            if not colon or not words or not all(word.isalpha() or self._seat(word) for word in words):
                return False
            self._address(words, text.strip())
        return True

    def _say(self, text: str, to: Sequence[Seat]) -> None:
        assert self._handle is not None
        if self._early is None:
            self._handle.say(text, to)
        else:
            self._early.append((text, to))
            self._terminal.show("That is sent as soon as the press window opens.")

    def _answer(self, word: str, name: str) -> None:
        assert self._handle is not None
        seat = self._seat(name) if name.strip() else next(reversed(self._offers), None)
        offer = self._offers.pop(seat, None) if seat is not None else None
        if offer is None:
            expected = self._nobody(name.strip()) if seat is None and name.strip() else "No such proposal."
            waiting = ", ".join(self._offers) or "nobody"
            self._terminal.show(f"{expected} An answer is awaited by: {waiting}.")
            return
        others = dict.fromkeys((offer.seat, *(offer.to or self._seats)))
        text = formal(offer.text)
        said = f"HUH (ERR {text})" if word == "HUH" else f"{word} ({text})"
        self._say(said, [other for other in others if other != self._handle.seat])

    def _address(self, words: Sequence[str], text: str) -> None:
        """Send press to the seats in a line's heading, or print the possible seats."""
        if [word.lower() for word in words] == ["all"]:
            self._say(text, ())
            return
        found = {word: self._seat(word) for word in words}
        for word, seat in found.items():
            if seat is None:
                self._terminal.show(f"{self._nobody(word)} To everybody: all.")
                return
        self._say(text, [seat for seat in found.values() if seat is not None])

    def _nobody(self, name: str) -> str:
        """Return the error for an unknown seat, with the seats that exist."""
        assert self._handle is not None
        others = [seat for seat in self._seats if seat != self._handle.seat]
        like = [seat for seat in others if seat.upper().startswith(name.upper())]
        return f"There is no {name!r:.40}, expected one of {', '.join(like or others)}."

    def _seat(self, name: str) -> Seat | None:
        """Return the only seat whose name begins with a text; None if there are none or several."""
        wanted = name.strip().upper()
        found = [seat for seat in self._seats if wanted and seat.upper().startswith(wanted)]
        return found[0] if len(found) == 1 else None


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def read_action(line: str) -> Action:
    """Return the action in a line: JSON, two numbers for a place, four for a move, or orders separated by ; or ,."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    words = line.replace(",", " ").split()
    if len(words) in (2, 4) and all(len(word) < 10 and word.isdecimal() for word in words):
        numbers = [int(word) for word in words]
        return numbers if len(numbers) == 2 else [numbers[:2], numbers[2:]]
    return [order.strip() for order in re.split("[;,]", line) if order.strip()]
