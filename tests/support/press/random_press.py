"""Random press and orders: powers propose, agree, refuse, take back and promise orders, and keep some of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.language.tokens import standard_lexicon
from support.press.oracle import SEATS, WORDS

DAIDE = {"ENG": "ECH", "BOT": "GOB", "LYO": "GOL"}
INLAND = ("VIE", "BUD", "PAR", "MUN", "MOS", "WAR")
Message = tuple[str, tuple[str, ...], str]
"""Sender, receivers and text."""


class RandomPress:
    """Draws what powers say and order in a match."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.position, self.turn = Position.start(), 0
        self.said: list[Message] = []
        """Proposals so far: who proposed to whom what."""
        self.promised: dict[Seat, list[str]] = {seat: [] for seat in SEATS.values()}
        """Orders of this year that somebody may have promised."""

    def follow(self, position: Position) -> None:
        """Continue with the position after the orders."""
        if self.position.stage == "adjustments":
            self.promised = {seat: [] for seat in SEATS.values()}
        self.position = position

    # Talk

    def messages(self) -> Iterator[Message]:
        """Yield what is said in a turn."""
        if self.position.stage == "orders" or self.rng.random() < 0.3:
            for _ in range(self.rng.randrange(12)):
                yield from self._talk()

    def _talk(self) -> Iterator[Message]:
        """Yield a proposal and the answers to it; or an old one is said or answered once more, or undone."""
        rng, present = self.rng, [WORDS[seat] for seat in self.position.alive()]
        if len(present) < 3:
            return
        proposer, *to = rng.sample(present, 2 if rng.random() < 0.7 else 3)
        press = f"{'INS' if rng.random() < 0.05 else 'PRP'} ({self._arrangement((proposer, *to))})"
        if self.said and rng.random() < 0.25:
            proposer, (*to,), press = rng.choice(self.said)
            what, chance = press[5:-1], rng.random()
            if chance < 0.2:
                proposer, to[0] = to[0], proposer
            elif chance < 0.5:
                press = f"PRP (NAR ({what}))"
            elif chance < 0.6 and not what.startswith(("AND", "NAR", "NOT")):
                press = f"PRP (NOT ({what}))"
        if not {proposer, *to} <= {*present}:
            return
        if "NAR (NAR" in press:
            return
        if rng.random() < 0.95:
            yield (proposer, (*to,), press)
        self.said.append((proposer, (*to,), press))
        yield from self._answer(proposer, (*to,), press)

    def _answer(self, proposer: str, to: tuple[str, ...], press: str) -> Iterator[Message]:
        rng = self.rng
        if rng.random() < 0.03:
            yield (proposer, to, f"CCL ({press})")
        for other in rng.sample(to, len(to)):
            chance = rng.random()
            hearers = tuple(word for word in (proposer, *to) if word != other)
            hearers = hearers if rng.random() < 0.8 else (proposer,)
            if chance < 0.9:
                yield (other, hearers, f"YES ({press})")
                if rng.random() < 0.03:
                    yield (other, hearers, f"CCL (YES ({press}))")
            elif chance < 0.95:
                yield (other, hearers, f"{rng.choice(('REJ', 'BWX'))} ({press})")

    def _arrangement(self, circle: tuple[str, ...]) -> str:
        rng = self.rng
        chance = rng.random()
        if chance < 0.2:
            others = [rng.choice([*WORDS.values()])] if len(circle) == 2 and rng.random() < 0.1 else []  # do not agree
            return f"PCE ({' '.join(dict.fromkeys([*self._some(circle, 2), *others]))})"
        if chance < 0.3:
            enemies = [word for word in WORDS.values() if word not in circle]
            if rng.random() < 0.1:
                enemies.append(circle[0])
            if rng.random() < 0.3 and len(circle) == 3:
                return f"ALY ({' '.join(circle[:2])}) VSS ({circle[2]})"
            return f"ALY ({' '.join(self._some(circle, 2))}) VSS ({' '.join(rng.sample(enemies, rng.randint(1, 2)))})"
        if chance < 0.45:
            places = {self._place(unit[2:]) for word in circle for unit in self.position.units[SEATS[word]]}
            places |= {*rng.sample(sorted(standard_lexicon().provinces), 5)}
            zone = rng.sample(sorted(places), rng.randint(1, 3))
            return f"DMZ ({' '.join(self._some(circle, 1))}) ({' '.join(zone)})"
        if chance < 0.85:
            return self._promise(circle)
        parts = {*(self._arrangement(circle) for _ in range(rng.randint(2, 3)))}
        return "AND " + " ".join(f"({part})" for part in sorted(parts)) if len(parts) > 1 else parts.pop()

    def _some(self, circle: tuple[str, ...], least: int) -> list[str]:
        if self.rng.random() < 0.7:
            return [*circle]
        return self.rng.sample(circle, self.rng.randint(least, len(circle)))

    def _promise(self, circle: tuple[str, ...]) -> str:
        """Return an order, possible or not, of this phase or a later one; sometimes that it will not be given."""
        rng, word = self.rng, self.rng.choice(circle)
        seat = SEATS[word]
        texts = self.position.legal(seat) if seat in self.position.to_act() else []
        units, homes = self.position.units[seat], self.position.homes[seat]
        chance = rng.random()
        if texts and chance < 0.7:
            order = self._possible(word, circle, texts)
        elif units and chance < 0.85:
            unit = rng.choice(units)
            reached = [text.split()[3] for text in texts if text.startswith(f"{unit} - ") and "VIA" not in text]
            options = ["DSB", "REM", "HLD", *(f"RTO {self._place(place)}" for place in reached)]
            order = f"({self._unit(word, unit)}) {rng.choice(options)}"
            self.promised[seat] += [f"{unit} D", f"{unit} H", *(f"{unit} R {place}" for place in reached)]
        elif homes and chance < 0.95:
            home = rng.choice(homes)
            kind = "A" if home in INLAND else rng.choice("AF")
            home = "STP/SC" if (home, kind) == ("STP", "F") else home
            order = f"({self._unit(word, f'{kind} {home}')}) BLD"
            self.promised[seat].append(f"{kind} {home} B")
        else:
            order = f"{word} WVE"
        if rng.random() < 0.3:  # coasts are left out
            order = re.sub(r"\((\w{3}) \wCS\)", r"\1", order)
        what = f"XDO ({order})"
        what = f"NOT ({what})" if rng.random() < 0.15 else what
        return f"NOT (NOT ({what}))" if rng.random() < 0.05 else what

    def _possible(self, word: str, circle: tuple[str, ...], texts: list[str]) -> str:
        rng = self.rng
        at = rng.choice(sorted({text.split()[1] for text in texts if text != "WAIVE"}))
        texts = [text for text in texts if text == "WAIVE" or text.split()[1] == at]
        if rng.random() < 0.4:  # an attack on a partner, perhaps one who agrees to it
            theirs = [centre for other in circle if other != word for centre in self.position.centers[SEATS[other]]]
            texts = [text for text in texts if text.removesuffix(" VIA")[-3:] in theirs] or texts
        text = rng.choice(texts)
        self.promised[SEATS[word]].append(text)
        return self._press_of(word, text)

    # Spelling

    def _place(self, place: str) -> str:
        province, _, coast = place.partition("/")
        province = DAIDE.get(province, province)
        return f"({province} {coast}S)" if coast else province

    def _unit(self, word: str, unit: str) -> str:
        return f"{word} {'AMY' if unit[0] == 'A' else 'FLT'} {self._place(unit[2:])}"

    def _press_of(self, word: str, text: str) -> str:
        """Return an order string as press; sometimes MTO for CTO, and any sea as the route."""
        if text == "WAIVE":
            return f"{word} WVE"
        words = text.split()
        unit, verb, rest = f"({self._unit(word, ' '.join(words[:2]))})", words[2], words[3:]
        if verb in ("S", "C"):
            owner = next(o for o, units in self.position.units.items() for u in units if u[2:5] == rest[1][:3])
            other = f"({self._unit(WORDS[owner], ' '.join(rest[:2]))})"
            if verb == "C":
                return f"{unit} CVY {other} CTO {self._place(rest[3][:3])}"
            return f"{unit} SUP {other}" + (f" MTO {self._place(rest[3][:3])}" if len(rest) > 2 else "")
        if verb == "-" and rest[-1] == "VIA" and self.rng.random() < 0.7:
            return f"{unit} CTO {self._place(rest[0])} VIA (NTH)"
        after = {"H": "HLD", "-": "MTO", "R": "RTO", "B": "BLD"}.get(verb)
        after = after or ("DSB" if self.position.stage == "retreats" else "REM")
        return f"{unit} {after}" + (f" {self._place(rest[0])}" if rest else "")

    # Orders

    def orders_of(self, seat: Seat) -> list[str]:
        """Random orders: often peaceful ones or those that were promised, sometimes too few."""
        rng, position, legal = self.rng, self.position, self.position.legal(seat)
        orders = position.sample(seat, rng)
        if position.stage == "orders" and rng.random() < 0.6:
            orders = [self._peaceful(text, legal) for text in orders]
        for text in self.promised[seat]:
            if text not in legal or rng.random() < 0.4 or not orders:
                continue
            at = [number for number, other in enumerate(orders) if other[2:5] == text[2:5]]
            if at or position.stage == "adjustments":
                orders[at[0] if at else rng.randrange(len(orders))] = text
        if position.builds[seat] > 0:
            orders = ["WAIVE" if rng.random() < 0.2 else text for text in orders]
        return orders if rng.random() < 0.85 else orders[rng.randint(0, len(orders)) :]

    def _peaceful(self, text: str, legal: list[str]) -> str:
        """Another order of the same unit that goes where nobody stands and nobody owns a centre, if there is one."""
        taken = {unit[2:5] for units in self.position.units.values() for unit in units}
        taken |= {centre for centres in self.position.centers.values() for centre in centres}
        own = [other for other in legal if other.split()[:2] == text.split()[:2]]
        calm = [other for other in own if " - " not in other or other.removesuffix(" VIA").split()[-1][:3] not in taken]
        return self.rng.choice(calm) if calm else text
