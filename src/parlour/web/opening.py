"""New matches from a form: its choices, and the setup that its entries give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from parlour.agents import negotiates
from parlour.agents.house_specs import house_agents
from parlour.core.declaration import GameDeclaration, GameOption
from parlour.core.game import Game, Plain, Seat
from parlour.core.markup import Html, joined, tag
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.games import completed, declared, games, load_game
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import preset
from parlour.web import forms
from parlour.web.forms import buttons, checkbox, field, fields, labelled, select
from parlour.web.listing import seat_title

NOTHING: Mapping[str, Plain] = MappingProxyType({})
PEOPLE = "a person"
"""In place of an agent: the seat stays free for a person."""
_TALK = {"press": "any time", "level": "8000", "agent": PEOPLE}
TEMPLATES: dict[str, tuple[str, dict[str, str]]] = {
    "blitz": ("Blitz: 5 minutes a turn", {"clock": "5 minutes", **_TALK}),
    "evening": ("An evening: 15 minutes a turn", {"clock": "15 minutes", **_TALK}),
    "day": (
        "By mail: a day a turn, weekends free",
        {"clock": "1 day", **_TALK, "missed": "frees the seat", "rests": "on"},
    ),
    "study": ("Without press or clock, against agents", {"clock": "none", "press": "none"}),
}
"""Ready-made terms: their title, and the values that they fill in. With press, the other seats are for people."""
USUAL = {"clock": "none", "press": "none", "level": "60", "missed": "keeps the seat", "rests": ""}
"""Values that templates change, as the form has them without a template."""
MISSED = {"keeps the seat": "hosted", "frees the seat": "vacating"}
"""The cost of a missed turn, with the conduct that applies it."""
CLOCKS = {
    "none": None,
    "1 minute": 60.0,
    "5 minutes": 300.0,
    "15 minutes": 900.0,
    "1 hour": 3600.0,
    "1 day": 86_400.0,
    "3 days": 259_200.0,
}
PRESS = {"none": "no press", "any time": "any time", "window": "in a window of a minute"}
LEVELS = {"60": "structured", "8000": "structured and free text"}
WHOLE = re.compile(r"-?[0-9]{1,9}")
EMPTY = "may stay empty"
SEAT = "agent."
"""Prefix of a seat's name, in the field that chooses its player."""


class Wanted(NamedTuple):
    """A filled-in form: the match, and the seat that its author takes."""

    setup: MatchSetup
    seat: str


def form(
    game: Game, problem: str = "", filled: Mapping[str, str] | None = None, defaults: Mapping[str, Plain] = NOTHING
) -> Html:
    """Return the form for a new match of a game, with the values that were filled in before, or a server's defaults."""
    declaration, typed = declared(game.name), filled or {}
    seats, every = game.seats(completed(game.name, {}, defaults)), _every_seat(game, declaration)
    described = {agent: _described(declaration, agent) for agent in house_agents(game.name)}
    described[PEOPLE] = "a person who comes"
    own = seats[2] if len(seats) > 4 else seats[0]

    def chosen(label: str, name: str, options: Mapping[str, str], usual: str) -> Html:
        return labelled(label, select(name, options, typed.get(name, usual)))

    def ticked(label: str, name: str) -> Html:
        return checkbox(label, name, checked=name in typed)

    match = [
        field("Title", "title", maxlength=100, placeholder=EMPTY, value=typed.get("title", "")[:100]),
        chosen("You play", "seat", {"": "nothing: watch", **{seat: seat_title(seat) for seat in every}}, own),
        chosen("The others are", "agent", described, declaration.rival),
        *(_option(option, typed.get(option.name, _default(option, defaults))) for option in _offered(declaration)),
        _each_seat(game, declaration, every, typed, described),
    ]
    time = [
        chosen("Time for a turn", "clock", _same(CLOCKS), "none"),
        ticked("Time stands still on Saturdays and Sundays (UTC)", "rests"),
    ]
    seats_of = [
        field(
            "Password for seats",
            "password",
            type="password",
            autocomplete="new-password",
            placeholder=EMPTY,
            value=typed.get("password"),
        ),
        _number("Delay for spectators, in seconds", "delay", typed.get("delay", "0"), 0, 86_400),
        ticked("Seats are drawn by lot", "by_lot"),
        ticked("Nobody learns who plays which seat before the end", "anonymous"),
        ticked("I play and also moderate; everyone is told", "playing_moderator"),
    ]
    if declaration.talks:
        time.append(chosen("Press", "press", PRESS, "none"))
        time.append(chosen("Language", "level", LEVELS, "60"))
        time.append(chosen("Whoever misses a turn", "missed", _same(MISSED), "keeps the seat"))
        stand_ins = {"": "nobody"} | {agent: words for agent, words in described.items() if agent != PEOPLE}
        seats_of.insert(2, chosen("Whoever leaves is replaced by", "stand_in", stand_ins, ""))
    groups = {"The match": match, "Time and press" if declaration.talks else "Time": time, "Seats": seats_of}
    return forms.form(
        "/new",
        _templates(game.name, typed, {**USUAL, "agent": declaration.rival}) if declaration.talks else None,
        tag("div", joined(_group(title, rows) for title, rows in groups.items()), class_="groups"),
        buttons("Open the match", kind="primary large"),
        hidden={"game": game.name},
        problem=problem,
        kind="new-match",
    )


def _templates(game: str, typed: Mapping[str, str], usual: Mapping[str, str]) -> Html:
    """Return links that fill in the form; a script does it in place, and the present template is marked."""
    links = joined(
        tag(
            "a",
            words,
            href=f"/new?game={game}&template={name}",
            class_="button",
            aria_current="true" if filled == typed else None,
            data_fills=msgspec.json.encode({**usual, **filled}).decode(),
        )
        for name, (words, filled) in TEMPLATES.items()
    )
    return tag("p", links, class_="line templates")


def _group(title: str, rows: Iterable[Html]) -> Html:
    """Return fields that belong together, with their name."""
    return tag("fieldset", tag("legend", title), fields(*rows), class_="card")


def wanted(filled: Mapping[str, str], defaults: Mapping[str, Plain] = NOTHING) -> Wanted:
    """Return the match that a form asks for. ConfigError names the entry that cannot be used."""
    name = filled.get("game", "")
    if name not in games():
        raise ConfigError(f"game: expected one of {', '.join(games())}", field="game")
    game, declaration = load_game(name), declared(name)
    config: dict[str, Plain] = {}
    for option in _offered(declaration):
        config[option.name] = _value(option, filled.get(option.name, _default(option, defaults)))
    seats = game.seats(config)
    game.start(config, seats, 0)  # a board that is too small is an error here, not when all have sat down
    own, agent = filled.get("seat", ""), filled.get("agent", PEOPLE)
    if own and own not in seats:
        raise ConfigError(f"seat: {own:.20} is not in this match; expected one of {', '.join(seats)}", field="seat")
    others = {seat: filled.get(SEAT + seat, "") or agent for seat in seats if seat != own}
    others = {seat: chosen for seat, chosen in others.items() if chosen != PEOPLE}
    stays = declaration.talks
    conduct = MISSED.get(filled.get("missed", ""), "hosted") if stays else declaration.lenient_conduct
    terms = Terms(
        conduct=preset(conduct),
        clock=_clock(filled),
        draw_votes=declaration.talks,  # where nobody talks, pages have no ballots
        press=_press(declaration, filled, others.values()),
        vacancy=Vacancy.DEFAULT if stays else Vacancy.LEFT_OUT,
    )
    admission = Admission(
        seats_each=1,
        by_lot="by_lot" in filled,
        anonymous="anonymous" in filled,
        playing_moderator="playing_moderator" in filled,
    )
    title, delay = filled.get("title", "").strip()[:100], _seconds(filled.get("delay", "0"))
    setup = MatchSetup(
        game=name,
        terms=terms,
        config=config,
        title=title,
        delay=delay,
        agents=others,
        admission=admission,
        stand_in=filled.get("stand_in", "") if stays else "",
    )
    return Wanted(setup, own)


def _every_seat(game: Game, declaration: GameDeclaration) -> tuple[Seat, ...]:
    """Return the seats of the default match, then those that only other options have, such as another map."""
    found = dict.fromkeys(game.seats({}))
    for option in _offered(declaration):
        for choice in option.values:
            found |= dict.fromkeys(game.seats({option.name: choice}))
    return tuple(found)


def _offered(declaration: GameDeclaration) -> list[GameOption]:
    """Return the options of a game that have a default, which are those of the form."""
    return [option for option in declaration.options if option.default is not None]


def _clock(filled: Mapping[str, str]) -> Clock:
    per_turn = CLOCKS.get(filled.get("clock", "none"))
    return Clock(per_turn=per_turn, weekends=False) if "rests" in filled and per_turn else Clock(per_turn=per_turn)


def _described(declaration: GameDeclaration, agent: str) -> str:
    """Return an agent with its strength and temper."""
    talks = " (negotiates)" if agent in declaration.talkers else ""
    return f"{agent}{talks}: {declaration.tempers[agent]}" if agent in declaration.tempers else f"{agent}{talks}"


def _each_seat(
    game: Game,
    declaration: GameDeclaration,
    every: tuple[Seat, ...],
    typed: Mapping[str, str],
    described: Mapping[str, str],
) -> Html:
    """Return fields with which the player of each seat is chosen; those of other maps are hidden by a script."""
    maps = next((option for option in _offered(declaration) if option.name == "map"), None)
    seats = {choice: game.seats({"map": choice}) for choice in maps.choices} if maps else {}
    options = {"": "as above", **described}
    rows = [
        tag(
            "label",
            tag("span", seat_title(seat)),
            select(SEAT + seat, options, typed.get(SEAT + seat, "")),
            data_maps=" ".join(choice for choice, there in seats.items() if seat in there) or None,
        )
        for seat in every
    ]
    chosen = any(typed.get(SEAT + seat) for seat in every)
    summary = tag("summary", "Choose a player for each seat")
    return tag("details", summary, fields(*rows), class_="each-seat", open=chosen)


def _press(declaration: GameDeclaration, filled: Mapping[str, str], agents: Iterable[str]) -> PressTerms:
    mode = filled.get("press", "none")
    if not declaration.talks or mode not in PRESS:
        mode = "none"
    if mode == "none" and any(negotiates(declaration.name, agent) for agent in agents):
        mode = "any time"
    level = int(filled.get("level", "60")) if filled.get("level") in LEVELS else 60
    return PressTerms(mode=PressMode(mode), level=level)


def _value(option: GameOption, text: str) -> Plain:
    low, high = option.low, option.high
    if option.choices:
        if text not in option.values:
            raise ConfigError(f"{option.label}: expected one of {', '.join(option.values)}", field=option.name)
        return text
    if not WHOLE.fullmatch(text) or not low <= int(text) <= high:
        raise ConfigError(f"{option.label}: expected a whole number from {low} to {high}", field=option.name)
    return int(text)


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 0.0


def _default(option: GameOption, defaults: Mapping[str, Plain]) -> str:
    return str(defaults.get(option.name, option.default))


def _option(option: GameOption, typed: str) -> Html:
    value = typed[:80]
    if option.choices:
        return labelled(option.label, select(option.name, _same(option.values), value))
    return _number(option.label, option.name, value, option.low, option.high)


def _number(label: str, name: str, value: str, low: int, high: int) -> Html:
    return field(label, name, type="number", value=value, min=low, max=high)


def _same(values: Iterable[str]) -> dict[str, str]:
    """Return values that are their own words."""
    return {value: value for value in values}
