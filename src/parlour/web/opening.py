"""New matches from a form: its choices, and the setup that its entries give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from parlour.agents import negotiates
from parlour.agents.house_specs import house_agents
from parlour.core.declaration import GameDeclaration, GameOption
from parlour.core.game import Game, Plain, Seat
from parlour.core.markup import Html, joined, tag
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.games import declared, games, load_game
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import preset
from parlour.web.listing import seat_title

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


def form(game: Game, problem: str = "", filled: Mapping[str, str] | None = None) -> Html:
    """Return the form for a new match of a game, with the values that were filled in before."""
    declaration, typed = declared(game.name), filled or {}
    seats, every = game.seats({}), _every_seat(game, declaration)
    agents = (*house_agents(game.name), PEOPLE)
    described = {PEOPLE: "a person who comes", **{agent: _described(declaration, agent) for agent in agents[:-1]}}
    own = seats[2] if len(seats) > 4 else seats[0]

    def chosen(name: str, options: tuple[str, ...], usual: str, words: Mapping[str, str] | None = None) -> Html:
        return _select(name, options, typed.get(name, usual), words)

    match = [
        _row("Title", tag("input", name="title", maxlength=100, placeholder=EMPTY, value=typed.get("title", "")[:100])),
        _row("You play", chosen("seat", ("", *every), own, _titles(every))),
        _row("The others are", chosen("agent", agents, declaration.rival, described)),
        *(_row(field.label, _field(field, typed.get(field.name))) for field in _offered(declaration)),
        _each_seat(game, declaration, every, typed, described),
    ]
    time = [
        _row("Time for a turn", chosen("clock", tuple(CLOCKS), "none")),
        _check("Time stands still on Saturdays and Sundays (UTC)", "rests", typed),
    ]
    password = {"name": "password", "type": "password", "autocomplete": "new-password", "placeholder": EMPTY}
    seats_of = [
        _row("Password for seats", tag("input", **password)),
        _row("Delay for spectators, in seconds", _number("delay", typed.get("delay", "0"), 0, 86_400)),
        _check("Seats are drawn by lot", "by_lot", typed),
        _check("Nobody learns who plays which seat before the end", "anonymous", typed),
        _check("I play and also moderate; everyone is told", "playing_moderator", typed),
    ]
    if declaration.talks:
        time.append(_row("Press", chosen("press", tuple(PRESS), "none", PRESS)))
        time.append(_row("Language", chosen("level", tuple(LEVELS), "60", LEVELS)))
        time.append(_row("Whoever misses a turn", chosen("missed", tuple(MISSED), "keeps the seat")))
        stand_ins = chosen("stand_in", ("", *agents[:-1]), "", {"": "nobody", **described})
        seats_of.insert(2, _row("Whoever leaves is replaced by", stand_ins))
    groups = {"The match": match, "Time and press" if declaration.talks else "Time": time, "Seats": seats_of}
    return tag(
        "form",
        _templates(game.name, typed) if declaration.talks else None,
        tag("input", type="hidden", name="game", value=game.name),
        tag("p", problem, class_="refused", role="alert") if problem else None,
        tag("div", joined(_group(title, rows) for title, rows in groups.items()), class_="groups"),
        tag("p", tag("button", "Open the match", class_="primary large")),
        method="post",
        action="/new",
        class_="new-match",
    )


def _templates(game: str, typed: Mapping[str, str]) -> Html:
    """Return links that fill in the form; the link of the present template is marked."""
    links = joined(
        tag(
            "a",
            words,
            href=f"/new?game={game}&template={name}",
            class_="button",
            aria_current="true" if filled == typed else None,
        )
        for name, (words, filled) in TEMPLATES.items()
    )
    return tag("p", links, class_="line templates")


def _group(title: str, rows: Iterable[Html]) -> Html:
    """Return fields that belong together, with their name."""
    return tag("fieldset", tag("legend", title), tag("div", joined(rows), class_="fields"), class_="card")


def wanted(filled: Mapping[str, str]) -> Wanted:
    """Return the match that a form asks for. ConfigError names the entry that cannot be used."""
    name = filled.get("game", "")
    if name not in games():
        raise ConfigError(f"game: expected one of {', '.join(games())}", field="game")
    game, declaration = load_game(name), declared(name)
    config: dict[str, Plain] = {}
    for field in _offered(declaration):
        config[field.name] = _value(field, filled.get(field.name, str(field.default)))
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


def _titles(seats: Iterable[str]) -> dict[str, str]:
    """Return the choices of a seat with their titles; the first is to watch."""
    return {"": "nothing: watch", **{seat: seat_title(seat) for seat in seats}}


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
    options = ("", *described)
    rows = [
        tag(
            "label",
            tag("span", seat_title(seat)),
            _select(SEAT + seat, options, typed.get(SEAT + seat, ""), {"": "as above", **described}),
            data_maps=" ".join(choice for choice, there in seats.items() if seat in there) or None,
        )
        for seat in every
    ]
    chosen = any(typed.get(SEAT + seat) for seat in every)
    summary = tag("summary", "Choose a player for each seat")
    return tag("details", summary, tag("div", joined(rows), class_="fields"), class_="each-seat", open=chosen)


def _check(label: str, name: str, typed: Mapping[str, str]) -> Html:
    box = tag("input", type="checkbox", name=name, checked=name in typed)
    return tag("label", box, tag("span", label), class_="check")


def _press(declaration: GameDeclaration, filled: Mapping[str, str], agents: Iterable[str]) -> PressTerms:
    mode = filled.get("press", "none")
    if not declaration.talks or mode not in PRESS:
        mode = "none"
    if mode == "none" and any(negotiates(declaration.name, agent) for agent in agents):
        mode = "any time"
    level = int(filled.get("level", "60")) if filled.get("level") in LEVELS else 60
    return PressTerms(mode=PressMode(mode), level=level)


def _value(field: GameOption, text: str) -> Plain:
    if field.choices:
        if text not in field.values:
            raise ConfigError(f"{field.label}: expected one of {', '.join(field.values)}", field=field.name)
        return text
    if not WHOLE.fullmatch(text) or not field.low <= int(text) <= field.high:
        raise ConfigError(f"{field.label}: expected a whole number from {field.low} to {field.high}", field=field.name)
    return int(text)


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 0.0


def _row(label: str, control: Html) -> Html:
    return tag("label", tag("span", label), control)


def _field(field: GameOption, typed: str | None) -> Html:
    value = str(field.default) if typed is None else typed[:20]
    if field.choices:
        return _select(field.name, field.values, value)
    return _number(field.name, value, field.low, field.high)


def _number(name: str, default: str, low: int, high: int) -> Html:
    return tag("input", type="number", name=name, value=default, min=low, max=high)


def _select(name: str, options: tuple[str, ...], chosen: str, words: Mapping[str, str] | None = None) -> Html:
    return tag(
        "select",
        joined(
            tag("option", (words or {}).get(option, option), value=option, selected=option == chosen)
            for option in options
        ),
        name=name,
    )
