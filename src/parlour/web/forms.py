"""Forms of our own pages: their parts as HTML, and their entries, read with bounds; others' forms are refused."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from parlour.core.markup import Attribute, Html, joined, tag
from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered
from parlour.web.visitors import is_ours

MAX_FORM = 64 * 1024
MAX_FIELDS = 200


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form of ours; a form of another site is refused."""
    if not is_ours(request):
        raise HTTPException(403, "this form came from another site")
    try:
        body = await read_body(request, MAX_FORM)
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except Answered as answered:
        raise HTTPException(answered.status, str(answered), answered.headers) from None
    except ValueError:
        raise HTTPException(400, f"a form of ours has at most {MAX_FIELDS} fields") from None


def form(
    action: str, *parts: Html | None, hidden: Mapping[str, str] | None = None, problem: str = "", kind: str = "sign"
) -> Html:
    """Return a form that is posted: the problem with its last entries, its hidden values, and its parts."""
    sent = (tag("input", type="hidden", name=name, value=value) for name, value in (hidden or {}).items())
    refused = tag("p", problem, class_="refused", role="alert") if problem else None
    return tag("form", refused, *sent, *parts, method="post", action=action, class_=kind)


def fields(*rows: Html | None) -> Html:
    """Return labelled inputs, one per line."""
    return tag("div", *rows, class_="fields")


def field(label: str, name: str, **attributes: Attribute) -> Html:
    """Return a labelled input of a form."""
    return labelled(label, tag("input", name=name, **attributes))


def labelled(label: str, control: Html) -> Html:
    """Return an input or a list with its label."""
    return tag("label", tag("span", label), control)


def checkbox(label: str, name: str, *, checked: bool) -> Html:
    """Return a box to tick, with its label behind it."""
    return tag("label", tag("input", type="checkbox", name=name, checked=checked), tag("span", label), class_="check")


def select(name: str, options: Mapping[str, str], chosen: str) -> Html:
    """Return a list to choose from: values with their words."""
    listed = (tag("option", words, value=value, selected=value == chosen) for value, words in options.items())
    return tag("select", joined(listed), name=name)


def buttons(first: str, *others: Html | None, kind: str = "primary") -> Html:
    """Return the line with which a form ends: a button that sends it, and others."""
    return tag("p", tag("button", first, class_=kind), *others, class_="line")
