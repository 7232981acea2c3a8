"""Metrics of press: acceptance, promises kept, deception, stabs, contradictions, response time.

All figures are counted from the ledger; docs/reference/press.md defines each. A rate without cases is None.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

import msgspec

from parlour.core import events as ev
from parlour.core.game import Action, Seat
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.agreements.proposals import Proposal, ProposalState, Reply
from parlour.press.judging.executed_orders import ExecutedOrders
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language import message_types as v
from parlour.press.language.writer import write
from parlour.press.ledger import LanguageUse, Ledger
from parlour.press.orders import same
from parlour.press.press_position import board_of


class Promises(msgspec.Struct, frozen=True):
    """Number of verdicts by status, one verdict for each part of a pact, performer and phase."""

    kept: int = 0
    broken: int = 0
    void: int = 0

    @property
    def rate(self) -> float | None:
        """Share of kept promises among kept and broken ones."""
        return _rate(self.kept, self.kept + self.broken)


class WordGiven(msgspec.Struct, frozen=True):
    """Honesty of a power: its number of pacts, the number that it never broke, and its first and worst breach."""

    pacts: int = 0
    kept: int = 0
    first: str | None = None
    """The phase in which the power first broke a promise."""
    worst: str | None = None
    """The power's most harmful stab, for example `F1903M: took DEN from RUS`; its first breach if none did harm."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of one power, towards all others or towards one other."""

    power: str
    proposed: int
    agreed: int
    """Number of the power's proposals that all addressees agreed to."""
    received: int
    answered: int
    response_time: float | None
    """Mean seconds from a proposal to its answer; None if no answer took any time, as in virtual time."""
    accepted: int
    """Number of answered proposals that got a YES."""
    promises: Promises
    orders: Promises
    """Verdicts on agreed orders (XDO) only; a broken order was possible and was not given."""
    stabs: int
    contradictions: int

    @property
    def response_rate(self) -> float | None:
        """Share of received proposals that were answered."""
        return _rate(self.answered, self.received)

    @property
    def acceptance(self) -> float | None:
        """Share of answered proposals that got a YES."""
        return _rate(self.accepted, self.answered)

    @property
    def acceptance_got(self) -> float | None:
        """Share of the power's own proposals that all addressees agreed to."""
        return _rate(self.agreed, self.proposed)

    @property
    def deception(self) -> float | None:
        """Share of agreed and possible orders that were not given."""
        return _rate(self.orders.broken, self.orders.kept + self.orders.broken)


class PlayerMetrics(Figures, frozen=True, kw_only=True):
    """The figures of a power."""

    word: WordGiven
    messages: int
    unread: int
    huhs: int
    accepted_by_kind: dict[str, tuple[int, int]]
    """Accepted and answered proposals by kind of arrangement (PCE, XDO, …)."""
    survival: float | None
    """Mean turns from the proposal of a peace, alliance or zone to a breach by this power."""
    stabbed: int


class PairMetrics(Figures, frozen=True, kw_only=True):
    """Figures of one power towards another: proposals between them, and pacts to which both are parties."""

    towards: str


class Metrics(msgspec.Struct, frozen=True):
    """The figures of a match."""

    players: tuple[PlayerMetrics, ...]
    pairs: tuple[PairMetrics, ...]


def measure(ledger: Ledger) -> Metrics:
    """Return the figures of a match, counted from its ledger."""
    powers = list(ledger.lexicon.powers)
    return Metrics(
        players=tuple(_player(power, ledger) for power in powers),
        pairs=tuple(_pair(one, other, ledger) for one, other in permutations(powers, 2)),
    )


def _player(power: str, ledger: Ledger) -> PlayerMetrics:
    mine = [verdict for verdict in ledger.verdicts if verdict.performer == power]
    breaches = [verdict for verdict in mine if verdict.status is PromiseStatus.BROKEN and _is_lasting(verdict)]
    language_use = ledger.language_use.get(power, LanguageUse())
    return PlayerMetrics(
        **_figures(power, None, ledger),
        word=_word_of(power, mine, ledger),
        messages=language_use.messages,
        unread=language_use.unread,
        huhs=language_use.huhs,
        accepted_by_kind=_by_kind((p, p.replies[power][0]) for p in ledger.proposals if power in p.replies),
        survival=_mean([float(verdict.turn - verdict.pact.since) for verdict in breaches]),
        stabbed=sum(stab.victim == power for stab in ledger.stabs.all),
    )


def _word_of(power: str, verdicts: Sequence[PactVerdict], ledger: Ledger) -> WordGiven:
    """Return a power's pacts, kept pacts and breaches. A persistent pact counts once, not once per phase."""
    made = [pact for pact in ledger.pacts.all if power in pact.parties]
    broken = [verdict for verdict in verdicts if verdict.status is PromiseStatus.BROKEN]
    kept = len(made) - len({verdict.pact.number for verdict in broken})
    if not broken:
        return WordGiven(len(made), kept)
    stabs = [stab for stab in ledger.stabs.all if stab.by == power]
    phases = {(verdict.pact.number, verdict.turn): verdict.phase for verdict in broken}
    worst = f"{broken[0].phase}: no harm"
    if stabs:
        stab = max(stabs, key=lambda each: (len(each.centres), len(each.dislodged)))
        deed = f"took {' '.join(sorted(stab.centres))} from" if stab.centres else "dislodged"
        worst = f"{phases[stab.pact.number, stab.turn]}: {deed} {stab.victim}"
    return WordGiven(len(made), kept, broken[0].phase, worst)


def _pair(power: str, towards: str, ledger: Ledger) -> PairMetrics:
    return PairMetrics(**_figures(power, towards, ledger), towards=towards)


def _figures(power: str, towards: str | None, ledger: Ledger) -> dict[str, Any]:
    """Return the counts of a power towards another power, or towards all others if `towards` is None."""
    proposals = [p for p in ledger.proposals if towards is None or towards in p.parties]
    made = [p for p in proposals if p.proposer == power]
    got = [p for p in proposals if power in p.addressees and towards in (None, p.proposer)]
    answers = [(p, *p.replies[power]) for p in got if power in p.replies]
    took = [at - p.at for p, _, at in answers]
    shared = [w for w in ledger.verdicts if w.performer == power and (towards is None or towards in w.pact.parties)]
    return {
        "power": power,
        "proposed": len(made),
        "agreed": sum(p.state is ProposalState.AGREED for p in made),
        "received": len(got),
        "answered": len(answers),
        "response_time": _mean(took) if any(took) else None,
        "accepted": sum(answer is Reply.YES for _, answer, _ in answers),
        "promises": _counted(shared),
        "orders": _counted(verdict for verdict in shared if isinstance(verdict.what, v.Execute)),
        "stabs": sum(stab.by == power and towards in (None, stab.victim) for stab in ledger.stabs.all),
        "contradictions": sum(
            found.power == power and (towards is None or towards in found.earlier.parties | found.later.parties)
            for found in ledger.pacts.contradictions
        ),
    }


def _counted(verdicts: Iterable[PactVerdict]) -> Promises:
    found = Counter(verdict.status for verdict in verdicts)
    return Promises(found[PromiseStatus.KEPT], found[PromiseStatus.BROKEN], found[PromiseStatus.VOID])


def _by_kind(answers: Iterable[tuple[Proposal, Reply]]) -> dict[str, tuple[int, int]]:
    yes: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for proposal, answer in answers:
        kind = write(proposal.what)[:3]
        every[kind] += 1
        yes[kind] += answer is Reply.YES
    return {kind: (yes[kind], every[kind]) for kind in sorted(every)}


def _is_lasting(verdict: PactVerdict) -> bool:
    return isinstance(verdict.what, (v.Peace, v.Alliance, v.Demilitarized))


def percent(rate: float | None) -> str:
    """Return a rate as text, for example 50%; empty for None."""
    return "" if rate is None else f"{rate:.0%}"


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


Policy = Callable[[Position, Seat, random.Random], Action]
"""A function that returns a sample of the orders that a player would give without press."""


def persuasion(
    events: Iterable[ev.Event], policy: Policy, *, samples: int = 20, seed: int = 0
) -> dict[tuple[str, str], float]:
    """Return the effect of proposers on the orders of other powers, by (proposer, performer).

    The effect on one agreed and given order is one minus the share of policy samples that have the order. The samples
    are drawn from the no-press policy in the same position. The result is the mean over the orders of each pair.
    """
    rng = random.Random(seed)
    ledger = Ledger()
    found: dict[tuple[str, str], list[float]] = {}
    for event in events:
        position = ledger.position
        for verdict in ledger.feed(event):
            proposer = verdict.pact.proposal.proposer
            if verdict.status is not PromiseStatus.KEPT or verdict.order is None or verdict.performer == proposer:
                continue
            assert position is not None
            seat = ledger.lexicon.seat_of[verdict.performer]
            anyway = sum(_has(verdict, position, policy(position, seat, rng)) for _ in range(samples))
            found.setdefault((proposer, verdict.performer), []).append(1 - anyway / samples)
    return {pair: sum(changes) / len(changes) for pair, changes in found.items()}


def _has(verdict: PactVerdict, position: Position, action: Action) -> bool:
    """Return True if an action includes the order that shows the verdict."""
    board = board_of(position)
    given = ExecutedOrders(board, board, {verdict.performer: action}).given(verdict.performer)
    return any(verdict.order is not None and same(verdict.order, order) for order in given)
