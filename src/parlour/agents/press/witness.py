"""The knowledge of a negotiating player: its seat handle, the players by seat, open negotiations, and its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.agents.press.commitments import Commitments
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import PlayerType
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.terms import PressMode, PressTerms
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language.tokens import Lexicon
from parlour.press.ledger import Ledger


class Witness:
    """A player that follows a match through a seat handle, and reports its knowledge in press words."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        """The promises and their verdicts, as far as the seat may see them."""
        self.faithless: set[str] = set()
        """Powers that broke a promise to this player."""
        self.mode, self.level = PressMode.NONE, 0
        self.handle: SeatHandle | None = None
        self._bots: set[Seat] = set()
        self._held: set[Seat] = set()
        """Powers that held up this turn; they may still talk after they have acted."""
        self._acted: set[Seat] = set()
        """Powers that acted without holding up the turn; the player does not wait for their press."""
        self._most = PressTerms().max_per_turn
        """Maximum number of messages from one seat in one turn."""
        self._open = False
        """True while the press window is open."""
        self.sealing = False
        """True in a turn in which the player may seal plans."""
        self._quiet: set[Seat] = set()
        """Seats that held up this turn and no longer do."""

    def learns(self, verdicts: Sequence[PactVerdict]) -> None:
        """Receive the verdicts of the turn that ended."""

    def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle."""
        self.handle = handle

    def _follow(self, observed: ObservedEvent) -> None:
        event, after = observed.event, observed.view.position
        verdicts = self.ledger.feed(event, after if isinstance(after, Position) else None)
        if isinstance(event, ev.TurnEnded):
            for verdict in verdicts:
                if verdict.status is PromiseStatus.BROKEN and self.me in verdict.pact.parties - {verdict.performer}:
                    self.faithless.add(verdict.performer)
            self.learns(verdicts)
        match event:
            case ev.Opened(terms=terms):
                self.mode, self.level, self._most = terms.press.mode, terms.press.level, terms.press.max_per_turn
            case ev.Joined(seat=seat, player_type=PlayerType.PRESS_BOT):
                self._bots.add(seat)
            case ev.PressOpened():
                self._open = True
            case ev.TurnBegan():
                self.sealing = observed.view.sealing
                self._open, self._held, self._acted, self._quiet = False, set(), set(), set()
            case ev.PressClosed():
                self._open = False
            case ev.WaitSet(seat=seat, wait=True):
                self._held.add(seat)
                self._quiet.discard(seat)
            case ev.WaitSet(seat=seat):
                self._quiet.add(seat)
            case ev.Acted(seat=seat) if seat not in self._held:
                self._acted.add(seat)

    @property
    def seat(self) -> Seat:
        """The player's seat."""
        assert self.handle is not None
        return self.handle.seat

    @property
    def lexicon(self) -> Lexicon:
        """The words of the map."""
        return self.ledger.lexicon

    @property
    def me(self) -> str:
        """The press word of the player's own power, for example FRA."""
        return self.lexicon.seats[self.seat]

    def others(self) -> list[str]:
        """Return the other powers in the game, in the map's order."""
        present = self.ledger.present
        return [power for power in self.lexicon.powers if power in present and power != self.me]

    @property
    def commitments(self) -> Commitments:
        """The obligations of the player's own power."""
        return Commitments(self.ledger, self.me)

    def friends(self) -> set[str]:
        """Return the powers with which the player has agreed to keep peace."""
        return self.commitments.friends()

    def _pacts(self) -> tuple[int, ...]:
        return tuple(pact.number for pact in self.ledger.pacts.active)
