"""Reasons for the result of each order, in numbers and in English; computed afterwards, never in the hot loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.explaining.strengths import MOVES, Forces
from parlour.games.diplomacy.maps.map import Builds
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.turn import Ruling, Verdict

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position
    from parlour.games.diplomacy.turn import Turn


class Explanation(msgspec.Struct, frozen=True):
    """The result of an order, and the reason for it."""

    power: str
    text: str
    verdict: Verdict
    sentence: str
    """The result in English, with the rule behind it."""
    causes: tuple[str, ...] = ()
    """The units that caused the result."""
    strengths: dict[str, int] = {}
    """The strengths that were compared, by unit."""
    paradox: tuple[str, ...] = ()
    """The members of a convoy paradox."""
    default: bool = False


class _Because(msgspec.Struct, frozen=True):
    """The reason for a result, without the order itself."""

    sentence: str
    causes: tuple[str, ...] = ()
    strengths: dict[str, int] = {}
    paradox: tuple[str, ...] = ()


def explain(turn: Turn) -> tuple[Explanation, ...]:
    """Return one explanation for each ruling of a turn, in the same order."""
    match turn.before.stage:
        case "orders":
            why = _Movement(turn).why
        case "retreats":
            why = _Retreats(turn).why
        case _:
            why = partial(_adjusted, turn.before)
    found = []
    for ruling in turn.rulings:
        because = why(ruling) if ruling.flaw is None else _Because(f"Void. {_sentence(ruling.flaw.message)}")
        if ruling.default:
            because = msgspec.structs.replace(because, sentence=f"By default: {because.sentence}")
        found.append(
            Explanation(
                ruling.power, ruling.text, ruling.verdict, because.sentence, because.causes, because.strengths,
                because.paradox, ruling.default,
            )
        )  # fmt: skip
    return tuple(found)


class _Movement:
    """The explanations of a movement phase."""

    def __init__(self, turn: Turn) -> None:
        actions = [ruling.action for ruling in turn.rulings if ruling.action is not None]
        self.forces = Forces(turn.before.board, turn.before.state, actions, turn.verdicts)
        self.tag = [province.tag for province in turn.before.board.provinces]
        self.texts = {a.ordered(r.action): r.text for r in turn.rulings if r.action is not None and not r.default}

    def why(self, ruling: Ruling) -> _Because:
        assert ruling.action is not None
        here = a.ordered(ruling.action)
        because = self._order(here)
        if ruling.verdict is not Verdict.DISLODGED:
            return because
        fall = self._fall(here)
        if self.forces.kind(here) in (OrderKind.HOLD, OrderKind.SUPPORT_HOLD, OrderKind.SUPPORT_MOVE_TO):
            return fall
        return _Because(
            f"{because.sentence} {fall.sentence}", tuple(dict.fromkeys((*fall.causes, *because.causes))),
            {**because.strengths, **fall.strengths}, because.paradox,
        )  # fmt: skip

    def _order(self, here: int) -> _Because:
        match self.forces.kind(here):
            case OrderKind.MOVE_TO | OrderKind.CONVOY_TO:
                return self._move(here)
            case OrderKind.SUPPORT_HOLD | OrderKind.SUPPORT_MOVE_TO:
                return self._support(here)
            case OrderKind.CONVOY:
                return self._convoy(here)
        return self._hold(here)

    def _move(self, here: int) -> _Because:
        forces, name, there = self.forces, self.forces.name(here), self.forces.target(here)
        match forces.verdict(here):
            case k.VerdictCode.NO_CONVOY:
                return _Because(
                    f"{name} stays: no chain of fleets was ordered to carry it to {self.tag[there]}. "
                    "A convoy needs an order for every fleet on its way."
                )
            case k.VerdictCode.DISRUPTED:
                return self._disrupted(here)
            case k.VerdictCode.SUCCEEDED:
                return self._arrival(here)
        attack, against = forces.attack(here), forces.resistance(here)
        blocking = {unit: strength for unit, strength in against.items() if strength >= attack}
        strengths = {name: attack, **against}
        defender = forces.units.get(there)
        if attack == 0 and defender is not None:
            own = forces.name(there)
            return _Because(
                f"{name} does not enter {self.tag[there]}: {own} is of its own power and stays. "
                "No power dislodges its own unit.", (own,), strengths,
            )  # fmt: skip
        units = _listed(f"{unit} with {strength}" for unit, strength in blocking.items())
        sentence = (
            f"{name} bounces off {self.tag[there]}: strength {attack} against {units}. "
            "A move must be stronger than all that stands against it."
        )
        helpers = [] if defender is None or forces.left(there) else self._helping_the_foe(here)
        if helpers:
            sentence += f" The support of {_listed(helpers)} does not count against a unit of its own power."
        return _Because(sentence, tuple(blocking), strengths)

    def _helping_the_foe(self, here: int) -> list[str]:
        against = set(self.forces.unwilling(here))
        return [self.forces.name(p) for p in self.forces.supports(here) if p not in against]

    def _arrival(self, here: int) -> _Because:
        forces, there = self.forces, self.forces.target(here)
        attack, against = forces.attack(here), forces.resistance(here)
        beaten = _listed(f"{unit} with {strength}" for unit, strength in against.items())
        way = " by convoy" if forces.by_sea(here) else ""
        sentence = f"{forces.name(here)} moves to {self.tag[there]}{way}"
        if forces.dislodged(there):
            sentence += f" and dislodges {forces.name(there)}: strength {attack} against {beaten}"
        elif against:
            sentence += f": strength {attack} against {beaten}"
        elif forces.left(there):
            sentence += f", which {forces.name(there)} leaves"
        rule = " The stronger side prevails." if against else " Nothing stands against it."
        return _Because(f"{sentence}.{rule}", tuple(against), {forces.name(here): attack, **against})

    def _disrupted(self, here: int) -> _Because:
        forces, name, there = self.forces, self.forces.name(here), self.tag[self.forces.target(here)]
        if forces.paradox(here):
            members = self._paradox(here)
            return _Because(
                f"{name} stays: its convoy to {there} is part of a paradox with {_listed(members[1:])}. "
                "By the Szykman rule the convoy fails and the army has no effect.", members[1:], {}, members,
            )  # fmt: skip
        sunk = [fleet for fleet in forces.carriers(here) if forces.dislodged(fleet)]
        attackers = [c for fleet in sunk if (c := forces.conqueror(fleet)) is not None]
        return _Because(
            f"{name} stays: its convoy to {there} was broken when {self._losses(sunk)}. "
            "A convoy fails if every route has a dislodged fleet.",
            (*map(forces.name, sunk), *map(forces.name, attackers)),
        )

    def _losses(self, fleets: Sequence[int]) -> str:
        lost = []
        for fleet in fleets:
            conqueror = self.forces.conqueror(fleet)
            by = f" by {self.forces.name(conqueror)}" if conqueror is not None else ""
            lost.append(f"{self.forces.name(fleet)} was dislodged{by}")
        return _listed(lost) or "a fleet was lost"

    def _paradox(self, here: int) -> tuple[str, ...]:
        """Return the units of a convoy paradox, the army of the given province first."""
        forces, seen = self.forces, [here]
        armies = [here, *(p for p in forces.units if p != here and forces.moves(p) and forces.paradox(p))]
        fleets = [fleet for army in armies for fleet in forces.carriers(army)]
        for army in armies:
            supporter = forces.target(army)
            aimed = forces.actions.get(supporter)
            involved = [army, *forces.carriers(army)]
            if aimed is not None and a.target(aimed) in fleets:
                involved.append(supporter)
                if a.kind_of(aimed) == OrderKind.SUPPORT_MOVE_TO:
                    involved.append(a.third(aimed))
            seen += [province for province in involved if province not in seen and province in forces.units]
        return tuple(map(forces.name, seen))

    def _support(self, here: int) -> _Because:
        forces, name = self.forces, self.forces.name(here)
        action = forces.actions[here]
        moving = a.kind_of(action) == OrderKind.SUPPORT_MOVE_TO
        helped = a.third(action) if moving else a.target(action)
        deed = f"{forces.name(helped)} - {self.tag[a.target(action)]}" if moving else forces.name(helped)
        match forces.verdict(here):
            case k.VerdictCode.VOID:
                return _Because(
                    f"{name}'s support of {deed} does not count: {self._said(helped)}. "
                    "A support counts only for what the unit was ordered to do.", (forces.name(helped),),
                )  # fmt: skip
            case k.VerdictCode.CUT:
                cutters = [c for c in forces.comers(here) if forces.units[c].power != forces.units[here].power]
                names = tuple(map(forces.name, cutters))
                return _Because(
                    f"{name}'s support of {deed} is cut by the attack of {_listed(names)}. "
                    "A unit that is attacked by another power gives no support, "
                    "unless the attack comes from where its support is aimed.", names,
                )  # fmt: skip
        return _Because(f"{name} supports {deed} and adds one to its strength.")

    def _said(self, province: int) -> str:
        text = self.texts.get(province)
        return f"the order was {text}" if text else f"{self.forces.name(province)} holds"

    def _convoy(self, here: int) -> _Because:
        forces, name = self.forces, self.forces.name(here)
        army, there = a.third(forces.actions[here]), self.tag[forces.target(here)]
        if forces.verdict(here) is k.VerdictCode.VOID:
            if forces.moves(army) and forces.target(army) == forces.target(here):
                return _Because(
                    f"{name} carries nothing: {forces.name(army)} goes to {there} by land. "
                    "Between neighbours it needs VIA to go by sea, or a convoy by its own power.",
                    (forces.name(army),),
                )
            return _Because(
                f"{name} carries nothing: {self._said(army)}. "
                "A convoy counts only for what the army was ordered to do.",
                (forces.name(army),),
            )
        if forces.paradox(here):
            members = self._paradox(army)
            others = tuple(member for member in members if member != name)
            return _Because(
                f"{name}'s convoy of {forces.name(army)} to {there} is part of a paradox with {_listed(others)}. "
                "By the Szykman rule it fails.", others, {}, members,
            )  # fmt: skip
        if forces.dislodged(here):
            return _Because(f"{name} was to carry {forces.name(army)} to {there}.")
        if not forces.travels(army):
            return _Because(f"{name} offers a convoy to {there}, but {forces.name(army)} stays.", (forces.name(army),))
        if not forces.by_sea(army):
            return _Because(
                f"{name} offers a convoy to {there}, but {forces.name(army)} goes by land, "
                "for no whole chain of fleets was ordered.", (forces.name(army),),
            )  # fmt: skip
        return _Because(f"{name} carries {forces.name(army)} to {there}.")

    def _hold(self, here: int) -> _Because:
        forces, name = self.forces, self.forces.name(here)
        attackers = forces.comers(here)
        if not attackers or forces.dislodged(here):
            return _Because(f"{name} holds.")
        strengths = {name: forces.hold(here)} | {forces.name(p): forces.attack(p) for p in attackers}
        against = _listed(f"{forces.name(p)} with {forces.attack(p)}" for p in attackers)
        return _Because(
            f"{name} holds: strength {strengths[name]} against {against}. Only a stronger attack dislodges a unit.",
            tuple(map(forces.name, attackers)), strengths,
        )  # fmt: skip

    def _fall(self, here: int) -> _Because:
        forces, name, conqueror = self.forces, self.forces.name(here), self.forces.conqueror(here)
        assert conqueror is not None
        attacker, attack = forces.name(conqueror), forces.attack(conqueror)
        against = forces.resistance(conqueror)[name]
        what = "move" if forces.kind(here) in MOVES else "order"
        if forces.kind(here) in (OrderKind.SUPPORT_HOLD, OrderKind.SUPPORT_MOVE_TO):
            what = "support"
        effect = "" if forces.kind(here) == OrderKind.HOLD else f" and its {what} fails"
        end = " It can retreat nowhere and is disbanded." if forces.destroyed(here) else ""
        return _Because(
            f"{name} is dislodged by {attacker}{effect}: strength {attack} against {against}. "
            f"A stronger attack dislodges a unit.{end}", (attacker,), {attacker: attack, name: against},
        )  # fmt: skip


class _Retreats:
    """The explanations of a retreat phase."""

    def __init__(self, turn: Turn) -> None:
        self.turn, self.board = turn, turn.before.board
        self.comers: dict[int, list[int]] = {}
        for ruling in turn.rulings:
            if ruling.action is not None and a.kind_of(ruling.action) == OrderKind.RETREAT_TO:
                self.comers.setdefault(a.target(ruling.action), []).append(a.ordered(ruling.action))

    def why(self, ruling: Ruling) -> _Because:
        assert ruling.action is not None
        name, there = self._name(a.ordered(ruling.action)), a.target(ruling.action)
        if a.kind_of(ruling.action) == OrderKind.DISBAND:
            return _Because(f"{name} is disbanded. A dislodged unit retreats or leaves the board.")
        tag = self.board.provinces[there].tag
        if ruling.verdict is Verdict.SUCCEEDED:
            return _Because(f"{name} retreats to {tag}.")
        others = tuple(self._name(p) for p in self.comers[there] if p != a.ordered(ruling.action))
        return _Because(
            f"{name} is disbanded: {_listed(others)} retreats to {tag} too. "
            "Units that retreat to one place all leave the board.",
            others,
        )

    def _name(self, province: int) -> str:
        unit = s.unit_at(self.turn.before.state, k.DISLODGED, province)
        assert unit is not None
        return s.write_unit(unit, self.board)


def _adjusted(before: Position, ruling: Ruling) -> _Because:
    assert ruling.action is not None
    unit = before.order_of(ruling.action).unit
    match a.kind_of(ruling.action):
        case OrderKind.WAIVE:
            return _Because(f"{ruling.power} waives a build.")
        case OrderKind.REMOVE if ruling.default:
            return _Because(
                f"{unit} is removed in civil disorder. Units farthest from home go first, "
                "fleets before armies, then by the alphabet."
            )
        case OrderKind.REMOVE:
            return _Because(f"{unit} is removed. A power has no more units than centres.")
    where = "free home centres" if before.board.build_mode in (Builds.HOME, Builds.HOMES) else "free centres"
    return _Because(f"{unit} is built. A power builds in its own {where}, one for each centre without a unit.")


def _listed(items: Iterable[str]) -> str:
    words = list(items)
    return " and ".join(", ".join(words).rsplit(", ", 1)) if words else ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"
