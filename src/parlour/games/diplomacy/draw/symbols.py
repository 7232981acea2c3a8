"""Symbols that are defined once and used many times: army, fleet, star, and the marks of results."""

from __future__ import annotations

from parlour.games.diplomacy.draw.svg import Point, place, spikes
from parlour.games.diplomacy.draw.theme import Paint, Theme, is_pale

UNIT_WIDTH, UNIT_HEIGHT = 30.0, 24.0
"""Room that a unit's symbol takes."""

_ARMY = (
    '<path d="M-13 9.3-3.2 1.2 1 5.2-10.6 10.4z"/>'
    '<path d="M-11.2-2.6-8.6-4.9 9.9-10.3 12.6-9.6 13.4-6.7 11.4-4.8-6.6 3.1-10.2 1.6z"/>'
    '<circle cx="-1" cy="4.2" r="6.2"/>'
)
_ARMY_LINES = '<circle cx="-1" cy="4.2" r="3.4"/><path d="M-1-1.2V9.6M-6.4 4.2H4.4"/>'
_FLEET = (
    '<path d="M-13.6 3.4H13.6C12.6 7.4 10.4 10 7.6 10H-8.2C-10.8 10-12.8 7-13.6 3.4z"/>'
    '<path d="M1.1-11C6.8-8.4 9.6-3.4 9.2 1.8H1.1z"/>'
    '<path d="M-1.1-8.6C-3-3.6-6.4-.2-10.2 1.8H-1.1z"/>'
)
_FLEET_LINES = '<path d="M0-11.6V3M-10.6 6.4H10.4"/>'
_STAR = "M0-6.4 1.85-2.1 6.2-1.75 2.9 1.2 3.9 5.7 0 3.3-3.9 5.7-2.9 1.2-6.2-1.75-1.85-2.1z"
_SYMBOL = {"A": "army", "F": "fleet"}
_CROSS = "M-{0}-{0} {0} {0}M{0}-{0}-{0} {0}"
_WAVES = "M-18 14" + "q3-4 6 0q3 4 6 0" * 3
_ROUND = 'stroke-linecap="round" stroke-linejoin="round"'


def definitions(theme: Theme) -> str:
    """The symbols of a theme, for a <defs>; a unit takes its fill and the colour of its details from its use."""
    return "".join(
        (
            _unit_symbol("army", _ARMY, _ARMY_LINES, theme),
            _unit_symbol("fleet", _FLEET, _FLEET_LINES, theme),
            f'<path id="star" d="{_STAR}" stroke="{theme.centre_ink}" stroke-width="1.1" stroke-linejoin="round"/>',
            f'<path id="burst" d="{spikes(19.5, 15.5, 14)}" fill="{theme.casing}" stroke="{theme.bad}" '
            f'stroke-width="2" {_ROUND}/>',
            f'<g id="bounce" stroke="{theme.casing}" {_ROUND}><path d="{spikes(9.2, 6, 8)}" fill="{theme.bad}" '
            f'stroke-width="1.4"/><path d="{_CROSS.format(2.6)}" stroke-width="1.9"/></g>',
            _crossed("cut", _CROSS.format(5), 5.2, 2.6, theme),
            _crossed("gone", _CROSS.format(11), 7, 3.8, theme),
            f'<g id="built" stroke="{theme.casing}" {_ROUND}><circle r="7" fill="{theme.good}" stroke-width="1.4"/>'
            f'<path d="M-3.6 0H3.6M0-3.6V3.6" stroke-width="2.2"/></g>',
            f'<path id="waves" d="{_WAVES}" fill="none" {_ROUND}/>',
        )
    )


def unit(kind: str, point: Point, paint: Paint, theme: Theme, *, scale: float = 1.12, faded: bool = False) -> str:
    """An army (A) or fleet (F) at a point."""
    detail = theme.unit_ink if is_pale(paint.unit) else theme.unit_halo
    pale = ' opacity=".5"' if faded else ""
    return f'<use href="#{_SYMBOL[kind]}"{place(point, scale)} fill="{paint.unit}" color="{detail}"{pale}/>'


def mark(name: str, point: Point, scale: float = 1.0) -> str:
    """One of the defined marks at a point."""
    return f'<use href="#{name}"{place(point, scale)}/>'


def _unit_symbol(name: str, shape: str, lines: str, theme: Theme) -> str:
    halo = theme.unit_halo
    return (
        f'<g id="{name}-body" stroke-linejoin="round">{shape}</g>'
        f'<g id="{name}"><use href="#{name}-body" fill="{halo}" stroke="{halo}" stroke-width="3.8"/>'
        f'<use href="#{name}-body" stroke="{theme.unit_ink}" stroke-width="1.5"/>'
        f'<g fill="none" stroke="currentColor">{lines}</g></g>'
    )


def _crossed(name: str, path: str, outer: float, inner: float, theme: Theme) -> str:
    return (
        f'<g id="{name}" fill="none" {_ROUND}><path d="{path}" stroke="{theme.casing}" stroke-width="{outer}"/>'
        f'<path d="{path}" stroke="{theme.bad}" stroke-width="{inner}"/></g>'
    )
