"""Marks: SVG elements whose paints have names, written as text or sent to pages.

A drawing function makes marks without colours. SVG text takes the colours of one theme. A page receives the marks as
plain values and takes the colours from its style sheet, so that it changes its theme without drawing again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

import msgspec

Value: TypeAlias = str | int | float
"""The value of an attribute. A string that begins with $ is the name of a paint."""

PAINT = "$"


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """An SVG element: its tag, its attributes, and its content."""

    tag: str
    attributes: dict[str, Value]
    inside: tuple[Mark | str, ...] = ()


def mark(tag: str, *inside: Mark | str, **attributes: Value | None) -> Mark:
    """Return a mark; stroke_width means stroke-width, class_ means class, an attribute that is None is omitted."""
    named = {
        name.rstrip("_").replace("_", "-"): round(value, 2) if isinstance(value, float) else value
        for name, value in attributes.items()
        if value is not None
    }
    return Mark(tag, named, inside)


def group(*inside: Mark | str, **attributes: Value | None) -> Mark:
    """Return a group of marks that share attributes."""
    return mark("g", *inside, **attributes)


def keyed(key: str, found: Mark) -> Mark:
    """Return the mark with a key by which a page finds it again in the next frame."""
    return msgspec.structs.replace(found, attributes={"data-key": key, **found.attributes})


def text_of(marks: Mark | str | Iterable[Mark | str], paints: Mapping[str, str]) -> str:
    """Return the marks as SVG text in these colours, without the keys that only pages need."""
    if isinstance(marks, str):
        return escape(marks)
    if not isinstance(marks, Mark):
        return "".join(text_of(part, paints) for part in marks)
    attributes = "".join(
        f" {name}={quoteattr(_written(value, paints))}"
        for name, value in marks.attributes.items()
        if name != "data-key"
    )
    if not marks.inside:
        return f"<{marks.tag}{attributes}/>"
    return f"<{marks.tag}{attributes}>{text_of(marks.inside, paints)}</{marks.tag}>"


def _written(value: Value, paints: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return paints[value[1:]] if value.startswith(PAINT) else value
    return f"{value:g}"
