"""The API's operations for operators: health, readiness, metrics, and the document that describes it all."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

import parlour
from parlour.core.game import Plain
from parlour.errors import StoreError
from parlour.net.http.metrics import MEDIA
from parlour.net.http.operations import ApiCall, Nothing, Operations

UPKEEP = Operations()


class Health(msgspec.Struct, frozen=True):
    """Sign of life of the server."""

    status: str
    version: str


@UPKEEP.add("GET", "/health", answer=Health)
async def health(call: ApiCall[Nothing, Nothing]) -> Health:
    """Ask whether the server runs. If this is not answered, start it again."""
    return Health("ok", parlour.__version__)


@UPKEEP.add("GET", "/ready", answer=Health)
async def ready(call: ApiCall[Nothing, Nothing]) -> Health:
    """Ask whether the server can work: whether its store answers, is where it was, and keeps what it is given."""
    hall = call.service.hall
    await hall.store.fetch(hall.store.probe)
    if hall.trouble:
        raise StoreError(hall.trouble)
    return Health("ready", parlour.__version__)


@UPKEEP.add("GET", "/metrics", answer=MEDIA)
async def metrics(call: ApiCall[Nothing, Nothing]) -> Response:
    """See the numbers of the server, in the text form of Prometheus. Also at /metrics."""
    return Response(call.service.numbers.text(), media_type=MEDIA)


@UPKEEP.add("GET", "/openapi.json", answer=Plain)
async def describe(call: ApiCall[Nothing, Nothing]) -> Response:
    """See the description of this API, as OpenAPI."""
    return Response(call.service.document, media_type="application/json")
