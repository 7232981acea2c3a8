"""Markup of pages and plots: HTML and SVG elements as text, in which everything that is not markup is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

SVG = "http://www.w3.org/2000/svg"
"""The name space of a picture that is a file of its own."""
_VOID = ("input", "link", "meta", "br")
_SHAPES = ("circle", "line", "path", "rect")
"""Elements of pictures that end in their own tag if nothing is inside."""

Attribute: TypeAlias = str | float | bool | None
"""The value of an attribute: True writes the bare name; False and None omit it."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, /, *inside: str | Html | None, **attributes: Attribute) -> Html:
    """Return an element; content that is not markup is escaped. class_ means class, data_x means data-x."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    if name in _SHAPES and not inside:
        return Html(f"<{name}{written}/>")
    body = "".join(part if isinstance(part, Html) else escape(part) for part in inside if part is not None)
    return Html(f"<{name}{written}>{body}</{name}>")


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """Return elements one after the other."""
    return Html(between.join(parts))


def document(title: str, style: str, body: Html) -> str:
    """Return a page that needs no other file."""
    head = (
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(style)),
    )
    whole = tag("html", tag("head", *head), "\n", tag("body", "\n", body, "\n"), lang="en")
    return f"<!doctype html>\n{whole}\n"
