"""Forms of the input and output of the API's operations on matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from parlour.core.events import Event
from parlour.core.game import Outcome, Plain, Seat
from parlour.core.intents import PlayerType
from parlour.core.table_view import MatchStatus
from parlour.core.terms import Clock, PressMode, PressTerms, SealTerms, Terms, Vacancy
from parlour.core.text import printable
from parlour.games import completed
from parlour.net.accounts.principals import shown_owner
from parlour.net.match_roles import Rights
from parlour.net.permission_errors import bad_value
from parlour.net.record_pages import SeenEvent
from parlour.net.setup import Admission, MatchSetup
from parlour.net.views import MatchView, SeatView
from parlour.referee.conduct import preset
from parlour.store import RecordHead

MAX_PAGE = 1000
MAX_WAIT = 25.0

PageSize = Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""The number of an event, or a cursor of a list; at most 63 bits."""


class NewTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a new match."""

    conduct: str = "hosted"
    """Name of the conduct table, which sets the cost of fouls: hosted, vacating, diplomacy, strict, lenient."""
    clock: Clock = Clock()
    press: PressTerms = PressTerms(mode=PressMode.NONE)
    seats_to_start: int | None = None
    wait_flags_up: bool = False
    draw_votes: bool = True
    rejoin: bool = True
    vacancy: Vacancy = Vacancy.DEFAULT
    quorum: int | None = None
    downtime_counts: bool = False
    disclosed: bool = False
    partial_draws: bool = False
    stops_while_away: bool = False
    vacant_flags_up: bool = False
    idle_turns_last: bool | msgspec.UnsetType = msgspec.UNSET
    seals: SealTerms | msgspec.UnsetType = msgspec.UNSET

    def terms(self) -> Terms:
        """Return the referee's terms; raise ConfigError for an unknown conduct."""
        values = {field: getattr(self, field) for field in self.__struct_fields__ if field != "conduct"}
        return Terms(conduct=preset(self.conduct), **values)


class NewMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is to be opened."""

    game: str
    config: dict[str, Plain] = {}
    terms: NewTerms = NewTerms()
    match: str = ""
    """Id of the match; empty for a new one."""
    title: str = ""
    password: str = ""
    """Password that players need to take a seat."""
    guarded: bool = False
    """True if watchers need the password, too."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**62)] | None = None
    listed: bool = True
    delay: float = 0.0
    stand_in: str = ""
    seats_each: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = 1
    """Maximum number of seats per account, including seats that others left; null for any number."""
    playing_moderator: bool = False
    """True if a moderator may play too. Otherwise a moderator who takes a seat no longer moderates."""
    agents: dict[str, str] = {}
    """Seats that house agents take at once: {"FRANCE": "dumbbot"}."""

    def setup(self, usual: Mapping[str, Plain]) -> MatchSetup:
        """Return the setup of the match, with usual values for open options; raise ConfigError for a bad value."""
        return MatchSetup(
            game=self.game,
            terms=self.terms.terms(),
            config=completed(self.game, self.config, usual),
            seed=self.seed,
            match=self.match,
            title=self.title,
            delay=self.delay,
            listed=self.listed,
            stand_in=self.stand_in,
            admission=Admission(
                seats_each=self.seats_each, guarded=self.guarded, playing_moderator=self.playing_moderator
            ),
            agents={Seat(seat): spec for seat, spec in self.agents.items()},
        )


class MatchName(msgspec.Struct, frozen=True):
    """A match that was opened."""

    match: str


class ListedMatch(msgspec.Struct, frozen=True):
    """A match in a list."""

    match: str
    game: str
    title: str
    owner: str
    status: str
    turn: int
    phase: str
    players: dict[str, str]
    due: float | None
    """Time of the next deadline, in Unix seconds."""
    opened: float
    updated: float
    locked: bool
    """True if players need a password to take a seat."""
    outcome: Outcome | None


class MatchList(msgspec.Struct, frozen=True):
    """A page of matches; `more` is the cursor of the next page, to be sent as `after`."""

    matches: list[ListedMatch]
    more: int | None


class WantedMatches(msgspec.Struct, frozen=True):
    """The matches to list."""

    game: str = ""
    status: str = ""
    """One or more status words, separated by commas."""
    owner: str = ""
    player: str = ""
    account: str = ""
    unfinished: bool = False
    limit: PageSize = 100
    after: Number | None = None
    oldest_first: bool = False

    def statuses(self) -> tuple[str, ...]:
        """Return the status words; raise Denied for an unknown one."""
        words = {word.strip() for word in self.status.split(",")} - {""}
        if unknown := words.difference(MatchStatus):
            raise bad_value(f"status: expected {', '.join(MatchStatus)}, got {printable(min(unknown), 40)!r}")
        return tuple(sorted(words))


class Looking(msgspec.Struct, frozen=True, rename={"wanted": "as"}):
    """The role in which a match is viewed."""

    wanted: str = ""
    """A seat, or several separated by commas; spectator, omniscient or moderator. Empty for your own role."""


class WantedEvents(Looking, frozen=True, rename={"wanted": "as"}):
    """The events to list."""

    since: Number = 0
    """Number of the first event wanted, in the caller's view."""
    limit: PageSize = MAX_PAGE
    wait: Annotated[float, msgspec.Meta(ge=0, le=MAX_WAIT)] = 0.0
    """Seconds to wait if there is no event yet."""


class You(msgspec.Struct, frozen=True):
    """The caller's role in the match."""

    seats: tuple[Seat, ...]
    moderator: bool
    omniscient: bool


class StandingMatch(msgspec.Struct, frozen=True):
    """The state of a match as the caller may see it."""

    match: str
    game: str
    title: str
    owner: str
    locked: bool
    config: dict[str, Plain]
    terms: Terms
    status: str
    turn: int
    stage: str
    phase: str
    seats: dict[str, SeatView]
    position: Plain
    due: float | None
    now: float
    """The time in the match, to which deadlines compare."""
    in_favour: int
    """Number of votes for a draw."""
    outcome: Outcome | None
    next: int
    """The number of the next event, to be sent as `since`."""
    you: You


class NumberedEvent(msgspec.Struct, frozen=True):
    """An event, and its number in the caller's view."""

    k: int
    event: Event


class EventList(msgspec.Struct, frozen=True):
    """Events; `next` is the number to send as `since` in the next request."""

    events: list[NumberedEvent]
    next: int


class Happenings(msgspec.Struct, frozen=True):
    """Events that followed from an intent, as its sender may see them. They are durable."""

    events: list[Event]
    notes: tuple[str, ...] = ()
    """Remarks for the sender, such as the reasons why press does not reach some receivers."""


class Phase(msgspec.Struct, frozen=True):
    """A turn: the position at its beginning, the actions, and the results."""

    turn: int
    name: str
    stage: str
    position: Plain
    actions: dict[str, Plain] | None
    """Actions of the turn by seat; None for the running turn."""
    happened: dict[str, Plain] | None


class PhaseList(msgspec.Struct, frozen=True):
    """The turns of a match, the current one last."""

    phases: list[Phase]


class SeatOrders(msgspec.Struct, frozen=True):
    """Legal actions of seats now."""

    orders: dict[str, list[Plain]]


class Taking(msgspec.Struct, frozen=True):
    """The seat to take, and its player."""

    seat: str | None = None
    """The seat; null for the first that is free."""
    name: str = ""
    """The name to show; empty for that of the account."""
    player_type: PlayerType = PlayerType.HUMAN
    password: str = ""


class SeatTaken(msgspec.Struct, frozen=True):
    """The seats that you have now, and the events that followed."""

    seats: tuple[Seat, ...]
    events: list[Event]


class AgentSpec(msgspec.Struct, frozen=True):
    """A house agent with its options: search:budget=200."""

    agent: str


class RoleIn(msgspec.Struct, frozen=True):
    """Role of an account in a match: moderator, omniscient, or none."""

    role: str


def listed(head: RecordHead) -> ListedMatch:
    """Return the head of a match in the form for a list."""
    return ListedMatch(
        match=head.id,
        game=head.game,
        title=head.title,
        owner=shown_owner(head),
        status=head.status,
        turn=head.turn,
        phase=head.phase,
        players=head.players,
        due=head.due,
        opened=head.opened,
        updated=head.updated,
        locked=bool(head.password),
        outcome=None if head.result is None else msgspec.json.decode(head.result, type=Outcome),
    )


def standing(view: MatchView, rights: Rights, phase: str) -> StandingMatch:
    """Return the state of a match in the form for the caller; of its head only the public fields."""
    head = view.head
    return StandingMatch(
        match=head.id,
        game=head.game,
        title=head.title,
        owner=shown_owner(head),
        locked=bool(head.password),
        config=view.config,
        terms=view.terms,
        status=view.status,
        turn=view.turn,
        stage=view.stage,
        phase=phase,
        seats={str(seat): place for seat, place in view.seats.items()},
        position=None if view.position is None else view.position.encode(),
        due=view.due,
        now=view.now,
        in_favour=view.in_favour,
        outcome=view.outcome,
        next=view.k,
        you=You(rights.seats, rights.moderator, rights.omniscient),
    )


def numbered(told: SeenEvent) -> NumberedEvent:
    """Return an event in the form for a list, without its number in the record: that would reveal hidden events."""
    return NumberedEvent(told.k, told.event)
