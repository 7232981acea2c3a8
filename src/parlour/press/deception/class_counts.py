"""The classes of a match's promises, counted by power, and the figures that show how reliable they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb, sqrt
from types import MappingProxyType

import msgspec

from parlour.core.events import Event
from parlour.core.game import Plain
from parlour.press.deception.classes import BREACHES, MISTAKES, PromiseClass
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language.english import phrase
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger, ledger_of

FAITHFUL = 0.9
"""Least share of orders as sealed with which a power's classes are reliable."""
CLAIMED = 0.02
"""Least gain with which a mistake counts as claimed."""
Z = 1.96
"""The z value of a 95 % interval."""


Values = tuple[float, float, float, float]
"""Bait, switch, edge and gain of a promise."""


class ClassCounts(msgspec.Struct, frozen=True):
    """The classes of a power's verdicts; counts add up over matches."""

    classes: dict[str, int] = {}
    lies: int = 0
    """Promises that the power's own plan contradicted when the promise was made."""
    false_statements: int = 0
    withheld: int = 0
    """Attacks on a power to which the attacker spoke in that phase, without a pact in force between them."""
    seals: int = 0
    sealed_units: int = 0
    units_as_sealed: int = 0
    opportunities: int = 0
    """Phases in which the power owed something and a breach was tempting; 0 if promises were not valued."""
    breaches_then: int = 0
    """Opportunities in which the power broke its promise."""
    claimed_mistakes: int = 0
    mistakes_valued: int = 0
    mistakes_gained: int = 0

    def of(self, *kinds: PromiseClass) -> int:
        """Return the number of promises of these classes."""
        return sum(self.classes.get(kind, 0) for kind in kinds)

    @property
    def fidelity(self) -> float | None:
        """Share of sealed units that were ordered as sealed; None without sealed units."""
        return self.units_as_sealed / self.sealed_units if self.sealed_units else None

    @property
    def reliable(self) -> bool:
        """True if at least the share FAITHFUL of the sealed units was ordered as sealed."""
        return self.fidelity is not None and self.fidelity >= FAITHFUL

    @property
    def per_opportunity(self) -> tuple[float, float, float] | None:
        """Breaches per opportunity with the 95 % interval; None without an opportunity."""
        return proportion(self.breaches_then, self.opportunities)

    @property
    def mistakes_p(self) -> float | None:
        """Probability of at least this number of gaining mistakes if gain and loss are equally likely.

        None if no mistake was valued.
        """
        return sign_test(self.mistakes_gained, self.mistakes_valued)

    def __add__(self, other: ClassCounts) -> ClassCounts:
        numbers = {
            name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__ if name != "classes"
        }
        return ClassCounts(classes=dict(Counter(self.classes) + Counter(other.classes)), **numbers)


class ValuedPhase(msgspec.Struct, frozen=True):
    """A phase in which a power owed something, with a flag for a tempting breach and a flag for a broken word."""

    power: str
    tempting: bool
    broke: bool


class ValuedPhases(msgspec.Struct, frozen=True):
    """The values of promises that counts and tables need."""

    phases: tuple[ValuedPhase, ...] = ()
    worths: Mapping[int, tuple[Values, Values]] = MappingProxyType({})
    """The values by the end of the year and by the end of the next year, keyed by the place of the verdict."""

    def gain(self, place: int) -> float | None:
        """Return the promiser's gain from a breach by the end of the year; None if the promise was not valued."""
        found = self.worths.get(place)
        return None if found is None else found[0][3]


NOT_VALUED = ValuedPhases()


def class_counts(ledger: Ledger, valued: ValuedPhases = NOT_VALUED) -> dict[str, ClassCounts]:
    """Return the counts of every power of a match."""
    classes: dict[str, Counter[str]] = {power: Counter() for power in ledger.lexicon.powers}
    gains: dict[str, list[float]] = {}
    for place, (verdict, kind) in enumerate(ledger.classes()):
        classes[verdict.performer][_key(kind, verdict.status)] += 1
        if kind in MISTAKES and (gain := valued.gain(place)) is not None:
            gains.setdefault(verdict.performer, []).append(gain)
    found = {}
    for power in classes:
        seals, mine = ledger.seals, gains.get(power, [])
        fidelity = seals.fidelity.get(power)
        tempted = [phase for phase in valued.phases if phase.power == power and phase.tempting]
        found[power] = ClassCounts(
            classes=dict(classes[power]),
            lies=sum(lie.power == power and lie.promise for lie in seals.lies),
            false_statements=sum(lie.power == power and not lie.promise for lie in seals.lies),
            withheld=sum(each.power == power for each in seals.withheld),
            seals=sum(plan.power == power for plan in seals.plans),
            sealed_units=fidelity.units if fidelity is not None else 0,
            units_as_sealed=fidelity.same if fidelity is not None else 0,
            opportunities=len(tempted),
            breaches_then=sum(phase.broke for phase in tempted),
            claimed_mistakes=sum(gain >= CLAIMED for gain in mine),
            mistakes_valued=sum(gain != 0 for gain in mine),
            mistakes_gained=sum(gain > 0 for gain in mine),
        )
    return found


KEPT_UNKNOWN = "unknown, kept"
"""Key for kept promises of the class unknown, about which no seal says anything."""


def _key(kind: PromiseClass, status: PromiseStatus) -> str:
    return KEPT_UNKNOWN if kind is PromiseClass.UNKNOWN and status is PromiseStatus.KEPT else str(kind)


def proportion(hits: int, among: int) -> tuple[float, float, float] | None:
    """Return a proportion and its 95 % Wilson interval; None if `among` is 0."""
    if not among:
        return None
    p, z2 = hits / among, Z * Z
    centre, spread = p + z2 / (2 * among), Z * sqrt(p * (1 - p) / among + z2 / (4 * among * among))
    scale = 1 + z2 / among
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return p, 0.0 if hits == 0 else low, 1.0 if hits == among else high


def sign_test(hits: int, among: int) -> float | None:
    """Return the probability of at least `hits` heads in `among` fair coin tosses; None if `among` is 0."""
    if not among:
        return None
    return float(sum(comb(among, k) for k in range(hits, among + 1)) / 2**among)


def class_rows(ledger: Ledger) -> list[dict[str, Plain]]:
    """Return every verdict with its class, as plain values."""
    rows = []
    for (verdict, kind), reading in zip(ledger.classes(), ledger.readings, strict=True):
        rows.append(
            {
                "pact": verdict.pact.number,
                "phase": verdict.phase,
                "turn": verdict.turn,
                "power": verdict.performer,
                "towards": sorted(verdict.pact.parties - {verdict.performer}),
                "about": write(verdict.clause.what),
                "english": phrase(verdict.clause.what, ledger.lexicon),
                "status": verdict.status.value,
                "class": kind.value,
                "planned_when_promised": reading.then,
                "planned_when_ordered": reading.now,
            }
        )
    return rows


def promise_rows(events: Sequence[Event]) -> list[dict[str, Plain]]:
    """Return every promise of a recorded match in each phase, with its class, its seat and the name of its player."""
    ledger = ledger_of(events)
    seat_of = ledger.lexicon.seat_of
    return [
        {**row, "seat": seat_of[str(row["power"])], "player": players[str(row["power"])] or None}
        for row, players in zip(class_rows(ledger), ledger.charged, strict=True)
    ]


def lie_rows(ledger: Ledger) -> list[dict[str, Plain]]:
    """Return every lie as plain values."""
    return [
        {
            "power": lie.power,
            "phase": lie.phase,
            "to": list(lie.to),
            "about": write(lie.what),
            "english": phrase(lie.what, ledger.lexicon),
            "kind": "promise" if lie.promise else "statement",
        }
        for lie in ledger.seals.lies
    ]


COLUMNS = (
    ("honest", (PromiseClass.HONEST,)),
    ("premed.", (PromiseClass.PREMEDITATED,)),
    ("opport.", (PromiseClass.OPPORTUNISTIC,)),
    ("slip", (PromiseClass.SLIP,)),
    ("misread", (PromiseClass.MISREAD,)),
    ("forced", (PromiseClass.ABSENT, PromiseClass.MENDED, PromiseClass.CONFLICT)),
    ("insinc.", (PromiseClass.INSINCERE, PromiseClass.NEVER_DUE)),
    ("unknown", (PromiseClass.UNKNOWN,)),
)
"""The columns of a table of classes."""


def count_rows(
    counts: Mapping[str, ClassCounts], names: Mapping[str, str], *, values: bool = False
) -> list[tuple[str, ...]]:
    """Return a table of classes as rows of text: the headings, then a row for each power or player."""
    heading = ["", "player", *(name for name, _ in COLUMNS), "lies", "false", "as sealed"]
    if values:
        heading += ["breaches/opportunities", "claimed"]
    rows = [tuple(heading)]
    for who, count in counts.items():
        row = [who, names.get(who, "")]
        row += [str(count.of(*kinds)) if count.of(*kinds) else "." for _, kinds in COLUMNS]
        row += [str(count.lies or "."), str(count.false_statements or "."), fidelity_text(count)]
        if values:
            row += [rate_text(count), str(count.claimed_mistakes or ".")]
        rows.append(tuple(row))
    return rows


def fidelity_text(count: ClassCounts) -> str:
    """Return the share of orders as sealed, with a mark if the classes are not reliable; empty without seals."""
    if count.fidelity is None:
        return ""
    return f"{count.fidelity:.0%}{'' if count.reliable else ' !'}"


def rate_text(count: ClassCounts) -> str:
    """Return breaches per opportunity with the interval, as in `3/20  15% (5%-36%)`."""
    found = count.per_opportunity
    if found is None:
        return ""
    rate, low, high = found
    return f"{count.breaches_then}/{count.opportunities}  {rate:.0%} ({low:.0%}-{high:.0%})"


def ranked_by_rate(counts: Mapping[str, ClassCounts]) -> list[str]:
    """Return the keys with opportunities, fewest breaches per opportunity first, then the other keys."""

    def rank(who: str) -> tuple[bool, float, float]:
        found = counts[who].per_opportunity
        return (True, 0.0, 0.0) if found is None else (False, found[0], found[2])

    return sorted(counts, key=rank)


def added(parts: Iterable[Mapping[str, ClassCounts]]) -> dict[str, ClassCounts]:
    """Return the sums of counts by key, for example by player."""
    found: dict[str, ClassCounts] = {}
    for part in parts:
        for who, count in part.items():
            found[who] = found[who] + count if who in found else count
    return found


def broken_share(count: ClassCounts) -> tuple[int, int]:
    """Return the number of broken promises, and the number of promises kept or broken."""
    broken = count.of(*BREACHES)
    kept = count.of(PromiseClass.HONEST, PromiseClass.INSINCERE) + count.classes.get(KEPT_UNKNOWN, 0)
    return broken, broken + kept
