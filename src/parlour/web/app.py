"""The web server of a hall: its pages, with the headers that every answer carries."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from parlour.web.assets import SafeHeaders
from parlour.web.site import Site


def web_app(site: Site, more: Sequence[BaseRoute] = ()) -> ASGIApp:
    """The pages of a site, and other routes beside them."""
    return SafeHeaders(Starlette(routes=[*more, *site.routes()]))
