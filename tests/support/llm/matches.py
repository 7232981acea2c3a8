"""Matches in which models play, and the cassettes that ship with the tests.

`python -m support.llm.matches` records the cassettes anew, from an endpoint that answers by a script; do that when a
prompt has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import UNSET, UnsetType

from parlour.agents import make_agent
from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat, View
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, SealTerms, Terms
from parlour.games import load_game
from parlour.games.diplomacy.position import Position
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter, read_record
from support import TESTS
from support.llm.models import FakeEndpoint, Model, answer, legal_orders, plain_angler, plain_player

CASSETTES = TESTS / "cassettes"
TALK = PressTerms(PressMode.WINDOW)
SILENT = PressTerms(PressMode.NONE)
_FRANCE = Seat("FRANCE")


def fish_match(
    make: Callable[[int], Player],
    clock: Clock = Clock(),  # noqa: B008
    *,
    conduct: str = "strict",
    rows: int = 4,
    cols: int = 4,
) -> Match:
    """Return two players on a small board."""
    config = {"players": 2, "rows": rows, "cols": cols}
    match = Match(load_game("fish"), config, Terms(preset(conduct), clock), 1)
    play(match, {seat: make(number) for number, seat in enumerate(match.game.seats(config))})
    return match


def diplomacy_match(
    players: Mapping[str, Player] | Callable[[int], Player],
    *,
    press: PressTerms = TALK,
    clock: Clock = Clock(),  # noqa: B008
    last_year: int = 1901,
    others: str = "peace",
    conduct: str = "diplomacy",
    seals: SealTerms | UnsetType = UNSET,
) -> Match:
    """Return some players, or one for each seat; the other seats are agents'."""
    config = {"last_year": last_year}
    match = Match(load_game("diplomacy"), config, Terms(preset(conduct), clock, press, seals=seals), 1)
    seats = match.game.seats(config)
    if callable(players):
        table = {seat: players(number) for number, seat in enumerate(seats)}
    else:
        table = {seat: players.get(seat) or make_agent("diplomacy", others, i) for i, seat in enumerate(seats)}
    play(match, table)
    return match


_WEST = "PAR BRE MAR BUR GAS SPA POR PIE BEL HOL RUH MUN KIE TYR VEN ROM TUS DEN BER SIL BOH PIC"
WEST = _WEST.split()
REST = {"GER": "PRU WAR", "RUS": "MOS SEV UKR", "TUR": "CON ANK SMY", "AUS": "VIE BUD TRI", "ENG": "LON EDI LVP"}
"""Where others stand who do not grow."""


def great_power(year: int, units: int) -> Position:
    """France with so many units that touch each other; the others have what is left."""
    standing = {"FRA": WEST[:units], "ITA": WEST[units:], **{power: tags.split() for power, tags in REST.items()}}
    written = ";".join(f"{power}={','.join('A' + tag for tag in tags)}" for power, tags in standing.items() if tags)
    return Position.read(f"standard S{year}M {written} FRA=PAR,BRE,MAR - -")


def years_of(most: int, press: PressTerms = TALK) -> dict[int, str]:
    """The prompt for orders in each year of a power that grows to so many units, and talks all the time.

    Each turn everybody proposes something new to it, to half of which it agrees, and it proposes something to all.
    """
    model = Model(noting)
    player, prompts = DiplomacyModelPlayer(read_spec("m@localhost:1/v1?rounds=2"), 1, model), {}
    player.terms = Terms(preset("diplomacy"), Clock(), press)
    player.follow(ev.Started(0.0, tuple(Position.start().alive()), Position.start().encode()))
    others = {"GER": "GERMANY", "RUS": "RUSSIA", "TUR": "TURKEY", "AUS": "AUSTRIA"}
    for turn, year in enumerate(range(1901, 1921), 1):
        position = great_power(year, min(most, year - 1900))
        player.follow(ev.TurnBegan(float(turn), turn, "orders", tuple(position.to_act())))
        player._ledger.begin(position)
        for number, (word, seat) in enumerate(others.items() if press.mode is not PressMode.NONE else ()):
            place = WEST[(3 * turn + number) % len(WEST)]
            offer = f"PRP ( DMZ ( FRA {word} ) ( {place} RUM GAL SER ) )"
            player.follow(ev.Said(float(turn), Seat(seat), (_FRANCE,), offer, turn))
            if (turn + number) % 2:
                player.follow(ev.Said(float(turn), _FRANCE, (Seat(seat),), f"YES ( {offer} )", turn))
            mine = f"PRP ( XDO ( ( {word} AMY RUM ) SUP ( FRA AMY {place} ) ) )"
            player.follow(ev.Said(float(turn), _FRANCE, (Seat(seat),), mine, turn))
        results = {name: {f"{unit} - BUR": "bounced" for unit in own} for name, own in position.units.items()}
        player._happened = {"results": results}
        player.act(View(_FRANCE, position, turn))
        prompts[year] = "\n\n".join(text for _, text in model.asked[-1].messages)
    return prompts


def noting(system: str, prompt: str) -> str:
    """Holds with all units, and notes as much as there is room for."""
    return answer(orders=[unit[0] for unit in legal_orders(prompt)], note="n" * 400)


def record_of(name: str) -> list[Event]:
    """Return a record that ships beside its cassette."""
    return read_record(CASSETTES / f"{name}.record.jsonl")


def record_all() -> None:
    """Record the cassettes, and then the matches that are played from them."""
    CASSETTES.mkdir(exist_ok=True)
    for old in CASSETTES.glob("*.jsonl*"):
        old.unlink()
    with FakeEndpoint(plain_angler) as fake:
        _fish(fake.url, "record")
    with FakeEndpoint(plain_player) as fake:
        _diplomacy(fake.url, "record")
    played = {"fish": _fish("example.com/v1", "replay"), "diplomacy": _diplomacy("example.com/v1", "replay")}
    for name, match in played.items():
        with RecordWriter(CASSETTES / f"{name}.record.jsonl") as writer:
            writer.write(match.record)


def _fish(url: str, tape: str) -> Match:
    spec = read_spec(f"fish-model@{url}?cassette={CASSETTES / 'fish.jsonl'}&tape={tape}")
    return fish_match(lambda number: FishModelPlayer(spec, number))


def _diplomacy(url: str, tape: str) -> Match:
    spec = read_spec(f"envoy@{url}?rounds=2&cassette={CASSETTES / 'diplomacy.jsonl'}&tape={tape}")
    return diplomacy_match(
        {"FRANCE": DiplomacyModelPlayer(spec, 2), "GERMANY": DiplomacyModelPlayer(spec, 3)}, others="hold"
    )


if __name__ == "__main__":
    record_all()
