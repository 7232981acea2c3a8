"""The storage of a tournament by a plan: the plan, results as they come, and the records of its matches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from parlour.errors import ConfigError, RecordError
from parlour.games import load_contest, load_game
from parlour.store import Entries, Filter, Finished, RecordHead, RecordKind, Store, Write
from parlour.store.journal import read_entries
from parlour.tournament.engines.playing import match_id
from parlour.tournament.plan import Plan
from parlour.tournament.results import Delivery, MatchPlayed
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import config_of
from parlour.tournament.storage.fingerprints import changed, fingerprint

DocketEntry: TypeAlias = Plan | MatchPlayed

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[DocketEntry] = msgspec.json.Decoder(DocketEntry)
_AGENTS, _STRANGERS = b'{"kind":"agents"}', b'{"kind":"strangers"}'
"""Marks in the head of a tournament with a plan: for agents, or for players who signed up."""


class TournamentStore:
    """Stores one tournament; its writes are on disk when a method returns."""

    def __init__(self, store: Store, plan: Plan, *, length: int = 0) -> None:
        self._store, self._plan, self._length = store, plan, length
        self._opened = time.time()

    def open(self) -> None:
        """Store the plan of a new tournament."""
        self._store.write(*self.opening())

    def opening(self) -> list[Write]:
        """Return the writes that keep the plan of a new tournament."""
        plan = self._plan
        players = {str(number): name for number, name in enumerate(plan.names)}
        about = _AGENTS if plan.between_agents else _STRANGERS
        head = RecordHead(
            plan.tournament, RecordKind.TOURNAMENT, plan.game, opened=self._opened, about=about, players=players
        )
        return [head, self._entries([plan])]

    def keep(self, deliveries: Sequence[Delivery], series: ResultsState) -> None:
        """Store results and records together: a result without its record never counts."""
        if deliveries:
            self._store.write(*self._results(deliveries, series))

    async def keep_on_loop(self, deliveries: Sequence[Delivery], series: ResultsState) -> None:
        """Store results and records together without blocking the event loop."""
        if deliveries:
            await self._store.keep(*self._results(deliveries, series))

    def _results(self, deliveries: Sequence[Delivery], series: ResultsState) -> list[Write]:
        writes: list[Write] = [self._entries([delivery.played for delivery in deliveries])]
        for delivery in deliveries:
            if delivery.record:
                writes += self._match(delivery, series)
        return writes

    def close(self, result: bytes) -> None:
        """Store the result of a finished tournament."""
        self._store.write(Finished(self._plan.tournament, result))

    def _entries(self, entries: Sequence[DocketEntry]) -> Entries:
        bodies = tuple(_encoder.encode(entry) for entry in entries)
        self._length += len(bodies)
        return Entries(self._plan.tournament, self._length - len(bodies), bodies)

    def _match(self, delivery: Delivery, series: ResultsState) -> list[Write]:
        plan, played = self._plan, delivery.played
        sitting = series.sitting(played.number)
        config = config_of(load_contest(plan.game), plan.config, sitting)
        seats = load_game(plan.game).seats(config)
        players = {str(seat): name for seat, name in zip(seats, sitting.players, strict=True)}
        name = match_id(plan, played.number)
        head = RecordHead(
            name,
            RecordKind.MATCH,
            plan.game,
            plan.tournament,
            self._opened + played.number * 1e-6,
            players=players,
            turn=played.turns,
        )
        return [head, Entries(name, 0, delivery.record), Finished(name, _encoder.encode(played.timeless()))]


def unfinished(store: Store, game: str, wanted: str = "") -> str:
    """Return the newest interrupted tournament of a game between agents, or the given one."""
    if wanted:
        head = store.head(wanted)
        if head is None or head.kind is not RecordKind.TOURNAMENT or not is_between_agents(head):
            raise ConfigError(f"resume: no tournament {wanted!r:.80} is kept in {store.url}", field="resume")
        if head.game != game:
            raise ConfigError(f"resume: {wanted} is a tournament of {head.game}, not of {game}", field="resume")
        if head.result is not None:
            raise ConfigError(f"resume: {wanted} is over: parlour records {store.url} {wanted}", field="resume")
        return wanted
    open_ones = store.heads(Filter(kind=RecordKind.TOURNAMENT, unfinished=True))
    heads = [head for head in open_ones if is_between_agents(head)]
    found = [head.id for head in heads if head.game == game]
    if not found:
        others = f"; it keeps one of {heads[-1].game}" if heads else ""
        raise ConfigError(f"resume: no tournament of {game} in {store.url} was cut short{others}", field="resume")
    return found[-1]


def is_between_agents(head: RecordHead) -> bool:
    """Return True if a tournament is played by agents, and not by strangers."""
    return head.about == _AGENTS


def has_plan(head: RecordHead) -> bool:
    """Return True if a tournament follows a plan, so that read returns its series."""
    return head.about in (_AGENTS, _STRANGERS)


def read(store: Store, tournament: str) -> tuple[ResultsState, TournamentStore]:
    """Return a stored tournament with its results so far; raise RecordError if its entries do not fit together."""
    entries = read_entries(store, tournament, _decoder)
    if not entries or not isinstance(entries[0], Plan):
        raise RecordError(f"tournament {tournament} does not begin with its plan", number=0)
    plan = entries[0]
    series = ResultsState(plan)
    for number, entry in enumerate(entries[1:], 1):
        if not isinstance(entry, MatchPlayed):
            raise RecordError("a tournament has only one plan", number=number)
        series.add(entry)
    return series, TournamentStore(store, plan, length=len(entries))


def check_unchanged(plan: Plan) -> None:
    """Raise ConfigError, with the agent and the change, if an agent has changed since the tournament began."""
    for contender in plan.contenders:
        found = changed(contender.fingerprint, fingerprint(plan.game, contender.agent))
        if found:
            raise ConfigError(
                f"resume: {contender.name} has changed since the tournament began ({', '.join(found)}): "
                "put back what it was, or begin a new tournament",
                field="resume",
            )
