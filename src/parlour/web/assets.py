"""Static files under an address that changes with their content, so that browsers may cache them for ever."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlour.core.pictures import Sheet, pictures_of
from parlour.errors import ConfigError
from parlour.games import games, load_game
from parlour.web.packing import STATIC, bundled

TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
FOREVER = "public, max-age=31536000, immutable"
SMALLEST = 600
"""Smallest size in bytes that is worth compressing."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer to a browser."""


class Asset(NamedTuple):
    """A file as it is sent."""

    type: str
    plain: bytes
    packed: bytes


@cache
def files() -> dict[str, Path]:
    """Return the static files by name."""
    return {path.name: path for path in sorted(STATIC.iterdir()) if path.suffix in TYPES}


@cache
def file(name: str) -> Asset:
    """Return a static file as it is sent; a module comes with all that it imports, in one request."""
    path = files()[name]
    return _asset(TYPES[path.suffix], bundled(name).encode() if path.suffix == ".js" else path.read_bytes())


@cache
def version() -> str:
    """Return the version in the address of static files; it changes whenever a file or a board changes."""
    digest = hashlib.sha256()
    for name, path in files().items():
        digest.update(name.encode() + path.read_bytes())
    for game in map(load_game, games()):
        pictures = pictures_of(game)
        if pictures is not None:
            position = game.start({}, game.seats({}), 0)
            digest.update(msgspec.json.encode((pictures.sheet(position), pictures.frame(position))))
    return digest.hexdigest()[:12]


@cache
def sheet(game: str, key: str) -> Asset:
    """Return the board of a game by its key, as JSON; raise ConfigError if there is none."""
    pictures = pictures_of(load_game(game))
    found: Sheet | None = pictures.sheet_named(key) if pictures else None
    if found is None:
        raise ConfigError(f"sheet: there is no {key!r:.40} of {game}", field="sheet")
    return _asset(TYPES[".json"], msgspec.json.encode(found))


def address(name: str) -> str:
    """Return the address of a static file."""
    return f"/static/{version()}/{name}"


def sheet_address(game: str, key: str) -> str:
    """Return the address of a match's board."""
    return f"/static/{version()}/sheet/{game}/{key}.json"


async def static(request: Request) -> Response:
    """Return a static file; a file of another version is not found."""
    name = request.path_params["name"]
    if request.path_params["version"] != version():
        return Response("this file has another address now: load the page again", 404)
    game, _, key = name.removeprefix("sheet/").removesuffix(".json").partition("/")
    try:
        asset = sheet(game, key) if name.startswith("sheet/") else file(name)
    except ConfigError as error:
        return Response(str(error), 404)
    except KeyError:
        return Response("there is no such file", 404)
    return sent(request, asset)


def sent(request: Request, asset: Asset, caching: str = FOREVER) -> Response:
    """Return the file as a response, compressed if the browser accepts gzip."""
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", "") and len(asset.packed) < len(asset.plain):
        headers["Content-Encoding"] = "gzip"
        return Response(asset.packed, media_type=asset.type, headers=headers)
    return Response(asset.plain, media_type=asset.type, headers=headers)


def _asset(kind: str, plain: bytes) -> Asset:
    packed = gzip.compress(plain, 9, mtime=0) if len(plain) >= SMALLEST else plain
    return Asset(kind, plain, packed)


class SafeHeaders:
    """Adds headers to every answer that keep pages from running foreign code."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)
