"""Standings of a tournament as HTML: every number with its interval, every match with the way to its replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from parlour.core.markup import Html, joined, tag
from parlour.tournament.engines.playing import match_id
from parlour.tournament.knock_out.events import Round, RoundTable
from parlour.tournament.knock_out.live_state import LiveState
from parlour.tournament.reports import page as plots
from parlour.tournament.reports.standings import Line, Standings, standings
from parlour.tournament.results import MatchPlayed
from parlour.tournament.results_state import ResultsState
from parlour.web.listing import counted, wide

LISTED = 200
"""Matches on one page, the newest first."""
PLOT = 240
"""Width of the plot of a row."""


def series_content(series: ResultsState, *, over: bool) -> tuple[str, Html]:
    """Return the title and the content of the page of a tournament between agents."""
    plan, table = series.plan, standings(series)
    names = plan.names
    title = f"{plan.game.capitalize()}: {', '.join(names[:4])}{' and others' if len(names) > 4 else ''}"
    parts = [
        _head(title, _how(series, table), over=over, verdict=table.verdict, waits=_waits(series, over=over)),
        tag("section", tag("h2", "Standings"), wide(_standings(table)), _legend(table), id="standings"),
        tag("section", tag("h2", "Matches"), _matches(series), id="matches"),
    ]
    if len(table.lines) > 1 and table.matches:
        parts.append(tag("section", tag("h2", "More figures"), joined(_figures(table)), class_="figures"))
    return title, joined(parts)


def course_content(course: LiveState, *, over: bool) -> tuple[str, Html]:
    """Return the title and the content of the page of a tournament of players who signed up."""
    announced = course.announced
    title = f"{announced.game.capitalize()}: {announced.format} of {len(course.entrants)}"
    result = course.closed or course.decided
    verdict = ""
    if result is not None:
        verdict = f"{_list(result.winners) or 'Nobody'} won after {counted(result.rounds, 'round')}: {result.reason}."
    waits = "" if course.rounds or over else "The first round is about to be drawn."
    rounds = [_round(announced.tournament, number, drawn) for number, drawn in enumerate(course.rounds, 1)]
    gone = [tag("li", tag("b", one.name), f" {one.standing.value}: {one.reason}") for one in course.departed]
    parts = [
        _head(title, f"Players: {_list(course.entrants)}.", over=over, verdict=verdict, waits=waits),
        tag("section", *reversed(rounds), id="matches"),
    ]
    if gone:
        parts.append(tag("section", tag("h2", "Out for a foul"), tag("ul", joined(gone), class_="played"), id="gone"))
    return title, joined(parts)


def _head(title: str, how: str, *, over: bool, verdict: str, waits: str) -> Html:
    state = tag("span", "over" if over else "running", class_=f"badge {'over' if over else 'running'}")
    return tag(
        "header",
        tag("h1", title),
        tag("p", state, Html(" "), how, class_="how"),
        tag("p", verdict, class_="verdict") if verdict else None,
        tag("p", waits, class_="empty") if waits else None,
        class_="tournament-head",
    )


def _how(series: ResultsState, table: Standings) -> str:
    plan, expected = series.plan, series.expected()
    matches = f"{series.finished} of {expected}" if expected is not None and not table.stop else str(series.finished)
    void = f", {table.void} void" if table.void else ""
    return (
        f"{plan.format}, tables of {plan.seats}; {table.blocks} of {counted(table.cap, 'block')}, "
        f"{matches} {'match' if matches == '1' else 'matches'} played{void}. Seed {plan.seed}, Parlour {plan.version}."
    )


def _waits(series: ResultsState, *, over: bool) -> str:
    if series.counted or over:
        return ""
    return "The table counts whole blocks only, in which everybody sat on every seat; the first is being played."


# The table


def _standings(table: Standings) -> Html:
    talks = any(line.press for line in table.lines)
    heads = [("Place", "place"), ("Agent", "name"), (_capital(table.score), "number"), ("95 % interval", "plot")]
    heads += [("Rating", "number"), ("Played", "number less"), ("Lost by foul", "number less")]
    heads += [("Promises kept", "number less")] if talks else []
    head = joined(tag("th", tag("span", words), scope="col", class_=kind) for words, kind in heads)
    edges = _edges(table.lines)
    rows = joined(tag("tr", *_cells(line, table, edges, talks=talks), class_=_first(line)) for line in table.lines)
    return tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_="standings")


def _first(line: Line) -> str | None:
    return "first" if line.place == 1 else None


def _cells(line: Line, table: Standings, edges: tuple[float, float], *, talks: bool) -> Iterator[Html]:
    half = line.score.half if line.score is not None else None
    mean = line.score.mean if line.score is not None else None
    anchor = line.name == table.anchor
    rating = "0" if anchor else f"{line.rating.points:+z.0f}"
    yield tag("td", str(line.place), class_="place")
    yield tag("th", line.name, scope="row", class_="name")
    yield tag("td", "–" if mean is None else f"{mean:.3f}", _half(plots.interval(half)), class_="number")
    yield tag("td", _whisker(line.name, mean, half, edges), class_="plot")
    yield tag("td", rating, _half("" if anchor else f" ± {line.rating.half:.0f}"), class_="number")
    yield tag("td", str(line.played), class_="number less")
    moved = f" ({line.moved:+d} places without)" if line.moved else ""
    yield tag("td", f"{line.lost_by_foul}{moved}", class_="number less")
    if talks:
        yield tag("td", plots.promises(line), class_="number less")


def _half(interval: str) -> Html | None:
    return tag("span", interval, class_="half") if interval else None


def _edges(lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of an axis that contains all intervals."""
    scores = [line.score for line in lines if line.score is not None]
    found = [score.mean + sign * (score.half or 0.0) for score in scores for sign in (-1, 1)]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    margin = (high - low or 1.0) * 0.06
    return low - margin, high + margin


def _whisker(name: str, mean: float | None, half: float | None, edges: tuple[float, float]) -> Html | None:
    """Return the plot of a row: a dot at the mean and a line over the interval; None without a mean."""
    if mean is None:
        return None
    low, high = edges

    def across(value: float) -> str:
        return f"{(value - low) / (high - low) * PLOT:.1f}"

    told = f"{name}: {mean:.3g}" + ("" if half is None else f", between {mean - half:.3g} and {mean + half:.3g}")
    parts = [tag("line", class_="axis", x1=0, x2=PLOT, y1=12, y2=12)]
    if half is not None:
        parts += [
            tag("line", class_="whisker", x1=across(mean - half), x2=across(mean + half), y1=12, y2=12),
            *(tag("line", class_="whisker", x1=across(end), x2=across(end), y1=7, y2=17)
              for end in (mean - half, mean + half)),
        ]  # fmt: skip
    parts.append(tag("circle", class_="dot", cx=across(mean), cy=12, r=5))
    return tag("svg", joined(parts), viewBox=f"0 0 {PLOT} 24", role="img", aria_label=told)


def _legend(table: Standings) -> Html:
    words = f"± and lines are 95 % intervals; rating points are counted from {table.anchor}, at 0."
    if table.differing:
        words += f" Not reproducible: played again, {counted(len(table.differing), 'match')} ended otherwise."
    return tag("p", words, class_="legend-line")


def _figures(table: Standings) -> Iterator[Html]:
    named = {
        "Score by seat": plots.seat_table(table),
        "Against each other": plots.cross_table(table),
        "Who is stronger": plots.better_table(table),
        "Differences": plots.difference_table(table) if table.differences else None,
    }
    for title, html in named.items():
        if html:
            yield tag("details", tag("summary", title), wide(html), data_key=title)


# Matches


def _matches(series: ResultsState) -> Html:
    played = series.played()
    if not played:
        return tag("p", "No match is over yet. Each appears here, with its replay, as soon as it is.", class_="empty")
    rows = [_match(series, result) for result in reversed(played[-LISTED:])]
    left = len(played) - len(rows)
    more = tag("p", f"and {left} earlier: parlour records lists them all", class_="legend-line") if left else None
    return joined(part for part in (tag("ol", joined(rows), class_="played"), more) if part)


def _match(series: ResultsState, result: MatchPlayed) -> Html:
    name = f"Match {result.number}"
    if result.void:
        void = tag("span", f"void: {result.void}", class_="outcome")
        return tag("li", tag("b", name), void, class_="void", data_key=name)
    best = [seat.player for seat in result.seats if seat.place == 0 and not seat.lost_by]
    players = [seat.player for seat in result.seats]
    fouls = [f"{seat.player} lost by a foul: {seat.lost_by}" for seat in result.seats if seat.lost_by]
    kept, address = series.plan.records, _address(match_id(series.plan, result.number))
    label = tag("a", name, href=address) if kept else tag("b", name)
    outcome = f"{_list(dict.fromkeys(best)) or 'Nobody'} first, {counted(result.turns, 'turn')}; {result.reason}"
    return tag(
        "li",
        label,
        tag("span", " – ".join(players), class_="players"),
        tag("span", "; ".join((outcome, *fouls)), class_="outcome"),
        data_key=name,
    )


def _round(tournament: str, number: int, drawn: Round) -> Html:
    rows = [_table(f"{tournament}.{number}.{index}", index, table) for index, table in enumerate(drawn.tables, 1)]
    return tag(
        "div", tag("h2", f"Round {number}"), tag("ol", joined(rows), class_="played"), data_key=f"round {number}"
    )


def _table(match: str, index: int, table: RoundTable) -> Html:
    name, players = f"Table {index}", tag("span", " – ".join(table.players), class_="players")
    if table.result is None:
        return tag("li", tag("b", name), players, tag("span", "being played", class_="outcome"))
    won = _list(table.result.winners) or "Nobody"
    told = f"{won} first; {table.result.reason}"
    return tag("li", tag("a", name, href=_address(match)), players, tag("span", told, class_="outcome"))


def _address(match: str) -> str:
    return f"/match/{quote(match, safe='')}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
