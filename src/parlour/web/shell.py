"""The pages as HTML: a shell that loads its modules, and lists that can be read before any script has run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from starlette.responses import HTMLResponse

from parlour.core.markup import Attribute, Html, joined, tag
from parlour.web import assets
from parlour.web.packing import modules

_SEAL = "M8 2.2a5.8 5.8 0 100 11.6A5.8 5.8 0 008 2.2zM5 8.6L7 6.4l1.6 2.4L11 6.4"
"""The mark of the site, as the icon of that name in dom.js."""


def field(label: str, name: str, **attributes: Attribute) -> Html:
    """Return a labelled input of a form."""
    return tag("label", tag("span", label), tag("input", name=name, **attributes))


def page(
    title: str,
    body: Html,
    *,
    script: str = "",
    kind: str = "plain",
    facts: Mapping[str, str] | None = None,
    preload: Iterable[str] = (),
    status: int = 200,
) -> HTMLResponse:
    """Return a whole page; facts become data attributes of the body, for the page's script."""
    themed = bool(script) and "theme.js" in modules(script)
    scripts = [name for name in ("" if themed else "theme.js", script) if name]
    head = joined(
        (
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{title} · Parlour"),
            tag("link", rel="icon", type="image/svg+xml", href=assets.address("favicon.svg")),
            tag("link", rel="stylesheet", href=assets.address("parlour.css")),
            *(tag("script", type="module", src=assets.address(name)) for name in scripts),
            *(tag("link", rel="preload", href=url, as_="fetch", crossorigin=True) for url in preload),
        )
    )
    named = {f"data_{name}": value for name, value in (facts or {}).items()}
    whole = tag("html", tag("head", head), tag("body", body, class_=f"page-{kind}", **named), lang="en")
    return HTMLResponse(f"<!doctype html>\n{whole}\n", status, headers={"Cache-Control": "no-cache"})


def frame(content: Html, account: str, *, here: str = "") -> Html:
    """Return a page that does not show a match: links to the other pages, and the visitor's name."""
    links = joined(
        tag("a", words, href=href, aria_current="page" if href == here else None)
        for href, words in (("/", "Matches"), ("/new", "New match"), ("/sandbox", "Sandbox"), ("/learn", "Learn"))
    )
    who = tag("a", account or "Sign in", href="/account" if account else "/signin", class_="account")
    return joined(
        (
            tag("a", "Skip to content", href="#main", class_="skip"),
            tag(
                "header",
                tag("a", _mark(), tag("span", "Parlour"), href="/", class_="brand"),
                tag("nav", links, aria_label="Pages"),
                who,
                class_="site-top",
            ),
            tag("main", content, id="main", class_="site"),
            tag("noscript", tag("p", "These pages need JavaScript to show boards and to play.", class_="empty")),
        )
    )


def _mark() -> Html:
    return tag("svg", tag("path", d=_SEAL), viewBox="0 0 16 16", class_="icon", aria_hidden="true")


def message(title: str, *sentences: str, status: int, account: str = "") -> HTMLResponse:
    """Return a page with a message, and a link to continue."""
    text = joined(tag("p", sentence) for sentence in sentences)
    onward = tag("p", tag("a", "All matches", href="/"))
    return page(title, frame(tag("section", tag("h1", title), text, onward), account), status=status)
