"""Computes the figures of each seat from a record: score, win, legality, promises, tokens, fouls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from parlour.agents import LLM
from parlour.agents.specs import split_spec
from parlour.core import events as ev
from parlour.core.contest import win_share
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat
from parlour.core.terms import PressMode
from parlour.errors import ConfigError
from parlour.tournament.engines.playing import calls_of, kept_of, unreachable
from parlour.tournament.results import Calls, Kept


class SeatStanding(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one seat."""

    seat: str
    player: str
    is_model: bool
    score: float
    """Share of all points, from 0 to 1; 0 if the match is not over or the seat was removed."""
    win: float
    """Share of the first place, from 0 to 1."""
    points: float
    """Points as the game counts them: fish, or the score of the match."""
    answers: int = 0
    """Number of answers that arrived."""
    usable: int = 0
    """Number of usable answers, at once or after a repair."""
    transport: int = 0
    """Number of calls that failed in transport."""
    illegal: int = 0
    """Number of orders or moves that the referee refused."""
    kept: int = 0
    broken: int = 0
    stabs: int = 0
    tokens: int = 0
    usd: float = 0.0
    fouls: dict[str, int] = {}
    removed: str = ""

    @property
    def legality(self) -> float:
        """Share of answers that were usable; 1 without answers."""
        return self.usable / self.answers if self.answers else 1.0

    @property
    def word(self) -> float:
        """Share of promises that were kept; 1 without promises."""
        due = self.kept + self.broken
        return self.kept / due if due else 1.0

    def row(self) -> dict[str, float]:
        """Return the figures as numbers by name, for frameworks that log metrics."""
        return {
            "score": self.score,
            "win": self.win,
            "points": self.points,
            "legality": self.legality,
            "kept": float(self.kept),
            "broken": float(self.broken),
            "stabs": float(self.stabs),
            "illegal": float(self.illegal),
            "fouls": float(sum(self.fouls.values())),
            "tokens": float(self.tokens),
            "answers": float(self.answers),
            "transport": float(self.transport),
        }


class EpisodeStanding(msgspec.Struct, frozen=True):
    """The figures of all seats of one match."""

    game: str
    seed: int
    finished: bool
    reason: str
    """The reason for the end of the match; empty while the match runs."""
    void: str
    """The reason not to count the match, which is an unreachable model; empty if the match counts."""
    seats: dict[str, SeatStanding]

    def reward(self, seat: str, name: str = "score") -> float:
        """Return the reward of a seat by its name in REWARDS.

        Raises:
            ConfigError: There is no reward of that name.
        """
        if name not in REWARDS:
            raise ConfigError(f"reward: expected {', '.join(REWARDS)}, got {name!r:.40}", field="reward")
        return REWARDS[name](self.seats[seat])

    def table(self) -> str:
        """Return the figures as lines of text, one per seat."""
        width = max((len(seat) for seat in self.seats), default=4)
        lines = [f"{'seat':{width}}  score    win  legal   kept broken  fouls  tokens  player"]
        for seat, one in self.seats.items():
            promises = f"{one.kept:5d}  {one.broken:5d}"
            figures = f"{one.score:5.3f}  {one.win:5.3f}  {one.legality:5.0%}  {promises}  {sum(one.fouls.values()):5d}"
            lines.append(f"{seat:{width}}  {figures}  {one.tokens:6d}  {one.player}")
        return "\n".join([*lines, f"void: {self.void}"] if self.void else lines)


REWARDS: Mapping[str, Callable[[SeatStanding], float]] = {
    "score": lambda seat: seat.score,
    "win": lambda seat: seat.win,
    "legality": lambda seat: seat.legality,
    "kept": lambda seat: seat.word,
}
"""Rewards by name, each from 0 to 1."""


def standing(record: Sequence[Event]) -> EpisodeStanding:
    """Return the figures of a record; scores are 0 while the match is not over.

    Raises:
        ConfigError: The record does not begin with an opening.
    """
    opened = record[0] if record else None
    if not isinstance(opened, ev.Opened):
        raise ConfigError("record: expected events that begin with an opening", field="record")
    outcome = next((event.outcome for event in reversed(record) if isinstance(event, ev.Ended)), None)
    removed = {event.seat: event.reason_words for event in record if isinstance(event, ev.Removed)}
    talked = opened.terms.press.mode is not PressMode.NONE and any(isinstance(event, ev.Said) for event in record)
    kept = kept_of(record) if talked else {}
    calls = calls_of(record)
    names = {event.seat: event.name for event in record if isinstance(event, ev.Joined)}
    failed = Counter(
        event.seat for event in record if isinstance(event, ev.Consulted) and event.consultation.verdict == "transport"
    )
    illegal, fouls = Counter[Seat](), dict[Seat, Counter[str]]()
    for event in record:
        if isinstance(event, ev.Acted):
            illegal[event.seat] += len(event.violations)
        elif isinstance(event, ev.Fouled):
            fouls.setdefault(event.seat, Counter())[event.kind.value] += 1
            illegal[event.seat] += event.violation is not None
    shares, wins = _shares(outcome, removed), win_share(outcome, tuple(removed)) if outcome else {}
    nobody, silent = Calls(), Kept()
    return EpisodeStanding(
        opened.game,
        opened.seed,
        outcome is not None,
        outcome.reason if outcome else "",
        unreachable(record),
        {
            str(seat): SeatStanding(
                seat=str(seat),
                player=name,
                is_model=split_spec(name)[0] == LLM,
                score=shares.get(seat, 0.0),
                win=wins.get(seat, 0.0),
                points=outcome.scores.get(seat, 0.0) if outcome else 0.0,
                answers=(called := calls.get(seat, nobody)).answered,
                usable=called.usable,
                transport=failed[seat],
                illegal=illegal[seat],
                kept=(word := kept.get(seat, silent)).kept,
                broken=word.broken,
                stabs=word.stabs,
                tokens=called.tokens,
                usd=called.usd,
                fouls=dict(fouls.get(seat, {})),
                removed=removed.get(seat, ""),
            )
            for seat, name in names.items()
        },
    )


def _shares(outcome: Outcome | None, removed: Mapping[Seat, str]) -> dict[str, float]:
    """Return each seat's share of all points; removed seats have 0."""
    points = (
        {}
        if outcome is None
        else {seat: 0.0 if seat in removed else max(0.0, score) for seat, score in outcome.scores.items()}
    )
    total = sum(points.values())
    return {seat: score / total if total else 0.0 for seat, score in points.items()}
