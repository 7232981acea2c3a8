"""Where a tournament between agents is kept: its plan, its results as they come, the records of its matches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from parlour.errors import ConfigError, RecordError
from parlour.games import load_contest, load_game
from parlour.store import Entries, Filter, Finished, RecordHead, RecordKind, Store, Write
from parlour.store.journal import read_entries
from parlour.tournament.blocks import config_of
from parlour.tournament.fingerprints import changed, fingerprint
from parlour.tournament.plan import Plan
from parlour.tournament.playing import Delivery, match_id
from parlour.tournament.results import MatchPlayed
from parlour.tournament.series import Series

DocketEntry: TypeAlias = Plan | MatchPlayed

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[DocketEntry] = msgspec.json.Decoder(DocketEntry)
_ABOUT = b'{"kind":"agents"}'
"""In the head of such a tournament, to tell it from those of strangers."""


class Docket:
    """Keeps one tournament; what is given to it is on disk when it returns."""

    def __init__(self, store: Store, plan: Plan, *, length: int = 0) -> None:
        self._store, self._plan, self._length = store, plan, length
        self._opened = time.time()

    def open(self) -> None:
        """Keep the plan of a new tournament."""
        plan = self._plan
        players = {str(number): name for number, name in enumerate(plan.names)}
        head = RecordHead(
            plan.tournament, RecordKind.TOURNAMENT, plan.game, opened=self._opened, about=_ABOUT, players=players
        )
        self._store.write(head, self._entries([plan]))

    def keep(self, deliveries: Sequence[Delivery], series: Series) -> None:
        """Keep results and records together: a result whose record is not there never counts."""
        if not deliveries:
            return
        writes: list[Write] = [self._entries([delivery.played for delivery in deliveries])]
        for delivery in deliveries:
            if delivery.record:
                writes += self._match(delivery, series)
        self._store.write(*writes)

    def close(self, result: bytes) -> None:
        """The tournament is over."""
        self._store.write(Finished(self._plan.tournament, result))

    def _entries(self, entries: Sequence[DocketEntry]) -> Entries:
        bodies = tuple(_encoder.encode(entry) for entry in entries)
        self._length += len(bodies)
        return Entries(self._plan.tournament, self._length - len(bodies), bodies)

    def _match(self, delivery: Delivery, series: Series) -> list[Write]:
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
    """The newest tournament of a game between agents that was cut short, or the one that is wanted."""
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
    """Whether a tournament is one of agents, and not of strangers."""
    return head.about == _ABOUT


def read(store: Store, tournament: str) -> tuple[Series, Docket]:
    """A tournament as far as it was kept; RecordError if that does not fit together."""
    entries = read_entries(store, tournament, _decoder)
    if not entries or not isinstance(entries[0], Plan):
        raise RecordError(f"tournament {tournament} does not begin with its plan", number=0)
    plan = entries[0]
    series = Series(plan)
    for number, entry in enumerate(entries[1:], 1):
        if not isinstance(entry, MatchPlayed):
            raise RecordError("a tournament has only one plan", number=number)
        series.add(entry)
    return series, Docket(store, plan, length=len(entries))


def check_unchanged(plan: Plan) -> None:
    """ConfigError if an agent is not the one with which the tournament began; it says which and what."""
    for contender in plan.contenders:
        found = changed(contender.fingerprint, fingerprint(plan.game, contender.agent))
        if found:
            raise ConfigError(
                f"resume: {contender.name} has changed since the tournament began ({', '.join(found)}): "
                "put back what it was, or begin a new tournament",
                field="resume",
            )
