"""Stabs: a broken peace by which the breaker takes a centre of its partner or dislodges one of its units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from parlour.press import values as v
from parlour.press.deeds import Deeds
from parlour.press.duties import Status
from parlour.press.pacts import Pact, Verdict

WINDOW = 2
"""Movement phases, the breach's own included, within which the harm must be done."""


@dataclass(slots=True)
class Stab:
    """A breach of peace that did harm."""

    by: str
    victim: str
    turn: int
    pact: Pact
    centres: frozenset[str] = frozenset()
    """The victim's centres that the breaker took."""
    dislodged: frozenset[str] = frozenset()
    """The provinces where the breaker drove out the victim's units."""


@dataclass(slots=True, eq=False)
class _Watch:
    stab: Stab
    owned: frozenset[str]
    """The victim's centres before the breach."""
    movements: int = 0
    noted: bool = False


@dataclass(eq=False)
class Stabs:
    """Watches breaches until they have done harm or their time is over."""

    all: list[Stab] = field(default_factory=list)
    _watches: list[_Watch] = field(default_factory=list)

    def watch(self, deeds: Deeds, verdicts: Iterable[Verdict], turn: int) -> None:
        """Look at one more phase."""
        for verdict in verdicts:
            if verdict.status is Status.BROKEN and verdict.victim:
                owned = frozenset(c for c, owner in deeds.before.owners.items() if owner == verdict.victim)
                self._watches.append(_Watch(Stab(verdict.performer, verdict.victim, turn, verdict.pact), owned))
        for watch in self._watches:
            self._look(watch, deeds)
            watch.movements += deeds.stage == "orders"
        # Centres change hands after the retreats that follow a movement, so the last phases are seen to the end.
        self._watches = [w for w in self._watches if w.movements < WINDOW or deeds.after.stage != "orders"]

    def _look(self, watch: _Watch, deeds: Deeds) -> None:
        stab = watch.stab
        stab.centres |= {centre for centre in watch.owned if deeds.after.owners.get(centre) == stab.by}
        if deeds.stage == "orders":
            stab.dislodged |= _driven_out(deeds, stab.by, stab.victim)
        if not watch.noted and (stab.centres or stab.dislodged):
            watch.noted = True
            self.all.append(stab)


def _driven_out(deeds: Deeds, by: str, victim: str) -> set[str]:
    """The provinces where a unit of by stands after a movement and one of victim stood and did not get away."""
    found = set()
    for province, unit in deeds.before.units.items():
        there = deeds.after.units.get(province)
        if unit.power != victim or there is None or there.power != by:
            continue
        order = deeds.of_unit(unit)
        if isinstance(order, (v.Move, v.ConvoyedMove)):
            moved_to = deeds.after.units.get(order.to[:3])
            if moved_to is not None and moved_to.power == victim:
                continue
        found.add(province)
    return found
