"""Messages as frozen values, equal if they have the same meaning, for any order of their lists.

Lists keep the order in which they were written, so a message prints as it was received. Equality and hash compare sets
where the order has no meaning. Words are in DAIDE spelling; a place is `STP` or `STP SCS`.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import msgspec


class Unit(msgspec.Struct, frozen=True):
    """A unit with its owner and place; in OCC the kind UNT means either kind."""

    power: str
    kind: str
    place: str

    @property
    def province(self) -> str:
        """The province of the unit, without the coast."""
        return self.place[:3]


class Hold(msgspec.Struct, frozen=True):
    """HLD: the unit holds."""

    unit: Unit


class Move(msgspec.Struct, frozen=True):
    """MTO: the unit moves to a place."""

    unit: Unit
    to: str


class SupportHold(msgspec.Struct, frozen=True):
    """SUP: the unit supports a unit that does not move."""

    unit: Unit
    other: Unit


class SupportMove(msgspec.Struct, frozen=True):
    """SUP … MTO: the unit supports a move; the destination never has a coast."""

    unit: Unit
    other: Unit
    to: str


class Convoy(msgspec.Struct, frozen=True):
    """CVY … CTO: the fleet convoys an army to a place."""

    unit: Unit
    other: Unit
    to: str


class ConvoyedMove(msgspec.Struct, frozen=True):
    """CTO … VIA: the army moves by convoy; `via` has the seas in the order of travel."""

    unit: Unit
    to: str
    via: tuple[str, ...]


class Retreat(msgspec.Struct, frozen=True):
    """RTO: the dislodged unit retreats to a place."""

    unit: Unit
    to: str


class Disband(msgspec.Struct, frozen=True):
    """DSB: the dislodged unit is disbanded."""

    unit: Unit


class Build(msgspec.Struct, frozen=True):
    """BLD: the unit is built."""

    unit: Unit


class RemoveUnit(msgspec.Struct, frozen=True):
    """REM: the unit is removed in winter."""

    unit: Unit


class Waive(msgspec.Struct, frozen=True):
    """WVE: the power waives a build."""

    power: str


Order: TypeAlias = (
    Hold | Move | SupportHold | SupportMove | Convoy | ConvoyedMove | Retreat | Disband | Build | RemoveUnit | Waive
)


class _Unordered(msgspec.Struct, frozen=True, eq=False):
    """A value that equals another of the same type and key. The key turns lists without an order into sets."""

    @property
    def key(self) -> object:
        """The meaning of the value, in a form that can be compared and hashed."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        return self.key == other.key

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.key))


class Peace(_Unordered, frozen=True, eq=False):
    """PCE: the powers neither attack one another nor support attacks on one another."""

    powers: tuple[str, ...]

    @property
    def key(self) -> object:
        return frozenset(self.powers)


class Alliance(_Unordered, frozen=True, eq=False):
    """ALY … VSS: the powers are at peace, and allied against the enemies."""

    powers: tuple[str, ...]
    enemies: tuple[str, ...]

    @property
    def key(self) -> object:
        return frozenset(self.powers), frozenset(self.enemies)


class Draw(_Unordered, frozen=True, eq=False):
    """DRW: the game ends in a draw of all survivors, or of the listed powers."""

    powers: tuple[str, ...] = ()

    @property
    def key(self) -> object:
        return frozenset(self.powers)


class Solo(msgspec.Struct, frozen=True):
    """SLO: the power wins alone."""

    power: str


class Demilitarized(_Unordered, frozen=True, eq=False):
    """DMZ: the powers leave the places and keep out of them."""

    powers: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def key(self) -> object:
        return frozenset(self.powers), frozenset(self.places)


class Execute(msgspec.Struct, frozen=True):
    """XDO: the order is given in the next turn in which it is possible."""

    order: Order


class Share(_Unordered, frozen=True, eq=False):
    """A power's part of an SCD."""

    power: str
    centres: tuple[str, ...]

    @property
    def key(self) -> object:
        return self.power, frozenset(self.centres)


class Centres(_Unordered, frozen=True, eq=False):
    """SCD: the long-term intended owner of each centre."""

    shares: tuple[Share, ...]

    @property
    def key(self) -> object:
        return frozenset(self.shares)


class Occupied(_Unordered, frozen=True, eq=False):
    """OCC: the long-term intended place of each unit."""

    units: tuple[Unit, ...]

    @property
    def key(self) -> object:
        return frozenset(self.units)


class Not(msgspec.Struct, frozen=True):
    """NOT: the arrangement is not to hold."""

    what: Arrangement


class Undo(msgspec.Struct, frozen=True):
    """NAR: an earlier agreement on the arrangement is undone."""

    what: Arrangement


class Every(_Unordered, frozen=True, eq=False):
    """AND: all parts."""

    parts: tuple[Arrangement, ...]

    @property
    def key(self) -> object:
        return frozenset(map(_meaning, self.parts))


class Either(_Unordered, frozen=True, eq=False):
    """ORR: at least one part."""

    parts: tuple[Arrangement, ...]

    @property
    def key(self) -> object:
        return frozenset(map(_meaning, self.parts))


class Choice(_Unordered, frozen=True, eq=False):
    """CHO: at least `least` and at most `most` of the parts."""

    least: int
    most: int
    parts: tuple[Arrangement, ...]

    @property
    def key(self) -> object:
        return self.least, self.most, frozenset(Counter(map(_meaning, self.parts)).items())


def _meaning(what: Arrangement) -> object:
    """Return a part as a key of nested tuples and sets.

    A frozen set caches its hash and holds equal parts once, so the time is about linear in the length. Keys computed
    again on each access would take time exponential in the depth.
    """
    if isinstance(what, (Every, Either, Choice)):
        return type(what).__name__, what.key
    return (type(what).__name__, _meaning(what.what)) if isinstance(what, (Not, Undo)) else what


Arrangement: TypeAlias = (
    Peace | Alliance | Draw | Solo | Demilitarized | Execute | Centres | Occupied | Not | Undo | Every | Either | Choice
)


class Propose(msgspec.Struct, frozen=True):
    """PRP: a proposal."""

    what: Arrangement


class Insist(msgspec.Struct, frozen=True):
    """INS: a proposal that will not be softened."""

    what: Arrangement


class Suggest(msgspec.Struct, frozen=True):
    """SUG: a suggestion, which binds no power."""

    what: Arrangement


class Query(msgspec.Struct, frozen=True):
    """QRY: a question whether an arrangement holds."""

    what: Arrangement


class NotSo(msgspec.Struct, frozen=True):
    """NOT ( QRY … ) in an answer: the arrangement does not hold."""

    what: Query


class Fact(msgspec.Struct, frozen=True):
    """FCT: an announcement, or the answer to a query."""

    what: Arrangement | Query | NotSo


class Think(msgspec.Struct, frozen=True):
    """THK: an opinion, or the answer to a query."""

    what: Arrangement | Query | NotSo


class Try(_Unordered, frozen=True, eq=False):
    """TRY: the words that the sender understands."""

    words: tuple[str, ...]

    @property
    def key(self) -> object:
        return frozenset(self.words)


class Accept(msgspec.Struct, frozen=True):
    """YES: the receiver accepts the message."""

    what: Press


class Reject(msgspec.Struct, frozen=True):
    """REJ: the receiver rejects the message."""

    what: Press


class NoBusiness(msgspec.Struct, frozen=True):
    """BWX: the message is none of the receiver's business."""

    what: Press


class Unknown(msgspec.Struct, frozen=True):
    """IDK: the answer to a query is not known."""

    what: Query


class Huh(msgspec.Struct, frozen=True):
    """HUH: a quoted message with ERR before the first token that was not understood."""

    tokens: tuple[str, ...]


class Withdraw(msgspec.Struct, frozen=True):
    """CCL: the sender takes back its own message, or its YES to another message."""

    what: Press | Accept


Press: TypeAlias = Propose | Insist | Suggest | Query | Fact | Think | Try | Withdraw
Reply: TypeAlias = Accept | Reject | NoBusiness | Unknown | Huh
Message: TypeAlias = Press | Reply
