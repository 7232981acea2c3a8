"""One order in many spellings, as people and programs write them: comments, courtesies, long words, wrong letters."""

from __future__ import annotations

import random
from collections.abc import Iterator

NAMES = {
    "ALB": "Albania", "ANK": "Ankara", "BLA": "Black Sea", "BOT": "Gulf of Bothnia", "BRE": "Brest", "BUD": "Budapest",
    "BUR": "Burgundy", "EDI": "Edinburgh", "ENG": "English Channel", "GAS": "Gascony", "HEL": "Helgoland Bight",
    "ION": "Ionian Sea", "KIE": "Kiel", "LON": "London", "LVN": "Livonia", "LVP": "Liverpool", "LYO": "Gulf of Lyon",
    "MAO": "Mid-Atlantic Ocean", "MAR": "Marseilles", "MOS": "Moscow", "MUN": "Munich", "NAF": "North Africa",
    "NAP": "Naples", "NTH": "North Sea", "NWG": "Norwegian Sea", "NWY": "Norway", "PAR": "Paris", "PIE": "Piedmont",
    "ROM": "Rome", "SER": "Serbia", "SEV": "Sevastopol", "SKA": "Skagerrak", "SPA": "Spain", "STP": "St Petersburg",
    "TRI": "Trieste", "TUN": "Tunis", "TYR": "Tyrolia", "TYS": "Tyrrhenian Sea", "VEN": "Venice", "VIE": "Vienna",
    "WES": "Western Mediterranean", "YOR": "Yorkshire",
}  # fmt: skip
POWERS = ("FRANCE", "French", "GERMANY:", "The Turkish")
VERBS = {
    "-": (
        "->",
        "-->",
        "TO",
        "MOVES TO",
        "MOVING TO",
        "MOVE",
        "ATTACKS",
        "IN",
        "AT",
        ">",
        "WILL MOVE TO",
        "IS MOVING TO",
    ),
    "H": ("HOLD", "HOLDS", "HOLDING", "- H", "-H"),
    "S": ("SUPPORT", "SUPPORTS", "SUPPORTING", "SUPPORTS TO"),
    "C": ("CONVOY", "CONVOYS", "CONVOYING"),
    "R": ("RETREAT", "RETREATS", "RETREATS TO", "RETREATING TO", "-"),
    "D": ("DISBAND", "DISBANDS", "DISBANDING", "REMOVE", "REMOVES", "DESTROY", "DESTROYS"),
    "B": ("BUILD", "BUILDS", "BUILDING"),
}
AROUND = (
    "{} # comment", "{} #", "#{}", "# {}", "{} // why not", "{} -- why not", "{} (maybe)", "{} [maybe]", "{} ; maybe",
    "{} ! maybe", "{} please", "please {}", "ORDER {}", "THE {}", "MOVE {}", "GO {}", "> {}", "[{}]", "({})", "  {}  ",
    "{},", "MY OWN {}", "SET THIS: {}",
)  # fmt: skip


def spellings(order: str, rng: random.Random) -> Iterator[str]:
    """Yield the order as it is, and in other words."""
    words = order.split()
    long = [_in_full(word) for word in words]
    yield from (order, order.lower(), order.title(), "\t".join(words), " ".join(long), " ".join(long).upper())
    yield from (form.format(order) for form in AROUND)
    yield from (f"{power} {order}" for power in POWERS)
    yield " ".join(words[1:])  # without its type
    yield " ".join(words[:3]).replace(" - ", "-") + "".join(f" {word}" for word in words[3:])
    for word in {"A": ("ARMY", "AN ARMY", "THE ARMY IN"), "F": ("FLEET", "THE FLEET")}[words[0]]:
        yield " ".join((word, *words[1:]))
    for verb in VERBS.get(words[2], ()):
        yield " ".join((*words[:2], verb, *words[3:]))
        yield " ".join((*long[:2], verb, *long[3:]))
        yield " ".join((verb, *words[:2], *words[3:]))
    for sign in "_.+":
        yield " ".join(word.replace(" ", sign) for word in long)
    if words[2] == "-":
        yield from (f"{order} VIA LAND", f"{order} BY SEA", f"{order}/NC", f"{order} SOUTH COAST", f"{order} - PAR")
        yield f"MOVE {words[0]} FROM {words[1]} TO {words[3]}"
        yield f"{words[0]} {words[1]} {words[3]}"
    if "-" in words[3:]:
        yield from (order[:3] + order[3:].replace(" - ", f" {to} ") for to in ("TO", "MOVING TO", "INTO", ""))
    yield from _misspelt(long, rng)


def _in_full(word: str) -> str:
    place, slash, shore = word.partition("/")
    return NAMES.get(place, place) + slash + shore


def _misspelt(words: list[str], rng: random.Random) -> Iterator[str]:
    """With the beginning of a name only, and with a letter more, less, or another."""
    for at, name in enumerate(words):
        if len(name) > 3:
            cut, hit = rng.randrange(3, len(name)), rng.randrange(len(name))
            wrong = rng.choice("AEIORST")
            for other in (name[:cut], name[:hit] + wrong + name[hit + 1 :], name[:hit] + name[hit + 1 :]):
                yield " ".join((*words[:at], other, *words[at + 1 :]))
