"""Addresses without a page: browsers get an error page, programs the server's usual error."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from parlour.web.assets import SafeHeaders
from parlour.web.shell import message


class NotFoundRoute(Route):
    """The last route: answers browsers for addresses that no other route has."""

    def __init__(self) -> None:
        super().__init__("/{path:path}", _nowhere, middleware=[Middleware(SafeHeaders)])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only requests for HTML; matching all would turn unknown addresses into forbidden methods."""
        found, inner = super().matches(scope)
        reads = found is Match.FULL and "text/html" in Headers(scope=scope).get("accept", "")
        return (found, inner) if reads else (Match.NONE, {})


async def _nowhere(request: Request) -> Response:
    return message("Nothing is here", "No page has this address. It may have been cut short on its way.", status=404)
