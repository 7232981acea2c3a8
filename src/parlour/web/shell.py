"""The pages as HTML: a shell that loads its modules, and lists that can be read before any script has run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from starlette.responses import HTMLResponse

from parlour.core.markup import Html, joined, tag
from parlour.errors import Denied
from parlour.net.http.problems import answer_to
from parlour.net.permission_errors import DenialCode
from parlour.web import assets
from parlour.web.packing import modules

_SEAL = "M8 2.2a5.8 5.8 0 100 11.6A5.8 5.8 0 008 2.2zM5 8.6L7 6.4l1.6 2.4L11 6.4"
"""The mark of the site, as the icon of that name in dom.js."""


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


def site_page(
    title: str,
    account: str,
    *content: Html | None,
    here: str = "",
    script: str = "",
    kind: str = "plain",
    facts: Mapping[str, str] | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return a page that does not show a match: links to the other pages, the visitor's name, and the content."""
    links = joined(
        tag("a", words, href=href, aria_current="page" if href == here else None)
        for href, words in (("/", "Matches"), ("/new", "New match"), ("/sandbox", "Sandbox"), ("/learn", "Learn"))
    )
    who = tag("a", account or "Sign in", href="/account" if account else "/signin", class_="account")
    mark = tag("svg", tag("path", d=_SEAL), viewBox="0 0 16 16", class_="icon", aria_hidden="true")
    brand = tag("a", mark, tag("span", "Parlour"), href="/", class_="brand")
    body = joined(
        (
            tag("a", "Skip to content", href="#main", class_="skip"),
            tag("header", brand, tag("nav", links, aria_label="Pages"), who, class_="site-top"),
            tag("main", *content, id="main", class_="site"),
            tag("noscript", tag("p", "These pages need JavaScript to show boards and to play.", class_="empty")),
        )
    )
    return page(title, body, script=script, kind=kind, facts=facts, status=status)


def board_page(
    title: str, script: str, facts: Mapping[str, str], *, preload: Iterable[str] = (), what: str = "board"
) -> HTMLResponse:
    """Return a page that its script fills with a board."""
    skeleton = tag("div", tag("p", f"The {what} is on its way …", class_="empty"), id="page")
    return page(title, skeleton, script=script, kind="match", facts=facts, preload=preload)


def message(title: str, *sentences: str, status: int, account: str = "") -> HTMLResponse:
    """Return a page with a message, and a link to continue."""
    text = [tag("p", sentence) for sentence in sentences]
    onward = tag("p", tag("a", "All matches", href="/"))
    return site_page(title, account, tag("section", tag("h1", title), *text, onward), status=status)


def denied_page(denied: Denied, account: str = "") -> HTMLResponse:
    """Return the page for a request that is denied."""
    title = "Unknown match" if denied.code == DenialCode.UNKNOWN_MATCH else "That cannot be"
    sentence = denied.reason[:1].upper() + denied.reason[1:] + "."
    return message(title, sentence, status=answer_to(denied).status, account=account)
