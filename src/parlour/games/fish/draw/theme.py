"""Colours of the board, light and dark; penguins differ in brightness and by their letter, not by hue alone."""

from __future__ import annotations

from parlour.errors import ConfigError

_LIGHT = {
    "page": "#e9f3f7",
    "sea": "#9cc9dc",
    "deep": "#7fb4cb",
    "ripple": "#c3e0ec",
    "ice": "#fbfeff",
    "ice-line": "#b4d3e0",
    "ice-side": "#6f9fb6",
    "ice-glow": "#e3f2f8",
    "ink": "#15313f",
    "faint": "#4f7384",
    "fish": "#d9772b",
    "fish-line": "#96480f",
    "fish-eye": "#3b1c05",
    "beak": "#f2a33a",
    "beak-line": "#8f5306",
    "belly": "#ffffff",
    "eye": "#14110f",
    "outline": "#14222a",
    "trail": "#b3123c",
    "halo": "#ffffff",
    "red": "#c9372c",
    "white": "#eef3f6",
    "brown": "#8a5a2b",
    "black": "#23272b",
    "red-letter": "#a3261c",
    "white-letter": "#4c5a63",
    "brown-letter": "#74481d",
    "black-letter": "#23272b",
    "ice-ink": "#15313f",
    "red-line": "#b02c22",
    "white-line": "#7c8b94",
    "brown-line": "#7d4f23",
    "black-line": "#23272b",
}
_DARK = {
    "page": "#0e161b",
    "sea": "#14313f",
    "deep": "#102733",
    "ripple": "#1d4355",
    "ice": "#a9c6d3",
    "ice-line": "#7398a9",
    "ice-side": "#3f6577",
    "ice-glow": "#bcd5df",
    "ink": "#e4f0f5",
    "faint": "#93b4c2",
    "fish": "#c35f14",
    "fish-line": "#6d3004",
    "fish-eye": "#2a1202",
    "beak": "#f2a33a",
    "beak-line": "#6f3f02",
    "belly": "#f7fafb",
    "eye": "#14110f",
    "outline": "#0a1013",
    "trail": "#c2185b",
    "halo": "#e7f3f8",
    "red": "#d6463b",
    "white": "#f4f7f9",
    "brown": "#96632f",
    "black": "#1e2124",
    "red-letter": "#a3261c",
    "white-letter": "#4c5a63",
    "brown-letter": "#74481d",
    "black-letter": "#23272b",
    "ice-ink": "#15313f",
    "red-line": "#ff8478",
    "white-line": "#f4f7f9",
    "brown-line": "#d9a56e",
    "black-line": "#98a5ac",
}
THEMES = {"light": _LIGHT, "dark": _DARK}
"""The colours of each theme, by the name of the paint."""


def theme_named(name: str) -> dict[str, str]:
    """Return the paints of the theme of that name; raise ConfigError, which lists the names, if there is none."""
    if name not in THEMES:
        raise ConfigError(f"theme: expected one of {', '.join(THEMES)}, got {name!r:.60}", field="theme")
    return THEMES[name]
