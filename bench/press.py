"""Speed of reading and checking press, beside lark with the same grammar, and of the ledger's judgement of a phase.

Run: python bench/press.py
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from statistics import median
from time import process_time

import usage
from parlour.agents import make_agent
from parlour.agents.press.commitments import Commitments
from parlour.agents.press.motives import motives
from parlour.core.events import Said, Sealed, TurnEnded
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import PressError
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.press.language.checks import examine
from parlour.press.language.message_types import Execute, Propose
from parlour.press.language.reader import read
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger
from parlour.press.orders import from_text
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match

MESSAGE = "PRP (AND (XDO ((ENG FLT LON) MTO NTH)) (XDO ((ENG FLT EDI) MTO NWG)) (XDO ((ENG AMY LVP) MTO YOR)))"
PACTS = 50
PHASES, ROUNDS = 40, 12
"""Number of phases that are judged, early and late ones, and of rounds of each; the best round counts."""

GRAMMAR = r"""
    start: press | reply
    press: "PRP" "(" arrangement ")" | "CCL" "(" (press | "YES" "(" press ")") ")" | "FCT" "(" arrangement ")"
         | "TRY" "(" WORD* ")"
    reply: ("YES" | "REJ" | "BWX") "(" press ")"
    arrangement: "PCE" several | "ALY" several "VSS" powers | "NAR" "(" arrangement ")" | "NOT" "(" arrangement ")"
         | "DRW" several? | "SLO" "(" power ")" | "XDO" "(" order ")" | "DMZ" powers "(" location+ ")"
         | "AND" "(" arrangement ")" ("(" arrangement ")")+ | "ORR" "(" arrangement ")" ("(" arrangement ")")+
    order: unit "HLD" | unit "MTO" location | unit "SUP" unit ["MTO" province] | unit "CVY" unit "CTO" province
         | unit "CTO" province "VIA" "(" province+ ")" | unit "RTO" location | unit ("DSB" | "BLD" | "REM")
         | power "WVE"
    unit: "(" power ("AMY" | "FLT") location ")"
    location: province | "(" province ("NCS" | "SCS" | "ECS") ")"
    powers: "(" power+ ")"
    several: "(" power power+ ")"
    power: POWER
    province: PROVINCE
    POWER: /(AUS|ENG|FRA|GER|ITA|RUS|TUR)(?![A-Z])/
    PROVINCE: /(%s)(?![A-Z])/
    WORD: /[A-Z]{3}/
    %%ignore /[ \t\r\n]+/
"""


def main() -> None:
    """Print every figure."""
    reading = _timed(lambda: read(MESSAGE, 30), 4000)
    checking = _timed(lambda: examine(read(MESSAGE, 30), sender="ENG", to=("FRA",), out=("TUR",)), 4000)
    print(f"read a three-order PRP             {reading:8.1f} µs")
    print(f"read and check it                  {checking:8.1f} µs   (at most 40)")
    _beside_lark(reading)
    _hostile()
    print(f"judge a phase with {PACTS} pacts, at most 200 µs:")
    for orders in (0, 20):
        _ledger(_settled, honest=True, orders=orders)
        _ledger(_settled, honest=False, orders=orders)
    print("the same with classes: every power sealed what it ordered, and two changed their plans, at most 200 µs:")
    for changed in (0, 2):
        _ledger(_settled, honest=True, orders=20, changed=changed)
    _values()
    print("the same from the event that ends the phase, which is adjudicated once more:")
    _ledger(_fed, honest=False, orders=20)


def _beside_lark(ours: float) -> None:
    try:
        from lark import Lark
    except ImportError:
        print("lark is not installed (pip install -e '.[peers]'): no comparison")
        return
    from parlour.press.language.tokens import standard_lexicon

    grammar = GRAMMAR % "|".join(sorted(standard_lexicon().provinces))
    for parser in ("lalr", "earley"):
        lark = Lark(grammar, parser=parser)
        lark.parse(MESSAGE)
        theirs = _timed(lambda lark=lark: lark.parse(MESSAGE), 400)  # type: ignore[misc]
        print(f"lark ({parser}), the same grammar    {theirs:8.1f} µs   {theirs / ours:6.1f} times ours")


def _hostile() -> None:
    texts = {
        "1 MB of brackets": "(" * 1_000_000,
        "100,000 levels": "PRP " + "(NAR " * 100_000 + "(DRW" + ")" * 100_001,
        "1 MB of one word": "A" * 1_000_000,
    }
    for name, text in texts.items():
        started = process_time()
        try:
            read(text)
        except PressError as error:
            took = process_time() - started
            print(f"refuse {name:<27} {took * 1e3:8.1f} ms   {error.kind} at token {error.index:,}")


def _ledger(
    update: Callable[[Ledger, dict[Seat, list[str]], Position], float],
    *,
    honest: bool,
    orders: int,
    changed: int | None = None,
) -> None:
    """Print the time to judge a phase by ledgers with 50 new pacts.

    orders is the number of pacts about one order; the others persist. If honest, all powers but one draw orders that
    keep their word; otherwise all orders are random, and nearly every promised order is broken. With changed, all
    powers have sealed their orders, and that number of them sealed other orders before.
    """
    position, rng = Position.start(), random.Random(7)
    took: list[float] = []
    broken = 0
    while len(took) < PHASES and not position.over:
        ledgers = [_agreed(position, orders) for _ in range(ROUNDS)] if position.stage == "orders" else []
        actions = {seat: position.sample(seat, rng) for seat in position.to_act()}
        if honest and ledgers:
            for seat in position.to_act()[1:]:
                word = Commitments(ledgers[0], ledgers[0].lexicon.seats[seat])
                actions[seat] = _faithful(position, seat, word, rng)
        following, _ = position.apply(actions)
        if changed is not None:
            plans = {seat: position.sample(seat, rng) for seat in position.to_act()[:changed]}
            for ledger in ledgers:
                for sealed in (plans, actions):
                    for seat, action in sealed.items():
                        ledger.feed(Sealed(0.0, seat, ledger.turn, action))
        if ledgers:
            took.append(min(update(ledger, actions, following) for ledger in ledgers))
            broken += len(list(ledgers[0].broken()))
        position = following
    name = "all but one honest" if honest else "random orders"
    kind = f"{orders} single orders" if orders else "all persistent"
    print(f"  {kind:<33}{median(took) * 1e6:8.1f} µs   ({name}, {broken / len(took):.1f} breaches a phase)")


def _values() -> None:
    """Print the time to value a promise in a match with stabbers."""
    terms = Terms(preset("diplomacy"), press=PressTerms(PressMode.WINDOW))
    match = Match(GAME, {"last_year": 1902}, terms, 1)
    names = ("stabber", "peace", "broker")
    players = {s: make_agent("diplomacy", f"{names[i % 3]}:budget=40", i) for i, s in enumerate(GAME.seats({}))}
    play(match, players)
    started = process_time()
    found = motives(match.record)
    took = process_time() - started
    count = len(found.promises)
    print(f"value a promise, 256 samples, two horizons {took / count * 1e3:8.1f} ms   (at most 60; {count} promises)")


def _faithful(position: Position, seat: Seat, word: Commitments, rng: random.Random) -> list[str]:
    """Return an order for each unit that keeps the power's word: the promised one, or any allowed one."""
    due, allowed, orders = word.due(), word.allows(), position.orders()
    return [
        due.get(tag) or rng.choice([text for text in orders[tag] if allowed(text)] or orders[tag])
        for tag in position.orderable()[seat]
    ]


def _agreed(position: Position, orders: int = 0) -> Ledger:
    ledger = Ledger()
    ledger.begin(position)
    _promise(ledger, position, orders)
    _agree(ledger, position.alive())
    assert len(ledger.active()) == PACTS
    return ledger


def _settled(ledger: Ledger, actions: dict[Seat, list[str]], following: Position) -> float:
    """Return the seconds of one update."""
    return _once(lambda: ledger.settle(actions, following))


def _fed(ledger: Ledger, actions: dict[Seat, list[str]], following: Position) -> float:
    """Return the seconds of one update by an event, which the ledger itself adjudicates."""
    event = TurnEnded(at=1.0, turn=0, actions=dict(actions), happened={})
    return _once(lambda: ledger.feed(event))


def _once(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, without the garbage collector, like timeit."""
    gc.disable()
    started = process_time()
    call()
    took = process_time() - started
    gc.enable()
    return took


def _promise(ledger: Ledger, position: Position, orders: int) -> None:
    """Let powers promise the next power one order each, until there are enough pacts."""
    words, rng, seats = ledger.lexicon.seats, random.Random(11), position.alive()
    units: dict[str, tuple[Seat, list[str]]] = {}
    for seat in position.to_act():
        for text in position.legal(seat):
            units.setdefault(text.split()[1], (seat, []))[1].append(text)
    for seat, texts in list(units.values())[:orders]:
        order = from_text(rng.choice(texts), ledger.board, words[seat])
        other = seats[(seats.index(seat) + 1) % len(seats)]
        assert order is not None
        text = write(Propose(Execute(order)))
        ledger.hear(Said(at=0.0, seat=seat, to=(other,), text=text, turn=0))
        ledger.hear(Said(at=1.0, seat=other, to=(seat,), text=f"YES ({text})", turn=0))


def _agree(ledger: Ledger, seats: tuple[Seat, ...]) -> None:
    """Let every pair agree on peace, on a zone, on an alliance, until there are enough pacts."""
    words = ledger.lexicon.seats
    places = sorted(ledger.lexicon.provinces)
    pairs = [(one, other) for one in seats for other in seats if one < other]
    for number in range(len(places) * len(pairs)):
        one, other = pairs[number % len(pairs)]
        third = next(seat for seat in seats if seat not in (one, other))
        both = f"({words[one]} {words[other]})"
        zone = places[number * 7 % len(places)]
        forms = (f"PRP (PCE {both})", f"PRP (DMZ {both} ({zone}))", f"PRP (ALY {both} VSS ({words[third]}))")
        text = forms[min(number // len(pairs), 2) if number < 3 * len(pairs) else 1]
        ledger.hear(Said(at=0.0, seat=one, to=(other,), text=text, turn=0))
        ledger.hear(Said(at=1.0, seat=other, to=(one,), text=f"YES ({text})", turn=0))
        if len(ledger.active()) == PACTS:
            return


def _timed(call: Callable[[], object], times: int) -> float:
    """Return the CPU microseconds of one call in the best of five rounds."""
    best = float("inf")
    for _ in range(5):
        started = process_time()
        for _ in range(times):
            call()
        best = min(best, (process_time() - started) / times)
    return best * 1e6


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
