"""Says in English what a message means.

`France proposes to England that both keep out of the English Channel.`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.games.diplomacy.map import COASTS
from parlour.press import values as v
from parlour.press.tokens import Lexicon, standard_lexicon

_COASTS = dict(COASTS.values())
_UNITS = {"AMY": "army", "FLT": "fleet", "UNT": "unit"}
_SEA_WORDS = ("Sea", "Ocean", "Channel", "Gulf", "Bight", "Skagerrak", "Mediterranean", "Ruhr")
"""Names with one of these words take an article."""

_VERBS: Mapping[type, tuple[str, str]] = {
    v.Propose: ("proposes", "proposal"),
    v.Insist: ("insists", "demand"),
    v.Suggest: ("suggests", "suggestion"),
    v.Query: ("asks", "question"),
    v.Fact: ("states", "statement"),
    v.Think: ("thinks", "opinion"),
}
"""What a sender does with such a message, and what it is called afterwards."""


def gloss(message: v.Message, sender: str | None = None, to: Sequence[str] = (), lexicon: Lexicon | None = None) -> str:
    """One sentence; sender and to are powers' words (FRA), and the sentence has no subject if there is no sender."""
    return English(lexicon or standard_lexicon(), sender, to).sentence(message)


def phrase(what: v.Arrangement, lexicon: Lexicon | None = None) -> str:
    """An arrangement as a clause: `England and France keep peace`."""
    return English(lexicon or standard_lexicon()).clause(what)


def order_phrase(order: v.Order, lexicon: Lexicon | None = None) -> str:
    """An order as a clause: `France's army in Paris moves to Burgundy`."""
    return English(lexicon or standard_lexicon()).order(order)


class English:
    """The words for one message on one map, between a sender and those it is for."""

    def __init__(self, lexicon: Lexicon, sender: str | None = None, to: Sequence[str] = ()) -> None:
        self._lexicon, self._sender, self._to = lexicon, sender, tuple(to)

    def sentence(self, message: v.Message) -> str:
        """The whole message, with its sender and addressees where they are known."""
        who = self.power(self._sender) if self._sender else ""
        text = f"{who} {self._says(message)}.".strip()
        return text[0].upper() + text[1:]

    def clause(self, what: v.Arrangement) -> str:
        """What would hold, as a clause with a subject."""
        match what:
            case v.Peace(powers):
                return f"{self._together(powers)} keep peace"
            case v.Alliance(powers, enemies):
                return f"{self._together(powers)} ally against {self.powers(enemies)}"
            case v.Demilitarized(powers, places):
                verb = "keeps" if len(set(powers)) == 1 else "keep"
                return f"{self._together(powers)} {verb} out of {_and([self.place(place) for place in places])}"
            case v.Execute(order):
                return self.order(order)
            case v.Draw(powers):
                return f"the game ends in a draw of {self.powers(powers)}" if powers else "the game ends in a draw"
            case v.Solo(power):
                return f"{self.power(power)} wins alone"
            case v.Not(inner):
                return f"it does not come about that {self._part(inner)}"
            case v.Undo(inner):
                return f"they undo the agreement that {self._part(inner)}"
            case v.Every(parts):
                return _and([self._part(part) for part in parts], last=", and ")
            case v.Either(parts):
                return "either " + _and([self._part(part) for part in parts], last=", or ")
            case v.Choice(least, most, parts):
                count = f"{least}" if least == most else f"{least} to {most}"
                verb = "comes" if most == 1 else "come"
                return f"{count} of these {verb} about: {'; '.join(self._part(part) for part in parts)}"
            case v.Centres(shares):
                return _and([f"{self.power(s.power)} gets {self._places(s.centres)}" for s in shares], last=", and ")
            case v.Occupied(units):
                stand = [f"{self._owner(u)} {_UNITS[u.kind]} stands in {self.place(u.place)}" for u in units]
                return _and(stand, last=", and ")

    def _part(self, what: v.Arrangement) -> str:
        """An arrangement inside another one: in brackets if it has parts, so that it is clear how far it goes."""
        several = isinstance(what, (v.Every, v.Either, v.Choice)) or (
            isinstance(what, (v.Centres, v.Occupied)) and len(_listed(what)) > 1
        )
        return f"({self.clause(what)})" if several else self.clause(what)

    def order(self, order: v.Order) -> str:
        """An order, as a clause."""
        if isinstance(order, v.Waive):
            return f"{self.power(order.power)} waives a build"
        unit = self.unit(order.unit)
        match order:
            case v.Hold():
                return f"{unit} holds"
            case v.Move(_, to):
                return f"{unit} moves to {self.place(to)}"
            case v.SupportHold(_, other):
                return f"{unit} supports {self.unit(other)}"
            case v.SupportMove(_, other, to):
                return f"{unit} supports {self.unit(other)} to {self.place(to)}"
            case v.Convoy(_, other, to):
                return f"{unit} convoys {self.unit(other)} to {self.place(to)}"
            case v.ConvoyedMove(_, to, via):
                return f"{unit} is convoyed to {self.place(to)} through {self._places(via)}"
            case v.Retreat(_, to):
                return f"{unit} retreats to {self.place(to)}"
            case v.Disband() | v.Remove():
                return f"{unit} disbands"
            case v.Build(built):
                article = "an" if built.kind == "AMY" else "a"
                return f"{self.power(built.power)} builds {article} {_UNITS[built.kind]} in {self.place(built.place)}"

    def unit(self, unit: v.Unit) -> str:
        """`France's army in Paris`."""
        return f"{self._owner(unit)} {_UNITS[unit.kind]} in {self.place(unit.place)}"

    def place(self, place: str) -> str:
        """`Paris`, `the English Channel`, `St Petersburg (south coast)`."""
        province, _, coast = place.partition(" ")
        name = self._lexicon.provinces.get(province, province)
        if any(word in name.split() for word in _SEA_WORDS):
            name = f"the {name}"
        return f"{name} ({_COASTS[coast]})" if coast else name

    def power(self, power: str) -> str:
        """`France`."""
        return self._lexicon.powers.get(power, power)

    def powers(self, powers: Sequence[str]) -> str:
        """`England, France and Germany`."""
        return _and([self.power(power) for power in powers])

    def _says(self, message: v.Message) -> str:
        to = f" to {self.powers(self._to)}" if self._to else ""
        match message:
            case v.Query():
                return f"asks{to.replace(' to ', ' ', 1)} {self._quoted(message)}"
            case v.Insist() | v.Think():
                return f"{_VERBS[type(message)][0]} {self._quoted(message)}"
            case v.Propose() | v.Suggest() | v.Fact():
                return f"{_VERBS[type(message)][0]}{to} {self._quoted(message)}"
            case v.Accept(v.Query()) | v.Reject(v.Query()):
                word = "yes" if isinstance(message, v.Accept) else "no"
                return f"says {word} when asked {self._quoted(message.what)}"
            case v.Accept(press):
                return f"agrees{to.replace(' to ', ' with ', 1)} {self._quoted(press)}"
            case v.Reject(press):
                return f"does not agree{to.replace(' to ', ' with ', 1)} {self._quoted(press)}"
            case v.NoBusiness(press):
                whose = f"{self.powers(self._to)}'s" if self._to else "anybody's"
                return f"says that it is none of {whose} business {self._quoted(press, 'whether')}"
            case v.Unknown(query):
                return f"does not know whether {self._statement(query.what)}"
            case v.Cancel(v.Accept(press)):
                return f"takes back its agreement {self._quoted(press)}"
            case v.Cancel(press):
                noun = _VERBS.get(type(press), ("", "message"))[1]
                return f"withdraws its {noun} {self._quoted(press)}"
            case v.Try(words):
                return f"understands only {', '.join(words)}" if words else "understands no press at all"
            case v.Huh(tokens):
                return self._not_understood(tokens)

    def _not_understood(self, tokens: Sequence[str]) -> str:
        whole = " ".join(token for token in tokens if token != "ERR")
        at = tokens.index("ERR") if "ERR" in tokens else len(tokens)
        from_here = f" from {tokens[at + 1]} on" if at + 1 < len(tokens) else ""
        return f"did not understand “{whole}”{from_here}"

    def _quoted(self, press: v.Press | v.Accept, link: str = "that") -> str:
        match press:
            case v.Query(what):
                return f"whether {self.clause(what)}"
            case v.Propose(what) | v.Insist(what) | v.Suggest(what) | v.Fact(what) | v.Think(what):
                return f"{link} {self._statement(what)}"
            case _:
                return f"when told: “{English(self._lexicon)._says(press)}”"

    def _statement(self, what: v.Arrangement | v.Query | v.NotSo) -> str:
        match what:
            case v.Query(inner):
                return self.clause(inner)
            case v.NotSo(query):
                return f"it is not so that {self._part(query.what)}"
            case _:
                return self.clause(what)

    def _together(self, powers: Sequence[str]) -> str:
        """`both` where the sender and its one addressee are meant."""
        between = {self._sender, *self._to}
        if self._sender and len(between) == 2 and set(powers) == between:
            return "both"
        return self.powers(powers)

    def _owner(self, unit: v.Unit) -> str:
        return f"{self.power(unit.power)}'s"

    def _places(self, places: Sequence[str]) -> str:
        return _and([self.place(place) for place in places])


def _listed(what: v.Centres | v.Occupied) -> Sequence[object]:
    return what.shares if isinstance(what, v.Centres) else what.units


def _and(words: Sequence[str], last: str = " and ") -> str:
    return last.join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
