"""Places on the standard map: a point in each province, islands, lakes, hand-set anchors."""

from __future__ import annotations

from dataclasses import dataclass

from borders import LonLat

Point = tuple[float, float]

SEEDS: dict[str, list[LonLat]] = {
    "BOH": [(14.4, 50.05)],
    "BUR": [(4.8, 47.2)],
    "GAL": [(22.5, 49.8)],
    "RUH": [(7.2, 51.2)],
    "SIL": [(16.8, 51.2)],
    "TYR": [(11.4, 47.2)],
    "UKR": [(30.5, 50.4)],
    "BUD": [(19.1, 47.3)],
    "MOS": [(37.6, 55.7)],
    "MUN": [(11.5, 48.2)],
    "PAR": [(2.3, 48.6)],
    "SER": [(21.0, 43.8)],
    "VIE": [(16.2, 48.2)],
    "WAR": [(21.0, 52.0)],
    "ALB": [(20.0, 41.2)],
    "APU": [(16.5, 40.95)],
    "ARM": [(42, 40.3)],
    "CLY": [(-5.0, 56.8)],
    "FIN": [(26, 62.5)],
    "GAS": [(0, 44.3)],
    "LVN": [(25, 57)],
    "NAF": [(2, 35)],
    "PIC": [(2.5, 50.0)],
    "PIE": [(8, 45)],
    "PRU": [(20.5, 54.2)],
    "SYR": [(37.5, 34.5)],
    "TUS": [(11.2, 43.4)],
    "WAL": [(-3.5, 52.2)],
    "YOR": [(-1.2, 53.8)],
    "ANK": [(33, 40)],
    "BEL": [(4.5, 50.6)],
    "BER": [(13.3, 52.5)],
    "BRE": [(-2.5, 48.2)],
    "CON": [(29.3, 40.3), (27.2, 41.3)],
    "DEN": [(9.2, 56.0)],
    "EDI": [(-3.4, 56.6)],
    "GRE": [(22.0, 39.3)],
    "HOL": [(5.6, 52.3)],
    "KIE": [(9.0, 53.0)],
    "LON": [(-0.4, 51.5)],
    "LVP": [(-2.7, 53.9)],
    "MAR": [(5.3, 44.2)],
    "NAP": [(15.2, 40.6)],
    "NWY": [(9.5, 61)],
    "POR": [(-8.2, 40)],
    "ROM": [(12.8, 41.95)],
    "RUM": [(26, 44.5)],
    "SEV": [(36, 47.5), (34.2, 45.3)],
    "SMY": [(29, 38)],
    "SWE": [(15, 60)],
    "TRI": [(16.5, 44.8)],
    "TUN": [(9.5, 35.5)],
    "VEN": [(12, 45.6)],
    "BUL": [(25.2, 42.6)],
    "SPA": [(-4, 40)],
    "STP": [(31, 60.3), (36, 63)],
    "ADR": [(15.5, 43)],
    "AEG": [(25, 38.3)],
    "BAL": [(18, 56)],
    "BAR": [(35, 71)],
    "BLA": [(34, 43.2)],
    "EAS": [(30, 34)],
    "ENG": [(-2, 50)],
    "BOT": [(19.5, 61)],
    "LYO": [(5, 42)],
    "HEL": [(7, 54.3)],
    "ION": [(18, 37)],
    "IRI": [(-5, 53.5)],
    "MAO": [(-12, 45)],
    "NAO": [(-15, 58)],
    "NTH": [(3, 56)],
    "NWG": [(2, 66)],
    "SKA": [(9.5, 58), (11.3, 57)],
    "TYS": [(12, 40)],
    "WES": [(3, 38)],
    "SWI": [(8, 46.8)],
    "IRE": [(-8, 53), (-6.8, 54.7)],
    "ICE": [(-18, 65)],
    "COR": [(9.1, 42.2)],
    "SAR": [(9, 40)],
    "CRE": [(24.9, 35.2)],
    "CYP": [(33, 35)],
    "AFR": [],
    "CAS": [],
    "MRM": [(28.2, 40.7)],
    "FAR": [(-7.0, 62.1)],
}
"""A point in each piece of each province, and of land and water off the board."""

FILLERS: dict[str, tuple[str, bool]] = {
    "SWI": ("Switzerland", False),
    "IRE": ("Ireland", False),
    "ICE": ("Iceland", False),
    "COR": ("Corsica", False),
    "SAR": ("Sardinia", False),
    "CRE": ("Crete", False),
    "CYP": ("Cyprus", False),
    "AFR": ("Africa", False),
    "FAR": ("Faeroes", False),
    "CAS": ("Caspian Sea", True),
    "MRM": ("Sea of Marmara", True),
}
"""Regions off the board: name, and True for water."""

ISLANDS: dict[LonLat, str] = {
    (-1.2, 60.3): "EDI",
    (-3.1, 59.0): "EDI",
    (20.0, 60.25): "FIN",
    (18.5, 57.4): "SWE",
    (14.95, 55.15): "DEN",
    (19.85, 39.6): "GRE",
    (48.9, 69.1): "STP",
    (-4.5, 54.2): "LVP",
    (10.3, 42.8): "TUS",
    (27.2, 35.6): "SMY",
}
"""Islands that should not simply go to the nearest province."""

DROPPED: list[LonLat] = [(-8.5, 71.0)]
"""Islands that are left out: Jan Mayen."""

MADE_LAND: list[tuple[list[LonLat], float]] = [
    ([(9.7, 55.52), (9.95, 55.45)], 4.5),
    ([(10.65, 55.3), (11.3, 55.35)], 6),
    ([(12.0, 54.92), (11.85, 55.1)], 4),
    ([(11.6, 54.8), (12.0, 54.85)], 4),
    ([(12.5, 56.06), (12.85, 56.1)], 3.2),
    ([(12.5, 55.92), (13.0, 55.95)], 3.2),
    ([(12.5, 55.75), (13.1, 55.78)], 3.2),
    ([(29.02, 41.22), (29.02, 41.0)], 1.6),
    ([(26.2, 40.06), (26.35, 40.12), (26.4, 40.2), (26.7, 40.42)], 1.6),
    ([(15.6, 38.25), (15.68, 38.2)], 1.5),
]
"""Lines that become land so that armies can walk, with half their width: the Danish belts, Bosporus and so on."""

MADE_WATER: list[tuple[list[LonLat], float]] = [
    ([(36.5, 44.8), (36.62, 45.15), (36.75, 45.5)], 2.0),
    ([(21.5, 38.28), (21.85, 38.36)], 1.6),
    ([(-6.6, 35.95), (-4.8, 36.0)], 3.6),
]
"""Lines that become water so that fleets can pass: Kerch, the Gulf of Corinth, Gibraltar."""

LAKES: list[list[LonLat]] = [
    [
        (30.9, 59.95),
        (31.6, 60.15),
        (32.6, 60.2),
        (32.9, 60.7),
        (32.5, 61.2),
        (31.4, 61.6),
        (30.6, 61.55),
        (30.0, 61.1),
        (30.5, 60.7),
        (30.9, 60.4),
    ],
    [(35.6, 60.95), (36.4, 61.1), (36.2, 61.7), (35.6, 62.4), (34.9, 62.7), (34.6, 62.2), (34.3, 61.8), (35.1, 61.4)],
    [(12.4, 58.75), (13.0, 58.5), (13.9, 58.6), (14.0, 58.95), (13.4, 59.35), (12.8, 59.3)],
    [(14.0, 57.8), (14.45, 57.95), (14.95, 58.4), (15.15, 58.85), (14.75, 58.75), (14.35, 58.35)],
]
"""Ladoga, Onega, Vänern, Vättern; decoration."""

STRAITS: list[list[LonLat]] = [
    [(29.15, 41.3), (29.05, 41.1), (28.98, 40.95)],
    [(26.1, 40.0), (26.38, 40.17), (26.65, 40.38), (27.0, 40.5)],
    [(10.85, 55.9), (10.95, 55.5), (11.0, 55.2), (10.85, 54.95)],
    [(9.95, 55.75), (9.75, 55.55), (9.75, 55.35), (9.9, 55.15)],
]
"""Thin lines of water across made land: Bosporus, Dardanelles, Great Belt, Little Belt; decoration."""

CITIES: dict[str, LonLat] = {
    "VIE": (16.37, 48.21),
    "BUD": (19.05, 47.5),
    "TRI": (14.0, 45.6),
    "LON": (-0.1, 51.5),
    "EDI": (-3.2, 55.95),
    "LVP": (-2.98, 53.4),
    "PAR": (2.35, 48.85),
    "MAR": (5.4, 43.35),
    "BRE": (-4.5, 48.4),
    "BER": (13.4, 52.5),
    "MUN": (11.6, 48.1),
    "KIE": (10.1, 54.3),
    "ROM": (12.5, 41.9),
    "VEN": (12.2, 45.5),
    "NAP": (14.3, 40.9),
    "MOS": (37.6, 55.75),
    "SEV": (33.7, 44.8),
    "WAR": (21.0, 52.2),
    "STP": (30.4, 59.85),
    "ANK": (32.9, 39.95),
    "CON": (28.7, 41.15),
    "SMY": (27.2, 38.4),
    "SER": (20.5, 44.75),
    "BEL": (4.35, 50.85),
    "DEN": (12.3, 55.65),
    "GRE": (23.6, 38.1),
    "HOL": (4.9, 52.35),
    "NWY": (10.7, 59.9),
    "POR": (-9.1, 38.75),
    "RUM": (26.1, 44.45),
    "SWE": (17.9, 59.3),
    "TUN": (10.1, 36.75),
    "BUL": (23.4, 42.7),
    "SPA": (-3.7, 40.4),
}
"""Preferred places of supply centres."""

REALMS: dict[str, str] = {
    "AUSTRIA": "BOH BUD GAL TRI TYR VIE",
    "ENGLAND": "CLY EDI LON LVP WAL YOR",
    "FRANCE": "BRE BUR GAS MAR PAR PIC",
    "GERMANY": "BER KIE MUN PRU RUH SIL",
    "ITALY": "APU NAP PIE ROM TUS VEN",
    "RUSSIA": "FIN LVN MOS SEV STP UKR WAR",
    "TURKEY": "ANK ARM CON SMY SYR",
}
"""The power that owns each province at the start, also without a centre."""


@dataclass(frozen=True)
class Sea:
    """Name and anchors of a sea: lines of its name, their middle, size, turn and spacing, and its two units."""

    name: tuple[str, ...]
    at: Point
    size: float
    turn: float
    spacing: float
    unit: Point
    dislodged: Point


SEAS = {
    "NAO": Sea(("North Atlantic", "Ocean"), (112, 160), 15, -14, 1.5, (150, 205), (176, 205)),
    "NWG": Sea(("Norwegian Sea",), (420, 100), 16, -8, 2.5, (440, 132), (466, 132)),
    "BAR": Sea(("Barents Sea",), (862, 17), 11, 4, 1.5, (950, 36), (975, 29)),
    "NTH": Sea(("North", "Sea"), (432, 252), 16, 0, 2, (432, 300), (458, 300)),
    "SKA": Sea(("Skagerrak",), (557, 250), 7.5, -14, 0.5, (605, 285), (604, 259)),
    "HEL": Sea(("Helgoland", "Bight"), (508, 331), 7.5, 0, 0.2, (502, 355), (479, 368)),
    "BAL": Sea(("Baltic Sea",), (717, 335), 11.5, -8, 1.3, (730, 306), (756, 306)),
    "BOT": Sea(("Gulf of Bothnia",), (733, 170), 8.5, -58, 0.8, (738, 235), (759, 250)),
    "IRI": Sea(("Irish", "Sea"), (208, 393), 11, 0, 1, (208, 423), (231, 411)),
    "ENG": Sea(("English Channel",), (340, 462), 9, 3, 0.6, (262, 465), (288, 469)),
    "MAO": Sea(("Mid-Atlantic", "Ocean"), (105, 500), 17, 0, 2, (120, 552), (146, 552)),
    "WES": Sea(("Western Mediterranean",), (358, 838), 10.5, -3, 0.8, (268, 857), (294, 861)),
    "LYO": Sea(("Gulf of Lyon",), (397, 732), 11, 0, 1, (402, 755), (428, 755)),
    "TYS": Sea(("Tyrrhenian", "Sea"), (567, 815), 11.5, 0, 1, (560, 850), (586, 852)),
    "ADR": Sea(("Adriatic Sea",), (656, 716), 10.5, 47, 1, (694, 772), (715, 788)),
    "ION": Sea(("Ionian Sea",), (700, 938), 15, 0, 2, (702, 906), (728, 906)),
    "AEG": Sea(("Aegean", "Sea"), (879, 894), 9, 0, 0.6, (866, 826), (861, 851)),
    "EAS": Sea(("Eastern", "Mediterranean"), (985, 948), 12, 0, 1, (1000, 986), (1026, 986)),
    "BLA": Sea(("Black Sea",), (1040, 640), 16, 0, 2.5, (1040, 676), (1066, 676)),
}


@dataclass(frozen=True)
class Wish:
    """Anchors that are set by hand because the search has too little room; None leaves an anchor to the search."""

    unit: Point | None = None
    label: Point | None = None
    size: float | None = None
    centre: Point | None = None
    dislodged: Point | None = None


WISHES = {
    "DEN": Wish(dislodged=(582, 337)),
    "CON": Wish(unit=(943, 809), label=(981, 796), size=13, centre=(952, 752), dislodged=(918, 812)),
    "NAP": Wish(unit=(652, 822), label=(688, 850), size=12, centre=(629, 795), dislodged=(627, 824)),
    "APU": Wish(unit=(654, 771), label=(680, 790), size=12, dislodged=(630, 758)),
    "ROM": Wish(unit=(577, 741), label=(606, 760), size=12, centre=(576, 762), dislodged=(556, 756)),
    "ANK": Wish(unit=(1065, 755), label=(1074, 773), size=13, centre=(1042, 772)),
    "CLY": Wish(unit=(308, 230), label=(289, 254), size=12, dislodged=(322, 208)),
    "EDI": Wish(unit=(350, 233), label=(354, 285), size=12, centre=(338, 272), dislodged=(375, 238)),
    "LVP": Wish(unit=(331, 316), label=(333, 338), size=12, centre=(315, 361), dislodged=(318, 294)),
    "PIE": Wish(unit=(496, 645), label=(492, 625), size=13, dislodged=(519, 651)),
    "TUS": Wish(unit=(552, 699), label=(540, 679), size=12, dislodged=(570, 716)),
    "POR": Wish(unit=(120, 679), label=(116, 699), size=12, centre=(87, 741), dislodged=(102, 720)),
}

COASTS: dict[str, dict[str, tuple[Point, Point]]] = {
    "BUL": {"EC": ((918, 692), (903, 680)), "SC": ((884, 773), (866, 766))},
    "SPA": {"NC": ((150, 630), (172, 638)), "SC": ((203, 826), (182, 822))},
    "STP": {"NC": ((905, 65), (930, 68)), "SC": ((876, 211), (888, 226))},
}
"""Unit and dislodged unit on each shore of a split province."""
