"""Turns a message into English.

`France proposes to England that both keep out of the English Channel.`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlour.games.diplomacy.maps.map import COASTS
from parlour.press.agreements.clauses import lasts
from parlour.press.language import message_types as v
from parlour.press.language.tokens import Lexicon, standard_lexicon

_COASTS = dict(COASTS.values())
_UNITS = {"AMY": "army", "FLT": "fleet", "UNT": "unit"}
_SEA_WORDS = ("Sea", "Ocean", "Channel", "Gulf", "Bight", "Skagerrak", "Mediterranean", "Ruhr")
"""Names with one of these words take an article."""

_VERBS: Mapping[type, str] = {
    v.Propose: "proposes",
    v.Insist: "insists",
    v.Suggest: "suggests",
    v.Fact: "states",
}
"""Verb for each kind of message, with the sender as subject."""
_NOUNS: Mapping[type, str] = {
    v.Propose: "proposal",
    v.Insist: "demand",
    v.Suggest: "suggestion",
    v.Fact: "statement",
    v.Think: "opinion",
}
"""Noun for each kind of message, when another message mentions it."""


def gloss(message: v.Message, sender: str | None = None, to: Sequence[str] = (), lexicon: Lexicon | None = None) -> str:
    """Return a message as a sentence.

    `sender` and `to` are power words, for example FRA. Without a sender the sentence has no subject.
    """
    return English(lexicon or standard_lexicon(), sender, to).sentence(message)


def phrase(what: v.Arrangement, lexicon: Lexicon | None = None) -> str:
    """Return an arrangement as a clause: `England and France keep peace`."""
    return English(lexicon or standard_lexicon()).clause(what)


class English:
    """English words for one message on one map, with its sender and receivers."""

    def __init__(self, lexicon: Lexicon, sender: str | None = None, to: Sequence[str] = ()) -> None:
        self._lexicon, self._sender, self._to = lexicon, sender, tuple(dict.fromkeys(to))

    def sentence(self, message: v.Message) -> str:
        """Return the whole message, with its sender and receivers if they are known."""
        who = self.power(self._sender) if self._sender else ""
        text = f"{who} {self._says(message)}.".strip()
        return text[0].upper() + text[1:]

    def clause(self, what: v.Arrangement) -> str:
        """Return an arrangement as a clause with a subject."""
        match what:
            case v.Peace(powers):
                return f"{self._together(powers, 'keep')} peace"
            case v.Alliance(powers, enemies):
                allies = frozenset(powers)
                targets = [
                    power for power in enemies if power not in allies
                ]  # for some bots, allies here mean no target
                against = f"against {self.powers(targets)}" if targets else "without a target"
                return f"{self._together(powers, 'ally')} {against}"
            case v.Demilitarized(powers, places):
                return f"{self._together(powers, 'keep')} out of {self._places(dict.fromkeys(places))}"
            case v.Execute(order):
                return self.order(order)
            case v.Draw(powers):
                return f"the game ends in a draw of {self.powers(powers)}" if powers else "the game ends in a draw"
            case v.Solo(power):
                return f"{self.power(power)} wins alone"
            case v.Not(inner):
                return f"it does not come about that {self._closed(inner)}"
            case v.Undo(inner):
                return f"they undo the agreement that {self._closed(inner)}"
            case v.Every(parts):
                return _and([self._part(part) for part in parts], last=", and ")
            case v.Either(parts):
                return f"at least one of these comes about: {self._listed(parts)}"
            case v.Choice(least, most, parts):
                return f"{_count(least, most, len(parts))} about: {self._listed(parts)}"
            case v.Centres(shares):
                gets = [f"{self.power(s.power)} gets {self._places(dict.fromkeys(s.centres))}" for s in shares]
                return _and(gets, last=", and ")
            case v.Occupied(units):
                stand = [f"{self._owner(u)} {_UNITS[u.kind]} stands in {self.place(u.place)}" for u in units]
                return _and(stand, last=", and ")

    def _closed(self, what: v.Arrangement) -> str:
        """Return an arrangement inside a sentence, in brackets if it has parts, to show where it ends."""
        return f"({self.clause(what)})" if _has_parts(what) else self.clause(what)

    def _part(self, what: v.Arrangement) -> str:
        """Return one of several arrangements; brackets around NOT and NAR separate them from the other parts."""
        return f"({self.clause(what)})" if isinstance(what, (v.Not, v.Undo)) else self._closed(what)

    def _listed(self, parts: Sequence[v.Arrangement]) -> str:
        return "; ".join(self._closed(part) for part in parts)

    def order(self, order: v.Order) -> str:
        """Return an order as a clause."""
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
                through = f" through {self._places(via)}" if via else ""
                return f"{unit} is convoyed to {self.place(to)}{through}"
            case v.Retreat(_, to):
                return f"{unit} retreats to {self.place(to)}"
            case v.Disband():
                return f"{unit} disbands instead of retreating"
            case v.RemoveUnit():
                return f"{unit} is removed in winter"
            case v.Build(built):
                article = "an" if built.kind == "AMY" else "a"
                return f"{self.power(built.power)} builds {article} {_UNITS[built.kind]} in {self.place(built.place)}"

    def unit(self, unit: v.Unit) -> str:
        """Return a unit in English: `France's army in Paris`."""
        return f"{self._owner(unit)} {_UNITS[unit.kind]} in {self.place(unit.place)}"

    def place(self, place: str) -> str:
        """Return a place in English: `Paris`, `the English Channel`, `St Petersburg (south coast)`."""
        province, _, coast = place.partition(" ")
        name = self._lexicon.provinces.get(province, province)
        if any(word in name.split() for word in _SEA_WORDS):
            name = f"the {name}"
        return f"{name} ({_COASTS[coast]})" if coast else name

    def power(self, power: str) -> str:
        """Return the name of a power: `France`."""
        return self._lexicon.powers.get(power, power)

    def powers(self, powers: Sequence[str]) -> str:
        """Return the names of powers: `England, France and Germany`."""
        return _and([self.power(power) for power in dict.fromkeys(powers)])

    def _says(self, message: v.Message) -> str:
        """Return the verb of the sentence and its receivers."""
        whom = self.powers(self._to)
        match message:
            case v.Propose(what) | v.Insist(what) | v.Suggest(what):
                return f"{_VERBS[type(message)]}{whom and ' to '}{whom} that {self.clause(what)}"
            case v.Fact(what) if not _renounces(what):
                return f"states{whom and ' to '}{whom} that {self._statement(what)}"
            case v.Query(what):
                return f"asks{whom and ' '}{whom} {self._whether(what)}"
            case v.Accept(v.Propose(what)) if len(self._to) == 1:
                return f"agrees with {whom} that {self.clause(what)}"
            case v.Reject(v.Propose(what)) if len(self._to) == 1:
                return f"does not agree with {whom} that {self.clause(what)}"
            case v.Accept(v.Query() as press) | v.Reject(v.Query() as press):
                answer = "yes" if isinstance(message, v.Accept) else "no"
                return f"says{whom and ' to '}{whom} that the answer to the {self._called(press)} is {answer}"
            case v.NoBusiness(press):
                says = f"tells {whom}" if len(self._to) > 1 else "says"
                return f"{says} that {self._not_their_business(press)}"
            case _:
                # A reply goes to the proposer and to the other addressees, who may not have agreed.
                return f"tells {whom} that it {self._does(message)}" if whom else self._does(message)

    def _does(self, message: v.Message) -> str:
        """Return the verb of the sentence, without receivers."""
        match message:
            case v.Fact(v.Undo(what) | v.Not(what)) if _renounces(message.what):
                return f"renounces the agreement that {self._closed(what)}"
            case v.Think(statement):
                return f"thinks that {self._statement(statement)}"
            case v.Accept(v.Propose(what)):
                return f"agrees that {self.clause(what)}"
            case v.Reject(v.Propose(what)):
                return f"does not agree that {self.clause(what)}"
            case v.Accept(v.Suggest() as press):
                return f"welcomes the {self._called(press)}, without binding itself"
            case v.Accept(press):
                return f"agrees with the {self._called(press)}"
            case v.Reject(press):
                return f"does not agree with the {self._called(press)}"
            case v.Unknown(v.Query(what)):
                return f"does not know {self._whether(what)}"
            case v.Withdraw(v.Accept(v.Propose(what))):
                return f"takes back its agreement that {self.clause(what)}"
            case v.Withdraw(v.Accept(press)):
                return f"takes back its yes to the {self._called(press)}"
            case v.Withdraw(press):
                verb = "takes back" if isinstance(press, v.Withdraw) else "withdraws"
                return f"{verb} its {self._called(press)}"
            case v.Try(words):
                return f"understands only {', '.join(words)}" if words else "understands no press at all"
            case v.Huh(tokens):
                return f"did not understand {_unintelligible(tokens)}"
            case _:
                return self._says(message)

    def _not_their_business(self, press: v.Press) -> str:
        whose = self.power(self._to[0]) if len(self._to) == 1 else ""
        if isinstance(press, v.Query):
            return f"it is none of {whose or 'the asker'}'s business {self._whether(press.what)}"
        return f"the {self._called(press)} is none of {whose or 'its sender'}'s business"

    def _called(self, press: v.Press | v.Accept) -> str:
        """Return the name of a message that another message mentions: `proposal that …`.

        An arrangement with parts is in brackets, because the sentence may continue.
        """
        match press:
            case v.Query(what):
                return f"question {self._whether(what)}"
            case v.Fact(v.Undo(what) | v.Not(what)) if _renounces(press.what):
                return f"renunciation of the agreement that {self._closed(what)}"
            case v.Propose(what) | v.Insist(what) | v.Suggest(what) | v.Fact(what) | v.Think(what):
                return f"{_NOUNS[type(press)]} that {self._statement(what, closed=True)}"
            case v.Try(words):
                return f"list of understood words ({', '.join(words)})" if words else "empty list of understood words"
            case v.Withdraw(inner):
                return f"withdrawal of the {self._called(inner)}"
            case v.Accept(inner):
                return f"yes to the {self._called(inner)}"

    def _whether(self, what: v.Arrangement) -> str:
        return f"whether {self._closed(what)}"

    def _statement(self, what: v.Arrangement | v.Query | v.NotSo, *, closed: bool = False) -> str:
        match what:
            case v.Query(inner):
                return f"it is so that {self._closed(inner)}"
            case v.NotSo(query):
                return f"it is not so that {self._closed(query.what)}"
            case _:
                return self._closed(what) if closed else self.clause(what)

    def _together(self, powers: Sequence[str], verb: str) -> str:
        """Return powers with a verb; `both` if they are the sender and its only addressee."""
        between, meant = {self._sender, *self._to}, set(powers)
        if self._sender and len(between) == 2 and meant == between:
            return f"both {verb}"
        return f"{self.powers(powers)} {verb if len(meant) > 1 else _SINGULAR[verb]}"

    def _owner(self, unit: v.Unit) -> str:
        return f"{self.power(unit.power)}'s"

    def _places(self, places: Iterable[str]) -> str:
        return _and([self.place(place) for place in places])


_SINGULAR = {"keep": "keeps", "ally": "allies"}


def _renounces(what: v.Arrangement | v.Query | v.NotSo) -> bool:
    """Return True if a statement takes a promise back: NAR, or NOT of a persistent arrangement."""
    return isinstance(what, v.Undo) or (
        isinstance(what, v.Not) and lasts(what.what) and not isinstance(what.what, v.Not)
    )


def _has_parts(what: v.Arrangement) -> bool:
    match what:
        case v.Every() | v.Either() | v.Choice():
            return True
        case v.Centres(listed) | v.Occupied(listed):
            return len(listed) > 1
        case _:
            return False


def _count(least: int, most: int, parts: int) -> str:
    """Return the number of parts of a choice in words."""
    if least == most:
        count = f"exactly {least} of these" if least else "none of these"
    elif least == 0:
        count = f"at most {most} of these" if most < parts else "any number of these, or none,"
    else:
        count = f"{least} to {most} of these"
    return f"{count} {'comes' if most == 1 else 'come'}"


def _unintelligible(tokens: Sequence[str]) -> str:
    """Return the message that a HUH quotes, and the place from which it was not understood."""
    whole = " ".join(token for token in tokens if token != "ERR")
    if not whole:
        return "an empty message"
    at = tokens.index("ERR") if "ERR" in tokens else 0
    if at == 0:
        return f"“{whole}”"
    if at + 1 == len(tokens):
        return f"“{whole}”, which stops too early"
    if tokens[at + 1] not in ("(", ")"):
        return f"“{whole}” from {tokens[at + 1]} on"
    word = max((i for i in range(at) if tokens[i] not in ("(", ")")), default=0)
    return f"“{whole}” after “{' '.join(tokens[word:at])}”"


def _and(words: Sequence[str], last: str = " and ") -> str:
    return last.join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)
